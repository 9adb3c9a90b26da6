#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ftrace_fake_root_512_cpus.py: recording and reading a machine of 512 CPUs, which this one is not: its tracefs is a
folder

No more than 1024 files may be open, there are few threads, and every CPU's events come out, in order, of every command.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs

CPUS = 512
PAGES = 3
EVENTS = 40                  # of a page
FILES = 1024
THREADS = 24
FIRST_PID = 4_100_000        # nobody here has such a number
sonde = os.environ["SONDE"]
sanitized = os.environ.get("SONDE_SANITIZE", "none") != "none"


def fail(text):
    print("FAILED:", text, file=sys.stderr)
    sys.exit(1)


def time_of(cpu, i):
    """The i-th event of a CPU: those of all CPUs alternate."""
    return 1_000_000_000 + (i * CPUS + cpu * 7 % CPUS) * 1000


def pages_of(cpu):
    pages = []
    for p in range(PAGES):
        events = [(time_of(cpu, i), fake_tracefs.switch(FIRST_PID + cpu, "worker %d" % cpu, 0, "swapper/%d" % cpu))
                  for i in range(p * EVENTS, (p + 1) * EVENTS)]
        pages.append(fake_tracefs.page(events[0][0], events))
    return pages


def limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def watched(command):
    """Runs it where few files may be open; its output, messages, and the most files, threads and KiB it had."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen([sonde, *command], stdout=out, stderr=err, preexec_fn=limit)
        files = threads = memory = 0
        while p.poll() is None:
            try:
                files = max(files, len(os.listdir("/proc/%d/fd" % p.pid)))
                threads = max(threads, len(os.listdir("/proc/%d/task" % p.pid)))
                with open("/proc/%d/status" % p.pid) as f:
                    memory = max([memory] + [int(x) for x in re.findall(r"VmHWM:\s+(\d+)", f.read())])
            except OSError:
                pass
            time.sleep(0.002)
        out.seek(0), err.seek(0)
        text, said = out.read().decode(), err.read().decode()
        if p.returncode != 0:
            fail(f"{command}: status {p.returncode}: {said}")
        return text, said, files, threads, memory


def expect(path, total=CPUS * PAGES * EVENTS, cpus=CPUS):
    """Every event once, in order, on its CPU."""
    text, said, files, threads, memory = watched(["script", path])
    lines = re.findall(r"^(?:big\S*:)? *(\S.*)-(\d+) +\[(\d+)\] \S+ +(\d+)\.(\d+): sched_switch:", text, re.M)
    if len(lines) != total:
        fail(f"{path}: {len(lines)} events of {total}: {text[:500]} {said}")
    if len({line[2] for line in lines}) != cpus:
        fail(f"{path}: events of {len({line[2] for line in lines})} CPUs, not {cpus}")
    for comm, pid, cpu, _, _ in lines:
        if int(pid) != FIRST_PID + int(cpu) or comm != "worker %d" % int(cpu):
            fail(f"{path}: an event of '{comm}' {pid} on CPU {cpu}")
    times = [int(s) * 1000000 + int(us) for _, _, _, s, us in lines]
    if times != sorted(times):
        fail(f"{path}: not in order of time")
    if files > 32 or threads > THREADS:
        fail(f"script {path}: {files} files, {threads} threads")
    if memory > 64 << 10 and not sanitized:
        fail(f"script {path}: {memory} KiB of memory")
    info = watched(["info", "--count", path])[0]
    if len(re.findall(r"sched_switch %d$" % total, info, re.M)) != 1:
        fail(f"info --count {path}: {info[-600:]}")
    return files, threads, memory


memory_fs = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of small files
with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp, \
        tempfile.TemporaryDirectory(dir=memory_fs, prefix="sonde-test.") as place:
    os.chdir(tmp)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    root = fake_tracefs.FakeTracefs(os.path.join(place, "tracing"))

    root.put("saved_cmdlines", "".join("%d worker %d\n" % (FIRST_PID + cpu, cpu) for cpu in range(CPUS)))

    # ---- recording ----
    for reader in "splice", "read":
        root.add_buffer("big." + reader, [pages_of(cpu) for cpu in range(CPUS)])
        _, said, files, threads, memory = watched(
            ["record", "--ftrace", "--tracefs", root.root, "--instance", "big." + reader, "-a", "-e", "sched_switch",
             "--reader", reader, "--duration", "0.5", "-o", reader + ".dat"])
        root.close()
        print(f"record by {reader}: {files} files, {threads} threads, {memory} KiB")
        if files > FILES or threads > THREADS or (memory > 64 << 10 and not sanitized):
            fail(f"record: {files} files, {threads} threads, {memory} KiB")
        if "cannot be read" in said:
            fail(f"record: {said}")
        print("script: %d files, %d threads, %d KiB" % expect(reader + ".dat"))
        if os.stat(reader + ".dat").st_size > 64 << 20:
            fail(f"{reader}.dat has {os.stat(reader + '.dat').st_size} bytes")

    # ---- what is in the buffers ----
    root.add_buffer("", [pages_of(cpu) for cpu in range(CPUS)])
    _, said, files, threads, memory = watched(["extract", "--tracefs", root.root, "-o", "extracted.dat"])
    root.close()
    if files > CPUS + 32:
        fail(f"extract: {files} files")
    expect("extracted.dat")

    # ---- from file to file ----
    watched(["check", "splice.dat"])
    watched(["convert", "--to", "v6", "splice.dat", "v6.dat"])
    expect("v6.dat")
    watched(["convert", "-z", "splice.dat", "packed.dat"])
    expect("packed.dat")
    watched(["cut", "--cpu", "100-355", "packed.dat", "half.dat"])
    expect("half.dat", 256 * PAGES * EVENTS, 256)
    watched(["cut", "--cpu", "0-99,356-511", "splice.dat", "others.dat"])
    watched(["merge", "half.dat", "others.dat", "-o", "merged.dat"])
    expect("merged.dat")

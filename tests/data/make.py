#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py: makes the recordings of this folder anew, with sonde's own recorder, and what perf and trace-cmd say of them

    SONDE=build/release/src/cli/sonde SONDE_BUILD=build/release python3 tests/data/make.py [NAME...]

All of them with their workload, or, with the workload that lies here, those that are named. As root, with perf (or
PERF) and trace-cmd (or TRACE_CMD; of uprobes.dat 3.4, which shows their flags). Each NAME.data.xz and NAME.dat.xz has a
NAME.txt.xz: the output of `perf script` or `trace-cmd report`, which tests/command/shipped.py compares with ours. Host,
kernel and paths of the recorder are replaced: it runs in namespaces of its own, below /opt/sonde.
"""
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
HOST, HOME = "example", "/opt/sonde"
PROBES = "/sys/kernel/tracing/uprobe_events"
CLOCK = ["record", "-q", "-e", "cpu-clock"]
GRAPH = [*CLOCK, "-g", "-F", "1500"]
FTRACE = ["record", "-q", "--ftrace"]
# events that name no other task than those of the recording: switches to the idle task only
TASKS = ["-e", "sched:sched_switch", "--filter", "next_pid == 0"]
TASKS += [word for name in ("exec", "exit", "fork", "wait") for word in ("-e", "sched:sched_process_" + name)]
# `comm` is how the names begin that --redact gives: "comm-1" in the place of a name of four letters
SHELL = ["./dash", "-c", "./workload 0.01; ./comm; (true); exec ./workload 0.01"]
NAMES = ["dash", "workload", "comm", "sonde", "sonde-exec", "<idle>"]
# file: arguments of sonde; `killed`: it is, once the file has samples
RECORDINGS = {
    "callgraph.data": [*GRAPH, "-o", "OUT", "./workload", "0.1"],
    "stream.data": [*GRAPH, "-o", "-", "./workload", "0.1"],
    "groups.data": ["record", "-q", "-e", "{cpu-clock,page-faults}:S", "-F", "2000", "-o", "OUT", *SHELL],
    "tracepoints.data": ["record", "-q", *TASKS, "-o", "OUT", *SHELL],
    "dwarf.data": [*CLOCK, "-F", "500", "--call-graph", "dwarf,2048", "-o", "OUT", "./workload", "0.05"],
    "clock.data": [*CLOCK, "--all-user", "-k", "monotonic", "--sample-cpu", "-d", "-o", "OUT", "./workload", "0.02"],
    "tasks.data": [*CLOCK, "-F", "1000", "--switch-events", "--namespaces", "-o", "OUT", *SHELL],
    "packed.data": [*GRAPH, "-z", "-o", "OUT", "./workload", "0.1"],
    "uprobes.data": ["record", "-q", "-e", "example:multiply", "-o", "OUT", "./workload", "0.01"],
    "killed.data": ["killed", *GRAPH, "-o", "OUT", "./workload", "5"],
    "v7.dat": [*FTRACE, *TASKS, "-e", "raw_syscalls", "-o", "OUT", "./workload", "0.002"],
    "v6.dat": [*FTRACE, "--file-version", "6", *TASKS, "-e", "task", "-o", "OUT", *SHELL],
    "buffers.dat": [*FTRACE, "-e", "sched_process_exit", "--instance", "example", *TASKS, "-o", "OUT", *SHELL],
    "stacks.dat": [*FTRACE, *TASKS, "--stacktrace", "-o", "OUT", *SHELL],
    "uprobes.dat": [*FTRACE, "-e", "example:multiply", "-o", "OUT", "./workload", "0.01"],
}
# what the texts of perf script have, where it is not the default: without periods, which perf 6.1 takes from the wrong
# place, and without the stacks that it unwinds
TEXT_OPTIONS = {"groups.data": ["-F", "comm,tid,time,event,ip,sym,dso"], "dwarf.data": ["-F", "comm,tid,time,event"]}


def run(*command, **kwargs):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **kwargs)


def into_namespaces():
    """This script again, where the host has another name, and files only its own."""
    os.environ["MADE_FOR"] = os.uname().release
    os.execvp("unshare", ["unshare", "--mount", "--uts", sys.executable, os.path.abspath(__file__), *sys.argv[1:]])


def furnish():
    """/opt/sonde with sonde and the workload, and the kernel's symbols that stacks of these recordings have."""
    run("hostname", HOST)
    run("mount", "-t", "tmpfs", "tmpfs", "/opt")
    os.mkdir(HOME)
    sonde = os.path.abspath(os.environ["SONDE"])
    shutil.copy(sonde, HOME + "/sonde")
    shutil.copy(os.path.abspath(os.path.join(os.environ["SONDE_BUILD"], "bench", "workload")), HOME + "/workload")
    run("strip", "--strip-debug", HOME + "/workload")
    os.environ["LD_LIBRARY_PATH"] = os.path.join(os.path.abspath(os.environ["SONDE_BUILD"]), "src")
    os.environ["PATH"] = HOME + ":" + os.environ["PATH"]
    os.environ["XDG_CACHE_HOME"] = os.environ["PERF_BUILDID_DIR"] = HOME + "/cache"
    os.chdir(HOME)
    run("./sonde", *GRAPH, "-F", "max", "-o", "trial", "./workload", "0.5", stdout=subprocess.DEVNULL)
    stacks = run("./sonde", "script", "-F", "ip,sym", "-i", "trial", capture_output=True, text=True).stdout
    names = {line.split()[1].split("+")[0] for line in stacks.splitlines() if line.split()[1:]}
    names |= {"_text", "_stext", "_etext"}
    with open("/proc/kallsyms", encoding="ascii") as f, open("kallsyms", "w", encoding="ascii") as out:
        out.writelines(line for line in f if line.split()[2] in names and "[" not in line)
    run("mount", "--bind", "kallsyms", "/proc/kallsyms")


def set_probe():
    """The event example:multiply, whenever the workload calls this function."""
    symbols = run("nm", "workload", capture_output=True, text=True).stdout
    offset = next(line.split()[0] for line in symbols.splitlines() if line.endswith(" t multiply_matrices"))
    run("sh", "-c", f"echo p:example/multiply {HOME}/workload:0x{offset} >>{PROBES}")


def remove_probe():
    run("sh", "-c", f"echo -:example/multiply >>{PROBES}")


def record(name, words):
    killed = words[0] == "killed"
    words = ["./sonde", *(name if word == "OUT" else word for word in words[killed:])]
    with open(name if "-" in words else os.devnull, "wb") as stream:
        p = subprocess.Popen(words, stdout=stream, stdin=subprocess.DEVNULL, start_new_session=True)
        while killed and not has_samples(name):
            time.sleep(0.05)
        if killed:
            os.killpg(p.pid, signal.SIGKILL)
        if p.wait() and not killed:
            sys.exit(f"{' '.join(words)}: exit status {p.returncode}")


def has_samples(name):
    told = subprocess.run(["./sonde", "info", "--count", name], capture_output=True, text=True).stdout
    return any(line.startswith("# samples ") and line.split()[-1] != "0" for line in told.splitlines())


def other_task(line):
    return line[0] if line[2].decode() in NAMES else line[1] + b"x" * len(line[2])


def neutral(path):
    """Names of the same length: of the kernel, and of tasks of others in the kernel's list of names."""
    release = os.environ["MADE_FOR"]
    plain = (release.split("-")[0] + "-example-of-a-kernel")[:len(release)]
    with open(path, "rb") as f:
        data = f.read()
    data = data.replace(release.encode(), plain.encode())
    data = re.sub(rb"(?<=[\n\0])(\d+ )([^\n\0]{1,15})(?=\n)", other_task, data)
    with open(path, "wb") as f:
        f.write(data)


def keep(name, data):
    with lzma.open(os.path.join(here, name + ".xz"), "wb", preset=9) as f:
        f.write(data)


def told(name):
    if name.endswith(".dat"):
        return run(os.environ.get("TRACE_CMD", "trace-cmd"), "report", name, capture_output=True).stdout
    options = ["--symfs", ".", "--kallsyms", "kallsyms", *TEXT_OPTIONS.get(name, [])]
    return run(os.environ.get("PERF", "perf"), "script", *options, "-i", name, capture_output=True).stdout


def main():
    wanted = sys.argv[1:]
    if "MADE_FOR" not in os.environ:
        into_namespaces()
    furnish()
    os.makedirs("opt/sonde")
    shutil.copy(shutil.which("true"), "comm")
    shutil.copy(shutil.which("sh"), "dash")
    if wanted:
        with lzma.open(os.path.join(here, "workload.xz")) as packed, open("workload", "wb") as f:
            f.write(packed.read())
    shutil.copy("workload", "opt/sonde")
    set_probe()
    try:
        for name in wanted or RECORDINGS:
            record(name, RECORDINGS[name])
    finally:
        remove_probe()
    for name in wanted or RECORDINGS:
        neutral(name)
        with open(name, "rb") as f:
            keep(name, f.read())
        if not name.startswith("killed"):
            keep(name + ".txt", told(name))
    for name in () if wanted else ("workload", "kallsyms"):
        with open(name, "rb") as f:
            keep(name, f.read())


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill.py [N [LIBRARY]]: recorders killed at N random moments, spread over the modes of recording

Every record that is complete on disk is recovered, no rule of the format is broken, perf and trace-cmd read the result,
the events are there up to the last flush, and the next recorder removes probes and tracing instances. LIBRARY is a fake
of Intel PT (tests/fake_aux.c).
"""
import glob
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIP = 77
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 13
LIBRARY = sys.argv[2] if len(sys.argv) > 2 else None
SEED = 3
FLUSH = 0.5  # seconds; what a busy machine adds:
BUSY = 1.0
TRACEFS = "/sys/kernel/tracing"
sonde = os.environ["SONDE"]
BUSY_LOOP = ["sh", "-c", "while :; do :; done & while :; do ls / >/dev/null; done"]
CALLS_MAIN = ["sh", "-c", f"while :; do {sonde} version >/dev/null; done"]
CLOCK = ["-e", "cpu-clock", "-F", "4000", "-k", "monotonic"]
PROBE = f"uprobe:{sonde}:main"

# name, options, whether the file has the newest events
PERF_MODES = [
    ("plain", CLOCK, True),
    ("call graphs", [*CLOCK, "-g"], True),
    ("system", [*CLOCK, "-g", "-a"], True),
    ("compressed", [*CLOCK, "-g", "-a", "-z"], True),
    ("switched", [*CLOCK, "-g", "-a", "--switch-output=64K", "--switch-max-files", "3"], True),
    ("overwritten", [*CLOCK, "-g", "-a", "--overwrite"], False),
    ("snapshot", [*CLOCK, "-g", "-a", "--snapshot"], False),
    ("windows", [*CLOCK, "-a", "-D", "10-100,150-300,350-900"], False),
    ("per thread", [*CLOCK, "--per-thread", "-s"], True),
]
TRACE_MODE = ("hardware trace", ["-m", ",64K", "-e", "intel_pt//u", *CLOCK], True)
TRACEFS_MODES = [
    ("tracepoints", ["-k", "monotonic", "-e", "sched:sched_switch", "-e", "raw_syscalls:sys_enter", "-a"], True),
    ("probe", ["-k", "monotonic", "-e", PROBE], True),
    ("ftrace", ["--ftrace", "-C", "mono", "-e", "sched", "-e", "raw_syscalls"], True),
    ("ftrace probe", ["--ftrace", "-C", "mono", "-e", PROBE], True),
]


def complete_records(path):
    """How many records lie whole on disk; None when the recorder had not written its header yet."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 104 or data[:8] != b"PERFILE2":
        return None
    at, size = struct.unpack_from("=QQ", data, 40)
    features = struct.unpack_from("=4Q", data, 72)
    end = len(data) if size == 0 or not any(features) else at + size
    count = 0
    if at < 104:
        return None
    while at + 8 <= end:
        kind, _, size = struct.unpack_from("=IHH", data, at)
        if kind == 0 or kind > 86 or size < 8 or at + size > end:
            break
        if kind == 71:  # AUXTRACE, with its trace
            size += struct.unpack_from("=Q", data, at + 8)[0]
            if at + size > end:
                break
        at += size
        count += 1
    return count


def killed(command, path, delay, workload=BUSY_LOOP):
    """Records for so long, then kills the recorder and its workload: its pid, when it died, when the file began."""
    p = subprocess.Popen([*command, "-o", path, "--", *workload], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         stdin=subprocess.DEVNULL, start_new_session=True,
                         env={**os.environ, **FAKE} if "intel_pt//u" in command else None)
    end = time.monotonic() + delay
    began = None
    while (now := time.monotonic()) < end:
        if began is None and os.path.exists(path):
            began = now
            if "--snapshot" in command and delay > 0.5:
                os.kill(p.pid, signal.SIGUSR2)
        time.sleep(min(0.02, end - now))
    at = time.monotonic()
    os.killpg(p.pid, signal.SIGKILL)
    p.wait()
    return p.pid, at, began


def killed_files(path):
    """The file at hand, and those that were finished before it when the output was switched."""
    return sorted(name for name in glob.glob(path + "*") if not name.endswith(".mended"))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600)


def check(path, reader, compressed=False):
    """What is wrong, or None. In a compressed file more records are recovered than lie on disk."""
    ftrace = path.endswith(".dat")
    complete = None if ftrace else complete_records(path)
    out = path + ".mended"
    r = run(sonde, "repair", path, out)
    if r.returncode not in (0, 1):
        return f"repair ended with {r.returncode}"
    if not ftrace and not complete:
        return None
    if r.returncode != 0:
        return None if ftrace and os.path.getsize(path) == 0 else f"not repaired: {r.stderr}"
    found = json.loads(run(sonde, "check", "--json", out).stdout)
    if complete and found["records"] != complete and not compressed:
        return f"{found['records']} records recovered of {complete}"
    if found["errors"]:
        return f"breaks rules: {found['findings']}"
    if reader and run(*reader, out).returncode != 0:
        return f"{reader[0]} cannot read it"
    return None


def newest_event(path):
    """The time of the last event of a repaired file, None without one."""
    if not os.path.exists(path):
        return None
    said = re.search(r"(?:sample|event) times *: \S+ to ([0-9.]+)", run(sonde, "info", "--count", path).stdout)
    return float(said[1]) if said else None


def missing_end(files, at, began):
    """For how many seconds before the kill there is no event."""
    times = [t for t in (newest_event(name + ".mended") for name in files) if t]
    return at - max([*times, began])


def left_behind(pids):
    """Probes and tracing instances of these processes."""
    with open(f"{TRACEFS}/uprobe_events", encoding="ascii", errors="replace") as f:
        names = re.findall(r":(sonde_[0-9]+_)", f.read())
    names += [name.replace("-", "_") for name in os.listdir(f"{TRACEFS}/instances") if name.startswith("sonde-")]
    return [name for name in names if int(name.split("_")[1]) in pids]


perf, trace_cmd = shutil.which("perf"), shutil.which("trace-cmd")
readers = {
    False: [perf, "script", "--no-itrace", "-i"] if perf else None,
    True: [trace_cmd, "report", "-i"] if trace_cmd else None,
}
bad = with_records = 0
pids, longest = set(), {}
with tempfile.TemporaryDirectory() as tmp:
    trial = run(sonde, "record", *CLOCK, "-o", os.path.join(tmp, "trial"), "--", "true")
    if trial.returncode != 0:
        print(f"skipped: nothing can be recorded here: {trial.stderr.strip()}")
        sys.exit(SKIP)
    modes = list(PERF_MODES)
    if LIBRARY:
        driver = os.path.join(tmp, "sys/bus/event_source/devices/intel_pt")
        os.makedirs(os.path.join(driver, "format"))
        for name, text in (("type", "9"), ("format/pt", "config:0"), ("format/tsc", "config:10"),
                           ("format/branch", "config:13")):
            with open(os.path.join(driver, name), "w", encoding="ascii") as f:
                f.write(text + "\n")
        os.symlink("/sys/devices", os.path.join(tmp, "sys/devices"))
        FAKE = {"LD_PRELOAD": LIBRARY, "FAKE_AUX_TYPE": "9", "FAKE_AUX_LOG": "/dev/null",
                "FAKE_AUX_BYTES": str(1 << 24), "SYSFS_PATH": os.path.join(tmp, "sys")}
        modes.append(TRACE_MODE)
    if os.access(f"{TRACEFS}/instances", os.W_OK) and os.access(f"{TRACEFS}/uprobe_events", os.W_OK):
        modes += TRACEFS_MODES
    else:
        print("without tracefs: neither tracepoints nor probes")
    rnd = random.Random(SEED)
    for i in range(RUNS):
        mode, options, has_newest = modes[i % len(modes)]
        ftrace = "--ftrace" in options
        path = os.path.join(tmp, f"{i}.dat" if ftrace else f"{i}.data")
        pid, at, began = killed([sonde, "record", *options], path, rnd.uniform(0.05, 1.5),
                                CALLS_MAIN if PROBE in options else BUSY_LOOP)
        pids.add(pid)
        files = killed_files(path)
        for name in files:
            wrong = check(name, readers[ftrace], mode == "compressed")
            if wrong:
                print(f"{mode}, kill {i}: {os.path.basename(name)}: {wrong}")
                bad += 1
        with_records += any(ftrace or complete_records(name) for name in files)
        if files and began and has_newest:
            missing = missing_end(files, at, began)
            longest[mode] = max(longest.get(mode, 0), missing)
            if missing > FLUSH + BUSY:
                print(f"{mode}, kill {i}: the last {missing:.2f} s are missing")
                bad += 1
        for name in glob.glob(path + "*"):
            os.remove(name)
    if perf:  # files of perf itself, as it leaves them
        for i in range(RUNS // 10):
            path = os.path.join(tmp, f"perf.{i}")
            killed([perf, "record", "-e", "cpu-clock", "-F", "4000", "-g", "-a"], path, rnd.uniform(0.05, 1.5))
            wrong = check(path, readers[False]) if os.path.exists(path) else None
            if wrong:
                print(f"perf {i}: {wrong}")
                bad += 1
    if TRACEFS_MODES[0] in modes:
        for _ in range(20):  # the kernel closes the events of a killed process when it finds the time
            run(sonde, "record", "-e", "dummy", "-o", os.path.join(tmp, "next"), "--", "true")
            left = left_behind(pids)
            if not left:
                break
            time.sleep(0.2)
        if left:
            print(f"left behind: {' '.join(left)}")
            bad += 1
print(f"{RUNS} kills in {len(modes)} modes: {with_records} left records, {bad} were wrong")
print("longest missing end: " + ", ".join(f"{mode} {s:.2f} s" for mode, s in longest.items()))
if not with_records:
    sys.exit("no recorder was killed late enough")
sys.exit(1 if bad else 0)

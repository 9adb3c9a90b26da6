#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ftrace_record.py - what recording trace events costs the recorder, and what gets lost, against trace-cmd

A program makes so many system calls, both recorders record their entries and exits. Prints `name  value unit  ratio`
lines: CPU seconds of the recorder (its own and its children's, the best of some runs) and how many times less that is
than trace-cmd needs; events lost of how many. Needs root, tracefs and trace-cmd; SONDE_NEWEST_PERF names a perf beside
whose program a newer trace-cmd lies, as in ../shared/tools. trace-cmd gives up where function tracing is locked down:
it runs in a mount namespace where those files are stand-ins.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

from measuring import begin, end

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
TRACEFS = "/sys/kernel/tracing"
LOCKED = ["/proc/sys/kernel/ftrace_enabled"] + [
    TRACEFS + "/" + f for f in ("set_ftrace_filter", "set_ftrace_notrace", "set_ftrace_pid", "set_ftrace_notrace_pid")]
CALLS = int(os.environ.get("SONDE_BENCH_CALLS", "1000000"))
RUNS = int(os.environ.get("SONDE_BENCH_RUNS", "3"))
BURST_CALLS = 20000


def trace_cmd(folder):
    """The newest trace-cmd, so that it can record here; None if there is none."""
    link = os.path.join(folder, "newest-trace-cmd")
    os.symlink(os.path.abspath(NEWEST), link)
    program = link if os.access(NEWEST, os.X_OK) else "trace-cmd"
    script = os.path.join(folder, "rival")
    with open(script, "w", encoding="ascii") as f:
        for path in LOCKED:
            name = os.path.join(folder, os.path.basename(path))
            f.write(f"echo 1 >{name}; mount --bind {name} {path}\n")
        f.write('exec "$@"\n')
    argv = ["unshare", "-m", "sh", script, program]
    try:
        subprocess.run(argv + ["--version"], capture_output=True, check=False)
    except OSError:
        return None
    return argv


def events_and_losses(path):
    """What a file holds, by sonde: events, and how many were lost."""
    told = subprocess.run([SONDE, "info", "--count", path], capture_output=True, text=True, check=False).stdout
    events = sum(int(n) for n in re.findall(r"^# events  *: .* (\d+)$", told, re.M))
    lost = sum(int(n) for n in re.findall(r"(\d+) events lost", told))
    return events, lost


STEADY = "exec dd if=/dev/zero of=/dev/null bs=1 count=%d 2>/dev/null"
# programs of higher priority, on every CPU at once, that leave the recorder no time while they run
BURSTS = ("for i in 1 2 3 4 5 6 7 8; do for cpu in %s; do "
          "taskset -c $cpu chrt -f 1 dd if=/dev/zero of=/dev/null bs=1 count=%d 2>/dev/null & done; "
          "wait; sleep 0.2; done")


def run(recorder, program, folder):
    """One recording: CPU seconds of the recorder, events in the file, events lost."""
    out = os.path.join(folder, "bench.dat")
    task = subprocess.Popen(["sh", "-c", "kill -STOP $$; " + program])
    time.sleep(0.2)
    wait = f"kill -CONT {task.pid}; exec tail -s 0.1 -f /dev/null --pid={task.pid}"
    argv = recorder + ["-o", out, "-e", "raw_syscalls", "-f", 'comm == "dd"', "sh", "-c", wait]
    began = begin(argv)
    task.wait()
    recording = end(began)
    if recording.status != 0:
        return None
    events, lost = events_and_losses(out)
    os.unlink(out)
    return recording.cpu, events, lost


def main():
    if os.geteuid() != 0 or not os.access(TRACEFS + "/instances", os.W_OK):
        print("ftrace-record: needs root and a mounted tracefs")
        return 77
    with tempfile.TemporaryDirectory(prefix="sonde-bench.") as folder:
        rival = trace_cmd(folder)
        rows = [("sonde", [SONDE, "record", "--ftrace", "-q", "-a"])]
        rows += [("sonde-" + how, [SONDE, "record", "--ftrace", "-q", "-a", "--reader", how])
                 for how in ("mapped", "read")]
        if rival:
            rows += [("trace-cmd", rival + ["record"]), ("trace-cmd-none", rival + ["record", "--compression", "none"])]
        seconds = {}
        for _ in range(RUNS):  # in turn: what else the machine does hits all of them
            for name, argv in rows:
                got = run(argv, STEADY % CALLS, folder)
                if got:
                    seconds[name] = min(seconds.get(name, float("inf")), got[0])
        for name, _ in rows:
            if name in seconds:
                ratio = ""
                if "trace-cmd" in seconds:
                    ratio = f"  {seconds['trace-cmd'] / seconds[name]:.2f}x less than trace-cmd"
                print(f"ftrace-record-{name}-cpu  {seconds[name]:.3f} s{ratio}", flush=True)
        for name, argv in rows:
            if name.startswith("trace-cmd"):
                argv = argv + ["-b", "1408"]  # what it is on a machine where nobody has changed it
            got = run(argv, BURSTS % (" ".join(str(c) for c in sorted(os.sched_getaffinity(0))), BURST_CALLS), folder)
            if got:
                print(f"ftrace-record-{name}-lost  {got[2]} of {got[1] + got[2]} events", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_speed.py [NAME...]: what perf's recordings cost, sonde against the installed perf and the newest one in turn

Prints `name  value unit  ratio` lines, with the goal of the ratio or of the value:

record-chains   all CPUs, 10 kHz cpu-clock with call chains, while a program runs: CPU time of the recorder per sample
record-calls    all CPUs, both raw_syscalls tracepoints, rings of 2 MB, a tight loop of system calls: the same
record-true     from the start to the end of `record true`
record-exit     from the end of the command to the end of the recorder, for a file of 1 GB
record-packed   from the start to the end of such a recording with -z, against one without

CPU time is the difference of a long and a short recording, so that start and end do not count; values are medians.
SONDE names the recorder, SONDE_NEWEST_PERF a second perf (../shared/tools/newest-perf if that is there),
SONDE_BENCH_RUNS the number of rounds (5), TMPDIR the disk.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
WORKLOAD = os.path.join(ROOT, "build/release/bench/workload")
CALLS = os.path.join(ROOT, "build/release/bench/calls")
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
RUNS = int(os.environ.get("SONDE_BENCH_RUNS", "5"))
TRACEPOINTS = ["-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"]
SHORT, LONG = 0.5, 2.5     # seconds
CALLS_OF_1GB = 4_900_000   # two records of 104 bytes for each


class Run:
    """A recording that has ended: its wall and CPU seconds, what the command printed, its samples and losses."""

    def __init__(self, argv, path, count=True):
        began = time.monotonic()
        with subprocess.Popen([*argv[:2], "-q", "-o", path, *argv[2:]], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            self.text = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.ended = time.monotonic()
        self.wall = self.ended - began
        self.cpu = usage.ru_utime + usage.ru_stime
        self.bytes = os.path.getsize(path)
        self.samples = self.lost = 0
        if count:
            told = json.loads(subprocess.run([SONDE, "info", "--json", "--count", path], stdout=subprocess.PIPE,
                                             check=False).stdout)
            self.samples = sum(told["samples"].values())
            self.lost = sum(loss["count"] for loss in told["losses"] if loss["kind"] == "recorder")
        os.unlink(path)

    def lost_share(self):
        return 100 * self.lost / max(self.samples + self.lost, 1)


def recorders():
    return {"sonde": SONDE, **{os.path.basename(p): p for p in ("perf", NEWEST) if shutil.which(p)}}


def rivals(values):
    """The better of the two perfs, and its name."""
    return min((v, name) for name, v in values.items() if name != "sonde")


def cost_per_sample(name, words, load, path):
    """The CPU time of each recorder for a sample, while a program runs that is not the recorder's."""
    cost = {who: [] for who in recorders()}
    lost = {who: [] for who in cost}
    for _ in range(RUNS):
        for who, program in recorders().items():
            with subprocess.Popen(load, stdout=subprocess.DEVNULL) as beside:
                short, long = (Run([program, "record", *words, "--", "sleep", str(s)], path) for s in (SHORT, LONG))
                beside.kill()
            cost[who].append((long.cpu - short.cpu) / max(long.samples - short.samples, 1) * 1e9)
            lost[who].append(long.lost_share())
    ns = {who: statistics.median(c) for who, c in cost.items()}
    theirs, rival = rivals(ns)
    shares = ", ".join(f"{who} {ns[who]:.0f} ns, {statistics.median(s):.2f} % lost" for who, s in lost.items())
    print(f"record-{name:8} {ns['sonde']:8.0f} ns    {ns['sonde'] / theirs:5.2f} of {rival} (goal 0.25); {shares}")


def chains(path):
    cost_per_sample("chains", ["-a", "-e", "cpu-clock", "-F", "10000", "-g"], [WORKLOAD, "100"], path)


def calls(path):
    cost_per_sample("calls", ["-a", *TRACEPOINTS, "-m", "2M"], [CALLS], path)


def short_command(path):
    wall = {who: [] for who in recorders()}
    for _ in range(3 * RUNS):
        for who, program in recorders().items():
            wall[who].append(Run([program, "record", "--", "true"], path, count=False).wall)
    ms = {who: statistics.median(w) * 1e3 for who, w in wall.items()}
    theirs, rival = rivals(ms)
    print(f"record-true     {ms['sonde']:8.1f} ms    {ms['sonde'] / theirs:5.2f} of {rival} {theirs:.0f} ms "
          f"(goal 30 ms)")


def large_files(path):
    rows = {"sonde": [SONDE], "packed": [SONDE, "-z"],
            **{who: [program] for who, program in recorders().items() if who != "sonde"}}
    late = {who: [] for who in rows}
    wall = {who: [] for who in rows}
    for _ in range(max(RUNS // 2, 1)):
        for who, (program, *words) in rows.items():
            run = Run([program, "record", *words, *TRACEPOINTS, "--", CALLS, str(CALLS_OF_1GB)], path, count=False)
            late[who].append(run.ended - float(run.text))
            wall[who].append(run.wall)
            size = run.bytes / 1e9
            if who == "sonde" and size < 0.9:
                print(f"record-exit: the file has {size:.2f} GB only", file=sys.stderr)
    late, wall = ({who: statistics.median(v) for who, v in rows.items()} for rows in (late, wall))
    packed, packed_late = wall.pop("packed"), late.pop("packed")
    theirs, rival = rivals(late)
    print(f"record-exit     {late['sonde']:8.3f} s     {late['sonde'] / theirs:5.2f} of {rival} {theirs:.2f} s "
          f"(goal 0.3 s), with -z {packed_late:.3f} s")
    theirs, rival = rivals(wall)
    print(f"record-packed   {packed:8.2f} s     {packed / wall['sonde']:5.2f} of {wall['sonde']:.2f} s without -z "
          f"(goal 1), {rival} without -z {theirs:.2f} s")


def main():
    rows = {"chains": chains, "calls": calls, "true": short_command, "exit": large_files}
    if os.geteuid() != 0 or len(recorders()) < 2:
        print("record_speed: skipped, " + ("there is no perf to compare with" if os.geteuid() == 0 else
                                           "only root records all CPUs"))
        return 0
    with tempfile.TemporaryDirectory() as tmp:
        for name, row in rows.items():
            if len(sys.argv) == 1 or name in sys.argv[1:]:
                row(os.path.join(tmp, "bench.data"))
                sys.stdout.flush()
    return 0


sys.exit(main())

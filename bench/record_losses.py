#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_losses.py [ROUNDS [OPTION...]]: records that are lost while 400 tasks contend for the CPUs

Every system call of every CPU is recorded, by sonde, by the installed perf, by the newest one and by a perf with
real-time priority and large buffers in turn, and the load runs alone. Prints the median share of lost records, the most
EXIT records that are missing, and of the load itself the time and the CPU time: `name  lost  EXIT  load`. CPU time,
which other programs on the machine change less, also as a multiple of that of the load alone. Options go to every
recorder, for example -r 0. SONDE names the recorder, SONDE_NEWEST_PERF a second perf (../shared/tools/newest-perf if
that is there).
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
CONTEND = os.path.join(ROOT, "build/release/bench/contend")
EVENTS = "raw_syscalls:sys_enter,raw_syscalls:sys_exit"
TASKS = 401


def counts(path):
    """Samples, lost records and EXIT records of a recording."""
    told = json.loads(subprocess.run([SONDE, "info", "--json", "--count", path], stdout=subprocess.PIPE,
                                     check=False).stdout)
    lost = sum(loss["count"] for loss in told["losses"] if loss["kind"] == "recorder")
    return sum(told["samples"].values()), lost, told["records"].get("EXIT", 0)


def one(recorder, options, tmp):
    """Share of lost records, missing EXIT records, samples, wall and CPU seconds of the load."""
    path = os.path.join(tmp, "bench.data")
    argv = [recorder[0], "record", "-q", "-a", "-e", EVENTS, *recorder[1:], *options, "-o", path, "--", CONTEND]
    run = subprocess.run(argv, capture_output=True, text=True, check=False)
    seconds = run.stdout.split() if run.returncode == 0 else ("nan", "nan")
    samples, lost, exits = counts(path)
    os.unlink(path)
    return 100 * lost / max(lost + samples, 1), max(TASKS - exits, 0), samples, *map(float, seconds)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    if os.geteuid() != 0:
        print("record_losses: skipped, only root records all CPUs")
        return 0
    perfs = {name: [p] for name, p in (("perf", "perf"), ("newest-perf", NEWEST)) if shutil.which(p)}
    if not perfs:
        print("record_losses: skipped, there is no perf to compare with")
        return 0
    first = next(iter(perfs.values()))
    recorders = {"sonde": [SONDE], **perfs, "perf-realtime": [*first, "-r", "1", "-m", "16M"]}
    rows = {name: [] for name in recorders}
    alone = []
    with tempfile.TemporaryDirectory() as tmp:
        for _ in range(rounds):
            alone.append([float(s) for s in subprocess.check_output([CONTEND]).split()])
            for name, command in recorders.items():
                rows[name].append(one(command, sys.argv[2:], tmp))
    base_wall, base_cpu = (statistics.median(values) for values in zip(*alone))
    for name, row in rows.items():
        lost, _, samples, wall, cpu = (statistics.median(values) for values in zip(*row))
        print(f"record-losses-{name:14} {lost:6.2f} % lost, {max(r[1] for r in row):3} EXIT missing, "
              f"load {wall:5.2f} s, CPU {cpu:4.2f} s ({cpu / base_cpu:4.2f} of alone), {samples:.0f} samples")
    print(f"record-losses-alone          load {base_wall:5.2f} s, CPU {base_cpu:4.2f} s")
    return 0


sys.exit(main())

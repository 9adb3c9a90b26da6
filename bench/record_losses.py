#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_losses.py [ROUNDS [OPTION...]]: records that are lost while 400 tasks contend for the CPUs

Every system call of every CPU is recorded, by sonde and by perf in turn. Prints the median share of lost records, the
most EXIT records that are missing, and the time of the load itself: `name  lost  seconds`. Options go to both
recorders, for example -m 16M.
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
    path = os.path.join(tmp, "bench.data")
    run = subprocess.run([*recorder, "record", "-q", "-a", "-e", EVENTS, *options, "-o", path, "--", CONTEND],
                         capture_output=True, text=True, check=False)
    seconds = float(run.stdout) if run.returncode == 0 else float("nan")
    samples, lost, exits = counts(path)
    os.unlink(path)
    return 100 * lost / max(lost + samples, 1), max(TASKS - exits, 0), seconds, samples


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    recorders = {"sonde": [SONDE]}
    if os.geteuid() != 0:
        print("record_losses: skipped, only root records all CPUs")
        return 0
    if not shutil.which("perf"):
        print("record_losses: skipped, there is no perf to compare with")
        return 0
    recorders["perf"] = ["perf"]
    rows = {name: [] for name in recorders}
    with tempfile.TemporaryDirectory() as tmp:
        for _ in range(rounds):
            for name, command in recorders.items():
                rows[name].append(one(command, sys.argv[2:], tmp))
        alone = statistics.median(float(subprocess.check_output([CONTEND])) for _ in range(rounds))
    for name, row in rows.items():
        print(f"record-losses-{name:10} {statistics.median(r[0] for r in row):6.2f} % lost, "
              f"{max(r[1] for r in row)} EXIT missing, load {statistics.median(r[2] for r in row):.2f} s, "
              f"{statistics.median(r[3] for r in row):.0f} samples")
    print(f"record-losses-alone      load {alone:.2f} s")
    return 0


sys.exit(main())

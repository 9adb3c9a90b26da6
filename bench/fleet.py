#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet.py: what continuous profiling costs: all CPUs, 99 Hz cpu-clock with call chains, a file and its export a minute

Prints `name  value unit  share of the goal` lines:

continuous-cpu     CPU time of the recorder and of the process that exports, in percent of one CPU
continuous-bytes   what the second minute adds to the data set; the first one also has most stacks and frames
continuous-peak    peak memory of the larger of both processes

The load is a program that is busy on each CPU, and a loop that starts short commands, besides what runs already.
SONDE names the recorder.
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile

from measuring import ROOT, measure

SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
WORKLOAD = os.path.join(ROOT, "build/release/bench/workload")
SECONDS = 121
GOAL_PERCENT, GOAL_BYTES, GOAL_PEAK = 0.5, 50_000, 200_000_000


def start_load():
    loops = [f'while :; do "{WORKLOAD}"; done'] * (os.cpu_count() or 1) + ["while :; do ls /; sleep 0.05; done"]
    return [subprocess.Popen(["sh", "-c", loop], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             start_new_session=True) for loop in loops]


def size_of(paths):
    return sum(os.path.getsize(path) for path in paths)


def main():
    load = start_load()
    try:
        with tempfile.TemporaryDirectory() as folder:
            data_set = os.path.join(folder, "set")
            run = measure([SONDE, "record", "-q", "-a", "-g", "-F", "99", "-e", "cpu-clock", "--switch-output=1m",
                           "--export", f"parquet:{data_set}", "-o", os.path.join(folder, "perf.data"), "--", "sleep",
                           str(SECONDS)])
            names = sorted(os.path.basename(path) for path in glob.glob(f"{data_set}/v1/runs/*/*/*"))
            if run.status or len(names) < 3:
                sys.exit(f"fleet.py: the recorder ends with status {run.status}, {len(names)} files were exported")
            by_minute = [size_of(glob.glob(f"{data_set}/v1/*/*/*/{name}")) for name in names]
    finally:
        for loop in load:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()
    percent = 100 * run.cpu / run.wall
    print(f"continuous-cpu    {percent:.2f} %  {percent / GOAL_PERCENT:.2f}")
    print(f"continuous-bytes  {by_minute[1]} B  {by_minute[1] / GOAL_BYTES:.2f}  (first minute: {by_minute[0]})")
    print(f"continuous-peak   {run.peak} B  {run.peak / GOAL_PEAK:.2f}")


if __name__ == "__main__":
    main()

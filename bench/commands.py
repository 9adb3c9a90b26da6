#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py - whole commands against the faster of the installed perf and the newest one, on a recording with call
chains

Prints `name  value unit  ratio` lines: the best of some runs, how many times faster than the rival, the goal, and the
peak memory of both. SONDE_BENCH_FILE names a recording of one's own; SONDE_NEWEST_PERF a second perf
(../shared/tools/newest-perf if that is there).
"""
import json
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.path.join(ROOT, "build/release/src/cli/sonde")
WORKLOAD = os.path.join(ROOT, "build/release/bench/workload")
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
SAMPLES = 150_000

# name, sonde's words, perf's words, times faster than the rival
ROWS = [
    ("report", ["report", "--no-children", "-g", "none", "-i"],
     ["report", "--stdio", "--no-children", "-g", "none", "-i"], 5),
    ("report-g", ["report", "-g", "-i"], ["report", "-g", "--stdio", "-i"], 30),
    ("script", ["script", "-i"], ["script", "-i"], 8),
    ("folded", ["export", "--to", "folded", "-i"], ["script", "report", "stackcollapse", "-i"], 20),
]


def run(argv):
    """Wall seconds, peak resident bytes and exit status of one run; its output goes nowhere."""
    began = time.monotonic()
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - began, usage.ru_maxrss * 1024, child.returncode


def best(argv):
    """The fastest of up to five runs within ten seconds, None if the command fails."""
    seconds, peak, spent = float("inf"), 0, 0.0
    for _ in range(5):
        t, rss, status = run(argv)
        if status != 0:
            return None
        seconds, peak, spent = min(seconds, t), max(peak, rss), spent + t
        if spent > 10:
            break
    return seconds, peak


def count_samples(path):
    told = subprocess.run([SONDE, "info", "--json", "--count", path], capture_output=True, check=False)
    try:
        return sum(json.loads(told.stdout)["samples"].values())
    except (ValueError, KeyError):
        return 0


def record(path):
    """Records the workload as often as it takes to have SAMPLES samples."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for repeat in (4, 16, 64):
        loop = f'i=0; while [ $i -lt {repeat} ]; do "$0" >/dev/null; i=$((i+1)); done'
        subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", "25000", "-g", "-o", path, "--", "sh", "-c", loop,
                        WORKLOAD],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if count_samples(path) >= SAMPLES:
            return
    print(f"commands: {path} has fewer than {SAMPLES} samples", file=sys.stderr)


def main():
    rivals = [p for p in ("perf", NEWEST) if shutil.which(p)]
    path = os.environ.get("SONDE_BENCH_FILE", os.path.join(ROOT, "build/bench/perf.data"))
    if not rivals:
        print("commands: skipped, there is no perf to compare with")
        return 0
    if not os.path.exists(path):
        if not os.path.exists(WORKLOAD):
            print("commands: skipped, there is no bench/workload to record")
            return 0
        record(path)
    print(f"recording: {count_samples(path)} samples, {os.path.getsize(path) / 1e6:.1f} MB")
    for name, words, perf_words, goal in ROWS:
        mine = best([SONDE, *words, path])
        theirs = {p: b for p in rivals if (b := best([p, *perf_words, path]))}
        if not mine or not theirs:
            who, asked = ("every perf", perf_words) if mine else ("sonde", words)
            print(f"{name:24} failed: {who} {' '.join(asked)}")
            continue
        rival = min(theirs, key=lambda p: theirs[p][0])
        ratio = theirs[rival][0] / mine[0]
        print(f"{name:24} {mine[0]:8.3f} s     {ratio:6.1f}x {os.path.basename(rival)} (goal {goal}x), "
              f"peak {mine[1] / 1e6:.0f} MB, theirs {theirs[rival][1] / 1e6:.0f} MB")
    return 0


sys.exit(main())

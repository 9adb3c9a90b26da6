#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script.py - `sonde script` against perf script, for speed, memory and whether both print the same

Needs a recording with call chains: SONDE_BENCH_FILE, or build/bench/perf.data as commands.py makes it. Prints the best
of five runs of each in turn, so that a busy machine slows both.
"""
import os
import re
import resource
import shutil
import subprocess
import sys

from measuring import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
FILE = os.environ.get("SONDE_BENCH_FILE", os.path.join(ROOT, "build/bench/perf.data"))
GOAL = 10
RUNS = 5


def succeed(argv):
    """Wall seconds, CPU seconds and peak memory of a run, which must succeed."""
    run = measure(argv)
    if run.status:
        sys.exit(f"script: {' '.join(argv)} ended with {run.status}")
    return run.wall, run.cpu, run.peak / 1e6


def text(argv):
    """Its lines, white space folded; the last three digits of user addresses: perf 6.1 prints offsets in the file."""
    lines = subprocess.run(argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           check=True).stdout
    for line in lines.decode(errors="replace").splitlines():
        if line.endswith("(inlined)"):
            continue  # perf 7.2 with debug information
        yield re.sub(r"^(?!f{6})[0-9a-f]*?([0-9a-f]{1,3}) ", r"\1 ", " ".join(line.split()))


def main():
    perfs = [p for p in ("perf", NEWEST) if shutil.which(p)]
    if not perfs or not os.path.exists(FILE):
        print(f"script: skipped, there is no perf, or no recording {FILE}")
        return 0
    commands = {name: [name, "script", "-i", FILE] for name in [SONDE, *perfs]}
    best = {}
    for _ in range(RUNS):
        for name, argv in commands.items():
            seen = succeed(argv)
            best[name] = tuple(map(min, seen, best.get(name, seen)))
    rival = min(perfs, key=lambda p: best[p][0])
    (wall, cpu, peak), theirs = best[SONDE], best[rival]
    print(f"script  {wall:.3f} s  {theirs[0] / wall:.1f}x {os.path.basename(rival)} (goal {GOAL}x); CPU {cpu:.3f} s, "
          f"{theirs[1] / cpu:.1f}x; peak {peak:.0f} MB, theirs {theirs[2]:.0f} MB")
    ours, other = list(text(commands[SONDE])), list(text(commands[rival]))
    differ = sum(a != b for a, b in zip(ours, other)) + abs(len(ours) - len(other))
    print(f"script  {len(ours)} lines, {differ} of them not as {os.path.basename(rival)} prints them")
    return 0


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sys.exit(main())

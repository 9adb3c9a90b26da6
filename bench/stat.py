#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat.py - what counting adds to a command that starts 1000 processes: `sonde stat` against perf stat, in turn

Prints `name  value unit  ratio` lines: the milliseconds that are added to the bare command (medians of the runs), and
how many times less that is than what the faster perf adds.
"""
import os
import shutil
import statistics
import sys
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.path.join(ROOT, "build/release/src/cli/sonde")

os.environ.setdefault("SONDE", SONDE)
os.environ.setdefault("SONDE_SOURCE", ROOT)
os.environ.setdefault("SONDE_BUILD", os.path.join(ROOT, "build/release"))
sys.path.insert(0, os.path.join(ROOT, "tests/command"))
import perf_shell  # noqa: E402  (it finds the newest perf, and gives its libraries to no other program)

FORKS = ["sh", "-c", "i=0; while [ $i -lt 1000 ]; do (:); i=$((i + 1)); done"]
SHORT = ["/bin/true"]
RUNS = 15


def seconds(argv):
    start = time.monotonic()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - start


def main():
    tools = {"bare": [], "sonde": [SONDE, "stat", "--"]}
    if shutil.which("perf"):
        tools["perf"] = ["perf", "stat", "--"]
    found = perf_shell.find_perf()
    if found and found[0] != shutil.which("perf"):
        tools["newest perf"] = [*found[0].split(), "stat", "--"]
    for name, command in ("forks", FORKS), ("true", SHORT):
        times = {tool: [] for tool in tools}
        for _ in range(RUNS):
            for tool, words in tools.items():
                times[tool].append(seconds(words + command))
        added = {tool: (statistics.median(t) - statistics.median(times["bare"])) * 1e3 for tool, t in times.items()}
        rivals = [added[tool] for tool in added if "perf" in tool]
        ratio = f"{min(rivals) / added['sonde']:.2f}" if rivals and added["sonde"] > 0 else "-"
        print(f"stat-{name}  {added['sonde']:.2f} ms  {ratio} "
              f"({', '.join(f'{tool} adds {added[tool]:.2f} ms' for tool in added if tool != 'bare')}; "
              f"bare {statistics.median(times['bare']) * 1e3:.2f} ms)")


main()

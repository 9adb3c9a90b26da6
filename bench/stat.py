#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat.py - what counting adds to a command that starts 1000 processes: `sonde stat` against perf stat, in turn

Prints `name  value unit  ratio` lines: the milliseconds that are added to the bare command (medians of the runs), and
how many times less that is than what the better perf adds. `cpu` is the CPU time of the tool and of all that it
started; it holds on a loaded machine, where the wall time depends on the load.
"""
import os
import resource
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


def cpu_seconds():
    """Of all children that have ended and been waited for, with theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(argv):
    """Wall and CPU time."""
    start, cpu = time.monotonic(), cpu_seconds()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - start, cpu_seconds() - cpu


def print_added(name, times):
    bare = statistics.median(times["bare"])
    added = {tool: (statistics.median(t) - bare) * 1e3 for tool, t in times.items() if tool != "bare"}
    rivals = [added[tool] for tool in added if "perf" in tool]
    ratio = f"{min(rivals) / added['sonde']:.2f}" if rivals and added["sonde"] > 0 else "-"
    print(f"{name}  {added['sonde']:.2f} ms  {ratio} "
          f"({', '.join(f'{tool} adds {ms:.2f} ms' for tool, ms in added.items())}; bare {bare * 1e3:.2f} ms)")


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
        for kind, of in ("", 0), ("-cpu", 1):
            print_added(f"stat-{name}{kind}", {tool: [t[of] for t in all_of] for tool, all_of in times.items()})


main()

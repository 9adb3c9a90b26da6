#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_script.py - `sonde script` against trace-cmd report, for speed, memory and whether both print the same

Needs a trace.dat: SONDE_BENCH_TRACE, or build/bench/syscalls.dat, which it records (root) where there is none: about
eight million system call events, packed with zstd. Prints the best of three runs of each in turn, so that a busy
machine slows both.
"""
import os
import resource
import shutil
import subprocess
import sys

from measuring import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
TOOLS = os.path.join(ROOT, "../shared/tools")
FILE = os.environ.get("SONDE_BENCH_TRACE", os.path.join(ROOT, "build/bench/syscalls.dat"))
GOAL, GOAL_MB = 15, 64
RUNS = 3
CALLS = 2000000  # of dd's reads, and as many writes; each with an event when it begins and when it ends


def newest():
    """The newest trace-cmd; its script goes by the name that it is called by, and a copy may have lost the link."""
    named = os.environ.get("SONDE_NEWEST_TRACE_CMD", os.path.join(TOOLS, "newest-trace-cmd"))
    script = os.path.join(TOOLS, "newest-perf")
    if os.access(named, os.X_OK) or not os.access(script, os.X_OK):
        return [named] if os.access(named, os.X_OK) else []
    link = os.path.join(ROOT, "build/bench/newest-trace-cmd")
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if not os.path.islink(link):
        os.symlink(script, link)
    return [link]


def record():
    """False if this kernel or this user cannot."""
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    plain = FILE + ".plain"
    made = [[SONDE, "record", "-q", "--ftrace", "-e", "syscalls:*", "-m", "256M", "-o", plain, "--", "dd",
             "if=/dev/zero", "of=/dev/null",
             "bs=1", f"count={CALLS}"], [SONDE, "convert", "--compression", "zstd", plain, FILE]]
    done = all(subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
               for argv in made)
    if os.path.exists(plain):
        os.unlink(plain)
    return done


def succeed(argv):
    """Wall seconds, CPU seconds and peak memory of a run, which must succeed."""
    run = measure(argv)
    if run.status:
        sys.exit(f"trace-script: {' '.join(argv)} ended with {run.status}")
    return run.wall, run.cpu, run.peak / 1e6


def compare(ours, theirs):
    """Lines, and how many of them are not the other's; what only one of them has counts too."""
    with subprocess.Popen(ours, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as a, \
            subprocess.Popen(theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as b:
        lines = differ = 0
        for line in a.stdout:
            lines += 1
            differ += line != b.stdout.readline()
        return lines, differ + sum(1 for _ in b.stdout)


def layout(rival):
    """trace-cmd before 3.3 has no column of flags."""
    text = subprocess.run([rival, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    major, minor = text.split("version ")[1].split()[0].split(".")[:2]
    return "trace-cmd-3.1" if (int(major), int(minor)) < (3, 3) else "trace-cmd"


def main():
    rivals = [p for p in ["trace-cmd", *newest()] if shutil.which(p)]
    if not rivals or not (os.path.exists(FILE) or record()):
        print(f"trace-script: skipped, there is no trace-cmd, or no recording {FILE} and none can be made")
        return 0
    commands = {SONDE: [SONDE, "script", FILE]} | {name: [name, "report", "-i", FILE] for name in rivals}
    best = {}
    for _ in range(RUNS):
        for name, argv in commands.items():
            seen = succeed(argv)
            best[name] = tuple(map(min, seen, best.get(name, seen)))
    rival = min(rivals, key=lambda p: best[p][0])
    (wall, cpu, peak), theirs = best[SONDE], best[rival]
    lines, differ = compare([SONDE, "script", "--layout", layout(rival), FILE], commands[rival])
    print(f"trace-script  {lines} lines  {wall:.3f} s  "
          f"{theirs[0] / wall:.1f}x {os.path.basename(rival)} (goal {GOAL}x); "
          f"CPU {cpu:.3f} s, {theirs[1] / cpu:.1f}x; "
          f"peak {peak:.0f} MB (goal {GOAL_MB} MB), theirs {theirs[2]:.0f} MB; {differ} lines differ")
    return 0


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sys.exit(main())

# SPDX-License-Identifier: MIT
"""measuring.py - the times and the peak memory of a command, for the benchmarks

bench/measure starts the command, not this interpreter: Linux counts the memory of a process before its execve too.
"""
import collections
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURE = os.path.join(ROOT, "build/release/bench/measure")

# Seconds, seconds of user and system together, peak resident bytes, exit status (128 and more: a signal)
Run = collections.namedtuple("Run", "wall cpu peak status")


def begin(argv, cpus=None, env=None, limit=180):
    """Starts a command; its input and output are /dev/null. It is ended after `limit` seconds."""
    pinned = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    return subprocess.Popen([MEASURE, str(limit), *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env,
                            preexec_fn=pinned)


def end(child):
    wall, user, system, peak, status = child.communicate()[0].split()
    return Run(float(wall), float(user) + float(system), int(peak), int(status))


def measure(argv, cpus=None, env=None):
    return end(begin(argv, cpus, env))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""task_runtime.py TRACE - how long each task ran, on how many CPUs, and its share of the recording

A time that began before the recording, or ends after it, is not counted. Needs sched:sched_switch.
"""
import argparse
from collections import defaultdict
from dataclasses import dataclass, field

import sonde


@dataclass
class Task:
    comm: str
    runs: int = 0
    by_cpu: dict = field(default_factory=lambda: defaultdict(int))   # ns

    @property
    def total_ns(self):
        return sum(self.by_cpu.values())


def runtimes(trace):
    """tid: Task; the time from the first switch to the last"""
    tasks, begun, first, last = {}, {}, None, 0
    for event in trace.events("sched:sched_switch"):
        tid, now = event["prev_pid"], event.time
        first, last = now if first is None else first, now
        if tid and event.cpu in begun:
            task = tasks.setdefault(tid, Task(event["prev_comm"]))
            task.runs += 1
            task.by_cpu[event.cpu] += now - begun[event.cpu]
        begun[event.cpu] = now
    return tasks, last - (first or 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        tasks, span = runtimes(trace)
    print(f"{'task':<24} {'runs':>7} {'ms':>12} {'share':>8}  CPUs")
    for tid, task in sorted(tasks.items(), key=lambda row: (-row[1].total_ns, row[0])):
        cpus = " ".join(f"{cpu}:{ns / 1e6:.3f}" for cpu, ns in sorted(task.by_cpu.items()))
        share = 100 * task.total_ns / span if span else 0
        print(f"{task.comm + ':' + str(tid):<24} {task.runs:>7} {task.total_ns / 1e6:>12.3f} {share:>7.2f}%  {cpus}")


if __name__ == "__main__":
    main()

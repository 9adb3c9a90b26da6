#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_latency.py [--wakeups] TRACE - how long tasks wait for a CPU when they are ready to run

A task is ready from its wakeup, or, when it was preempted, from the moment that another one took its CPU.
Needs sched:sched_switch and sched:sched_waking (or sched_wakeup).
"""
import argparse
from dataclasses import dataclass

import sonde

SWITCH, WAKING, WAKEUPS = "sched:sched_switch", "sched:sched_waking", ("sched:sched_wakeup", "sched:sched_wakeup_new")


@dataclass
class Task:
    comm: str
    ready: int | None = None     # since when; None: it runs or sleeps
    sleeps: bool = True
    waits: int = 0
    total_ns: int = 0
    max_ns: int = 0
    max_at: int = 0              # the end of the longest wait

    def starts(self, now):
        if self.ready is not None:
            self.waits += 1
            self.total_ns += now - self.ready
            if now - self.ready > self.max_ns:
                self.max_ns, self.max_at = now - self.ready, now
        self.ready, self.sleeps = None, False


def latencies(trace, wakeups_only=False):
    """tid: Task"""
    wakings = [WAKING] if WAKING in trace.evlist else []
    tasks = {}

    def task(tid, comm):
        return tasks.setdefault(tid, Task(comm))

    for event in trace.events([SWITCH, *(wakings or WAKEUPS[:1]), WAKEUPS[1]]):
        if event.name != SWITCH:
            woken = task(event["pid"], event["comm"])
            if woken.sleeps:         # not one that is about to sleep and goes on running
                woken.ready, woken.sleeps = event.time, False
            continue
        gone = task(event["prev_pid"], event["prev_comm"])
        preempted = event["prev_state"] & 0xff == 0
        gone.ready = event.time if preempted and not wakeups_only else None
        gone.sleeps = not preempted
        task(event["next_pid"], event["next_comm"]).starts(event.time)
    tasks.pop(0, None)               # the idle task of each CPU
    return tasks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wakeups", action="store_true", help="only waits after a wakeup, not after a preemption")
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        tasks = latencies(trace, args.wakeups)
    print(f"{'task':<24} {'waits':>7} {'mean ms':>10} {'max ms':>10} {'max until s':>16}")
    for tid, task in sorted(tasks.items(), key=lambda row: (-row[1].max_ns, row[0])):
        if task.waits:
            print(f"{task.comm + ':' + str(tid):<24} {task.waits:>7} {task.total_ns / task.waits / 1e6:>10.3f} "
                  f"{task.max_ns / 1e6:>10.3f} {task.max_at / 1e9:>16.6f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_migrations.py TRACE - which tasks the scheduler moved between CPUs, and from where to where

Needs sched:sched_migrate_task. The columns are taken as arrays, without an object for each event.
"""
import argparse
from collections import Counter

import sonde

EVENT = "sched:sched_migrate_task"


def migrations(trace):
    """(comm, tid, from CPU, to CPU): how often"""
    counts = Counter()
    if EVENT not in trace.evlist:
        return counts
    for batch in trace.arrow(EVENT, fields=True):
        fields = batch["fields"]
        names = fields["comm"].dictionary
        counts.update(zip((names[i] for i in memoryview(fields["comm"])), memoryview(fields["pid"]),
                          memoryview(fields["orig_cpu"]), memoryview(fields["dest_cpu"])))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        counts = migrations(trace)
    print(f"{'task':<24} {'from':>5} {'to':>5} {'count':>8}")
    for (comm, tid, origin, target), n in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        print(f"{comm + ':' + str(tid):<24} {origin:>5} {target:>5} {n:>8}")


if __name__ == "__main__":
    main()

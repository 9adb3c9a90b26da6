#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syscall_counts.py [--failed] TRACE - system calls of each process, or those that failed, with their errors

Needs raw_syscalls:sys_enter and sys_exit, which give numbers, or syscalls:sys_enter_* and sys_exit_*, with names.
"""
import argparse
import errno
from collections import Counter

import sonde

ENTER, EXIT = "sys_enter", "sys_exit"


def name_of(event):
    """The name of the call, or its number."""
    system, name = event.name.split(":", 1)
    return event["id"] if system == "raw_syscalls" else name.split("_", 2)[2]


def wanted(trace, kind):
    return [name for name in trace.evlist
            if name.startswith(("raw_syscalls:", "syscalls:")) and name.split(":")[1].startswith(kind)]


def count(trace, failed):
    """(comm, pid, call, error): how often; the error is None of calls that are counted when they begin."""
    counts = Counter()
    names = wanted(trace, EXIT if failed else ENTER)
    for event in trace.events(names) if names else ():
        if not failed:
            counts[event.comm, event.pid, name_of(event), None] += 1
        elif -4096 < event["ret"] < 0:
            counts[event.comm, event.pid, name_of(event), -event["ret"]] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failed", action="store_true", help="calls that returned an error")
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        counts = count(trace, args.failed)
    print(f"{'comm':<16} {'pid':>7} {'call':<20} {'error' if args.failed else '':<12} {'count':>8}")
    for (comm, pid, call, error), n in sorted(counts.items(), key=lambda row: (-row[1], str(row[0]))):
        word = errno.errorcode.get(error, error) if error else ""
        print(f"{comm or '?':<16} {pid or 0:>7} {call:<20} {word:<12} {n:>8}")


if __name__ == "__main__":
    main()

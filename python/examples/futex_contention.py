#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""futex_contention.py TRACE - which locks threads wait for, and how long

A wait lasts from the beginning of the system call to its end. Needs syscalls:sys_enter_futex and sys_exit_futex.
"""
import argparse
from dataclasses import dataclass

import sonde

ENTER, EXIT = "syscalls:sys_enter_futex", "syscalls:sys_exit_futex"
WAIT, WAIT_BITSET, COMMAND = 0, 9, 127   # the bits above COMMAND are flags


@dataclass
class Waits:
    comm: str
    count: int = 0
    total_ns: int = 0
    max_ns: int = 0

    def add(self, length_ns):
        self.count += 1
        self.total_ns += length_ns
        self.max_ns = max(self.max_ns, length_ns)


def contention(trace, commands=(WAIT, WAIT_BITSET)):
    """(tid, address of the lock): Waits"""
    begun, waits = {}, {}
    if ENTER not in trace.evlist or EXIT not in trace.evlist:
        return waits
    for event in trace.events([ENTER, EXIT]):
        if event.name == EXIT:
            lock, since = begun.pop(event.tid, (None, None))
            if since is not None:
                waits.setdefault((event.tid, lock), Waits(event.comm)).add(event.time - since)
        elif event["op"] & COMMAND in commands:
            begun[event.tid] = event["uaddr"], event.time
        else:
            begun.pop(event.tid, None)   # the end of its last wait was lost
    return waits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        waits = contention(trace)
    print(f"{'task':<24} {'lock':>16} {'waits':>7} {'mean ms':>10} {'max ms':>10}")
    for (tid, lock), w in sorted(waits.items(), key=lambda row: (-row[1].total_ns, row[0])):
        print(f"{(w.comm or '?') + ':' + str(tid):<24} {lock:>16x} {w.count:>7} {w.total_ns / w.count / 1e6:>10.3f} "
              f"{w.max_ns / 1e6:>10.3f}")


if __name__ == "__main__":
    main()

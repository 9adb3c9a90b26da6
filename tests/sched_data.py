# SPDX-License-Identifier: MIT
"""sched_data.py - recordings of task switches made by hand, in either format, from one list

A switch is (time, cpu, prev, state, next): ns, and pids of threads that are named after them; 0 is the idle task.
"""
import struct

import fake_tracefs
import perf_data as pd
import trace_dat

CPU, INHERIT = 1 << 7, 1 << 1
SLEEP, DISK, PREEMPTED, DEAD = 1, 2, 0x100, 0x10


def comm(pid):
    return "swapper" if pid == 0 else f"t{pid}"


def body(prev, state, after):
    return fake_tracefs.switch(prev, comm(prev), after, comm(after), state)


def perf_sample(time, cpu, prev, state, after):
    raw = body(prev, state, after)
    return pd.sample(0x400100, time, prev, struct.pack("<III", cpu, 0, len(raw) + 4) + raw + bytes(4))


def perf(switches, inherit=False, named=()):
    """A perf.data; inherit: as the recorders set the flag; named: tasks that COMM records name."""
    data = bytearray(pd.make(b"".join(pd.comm(comm(pid), pid, 500) for pid in named) +
                             b"".join(perf_sample(*s) for s in switches),
                             {pd.TRACING_DATA: pd.tracing_data([fake_tracefs.SWITCH]).replace(b"system0", b"sched"),
                              pd.HOSTNAME: pd.feature_text("here")}, pd.RAW | CPU, flags=INHERIT if inherit else 0))
    at = struct.unpack_from("<Q", data, 24)[0]
    struct.pack_into("<I", data, at, 2)        # type and config of the attr: a tracepoint
    struct.pack_into("<Q", data, at + 8, fake_tracefs.SWITCH_ID)
    return bytes(data)


def pages(events, most=50):
    """Pages of one CPU; events: (time, body). The time between two events of a page has 27 bits."""
    parts = []
    for at, what in events:
        if not parts or len(parts[-1]) == most or at - parts[-1][-1][0] >= 1 << 27:
            parts.append([])
        parts[-1].append((at, what))
    return [fake_tracefs.page(part[0][0], part) for part in parts]


def trace(path, switches, others=(), kallsyms=""):
    """A trace.dat; others: (time, cpu, body) of events of the kernel besides."""
    events = [(time, cpu, body(prev, state, after)) for time, cpu, prev, state, after in switches] + list(others)
    areas = [trace_dat.area(pages([(at, what) for at, on, what in sorted(events, key=lambda e: e[0]) if on == cpu]))
             for cpu in range(max(cpu for _, cpu, _ in events) + 1)]
    trace_dat.write(path, [fake_tracefs.FUNCTION, fake_tracefs.STACK], {"sched": [fake_tracefs.SWITCH]}, areas,
                    kallsyms)

# SPDX-License-Identifier: MIT
"""sonde - Linux performance traces (perf.data, trace.dat) as Python objects and as columns

    import sonde

    with sonde.open("perf.data") as trace:
        for event in trace:
            print(event.time, event.comm, event.name)

Text is str: each byte of a name that is not UTF-8 becomes U+FFFD. Times are nanoseconds by the clock of the trace.
docs/python.md has the whole interface.
"""
from os import PathLike

from ._sonde import Batch, Column, Error, Event, Frame, Table, version as __version__
from ._analysis import Analysis, AnalysisTable, Task
from ._profile import Function, Profile
from ._trace import Loss, Trace

__all__ = ["Analysis", "AnalysisTable", "Batch", "Column", "Error", "Event", "Frame", "Function", "Loss", "Profile",
           "Table", "Task", "Trace", "open"]


def open(path: str | bytes | PathLike[str] | PathLike[bytes], *, strict: bool = True,
         max_memory: int = 0) -> Trace:
    """Open a recording: a file, a directory of perf record --threads, or "-" for the standard input.

    If a part of it is damaged, a walk raises Error after the last whole event; with strict=False it ends, and
    Trace.losses has the damage.
    """
    return Trace(path, strict=strict, max_memory=max_memory)

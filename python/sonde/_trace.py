# SPDX-License-Identifier: MIT
"""_trace.py - an open recording"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from . import _sonde
from ._analysis import Analysis
from ._profile import Profile

LOSS_KINDS = ("recorder", "samples", "throttled", "truncated", "corrupt", "feature", "unknown id", "order",
              "unsupported")

Names = str | Sequence[str] | None
Numbers = int | Sequence[int] | None
Times = tuple[int | None, int | None] | list[int | None] | None


class Loss(NamedTuple):
    """A row of the loss ledger: data that could not be delivered."""
    kind: str
    number: int
    offset: int | None
    time_first: int | None
    time_last: int | None
    cpu: int | None
    text: str


def as_names(one_or_more: Names) -> tuple[str, ...] | None:
    return (one_or_more,) if isinstance(one_or_more, str) else None if one_or_more is None else tuple(one_or_more)


def as_numbers(one_or_more: Numbers) -> Sequence[int] | None:
    return (one_or_more,) if isinstance(one_or_more, int) else one_or_more


class Trace(_sonde.Trace):
    """A recording. `for event in trace` gives its samples in order of time."""

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _recorded(self, events: Names) -> tuple[str, ...] | None:
        names = as_names(events)
        if names == ():
            raise ValueError("the choice of events is empty")
        return names and tuple(map(self._recorded_name, names))

    def events(self, events: Names = None, *, cpus: Numbers = None, pids: Numbers = None, tids: Numbers = None,
               time: Times = None, records: bool = False) -> Iterator[_sonde.Event]:
        """The samples of these events, CPUs, processes, threads and times; with `records` other records, too."""
        return self._events(events=self._recorded(events), cpus=as_numbers(cpus), pids=as_numbers(pids),
                            tids=as_numbers(tids), time=time, records=records)

    def arrow(self, event: str | None = None, *, cpus: Numbers = None, pids: Numbers = None, tids: Numbers = None,
              comms: Names = None, time: Times = None, fields: bool = False, records: bool = False,
              batch_rows: int = 0, inlined: bool = True, max_stack: int = 0) -> _sonde.Table:
        """The samples as a table of Arrow; with `fields` those of the tracepoint `event` are columns."""
        return self._table(event=event and self._recorded_name(event), cpus=as_numbers(cpus), pids=as_numbers(pids),
                           tids=as_numbers(tids), comms=as_names(comms), time=time, fields=fields, records=records,
                           batch_rows=batch_rows, inlined=inlined, max_stack=max_stack)

    def profile(self, events: Names = None, *, cpus: Numbers = None, pids: Numbers = None, tids: Numbers = None,
                comms: Names = None, time: Times = None, callchains: bool = True, inlined: bool = True,
                timed: bool = False, max_stack: int = 0, by_cpu: bool = False) -> Profile:
        """The samples gathered by task, function and call stack."""
        try:
            handle = _sonde.Profile(self, events=self._recorded(events), cpus=as_numbers(cpus), pids=as_numbers(pids),
                                    tids=as_numbers(tids), comms=as_names(comms), time=time, callchains=callchains,
                                    inlined=inlined, timed=timed, max_stack=max_stack, by_cpu=by_cpu)
        except _sonde.Error as error:
            if error.partial is not None:
                error.partial = Profile(error.partial)
            raise
        return Profile(handle)

    def analysis(self, name: str, *, cpus: Numbers = None, pids: Numbers = None, tids: Numbers = None,
                 time: Times = None, **options: bool | str) -> Analysis:
        """An analysis of the whole trace, such as "sched latency": its tables show these CPUs, tasks and times.

        Options are those of `sonde sched latency`, with underscores: with_summary=True, sort="p99,max".
        """
        words = tuple(key.replace("_", "-") + ("" if value is True else f"={value}")
                      for key, value in options.items() if value is not False)
        return Analysis(name, *self._analysis(name, words, cpus=as_numbers(cpus), pids=as_numbers(pids),
                                              tids=as_numbers(tids), time=time))

    @property
    def losses(self) -> list[Loss]:
        """The loss ledger so far; it is complete when all events have been read."""
        return [Loss(LOSS_KINDS[kind], count, offset, first, last, None if cpu < 0 else cpu, text)
                for kind, count, offset, first, last, cpu, text in self._loss_rows()]

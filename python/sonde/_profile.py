# SPDX-License-Identifier: MIT
"""_profile.py - where the time went: samples by task, function and call stack"""
from __future__ import annotations

import html
from collections.abc import Iterator
from typing import NamedTuple

from . import _sonde

Sums = tuple[int, int]     # of samples, of periods

# A page of the library needs no network; the sandbox keeps its scripts away from the notebook.
FRAME = ('<iframe sandbox="allow-scripts allow-downloads" style="width: 100%; height: 640px; border: 0" '
         'srcdoc="{page}"></iframe>')


class Function(NamedTuple):
    """A function, with the samples in it (self) and in all functions that it called (total)."""
    name: str
    module: str
    inlined: bool              # into others
    self_samples: int
    total_samples: int
    self_period: int
    total_period: int


class Profile:
    """The samples of a trace. In a notebook it shows its flame graph."""

    def __init__(self, handle: _sonde.Profile) -> None:
        self._handle = handle

    def table(self, name: str) -> _sonde.Table:
        """A table of the profile: events, tasks, functions, stacks, cells or samples (of a `timed` profile)."""
        return self._handle.table(name)

    def export(self, format: str, *, event: str | None = None, sort: str | None = None, by_period: bool = False,
               children: bool = False) -> bytes:
        """The profile in one of the formats of `sonde export --to list`, as bytes."""
        return self._handle.export(format, event=event, sort=sort, by_period=by_period, children=children)

    def folded(self, event: str | None = None, *, by_period: bool = False) -> str:
        """Folded stacks: a line for each, root first, with its samples."""
        return self.export("folded", event=event, by_period=by_period).decode(errors="replace")

    def html(self, event: str | None = None) -> str:
        """The page with flame graph and table of functions."""
        return self.export("html", event=event).decode(errors="replace")

    def _repr_html_(self) -> str:
        return FRAME.format(page=html.escape(self.html()))

    def events(self) -> dict[str, Sums]:
        """Name of each event: its samples and the sum of their periods."""
        rows = self.table("events").read()
        return {name: (samples, period) for name, samples, period in
                zip(rows["name"].to_list(), rows["samples"].to_list(), rows["period"].to_list())}

    def _event(self, name: str | None) -> int:
        """The number of an event; of None: the first one with samples."""
        rows = self.table("events").read()
        names = rows["name"].to_list()
        if name is not None:
            if name not in names:
                raise ValueError(f"the profile has no event '{name}'")
            return names.index(name)
        return next((i for i, n in enumerate(rows["samples"].to_list()) if n), 0)

    def _cells(self, event: str | None) -> list[tuple[int, int, int, int]]:
        """(function, stack, samples, period) of the cells of an event."""
        wanted = self._event(event)
        rows = self.table("cells").read()
        columns = (rows[name].to_list() for name in ("event", "function", "stack", "samples", "period"))
        return [(function, stack, samples, period) for number, function, stack, samples, period in zip(*columns)
                if number == wanted]

    def _functions(self) -> list[tuple[str, str, bool]]:
        rows = self.table("functions").read()
        modules = rows["dso_name"].to_list()
        symbols = [symbol if symbol is not None else f"{addr:#x} (no symbol)"
                   for symbol, addr in zip(rows["symbol"].to_list(), rows["addr"].to_list())]
        return list(zip(symbols, modules, rows["inlined"].to_list()))

    def stacks(self, event: str | None = None) -> Iterator[tuple[tuple[str, ...], int, int]]:
        """(names of the functions, the outermost first; samples; period) of each different stack."""
        names = [name for name, _, _ in self._functions()]
        rows = self.table("stacks").read()
        parents, functions = rows["parent"].to_list(), rows["function"].to_list()
        sums: dict[tuple[int, int | None], Sums] = {}
        for function, stack, samples, period in self._cells(event):
            key = (stack, None) if stack else (0, function)
            before = sums.get(key, (0, 0))
            sums[key] = before[0] + samples, before[1] + period
        for (stack, alone), (samples, period) in sums.items():
            chain = [] if alone is None else [names[alone]]
            while stack:
                chain.append(names[functions[stack]])
                stack = parents[stack]
            yield tuple(reversed(chain)), samples, period

    def functions(self, event: str | None = None) -> list[Function]:
        """The functions, those with the most samples of their own first."""
        rows = self.table("stacks").read()
        parents, functions = rows["parent"].to_list(), rows["function"].to_list()
        own: dict[int, Sums] = {}
        total: dict[int, Sums] = {}
        weight: list[Sums] = [(0, 0)] * len(parents)

        def add(sums: dict[int, Sums], key: int, value: Sums) -> None:
            before = sums.get(key, (0, 0))
            sums[key] = before[0] + value[0], before[1] + value[1]

        for function, stack, samples, period in self._cells(event):
            add(own, function, (samples, period))
            if stack:
                weight[stack] = weight[stack][0] + samples, weight[stack][1] + period
            else:
                add(total, function, (samples, period))
        for stack, value in enumerate(weight):
            if value == (0, 0):
                continue
            seen: set[int] = set()   # a function that calls itself counts once
            while stack:
                seen.add(functions[stack])
                stack = parents[stack]
            for function in seen:
                add(total, function, value)
        named = self._functions()
        found = [Function(*named[i], own.get(i, (0, 0))[0], sums[0], own.get(i, (0, 0))[1], sums[1])
                 for i, sums in total.items()]
        return sorted(found, key=lambda f: (-f.self_samples, -f.total_samples, f.name, f.module))

# SPDX-License-Identifier: MIT
"""_analysis.py - the tables of an analysis"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Task(NamedTuple):
    """A thread: its name ("": none is known), its number (0: an idle CPU), its process (None: not known)."""
    comm: str
    tid: int
    pid: int | None


class TableColumn(NamedTuple):
    """A column: `kind` is count, number, time_ns, duration_ns, percent, task or text."""
    name: str
    kind: str
    help: str


class AnalysisTable:
    """A table of an analysis: `rows` are tuples in the order of `columns`; None: not known, or not of this row."""

    def __init__(self, name: str, title: str, events: int, events_left_out: int,
                 columns: tuple[tuple[str, str, str], ...], rows: list[tuple[Any, ...]]) -> None:
        self.name = name
        self.title = title
        self.events = events
        self.events_left_out = events_left_out
        self.columns = tuple(TableColumn(*column) for column in columns)
        tasks = [i for i, column in enumerate(self.columns) if column.kind == "task"]
        self.rows = [tuple(Task(*value) if i in tasks and value is not None else value for i, value in enumerate(row))
                     for row in rows] if tasks else rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts."""
        names = [column.name for column in self.columns]
        return (dict(zip(names, row)) for row in self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column."""
        at = [c.name for c in self.columns].index(column)
        return [row[at] for row in self.rows]


class Analysis:
    """An analysis of a trace: `tables` by name, the first of them also by `rows` and `columns`; `note` is a sentence
    that the reader must know of this trace, or None."""

    def __init__(self, name: str, note: str | None, tables: list[tuple[Any, ...]]) -> None:
        self.name = name
        self.note = note
        self.tables = {table[0]: AnalysisTable(*table) for table in tables}
        first = next(iter(self.tables.values()))
        self.columns = first.columns
        self.rows = first.rows

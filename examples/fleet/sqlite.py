#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sqlite.py - questions to a few hosts' tables of `sonde export --to clickhouse`, answered by SQLite: no server, no npm

    sqlite.py [-p NAME=VALUE]... --load DIR... QUERY.sql...

Loads the tables of each DIR into a database in memory and prints the rows of each answer, values between tabs. The
columns are those of clickhouse/schema.sql, but for `stacks`: a row for each frame of a stack, the innermost has the
`position` 1.
"""
import argparse
import datetime
import os
import re
import sqlite3
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = {"Date": "<H", "Int32": "<i", "Int64": "<q"}

# Many hosts write the same stacks and frames: one row of each is enough. A later row of a frame may have its name.
VIEWS = """
create view stacks as select distinct stack_id, position, frame_id from stacks_loaded;
create view frames as select frame_id, max(function) as function, max(file) as file, module, line, address, build_id,
    inlined from frames_loaded group by frame_id;
create view modules as select build_id, path, kind, max(symbolised) as symbolised from modules_loaded
    group by build_id, path;
create view runs as select distinct * from runs_loaded;
create view samples as select * from samples_loaded;
"""


def tables():
    """{table: [(column, type)]}"""
    with open(os.path.join(HERE, "clickhouse", "schema.sql"), encoding="utf-8") as f:
        found = re.findall(r"(\w+)_here \((.*?)\) ENGINE", f.read(), re.S)
    return {table: [column.split() for column in columns.split(", ")] for table, columns in
            ((table, " ".join(columns.split())) for table, columns in found)}


class RowBinary:
    """Values of a file, one after the other."""
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.at = 0

    def length(self):
        n = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    def value(self, kind):
        if kind == "String":
            n = self.length()
            self.at += n
            return self.data[self.at - n:self.at].decode()
        if kind == "Array(Int64)":
            return [self.value("Int64") for _ in range(self.length())]
        number, = struct.unpack_from(NUMBERS[kind], self.data, self.at)
        self.at += struct.calcsize(NUMBERS[kind])
        return str(datetime.date(1970, 1, 1) + datetime.timedelta(number)) if kind == "Date" else number

    def rows(self, columns):
        while self.at < len(self.data):
            yield {name: self.value(kind) for name, kind in columns}


def columns_of(table, columns):
    if table == "stacks":
        return ["stack_id", "position", "frame_id"]
    return [name for name, _ in columns]


def rows_of(table, columns, path):
    for row in RowBinary(path).rows(columns):
        if table == "stacks":
            yield from ((row["stack_id"], i, frame) for i, frame in enumerate(row["frames"], 1))
        else:
            yield tuple(row.values())


def load(folders):
    db = sqlite3.connect(":memory:")
    for table, columns in tables().items():
        names = columns_of(table, columns)
        db.execute(f"create table {table}_loaded ({', '.join(names)})")
        for folder in folders:
            db.executemany(f"insert into {table}_loaded values ({', '.join('?' * len(names))})",
                           rows_of(table, columns, os.path.join(folder, table + ".rowbinary")))
    db.executescript(VIEWS)
    return db


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", dest="values", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--load", action="append", required=True, metavar="DIR")
    parser.add_argument("queries", nargs="+", metavar="QUERY.sql")
    args = parser.parse_args()
    values = dict(v.split("=", 1) for v in args.values)
    values = {name: int(v) if re.fullmatch("[0-9]+", v) else v for name, v in values.items()}
    db = load(args.load)
    for query in args.queries:
        with open(query, encoding="utf-8") as f:
            answer = db.execute(f.read(), values)
        print("\t".join(column[0] for column in answer.description))
        for row in answer:
            print("\t".join("" if v is None else str(v) for v in row))
        print()


if __name__ == "__main__":
    main()

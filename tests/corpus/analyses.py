#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analyses.py: each table of each analysis has the same values in JSON, CSV, SQL and Python, of both formats

What there is comes from `sonde help --tables`, so a new analysis is compared without a line here.
"""
import collections
import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from python_package import build_package  # noqa: E402

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
sonde = os.environ["SONDE"]
folder = os.path.join(corpus, "analyses")

PYTHON = """
import json, sys, sonde
name, path, options = sys.argv[1], sys.argv[2], dict(o.partition("=")[::2] for o in sys.argv[3:])
with sonde.open(path) as trace:
    a = trace.analysis(name, **{k.replace("-", "_"): v or True for k, v in options.items()})
    assert a.rows == next(iter(a.tables.values())).rows and len(a.columns) == len(a.rows[0])
    tables = {t.name: list(t) for t in a.tables.values()}
    for table in tables.values():
        for row in table:
            for column, value in row.items():
                if isinstance(value, sonde.Task):
                    row[column] = value._asdict()
    print(json.dumps({"note": a.note, "tables": tables}))
"""


def fail(*words):
    sys.exit("FAILED: " + " ".join(str(w)[:400] for w in words))


def run(*words, **how):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=300, **how)
    if done.returncode:
        fail(words, done.stderr)
    return done.stdout


def analyses():
    """Options by which an analysis gives all of its tables, and these: columns with their kinds."""
    options, tables = collections.defaultdict(list), collections.defaultdict(dict)
    for line in run(sonde, "help", "--tables").splitlines():
        kind, *words = line.split("\t")
        if kind == "all":
            options[words[0]].append(words[1])
        elif kind == "table":
            tables[words[0]][words[1]] = {}
        elif kind == "column":
            tables[words[0]][words[1]][words[2]] = words[3]
    return [(name, options[name], tables[name]) for name in tables]


def flat(rows, columns):
    """Rows with a task as three columns, as CSV and SQL have it."""
    for row in rows:
        out = {}
        for name, kind in columns.items():
            value = row[name]
            if kind == "task":
                out.update({name: value and value["comm"], f"{name}_tid": value and value["tid"],
                            f"{name}_pid": value and value["pid"]})
            else:
                out[name] = value
        yield out


def as_csv(value, kind):
    if value is None or value == "":
        return ""
    return f"{value:.6f}" if kind == "percent" else str(value)


def compare_csv(where, text, tables, columns):
    parts = text.split("\n\n")
    if len(parts) != len(tables):
        fail(where, "CSV has", len(parts), "tables")
    for part, (name, rows) in zip(parts, tables.items()):
        found = list(csv.DictReader(io.StringIO(part)))
        expected = [{c: as_csv(v, columns[name].get(c)) for c, v in row.items()} for row in flat(rows, columns[name])]
        if found != expected:
            fail(where, name, "differs as CSV:", next(((a, b) for a, b in zip(found, expected) if a != b), len(found)))


def compare_sql(where, path, analysis, tables, columns):
    start = int(json.loads(run(sonde, "sql", "--json", path, "select value from meta where key = 'start_ns'"))["value"])
    for i, (name, rows) in enumerate(tables.items()):
        table = analysis.replace(" ", "_") + (f"_{name}" if i else "")
        found = [json.loads(line) for line in
                 run(sonde, "sql", "--json", path, f"select * from {table}").splitlines()]
        expected = list(flat(rows, columns[name]))
        for row in expected:
            for column, kind in columns[name].items():
                if kind == "time_ns" and row[column] is not None:
                    row[column] -= start
        for row in found + expected:
            for column, kind in columns[name].items():
                if kind == "percent" and row[column] is not None:
                    row[column] = round(row[column], 9)
        if found != expected:
            fail(where, table, "differs in SQL:", next(((a, b) for a, b in zip(found, expected) if a != b),
                                                       (len(found), len(expected))))


def compare(path, package):
    rows = 0
    for analysis, options, columns in analyses():
        where = f"{os.path.basename(path)}, {analysis}:"
        words = [f"--{o}" for o in options]
        doc = json.loads(run(sonde, *analysis.split(), "--json", *words, "-i", path))
        tables = {t["name"]: [dict(zip([c["name"] for c in t["columns"]], row)) for row in t["rows"]]
                  for t in doc["tables"]}
        if {n: list(c) for n, c in columns.items()} != {t["name"]: [c["name"] for c in t["columns"]]
                                                        for t in doc["tables"]}:
            fail(where, "help names other tables or columns:", columns)
        compare_csv(where, run(sonde, *analysis.split(), "--csv", *words, "-i", path), tables, columns)
        compare_sql(where, path, analysis, tables, columns)
        if package:
            found = json.loads(run(sys.executable, "-c", PYTHON, analysis, path, *options,
                                   env={**os.environ, "PYTHONPATH": package}))
            if found != {"note": doc["note"], "tables": tables}:
                fail(where, "differs in Python")
        rows += sum(map(len, tables.values()))
    return rows


if not os.path.isdir(folder):
    print(f"there are no recordings at {folder} (set SONDE_CORPUS)")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    built = build_package(tmp)
    if not built:
        print("Python was not asked: it has no headers here")
    for name in ("sched-convoy-61.data", "sched-lost.data", "sched-reuse.data", "td-block.dat", "td-stack.dat"):
        print(f"{name}: {compare(os.path.join(folder, name), built)} rows")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""csv_cells.py: no cell of a table is a formula of a spreadsheet or drives a terminal, and its text can be read back"""
import csv
import io
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

sonde = os.environ["SONDE"]
NAMES = ("=1+2", "+a", "-b", "@c", "'d", "plain", "5")


class Wrong(Exception):
    """A test that failed."""


def check(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got!r}, not {want!r}")


def rows(*words):
    r = subprocess.run([sonde, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    check(f"exit status of {words}: {r.stderr}", r.returncode, 0)
    return list(csv.reader(io.StringIO(r.stdout.decode(), newline="")))


def text(cell):
    """As docs/events-json.md says."""
    return cell.removeprefix("'")


def check_sql(recording):
    words = [*NAMES, "\t=x", "", "a'b"]
    asked = ", ".join("'" + w.replace("'", "''") + "'" for w in words)
    got = rows("sql", "--csv", "-i", recording, f"select {asked}, -5, -1.5, null")[1]
    check("numbers", got[-3:], ["-5", "-1.5", ""])
    check("texts", [text(c) for c in got[:-3]], words)
    check("formulas", [c for c in got[:-3] if c[:1] and c[0] in "=+-@\t\r"], [])
    got = rows("sql", "--csv", "-i", recording, "select 'a' || char(155) || 'b' || char(8238) || 'c' || char(8294)")[1]
    check("controls", got, ["a\ufffdb\ufffdc\ufffd"])
    r = subprocess.run([sonde, "sql", "--json", "-i", recording, "select char(7, 155, 233, 8238, 8294, 128512) as x"],
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    check("controls in JSON", r.stdout.decode(), '{"x":"\\u0007\\u009b\u00e9\\u202e\\u2066\U0001f600"}\n')


def check_export(folder):
    """Commands may have any name."""
    for name in NAMES:
        shutil.copy(sonde, os.path.join(folder, name))
    data = os.path.join(folder, "o.data")
    line = "; ".join(f'"./{name}" version' for name in NAMES)
    r = subprocess.run([sonde, "record", "-q", "-e", "cpu-clock", "-F", "20000", "-o", data, "--", "sh", "-c", line],
                       cwd=folder, capture_output=True, check=False)
    if r.returncode != 0:
        print(f"nothing can be recorded here: {r.stderr.decode()}")
        return
    cells = [row[4] for row in rows("export", "--to", "csv", "-i", data)[1:] if row[4]]
    check("commands that are formulas", [c for c in cells if c[0] in "=+-@\t\r"], [])
    check("commands", set(NAMES) - {text(c) for c in cells}, set())


try:
    with tempfile.TemporaryDirectory() as work:
        shipped = os.path.join(work, "callgraph.data")
        with lzma.open(os.path.join(os.environ["SONDE_SOURCE"], "tests/data/callgraph.data.xz")) as packed, \
                open(shipped, "wb") as f:
            f.write(packed.read())
        check_sql(shipped)
        check_export(work)
except Wrong as wrong:
    print(f"FAIL: {wrong}")
    sys.exit(1)

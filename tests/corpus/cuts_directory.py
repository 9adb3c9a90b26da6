#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cuts_directory.py: directory recordings of the corpus with one of their files cut, or gone.

What is left of the records is delivered, nothing more, and a cut within a record is told.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
PLACES = 25
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
folder = os.path.join(corpus, "recorded")


def info(path):
    run = subprocess.run([os.environ["SONDE"], "info", "--json", "--count", path], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"FAILED: {path}: exit status {run.returncode}: {run.stderr[-400:]}")
    return json.loads(run.stdout)


def whole_records(data, endian):
    """How many records n bytes have, and whether they end with one."""
    at = n = 0
    while at + 8 <= len(data):
        size = struct.unpack_from(endian + "H", data, at + 6)[0]
        if size < 8 or at + size > len(data):
            break
        at, n = at + size, n + 1
    return n, at == len(data)


def check(recording, copy):
    want = info(recording)
    endian = "<" if want["endian"] == "little" else ">"
    for name in [name for name in want["files"] if name != "data"]:
        data = open(os.path.join(recording, name), "rb").read()
        path = os.path.join(copy, name)
        for cut in sorted({*range(0, len(data), max(1, len(data) // PLACES)), 1, 7, 8, 9, len(data) - 1}):
            with open(path, "wb") as f:
                f.write(data[:cut])
            got = info(copy)
            n, between = whole_records(data[:cut], endian)
            records = got["files"][name]
            assert records == n, f"{recording}: {name} cut at {cut}: {records} records, expected {n}"
            assert between or got["losses"], f"{recording}: {name} cut at {cut}: not a word about it"
        os.remove(path)
        got = info(copy)
        assert got["losses"] or name == sorted(want["files"])[-1], f"{recording}: {name} is gone: not a word about it"
        with open(path, "wb") as f:
            f.write(data)
    assert info(copy)["totals"] == want["totals"]


recordings = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
              if os.path.isfile(os.path.join(folder, name, "data"))] \
    if os.path.isdir(folder) else []
if not recordings:
    print(f"skipped: there is no directory recording in {folder} (set SONDE_CORPUS)")
    sys.exit(SKIP)
for recording in recordings:
    with tempfile.TemporaryDirectory() as scratch:
        copy = os.path.join(scratch, "copy")
        os.mkdir(copy)
        for name in os.listdir(recording):
            shutil.copyfile(os.path.join(recording, name), os.path.join(copy, name))
        check(recording, copy)
print(f"{len(recordings)} recordings")

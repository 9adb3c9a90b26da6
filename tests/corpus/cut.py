#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cut.py: what is cut out of a recording says what it says in the whole

The middle third of every perf.data of the corpus, and its busiest thread: `sonde script` of the cut is, line by line,
`sonde script` of the whole with the same options, and `sonde check` finds no error in it which was not there before.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from share import share

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))


def run(*args):
    return subprocess.run([sonde, *args], capture_output=True, timeout=600)


def errors(path):
    return 0 if os.path.isdir(path) else json.loads(run("check", "--json", path).stdout)["errors"]


def choices(path):
    """Options that choose a part; none if there are too few samples to choose from."""
    rows = [line.split() for line in run("script", "-F", "tid,time", path).stdout.decode(errors="replace").splitlines()]
    rows = [row for row in rows if len(row) == 2 and row[0].lstrip("-").isdigit()]
    if len(rows) < 10:
        return []
    times = sorted(float(time.rstrip(":")) for _, time in rows)
    busiest = collections.Counter(tid for tid, _ in rows).most_common(1)[0][0]
    return [["--time", f"{times[len(times) // 3]:.6f},{times[2 * len(times) // 3]:.6f}"], ["--tid", busiest]]


def text_of(path, counts, *options):
    """
    The text of script. Samples that read the counts of a group are told by what these grew since the last read, which
    may have been cut off: of such recordings the places of the samples.
    """
    if not counts:
        return run("script", *options, path).stdout
    return sorted(set(run("script", "-F", "tid,cpu,time", *options, path).stdout.splitlines()))


def check(path, tmp):
    """How many cuts were compared, and what is wrong with them."""
    cut = os.path.join(tmp, "cut")
    wrong = []
    todo = choices(path)
    counts = re.search(rb"read_format: [A-Z_|]*GROUP", run("evlist", "-v", path).stdout)
    for options in todo:
        r = run("cut", *options, path, cut)
        if r.returncode != 0:
            wrong.append(f"{options}: {r.stderr.decode(errors='replace').strip()}")
            continue
        if text_of(cut, counts) != text_of(path, counts, *options):
            wrong.append(f"{options}: not the same text")
        if errors(cut) > errors(path):
            wrong.append(f"{options}: the cut has errors")
        shutil.rmtree(cut) if os.path.isdir(cut) else os.unlink(cut)
    return len(todo), wrong


paths = [os.path.join(corpus, folder, name) for folder in ("perf", "recorded")
         if os.path.isdir(os.path.join(corpus, folder))
         for name in sorted(os.listdir(os.path.join(corpus, folder)))]
paths = [path for path in paths if path.endswith((".data", ".data.dir")) and not run("info", path).returncode]
if not paths:
    print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
    sys.exit(SKIP)
paths = share(paths)
compared, bad = 0, 0
with tempfile.TemporaryDirectory() as tmp:
    for path in paths:
        n, wrong = check(path, tmp)
        compared += n
        for text in wrong:
            bad += 1
            print(f"{path}: {text}")
print(f"{compared} cuts of {len(paths)} recordings, {bad} wrong")
sys.exit(1 if bad or not compared else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_map.py: the lines of `sonde sched map` are perf's, but for names, as docs/sched-differences.md says"""
import glob
import json
import os
import re
import subprocess
import sys

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
sonde = os.environ["SONDE"]
analyses = os.path.join(corpus, "analyses")
LINE = re.compile(r"(?P<cpus>  [* .\w]+?)  +(?P<time>\d+\.\d{6}) secs ?"
                  r"(?:(?P<letters>\S\S) => (?P<name>.*?):(?P<tid>\d+))?(?P<cpu> ?\(CPU \d+\))?$")


def fail(*words):
    sys.exit("FAILED: " + " ".join(str(w) for w in words))


def lines_of(text):
    return [m.groupdict() for m in (LINE.match(line.rstrip()) for line in text.splitlines()) if m]


def ours(file, *options):
    done = subprocess.run([sonde, "sched", "map", *options, "-i", file], capture_output=True, text=True,
                          errors="replace", check=False, timeout=120)
    if done.returncode:
        fail(file, done.stderr)
    return done.stdout


def compare(name, perf, own):
    """Letters, times and CPUs are perf's. It explains letters again for names that only its side band has."""
    if len(perf) != len(own):
        fail(name, "has", len(perf), "lines of perf and", len(own), "of sonde")
    for p, o in zip(perf, own):
        if any(p[k] != o[k] for k in ("cpus", "time")) or (p["cpu"] or "").strip() != (o["cpu"] or "").strip():
            fail(name, "a line differs:", p, o)
        if p["tid"] and o["tid"] and (p["tid"], p["letters"]) != (o["tid"], o["letters"]):
            fail(name, "letters are of another task:", p, o)
    explained = {line["letters"] for line in own if line["tid"]}
    if explained != {line["letters"] for line in perf if line["tid"]}:
        fail(name, "other letters are explained")
    return len(own)


if not os.path.isdir(analyses):
    print(f"there are no recordings at {analyses} (set SONDE_CORPUS)")
    sys.exit(SKIP)
lines = 0
for path in sorted(glob.glob(os.path.join(analyses, "sched-*.data"))):
    recording = os.path.basename(path)[:-len(".data")]
    for options, oracle in (((), "sched-map"), (("--compact",), "sched-map-compact")):
        with open(os.path.join(analyses, f"{recording}.{oracle}.txt"), encoding="utf-8", errors="replace") as f:
            expected = lines_of(f.read())
        lines += compare(recording, expected, lines_of(ours(path, *options)))
    rows = json.loads(ours(path, "--json"))["tables"][0]
    if len(rows["rows"]) != len(expected):
        fail(recording, "JSON has", len(rows["rows"]), "rows")
print(f"{lines} lines have perf's letters")
if lines < 10000:
    fail("too few lines")

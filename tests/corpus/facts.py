#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""facts.py: does `sonde info --json --count` say of every recording what perf or trace-cmd said?

Runs the tool check-facts that comes with the corpus. Every recording of which it knows the answer is held against it;
the others are counted.
"""
import json
import os
import subprocess
import sys

SKIP = 77
FOLDERS = ("perf", "recorded", "trace")
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
tool = os.environ.get("SONDE_CHECK_FACTS", os.path.join(corpus, "..", "tools", "check-facts"))


def is_expected(facts):
    """Whether this version has to agree about the recording."""
    if facts.get("version"):
        # Of a trace.dat that was cut trace-cmd shows nothing, sonde what is left.
        return (facts.get("facts") or {}).get("events", 0) > 0
    return facts.get("mode") in ("file", "pipe", "directory")


folders = [os.path.join(corpus, f) for f in FOLDERS if os.path.exists(os.path.join(corpus, f, "facts.json"))]
if not folders or not os.path.exists(tool):
    print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS), or no {tool} (set SONDE_CHECK_FACTS)")
    sys.exit(SKIP)

run = subprocess.run([sys.executable, tool, os.environ["SONDE"], *folders], capture_output=True, text=True)
lines = run.stdout.splitlines()
if not lines or not lines[-1].endswith("skipped"):
    sys.exit(f"check-facts ended with {run.returncode}: {run.stderr[-400:]}")
facts = {f"{f}/{name}": row for f in FOLDERS for name,
         row in json.load(open(os.path.join(corpus, f, "facts.json"))).items()}
differ = [line for line in lines[:-1] if is_expected(facts.get(line.split(": ")[0], {}))]
for line in differ:
    print(line)
print(f"check-facts: {lines[-1]}; {len(differ)} of those that must agree differ")
sys.exit(1 if differ else 0)

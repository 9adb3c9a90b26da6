#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""identical.py: every recording of the corpus, read and written

As it is: the same bytes. In the other form (a file as a stream, a stream as a file) and back: the same text of `sonde script`, and
nothing that `sonde check` finds wrong which was not wrong before.
"""
import json
import os
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))


def run(*args):
    return subprocess.run([sonde, *args], capture_output=True, timeout=120)


def errors(path):
    """Rules above a note that the file breaks, or None when it is no perf.data."""
    out = json.loads(run("check", "--json", path).stdout)
    return out["errors"] + out["warnings"] if "header-magic" not in out["counts"] else None


def text(path):
    return run("script", path).stdout


def form(path):
    with open(path, "rb") as f:
        head = f.read(16)
    return "pipe" if len(head) == 16 and 16 in (int.from_bytes(head[8:], "little"), int.from_bytes(head[8:], "big")) else "file"


def same_bytes(a, b):
    with open(a, "rb") as f, open(b, "rb") as g:
        return f.read() == g.read()


def check(path, tmp):
    """What is wrong, or None."""
    copy, other, back = (os.path.join(tmp, name) for name in ("copy", "other", "back"))
    found = errors(path)
    if found is None:
        return None
    mode = form(path)
    r = run("convert", "--to", mode, path, copy)
    if r.returncode != 0 or not same_bytes(path, copy):
        # a header that leads nowhere is no perf.data that could be written again
        return None if r.returncode == 1 and found else f"not the same bytes: {r.stderr.decode(errors='replace')}"
    if found:
        return None
    r = run("convert", "--to", "file" if mode == "pipe" else "pipe", path, other)
    if not os.path.exists(other):
        return f"not converted: {r.stderr.decode(errors='replace')}"
    if os.path.basename(path).startswith("aosp-"):  # simpleperf's own features have no place in a stream
        return None
    for made in (other, back):
        if made == back and run("convert", "--to", mode, other, back).returncode not in (0, 1):
            return "not converted back"
        if errors(made):
            return f"{os.path.basename(made)}: {run('check', made).stdout.decode()}"
        if text(made) != text(path):
            return f"{os.path.basename(made)}: another text of sonde script"
    os.unlink(other)
    return None


paths = [os.path.join(corpus, folder, name) for folder in ("perf", "recorded")
         for name in sorted(os.listdir(os.path.join(corpus, folder)) if os.path.isdir(os.path.join(corpus, folder)) else [])]
paths = [p for p in paths if os.path.isfile(p) and not p.endswith(".json")]
if not paths:
    print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
    sys.exit(SKIP)
bad = 0
for path in paths:
    with tempfile.TemporaryDirectory() as tmp:
        wrong = check(path, tmp)
    print(f"{os.path.relpath(path, corpus)}: {wrong or 'ok'}")
    bad += wrong is not None
print(f"{len(paths)} recordings, {bad} differ")
sys.exit(1 if bad else 0)

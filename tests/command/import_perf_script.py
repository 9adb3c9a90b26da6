#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import_perf_script.py: `perf script | sonde report -` is the report of the recording, for the text of sonde and of
both perfs, with call chains and without, also with fewer fields, compressed and from a pipe

Rows of functions without a name are left out: the text has no sizes of functions, so that each address has a row.
"""
import collections
import glob
import gzip
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import symbol_names  # noqa: E402  (found by the line above)

SKIP = 77
SONDE = os.environ["SONDE"].split()
SOURCE = os.environ["SONDE_SOURCE"]
CORPUS = os.environ.get("SONDE_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus"))
SHIPPED = ["callgraph.data", "clock.data", "packed.data", "tasks.data"]
RECORDED = ["perf6.1-fp.data", "perf6.1-freq.data", "perf6.1-dwarf.data"]
failures = 0


def check(good, what, detail=""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}\n{detail}")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL, **more)


def tools():
    """The programs that print text: ours, and the perfs of this machine."""
    newest = os.path.join(SOURCE, "..", "shared", "tools", "newest-perf")
    found = {"sonde": SONDE}
    if shutil.which("perf"):
        found["perf"] = ["perf"]
    if os.access(newest, os.X_OK) and run(newest, "--version").returncode == 0:
        found["newest perf"] = [newest]
    return found


def rows(path, *words):
    """{event: rows of named functions}, in the order of the events."""
    out = run(*SONDE, "report", "--stdio", "-g", "none", "--no-inline", "--sort", "comm,dso,sym", *words, "-i", path,
              env={**os.environ, "LC_ALL": "C"})
    events = {}
    event = None
    for line in out.stdout.decode().splitlines():
        title = re.match(r"# Samples: .* of event '(.*)'$", line)
        if title:
            event = events.setdefault(title[1], collections.Counter())
        elif "%" in line and line[0] != "#" and not re.search(r"\[.\] (0x)?[0-9a-f]+( \(no symbol\))?$", line):
            event[" ".join(line.split())] += 1
    return events, out


def compare(name, recording, tool, command, folder):
    text = run(*command, "script", "--no-inline", "-i", recording).stdout
    if not text.strip():
        return 0
    if tool != "sonde":
        text = symbol_names.as_shown(text.decode(errors="surrogateescape")).encode(errors="surrogateescape")
    path = os.path.join(folder, "out.perf")
    with open(path, "wb") as f:
        f.write(text)
    wanted, _ = rows(recording)
    got, out = rows(path)
    check(out.returncode == 0, f"{name} by {tool}: exit status", out.stderr.decode()[:500])
    for event, lines in wanted.items():
        there = got.get(event, collections.Counter())
        if tool != "sonde":     # perf takes names of this machine's kernel for those of another
            lines, there = (collections.Counter(k for k in c.elements() if "[k]" not in k) for c in (lines, there))
        missing, more = lines - there, there - lines
        check(not missing and not more, f"{name} by {tool}: {event}: rows are missing, or there are others",
              "\n".join([f"- {line}" for line in list(missing)[:5]] + [f"+ {line}" for line in list(more)[:5]]))
    return 1


def recordings(folder):
    for name in SHIPPED:
        path = os.path.join(folder, name)
        with lzma.open(os.path.join(SOURCE, "tests", "data", name + ".xz")) as packed, open(path, "wb") as f:
            shutil.copyfileobj(packed, f)
        yield name, path
    for name in RECORDED:
        for path in glob.glob(os.path.join(CORPUS, "recorded", name)):
            yield name, path


def forms(folder):
    """The same text from a pipe, compressed and without periods; what info says of it."""
    recording = os.path.join(folder, "callgraph.data")
    text = run(*SONDE, "script", "-i", recording).stdout
    path = os.path.join(folder, "forms.txt")
    with open(path, "wb") as f:
        f.write(text)
    with gzip.open(path + ".gz", "wb") as f:
        f.write(text)
    plain, _ = rows(path)
    check(rows(path + ".gz")[0] == plain, "compressed text")
    piped = subprocess.run([*SONDE, "report", "--stdio", "-g", "none", "-"], input=text, capture_output=True,
                           check=False)
    check(piped.returncode == 0 and piped.stdout == run(*SONDE, "report", "--stdio", "-g", "none", path).stdout,
          "text from a pipe", piped.stderr)
    heads = sum(not line.startswith(b"\t") for line in text.splitlines() if line)
    with open(path, "wb") as f:
        f.write(run(*SONDE, "script", "-F", "comm,pid,tid,time,event,ip,sym,dso", "-i", recording).stdout)
    out = run(*SONDE, "report", "--stdio", "-g", "none", "--sort", "pid", path).stdout.decode()
    check(re.search(rf"^# Event count \(approx\.\): {heads}$", out, re.M), "without periods, each sample counts 1", out)
    info = run(*SONDE, "info", path)
    check(b"perf script" in info.stdout, "info names the format", info.stdout)
    page = os.path.join(folder, "page.html")
    out = run(*SONDE, "report", "--html", page, path)
    check(out.returncode == 0 and os.path.getsize(page) > 10000, "a page", out.stderr)
    first = run(*SONDE, "report", "--stdio", "--time", "0,1000000", path)
    check(first.returncode == 0 and b"%" in first.stdout, "a range of time", first.stderr)


def refused(folder):
    """Files that are known and not read are refused by their name."""
    path = os.path.join(folder, "other")
    for content, what in (
            (b"go 1.22 trace\0\0\0" + bytes(100), "execution trace of Go"),
            (b"".join(n.to_bytes(8, "little") for n in (0, 3, 0, 10000, 0, 1, 1, 0x401000)), "old binary form"),
            (b"heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x1\n", "old text form")):
        with open(path, "wb") as f:
            f.write(content)
        out = run(*SONDE, "report", path)
        check(out.returncode == 1 and not out.stdout and what in out.stderr.decode() and
              len(out.stderr.splitlines()) == 1, f"refused as {what}", out)


def main():
    found = tools()
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in recordings(folder):
            for tool, command in found.items():
                compared += compare(name, path, tool, command, folder)
        forms(folder)
        refused(folder)
    print(f"{compared} texts of {', '.join(found)} compared with their recordings")
    if failures:
        return 1
    if len(found) < 3:
        print("skipped in part: not both perfs are here")
        return SKIP
    return 0


if __name__ == "__main__":
    sys.exit(main())

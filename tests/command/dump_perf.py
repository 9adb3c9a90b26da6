#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report -D, script -D and dump --layout perf: the text of perf report -D, record for record

The recordings are those of tests/data. docs/dump-differences.md has what is other than in perf 6.1: a difference that
is not told there is a failure.
"""
import collections
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import shipped_data  # noqa: E402

RECORDINGS = ["callgraph", "clock", "dwarf", "groups", "packed", "stream", "tasks", "tracepoints", "uprobes"]
SKIP = 77
sonde = os.path.abspath(os.environ["SONDE"])
bad = 0


def expect(what, got, wanted):
    global bad
    if got != wanted:
        bad += 1
        lines = difflib.unified_diff(str(wanted).splitlines(), str(got).splitlines(), "expected", "got", lineterm="",
                                     n=1)
        print(f"FAILED: {what}", *list(lines)[:20], sep="\n  ")


def run(*words):
    r = subprocess.run([sonde, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    expect(f"exit status of {words}: {r.stderr.decode()[:300]}", r.returncode, 0)
    return r.stdout.decode(errors="replace")


def blocks(text):
    """Of each record its place and type, and its lines; perf's counts at the end are none."""
    text = text.split("\nAggregated stats:")[0]
    starts = [m.start() for m in re.finditer(r"^(?:0x[0-9a-f]+|0)@.* \[0x[0-9a-f]+\]: event: \d+$", text, re.M)]
    return [text[a:b].rstrip("\n") for a, b in zip(starts, [*starts[1:], len(text)])]


def as_documented(block):
    """A block of perf without what sonde leaves out."""
    lines = [line.removesuffix(": unhandled!") for line in block.split("\n") if line != ": unhandled!"]
    ends = [i for i, line in enumerate(lines) if line.startswith(" ...... dso: ")]
    return "\n".join(lines[:ends[0] + 1] if ends else lines)  # one record is several samples of a group


def test_one_record(path):
    """The text is what scripts take apart: head, bytes, line."""
    text = run("report", "-D", "-i", path)
    found = [b for b in blocks(text) if "PERF_RECORD_COMM" in b]
    expect("the first COMM", found[0], f"""0x1218@{path} [0x38]: event: 3
.
. ... raw event: size 56 bytes
.  0000:  03 00 00 00 00 20 38 00 1d 1d 00 00 1d 1d 00 00  ..... 8.........
.  0010:  77 6f 72 6b 6c 6f 61 64 00 00 00 00 00 00 00 00  workload........
.  0020:  1d 1d 00 00 1d 1d 00 00 7b 3d f0 d1 66 06 00 00  ........{{=..f...
.  0030:  70 7b 00 00 00 00 00 00                          p{{......        

7038678613371 0x1218 [0x38]: PERF_RECORD_COMM exec: workload:7453/7453""")
    sample = next(b for b in blocks(text) if "PERF_RECORD_SAMPLE" in b).split("\n\n")[1].split("\n")
    expect("the first sample", "\n".join(sample), """\
7038679293329 0x1480 [0x78]: PERF_RECORD_SAMPLE(IP, 0x1): 7453/7460: 0xffffffff821ef666 period: 666666 addr: 0
... FP chain: nr:8
.....  0: ffffffffffffff80
.....  1: ffffffff821ef666
.....  2: ffffffff81000130
.....  3: fffffffffffffe00
.....  4: 00007f00a1b7a2ec
.....  5: 000055b8f63bc7f5
.....  6: 000055b8f63bc859
.....  7: 00007f00a1b0b1f5
 ... thread: workload:7460
 ...... dso: [kernel.kallsyms]""")


def compare(perf, path):
    r = subprocess.run([perf, "report", "-D", "-i", path], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    theirs = [as_documented(b) for b in blocks(r.stdout.decode(errors="replace"))]
    ours = blocks(run("report", "-D", "-i", path))
    missing = list((collections.Counter(theirs) - collections.Counter(ours)).elements())
    more = list((collections.Counter(ours) - collections.Counter(theirs)).elements())
    expect(f"{path}: records of perf", "\n".join(more), "\n".join(missing))
    line_of_sample = re.compile(r"^\d+ (?:\d+ )?0x\w+ \[0x\w+\]: PERF_RECORD_SAMPLE.*$", re.M)
    timed = [line_of_sample.findall("\n".join(part)) for part in (ours, theirs)]
    expect(f"{path}: samples in the order of perf", timed[0] == timed[1], True)
    return len(theirs)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        paths = [shipped_data.put(f"{name}.data", f"{name}.data") for name in RECORDINGS]
        test_one_record("callgraph.data")
        for path in paths:
            text = run("report", "-D", "-i", path)
            for words in ["script", "-D", "-i"], ["dump", "--layout", "perf", "-i"]:
                expect(f"{words} {path}", run(*words, path), text)
        # a trace.dat, which perf does not read, and the layout of sonde stay as they are
        shipped_data.put("v7.dat", "v7.dat")
        for path in "v7.dat", "callgraph.data":
            expect(f"dump of {path}", run("dump", "--layout", "sonde", path), run("dump", path))
        expect("-D of a trace.dat", run("report", "-D", "v7.dat"), run("dump", "v7.dat"))
        perf = shutil.which("perf")
        if bad or not perf:
            print("" if bad else "skipped in part: there is no perf")
            return 1 if bad else SKIP
        counts = [compare(perf, path) for path in paths]
        print(f"{sum(counts)} records of {len(counts)} recordings are those of perf")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py - sonde report and sonde export --to folded against perf: on a recording made here, and on those of the
corpus

docs/report-differences.md says what may differ; it is taken out before the comparison.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SONDE = os.environ["SONDE"]
SOURCE = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from symbol_names import as_shown
WORKLOAD = os.path.join(os.environ["SONDE_BUILD"], "bench/workload")
CORPUS = os.environ.get("SONDE_CORPUS", os.path.join(SOURCE, "../shared/corpus"))
failures = []


def output_of(*argv):
    told = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
    text = told.stdout.decode(errors="replace")
    return as_shown(text) if argv[0] == "perf" else text


def unnamed_plt(line):
    """perf has no name for some entries of the procedure linkage table."""
    return re.sub(r"[^\s;]*@plt", "@plt", line)


def rows_of(text):
    """The lines with percentages, without what depends on the widths of columns."""
    text = text.replace("[...] (inlined)", "[...]")  # perf's word for what is below the limit, and a slip
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if not line.startswith("#"))
    # bars say which of equal branches comes last
    return collections.Counter(unnamed_plt(line).lstrip("| ") for line in lines if "%" in line
                               or line.startswith("---"))


def differ(what, ours, theirs, allowed=0):
    """Counts lines that only one has; `allowed`: how many may be."""
    only = list((ours - theirs).elements()), list((theirs - ours).elements())
    if len(only[0]) + len(only[1]) > allowed:
        failures.append(what)
        print(f"{what}: differs\n  only sonde: {only[0][:5]}\n  only perf:  {only[1][:5]}")


def folded_of(script):
    """What stackcollapse-perf.pl makes of the output of perf script."""
    count = collections.Counter()
    comm, stack = None, []
    for line in script.splitlines() + [""]:
        if not line:
            if comm is not None:
                count[";".join([comm] + stack[::-1])] += 1
            comm, stack = None, []
        elif comm is None:
            comm = re.match(r"\s*(.+?)\s+-?\d+\s", line).group(1).replace(" ", "_")
        else:
            frame = re.match(r"\s*\w+\s*(.+) \((.*)\)$", line)
            name, dso = re.sub(r"\+0x[\da-f]+$", "", frame.group(1)), frame.group(2)
            if name == "[unknown]":
                name = "[" + (os.path.basename(dso) if dso != "[unknown]" else "unknown") + "]"
            stack.append(name)
    return collections.Counter({f"{k} {n}": 1 for k, n in count.items()})


def trees():
    """Every shape of a tree in both orders, and in the order that it has by itself."""
    for mode in ("graph", "fractal"):
        for order in ("", ",caller", ",callee"):
            for children in ([], ["--no-children"]):
                words = ["-g", mode + order] + children
                yield ["report"] + words, ["report", "--stdio"] + words


def check_own_recording():
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "perf.data")
        # -D: the first call of the loader returns to another function, for which perf takes its caller
        made = subprocess.run(["perf", "record", "-q", "-D", "200", "-e", "cpu-clock:u", "-F", "2000", "-g",
                               "-o", path, "--", WORKLOAD],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)
        if made.returncode or not os.path.exists(path):
            print("perf cannot record here: only the corpus is compared")
            return
        flat = ["--no-children", "-g", "none"]
        for words, perf_words in ((["report"] + flat, ["report", "--stdio"] + flat),
                                  (["report"], ["report", "--stdio"]),
                                  (["report", "--sort", "sym"] + flat, ["report", "--stdio", "--sort", "sym"] + flat),
                                  (["report", "-n", "--sort", "dso"] + flat,
                                   ["report", "--stdio", "-n", "--sort", "dso"] + flat),
                                  (["report", "-g"], ["report", "--stdio", "-g"]),
                                  (["report", "-g", "callee"], ["report", "--stdio", "-g", "callee"]),
                                  (["report", "-g", "--no-children"], ["report", "--stdio", "-g", "--no-children"]),
                                  *trees()):
            ours = rows_of(output_of(SONDE, *words, "--no-inline", "-i", path))
            theirs = rows_of(output_of("perf", *perf_words, "-i", path))
            if not theirs:
                failures.append(" ".join(perf_words))
                print(f"perf {' '.join(perf_words)}: no rows")
            named = lambda rows: collections.Counter({k: n for k, n in rows.items() if "0x" not in k
                                                      and "[unknown]" not in k})
            differ(" ".join(words), named(ours), named(theirs), allowed=len(theirs) // 50)
        ours = collections.Counter(map(unnamed_plt,
                                       output_of(SONDE, "export", "--no-inline", "-i", path).splitlines()))
        theirs = collections.Counter(map(unnamed_plt, folded_of(output_of("perf", "script", "-i", path))))
        differ("folded", ours, theirs, allowed=len(ours) // 50)


def plain(path):
    """Recordings of sampled events that both show as they are: no tracepoints or branches."""
    told = output_of("perf", "evlist", "-v", "-i", path)
    return told and not re.search(r"type: 2|type: 5|BRANCH_STACK|PERF_TYPE_TRACEPOINT", told)


def check_corpus():
    compared = 0
    for path in sorted(glob.glob(os.path.join(CORPUS, "recorded", "*.data"))):
        if not os.path.isfile(path) or not plain(path):
            continue
        words = ["--sort", "dso", "--no-children", "-g", "none", "-i", path]
        theirs = rows_of(output_of("perf", "report", "--stdio", *words))
        if not theirs:
            continue
        compared += 1
        differ(f"{os.path.basename(path)} --sort dso", rows_of(output_of(SONDE, "report", *words)), theirs)
    print(f"{compared} recordings of the corpus compared")
    if compared < 15:
        failures.append("corpus")
        print("that is too few: has a filter of this test come to match everything?")


if not shutil.which("perf"):
    print("skipped: there is no perf to compare with")
    sys.exit(77)
check_own_recording()
if os.path.isdir(CORPUS):
    check_corpus()
else:
    print(f"there is no corpus at {CORPUS} (set SONDE_CORPUS)")
sys.exit(1 if failures else 0)

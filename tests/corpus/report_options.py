#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_options.py - options and keys of sonde report against perf report --stdio, line by line, on recordings made
here

Both versions of perf are asked where they are there. What differs on purpose is in docs/report-differences.md and is
not compared: numbers of samples lost, tips, the width of columns (perf measures rows that it does not show), and the
order of rows that are equal in every key.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from symbol_names import as_shown

SONDE = os.environ["SONDE"]
WORKLOAD = os.path.join(os.environ["SONDE_BUILD"], "bench/workload")
NEWEST = shutil.which("newest-perf") or os.path.join(os.environ["SONDE_SOURCE"], "../shared/tools/newest-perf")
SANITIZED = os.environ.get("SONDE_SANITIZE", "none") != "none"  # the workload runs code without symbols then
failures = []

# With call chains: the trees are compared too.
TREES = """
    / -g / -G / -n / -n --show-total-period / --showcpuutilization / --no-children / --no-children -G / --children
    -g caller / -g callee / -g graph --no-children / -g graph,count / -g graph,period / -g graph,0.5,3 / -g graph,5
    -g fractal / -g fractal --no-children / -g fractal,period --no-children / -g fractal,callee / -g none
    -g none --no-children
    -g flat / -g flat,count / -g flat --no-children / -g folded / -g folded,caller,count
    -g folded,period --no-children
    --symbol-filter=mat / -p main / -p main --no-children / -p main -x / -p ^do_ --sort sym
    --sort parent / --sort overhead,sym / --sort sample,sym / --sort sym,overhead / --sort period / --sort pid
    --sort dso_size,dso
    --sort +pid / --sort +cpu -g none / --sort comm,pid / -F +period / -F +period,overhead_us,overhead_sys
    -F +sample --sort dso
    -F overhead,sample / -F comm,overhead / -F sym,overhead -g none / -F overhead,comm,sym,overhead_us
    --sort cpu,comm -F comm,overhead,cpu
    -U / -q -g none / -c workload -g none / --percent-limit 5 / -f -g none / --group -g none / --skip-empty -g none
    --hierarchy -g none --no-children / --hierarchy -g none -n --no-children
    --hierarchy -g none --sort pid,cpu,sym --no-children
    --hierarchy -g none --sort dso,sym --no-children --percent-limit 3
"""
# Without: one row a function, and keys of samples.
ROWS = """
    / -n / --sort time / --sort time,comm / --sort addr / --sort cpu / --sort cpu,overhead / --sort pid,overhead
    --sort comm,cpu,overhead
    --sort cgroup / --sort dso_size / --sort dso,overhead,sym / -F overhead,period,comm --sort cpu
    --showcpuutilization --sort dso
    --sort overhead_us,comm / --sort overhead_sys,dso / -d workload / -S fibonacci / --percentage relative -d workload
    --hierarchy / --hierarchy --sort cpu,comm,dso
"""


def options(text):
    return [words.split() for line in text.strip().splitlines() for words in line.split("/") if words.strip()
            or line.strip().startswith("/")]


def lines_of(argv):
    """The report without what is not compared: columns are one blank apart."""
    told = subprocess.run(argv + ["--no-inline"], stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          check=False)
    text = told.stdout.decode(errors="replace")
    text = re.sub(r"\[\.\.\.\] \(inlined\)$", "[...]", text if argv[0] == SONDE else as_shown(text), flags=re.M)
    # the loader's first call returns to the function after its caller, which perf names (docs/report-differences.md)
    text = re.sub(r"\b_dl_start_user\b", "_start", text)
    lines = (re.sub(r"[ .]+", " ", re.sub(r"\S*@plt", "@plt", line)).rstrip() for line in text.splitlines())
    return [line for line in lines if not re.match(r"#?$|# (To display|Total Lost|\(Tip|\(Cannot)", line)]


def without_bars(lines):
    """Branches of equal weight may be in another order, and the bars beside them with it."""
    return collections.Counter(line.replace("|", " ").strip() for line in lines if line.strip(" |"))


def same_shares(ours, theirs):
    """Where the number of branches is limited, one of several of equal weight is shown, not always the same."""
    return without_bars(re.sub(r"%--.*", "%", line) for line in ours) == \
        without_bars(re.sub(r"%--.*", "%", line) for line in theirs)


def shares(lines):
    """The order of rows, but for those of equal shares: perf compares some of them in no order that is one."""
    return [re.match(r" (\d+ \d\d)% ", line).group(1) for line in lines if re.match(r" \d+ \d\d% ", line)]


def runs(words, path):
    told = subprocess.run([SONDE, "report", "-i", path] + words, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=300, check=False)
    if told.returncode:
        failures.append("runs")
        print(f"{' '.join(words)}: exit status {told.returncode}: {told.stderr.decode(errors='replace')[-2000:]}")


def compare(perf, name, words, path):
    if SANITIZED:
        runs(words, path)
        return
    theirs = lines_of([perf, "report", "--stdio", "-i", path] + words)
    ours = lines_of([SONDE, "report", "-i", path] + words)
    if not any("%" in line for line in theirs):
        failures.append(name)
        print(f"{name}: {' '.join(words)}: perf shows no rows")
    elif re.search(r"-g \w+,[\d.]+,\d", " ".join(words)) and same_shares(ours, theirs):
        pass
    elif without_bars(ours) != without_bars(theirs):
        only = without_bars(ours) - without_bars(theirs), without_bars(theirs) - without_bars(ours)
        failures.append(name)
        print(f"{name}: {' '.join(words)}\n  only sonde: {list(only[0])[:4]}\n  only perf:  {list(only[1])[:4]}")
    elif shares(ours) != shares(theirs):
        failures.append(name)
        print(f"{name}: {' '.join(words)}: another order")


def record(path, *words):
    made = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", *words, "-o", path, "--",
                           WORKLOAD],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
    return made.returncode == 0 and os.path.exists(path)


def separated(path):
    """-t: columns without padding; perf pads them all the same."""
    rows = [line.split(",") for line in lines_of([SONDE, "report", "-t,", "-g", "none", "-i", path])
            if not line.startswith("#")]
    theirs = [line.split(",") for line in lines_of(["perf", "report", "--stdio", "-t,", "-g", "none", "-i", path])
              if not line.startswith("#")]
    if not rows or collections.Counter(map(tuple, rows)) != collections.Counter(tuple(c.strip() for c in row)
                                                                                for row in theirs):
        failures.append("-t,")
        print(f"-t,: {rows[:3]} {theirs[:3]}")


def widths(path):
    lines = subprocess.run([SONDE, "report", "-w", "0,0,5,6", "-g", "none", "-i", path], capture_output=True, text=True,
                           check=False).stdout
    if not any("\n# Children      Self  Comma  " + word in lines for word in ("Shared  Symbol", "Share")):
        failures.append("-w")
        print(f"-w: {lines[:300]}")


if not shutil.which("perf"):
    print("skipped: there is no perf to compare with")
    sys.exit(77)
with tempfile.TemporaryDirectory() as tmp:
    chains, plain = os.path.join(tmp, "chains.data"), os.path.join(tmp, "plain.data")
    if not record(chains, "-g") or not record(plain, "--sample-cpu"):
        print("skipped: perf cannot record here")
        sys.exit(77)
    perfs = [perf for perf in ("perf", NEWEST) if shutil.which(perf)]
    for perf in perfs:
        for words in options(TREES):
            # 7.2 leaves the other shares out then
            if perf == "perf" or not re.search("sort .*overhead", " ".join(words)):
                compare(perf, os.path.basename(perf), words, chains)
        for words in options(ROWS):
            if perf == "perf" or not re.search("sort .*overhead", " ".join(words)):
                compare(perf, os.path.basename(perf), words, plain)
    if not SANITIZED:
        separated(chains)
    widths(chains)
print(f"{len(perfs)} versions of perf, {len(options(TREES)) + len(options(ROWS))} sets of options")
sys.exit(1 if failures else 0)

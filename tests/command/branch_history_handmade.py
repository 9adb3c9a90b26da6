#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""branch_history_handmade.py - `report --branch-history` and `-g branch` of branch stacks made by hand: whole trees,
and those of perf 7.2 where it is there"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402
import shipped_data  # noqa: E402

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/tools/newest-perf")
# functions of tests/data/workload
BASE, START, MAIN, FIBONACCI, COMPUTE = 0x550000000000, 0x11a0, 0x1110, 0x13a0, 0x16c0
PREDICTED, MISPREDICTED, ABORTED = 2, 1, 8
CONTEXT_USER = 2**64 - 512
CALL, TURN = (COMPUTE + 48, FIBONACCI + 8), (FIBONACCI + 72, FIBONACCI + 16)
# of each sample (from, to), cycles, flags; the newest first
STACKS = (
    ((CALL, 50, PREDICTED), ((COMPUTE + 40, COMPUTE + 32), 7, MISPREDICTED),
     ((MAIN + 64, COMPUTE + 16), 9, PREDICTED)),
    ((CALL, 60, PREDICTED), ((COMPUTE + 40, COMPUTE + 32), 9, PREDICTED),
     ((MAIN + 64, COMPUTE + 16), 11, PREDICTED | ABORTED)),
    (*[(TURN, 5, PREDICTED)] * 4, (CALL, 3, PREDICTED)),
    (*[(TURN, 5, PREDICTED)] * 3, (CALL, 4, PREDICTED)),
)
TITLES = "# Overhead  Source:Line   Symbol         Shared Object  Predicted  Abort  Cycles  IPC   [IPC Coverage]"
EXPECTED = """\
    50.00%  fibonacci+10  [.] fibonacci  workload       41.7%      1      12      -      -
            |
            ---fibonacci +8
               compute +48 (cycles:55)
               compute +32 (predicted:50.0%)
               compute +40 (cycles:8)
               compute +16 (abort:50.0%)
               main +64 (cycles:10)

    50.00%  fibonacci+18  [.] fibonacci  workload       50.0%      0      2       -      -
            |
            ---fibonacci +16
               fibonacci +72 (cycles:5)
               fibonacci +16
               fibonacci +72 (cycles:5 iter:2 avg_cycles:5)
               |
               |--25.00%--fibonacci +16
               |          fibonacci +72 (cycles:5)
               |          fibonacci +8
               |          compute +48 (cycles:3)
               |
                --25.00%--fibonacci +8
                          compute +48 (cycles:4)
"""
FOLDED = sorted("""\
    50.00%  fibonacci+10  [.] fibonacci  workload       41.7%      1      12      -      -
50.00% fibonacci +8;compute +48;compute +32;compute +40;compute +16;main +64
    50.00%  fibonacci+18  [.] fibonacci  workload       50.0%      0      2       -      -
25.00% fibonacci +16;fibonacci +72;fibonacci +16;fibonacci +72;fibonacci +16;fibonacci +72;fibonacci +8;compute +48
25.00% fibonacci +16;fibonacci +72;fibonacci +16;fibonacci +72;fibonacci +8;compute +48
""".split("\n"))
OLDEST_FIRST = """\
    50.00%  fibonacci+10  [.] fibonacci  workload       41.7%      1      12      -      -
            |
            ---compute +16 (abort:50.0%)
               main +64 (cycles:10)
               compute +32 (predicted:50.0%)
               compute +40 (cycles:8)
               fibonacci +8
               compute +48 (cycles:55)

    50.00%  fibonacci+18  [.] fibonacci  workload       50.0%      0      2       -      -
            |
            ---fibonacci +8
               compute +48 (cycles:3)
               fibonacci +16
               fibonacci +72 (cycles:5)
               fibonacci +16
               fibonacci +72 (cycles:5 iter:2 avg_cycles:5)
"""
# callers whose calls are not among the branches
CALLED = EXPECTED.replace("main +64 (cycles:10)\n", "main +64 (cycles:10)\n" + 15 * " " + "_start +25 (calltrace)\n")
CALLED = CALLED.replace(
    "compute +48 (cycles:3)\n", "compute +48 (cycles:3)\n" + 2 * "               |          {}\n").replace(
    "compute +48 (cycles:4)\n", "compute +48 (cycles:4)\n" + 2 * (26 * " " + "{}\n")).format(
        *2 * ("main +69 (calltrace)", "_start +25 (calltrace)"))
# by function: the callers of sonde, or what perf shows there
IN_STACKS = """\
   100.00%  prog
            |
            ---fibonacci
               |
               |--50.00%--compute
               |          compute
               |          compute
               |          compute
               |          main
{0}               |
                --50.00%--fibonacci
                          fibonacci
                          fibonacci
                          fibonacci
                          |
                          |--25.00%--compute
{1}                          |
                           --25.00%--fibonacci
                                     fibonacci
                                     compute
{2}"""
OUTER = [15 * " " + "|          _start\n", *(bar + 10 * " " + name + "\n" for bar in (26 * " " + "|", 27 * " ")
                                            for name in ("main", "_start"))]
IN_STACKS_HERE = IN_STACKS.format(OUTER[0], "".join(OUTER[1:3]), "".join(OUTER[3:]))
IN_STACKS_PERF = IN_STACKS.format(*(outer.replace("_start", "fibonacci") for outer in (OUTER[0], OUTER[2])), "")
LINES = """
int spin(int n)
{
	int i, sum = 0;
	for (i = 0; i < n; i++)
		sum += i * i;
	return sum;
}
int main(void)
{
	return spin(10) == 0;
}
"""
notes = re.compile(r" \((cycles|predicted|abort|calltrace)[^)]*\)")
bad = []


def check(name, got, expected):
    if got != expected:
        bad.append(name)
        print(f"{name}:\n{got}\nin place of\n{expected}")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=600,
                          stdin=subprocess.DEVNULL)


def report(path, *words, tool=SONDE, mode="--branch-history"):
    """Titles, rows and trees"""
    told = run(tool, "report", "--stdio", mode, "-i", path, *words)
    if told.returncode:
        bad.append((path, words, told.stderr))
    lines = [line.rstrip() for line in told.stdout.splitlines()]
    text = "\n".join(line for line in lines if not line.startswith("#")).strip("\n") + "\n"
    return next((line for line in lines if line.startswith("# Overhead")), "no titles"), text


def write(path, program, callers=None, stacks=STACKS):
    code = struct.pack("<iIQQQ", 50, 50, BASE, 0x100000, 0) + bytes(24) + struct.pack("<II", 5, 2)
    data = pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, code + pd.text(program) + pd.trailer(1000))
    for i, own in enumerate(stacks):
        ip = BASE + own[0][0][1] + 2
        chain = [CONTEXT_USER, ip, *(BASE + caller for caller in callers)] if callers else []
        more = struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain) if callers else b""
        more += struct.pack("<Q", len(own)) + b"".join(
            struct.pack("<3Q", BASE + f, BASE + t, flags | cycles << 4) for (f, t), cycles, flags in own)
        data += pd.sample(ip, 2000 + i, more=more)
    with open(path, "wb") as f:
        f.write(pd.make(data, {15: b"", pd.HOSTNAME: pd.feature_text("here")},
                        pd.BRANCH_STACK | (pd.CALLCHAIN if callers else 0), branch_type=8))


def refusals(path):
    for words in (("-b",), ("--mem-mode",), ("--total-cycles",), ("--html", "x")):
        told = run(SONDE, "report", "-i", path, "--branch-history", *words)
        check(words, (told.returncode, "exclude each other" in told.stderr), (2, True))
    told = run(SONDE, "report", "-i", path, "-s", "comm,callchain_branch_cycles")
    check("the keys alone", (told.returncode, "need --branch-history" in told.stderr), (1, True))


def json_nodes(path):
    told = json.loads(run(SONDE, "report", "--json", "--branch-history", "-i", path).stdout)
    row = told["events"][0]["rows"][0]
    check("JSON, a row", [row[f"callchain_branch_{key}"] for key in ("abort", "cycles")], [1, 12])
    check("JSON, a tree", [(node["place"], node.get("targets"), node.get("sources")) for node in row["tree"][2:4]],
          [("compute+32", {"branches": 2, "predicted": 1, "aborted": 0}, None),
           ("compute+40", None, {"branches": 2, "cycles": 16, "iterations": 0, "iteration_cycles": 0})])


def bad_input(path, program):
    """More branches than a processor records, and none."""
    write(path, program, stacks=[[(TURN, 1, PREDICTED)] * 200, [(CALL, 1, PREDICTED)]])
    check("too many branches", report(path, "-s", "comm")[1],
          "   100.00%  prog\n            |\n             --50.00%--fibonacci +8\n"
          "                       compute +48 (cycles:1)\n")
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("prog") + pd.sample(0x10010)))
    told = run(SONDE, "report", "-i", path, "--branch-history")
    check("no branches", (told.returncode, "no branch stacks" in told.stderr), (1, True))


def lines(path, tmp):
    """With debug information the trees have lines of the source."""
    source, program = os.path.join(tmp, "spin.c"), os.path.join(tmp, "spin")
    with open(source, "w", encoding="ascii") as f:
        f.write(LINES)
    compiler = os.environ.get("CC", "cc").split()
    if not shutil.which(compiler[0]) or not shutil.which("nm") or run(*compiler, "-g", "-O0", "-w", "-o", program,
                                                                      source).returncode:
        return
    symbols = run("nm", program).stdout.splitlines()
    start = next(int(line.split()[0], 16) for line in symbols if line.endswith(" T spin"))
    write(path, program, stacks=[[((start + 1, start), 3, PREDICTED)]])
    check("lines", report(path, "-s", "comm")[1],
          "   100.00%  prog\n            |\n            ---spin spin.c:3\n               spin spin.c:3 (cycles:3)\n")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(LC_ALL="C", PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="", HOME=tmp, XDG_CACHE_HOME=tmp)
        path, program = os.path.join(tmp, "a.data"), shipped_data.put("workload", os.path.join(tmp, "workload"))
        is_perf = os.access(NEWEST, os.X_OK) and "perf version 7" in run(NEWEST, "--version").stdout
        write(path, program)
        check("trees", report(path, "--no-children"), (TITLES, EXPECTED))
        check("folded", sorted(report(path, "-g", "folded", "--no-children")[1].split("\n")), FOLDED)
        check("the oldest branch first", report(path), (TITLES, OLDEST_FIRST))
        if is_perf:
            check("perf", report(path, "--no-children", tool=NEWEST), (TITLES, EXPECTED))
            check("perf, folded", sorted(report(path, "-g", "folded", "--no-children", tool=NEWEST)[1].split("\n")),
                  FOLDED)
            check("perf, the oldest branch first", report(path, tool=NEWEST), (TITLES, OLDEST_FIRST))
        refusals(path)
        json_nodes(path)
        write(path, program, (COMPUTE + 53, MAIN + 69, START + 25))
        check("callers", report(path, "--no-children")[1], CALLED)
        by_function = "-g", "branch", "--no-children", "-s", "comm"
        check("-g branch", report(path, *by_function, mode="--no-branch-stack")[1], IN_STACKS_HERE)
        if is_perf:
            check("perf -g branch", report(path, *by_function, mode="--no-branch-stack", tool=NEWEST)[1],
                  IN_STACKS_PERF)
        check("-g branch,address", notes.sub("", report(path, "--no-children", "-s", "comm")[1]),
              report(path, "-g", "branch,address", *by_function[2:], mode="--no-branch-stack")[1])
        check("the outermost frame first", report(path, "-G", "-s", "comm")[1].splitlines()[2:4],
              ["            ---_start +25 (calltrace)", "               |"])
        bad_input(path, program)
        lines(path, tmp)
    print(f"{len(bad)} wrong")
    return 1 if bad else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""total_cycles.py: `report --total-cycles` and the column IPC of branch stacks made by hand, against perf 7.2 where it
is there"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd
import shipped_data

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/tools/newest-perf")
BASE, CODE = 0x550000000000, 0x1000
MAIN, HASH_BLOCK, FIBONACCI, COMPUTE, DO_HASHING = 0x1120, 0x1298, 0x13a8, 0x16d0, 0x14d8
# from, to, cycles; the newest first
STACKS = (
    ((FIBONACCI + 0x40, FIBONACCI, 50), (FIBONACCI + 0x30, FIBONACCI + 0x10, 7), (COMPUTE + 0x20, FIBONACCI, 1200),
     (COMPUTE + 0x10, COMPUTE + 8, 3)),
    ((FIBONACCI + 0x40, FIBONACCI, 60), (FIBONACCI + 0x40, FIBONACCI + 0x20, 7), (MAIN + 0x20, COMPUTE, 0),
     (MAIN + 0x10, MAIN + 8, 0xffff)),
    ((DO_HASHING + 0x40, HASH_BLOCK, 0xfffe), (HASH_BLOCK + 0x20, DO_HASHING + 0x10, 700), (0x10, HASH_BLOCK, 5),
     (DO_HASHING + 0x10, 0x8, 65)),
)
EXPECTED = """
49.21% 65.5K 49.24% 65.5K [main+0 -> main+32] workload
49.21% 65.5K 49.24% 65.5K [do_hashing+24 -> do_hashing+72] workload
0.90% 1.2K 0.90% 1.2K [compute+24 -> compute+48] workload
0.53% 700 0.53% 700 [hash_block+8 -> hash_block+40] workload
0.09% 117 0.03% 39 [fibonacci+24 -> fibonacci+72] workload
0.05% 65 0.05% 65 [do_hashing+0 -> do_hashing+24] workload
0.01% 7 0.01% 7 [fibonacci+8 -> fibonacci+56] workload
0.00% 3 0.00% 3 [compute+0 -> compute+32] workload
"""
SOURCE = """
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
bad = []


def check(name, got, expected):
    if got != expected:
        bad.append(name)
        print(f"{name}:\n  {got}\n  in place of\n  {expected}")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=600,
                          stdin=subprocess.DEVNULL)


def rows(text):
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    return [line for line in lines if "->" in line]


def recording(path, stacks, event_flags=2):
    code = struct.pack("<iIQQQ", 50, 50, BASE, 0x100000, 0) + bytes(24) + struct.pack("<II", 5, 2)
    data = pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, code + pd.text(path) + pd.trailer(1000))
    for i, own in enumerate(stacks):
        entries = b"".join(struct.pack("<3Q", BASE + f, BASE + t, event_flags | c << 4) for f, t, c in own)
        data += pd.sample(BASE + own[0][1], 2000 + i, more=struct.pack("<Q", len(own)) + entries)
    return pd.make(data, {15: b"", pd.HOSTNAME: pd.feature_text("here"), pd.NRCPUS: struct.pack("<II", 4, 4)},
                   pd.BRANCH_STACK, branch_type=8)


def compare(path):
    """Rows of perf; its Avg Cycles% has another denominator."""
    told = run(SONDE, "report", "--stdio", "-i", path, "--total-cycles")
    check("exit status", told.returncode, 0)
    ours = rows(told.stdout)
    if os.access(NEWEST, os.X_OK) and "perf version 7" in run(NEWEST, "--version").stdout:
        theirs = rows(run(NEWEST, "report", "--stdio", "-i", path, "--total-cycles").stdout)

        def without(lines):
            return sorted(re.sub(r"(%.*) [\d.]+%", r"\1", line) for line in lines)
        check("perf", without(ours), without(theirs))
    return ours


def check_ipc(path, workload):
    """Blocks of fibonacci that begin and end with its instructions: 10 of 28 in 33 cycles. perf 7.2 covers 4."""
    f = FIBONACCI - 8
    entries = ((f + 0x20, f, 12), (f + 0x2b, f + 0x1a, 7), (f + 0x4d, f + 0x25, 5), (f + 3, f + 0x48, 9),
               (f + 0x20, f, 4))
    with open(path, "wb") as out:
        out.write(recording(workload, [entries] * 3))
    if "was built without" in run(SONDE, "report", "-i", path, "--sort", "type").stderr:
        return                                  # nobody counts instructions
    for words in (("-s", "symbol"), ("-s", "symbol_from,symbol_to"), ("-s", "symbol_to,dso_to,mispredict")):
        ours = ipc_rows(run(SONDE, "report", "--stdio", "-i", path, *words).stdout)
        check(words, ["0.30 [ 35.7%]" in row for row in ours], [True])
        if os.access(NEWEST, os.X_OK) and "perf version 7" in run(NEWEST, "--version").stdout:
            theirs = ipc_rows(run(NEWEST, "report", "--stdio", "-i", path, *words).stdout)
            check(("perf", *words), ours, [row.replace("[ 14.3%]", "[ 35.7%]") for row in theirs])
    told = run(SONDE, "report", "--json", "-i", path, "-s", "symbol_to").stdout
    check("JSON", re.findall(r'"ipc(?:_coverage)?":([0-9.]{4})', told), ["0.30", "35.7"])


def ipc_rows(text):
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    return [line for line in lines if re.search(r"%\]", line)]


def check_lines(tmp, path):
    """With debug information a block has its source lines."""
    source, program = os.path.join(tmp, "spin.c"), os.path.join(tmp, "spin")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    compiler = os.environ.get("CC", "cc").split()
    if not shutil.which(compiler[0]) or not shutil.which("nm") or run(*compiler, "-g", "-O0", "-w", "-o", program,
                                                                      source).returncode:
        return
    found = re.search(r"^(\w+) (\w+) T spin$", run("nm", "-S", program).stdout, re.M)
    start, size = (int(x, 16) for x in found.groups())
    with open(path, "wb") as f:
        f.write(recording(program, (((start + size - 2, start, 9), (start + size - 1, start, 11)),)))
    lines = [re.search(r"\[.*\]", line)[0] for line in rows(run(SONDE, "report", "--stdio", "-i", path,
                                                                "--total-cycles").stdout)]
    check("lines", sorted(bool(re.fullmatch(r"\[spin\.c:\d+ -> spin\.c:\d+\]", line)) for line in lines), [True, True])


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(LC_ALL="C", PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="", HOME=tmp, XDG_CACHE_HOME=tmp)
        path, workload = os.path.join(tmp, "a.data"), shipped_data.put("workload", os.path.join(tmp, "workload"))
        with open(path, "wb") as f:
            f.write(recording(workload, STACKS))
        check("blocks", compare(path), EXPECTED.strip().splitlines())
        told = run(SONDE, "report", "-i", path, "--total-cycles").stdout
        check("titles", "# Samples: 3  of event 'cpu-clock'\n# Event count (approx.): 12\n" in told and
              "# Sampled Cycles%  Sampled Cycles  Avg Cycles%  Avg Cycles  " in told, True)
        check("without titles", run(SONDE, "report", "-i", path, "--total-cycles", "-q").stdout.count("#"), 0)
        told = run(SONDE, "report", "-i", path, "--total-cycles", "-t,", "-q").stdout.splitlines()
        check("-t", (len(told), told[2]), (8, "0.90%,1200,0.90%,1200,[compute+24 -> compute+48],workload"))
        told = json.loads(run(SONDE, "report", "-i", path, "--total-cycles", "--json").stdout)
        check("JSON", (told["cycles"], len(told["blocks"]), told["blocks"][2]), (
            133166, 8, {"symbol": "compute", "dso": "workload", "start": 24, "end": 48, "start_place": "compute+24",
                        "end_place": "compute+48", "runs": 1, "cycles": 1200}))
        few = run(SONDE, "report", "-i", path, "--total-cycles", "--percent-limit", "1").stdout
        check("a limit", len(rows(few)), 2)
        check("another command", rows(run(SONDE, "report", "-i", path, "--total-cycles", "-c", "none").stdout), [])
        for words in (("--html", "x"), ("--hierarchy",), ("--sort", "sym"), ("-F", "sym")):
            check(words, run(SONDE, "report", "-i", path, "--total-cycles", *words).returncode, 2)
        with open(path, "wb") as f:
            f.write(recording(workload, [[(f, t, 0) for f, t, _ in own] for own in STACKS]))
        told = run(SONDE, "report", "-i", path, "--total-cycles")
        check("no cycles", (rows(told.stdout), "the branches were recorded without cycles" in told.stderr), ([], True))
        with open(path, "wb") as f:
            f.write(pd.make(pd.comm("prog") + pd.sample(0x10010)))
        told = run(SONDE, "report", "-i", path, "--total-cycles")
        check("no branches", (told.returncode, "no branch stacks" in told.stderr), (1, True))
        check_lines(tmp, path)
        check_ipc(path, workload)
    print(f"{len(bad)} wrong")
    return 1 if bad else 0


sys.exit(main())

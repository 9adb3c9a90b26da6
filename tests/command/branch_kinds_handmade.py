#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""branch_kinds_handmade.py - `report --branch-stack` ends with the shares of the kinds of branches, as both perfs"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402
import shipped_data  # noqa: E402

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF") or os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/tools/newest-perf")
BASE, PREDICTED, ANY, SAVE_TYPE = 0x550000000000, 2, 8, 1 << 16
# (from, to, kind, new kind): perf counts rows that it has merged by the kind of the first, so no two ends are equal
KINDS = [(0x13e8 + 2 * kind, 0x13b0 + 2 * kind, kind, 0) for kind in range(15)]
FAR = [(0x13a9, 0x13e9, 1, 0), (0x16f1, 0x2013a9, 1, 0), (0x16f1, 0x23a9, 3, 0), (0x16f1, 0x16f9, 0, 0)]
SHARES = """\
COND_FWD: 11.8%
COND_BWD: 5.9%
CROSS_4K: 5.9%
CROSS_2M: 5.9%
COND: 17.6%
UNCOND: 5.9%
IND: 11.8%
CALL: 5.9%
IND_CALL: 5.9%
RET: 5.9%
SYSCALL: 5.9%
SYSRET: 5.9%
COND_CALL: 5.9%
COND_RET: 5.9%
ERET: 5.9%
IRQ: 5.9%
SERROR: 5.9%
NO_TX: 5.9%
"""
bad = []


def check(name, got, expected):
    if got != expected:
        bad.append(name)
        print(f"{name}:\n{got}\nin place of\n{expected}")


def write(path, program, branches, branch_type):
    code = struct.pack("<iIQQQ", 50, 50, BASE, 0x100000, 0) + bytes(24) + struct.pack("<II", 5, 2)
    data = pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, code + pd.text(program) + pd.trailer(1000))
    more = struct.pack("<Q", len(branches)) + b"".join(
        struct.pack("<3Q", BASE + f, BASE + t, PREDICTED | kind << 20 | new << 26) for f, t, kind, new in branches)
    data += pd.sample(BASE + 0x13b2, 2000, more=more)
    with open(path, "wb") as f:
        f.write(pd.make(data, {15: b"", pd.HOSTNAME: pd.feature_text("here")}, pd.BRANCH_STACK,
                        branch_type=branch_type))


def shares(path, *words, tool=SONDE):
    """The lines below "Branch Statistics", without what puts them into a column"""
    told = subprocess.run([tool, "report", "--stdio", "-i", path, *words], capture_output=True, text=True,
                          errors="replace", check=False, timeout=600, stdin=subprocess.DEVNULL)
    if told.returncode:
        bad.append((path, words, told.stderr))
    below = told.stdout.partition("\n#\n# Branch Statistics:\n#\n")[2]
    return "".join(f"{name}: {share}\n" for name, share in re.findall(r"^ *(\S+): +(\S+)$", below, re.M))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(LC_ALL="C", PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="", HOME=tmp, XDG_CACHE_HOME=tmp)
        path, program = os.path.join(tmp, "a.data"), shipped_data.put("workload", os.path.join(tmp, "workload"))
        write(path, program, KINDS + FAR, ANY | SAVE_TYPE)
        check("every kind", shares(path), SHARES)
        for words in (("-q",), ("-t", ","), ("--comms", "nobody")):
            check(words, shares(path, *words), "")
        if os.access(NEWEST, os.X_OK):
            check("perf", shares(path, "-s", "addr_from,addr_to", tool=NEWEST), SHARES)
        new = [(0x13e8, 0x13b0, 15, 1), (0x13e8, 0x13b0, 15, 9), (0x13f0, 0x13f8, 4, 0)]
        write(path, program, new, ANY | SAVE_TYPE)
        check("new kinds", shares(path), "CALL: 33.3%\nFAULT_DATA: 33.3%\n")
        write(path, program, [(0x16f1, 0x2013a9, 0, 0)], ANY)
        check("no kinds", shares(path), "")
    print(f"{len(bad)} wrong")
    return 1 if bad else 0


sys.exit(main())

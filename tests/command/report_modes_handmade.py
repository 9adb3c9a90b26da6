#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_modes_handmade.py: branches and accesses to memory in recordings made by hand, as no recording of the corpus
has transactions, and what report says where the data are missing"""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

ADDR, CALLCHAIN, WEIGHT, DATA_SRC, TRANSACTION, WEIGHT_STRUCT = 8, 1 << 5, 1 << 14, 1 << 15, 1 << 17, 1 << 24
CALL_STACK = 1 << 11
PREDICTED, IN_TRANSACTION, ABORTED = 2, 4, 8
KERNEL = 0xffffffff81000000
bad = []


def prog():
    return pd.comm("prog") + pd.mmap(0x10000, 0x10000, "/none/prog") + pd.mmap(0x30000, 0x10000, "/none/lib")


def jumps(*own):
    return struct.pack("<Q", len(own)) + b"".join(struct.pack("<3Q", *branch) for branch in own)


def branches(branch_type=1):
    data = prog() + pd.sample(0x10010, more=jumps((0x10100, 0x30200, PREDICTED | 9 << 4), (0x10100, 0x30200, 1)))
    data += pd.sample(0x10020, time=2001, more=jumps((0x30300, 0x10400, IN_TRANSACTION | ABORTED)))
    data += pd.sample(0x10020, time=2002, more=jumps())
    return pd.make(data, sample_type=pd.BRANCH_STACK, branch_type=branch_type)


def access(ip, addr, weights, source, time):
    body = struct.pack("<QQIIQQQQ", pd.EVENT_ID, ip, 50, 50, time, addr, weights, source)
    return pd.record(pd.SAMPLE, pd.USER, body + struct.pack("<Q", 0x21 | 7 << 32))


L1_HIT, L3_MISS = 2 | (2 | 8) << 5 | 1 << 33, 2 | (4 | 0x40) << 5 | 3 << 33


def memory():
    data = prog() + access(0x10010, 0x30008, 30 | 4 << 32 | 5 << 48, L1_HIT, 2000)
    data += access(0x10010, 0x30010, 10, L3_MISS, 2001) + access(0x10010, 0x30008, 0, L1_HIT, 2002)
    return pd.make(data, sample_type=ADDR | WEIGHT_STRUCT | DATA_SRC | TRANSACTION)


def report(recording, *words):
    with tempfile.NamedTemporaryFile(suffix=".data") as f:
        f.write(recording)
        f.flush()
        return subprocess.run([os.environ["SONDE"], "report", "-i", f.name, *words], capture_output=True, text=True,
                              check=False)


def rows(recording, *words):
    done = report(recording, "--json", *words)
    event = json.loads(done.stdout)["events"][0]
    others = "samples", "comm", "tree", "ipc", "ipc_coverage"
    return event, [{k: v for k, v in row.items() if k not in others} for row in event["rows"]]


def check(name, got, expected):
    if got != expected:
        bad.append(name)
        print(f"{name}:\n  {got}\n  in place of\n  {expected}")


def check_branches():
    event, found = rows(branches(), "--sort", "dso_from,symbol_to,mispredict,cycles")
    check("sums", (event["samples"], event["period"], event["total"]), (2, 3, 3))
    members = "from_dso", "to_symbol", "to_addr", "mispredicted", "cycles", "self"
    check("branches", sorted(found, key=str), sorted((dict(zip(members, values)) for values in (
        ("/none/prog", None, "0x200", False, 9, 1), ("/none/prog", None, "0x200", True, 0, 1),
        ("/none/lib", None, "0x400", None, 0, 1))), key=str))
    _, found = rows(branches(), "--sort", "in_tx,abort")
    check("transactions", found, [{"in_transaction": False, "aborted": False, "self": 2},
                                  {"in_transaction": True, "aborted": True, "self": 1}])
    check("not asked for", rows(branches(), "--no-branch-stack", "--sort", "dso")[0]["period"], 3)
    check("samples", rows(branches(), "--no-branch-stack", "--sort", "dso")[0]["samples"], 3)
    check("a call stack", rows(branches(CALL_STACK), "--sort", "dso")[0]["samples"], 3)
    check("a call stack with -b", rows(branches(CALL_STACK), "-b", "--sort", "dso_to")[0]["period"], 3)
    check("nothing is named", report(branches(), "-U").stdout.count("%"), 0)
    check("another command", report(branches(), "-c", "other").stdout.count("%"), 0)


def check_latency_of_branches():
    """A branch without names has no part in the latency, as it has none in the period."""
    data = prog() + pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, KERNEL, 0x1000, KERNEL) +
                              pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0)) + pd.switch(51, 1500)
    data += pd.sample(0x10010, more=jumps((KERNEL + 0x10, KERNEL + 0x210, 0), *[(0x10100, 0x30200, 0)] * 3))
    recording = pd.make(data, sample_type=pd.BRANCH_STACK, branch_type=1, flags=pd.CONTEXT_SWITCH)
    with tempfile.NamedTemporaryFile("w", suffix=".kallsyms") as names:
        names.write(f"{KERNEL:x} T first\n{KERNEL + 0x200:x} T second\n{KERNEL + 0x400:x} T _etext\n")
        names.flush()
        done = report(recording, "-U", "--latency", "--sort", "symbol_from,symbol_to", "--kallsyms", names.name, "-t,",
                      "-q")
    check("latency of the named", (done.stdout.split(",")[:2], done.stderr), (["100.00%", "100.00%"], ""))


def check_memory():
    event, found = rows(memory(), "--mem-mode", "--sort", "mem,symbol_daddr,dso_daddr")
    check("weights", (event["samples"], event["period"]), (3, 41))
    check("accesses", found, [
        {"memory": "L1 hit", "data_addr": "0x30008", "data_symbol": None, "data_dso": "/none/lib", "self": 31},
        {"memory": "L3 miss", "data_addr": "0x30010", "data_symbol": None, "data_dso": "/none/lib", "self": 10}])
    _, found = rows(memory(), "-F", "overhead,weight1,weight2,weight3,dcacheline")
    check("means", found, [{"weight1": 40 / 3, "weight2": 4 / 3, "weight3": 5 / 3, "data_line": "0x30000", "self": 3}])
    _, found = rows(memory(), "--mem-mode", "-F", "overhead,op,cache,memory,dtlb")
    check("classes", found, [{"op_periods": {"Load": 41}, "cache_periods": {"L1": 31, "L3": 10},
                              "memory_periods": {"Other": 41}, "dtlb_periods": {"Other": 41}, "self": 41}])
    done = report(memory(), "--mem-mode", "-F", "overhead,cache,sample", "--sort", "comm")
    check("classes as text", [line.rstrip() for line in done.stdout.splitlines() if "%" in line or "Cache" in line or
                              "L1" in line],
          ["#           --- Cache ----", "# Overhead       L1     L3       Samples  Command",
           "   100.00%    75.6%  24.4%             3  prog"])
    done = report(memory(), "--mem-mode", "-F", "overhead,cache", "--hierarchy", "--sort", "comm,dso", "-d", "prog,no",
                  "-q")
    check("classes of levels", [line.split()[1:3] for line in done.stdout.splitlines()], [["75.6%", "24.4%"]] * 2)
    lines = report(memory(), "--sort", "transaction").stdout.splitlines()
    check("a transaction", [line.split("%")[1].strip() for line in lines if "%" in line], ["EL CON NEITHER :7"])


def check_groups():
    """Three events as one group; the last one has no samples. The same functions are one row."""
    data = prog() + pd.sample(0x10010, event=7) + pd.sample(0x10010, time=2001, event=8)
    data += b"".join(pd.sample(0x30010, time=2002 + i, event=8) for i in range(3))
    recording = pd.make(data, ids=([7], [8], [9]))
    lines = [line.strip() for line in report(recording, "--group", "--sort", "dso").stdout.splitlines()]
    check("a group", [line for line in lines if "%" in line or "Samples: " in line],
          ["# Total Lost Samples: 0", "# Samples: 5  of events 'cpu-clock, cpu-clock'", "100.00%  25.00%  prog",
           "0.00%  75.00%  lib"])
    check("by the second", report(recording, "--group", "--sort", "dso", "-t,", "-q", "--group-sort-idx", "1").stdout,
          "0.00%,75.00%,lib\n100.00%,25.00%,prog\n")
    lines = report(recording, "--group", "--sort", "dso", "-t,").stdout.splitlines()
    check("titles between separators", [line for line in lines if "Overhead" in line],
          ["# Overhead,Overhead,Shared Object"])
    described = struct.pack("<I", 1) + pd.feature_text("G\x1b1") + struct.pack("<II", 0, 2)
    named = pd.make(data, {pd.GROUP_DESC: described, pd.HOSTNAME: pd.feature_text("here")}, ids=([7], [8], [9]))
    check("a name", [line for line in report(named).stdout.splitlines() if " of " in line],
          ["# Samples: 5  of events 'G.1 { cpu-clock, cpu-clock }'"])
    levels = report(recording, "--group", "--hierarchy", "--sort", "comm,dso", "-q")
    check("levels of a group", [line.split() for line in levels.stdout.splitlines()], [
        ["100.00%", "100.00%", "prog"], ["100.00%", "25.00%", "prog"], ["0.00%", "75.00%", "lib"]])
    levels = report(recording, "--group", "--hierarchy", "--sort", "comm,dso", "-q", "-d", "lib,no")
    check("chosen rows of a group", [line.split() for line in levels.stdout.splitlines()], [
        ["0.00%", "75.00%", "prog"], ["0.00%", "75.00%", "lib"]])
    groups = json.loads(report(recording, "--group", "--sort", "dso", "--json").stdout)["groups"]
    check("groups in JSON", groups, [{"group": None, "events": ["cpu-clock", "cpu-clock"], "totals": [1, 4], "rows": [
        {"dso": "/none/prog", "of": [{"self": 1, "samples": 1}, {"self": 1, "samples": 1}]},
        {"dso": "/none/lib", "of": [{"self": 0, "samples": 0}, {"self": 3, "samples": 3}]}]}])
    check("no groups in JSON", json.loads(report(recording, "--no-group", "--json").stdout)["groups"], [])
    check("name of a group", json.loads(report(named, "--json").stdout)["groups"][0]["group"], "G\x1b1")
    check("apart", report(recording, "--no-group", "--sort", "dso").stdout.count("of event 'cpu-clock'"), 2)
    check("of one event", report(recording, "--group", "--event", "cpu-clock", "-q").stdout.count("%"), 1)


def check_symbols_of_stacks():
    """The keys that bring the column IPC for branches leave stacks as they are."""
    chain = struct.pack("<4Q", 3, 2**64 - 512, 0x10010, 0x30020)
    recording = pd.make(prog() + pd.sample(0x10010, more=chain), sample_type=CALLCHAIN)
    for words in (("--sort", "symbol"), ("-F", "overhead,symbol"), ("--sort", "symbol,ipc_null")):
        check(words, [row["children"] for row in rows(recording, *words)[0]["rows"]], [1, 1])


def check_messages():
    plain = pd.make(prog() + pd.sample(0x10010))
    for words, text in ((("-b",), "has no branch stacks: `sonde record -b`"),
                        (("--sort", "dso_from"), "sort keys of branches need --branch-stack"),
                        (("--mem-mode",), "has no data sources: `sonde record -d`")):
        done = report(plain, *words)
        check(" ".join(words), (done.returncode, text in done.stderr, done.stdout), (1, True, ""))
    check("both", report(plain, "-b", "--mem-mode").returncode, 2)
    check("no data", report(plain, "--sort", "mem,locked,phys_daddr,socket,local_weight,data_page_size").returncode, 0)


check_branches()
check_latency_of_branches()
check_memory()
check_groups()
check_symbols_of_stacks()
check_messages()
print(f"{len(bad)} wrong")
sys.exit(1 if bad else 0)

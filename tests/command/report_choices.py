#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_choices.py: which samples and stacks a report counts (--time-quantum, --ns, --ignore-callees,
--socket-filter, --switch-on, --switch-off, --pid, --tid, --percentage), on recordings made by hand, against perf where
it is there"""
import collections
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
TOOLS = shutil.which("perf"), os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/tools/newest-perf")
BASE, CODE = 0x550000000000, 0x1000
MAIN, HASH_BLOCK, FIBONACCI, COMPUTE, DO_HASHING = 0x1120, 0x1298, 0x13a8, 0x16d0, 0x14d8
CONTEXT_USER = 2**64 - 512
bad = []


def check(name, got, expected):
    if got != expected:
        bad.append(name)
        print(f"{name}:\n  {got}\n  in place of\n  {expected}")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=600,
                          stdin=subprocess.DEVNULL)


PERFS = [tool for tool in TOOLS if tool and os.access(tool, os.X_OK) and
         re.match(r"perf version (6\.1|7\.2)", run(tool, "--version").stdout)]


def rows(tool, *words):
    """The rows in any order, without the width of their columns."""
    done = run(tool, "report", "--stdio", "--kallsyms", "/dev/null", *words)
    lines = (re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines())
    return collections.Counter(line for line in lines if "%" in line and not line.startswith("#"))


def compare(path, expected, *words):
    """The first words of each row, or none; the rows are those of perf."""
    got = rows(SONDE, "-i", path, *words)
    if expected is not None:
        check(" ".join(words), sorted(got), sorted(expected))
    for perf in PERFS:
        check(f"{perf} {' '.join(words)}", got, rows(perf, "-i", path, *words))


def stacks(path):
    """Stacks of the workload's functions; the third has one of them twice."""
    code = struct.pack("<iIQQQ", 50, 50, BASE + CODE, 0x1000, CODE) + bytes(24) + struct.pack("<II", 5, 2)
    data = pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, code + pd.text(path) + pd.trailer(1000))
    for i, own in enumerate(((FIBONACCI, COMPUTE, MAIN), (HASH_BLOCK, DO_HASHING, COMPUTE, MAIN),
                             (HASH_BLOCK, COMPUTE, DO_HASHING, COMPUTE, MAIN), (MAIN,))):
        ips = [CONTEXT_USER] + [BASE + x for x in own]
        data += pd.sample(ips[1], 2000 + i, more=struct.pack(f"<{len(ips) + 1}Q", len(ips), *ips))
    return pd.make(data, sample_type=pd.CALLCHAIN)


def prog():
    return pd.comm("prog") + pd.mmap(0x10000, 0x10000, "/none/prog")


def times():
    return pd.make(prog() + b"".join(pd.sample(0x10010, time)
                                     for time in (1000000001, 1000000999, 1012345678, 1100000000)))


def sockets():
    """CPUs 0 and 1 of package 0, CPUs 2 and 3 of package 1."""
    topology = b"".join(pd.feature_texts(names) for names in (["0-1", "2-3"], ["0", "1", "2", "3"]))
    topology += struct.pack("<8I", 0, 0, 1, 0, 0, 1, 1, 1)
    data = prog() + b"".join(pd.sample(0x10010, 2000 + cpu, more=struct.pack("<II", cpu, 0)) for cpu in (0, 1, 2, 2, 3))
    features = {pd.HOSTNAME: pd.feature_text("here"), pd.NRCPUS: struct.pack("<II", 4, 4), pd.CPU_TOPOLOGY: topology}
    return pd.make(data, features, sample_type=1 << 7)


def threads():
    """One sample of thread 50, two of its thread 51, three of another process; these are of two binaries."""
    data = prog() + pd.mmap(0x30000, 0x10000, "/none/lib", 60) + pd.comm("other", 60)
    data += pd.record(pd.FORK, 0, struct.pack("<IIIIQ", 50, 50, 51, 50, 1000) + pd.trailer(1000))
    data += pd.record(pd.COMM, pd.USER, struct.pack("<II", 50, 51) + pd.text("worker") + pd.trailer(1500, 50))
    for i, (pid, tid, ip) in enumerate(((50, 50, 0x10010), (50, 51, 0x10010), (50, 51, 0x10010), (60, 60, 0x30010),
                                        (60, 60, 0x50010), (60, 60, 0x50010))):
        data += pd.record(pd.SAMPLE, pd.USER, struct.pack("<QQIIQ", pd.EVENT_ID, ip, pid, tid, 2000 + i))
    return pd.make(data)


def sums(tool, path, *words):
    return re.search(r"# Samples: (\d+) .*\n# Event count \(approx\.\): (\d+)", run(
        tool, "report", "--stdio", "-i", path, *words).stdout).groups()


def check_threads(path):
    """Samples of other threads are a part of the whole, unless it is that of the rows."""
    for words, expected in (("--pid 50", ["16.67% 50", "33.33% 51"]), ("--tid 51", ["33.33% 51"]),
                            ("--pid 50 --tid 50", ["16.67% 50"]), ("--comms other --pid 60,50", ["50.00% 60"]),
                            ("--percentage relative --pid 50", ["33.33% 50", "66.67% 51"]),
                            ("--percentage relative --tid 51,60", ["40.00% 51", "60.00% 60"])):
        words = *words.split(), "--sort", "pid"
        compare(path, None, *words)
        check(words, sorted(row.split(":")[0] for row in rows(SONDE, "-i", path, *words)), expected)
        for perf in PERFS:
            check(f"sums of {perf} {words}", sums(SONDE, path, *words), sums(perf, path, *words))
    # a row of a binary that is not shown has no part in the whole, and a row that is shown is not more than the whole
    check("-d", sorted(rows(SONDE, "-i", path, "--percentage", "relative", "-d", "prog,lib", "--sort", "pid")),
          ["16.67% 50:prog", "33.33% 51:worker", "50.00% 60:other"])
    check("tgid", sorted(rows(SONDE, "-i", path, "--sort", "tgid")), ["50.00% 50:prog", "50.00% 60:other"])
    check("tgid of a thread", sorted(rows(SONDE, "-i", path, "--sort", "tgid,comm", "--tid", "51")),
          ["33.33% 50:prog worker"])
    for perf in PERFS:
        if " 7." in run(perf, "--version").stdout:
            check("tgid of perf", rows(perf, "-i", path, "--sort", "tgid,comm"),
                  rows(SONDE, "-i", path, "--sort", "tgid,comm"))


def check_switches(path):
    """Of sched:sched_process_fork, _exec and _exit in the recording of tests/data."""
    def counts(*words):
        told = run(SONDE, "report", "-i", path, "--sort", "comm", *words)
        return dict(re.findall(r"^# Samples: (\d+) +of event '(.*)'$", told.stdout, re.M)), told

    words = ("--switch-on", "sched:sched_process_exec")
    compare(path, None, "--sort", "comm", *words)
    compare(path, None, "--sort", "comm", *words, "--show-on-off-events")
    compare(path, None, "--sort", "comm", *words, "--switch-off", "sched:sched_process_exit")
    compare(path, None, "--sort", "comm", *words, "--switch-off", "sched:sched_process_exit", "--show-on-off-events")
    forks = sum(int(n) for n in counts()[0])
    first = counts("--switch-off", "sched:sched_process_fork", "--show-on-off-events")[0]
    check("the first fork", first.get("1"), "sched:sched_process_fork")
    check("less", 0 < sum(int(n) for n in first) < forks, True)
    check("other threads switch", bool(counts(*words, "--tid", "1")[1].returncode), False)
    done = counts("--switch-on", "sched_process_exec")[1]
    check("no event", (done.returncode, done.stdout, done.stderr.splitlines()[0]), (
        2, "", "sonde report: there is no event 'sched_process_exec'; did you mean 'sched:sched_process_exec'?"))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(LC_ALL="C", PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="", HOME=tmp, XDG_CACHE_HOME=tmp)
        path = os.path.join(tmp, "a.data")

        def put(recording):
            with open(path, "wb") as f:
                f.write(recording)

        put(stacks(shipped_data.put("workload", os.path.join(tmp, "workload"))))
        compare(path, ["25.00% prog workload [.] main", "75.00% prog workload [.] compute"],
                "--ignore-callees", "compute|hash", "--no-children", "-g", "callee,100")
        compare(path, None, "--ignore-callees", "do_hashing", "--no-children", "-g", "callee")
        compare(path, None, "--ignore-callees", "do_hashing", "--children", "-g", "callee")
        compare(path, None, "--ignore-callees", "^(fibonacci|hash_block)$", "--no-children")
        compare(path, ["100.00% prog", "no entry >= 60.00%"], "--hierarchy", "--percent-limit", "60", "-s", "comm,sym",
                "--no-children", "-g", "none")
        done = run(SONDE, "report", "-i", path, "--ignore-callees", "(")
        check("a bad expression", (done.returncode, done.stdout, "'(' is not a regular expression" in done.stderr),
              (2, "", True))
        put(times())
        compare(path, ["50.00% 1.000000", "25.00% 1.012000", "25.00% 1.100000"], "--time-quantum", "1ms", "-s", "time")
        compare(path, None, "--time-quantum", "100us", "-s", "time", "--ns")
        compare(path, ["25.00% 1.000000001", "25.00% 1.000000999", "25.00% 1.012345678", "25.00% 1.100000000"],
                "--time-quantum", "1", "-s", "time", "--ns")
        compare(path, ["100.00% 1.000000"], "--time-quantum=1s", "-s", "time")
        for wrong in ("x", "0ms", "5 ms", "5m", "-1ms", "99999999999s"):
            check(wrong, run(SONDE, "report", "-i", path, "--time-quantum=" + wrong).returncode, 2)
        for accepted in (("--samples", "5"), ("-m",), ("--addr2line", "/none"), ("--objdump", "/none")):
            check(accepted, rows(SONDE, "-i", path, *accepted), rows(SONDE, "-i", path))
        put(threads())
        check_threads(path)
        put(sockets())
        check("a package", sorted(rows(SONDE, "-i", path, "--socket-filter", "1", "-s", "cpu")),
              ["20.00% 003", "40.00% 002"])
        check("both", len(rows(SONDE, "-i", path, "--socket-filter", "0-1", "-s", "cpu")), 4)
        check("none", len(rows(SONDE, "-i", path, "--socket-filter", "7", "-s", "cpu")), 0)
        put(shipped_data.unpack("tracepoints.data"))
        check_switches(path)
    print(f"{len(bad)} wrong; {len(PERFS)} perfs")
    return 1 if bad else 0


sys.exit(main())

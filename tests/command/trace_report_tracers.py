#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_report_tracers.py: records of the tracers themselves, as `trace-cmd report` 3.4 prints them, byte for byte

Most tracers cannot be switched on here, but every kernel has the formats of their records: branch, function and its
graph, func_repeats, hwlat, kernel_stack, user_stack, mmiotrace, osnoise, timerlat, raw_data, ... The records are made
by chance, with a fixed seed.
"""
import glob
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import fake_tracefs
import trace_dat

SKIP = 77
ROUNDS = 40
FIELD = re.compile(r"field:([^;]*);\s*offset:(\d+);\s*size:(\d+);")
SYMBOLS = {"alpha": 0xffffffff81000000, "beta": 0xffffffff81000100, "gamma": 0xffffffff81000200,
           "omega": 0xffffffff81000400}
sonde = os.environ["SONDE"]
newest = os.path.join(source, "..", "shared", "tools", "newest-perf")
formats = {}
for path in glob.glob("/sys/kernel/tracing/events/ftrace/*/format"):
    with open(path) as f:
        formats[os.path.basename(os.path.dirname(path))] = f.read()
if not formats or not os.access(newest, os.X_OK):
    print("skipped: there is no tracefs, or no trace-cmd 3.4 to compare with")
    sys.exit(SKIP)
chance = random.Random(7)


def value(event, field, size, i):
    """The bytes of a field: what a tracer could write there."""
    name = field.split()[-1].split("[")[0]
    if "char" in field and "[" in field:
        return name.encode()[:size].ljust(size, b"\0")
    if name == "caller":
        return b"".join(struct.pack("<Q", address()) for _ in range(size // 8))
    if name == "size" and event == "kernel_stack":
        return struct.pack("<i", 8)
    if size == 8 and name in ("ip", "parent_ip", "func", "pc", "retaddr", "parent_func"):
        return struct.pack("<Q", address())
    if name == "depth":
        return (i % 4).to_bytes(size, "little")
    if name == "top_delta_ts":
        return bytes(size)
    if name == "bottom_delta_ts":
        return chance.randrange(1000000).to_bytes(size, "little")
    return chance.randrange(1 << (8 * size - 1) if i % 3 == 0 else min(1 << (8 * size - 1), 1000)).to_bytes(size,
                                                                                                            "little")


def address():
    return chance.choice(list(SYMBOLS.values())) + chance.randrange(64)


def record(event, i):
    fields = [(field, int(at), int(size)) for field, at, size in FIELD.findall(formats[event])]
    out = bytearray(max(at + size for _, at, size in fields))
    for field, at, size in fields:
        if size and "common_" not in field:
            out[at:at + size] = value(event, field, size, i)
    if event == "print":
        out += b"hello world\n\0"
    elif event == "raw_data":
        out += bytes(chance.randrange(256) for _ in range(chance.randrange(1, 20)))
    out += bytes(-len(out) % 4)
    out[:8] = struct.pack("<HBBi", int(re.search(r"ID: (\d+)", formats[event])[1]), 0, 0, 100 + i)
    return bytes(out)


def pages():
    time, events, size = 10**9, [], 0
    for i in range(ROUNDS):
        for event in sorted(formats):
            time += 1000
            body = record(event, i)
            if size + len(body) + 4 > 3900:
                yield fake_tracefs.page(events[0][0], events)
                events, size = [], 0
            events.append((time, body))
            size += len(body) + 4
    yield fake_tracefs.page(events[0][0], events)


with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    os.symlink(newest, "newest-trace-cmd")
    kallsyms = "".join("%x T %s\n" % (address, name) for name,
                       address in [*SYMBOLS.items(), ("end", 0xffffffff82000000)])
    trace_dat.write("tracers.dat", list(formats.values()), {}, [trace_dat.area(list(pages()))], kallsyms=kallsyms)
    theirs = subprocess.run(["./newest-trace-cmd", "report", "tracers.dat"], capture_output=True, timeout=500)
    if theirs.returncode or b"version 3" not in subprocess.run(["./newest-trace-cmd", "--version"],
                                                               capture_output=True).stdout + \
            subprocess.run(["./newest-trace-cmd", "--version"], capture_output=True).stderr:
        print("skipped: the newest trace-cmd does not run:", theirs.stderr.decode()[:200])
        sys.exit(SKIP)
    ours = subprocess.run([sonde, "script", "tracers.dat"], capture_output=True, timeout=600)
    a, b = ours.stdout.splitlines(), theirs.stdout.splitlines()
    different = [(x, y) for x, y in zip(a, b) if x != y]
    for x, y in different[:10]:
        print("sonde    ", x.decode(errors="replace"), "\ntrace-cmd", y.decode(errors="replace"))
    if different or len(a) != len(b) or len(a) < ROUNDS * len(formats):
        sys.exit(f"FAILED: {len(different)} of {len(b)} lines differ, {len(a)} are printed: {ours.stderr.decode()}")
    print(f"{len(a)} lines of {len(formats)} kinds of records are equal")

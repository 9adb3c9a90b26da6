#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_beyond_4gb.py: a trace.dat of more than 4 GiB, nearly all of which is a hole, through every command

One CPU has pages at the beginning and the end of 4.5 GiB, the pages of the other lie after them. Empty pages cost no
disk and stay holes.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs
import trace_dat

LARGE = (4 << 30) + (512 << 20)
HUGE = 512 << 30  # looking at each of its pages takes minutes
ON_DISK = 64 << 20
sonde = os.environ["SONDE"]


def fail(text):
    print("FAILED:", text, file=sys.stderr)
    sys.exit(1)


def page(time, pid):
    return fake_tracefs.page(time, [(time + i, fake_tracefs.switch(pid, "task", 0, "swapper/0")) for i in range(10)])


def make(path, size=LARGE, last=5000):
    """Version 7."""
    areas = [(size, [(0, page(1000, 1)), (size - fake_tracefs.PAGE, page(last, 1))]), trace_dat.area([page(3000, 2)])]
    trace_dat.write(path, [], {"sched": [fake_tracefs.SWITCH]}, areas, names="1 init\n2 two\n")


def run(*command):
    start = time.time()
    p = subprocess.run([sonde, *command], capture_output=True, text=True, timeout=600)
    print(f"{time.time() - start:6.2f} s  sonde {' '.join(command)}")
    if p.returncode:
        fail(f"{command}: status {p.returncode}: {p.stderr}")
    return p.stdout


def events(path):
    lines = re.findall(r"-(\d+) +\[(\d+)\] \S+ +\d+\.(\d+): +sched_switch", run("script", "--ns", path))
    return [(int(ns), int(pid), int(cpu)) for pid, cpu, ns in lines]


def expect(path, want, most=ON_DISK):
    got = events(path)
    if got != want:
        fail(f"{path}: {len(got)} events, not {len(want)}: {got[:3]}")
    if os.stat(path).st_blocks * 512 > most:
        fail(f"{path} takes {os.stat(path).st_blocks * 512} bytes of the disk")


with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    want = [(time + i, pid, cpu) for time, pid, cpu in ((1000, 1, 0), (3000, 2, 1), (5000, 1, 0)) for i in range(10)]
    make("large.dat")
    if os.stat("large.dat").st_blocks * 512 > ON_DISK:
        print("skipped: files have no holes here")
        sys.exit(77)
    expect("large.dat", want)
    if not re.search(r"sched_switch 30$", run("info", "--count", "large.dat"), re.M):
        fail("info counts other events")
    run("check", "large.dat")
    run("convert", "--to", "v6", "large.dat", "v6.dat")
    expect("v6.dat", want)
    run("convert", "--to", "v7", "v6.dat", "v7.dat")
    expect("v7.dat", want)
    run("convert", "-z", "large.dat", "packed.dat")
    expect("packed.dat", want)
    if os.stat("packed.dat").st_size > ON_DISK:
        fail(f"packed.dat has {os.stat('packed.dat').st_size} bytes")
    run("convert", "--no-compress", "packed.dat", "unpacked.dat")
    expect("unpacked.dat", want, LARGE + ON_DISK)
    os.unlink("unpacked.dat")
    run("cut", "--cpu", "1", "large.dat", "cut.dat")
    expect("cut.dat", want[10:20])
    run("cut", "--time", "0.000004,1", "large.dat", "late.dat")
    expect("late.dat", want[20:])
    # so late that pages before it are passed over, and the search for it begins at the first
    make("huge.dat", HUGE, 50000000)
    run("cut", "--time", "0.04,", "huge.dat", "latest.dat")
    expect("latest.dat", [(50000000 + i, 1, 0) for i in range(10)])
    if len(run("script", "--time", "0.04,", "huge.dat").splitlines()) != 11:
        fail("script --time finds other events")
    run("merge", "cut.dat", "late.dat", "-o", "merged.dat")
    expect("merged.dat", want[10:])
    # as a recorder leaves it that was killed
    with open("large.dat", "r+b") as f:
        f.seek(24)
        f.write(bytes(8))
    run("repair", "large.dat", "repaired.dat")
    expect("repaired.dat", want)

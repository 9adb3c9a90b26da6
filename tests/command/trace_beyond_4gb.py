#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_beyond_4gb.py: a trace.dat of more than 4 GiB, nearly all of which is a hole, through every command

One CPU has pages at the beginning and the end of 4.5 GiB, the pages of the other lie behind them. Empty pages cost no disk
and stay holes.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs

LARGE = (4 << 30) + (512 << 20)
ON_DISK = 64 << 20
sonde = os.environ["SONDE"]


def fail(text):
    print("FAILED:", text, file=sys.stderr)
    sys.exit(1)


def text64(s):
    return struct.pack("<Q", len(s)) + s.encode()


def section(number, body):
    return struct.pack("<HHIQ", number, 0, 0xffffffff, len(body)) + body


def option(number, body):
    return struct.pack("<HI", number, len(body)) + body


def page(time, pid):
    return fake_tracefs.page(time, [(time + i, fake_tracefs.switch(pid, "task", 0, "swapper/0")) for i in range(10)])


def make(path):
    """Version 7; the options come before the pages, so that all of it is known at once."""
    head = b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", fake_tracefs.PAGE) + b"none\0\0"
    parts = [(16, b"header_page\0" + text64(fake_tracefs.HEADER_PAGE) + b"header_event\0" + text64(fake_tracefs.HEADER_EVENT)),
             (17, struct.pack("<I", 0)),
             (18, struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", 1) + text64(fake_tracefs.SWITCH)),
             (19, struct.pack("<I", 0)), (20, struct.pack("<I", 0)), (21, text64("1 init\n2 two\n"))]
    at, body, pointers = len(head) + 8, b"", b""
    for number, data in parts:
        pointers += option(number, struct.pack("<Q", at + len(body)))
        body += section(number, data)
    options_at = at + len(body)

    def options(buffer_at, first, second):
        table = struct.pack("<Q", buffer_at) + b"\0" + b"local\0" + struct.pack("<II", fake_tracefs.PAGE, 2)
        table += struct.pack("<IQQ", 0, first, LARGE) + struct.pack("<IQQ", 1, second, fake_tracefs.PAGE)
        return section(0, pointers + option(4, b"[local]\0") + option(8, struct.pack("<I", 2)) + option(3, table) +
                       option(0, struct.pack("<Q", 0)))
    buffer_at = options_at + len(options(0, 0, 0))
    first = (buffer_at + 16 + 4095) & ~4095
    second = first + LARGE
    end = second + fake_tracefs.PAGE
    with open(path, "wb") as f:
        f.write(head + struct.pack("<Q", options_at) + body + options(buffer_at, first, second))
        f.write(struct.pack("<HHIQ", 3, 0, 0xffffffff, end - (buffer_at + 16)))
        for place, data in (first, page(1000, 1)), (second - fake_tracefs.PAGE, page(5000, 1)), (second, page(3000, 2)):
            f.seek(place)
            f.write(data)


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
    want = [(1000 + i, 1, 0) for i in range(10)] + [(3000 + i, 2, 1) for i in range(10)] + [(5000 + i, 1, 0) for i in range(10)]
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
    run("merge", "cut.dat", "late.dat", "-o", "merged.dat")
    expect("merged.dat", want[10:])
    # as a recorder leaves it that was killed
    with open("large.dat", "r+b") as f:
        f.seek(24)
        f.write(bytes(8))
    run("repair", "large.dat", "repaired.dat")
    expect("repaired.dat", want)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_fake_intel_bts.py LIBRARY: hardware traces of a fake of Intel BTS: attr, areas of whole branches, the file

See fake_aux.py.
"""
import os
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import fake_aux  # noqa: E402
from fake_aux import attr_of, check_file, expect, fail, info, parts, readers  # noqa: E402

AREA = 64 << 10      # not a multiple of a branch: the last 16 bytes of the area are no trace
LAPS = 4
BRANCH = struct.pack("=QQQ", 0x401000, 0x402000, 0)


def record(*options, **more):
    return fake_aux.record("-m", f",{AREA}B", *options, tree="intel", kind=17, trace=LAPS * AREA,
                           pattern=BRANCH.hex(), **more)


def test_full_trace():
    wait = "until [ $(grep -c ^all log) -ge $(grep -c ^open log) ]; do sleep 0.05; done"
    log = record("--per-thread", "-e", "intel_bts//u", command=("sh", "-c", wait))
    attr = attr_of(log)
    for name, value in (("type", 17), ("config", 0), ("period", 1), ("aux_watermark", 0),
                        ("sample_type", 0x10007),  # IP, TID, TIME, IDENTIFIER
                        # disabled, :u, enable_on_exec, watermark, sample_id_all
                        ("flags", 1 | 1 << 5 | 1 << 6 | 1 << 12 | 1 << 14 | 1 << 18)):
        expect(name, attr[name], value)
    rings, _ = parts()
    expect("rings", sorted(rings), [0])
    for offset, part in rings[0]:
        if part != BRANCH * (len(part) // len(BRANCH)) or offset % AREA % len(BRANCH):
            fail(f"the part at {offset}, {len(part)} bytes, is not of whole branches")
    expect("branches", sum(len(part) for _, part in rings[0]) // len(BRANCH), LAPS * (AREA // len(BRANCH)))
    # type 2; PMU 17, no clock, no snapshot
    expect("AUXTRACE_INFO", info(), [2, 17, 0, 0, 0, 0, 0])
    check_file(readers, trace="401000 -> 402000")


def test_snapshot():
    record("-Se", "--per-thread", "-e", "intel_bts//u")
    for _, part in parts()[0][0]:
        expect("whole branches", part == BRANCH * (len(part) // len(BRANCH)), True)
    expect("snapshot", info()[6], 1)
    check_file(readers)


def test_refused():
    for options, status, why in ((["-e", "intel_bts//u"], 1, "by thread only, with --per-thread"),
                                 (["--per-thread", "--aux-sample", "-e", "{intel_bts//u,cpu-clock:u}"], 1,
                                  "cannot be in samples")):
        said = record(*options, status=status)
        if why not in said:
            fail(f"{options}: {said}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        fake_aux.start()
        test_full_trace()
        test_snapshot()
        test_refused()
        os.chdir("/")


main()

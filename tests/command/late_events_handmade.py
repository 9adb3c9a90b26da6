#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""late_events_handmade.py: a stream that describes an event after records of another one gives the same report as a
stream that describes all events first"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

HEADER_ATTR, LATE_ID, BRANCH_ANY = 64, 7, 8
CHAIN = struct.pack("<QQQ", 2, 2 ** 64 - 512, 0x2000)
BRANCHES = struct.pack("<Q6Q", 2, 0x3000, 0x4000, 0, 0x5000, 0x6000, 0)


def described(event, **attr):
    return pd.record(HEADER_ATTR, 0, pd.attr(**attr) + struct.pack("<Q", event))


def report_of(*records):
    with tempfile.NamedTemporaryFile(suffix=".data") as f:
        f.write(b"PERFILE2" + struct.pack("<Q", 16) + b"".join(records))
        f.flush()
        told = subprocess.run([os.environ["SONDE"], "report", "-n", "-i", f.name], capture_output=True, text=True,
                              timeout=60, check=False)
    return told.returncode, told.stdout


def is_as_expected(name, late, samples):
    first, comm = described(pd.EVENT_ID), pd.comm("x", time=1)
    want, got = report_of(first, late, comm, *samples), report_of(first, comm, late, *samples)
    if want[0] != 0 or " x " not in want[1]:
        print(f"{name}: no report to compare with: {want}")
    elif got == want:
        return True
    else:
        print(f"{name}: expected\n{want[1]}\ngot {got[0]}\n{got[1]}")
    return False


def main():
    early = [pd.sample(0x1000 + i % 5, 10 + i) for i in range(240)]
    with_stacks = [pd.sample(0x2000, 10 + i, more=CHAIN, event=LATE_ID) if i % 2 else sample
                   for i, sample in enumerate(early)]
    with_branches = [pd.sample(0x2000, 10 + i, more=BRANCHES, event=LATE_ID) for i in range(40)]
    good = [is_as_expected("stacks", described(LATE_ID, sample_type=pd.CALLCHAIN), with_stacks),
            is_as_expected("branches", described(LATE_ID, sample_type=pd.BRANCH_STACK, branch_type=BRANCH_ANY),
                           with_branches)]
    print(f"{sum(good)} of {len(good)} reports as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

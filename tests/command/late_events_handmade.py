#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""late_events_handmade.py: a stream that describes an event after records of another one gives the same report and
lines as a stream that describes all events first"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

HEADER_ATTR, LATE_ID, BRANCH_ANY = 64, 7, 8
READ, FORMAT_ID = 1 << 4, 1 << 2
ROUND = pd.record(pd.FINISHED_ROUND, 0, b"")
CHAIN = struct.pack("<QQQ", 2, 2 ** 64 - 512, 0x2000)
BRANCHES = struct.pack("<Q6Q", 2, 0x3000, 0x4000, 0, 0x5000, 0x6000, 0)


def described(event, **attr):
    return pd.record(HEADER_ATTR, 0, pd.attr(**attr) + struct.pack("<Q", event))


def output_of(words, *records):
    with tempfile.NamedTemporaryFile(suffix=".data") as f:
        f.write(b"PERFILE2" + struct.pack("<Q", 16) + b"".join(records))
        f.flush()
        told = subprocess.run([os.environ["SONDE"], *words, "-i", f.name], capture_output=True, text=True,
                              timeout=600, check=False)
    return told.returncode, told.stdout


def is_as_expected(name, words, early, late, before, after):
    """The description @late stands between the records @before and @after; and before all of them."""
    want = output_of(words, *early, late, *before, *after)
    got = output_of(words, *early, *before, late, *after)
    if want[0] != 0 or "x " not in want[1]:
        print(f"{name}: nothing to compare with: {want}")
    elif got == want:
        return True
    else:
        print(f"{name}: expected\n{want[1][:4000]}\ngot {got[0]}\n{got[1][:4000]}")
    return False


def report_is_as_expected(name, late, samples):
    return is_as_expected(name, ["report", "-n"], [described(pd.EVENT_ID)], late, [pd.comm("x", time=1)], samples)


def script_is_as_expected(name, nr_early, attr, more):
    """While so many samples are printed, another thread finds the description."""
    early = [described(pd.EVENT_ID + 100 * i, **attr) for i in range(nr_early)]
    before = [pd.comm("x", time=1), *(pd.sample(0x1000, 10 + i, more=more) for i in range(20000)), ROUND, ROUND]
    after = [pd.sample(0x1000, 100000, more=more, event=LATE_ID), ROUND, ROUND]
    return is_as_expected(name, ["script", "--jobs", "1"], early, described(LATE_ID, **attr), before, after)


def main():
    early = [pd.sample(0x1000 + i % 5, 10 + i) for i in range(240)]
    with_stacks = [pd.sample(0x2000, 10 + i, more=CHAIN, event=LATE_ID) if i % 2 else sample
                   for i, sample in enumerate(early)]
    with_branches = [pd.sample(0x2000, 10 + i, more=BRANCHES, event=LATE_ID) for i in range(40)]
    good = [report_is_as_expected("stacks", described(LATE_ID, sample_type=pd.CALLCHAIN), with_stacks),
            report_is_as_expected("branches", described(LATE_ID, sample_type=pd.BRANCH_STACK, branch_type=BRANCH_ANY),
                                  with_branches),
            script_is_as_expected("lines", 2, {}, b""),
            # lists of events have room for a power of two
            script_is_as_expected("counts", 16, {"sample_type": READ, "read_format": FORMAT_ID},
                                  struct.pack("<QQ", 1, pd.EVENT_ID))]
    print(f"{sum(good)} of {len(good)} outputs as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

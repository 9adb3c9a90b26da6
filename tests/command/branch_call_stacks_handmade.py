#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""branch_call_stacks_handmade.py: the user part of a callchain is the call stack that the processor kept

A virtual machine cannot record one (--call-graph lbr), so the file is made by hand."""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
BRANCH_USER, BRANCH_CALL_STACK, BRANCH_HW_INDEX = 1, 1 << 11, 1 << 17
TEXT, KERNEL = 0x400000, 0xffffffff81000000
CALLS = [(TEXT + 0x210, TEXT + 0x100), (TEXT + 0x320, TEXT + 0x200)]

# mode, ip, the callchain as recorded, branches, and the frames of the sample
SAMPLES = [
    # the recorded address is behind that of the sample: of a precise event
    (pd.USER, TEXT + 0x150, [CONTEXT_USER, TEXT + 0x154, 7], CALLS, [TEXT + 0x150, TEXT + 0x210, TEXT + 0x320]),
    (pd.KERNEL, KERNEL + 8, [CONTEXT_KERNEL, KERNEL + 12, CONTEXT_USER, TEXT + 0x160], CALLS,
     [KERNEL + 12, TEXT + 0x160, TEXT + 0x210, TEXT + 0x320]),
    # without a recorded address: the function that was called last
    (pd.KERNEL, KERNEL + 8, [CONTEXT_KERNEL, KERNEL + 12, CONTEXT_USER], CALLS,
     [KERNEL + 12, TEXT + 0x100, TEXT + 0x210, TEXT + 0x320]),
    # the kernel interrupted nothing in user space
    (pd.KERNEL, KERNEL + 8, [CONTEXT_KERNEL, KERNEL + 12], CALLS, [KERNEL + 12]),
    (pd.USER, TEXT + 0x150, [CONTEXT_USER, TEXT + 0x154, TEXT + 0x210], [], [TEXT + 0x154, TEXT + 0x210]),
]


def sample(mode, ip, chain, calls, branch_type):
    more = struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain) + struct.pack("<Q", len(calls))
    if branch_type & BRANCH_HW_INDEX:
        more += struct.pack("<Q", 3)
    more += b"".join(struct.pack("<QQQ", *call, 0) for call in calls)
    return pd.sample(ip, more=more, misc=mode)


def run(*args):
    return subprocess.run([SONDE, *args], capture_output=True, text=True, timeout=600, check=False).stdout


def chains(path):
    out = run("script", "-F", "ip", "-i", path)
    return [[int(ip, 16) for ip in text.split()] for text in out.split("\n\n") if text.split()]


def stacks(path, jobs):
    out = run("report", "-g", "folded,0,caller", "--sort", "comm", "-i", path, "--jobs", jobs)
    return sorted(line.split(" ")[1] for line in out.splitlines() if "% 0x" in line)


def main():
    bad = []
    expected = [frames for *_, frames in SAMPLES]
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "made.data")
        for branch_type in (BRANCH_USER | BRANCH_CALL_STACK, BRANCH_USER | BRANCH_CALL_STACK | BRANCH_HW_INDEX):
            data = pd.comm("prog") + b"".join(sample(*s[:4], branch_type) for s in SAMPLES)
            with open(path, "wb") as f:
                f.write(pd.make(data, sample_type=pd.CALLCHAIN | pd.BRANCH_STACK, branch_type=branch_type))
            if chains(path) != expected:
                bad.append(f"script prints {chains(path)}, expected {expected}")
            folded = sorted(";".join(f"0x{ip:x}" for ip in reversed(frames)) for frames in expected)
            for jobs in ("1", "2"):
                if stacks(path, jobs) != folded:
                    bad.append(f"report has {stacks(path, jobs)}, expected {folded}")
        # branches that are no call stack are not looked at
        with open(path, "wb") as f:
            f.write(pd.make(pd.comm("prog") + sample(*SAMPLES[0][:4], BRANCH_USER),
                            sample_type=pd.CALLCHAIN | pd.BRANCH_STACK, branch_type=BRANCH_USER))
        if chains(path) != [[TEXT + 0x154, 7]]:
            bad.append(f"script prints {chains(path)} of branches that are no call stack")
    print("\n".join(bad) or "ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

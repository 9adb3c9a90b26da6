#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stitch_lbr_handmade.py: --stitch-lbr adds the calls that earlier samples of a thread had to call stacks of branches

A processor is played that keeps the newest 8 calls, so it is known which calls a thread is really in."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/corpus")), "../tools/newest-perf"))
CONTEXT_USER, TEXT, REGISTERS, CPU_PMU_CAPS = 2**64 - 512, 0x400000, 8, 28
CALL_STACK = 1 | 1 << 11
HW_INDEX = 1 << 17
CAPS = {CPU_PMU_CAPS: struct.pack("<I", 1) + pd.feature_text("branches") + pd.feature_text(str(REGISTERS))}


class Thread:
    """Its calls, as they are and as the processor keeps them."""

    def __init__(self, tid):
        self.tid, self.calls, self.kept, self.newest = tid, [], [None] * REGISTERS, REGISTERS - 1

    def call(self, times, place=8):
        for _ in range(times):
            level = len(self.calls)
            call = (TEXT + self.tid * 0x10000 + level * 0x100 + place, TEXT + self.tid * 0x10000 + (level + 1) * 0x100)
            self.calls.append(call)
            self.newest = (self.newest + 1) % REGISTERS
            self.kept[self.newest] = call

    def leave(self, times):
        for _ in range(times):
            self.calls.pop()
            self.kept[self.newest] = None
            self.newest = (self.newest - 1) % REGISTERS

    def ip(self):
        return TEXT + self.tid * 0x10000 + len(self.calls) * 0x100 + 4

    def branches(self):
        kept = []
        for i in range(REGISTERS):
            if not self.kept[(self.newest - i) % REGISTERS]:
                break
            kept.append(self.kept[(self.newest - i) % REGISTERS])
        return kept

    def sample(self, time, branch_type):
        kept = self.branches()
        more = struct.pack("<QQQQ", 2, CONTEXT_USER, self.ip(), len(kept))
        if branch_type & HW_INDEX:
            more += struct.pack("<Q", self.newest)
        more += b"".join(struct.pack("<QQQ", *call, 0) for call in kept)
        return pd.sample(self.ip(), time, pid=self.tid, more=more)

    def frames(self, depth=None):
        return [self.ip()] + [call[0] for call in self.calls[::-1][:depth]]


def play(path, branch_type=CALL_STACK | HW_INDEX, caps=CAPS):
    """A recording, the stacks of its samples as the processor kept them, and as earlier samples complete them."""
    one, other = Thread(50), Thread(51)
    data, kept, whole = pd.comm("one", 50) + pd.comm("other", 51), [], []

    def take(thread, known=None):
        nonlocal data
        data += thread.sample(2000 + len(kept), branch_type)
        kept.append(thread.frames(len(thread.branches())))
        whole.append(thread.frames(known))

    for _ in range(6):  # down to 30 calls, with another thread between
        one.call(5)
        take(one)
        other.call(3)
        take(other)
    one.leave(4)        # 26 calls, of which the processor has 4, and up again
    take(one)
    one.call(3)
    take(one)
    one.leave(7)        # none is left in the processor, then another one is called: nothing in common
    one.call(1, 16)
    take(one, 1)
    one.call(2 * REGISTERS)  # more than it keeps since the last sample
    take(one, REGISTERS)
    one.call(3)
    take(one, REGISTERS + 3)
    one.leave(7)        # as before, but with a call that the earlier sample had
    one.call(1)
    take(one, REGISTERS - 3)
    with open(path, "wb") as f:
        f.write(pd.make(data, caps, sample_type=pd.CALLCHAIN | pd.BRANCH_STACK, branch_type=branch_type))
    return kept, whole


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False)


def stacks(tool, path, *options):
    out = run(tool, "script", "-F", "ip", "-i", path, *options).stdout
    return [[int(ip, 16) for ip in text.split()] for text in out.split("\n\n") if text.split()]


def folded(path, *options):
    """The numbers of frames of the stacks in export, and in report."""
    out = run(SONDE, "export", "-i", path, *options).stdout
    exported = sorted(line.count(";") for line in out.splitlines() for _ in range(int(line.rsplit(" ", 1)[1])))
    out = run(SONDE, "report", "-g", "folded,0,caller", "--sort", "comm", "-i", path, *options).stdout
    return exported, sorted(line.count(";") + 1 for line in out.splitlines() if "% 0x" in line)


def check_numbers(path, wanted, options, bad):
    numbers = sorted(map(len, wanted))
    for name, found in zip(("export", "report"), folded(path, *options)):
        if found != numbers:
            bad.append(f"{name} {' '.join(options)}: stacks have {found} frames, expected {numbers}")


def check_refusals(path, bad):
    for branch_type, caps, word in ((CALL_STACK, CAPS, "hw_idx"), (CALL_STACK | HW_INDEX, None, "CPU_PMU_CAPS"),
                                    (1, CAPS, "--call-graph lbr")):
        kept, _ = play(path, branch_type, caps)
        for command in ("script", "report", "export"):
            r = run(SONDE, command, "--stitch-lbr", "-i", path)
            if r.returncode or r.stderr.count("\n") != 1 or word not in r.stderr:
                bad.append(f"{command} without {word}: status {r.returncode}, {r.stderr!r}")
        if branch_type != 1 and stacks(SONDE, path, "--stitch-lbr") != kept:
            bad.append(f"stacks are stitched without {word}")


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "made.data")
        kept, whole = play(path)
        if stacks(SONDE, path) != kept:
            bad.append(f"without --stitch-lbr: {stacks(SONDE, path)}, expected {kept}")
        for jobs in ("1", "2"):
            found = stacks(SONDE, path, "--stitch-lbr", "--jobs", jobs)
            bad += [f"sample {i}: {[hex(ip) for ip in a]}, expected {[hex(ip) for ip in b]}"
                    for i, (a, b) in enumerate(zip(found, whole)) if a != b]
            if len(found) != len(whole):
                bad.append(f"{len(found)} samples, expected {len(whole)}")
            check_numbers(path, whole, ("--stitch-lbr", "--jobs", jobs), bad)
            check_numbers(path, kept, ("--jobs", jobs), bad)
        for perf in filter(None, (shutil.which("perf"), NEWEST if os.access(NEWEST, os.X_OK) else None)):
            # perf begins with the start of the function, and does not stitch the last one: few calls, in registers
            # that come before those of the earlier sample
            found = stacks(perf, path, "--stitch-lbr")
            bad += [f"{perf}: sample {i} has {[hex(ip) for ip in a]}, not {[hex(ip) for ip in b]}"
                    for i, (a, b) in enumerate(zip(found, whole[:-1])) if a[1:] != b[1:]]
        branches = run(SONDE, "script", "--stitch-lbr", "-F", "brstack", "-i", path).stdout
        if branches != run(SONDE, "script", "-F", "brstack", "-i", path).stdout or "0x" not in branches:
            bad.append(f"brstack has other branches with --stitch-lbr: {branches[:300]}")
        check_refusals(path, bad)
    print("\n".join(bad) or f"{len(whole)} stacks as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

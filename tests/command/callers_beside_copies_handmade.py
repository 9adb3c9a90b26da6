#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""callers_beside_copies_handmade.py: a call stack of branches goes on where the copy of the stack ends, and
convert --unwind writes these chains

A virtual machine cannot record one (--call-graph lbr), so the recording is made by hand, of a program without libc."""
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
REGS_USER, STACK_USER, ARCH, BRANCH_STACK = 1 << 12, 1 << 13, 6, 15
CONTEXT_USER, CALL_STACK, SP = 2**64 - 512, 1 | 1 << 11, 0x7ffc00001000
BP_SP_IP = 1 << 6 | 1 << 7 | 1 << 8
LEVELS = 12

# _start calls outer, which calls level, which calls itself and at last leaf; two calls follow each other in level
PROGRAM = """
    .globl _start, outer, level, leaf
    .type _start, @function
    .type outer, @function
    .type level, @function
    .type leaf, @function
_start: .cfi_startproc
    .cfi_undefined rip
    xor %ebp, %ebp
from_start: call outer
after_start: hlt
    .cfi_endproc
    .size _start, .-_start
outer: .cfi_startproc
    sub $24, %rsp
    .cfi_def_cfa_offset 32
from_outer: call *%rax
after_outer: add $24, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size outer, .-outer
level: .cfi_startproc
    sub $40, %rsp
    .cfi_def_cfa_offset 48
from_level: call level
after_level:
from_last: call leaf
after_last: add $40, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size level, .-level
leaf: .cfi_startproc
    nop
    ret
    .cfi_endproc
    .size leaf, .-leaf
    .section .note.GNU-stack
"""


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False)


def build(tmp):
    """The addresses of the program's labels."""
    path = os.path.join(tmp, "program")
    with open(path + ".s", "w", encoding="ascii") as f:
        f.write(PROGRAM)
    # --build-id=none: the recording has none either
    r = run("cc", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-o", path, path + ".s")
    if r.returncode:
        print("cannot compile: " + r.stderr)
        sys.exit(77)
    return path, {name: int(at, 16) for at, _, name in map(str.split, run("nm", path).stdout.splitlines())}


def write(path, program, at, copied, calls, with_copy=True):
    """Samples in leaf(), with copies of so many bytes and so many calls."""
    stack = struct.pack("<Q", at["after_last"])
    for _ in range(LEVELS - 1):
        stack += bytes(40) + struct.pack("<Q", at["after_level"])
    stack += bytes(40) + struct.pack("<Q", at["after_outer"]) + bytes(24) + struct.pack("<Q", at["after_start"])
    branches = [("from_last", "leaf")] + [("from_level", "level")] * (LEVELS - 1) + [
        ("from_outer", "level"), ("from_start", "outer")]
    data = pd.comm("prog") + pd.mmap(0x400000, 0x4000, program)
    for size, kept in ((a, b) for a in copied for b in calls):
        more = struct.pack("<QQQ", 2, CONTEXT_USER, at["leaf"]) + struct.pack("<Q", kept)
        more += b"".join(struct.pack("<QQQ", at[a], at[b], 0) for a, b in branches[:kept])
        if with_copy:
            more += struct.pack("<QQQQ", 2, 0, SP, at["leaf"])
            size = min(size, len(stack) // 8 * 8)
            more += struct.pack("<Q", size) + stack[:size] + (struct.pack("<Q", size) if size else b"")
        data += pd.sample(at["leaf"], more=more)
    with open(path, "wb") as f:
        f.write(pd.make(data, {ARCH: pd.feature_text("x86_64"), BRANCH_STACK: b""}, branch_type=CALL_STACK,
                        sample_type=pd.CALLCHAIN | pd.BRANCH_STACK | (REGS_USER | STACK_USER if with_copy else 0),
                        regs=BP_SP_IP if with_copy else 0, stack=8192 if with_copy else 0))


def stacks(tool, path):
    out = run(tool, "script", "-F", "ip", "-i", path).stdout
    return [[int(ip, 16) for ip in text.split()] for text in out.split("\n\n") if text.split()]


def names(path, at):
    """The functions of sonde's stacks; labels within them have symbols too."""
    functions = ("_start", "outer", "level", "leaf")
    return [[max((f for f in functions if at[f] <= ip), key=at.get) for ip in stack] for stack in stacks(SONDE, path)]


def chains_in_records(path):
    out = run(SONDE, "dump", path).stdout
    samples = re.split("(?m)^0x.* SAMPLE .*", out)[1:]
    return [[int(ip, 16) for ip in re.findall(r"callchain\[\d+\]: 0x([0-9a-f]+)$", s, re.M)] for s in samples]


def check_convert(path, tmp, kept_branches, bad):
    new = os.path.join(tmp, "chains.data")
    r = run(SONDE, "convert", "-q", "--unwind", path, new)
    if r.returncode:
        bad.append(f"convert: {r.stderr}")
        return
    if stacks(SONDE, new) != stacks(SONDE, path):
        bad.append(f"convert writes {stacks(SONDE, new)}, report has {stacks(SONDE, path)}")
    found = run(SONDE, "info", new).stdout
    missing = re.search("(?m)^# missing features: .*", found).group()
    if ("|BRANCH_STACK" in found) != kept_branches or ("BRANCH_STACK" in missing) == kept_branches:
        bad.append(f"branches after convert: {found}")
    if run(SONDE, "check", new).returncode:
        bad.append(f"the converted file is damaged: {run(SONDE, 'check', new).stdout}")
    if chains_in_records(new) != stacks(SONDE, path):
        bad.append(f"the records have the chains {chains_in_records(new)}")
    perf = shutil.which("perf")
    if perf:
        # perf 6.1 prints places in the file; of branches, it begins with the start of the function
        ours, theirs = ([[ip % 0x1000 for ip in stack[kept_branches:]] for stack in found]
                        for found in (stacks(SONDE, path), stacks(perf, new)))
        if ours != theirs:
            bad.append(f"perf reads {theirs} of the converted file")


def main():
    if platform.machine() != "x86_64" or not shutil.which("cc") or not shutil.which("nm"):
        print("needs a compiler of x86-64")
        return 77
    bad = []
    whole = ["leaf"] + ["level"] * LEVELS + ["outer", "_start"]
    with tempfile.TemporaryDirectory() as tmp:
        program, at = build(tmp)
        path = os.path.join(tmp, "made.data")
        copied = list(range(0, 1024, 40))
        write(path, program, at, copied, [LEVELS + 2])
        found = names(path, at)
        bad += [f"copy {i}: {stack}" for i, stack in enumerate(found) if stack != whole]
        if len(found) != len(copied):
            bad.append(f"{len(found)} stacks of {len(copied)}")
        out = run(SONDE, "report", "-g", "-i", path).stdout
        if f"# Stacks: {len(copied)} unwound: 100.0% complete" not in out:
            bad.append(f"not all stacks are complete: {out[:600]}")
        check_convert(path, tmp, False, bad)
        # the oldest calls were lost
        write(path, program, at, [200], [LEVELS - 3])
        if names(path, at) != [whole[:LEVELS - 2]]:
            bad.append(f"with {LEVELS - 3} calls: {names(path, at)}")
        out = run(SONDE, "report", "-g", "-i", path).stdout
        if "100.0% cut at 8192 copied bytes" not in out:
            bad.append(f"the end of the stack: {out[:600]}")
        # without a copy
        write(path, program, at, [0], [LEVELS + 2, 5], with_copy=False)
        if names(path, at) != [whole, whole[:6]]:
            bad.append(f"without copies: {names(path, at)}")
        check_convert(path, tmp, True, bad)
    print("\n".join(bad) or "ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

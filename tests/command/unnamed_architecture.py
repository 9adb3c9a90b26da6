#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unnamed_architecture.py: stacks of a recording without the header feature ARCH are unwound all the same, as registers
or the kernel's release tell; where nothing does, the report says so"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
sonde = os.path.abspath(os.environ["SONDE"])
workload = os.path.join(os.environ["SONDE_BUILD"], "bench", "workload")
OSRELEASE, ARCH, CPUID, E_MACHINE = 4, 6, 9, 33


def without(data, ids):
    """The recording without some header features."""
    data = bytearray(data)
    at, size = struct.unpack_from("<QQ", data, 40)
    table = at + size
    bits = int.from_bytes(data[72:104], "little")
    there = [i for i in range(256) if bits >> i & 1]
    kept = [(i, data[table + 16 * k:table + 16 * k + 16]) for k, i in enumerate(there) if i not in ids]
    for k, (_, slot) in enumerate(kept):
        data[table + 16 * k:table + 16 * k + 16] = slot
    data[72:104] = sum(1 << i for i, _ in kept).to_bytes(32, "little")
    return data


def report(path, data):
    with open(path, "wb") as f:
        f.write(data)
    r = subprocess.run([sonde, "report", "--stdio", "-g", "none", "-s", "sym", "-i", path], capture_output=True,
                       text=True, check=False, timeout=600)
    return [line for line in r.stdout.splitlines() if line and line[0] != "#"], r.stderr


def want(true, what):
    if not true:
        print(f"FAILED: {what}", file=sys.stderr)
        sys.exit(1)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "r.data")
        r = subprocess.run([sonde, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "--call-graph", "dwarf", "-o",
                            path, workload, "0.3"], capture_output=True, text=True, check=False, timeout=600)
        if r.returncode != 0:
            print(f"skipped: recording is not possible here: {r.stderr.strip()}")
            return SKIP
        with open(path, "rb") as f:
            whole = f.read()
        named, _ = report(path, whole)
        want(any("main" in line for line in named), "no stack is unwound")
        for lost in ([ARCH], [ARCH, E_MACHINE, OSRELEASE, CPUID], [ARCH, E_MACHINE]):
            rows, said = report(path, without(whole, lost))
            want(rows == named, f"without features {lost}: {rows[:3]}, and not {named[:3]}")
            want("ARCH" not in said, f"without features {lost}: {said}")
        perf = shutil.which("perf")
        if not perf:
            print("skipped: there is no perf, which records other registers")
            return SKIP
        subprocess.run([perf, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "--call-graph", "dwarf",
                        "--user-regs=ip,sp,bp", "-o", path, workload, "0.3"], capture_output=True, check=True,
                       timeout=600)
        with open(path, "rb") as f:
            whole = f.read()
        _, said = report(path, without(whole, [ARCH, E_MACHINE, OSRELEASE, CPUID]))
        want("does not say of which architecture it is (ARCH): copies of stacks are not unwound" in said,
             f"the report does not say why: {said}")
    return 0


sys.exit(main())

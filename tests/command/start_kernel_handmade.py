#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""start_kernel_handmade.py: code for the kernel's start, past its recorded mapping, has the names of kallsyms

The callers of an idle task end in start_kernel. An address after the last symbol, or below the kernel, has none.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
TEXT = 0xffffffff81000000
KALLSYMS = f"""{TEXT:x} T _stext
{TEXT + 0x100:x} T do_idle
{TEXT + 0x1000:x} T _etext
{TEXT + 0x200000:x} T _sinittext
{TEXT + 0x200100:x} T start_kernel
{TEXT + 0x200200:x} T _einittext
"""
IPS = (TEXT + 0x110, TEXT + 0x200110, TEXT + 0x400000, 0xffffffff70000000)


def frames(tool, *words):
    out = subprocess.run([tool, "script", *words], capture_output=True, text=True, timeout=600, check=False).stdout
    return [line.split()[1] for line in out.splitlines() if line.startswith("\t")]


def main():
    with tempfile.TemporaryDirectory() as tmp:
        path, symbols = os.path.join(tmp, "made.data"), os.path.join(tmp, "kallsyms")
        with open(symbols, "w", encoding="ascii") as f:
            f.write(KALLSYMS)
        chain = struct.pack("<6Q", 5, 2**64 - 128, *IPS)
        mapping = pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, TEXT, 0x1000, TEXT) +
                            pd.text("[kernel.kallsyms]_text") + pd.trailer(1000))
        with open(path, "wb") as f:
            f.write(pd.make(mapping + pd.comm("idle") + pd.sample(IPS[0], more=chain, misc=pd.KERNEL),
                            sample_type=pd.CALLCHAIN))
        words = ("-F", "ip,sym", "--kallsyms", symbols, "-i", path)
        shown = frames(SONDE, *words)
        bad = [] if shown == ["do_idle", "start_kernel", "[unknown]", "[unknown]"] else [f"the frames are {shown}"]
        report = subprocess.run([SONDE, "report", "--kallsyms", symbols, "-i", path], capture_output=True, text=True,
                                timeout=600, check=False).stdout
        rows = [line.split() for line in report.splitlines() if line.endswith("[k] start_kernel")]
        if not any("[kernel.kallsyms]" in row for row in rows):
            bad.append(f"no row of start_kernel in the kernel: {report}")
    print("\n".join(bad) or "4 addresses as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vdso_handmade.py - the vdso of a program of 32 bits has the name of the other one, and gets no names of that one"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

WIDE, NARROW = 0x7fff12340000, 0xf7fc4000
PLACES = range(0x400, 0x2000, 0x10)


def main():
    records = b""
    for pid, base in (50, WIDE), (51, NARROW):
        records += pd.comm("prog", pid) + pd.mmap2(base, 0x2000, "[vdso]", bytes(24), pd.USER, pid=pid)
        for at in PLACES:
            records += pd.sample(base + at, pid=pid)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "data")
        with open(path, "wb") as f:
            f.write(pd.make(records))
        out = subprocess.run([os.environ["SONDE"], "script", "-F", "ip,sym", "-i", path], capture_output=True,
                             text=True, check=True, env={**os.environ, "HOME": tmp, "XDG_CACHE_HOME": tmp})
    named = [line.split() for line in out.stdout.splitlines() if "vdso" in line or "clock" in line]
    wide = [words for words in named if int(words[0], 16) >= WIDE]
    narrow = [words for words in named if int(words[0], 16) < WIDE]
    if not wide:
        print(f"skipped: the vdso of this kernel has no names here: {out.stdout[:500]}")
        return 77
    if narrow:
        print(f"names of the other vdso: {narrow[:5]}")
        return 1
    if "32 bits" not in out.stderr:
        print(f"nothing says why: {out.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

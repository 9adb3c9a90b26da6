#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rounds_handmade.py: rounds of every length up to some dozens that begin with a new name of their thread, so that each
sample is of the name before it"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

LENGTHS = range(1, 71)


def main():
    data, time = b"", 1000
    for n in LENGTHS:
        data += pd.comm(f"name{n}", time=time)
        data += b"".join(pd.sample(0x1000, time + 1 + i) for i in range(n))
        data += pd.record(pd.FINISHED_ROUND, 0, b"")
        time += 100
    bad = []
    with tempfile.NamedTemporaryFile(suffix=".data") as f:
        f.write(pd.make(data))
        f.flush()
        told = subprocess.run([os.environ["SONDE"], "report", "--no-children", "--sort", "comm", "-n", "-i", f.name],
                              capture_output=True, text=True, timeout=600, check=False)
    counts = {name: int(n) for n, name in re.findall(r"%\s+(\d+)\s+(name\d+)", told.stdout)}
    for n in LENGTHS:
        if counts.get(f"name{n}") != n:
            bad.append(f"name{n}: {counts.get(f'name{n}')} samples, expected {n}")
    print("\n".join(bad) or f"{len(LENGTHS)} rounds as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""one_cpu.py: one CPU and all of them print the same bytes

The recordings are longer than the batches that threads work on, and their tasks come, change their names and go.
"""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import perf_data as pd
import shipped_data  # noqa: E402

SONDE = os.environ["SONDE"]
SAMPLES = 40_000
SKIP = 77


def make(path):
    """Samples of forty threads, which change their names now and then; every seventh has a parent that ends."""
    records, time = [pd.comm("first", pid=1)], 2000
    for i in range(SAMPLES):
        pid, time = 50 + i % 40, time + 10
        if i % 997 == 0:
            records.append(pd.comm(f"name-{i}", pid=pid, time=time))
        if i % 1499 == 0:
            records.append(pd.mmap(0x10000 * (1 + i % 50), 0x10000, f"/nowhere/lib{i}.so", pid=pid, time=time))
        if i % 2503 == 0:
            records.append(pd.fork(1000 + i, pid, time=time))
            records.append(pd.sample(0x30000 + i, time=time, pid=1000 + i))
            records.append(pd.leave(1000 + i, time + 1))
        records.append(pd.sample(0x10000 * (1 + i % 50) + i % 0x5000, time=time + 2, pid=pid))
    with open(path, "wb") as f:
        f.write(pd.make(b"".join(records)))


def printed(words, cpus):
    return subprocess.run([SONDE, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, cpus)).stdout


def main():
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2:
        print("skipped: there is one CPU")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.data")
        make(made)
        files = [made] + [shipped_data.put(name, os.path.join(folder, name))
                          for name in ("callgraph.data", "packed.data", "tracepoints.data", "dwarf.data", "v7.dat")]
        for path in files:
            for words in ["script"], ["report"], ["export", "--to", "folded"], ["export", "--to", "json"], \
                    ["info", "--count"]:
                one, all_of_them = printed([*words, "-i", path], {min(cpus)}), printed([*words, "-i", path], cpus)
                if one != all_of_them or (path == made and not one):
                    sys.exit(f"FAILED: {' '.join(words)} of {os.path.basename(path)}: {len(one)} bytes on one CPU, "
                             f"{len(all_of_them)} on {len(cpus)}")
    return 0


sys.exit(main())

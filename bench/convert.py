#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""convert.py - `sonde convert` and `sonde cut` against perf inject on the same recording, its decompression against
zstd -d of the same bytes, and `sonde merge` of it with a copy

Prints `name  value unit  ratio` lines: processor time and wall time of the best of some runs, how many times the rival
takes, the goal, and the peak memory of both. SONDE_BENCH_FILE names a recording of one's own; SONDE_NEWEST_PERF a
second perf.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from measuring import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.path.join(ROOT, "build/release/src/cli/sonde")
WORKLOAD = os.path.join(ROOT, "build/release/bench/workload")
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
COMPRESSED, COMPRESSED2, AUXTRACE, TRACING_DATA = 81, 83, 71, 66


def best(argv, made):
    """The least wall and processor time of up to five runs within fifteen seconds; None if the command fails."""
    wall = cpu = float("inf")
    peak, spent = 0, 0.0
    for _ in range(5):
        if os.path.exists(made):
            os.unlink(made)
        w, c, rss, status = measure(argv)
        if status not in (0, 1) or (made != "/nowhere" and not os.path.exists(made)):
            return None
        wall, cpu, peak, spent = min(wall, w), min(cpu, c), max(peak, rss), spent + w
        if spent > 15:
            break
    return wall, cpu, peak


def payloads(path):
    """The compressed bytes of all records, as one zstd stream. Host and file have one byte order."""
    with open(path, "rb") as f:
        data = f.read()
    at, size = struct.unpack_from("=QQ", data, 40)
    end, parts = at + size, []
    while at < end:
        kind, _, n = struct.unpack_from("=IHH", data, at)
        if kind == COMPRESSED:
            parts.append(data[at + 8:at + n])
        elif kind == COMPRESSED2:
            parts.append(data[at + 16:at + 16 + struct.unpack_from("=Q", data, at + 8)[0]])
        elif kind == AUXTRACE:
            n += struct.unpack_from("=Q", data, at + 8)[0]
        elif kind == TRACING_DATA:
            n += struct.unpack_from("=I", data, at + 8)[0]
        at += n
    return b"".join(parts)


def record(path):
    """The workload, sampled as often as it goes for some runs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    loop = 'i=0; while [ $i -lt 16 ]; do "$0" >/dev/null; i=$((i+1)); done'
    subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", "25000", "-g", "-o", path, "--", "sh", "-c", loop,
                    WORKLOAD],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def tell(name, mine, theirs, who, goal):
    print(f"{name}  {mine[1]:.3f} s cpu, {mine[0]:.3f} s wall  {who} {theirs[1]:.3f} s cpu, {theirs[0]:.3f} s wall  "
          f"x{theirs[1] / mine[1]:.2f} cpu, x{theirs[0] / mine[0]:.2f} wall (goal x{goal})  "
          f"memory {mine[2] >> 20} MiB, {theirs[2] >> 20} MiB")


def against_inject(path, rivals, tmp):
    made, theirs = os.path.join(tmp, "made"), os.path.join(tmp, "inject")
    packed = os.path.join(tmp, "packed")
    measure([SONDE, "convert", "-z", path, packed])
    for name, argv, source in (("convert-pack", ["convert", "-z", path, made], path),
                               ("convert-repack", ["convert", "-z", packed, made], path),
                               ("convert-unpack", ["convert", "--no-compress", packed, made], path),
                               ("convert-endian", ["convert", "--endian", "big", path, made], path),
                               ("cut-nothing", ["cut", "--time", "0,", path, made], path),
                               ("cut-cpu", ["cut", "--cpu", "0", path, made], path),
                               ("cut-drop", ["cut", "--drop", "callchain", path, made], path)):
        mine = best([SONDE, *argv], made)
        for rival in rivals:
            took = best([rival, "inject", "-i", source, "-o", theirs], theirs)
            if mine and took:
                tell(name, mine, took, f"{os.path.basename(rival)} inject", 4)
    return packed


def merge(path, tmp):
    """No other tool makes one perf.data out of several: against a copy of its bytes, and a conversion, which reads and
    writes all records."""
    other, made, again = (os.path.join(tmp, name) for name in ("other", "merged", "again"))
    shutil.copy(path, other)
    mine = best([SONDE, "merge", path, other, "-o", made], made)
    if not mine:
        print("merge: failed")
        return
    copied = best(["cp", made, again], again)
    converted = best([SONDE, "convert", made, again], again)
    rate = os.path.getsize(made) / 1e6
    print(f"merge  {mine[1]:.3f} s cpu, {mine[0]:.3f} s wall  "
          f"{rate / mine[1]:.0f} MB/s cpu, {rate / mine[0]:.0f} MB/s wall  "
          f"memory {mine[2] >> 20} MiB")
    for name, theirs in (("cp", copied), ("sonde convert", converted)):
        if theirs:
            print(f"merge  x{theirs[1] / mine[1]:.2f} cpu, x{theirs[0] / mine[0]:.2f} wall of {name}: "
                  f"{theirs[1]:.3f} s cpu, {theirs[0]:.3f} s wall")


def against_zstd(path, packed, tmp):
    """What a scan of compressed records takes longer than one of the same records as they are; and writing them."""
    if not shutil.which("zstd"):
        print("convert: no zstd to compare with")
        return
    stream = os.path.join(tmp, "stream.zst")
    with open(stream, "wb") as f:
        f.write(payloads(packed))
    made = os.path.join(tmp, "plain")
    # a recorder's stream has no end, of which zstd complains after all of it has come out
    theirs = best(["zstd", "-dqf", "--no-check", stream, "-o", "/dev/null"], "/nowhere")
    both = best([SONDE, "info", "--count", packed], "/nowhere")
    plain = best([SONDE, "info", "--count", path], "/nowhere")
    if both and plain and theirs:
        tell("decompress-scan", (max(both[0] - plain[0], 0.001), max(both[1] - plain[1], 0.001), both[2]), theirs,
             "zstd -d", 0.83)
    mine = best([SONDE, "convert", "--no-compress", packed, made], made)
    theirs = best(["zstd", "-dqf", "--no-check", stream, "-o", made], "/nowhere")
    if mine and theirs:
        tell("decompress-write", mine, theirs, "zstd -d", 0.83)


def main():
    rivals = [p for p in ("perf", NEWEST) if shutil.which(p)]
    path = os.environ.get("SONDE_BENCH_FILE", os.path.join(ROOT, "build/bench/perf.data"))
    if not os.path.exists(path):
        if not os.path.exists(WORKLOAD):
            print("convert: skipped, there is no bench/workload to record")
            return 0
        record(path)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path) if os.access(os.path.dirname(path), os.W_OK)
                                     else None) as tmp:
        packed = against_inject(path, rivals, tmp)
        against_zstd(path, packed, tmp)
        merge(path, tmp)
    return 0


if __name__ == "__main__":
    sys.exit(main())

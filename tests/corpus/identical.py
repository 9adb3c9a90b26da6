#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""identical.py: every perf.data of the corpus, read and written, is the same again, byte by byte

Each is listed: as a plain copy (convert), taken apart into its fields and put together again (convert --rebuild), and
in the other byte order and back (convert --endian). Those that cannot be the same are named below with the reason.
"""
import multiprocessing
import os
import subprocess
import sys
import tempfile

from share import share

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))

OVERLAP = "its sections overlap"
NO_PERF_DATA = "it is no perf.data"
OTHER_ZSTD = "its compressed records were made by another version of zstd"
NOT_REBUILT = {
    "aosp-invalid_perf.data": NO_PERF_DATA,
    "quipper-fuzz-145fc46ec928.data": OVERLAP, "quipper-fuzz-8b38b630443e.data": OVERLAP,
    "quipper-fuzz-ba8a4480ea23.data": OVERLAP,
    "quipper-fuzz-eebb35632622.data": OVERLAP, "quipper-fuzz-fd76c99f4c02.data": OVERLAP,
}
NOT_TURNED = {
    **NOT_REBUILT,
    "cros-perf.data.piped.production.2013-07-17":
        "bytes that are no records in one byte order may be some in the other",
    "lpd-sleep.compressed.pipe.data": OTHER_ZSTD, "perfparser-fork_static_gcc.perf.data.zstd": OTHER_ZSTD,
}
# what depends on the version of zstd that sonde is linked with; recorded here with that of Debian 12
ZSTD = ("z.data", "zfile.data", "zpipe.data", "inject_b.data", ".compressed.pipe.data", "compressed2.data", ".zstd")


def convert(*args):
    return subprocess.run([sonde, "convert", *args], capture_output=True, timeout=600, check=False)


def read(path):
    """The bytes of a file, or of all files of a directory by their names."""
    if os.path.isdir(path):
        return {name: read(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    with open(path, "rb") as f:
        return f.read()


def is_big(path):
    with open(os.path.join(path, "data") if os.path.isdir(path) else path, "rb") as f:
        return f.read(8) == b"2ELIFREP"


def differs(path, before, steps):
    """What comes out of the steps, each with its options, is not what went in: why, or None."""
    with tempfile.TemporaryDirectory() as tmp:
        at = path
        for i, options in enumerate(steps):
            to = os.path.join(tmp, str(i))
            r = convert(*options, at, to)
            if r.returncode != 0 or not os.path.exists(to):
                return r.stderr.decode(errors="replace").strip()[-200:] or f"exit status {r.returncode}"
            at = to
        return None if read(at) == before else "other bytes"


def check(path):
    name, before = os.path.basename(path), read(path)
    orders = ("little", "big") if is_big(path) else ("big", "little")
    results = []
    for what, steps, known in (
            ("copied", [[]], {"aosp-invalid_perf.data": NO_PERF_DATA}),
            ("rebuilt", [["--rebuild"]], NOT_REBUILT),
            ("turned twice", [["--endian", order] for order in orders], NOT_TURNED)):
        why = differs(path, before, steps)
        if why is None and name in known and known[name] != OTHER_ZSTD:
            results.append((False, f"{what}: the same, though {known[name]}"))
        elif why is None:
            results.append((True, f"{what}: the same"))
        elif name in known or (what == "turned twice" and name.endswith(ZSTD)):
            results.append((True, f"{what}: not, because {known.get(name, OTHER_ZSTD)}"))
        else:
            results.append((False, f"{what}: {why}"))
    return os.path.relpath(path, corpus), results


def recordings():
    for folder in ("perf", "recorded"):
        top = os.path.join(corpus, folder)
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
            if name != "expected" and not name.endswith((".json", ".dat")) and ".dat." not in name:
                yield os.path.join(top, name)


def main():
    paths = list(recordings())
    if not paths:
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        return SKIP
    bad = 0
    counts = {}
    with multiprocessing.Pool(2) as pool:
        paths = share(paths)
        for name, results in pool.imap(check, paths):
            print(f"{name}: {'; '.join(text for _, text in results)}")
            bad += any(not good for good, _ in results)
            for _, text in results:
                what, _, how = text.partition(": ")
                counts[what] = counts.get(what, 0) + (how == "the same")
    told = ", ".join(f"{n} {what}" for what, n in counts.items())
    print(f"{len(paths)} recordings, the same bytes: {told}; {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_on_hosts.py NATIVE [PART...]: does sonde print the same bytes on another host as on this one?

SONDE runs on the other host, which is emulated, and NATIVE here. The user's binaries are those beside the recordings of
unwind/ in the corpus; other recordings have only the symbols that they carry. Both hosts also write a bundle of each of
these, and read without the binaries what the other one wrote. The first recordings of each folder are exported in every
format whose bytes are the same on all hosts, and each host reports from the profile that the other one exported.
Recordings are chosen by a PART of their path. A command that takes longer than LONGEST seconds is told and left.
"""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
LONGEST = 120
source = os.environ["SONDE_SOURCE"]
corpus = os.path.abspath(os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus")))
COMMANDS = [["report", "--stdio"], ["report", "--stdio", "-g", "caller", "--sort", "comm,dso,sym,srcline"],
            ["report", "--json"], ["script", "--ns"], ["export", "--to", "folded", "-o", "-"]]
LARGEST = 4 << 20
EXPORTED = 3         # recordings of a folder
IMPORTS = ["firefox", "folded", "pprof", "speedscope"]
EXPORTS = [*IMPORTS, "callgrind", "clickhouse", "html", "json", "otlp", "parquet", "svg", "chrome", "csv",
           "json-lines", "perfetto"]


def recordings():
    for folder, folders, names in os.walk(corpus):
        folders[:] = sorted(f for f in folders if f not in ("root", "src"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith((".data", ".dat")) and os.path.getsize(path) <= LARGEST:
                yield path


def places(path):
    """Options that keep the binaries of the host out, which are others."""
    root = os.path.join(os.path.dirname(path), "root")
    return ["--symfs", root if os.path.isdir(root) else "/nonexistent", "--kallsyms", "/dev/null"]


def output(sonde, command, path, home, binaries=True):
    words = [sonde, *command, *(places(path) if binaries else []), "-i", path]
    done = subprocess.run(words, capture_output=True, timeout=LONGEST, check=False,
                          env={**os.environ, "HOME": home, "XDG_CACHE_HOME": home})
    return done.returncode, done.stdout  # messages name the places of a host


def difference(one, other):
    for what, a, b in zip(("exit status", "output"), one, other):
        if a != b:
            if what == "exit status":
                return f"{what} {a} and {b}"
            for i, (x, y) in enumerate(zip(a.split(b"\n"), b.split(b"\n"))):
                if x != y:
                    return f"{what}, line {i + 1}: {x[:200]!r} and {y[:200]!r}"
            return f"{what}: {len(a)} and {len(b)} bytes"
    return None


def compare(native, path, homes):
    found = []
    for command in COMMANDS:
        try:
            here = output(native, command, path, homes[0])
            there = output(os.environ["SONDE"], command, path, homes[1])
        except subprocess.TimeoutExpired:
            found.append((command, "late"))
            continue
        found.append((command, difference(here, there) or "same"))
    return found


def compare_bundles(native, path, homes, folder):
    """Each host reads the other's, where neither has the binaries."""
    found = []
    names = [os.path.join(folder, f"{os.path.basename(path)}.{host}") for host in ("here", "there")]
    for sonde, name, home in zip((native, os.environ["SONDE"]), names, homes):
        output(sonde, ["bundle", "-o", name], path, home)
    with open(names[0], "rb") as here, open(names[1], "rb") as there:
        found.append((["bundle"], difference((0, here.read()), (0, there.read())) or "same"))
    for command in COMMANDS:
        here = output(native, command, names[1], homes[0], binaries=False)
        there = output(os.environ["SONDE"], command, names[0], homes[1], binaries=False)
        found.append((["bundle,", *command], difference(here, there) or "same"))
    for name in names:
        os.unlink(name)
    return found


def pages(data):
    """The unpacked pages of a Parquet file: zstd packs the same bytes in another way on a host of 32 bits."""
    return b"".join(subprocess.run(["zstd", "-dcq"], input=data[m.start():], capture_output=True, check=False).stdout
                    for m in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data))


def content(path):
    """The bytes of a file, or of those of a directory with their names."""
    names = [path] if os.path.isfile(path) else sorted(filter(os.path.isfile, glob.glob(f"{path}/**", recursive=True)))
    found = b""
    for name in names:
        with open(name, "rb") as f:
            data = f.read()
        found += os.path.relpath(name, path).encode() + b"\n" + (pages(data) if name.endswith(".parquet") else data)
    return found


def compare_exports(native, path, homes, folder):
    found = []
    hosts = list(zip((native, os.environ["SONDE"]), homes))
    for to in EXPORTS:
        names = [os.path.join(folder, f"{os.path.basename(path)}.{to}.{host}") for host in ("here", "there")]
        here, there = ((output(sonde, ["export", "--to", to, "-o", name], path, home)[0], content(name))
                       for (sonde, home), name in zip(hosts, names))
        if here == there and not here[1]:
            continue     # the recording has nothing for this format
        found.append((["export", "--to", to], difference(here, there) or "same"))
        if to in IMPORTS:
            here, there = (output(sonde, ["report", "--stdio"], name, home, binaries=False)
                           for (sonde, home), name in zip(hosts, reversed(names)))
            found.append((["report", "of", to], difference(here, there) or "same"))
        for name in names:
            if os.path.isdir(name):
                shutil.rmtree(name)
            elif os.path.exists(name):
                os.unlink(name)
    return found


def first_of_folders(paths, number):
    seen = collections.Counter()
    for path in paths:
        seen[os.path.dirname(path)] += 1
        if seen[os.path.dirname(path)] <= number:
            yield path


def main():
    native, *parts = sys.argv[1:]
    if not os.path.isdir(corpus):
        print(f"there is no {corpus}")
        return SKIP
    if not os.access(native, os.X_OK):
        print(f"there is no {native}: ./dev build")
        return SKIP
    paths = [path for path in recordings() if not parts or any(part in path for part in parts)]
    exported = set(first_of_folders(paths, EXPORTED))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        homes = [os.path.join(tmp, name) for name in ("here", "there")]

        def all_of(path):
            bundled = os.path.isdir(os.path.join(os.path.dirname(path), "root"))
            return compare(native, path, homes) + \
                (compare_bundles(native, path, homes, tmp) if bundled else []) + \
                (compare_exports(native, path, homes, tmp) if path in exported else [])

        for path, found in zip(paths, pool.map(all_of, paths)):
            for command, outcome in found:
                counts[outcome if outcome in ("same", "late") else "differs"] += 1
                if outcome != "same":
                    print(f"{os.path.relpath(path, corpus)}: {' '.join(command)}: {outcome}")
    print(f"{len(paths)} recordings: {counts['same']} outputs have the same bytes, {counts['differs']} differ, "
          f"{counts['late']} took too long")
    return counts["differs"] > 0 or not counts["same"]


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_on_hosts.py NATIVE [PART...]: does sonde print the same bytes on another host as on this one?

SONDE runs on the other host, which is emulated, and NATIVE here. The user's binaries are those beside the recordings of
unwind/ in the corpus; other recordings have only the symbols that they carry. Both hosts also write a bundle of each of
these, and read without the binaries what the other one wrote. Recordings are chosen by a PART of their path. A command
that takes longer than LONGEST seconds is told and left.
"""
import collections
import concurrent.futures
import os
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


def main():
    native, *parts = sys.argv[1:]
    if not os.path.isdir(corpus):
        print(f"there is no {corpus}")
        return SKIP
    if not os.access(native, os.X_OK):
        print(f"there is no {native}: ./dev build")
        return SKIP
    paths = [path for path in recordings() if not parts or any(part in path for part in parts)]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        homes = [os.path.join(tmp, name) for name in ("here", "there")]

        def all_of(path):
            bundled = os.path.isdir(os.path.join(os.path.dirname(path), "root"))
            return compare(native, path, homes) + (compare_bundles(native, path, homes, tmp) if bundled else [])

        for path, found in zip(paths, pool.map(all_of, paths)):
            for command, outcome in found:
                counts[outcome if outcome in ("same", "late") else "differs"] += 1
                if outcome != "same":
                    print(f"{os.path.relpath(path, corpus)}: {' '.join(command)}: {outcome}")
    print(f"{len(paths)} recordings: {counts['same']} outputs have the same bytes, {counts['differs']} differ, "
          f"{counts['late']} took too long")
    return counts["differs"] > 0 or not counts["same"]


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""columns.py [--count]: lines have at most 120 columns; a tab stops at every eighth

Sources and prose are looked at. A line with a URL may be longer, in Markdown also a row of a table and what stands
between fences. columns.txt has the number of longer lines that a folder still has; it only ever gets smaller, and a
folder without a row has none. --count prints the rows as they would be now.
"""
import os
import re
import sys

SOURCE = os.environ.get("SONDE_SOURCE", ".")
ALLOWED = os.path.join(SOURCE, "tests", "check", "columns.txt")
MOST = 120
NAMES = re.compile(r".*\.(c|h|cc|py|sh|js|md)|dev|run")
# data: recordings, seeds of the fuzz targets, packages of others
DATA = {"build", ".git", "node_modules", "seeds", "data", "__pycache__"}


def files():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(f for f in folders if f not in DATA and not f.startswith("build-"))
        for name in sorted(names):
            if NAMES.fullmatch(name):
                yield os.path.relpath(os.path.join(folder, name), SOURCE)


def long_lines(path):
    """Numbers and widths."""
    fenced = False
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if path.endswith(".md"):
                fenced ^= line.startswith("```")
                if fenced or line.startswith("|"):
                    continue
            width = len(line.expandtabs(8))
            if width > MOST and "://" not in line:
                yield number, width


def folder_of(path):
    """A room of src, two in src/record; else the first folder, or the file itself."""
    parts = path.split("/")
    if parts[0] != "src" or len(parts) < 3:
        return parts[0]
    return "/".join(parts[:3 if parts[1] == "record" and len(parts) > 3 else 2])


def allowed():
    with open(ALLOWED, encoding="utf-8") as f:
        return {folder: int(n) for folder, n in (line.split() for line in f if not line.startswith("#"))}


def main():
    found = {}
    for path in files():
        for number, width in long_lines(path):
            found.setdefault(folder_of(path), []).append(f"{path}:{number}: {width} columns")
    if sys.argv[1:] == ["--count"]:
        for folder in sorted(found):
            print(folder, len(found[folder]))
        return 0
    bad = 0
    limits = allowed()
    for folder in sorted({*found, *limits}):
        lines, limit = found.get(folder, []), limits.get(folder, 0)
        if len(lines) > limit:
            bad = 1
            print("\n".join(lines))
            print(f"FAILED: {folder} has {len(lines)} lines of more than {MOST} columns; {limit} are allowed")
        elif len(lines) < limit:
            print(f"{folder} has {len(lines)} such lines: make its {limit} in {os.path.basename(ALLOWED)} smaller")
    return bad


if __name__ == "__main__":
    sys.exit(main())

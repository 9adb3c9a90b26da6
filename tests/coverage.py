#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py BUILD [ROOM...]: which lines of each room have run since BUILD was made, and functions that have not

BUILD was configured with -Db_coverage=true (./dev coverage); gcov, which comes with gcc, reads the counters. Of the
rooms that are named, else of all, the functions are listed, the longest first.
"""
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sys


def counters(path):
    """{source: {line: count}}, {(source, function): (lines, count)} of one object."""
    lines, functions = {}, {}
    out = subprocess.run(["gcov", "--json-format", "--stdout", os.path.basename(path)], cwd=os.path.dirname(path),
                         capture_output=True, check=True).stdout
    for told in out.splitlines():
        for f in json.loads(told)["files"]:
            source = f["file"].lstrip("./")
            if not source.startswith("src/") or source.endswith("_test.c"):
                continue
            lines[source] = {line["line_number"]: line["count"] for line in f["lines"]}
            for fn in f["functions"]:
                functions[source, fn["name"]] = fn["end_line"] - fn["start_line"] + 1, fn["execution_count"]
    return lines, functions


def main():
    build, rooms = os.path.abspath(sys.argv[1]), sys.argv[2:]
    lines, functions = collections.defaultdict(collections.Counter), {}
    # of a source that is compiled several times, each object counts
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for some, called in pool.map(counters, glob.glob(build + "/src/**/*.gcda", recursive=True)):
            for source, counts in some.items():
                lines[source].update(counts)
            for key, (length, count) in called.items():
                functions[key] = length, functions.get(key, (0, 0))[1] + count
    if not lines:
        sys.exit(f"{build} has no counters: was it made with -Db_coverage=true, and has a test run?")
    table = collections.defaultdict(lambda: [0, 0])
    for source, counts in lines.items():
        for room in os.path.dirname(source)[4:], "all":
            table[room][0] += len(counts)
            table[room][1] += sum(count > 0 for count in counts.values())
    print(f"{'room':24} {'lines':>7} {'run':>7}")
    for room, (total, run) in sorted(table.items()):
        print(f"{room:24} {total:7} {100 * run / total:6.1f}%")
    print("\nfunctions that no test has called, and their lines")
    for (source, name), (length, count) in sorted(functions.items(), key=lambda f: (-f[1][0], f[0])):
        if not count and (not rooms or os.path.dirname(source)[4:] in rooms):
            print(f"{length:5}  {name}  {source}")


if __name__ == "__main__":
    main()

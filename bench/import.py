#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import.py - `sonde report` of a million samples that were exported as another tool's profile, against the recording

Prints `name  value unit` lines: wall time, processor time and peak memory of the best of three runs, and the size of
the file. The sum of the periods is that of the recording, or the benchmark fails. An argument is the number of
millions.
"""
import json
import os
import subprocess
import sys
import tempfile

from measuring import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
MAKE = os.path.join(ROOT, "build/release/bench/many_samples")
FORMATS = ("pprof", "firefox", "speedscope")


def sum_of(path):
    """Of the periods of all functions."""
    out = subprocess.run([SONDE, "report", "--json", "-g", "none", "--no-children", "--sort", "sym", "-i", path],
                         stdout=subprocess.PIPE, check=True).stdout
    return sum(row["self"] for row in json.loads(out)["events"][0]["rows"])


def show(name, path):
    runs = [measure([SONDE, "report", "--stdio", "-i", path]) for _ in range(3)]
    if any(run.status for run in runs):
        sys.exit(f"import: report of {name} failed")
    print(f"import-{name:12} {min(r.wall for r in runs):7.3f} s  CPU {min(r.cpu for r in runs):7.3f} s  "
          f"peak {max(r.peak for r in runs) / 1e6:6.0f} MB  file {os.path.getsize(path) / 1e6:6.1f} MB", flush=True)


def main():
    millions = sys.argv[1] if len(sys.argv) > 1 else "1"
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "many.data")
        subprocess.run([MAKE, recording, millions], check=True)
        show("recording", recording)
        wanted = sum_of(recording)
        for form in FORMATS:
            path = os.path.join(folder, "many." + form)
            subprocess.run([SONDE, "export", "--to", form, "-o", path, "-i", recording], check=True)
            show(form, path)
            if sum_of(path) != wanted or not wanted:
                sys.exit(f"import: {form} has not the sum of the recording")


if __name__ == "__main__":
    main()

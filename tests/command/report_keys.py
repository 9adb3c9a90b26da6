#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_keys.py: every sort key that the newest perf lists is one of ours"""
import os
import re
import subprocess
import sys
import tempfile

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import perf_data as pd  # noqa: E402

corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
perf = os.environ.get("SONDE_NEWEST_PERF", os.path.join(corpus, "..", "tools", "newest-perf"))


def keys(recording):
    """The words of perf's list, which it prints for a key that it does not know."""
    done = subprocess.run([perf, "report", "-i", recording, "--sort", "none"], capture_output=True, text=True,
                          check=False)
    return re.search(r"key\(s\):([\w\s]*)", done.stdout + done.stderr)[1].split()


def main():
    if not os.access(perf, os.X_OK):
        print("skipped: there is no newest perf")
        return 77
    bad = branches = 0
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "a")
        with open(recording, "wb") as f:
            f.write(pd.make(pd.comm("demo") + pd.switch(50, 1500) + pd.sample(0x400100), flags=pd.CONTEXT_SWITCH))
        names = keys(recording)
        for name in names:
            done = subprocess.run([os.environ["SONDE"], "report", "-i", recording, "--sort", name],
                                  capture_output=True, text=True, check=False)
            if "this sonde was built without" in done.stderr:
                print(f"{name}: not in this build")
            elif done.returncode == 1 and re.search("need --branch-(stack|history)", done.stderr):
                branches += 1
            elif done.returncode != 0:
                print(f"{name}: {done.stderr}")
                bad += 1
    print(f"{len(names)} keys, {branches} of branches, {bad} wrong")
    return 1 if bad or len(names) < 50 else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill.py [N]: recorders killed at N random moments each, and what is left repaired

Every record that is complete on disk is recovered, no rule of the format is broken, and perf reads the result.
"""
import glob
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIP = 77
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
SEED = 3
WORKLOAD = ["sh", "-c", "while :; do :; done & while :; do ls / >/dev/null; done"]
sonde = os.environ["SONDE"]
newest = os.environ.get("SONDE_NEWEST_PERF", os.path.join(os.environ["SONDE_SOURCE"], "..", "shared", "tools",
                                                          "newest-perf"))


def complete_records(path):
    """How many records lie whole on disk; None when the recorder had not written its header yet."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 104 or data[:8] != b"PERFILE2":
        return None
    at, size = struct.unpack_from("=QQ", data, 40)
    features = struct.unpack_from("=4Q", data, 72)
    end = len(data) if size == 0 or not any(features) else at + size
    count = 0
    if at < 104:
        return None
    while at + 8 <= end:
        kind, _, size = struct.unpack_from("=IHH", data, at)
        if kind == 0 or kind > 86 or size < 8 or at + size > end:
            break
        at += size
        count += 1
    return count


def killed(command, path, delay):
    """Records for so long, then kills the recorder and its workload."""
    p = subprocess.Popen([*command, "-o", path, "--", *WORKLOAD], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    time.sleep(delay)
    os.killpg(p.pid, signal.SIGKILL)
    p.wait()


def killed_files(path):
    """The file at hand, and those that were finished before it when the output was switched."""
    return sorted(name for name in glob.glob(path + "*") if not name.endswith(".mended"))


def reads(tool, path):
    r = subprocess.run([tool, "script", "-i", path], capture_output=True, timeout=60)
    return r.returncode == 0


def check(path, tools, compressed=False):
    """What is wrong, or None. In a compressed file more records are recovered than lie on disk."""
    complete = complete_records(path)
    out = path + ".mended"
    r = subprocess.run([sonde, "repair", path, out], capture_output=True, text=True, timeout=60)
    if not complete:
        return None if r.returncode in (0, 1) else f"repair ended with {r.returncode}"
    if r.returncode != 0:
        return f"not repaired: {r.stderr}"
    found = json.loads(subprocess.run([sonde, "check", "--json", out], capture_output=True, text=True,
                                      timeout=60).stdout)
    if found["records"] != complete and not compressed:
        return f"{found['records']} records recovered of {complete}"
    if found["errors"]:
        return f"breaks rules: {found['findings']}"
    for tool in tools:
        if not reads(tool, out):
            return f"{tool} cannot read it"
    return None


perf = shutil.which("perf")
with tempfile.TemporaryDirectory() as tmp:
    recorders = {"sonde": [sonde, "record", "-e", "cpu-clock", "-F", "4000", "-g", "-a"]}
    if perf:
        recorders["perf"] = [perf, "record", "-e", "cpu-clock", "-F", "4000", "-g", "-a"]
    # few: each mode has its own moments, but the same writer
    modes = {
        "switched": ["--switch-output=64K", "--switch-max-files", "3"],
        "compressed": ["-z"],
        "windows": ["-D", "10-100,150-300,350-900"],
        "snapshot": ["--overwrite"],
    }
    trial = subprocess.run([*recorders["sonde"], "-o", os.path.join(tmp, "trial"), "--", "true"], capture_output=True)
    if trial.returncode != 0:
        print(f"skipped: nothing can be recorded here: {trial.stderr.decode(errors='replace').strip()}")
        sys.exit(SKIP)
    tools = [t for t in (perf, newest if os.access(newest, os.X_OK) else None) if t]
    rnd = random.Random(SEED)
    bad = with_records = 0
    for i in range(RUNS):
        for name, command in recorders.items():
            path = os.path.join(tmp, f"{name}.{i}")
            killed(command, path, rnd.uniform(0.05, 0.9))
            if not os.path.exists(path):
                continue
            wrong = check(path, tools)
            with_records += bool(complete_records(path))
            if wrong:
                print(f"{name} {i}: {wrong}")
                bad += 1
    for mode, options in modes.items():
        for i in range(max(RUNS // 5, 1)):
            path = os.path.join(tmp, f"{mode}.{i}")
            killed([*recorders["sonde"], *options], path, rnd.uniform(0.05, 0.9))
            for name in killed_files(path):
                wrong = check(name, tools, mode == "compressed")
                if wrong:
                    print(f"{mode} {i}: {os.path.basename(name)}: {wrong}")
                    bad += 1
    print(f"modes: {', '.join(modes)}")
    print(f"{RUNS} kills each of {', '.join(recorders)}: {with_records} left records, {bad} were not repaired")
    if not with_records:
        sys.exit("no recorder was killed late enough")
sys.exit(1 if bad else 0)

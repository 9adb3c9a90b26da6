# SPDX-License-Identifier: MIT
"""recordings.py - what the tests share: recordings of tests/data, the command sonde, its exports as an oracle"""
import json
import os
import subprocess
import sys

SOURCE = os.environ["SONDE_SOURCE"]
SONDE = os.environ["SONDE"]
CORPUS = os.environ.get("SONDE_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
sys.path.append(os.path.join(SOURCE, "tests"))
import perf_data  # noqa: E402,F401  pylint: disable=unused-import
import shipped_data  # noqa: E402

SHIPPED = ("callgraph.data", "dwarf.data", "groups.data", "tracepoints.data", "tasks.data", "packed.data", "v6.dat",
           "v7.dat", "stacks.dat", "buffers.dat", "uprobes.data")


def shipped(folder, name):
    """The path of a recording of tests/data."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        with open(path, "wb") as f:
            f.write(shipped_data.unpack(name))
    return path


def run(*words):
    return subprocess.run([SONDE, *words], capture_output=True, check=True, encoding="utf-8").stdout


def exported(path, *options):
    """The samples of a recording as `sonde export --to json-lines` tells them."""
    lines = [json.loads(line) for line in run("export", "--to", "json-lines", "-i", path, *options).splitlines()]
    start = next((int(x["start_ns"]) for x in lines if x["kind"] == "clock"), 0)
    for x in lines:
        if x["kind"] in ("sample", "tracepoint"):
            x["time"] = x["t"] + start if "t" in x else None
            yield x


def written(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path

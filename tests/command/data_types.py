#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""data_types.py: report --sort type, typeoff, typecln and symoff, compared with the newest perf"""
import collections
import os
import platform
import shutil
import subprocess
import sys
import tempfile

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import each_byte  # noqa: E402

SONDE = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
PERF = os.environ.get("SONDE_NEWEST_PERF", os.path.join(corpus, "..", "tools", "newest-perf"))
CC = os.environ.get("CC", "cc").split()
SKIP = 77
# Some of what a function touches, however it is compiled: beginnings of texts of typeoff.
EXPECTED = {
    "touch_list": ["node_t +0x8 (value)", "node_t +0x14 (at.y)", "node_t +0x22 (high)", "node_t +0 (next)"],
    "touch_typedef": ["node_t +0x18 (number.i)", "node_t +0x24 (flag:1)", "node_t +0x28 (name)"],
    "touch_nested": ["struct node +0x60 (nearest)", "struct point +0 (x)", "struct point +0x4 (y)"],
    "touch_structs": ["struct pixel +0 (colour)", "struct pixel +0x4 (depth)"],
    "touch_globals": ["int[] +0x8 (no field)", "struct point +0 (x)", "struct pixel[] +0x1c (no field)",
                      "long int[] +0x88 (no field)"],
    "touch_chars": ["char +0 (no field)"],
    "touch_members": ["struct point +0 (x)", "long int +0 (no field)"],
    "touch_call": ["node_t +0x8 (value)", "(stack operation)"],
    "differ_guard": ["(stack canary)"],
}
bad = []


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)


def compile_program(folder, name, *options):
    path = os.path.join(folder, name)
    done = run(*CC, "-g", "-w", *options, "-o", path,
               os.path.join(source, "tests", "command", "data_types.c"))
    if done.returncode:
        sys.exit(f"the program cannot be compiled: {done.stderr}")
    return path


def record_each_byte(path, wanted="touch_|differ_"):
    recording = f"{path}.{len(wanted)}.data"
    with open(recording, "wb") as f:
        f.write(each_byte.record(path, wanted))
    return recording


def rows(tool, recording, keys):
    """Period by the texts of the keys; perf cuts columns that it is not told to be wide."""
    words = ["--stdio", "-i", recording, "-F", "overhead,period," + keys, "--sort", keys, "-t", "\t",
             "-w", "9,12" + ",200" * (keys.count(",") + 1)]
    done = run(tool, "report", *words)
    found = collections.Counter()
    for line in done.stdout.splitlines():
        fields = [field.strip() for field in line.split("\t")]
        if not line.startswith("#") and len(fields) == keys.count(",") + 3:
            found[tuple(fields[2:])] += int(fields[1])
    if done.returncode or not found:
        bad.append(f"{' '.join(words)}: no rows: {done.stderr}")
    return found


def types_by_place(tool, recording):
    """{"[.] function+0x12": "struct node +0x8 (value)"}"""
    return {place: type_ for type_, place in rows(tool, recording, "typeoff,symoff")}


def check_expected(name, places):
    for function, wanted in EXPECTED.items():
        have = {text for place, text in places.items() if place.startswith(f"[.] {function}+")}
        missing = [text for text in wanted if text not in have]
        if missing:
            bad.append(f"{name}: {function} has no {', '.join(missing)}: {sorted(have)}")


def check_against_perf(name, program, recording, mine):
    theirs = types_by_place(PERF, recording)
    compared = 0
    for place in sorted(set(mine) | set(theirs)):
        if not place.startswith("[.] touch_"):
            continue
        compared += 1
        if mine.get(place) != theirs.get(place):
            bad.append(f"{name}: {place}: sonde {mine.get(place)}, perf {theirs.get(place)}")
    alike = record_each_byte(program, "touch_")
    for keys in ("type", "typeoff", "typecln", "type,typeoff", "type,sym", "symoff"):
        ours, perfs = rows(SONDE, alike, keys), rows(PERF, alike, keys)
        if ours != perfs:
            bad.append(f"{name}: --sort {keys}: {sorted(ours.items() ^ perfs.items())}")
    return compared


def check_live(folder, tools):
    """A recording of the real program: the shares of its functions, by both tools."""
    program = compile_program(folder, "live", "-O2", "-fno-asynchronous-unwind-tables")
    for name, tool in tools.items():
        recording = os.path.join(folder, name + ".data")
        done = run(tool, "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", recording, program, "1000000")
        if done.returncode:
            bad.append(f"{name} record: {done.stderr}")
            continue
        shares = [{k: v for k, v in rows(t, recording, "type,sym").items() if k[1].startswith("[.] touch_")}
                  for t in tools.values()]
        if any(s != shares[0] for s in shares) or not shares[0]:
            bad.append(f"recorded by {name}: {shares}")


def main():
    if platform.machine() != "x86_64" or not shutil.which(CC[0]):
        print("skipped: it needs a compiler for x86-64")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=folder, XDG_CACHE_HOME=folder, PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="", LC_ALL="C")
        probe = compile_program(folder, "probe")
        recording = record_each_byte(probe)
        done = run(SONDE, "report", "-i", recording, "--sort", "type")
        if "was built without it" in done.stderr and done.returncode == 2:
            print("skipped: this sonde was built without capstone")
            return SKIP
        tools = {"sonde": SONDE}
        if os.access(PERF, os.X_OK):
            tools["perf"] = PERF
        compared = 0
        for level in ("-O0", "-O1", "-O2"):
            with_frames = compile_program(folder, "frames" + level, level, "-fno-asynchronous-unwind-tables")
            usual = compile_program(folder, "usual" + level, level)
            recording = record_each_byte(with_frames)
            mine = types_by_place(SONDE, recording)
            check_expected(level, mine)
            if types_by_place(SONDE, record_each_byte(usual)) != mine:
                bad.append(f"{level}: .eh_frame and .debug_frame give different types")
            if "perf" in tools:
                compared += check_against_perf(level, with_frames, recording, mine)
        check_live(folder, tools)
    for text in bad:
        print(text)
    print(f"{compared} places compared with perf, {len(bad)} wrong")
    if not bad and "perf" not in tools:
        print("skipped in part: there is no newest perf")
        return SKIP
    return 1 if bad else 0


sys.exit(main())

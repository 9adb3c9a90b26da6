#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""symbols.py: which binaries a recording needs, and for each kind of lack its reason and its command"""
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
HAS_ID = 1 << 14
OTHER_ID = bytes(range(1, 21))
KERNEL_TEXT = 0xffffffff81000000
ID_INDEX, GUEST_KERNEL, GUEST_USER = 69, 4, 5
# root without the right to read whatever it wants
SETPRIV = ["setpriv", *(f"--{caps}=-dac_override,-dac_read_search" for caps in ("inh-caps", "bounding-set"))]


def place(build_id):
    return bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0") if build_id else bytes(24)


def mapping(addr, name, build_id, misc=pd.USER):
    return pd.mmap2(addr, 0x1000, name, place(build_id), misc | (HAS_ID if build_id else 0))


def build_id_of(path):
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(text.split("Build ID:")[1].split()[0])


def run(*args):
    env = {**os.environ, "DEBUGINFOD_URLS": ""}
    return subprocess.run([SONDE, "symbols", "--buildid-dir", "", *args], capture_output=True, text=True, timeout=600,
                          check=False, env=env)


def compile_program(path, *flags):
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write("int main(void) { return 0; }\n")
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-g", "-Wl,--build-id", *flags, "-o", path, path + ".c"],
                   check=True)


def check_guest(tmp):
    """A program and the kernel of a guest, whose samples an id tells."""
    guest = 6
    records = pd.record(ID_INDEX, 0, struct.pack("<Q4Q2Q", 1, guest, 0, 0, 2**64 - 1, 3001, 0))
    for misc, pid, addr, name in ((GUEST_USER, 50, 1 << 20, "/bin/there"),
                                  (GUEST_KERNEL, 3001, KERNEL_TEXT, "[guest.kernel.kallsyms.3001]_text")):
        records += pd.record(pd.MMAP, misc, struct.pack("<iIQQQ", pid, pid, addr, 0x1000, addr) + pd.text(name) +
                             struct.pack("<IIQQ", 50, 50, 1000, guest))
        records += pd.sample(addr + 0x10, misc=misc, event=guest)
    path = os.path.join(tmp, "guest.data")
    with open(path, "wb") as f:
        f.write(pd.make(records, ids=([pd.EVENT_ID, guest],)))
    out = run("--json", path)
    found = {b["dso"]: (b["missing"], b["reason"]) for b in json.loads(out.stdout)["binaries"]}
    want = {"/bin/there": ("guest", "/bin/there: is on a guest: give --symfs"),
            "[guest.kernel.kallsyms.3001]": ("guest", "the kernel of a guest: give its kallsyms or vmlinux")}
    return [] if found == want else [f"a guest: {found}"]


def check_permission(tmp):
    """A program that the user cannot read."""
    locked, path = os.path.join(tmp, "locked"), os.path.join(tmp, "locked.data")
    with open(locked, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0)) as f:
        f.write("a program")
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("prog") + mapping(1 << 20, locked, b"") + pd.sample((1 << 20) + 0x10)))
    words = [SONDE, "symbols", "--buildid-dir", "", "--json", path]
    if os.geteuid() == 0:
        words = SETPRIV + words
    out = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if out.returncode and os.geteuid() == 0:
        print(f"skipped: root cannot do without its rights here: {out.stderr}")
        return []
    found = json.loads(out.stdout)["binaries"][0]
    if (found["missing"], found["reason"]) == ("permission", f"{locked}: cannot open: Permission denied"):
        return []
    return [f"a program that cannot be read: {found}"]


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        whole, stripped, text = (os.path.join(tmp, name) for name in ("whole", "stripped", "text"))
        compile_program(whole)
        compile_program(stripped, "-s")
        with open(text, "w", encoding="utf-8") as f:
            f.write("no program")
        # name, build id, mode, place of the symbols, lack, parts of the reason, parts of the command
        rows = [
            (whole, build_id_of(whole), pd.USER, "file", None, [], []),
            (stripped, build_id_of(stripped), pd.USER, "file", "stripped", [],
             ["build it with -g", "debuginfod-find debuginfo " + build_id_of(stripped).hex()]),
            (whole + "2", OTHER_ID, pd.USER, None, "other build id", [OTHER_ID.hex(), build_id_of(whole).hex()],
             ["debuginfod-find executable " + OTHER_ID.hex()]),
            (os.path.join(tmp, "gone (deleted)"), OTHER_ID, pd.USER, None, "deleted", ["gone"],
             ["debuginfod-find executable"]),
            (os.path.join(tmp, "nowhere"), OTHER_ID, pd.USER, None, "no file", ["nowhere"],
             ["debuginfod-find executable"]),
            (os.path.join(tmp, "unknown"), b"", pd.USER, None, "no build id", ["unknown"], ["--build-id"]),
            (text, b"", pd.USER, None, "damaged", ["text"], []),
            ("//anon", b"", pd.USER, None, "no map", ["perf-50.map"], ["perf-basic-prof"]),
            ("[vdso]", OTHER_ID, pd.USER, None, "other vdso", ["another build id"], []),
        ]
        os.link(whole, whole + "2")
        records = pd.comm("prog")
        for i, (name, build_id, misc, *_) in enumerate(rows):
            records += mapping((i + 1) << 20, name, build_id, misc)
            records += pd.sample(((i + 1) << 20) + 0x10) * (i + 1)
        # the kernel's record has its reference symbol behind the name, and its address as the offset
        records += pd.record(pd.MMAP2, pd.KERNEL | HAS_ID,
                             struct.pack("<iIQQQ", -1, 0, KERNEL_TEXT, 0x1000, KERNEL_TEXT) + place(OTHER_ID) +
                             struct.pack("<II", 5, 2) + pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0))
        records += pd.sample(KERNEL_TEXT + 0x20, misc=pd.KERNEL) * 20
        rows.append(("[kernel.kallsyms]", OTHER_ID, pd.KERNEL, None, "other kernel", ["another build id"],
                     ["--kallsyms"]))
        # mapped, and without samples
        records += mapping(0x40000000, os.path.join(tmp, "idle"), OTHER_ID)
        path = os.path.join(tmp, "made.data")
        with open(path, "wb") as f:
            f.write(pd.make(records))

        out = run("--json", path)
        if out.returncode or out.stderr:
            bad.append(f"--json: status {out.returncode}: {out.stderr}")
        found = {b["dso"]: b for b in json.loads(out.stdout)["binaries"]}
        for i, (name, build_id, misc, where, lack, reasons, commands) in enumerate(rows):
            shown = "/tmp/perf-50.map" if name == "//anon" else name
            b = found.pop(shown, None)
            if b is None:
                bad.append(f"{name} is not listed")
                continue
            samples = 20 if misc == pd.KERNEL else i + 1
            if (b["samples"], b["self"], b["found"], b["missing"]) != (samples, samples, where, lack):
                bad.append(f"{name}: {b}")
            if b["build_id"] != (build_id.hex() or None):
                bad.append(f"{name}: build id {b['build_id']}")
            bad += [f"{name}: the reason {b['reason']!r} lacks {r}" for r in reasons if r not in (b["reason"] or "")]
            bad += [f"{name}: the command {b['get']!r} lacks {c}" for c in commands if c not in (b["get"] or "")]
            if (b["symbols"], b["lines"], b["unwind"], b["code"]) != (where is not None and lack is None,
                                                                      lack is None, where is not None,
                                                                      where is not None) and lack != "stripped":
                bad.append(f"{name} gives: {b}")
        if found:
            bad.append(f"listed besides: {list(found)}")

        out = run("--missing", "-x", ",", path)
        lines = [line.split(",") for line in out.stdout.splitlines()]
        if out.returncode != 1 or len(lines) != len(rows) - 1 or any(line[6] == whole for line in lines):
            bad.append(f"--missing: status {out.returncode}: {out.stdout}")
        out = run("--all", "--missing", path)
        if os.path.join(tmp, "idle") + ": no file\n  why: " not in out.stdout:
            bad.append(f"--all: {out.stdout}")
        if out.stdout.splitlines()[0].split() != ["Samples", "Self", "Build", "id", "Found", "Gives", "Missing",
                                                  "Binary"]:
            bad.append(f"title: {out.stdout}")

        only = os.path.join(tmp, "whole.data")
        with open(only, "wb") as f:
            f.write(pd.make(pd.comm("prog") + mapping(1 << 20, whole, build_id_of(whole)) +
                            pd.sample((1 << 20) + 0x10)))
        out = run("--missing", only)
        if out.returncode or out.stdout:
            bad.append(f"nothing is missing: status {out.returncode}: {out.stdout}")
        with open(only, "wb") as f:
            f.write(pd.make(pd.comm("prog") + mapping(1 << 20, os.path.join(tmp, "a\033[31mb"), OTHER_ID) +
                            pd.sample((1 << 20) + 0x10)))
        if "\033" in run(only).stdout + run("-x", ";", only).stdout:
            bad.append("control characters of a name are printed")
        if run("--json", "-x", ",", only).returncode != 2:
            bad.append("--json with -x is no usage error")
        bad += check_guest(tmp) + check_permission(tmp)
    for line in bad:
        print(line, file=sys.stderr)
    sys.exit(bool(bad))


main()

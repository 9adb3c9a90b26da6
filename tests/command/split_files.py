#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""split_files.py: .dwo files, .dwp packages and the file of dwz: where they are found, and the words if they are not

Each program is compiled anew; a recording has a sample at each byte of its functions.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import each_byte
import perf_data as pd

SONDE = os.environ["SONDE"]
SKIP = 77
CONTEXT_USER, BUILD_ID_OF_MMAP2 = 2**64 - 512, 1 << 14
SOURCE = """volatile int sink;
static inline __attribute__((always_inline)) int inner(int x) { sink = x; return sink + NUMBER; }
int outer(int x) { return inner(x) * 2; }
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""


def run(*words, cwd=None):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False, cwd=cwd)


def build(tmp, number, *options):
    """Below tmp: prog, and prog-prog.dwo or the like if it is split."""
    with open(os.path.join(tmp, "prog.c"), "w", encoding="ascii") as f:
        f.write(SOURCE)
    return run("gcc", "-O2", "-g", f"-DNUMBER={number}", "-c", "-Wl,--build-id", *options, "prog.c", "-o", "prog.o",
               cwd=tmp).returncode == 0 and \
        run("gcc", "-Wl,--build-id", "prog.o", "-o", "prog", cwd=tmp).returncode == 0


def build_id(path):
    return re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path).stdout).group(1)


def record(tmp):
    """With the build id of the program, and callchains of one function."""
    program, path = os.path.join(tmp, "prog"), os.path.join(tmp, "prog.data")
    found, (offset, addr, size) = each_byte.functions(program)
    start, end = offset & -each_byte.PAGE, (offset + size + each_byte.PAGE - 1) & -each_byte.PAGE
    own = bytes.fromhex(build_id(program))
    data = pd.comm("prog") + pd.record(pd.MMAP2, pd.USER | BUILD_ID_OF_MMAP2, struct.pack(
        "<iIQQQB3x20sII", 50, 50, each_byte.BASE + start, end - start, start, len(own), own, 5, 2) + pd.text(program) +
        pd.trailer(1000))
    for at in [at + i for name, at, length in found if name == "outer" for i in range(length)]:
        ip = each_byte.BASE + at - addr + offset
        data += pd.sample(ip, 2000, more=struct.pack("<3Q", 2, CONTEXT_USER, ip))
    with open(path, "wb") as f:
        f.write(pd.make(data, sample_type=pd.CALLCHAIN))
    return path


def inlined(path, *options):
    """Whether inlined functions are shown, and the warnings."""
    shown = run(SONDE, "report", "--stdio", "--no-children", "-g", "caller,0", *options, "-i", path)
    return "inner" in shown.stdout, [line for line in shown.stderr.splitlines() if "Warning" in line]


def want(what, path, shown, words, bad, *options):
    """words: a regular expression for the only warning; None: there is none."""
    found, warnings = inlined(path, *options)
    if found != shown:
        bad.append(f"{what}: lines of inlined functions: {found}, expected {shown}")
    if [bool(re.search(words, line)) for line in warnings] != [True] if words else warnings:
        bad.append(f"{what}: warnings {warnings}, expected {words}")


def check_dwo(tmp, bad):
    if not build(tmp, 1, "-gsplit-dwarf"):
        return False
    path, dwo, kept = record(tmp), os.path.join(tmp, "prog.dwo"), os.path.join(tmp, "kept.dwo")
    want("a .dwo", path, True, None, bad)
    os.rename(dwo, kept)
    missing = r"prog: .*prog needs prog\.dwo \(id [0-9a-f]{16}\) for lines and inlined functions, which was not found$"
    found, warnings = inlined(path)
    if [bool(re.search(missing, line)) for line in warnings] != [True]:
        bad.append(f"without the .dwo: warnings {warnings}")
    for options in ("-q",), ("--no-inline",):
        if inlined(path, *options)[1]:
            bad.append(f"report {options} without the .dwo: warnings {inlined(path, *options)[1]}")
    page = os.path.join(tmp, "page.html")
    for words in ["report", "--html", page], ["export", "--to", "folded"], ["export", "--to", "json"]:
        text = run(SONDE, *words, "-i", path).stderr
        if len(re.findall(missing, text, re.M)) != 1:
            bad.append(f"{words} without the .dwo: {text}")
    text = run(SONDE, "script", "-F", "+srcline", "-i", path)
    if len(re.findall(missing, text.stderr, re.M)) != 1:
        bad.append(f"script without the .dwo: {text.stderr}")
    if "needs" in run(SONDE, "script", "-q", "-F", "+srcline", "-i", path).stderr:
        bad.append("script -q warns of the .dwo")
    ids = build_other(tmp, dwo, bad)
    want("another .dwo", path, False, rf"{dwo} has the id {ids}, .*prog needs (?!{ids})[0-9a-f]{{16}}$", bad)
    os.replace(kept, dwo)
    want("the .dwo again", path, True, None, bad)
    return True


def build_other(tmp, dwo, bad):
    """The .dwo of another program; its id."""
    other = os.path.join(tmp, "other")
    os.makedirs(other)
    if not build(other, 2, "-gsplit-dwarf"):
        bad.append("no second program")
    shutil.copy(os.path.join(other, "prog.dwo"), dwo)
    text = run("readelf", "--debug-dump=info", dwo).stdout
    found = re.search(r"(?:DWO ID|dwo_id)\s*:? *(?:0x)?([0-9a-f]+)", text)
    return found.group(1).zfill(16) if found else "[0-9a-f]{16}"


def check_package(tmp, bad):
    """The package lies beside the program, which is not there any more; its debug file has another place."""
    if not shutil.which("dwp") or not build(tmp, 3, "-gsplit-dwarf", "-gdwarf-4"):
        return False
    path, program, root = record(tmp), os.path.join(tmp, "prog"), os.path.join(tmp, "root")
    if run("dwp", "-e", "prog", "-o", "prog.dwp", cwd=tmp).returncode:
        return False
    os.remove(os.path.join(tmp, "prog.dwo"))
    want("a .dwp", path, True, None, bad)
    place = os.path.join(root + tmp, ".debug")
    os.makedirs(place)
    run("objcopy", "--only-keep-debug", program, os.path.join(place, "prog.debug"))
    run("objcopy", "--strip-all", "--add-gnu-debuglink=" + os.path.join(place, "prog.debug"), program)
    os.rename(program, os.path.join(root + tmp, "prog"))
    shutil.copy(os.path.join(tmp, "prog.dwp"), os.path.join(root + tmp, "prog.dwp"))
    want("a .dwp below --symfs", path, True, None, bad, "--symfs", root)
    want("a .dwp below --sysroot", path, True, None, bad, "--sysroot", root)
    os.rename(os.path.join(root + tmp, "prog"), program)
    own = build_id(program)
    cached = os.path.join(os.environ["PERF_BUILDID_DIR"], ".build-id", own[:2], own[2:])
    os.makedirs(cached)
    os.rename(program, os.path.join(cached, "elf"))
    os.rename(os.path.join(place, "prog.debug"), os.path.join(cached, "debug"))
    os.environ["XDG_CACHE_HOME"] = os.path.join(tmp, "cache")   # without the index of these files
    want("a .dwp beside a program that is cached", path, True, None, bad, "--buildid-dir",
         os.environ["PERF_BUILDID_DIR"])
    other = os.path.join(tmp, "other")
    os.makedirs(other)
    if build(other, 4, "-gsplit-dwarf", "-gdwarf-4") and \
            run("dwp", "-e", "prog", "-o", "prog.dwp", cwd=other).returncode == 0:
        os.remove(os.path.join(tmp, "prog.dwp"))
        shutil.copy(os.path.join(other, "prog.dwp"), program + ".dwp")
        shutil.rmtree(root)
        build(tmp, 3, "-gsplit-dwarf", "-gdwarf-4")
        os.remove(os.path.join(tmp, "prog.dwo"))
        want("another .dwp", record(tmp), False, r"prog\.dwp has no unit with id [0-9a-f]{16}, which .*prog needs", bad)
    return True


def check_supplement(tmp, bad):
    if not shutil.which("dwz") or not build(tmp, 5, "-gdwarf-4"):
        return False
    shutil.copy(os.path.join(tmp, "prog"), os.path.join(tmp, "twin"))
    path = record(tmp)
    if run("dwz", "-m", "common", "-r", "prog", "twin", cwd=tmp).returncode or \
            not os.path.exists(os.path.join(tmp, "common")):
        return False
    want("dwz", path, True, None, bad)
    common = os.path.join(tmp, "common")
    own = build_id(common)
    os.rename(common, common + ".kept")
    missing = rf"needs common \(build id {own}\) for names and inlined functions, which was not found$"
    if not any(re.search(missing, line) for line in inlined(path)[1]):
        bad.append(f"without the file of dwz: warnings {inlined(path)[1]}")
    shutil.copy(os.path.join(tmp, "prog"), common)
    other = build_id(common)
    if not any(re.search(rf"common has the build id {other}, .*prog needs {own}$", line) for line in inlined(path)[1]):
        bad.append(f"with another file of dwz: warnings {inlined(path)[1]}")
    return True


def main():
    bad, done = [], []
    if os.uname().machine != "x86_64" or not shutil.which("gcc") or not shutil.which("readelf"):
        print("skipped: the programs are made by gcc for x86-64")
        return SKIP
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(HOME=tmp, XDG_CACHE_HOME=tmp, PERF_BUILDID_DIR=os.path.join(tmp, "buildids"), LC_ALL="C",
                          DEBUGINFOD_URLS="")
        for check in check_dwo, check_package, check_supplement:
            place = os.path.join(tmp, check.__name__)
            os.makedirs(place)
            if check(place, bad):
                done.append(check.__name__)
    print("\n".join(bad[:20]))
    print(f"done: {done}")
    return 1 if bad or "check_dwo" not in done else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names_of_address.py: the one name of an address that has several, as docs/symbol-names.md says, beside gdb's

A recording has a sample at each function of the C library and of programs that are made here.
"""
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
CC = shlex.split(os.environ.get("CC", "cc"))
BASE = 1 << 32
LIBRARY = r"""
int old_answer(void) { return 1; }
int __answer(void) { return 2; }
extern int answer(void) __attribute__((weak, alias("__answer")));
static int local_one(void) __attribute__((used));
static int local_one(void) { return 3; }
extern int weak_one(void) __attribute__((weak, alias("local_one")));
int plain(void) { return 4; }
int cplain(void) __attribute__((alias("plain")));
int changed_1(void) { return 5; }
int changed_2(void) { return 6; }
__asm__(".symver old_answer, plain_old@V1");
__asm__(".symver cplain, aplain@V1");
__asm__(".symver changed_1, changed@V1");
__asm__(".symver changed_2, changed@@V2");
"""
VERSIONS = "V1 { global: answer; __answer; weak_one; plain; local: *; };\nV2 { } V1;\n"
LABELS = r"""
	.text
	.globl _start
	.type _start, @function
_start:
.Lstart:
	nop
.Linside:
	nop
	.size _start, . - _start
	.type .Lworse, @function
	.globl second
	.type second, @function
.Lworse:
second:
	nop
	.size .Lworse, . - .Lworse
	.size second, . - second
	.globl unsized
unsized:
	nop
.Lbehind:
	nop
"""


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300, check=True, **more)
    return done.stdout


def functions(path):
    """Address -> names of the functions there."""
    found = {}
    for line in run("readelf", "-sW", path).splitlines():
        words = line.split()
        if len(words) > 7 and words[3] in ("FUNC", "IFUNC") and words[6].isdigit():
            found.setdefault(int(words[1], 16), set()).add(words[7])
    return found


def code_segments(path):
    """(offset, address, size) of each."""
    for line in run("readelf", "-lW", path).splitlines():
        words = line.split()
        if words and words[0] == "LOAD" and "E" in words[6:-1]:
            yield int(words[1], 16), int(words[2], 16), int(words[4], 16)


def names(path, addresses, tmp):
    """What sonde calls them."""
    records = pd.comm("prog")
    for offset, addr, size in code_segments(path):
        down = addr % 4096
        records += pd.record(pd.MMAP2, pd.USER, struct.pack(
            "<iIQQQ", 50, 50, BASE + addr - down, size + down, offset - down) + bytes(24) + struct.pack("<II", 5, 2) +
            pd.text(path) + pd.trailer(1000))
    for i, addr in enumerate(addresses):
        records += pd.sample(BASE + addr, time=2000 + i)
    data = os.path.join(tmp, "names.data")
    with open(data, "wb") as f:
        f.write(pd.make(records))
    env = {**os.environ, "XDG_CACHE_HOME": os.path.join(tmp, "cache")}
    lines = [line.split(None, 1) for line in run(SONDE, "script", "-i", data, "-F", "ip,sym", env=env).splitlines()]
    return {int(line[0], 16) - BASE: line[1] if len(line) > 1 else "" for line in lines if line}


def names_of_gdb(path, addresses, tmp):
    commands = os.path.join(tmp, "commands")
    with open(commands, "w", encoding="utf-8") as f:
        f.writelines(f"info symbol {addr:#x}\n" for addr in addresses)
    lines = run("gdb", "-nx", "-batch", "-x", commands, path).splitlines()
    lines = [line for line in lines if " in section " in line or line.startswith("No symbol matches")]
    assert len(lines) == len(addresses)
    return {addr: line.split(" in section ")[0] for addr, line in zip(addresses, lines)}


def check_library_of_c(tmp):
    lines = map(str.split, run("ldd", SONDE).splitlines())
    library = next((words[2] for words in lines if words[0].startswith("libc.so")), None)
    if not library:
        return "a C library of ELF (names of it)"
    path = os.path.realpath(library)
    of = functions(path)
    found = names(path, sorted(of), tmp)
    assert len(found) == len(of)
    assert not any("@" in name or name.startswith(".L") for name in found.values())
    for name in ("free", "malloc", "read", "write", "mmap", "signal", "getenv", "fopen", "pthread_mutex_unlock"):
        addr = next((a for a, all_of in of.items() if any(n.split("@")[0] == name for n in all_of)), None)
        assert addr is None or found[addr] == name, (name, found[addr])
    if not shutil.which("gdb"):
        return "gdb"
    gdb = names_of_gdb(path, sorted(of), tmp)
    same = sum(found[a] == gdb[a] for a in of)
    print(f"{path}: {len(of)} addresses, {same} as gdb names them")
    # gdb takes the last name of the file where several are as good
    assert same > len(of) * 0.9
    assert sum(found[a] != gdb[a] and "@" in gdb[a] for a in of) == 0
    return None


def check_versions(tmp):
    """The same with and without .symtab, except for functions that only .symtab names."""
    source, script, library = (os.path.join(tmp, name) for name in ("v.c", "v.map", "libv.so"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(LIBRARY)
    with open(script, "w", encoding="utf-8") as f:
        f.write(VERSIONS)
    run(*CC, "-shared", "-fPIC", "-O0", "-Wl,--version-script=" + script, "-o", library, source)
    stripped = os.path.join(tmp, "libstripped.so")
    run("strip", "-o", stripped, library)
    of = functions(library)
    full, short = names(library, sorted(of), tmp), names(stripped, sorted(of), tmp)
    assert {"answer", "weak_one", "plain", "changed"} <= set(full.values()), full
    assert not any("@" in name for name in full.values()), full
    exported = {a for a, all_of in functions(stripped).items() if all_of}
    assert exported and all(full[a] == short[a] for a in exported), (full, short)


def check_labels(tmp):
    """A program of 32 bits, whose assembler has kept the labels."""
    source, program = os.path.join(tmp, "labels.s"), os.path.join(tmp, "labels")
    with open(source, "w", encoding="utf-8") as f:
        f.write(LABELS)
    try:
        run(*CC, "-m32", "-static", "-nostdlib", "-Wa,-L", "-o", program, source)
    except subprocess.CalledProcessError:
        return "a compiler for programs of 32 bits"
    symbols = run("readelf", "-sW", program)
    assert ".Linside" in symbols
    at = int(re.search(r"([0-9a-f]{8}) +\d+ FUNC +GLOBAL +DEFAULT +\d+ _start", symbols)[1], 16)
    found = names(program, range(at, at + 5), tmp)
    assert list(found.values()) == ["_start", "_start", "second", "unsized", "unsized"], found
    return None


def main():
    if not shutil.which("readelf") or not shutil.which("strip"):
        print("readelf and strip are needed")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        check_versions(tmp)
        lacks = [lack for lack in (check_labels(tmp), check_library_of_c(tmp)) if lack]
    if lacks:
        print("not tested for want of", ", ".join(lacks))
    return 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""modules.py: source lines and inlined functions in kernel modules, whose DWARF the kernel's loader would relocate

Modules are object files made by gcc and by clang, for several machines. A recording has a sample at each byte of their
code; functions and lines are those of eu-addr2line or of addr2line, which take addresses of one section. These know
neither foreign machines nor all of clang's DWARF 5: there the code is one section, and llvm-addr2line is asked.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
SKIP = 77
CONTEXT_KERNEL = 2**64 - 128
BASE = 0xffffffffc0100000
SECTIONS = ".text", ".text.other"
SOURCE = """#ifdef ONE_SECTION
#define IN(name)
#else
#define IN(name) __attribute__((section(name)))
#endif
volatile int sink;
static inline __attribute__((always_inline)) void leaf(int x)
{
	sink += x;
	sink ^= 7;
}
static inline __attribute__((always_inline)) int middle(int x)
{
	for (int i = 0; i < x; i++)
		leaf(i);
	return sink;
}
IN(".init.text") int first(int x)
{
	leaf(x + 1);
	return sink;
}
__attribute__((noinline)) int outer(int x)
{
	sink = x;
	return middle(x) + middle(2 * x);
}
IN(".text.other") int other(int x)
{
	leaf(x);
	return outer(x) + 1;
}
"""
LLVM = ("-DONE_SECTION", "llvm-addr2line")
SECTIONS_APART = ("-DSEVERAL_SECTIONS", "eu-addr2line", "addr2line")
MODULES = [(("gcc",), "4", SECTIONS_APART), (("gcc",), "5", SECTIONS_APART), (("clang",), "4", SECTIONS_APART)] + [
    (("clang", "--target=" + machine + "-linux-gnu"), version, LLVM)
    for machine in ("x86_64", "i386", "aarch64", "s390x", "riscv64") for version in ("4", "5")]


def run(*words, stdin=None):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False,
                          input=stdin)


def sections(path):
    """{name: (size, alignment)}"""
    with open(path, "rb") as f:
        data = f.read()
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    at = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count, names = struct.unpack_from(order + "HHH", data, 58 if wide else 46)
    rows = [struct.unpack_from(order + ("IIQQQQIIQQ" if wide else "10I"), data, at + i * size) for i in range(count)]
    text = rows[names][4]
    return {data[text + r[0]:data.index(b"\0", text + r[0])].decode(): (r[5], r[8]) for r in rows}


def layout(path):
    """[(section, its place in the module, size)]"""
    found, end, placed = sections(path), 0, []
    for name, (size, alignment) in found.items():
        if name in SECTIONS:
            end = -(-end // alignment) * alignment
            placed.append((name, end, size))
            end += size
    return placed


def record(path, to):
    """One sample at each byte of the code of a module, for which the recording has no build id."""
    places = [place + i for _, place, size in layout(path) for i in range(size)]
    end = max(places) + 1
    data = pd.comm("prog") + pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, BASE, end + 4096, 0) +
                                       pd.text(path) + pd.trailer(1000))
    for time, place in enumerate(places):
        data += pd.sample(BASE + place, 2000 + time, misc=pd.KERNEL, more=struct.pack(
            "<QQQ", 2, CONTEXT_KERNEL, BASE + place))
    with open(to, "wb") as f:
        f.write(pd.make(data, sample_type=pd.CALLCHAIN))
    return to


def script(path, *options):
    """{place in the module: [(function, line), ...]}"""
    text = run(SONDE, "script", "-F", "ip,sym,srcline", "--full-source-path", *options, "-i", path).stdout
    found = {}
    for block in re.split(r"\n\n+", text.strip("\n")):
        frames = re.findall(r"^\t *([0-9a-f]+) (\S+).*\n  (.*?)( \(inlined\))?$", block, re.M)
        if frames:
            found[int(frames[0][0], 16) - BASE] = [(name, re.sub(r".*/", "", line)) for _, name, line, _ in frames]
    return found


def oracle(path, tool):
    """The same by a tool."""
    found = {}
    for section, place, size in layout(path):
        words = (tool, "-a", "-i", "-f") if "llvm" in tool else (tool, "-a", "-i", "-f", "-j", section)
        text = run(*words, "-e", path, stdin="".join(f"0x{at:x}\n" for at in range(size))).stdout
        for block in re.split(r"^0x", text, flags=re.M)[1:]:
            lines = block.splitlines()
            found[place + int(lines[0], 16)] = [
                (name.split(" ")[0], re.sub(r" \(discriminator \d+\)|.*/|", "", line))
                for name, line in zip(lines[1::2], lines[2::2])]
    return found


def is_same(mine, wanted):
    """llvm-addr2line takes labels of the assembler for functions."""
    return mine == wanted or (wanted[-1][0].startswith(".L") and mine[:-1] == wanted[:-1] and
                              mine[-1][1] == wanted[-1][1])


def check(what, path, tools, bad, tmp):
    """How many places were compared."""
    mine = script(record(path, os.path.join(tmp, "module.data")))
    theirs = [oracle(path, tool) for tool in tools if shutil.which(tool)]
    count = inlined = 0
    for place in sorted(mine):
        wanted = [t[place] for t in theirs if t.get(place) and "?" not in str(t[place])]
        if not wanted:
            continue
        count += 1
        inlined += len(mine[place]) > 1
        if not any(is_same(mine[place], w) for w in wanted):
            bad.append(f"{what} {place:x}: {mine[place]}, expected {' or '.join(map(str, wanted))}")
    if theirs and (count * 4 < len(mine) * 3 or inlined < 10):
        bad.append(f"{what}: {count} places of {len(mine)} were compared, {inlined} with inlined functions")
    return count


def check_debug_file(source, module, tmp, bad):
    """The DWARF of a stripped module is in a file that it names; without that file there are no lines."""
    debug = module + ".debug"
    if run("gcc", "-c", "-g", "-O2", "-o", module, source).returncode or not shutil.which("objcopy"):
        return
    path = record(module, os.path.join(tmp, "debug.data"))
    whole = script(path)
    run("objcopy", "--only-keep-debug", module, debug)
    run("objcopy", "--strip-debug", "--add-gnu-debuglink=" + debug, module)
    if script(path) != whole or "module.c" not in str(whole):
        bad.append("a module with a separate debug file has other lines")
    os.remove(debug)
    if "module.c" in str(script(path)):
        bad.append("a module without DWARF has lines")


def main():
    bad, compared = [], {}
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(HOME=tmp, XDG_CACHE_HOME=tmp, PERF_BUILDID_DIR=os.path.join(tmp, "buildids"), LC_ALL="C",
                          DEBUGINFOD_URLS="")
        source, module = os.path.join(tmp, "module.c"), os.path.join(tmp, "module.ko")
        with open(source, "w", encoding="ascii") as f:
            f.write(SOURCE)
        for compiler, version, (option, *tools) in MODULES:
            words = (*compiler, option, "-c", "-gdwarf-" + version, "-O2", "-o", module, source)
            what = " ".join(compiler) + " DWARF " + version
            if shutil.which(compiler[0]) and run(*words).returncode == 0:
                compared[what] = check(what, module, tools, bad, tmp)
        check_debug_file(source, module, tmp, bad)
    print("\n".join(bad[:20]))
    print(f"places compared: {compared}")
    if not any(compared.values()):
        print("skipped: there is no compiler or no addr2line")
        return SKIP
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

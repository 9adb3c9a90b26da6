#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate.py - sonde annotate, compared with perf annotate --stdio: percentages and addresses line by line"""
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.environ["SONDE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import each_byte  # noqa: E402
import perf_data as pd  # noqa: E402

PERFS = [os.environ.get("SONDE_NEWEST_PERF", os.path.join(SOURCE, "../shared/tools/newest-perf")), "perf"]
CC = os.environ.get("CC", "cc").split()
ROW = re.compile(r" +(\d+\.\d\d) :   +([0-9a-f]+):   +(\S+)(?: +(.*?))?$")


def run(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        return 127, "", str(error)
    return done.returncode, done.stdout, done.stderr


def want(truth, what, shown=""):
    if not truth:
        sys.exit(f"FAILED: {what}\n{shown}")


def annotate(*words, status=0):
    code, out, err = run(SONDE, "annotate", *words)
    want(code == status, f"annotate {' '.join(words)}: exit status {code}, not {status}", err)
    return out, err


def rows(text):
    """(percent, address, name of the instruction) of each"""
    return [ROW.match(line).groups()[:3] for line in text.splitlines() if ROW.match(line)]


def compile_program(folder):
    path, code = os.path.join(folder, "program"), os.path.join(folder, "program.c")
    shutil.copy(os.path.join(SOURCE, "tests/command/annotate.c"), code)
    done = subprocess.run([*CC, "-g", "-O2", "-w", "-o", path, code], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAILED: the program cannot be compiled: {done.stderr}")
    return path


def as_perf(recording, symbol, *more):
    """Every perf that is here, on every row of a function; how many there were"""
    ours, n = rows(annotate("-i", recording, "-s", symbol, *more)[0]), 0
    for perf in PERFS if shutil.which("objdump") else []:
        code, out, err = run(perf, "annotate", "--stdio", "-i", recording, "-s", symbol, *more)
        theirs = rows(out)
        if code == 127 or not theirs:
            continue
        want(ours == theirs, f"{perf}: rows of {symbol}", f"{ours}\n{theirs}")
        n += 1
    return n


def figures(recording):
    out = annotate("-i", recording, "-s", "hot")[0]
    hot = rows(out)
    want(abs(sum(float(p) for p, _, _ in hot) - 100) < 0.01 * len(hot), "the shares of a function are 100 %", out)
    counts = [int(line.split()[0]) for line in annotate("-i", recording, "-s", "hot", "-n")[0].splitlines()
              if re.match(r" +\d+ :", line)]
    ends = [int(address, 16) for _, address, _ in hot][1:]
    sizes = [b - int(a, 16) for (_, a, _), b in zip(hot, ends)]
    want(counts[:-1] == sizes, "a row has the samples up to the next one", f"{counts}\n{sizes}")
    periods = annotate("-i", recording, "-s", "hot", "--show-total-period")[0]
    want(sum(int(line.split()[0]) for line in periods.splitlines() if re.match(r" +\d+ :", line)) >= sum(counts),
         "periods", periods)
    shares = rows(annotate("-i", recording, "-s", "hot", "--percent-type", "global-hits")[0])
    want(sum(float(p) for p, _, _ in shares) < 90, "shares of all samples")


def sources(recording, folder):
    out = annotate("-i", recording, "-s", "hot")[0]
    numbered = re.findall(r"^ +: (\d+) +(.*)$", out, re.M)
    with open(os.path.join(folder, "program.c"), encoding="utf-8") as f:
        lines = f.read().expandtabs(8).splitlines()
    want(numbered and all(lines[int(n) - 1].strip() == text.strip() for n, text in numbered), "lines of source", out)
    want("inner((int)i) / 5" in out, "a line with an inlined function", out)
    want(" : 1" not in annotate("-i", recording, "-s", "hot", "--no-source")[0], "--no-source")
    summary = annotate("-i", recording, "-s", "hot", "-l")[0]
    want(re.search(r"^Sorted summary for file .*/program\n-+\n\n +\d+\.\d\d program.c:\d+\n", summary, re.M),
         "a summary by line", summary)
    want(re.search(r" // program.c:\d+$", summary, re.M), "lines of instructions", summary)
    want(f" {folder}/program.c:" in annotate("-i", recording, "-s", "hot", "-l", "-P")[0], "-P shows whole paths")

    elsewhere = os.path.join(folder, "moved", "deep")
    os.makedirs(elsewhere)
    shutil.move(os.path.join(folder, "program.c"), elsewhere)
    gone = annotate("-i", recording, "-s", "hot")[0]
    want("inner((int)i)" not in gone and re.search(r"^ +: +program.c:\d+$", gone, re.M), "a source that is gone", gone)
    want("inner((int)i)" in annotate("-i", recording, "-s", "hot", "--source-dir", elsewhere)[0], "--source-dir")
    strip = str(len(folder.strip("/").split("/")))
    want("inner((int)i)" in annotate("-i", recording, "-s", "hot", "--prefix", elsewhere, "--prefix-strip", strip)[0],
         "--prefix and --prefix-strip")
    with open(os.path.join(elsewhere, "program.c"), "w", encoding="utf-8") as f:
        f.write("x" * 65536 + "\n" + "\x1b[31m\n" * 40)
    later = os.stat(os.path.join(folder, "program")).st_mtime + 60
    os.utime(os.path.join(elsewhere, "program.c"), (later, later))
    out, err = annotate("-i", recording, "-s", "hot", "--source-dir", elsewhere)
    want("is newer than" in err and "program.c" in err, "a source that changed is said", err)
    want("\x1b" not in out and max(map(len, out.splitlines())) < 1200, "lines of a hostile source", out[:2000])


def arrows(recording):
    out = annotate("-i", recording, "-s", "hot", "--stdio2", "--no-source")[0]
    for arrow in ("\u2191 j", "\u2193 j", "\u2190 ret"):
        want(arrow in out, f"an arrow {arrow}", out)
    for target in re.findall(r"[\u2191\u2193] j\w+ +([0-9a-f]+)$", out, re.M):
        want(re.search(rf" {target}: ", out), f"the target {target} has its offset", out)
    out = annotate("-i", recording, "-s", "calls", "--stdio2")[0]
    want(re.search(r"\u2192 call +strtod@plt$", out, re.M), "a call has the name of its target", out)


def page(recording, folder):
    """One page without scripts: markup in names and sources is text, jumps are links to rows that are there"""
    path = os.path.join(folder, "page.html")
    out, _ = annotate("-i", recording, "--html", path, "--source-dir", folder)
    want(out == "", "--html prints nothing", out)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want("default-src 'none'" in text and "<script" not in text and "unsafe-inline" not in text, "the policy", text)
    ids, links = set(re.findall(r' id="([^"]+)"', text)), set(re.findall(r' href="#([^"]+)"', text))
    want(links and links <= ids, "each link has its row", str(links - ids))
    want("i &#60; n" in text and "i < n" not in text, "markup is escaped", text)
    shown = [(share or "0.00", address) for share, address in re.findall(
        r'<tr id="f0r\d+"[^>]*><td[^>]*>([\d.]*)</td><td>([0-9a-f]+)</td>', text)]
    name = re.search(r'<section id="f0">\n<h2>([^<]*)</h2>', text)[1]
    want(shown == [row[:2] for row in rows(annotate("-i", recording, "-s", name)[0])], "rows of the page", str(shown))


def odd_bytes(recording):
    out = annotate("-i", recording, "-s", "odd")[0]
    want([name for _, _, name in rows(out)] == ["nop", ".byte", ".byte", "ret", "nop", "ret"],
         "instructions begin again where one was interrupted", out)


def other_build(program, folder):
    """Code of another build than the recorded one is refused with both build ids."""
    recording = os.path.join(folder, "other.data")
    with open(recording, "wb") as f:
        f.write(each_byte.record(program, "hot$", {pd.BUILD_ID: pd.build_id_entry(program)}))
    _, err = annotate("-i", recording, "-s", "hot", status=1)
    want(re.search(r"cannot annotate functions of program: .*build id is [0-9a-f]{40}, recorded was [0-9a-f]{40}", err),
         "both build ids", err)


TEXT_POKE, PRECISE_SHIFT = 20, 15
KERNEL = 0xffffffff9a003000     # no kernel lies there, which has to begin at a multiple of 2 MB
# push %rbp; mov %rsp,%rbp; call other; pop %rbp; ret; then what fills the place up to the next function
KERNEL_CODE = bytes.fromhex("554889e5e8f70000005dc3") + b"\x90" * (0x100 - 11) + b"\xc3"


def kernel_sample(at, time):
    return pd.sample(KERNEL + 0x1000 + at, time, misc=1)


def kernel_recording(directory, records, code):
    """A recording that has the memory of its kernel beside it"""
    os.makedirs(directory + "/kcore_dir")
    mapping = pd.record(pd.MMAP, 1, struct.pack("<iIQQQ", -1, 0, KERNEL, 0x100000, KERNEL) +
                        pd.text("[kernel.kallsyms]_text") + pd.trailer(1000, 0))
    with open(directory + "/data", "wb") as f:
        f.write(pd.make(pd.comm("kernel") + mapping + records,
                        {pd.HOSTNAME: pd.feature_text("here"), each_byte.ARCH: pd.feature_text("x86_64")}))
    for name, text in (("kallsyms", f"{KERNEL:x} T _text\n{KERNEL + 0x1000:x} T hot_path\n"
                        f"{KERNEL + 0x1100:x} T other\n{KERNEL + 0x1101:x} T _etext\n"), ("modules", "")):
        with open(f"{directory}/kcore_dir/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    core = ident + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    core += struct.pack("<IIQQQQQQ", 1, 5, 0x1000, KERNEL + 0x1000, 0, 0x101, 0x101, 0x1000)
    with open(directory + "/kcore_dir/kcore", "wb") as f:
        f.write(core.ljust(0x1000, b"\0") + code)


def kernel_memory(folder):
    """Code of the kernel out of the copy of its memory"""
    directory = os.path.join(folder, "kernel.data")
    kernel_recording(directory, b"".join(kernel_sample(at, 2000 + at) for at in (0, 4, 4, 9)), KERNEL_CODE)
    out = annotate("-i", directory, "-s", "hot_path")[0]
    want(rows(out) == [(share, f"{KERNEL + 0x1000 + at:x}", name) for share, at, name in (
        ("25.00", 0, "push"), ("0.00", 1, "mov"), ("50.00", 4, "call"), ("25.00", 9, "pop"), ("0.00", 10, "ret"))],
         "code of the kernel", out)
    want(f"call   {KERNEL + 0x1100:x} <other>" in out, "a function of the kernel that is called", out)
    os.unlink(directory + "/kcore_dir/kcore")
    _, err = annotate("-i", directory, "-s", "hot_path", status=1)
    want("/proc/kcore" in err and "vmlinux" in err, "where code of the kernel would be", err)


IMAGE = """
	.text
	.globl _text, _stext, hot_path, other, _etext
_text:
_stext:
	.skip 0x1000, 0x90
	.type hot_path, @function
hot_path:
	push %rbp
	mov %rsp, %rbp
	call other
	pop %rbp
	ret
	.size hot_path, . - hot_path
	.skip 0xf5, 0x90
	.type other, @function
other:
	ret
	.size other, . - other
_etext:
"""


def kernel_image(folder):
    """Code of the kernel out of an image, which is linked elsewhere than the kernel lies"""
    source, image = os.path.join(folder, "image.S"), os.path.join(folder, "vmlinux")
    with open(source, "w", encoding="ascii") as f:
        f.write(IMAGE)
    done = subprocess.run([*CC, "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0xffffffff81000000,-e,_text",
                           "-o", image, source], capture_output=True, text=True)
    want(done.returncode == 0, "the image of a kernel", done.stderr)
    recording, base = os.path.join(folder, "image.data"), KERNEL & -0x200000
    mapping = pd.record(pd.MMAP, 1, struct.pack("<iIQQQ", -1, 0, base, 0x100000, base) +
                        pd.text("[kernel.kallsyms]_text") + pd.trailer(1000, 0))
    with open(recording, "wb") as f:
        f.write(pd.make(pd.comm("kernel") + mapping + b"".join(pd.sample(base + 0x1000 + at, 2000 + i, misc=1)
                                                               for i, at in enumerate((0, 4, 4, 9))),
                        {pd.HOSTNAME: pd.feature_text("here"), each_byte.ARCH: pd.feature_text("x86_64")}))
    out, err = annotate("-i", recording, "-k", image, "-s", "hot_path")
    want(rows(out) == [(share, f"ffffffff8100100{at:x}", name) for share, at, name in (
        ("25.00", 0, "push"), ("0.00", 1, "mov"), ("50.00", 4, "call"), ("25.00", 9, "pop"), ("0.00", 10, "ret"))],
         "--vmlinux", out)
    want("these changes are not applied" in err, "an image is not the code as it ran", err)
    as_perf(recording, "hot_path", "-k", image)


def poke(at, time, old, new):
    body = struct.pack("<QHH", KERNEL + 0x1000 + at, len(old), len(new)) + old + new
    return pd.record(TEXT_POKE, 1, body + bytes(-len(body) % 8) + pd.trailer(time, 0))


def kernel_changes(folder):
    """The kernel makes a call of five bytes that do nothing, and takes it back, while it is recorded."""
    call, nop = KERNEL_CODE[4:9], bytes.fromhex("0f1f440000")
    records = [kernel_sample(4, 2000), poke(4, 2100, nop, call), kernel_sample(4, 2200), kernel_sample(9, 2300),
               kernel_sample(10, 2400), poke(4, 2500, call, nop), kernel_sample(0, 2600)]
    without = KERNEL_CODE[:4] + nop + KERNEL_CODE[9:]
    for name, kept, code, shown, said in (
            ("start", records, without, "call", "for 3 of 5 samples"),  # perf copies the memory at the start
            ("end", records[:2] + records[-2:], KERNEL_CODE, "nopl", "for 1 of 2 samples"),
            ("before", records[:1] + records[-2:-1], without, "call", ""),
            ("elsewhere", [kernel_sample(4, 2000), poke(0x100, 2100, b"\xc3", b"\x90"), kernel_sample(4, 2200)],
             KERNEL_CODE, "call", "")):
        directory = os.path.join(folder, "changed." + name)
        kernel_recording(directory, b"".join(kept), code)
        out, err = annotate("-i", directory, "-s", "hot_path")
        want([row[2] for row in rows(out)] == ["push", "mov", shown, "pop", "ret"], f"code changed: {name}", out)
        want("it is shown as it was " + said in err if said else not err, f"what is said of changed code: {name}", err)


def lying_size(program, folder):
    """A symbol that says it has 100 MB, in a file that has them and in one that has not"""
    found, (offset, addr, _) = each_byte.functions(program)
    with open(program, "rb") as f:
        data = bytearray(f.read())
    at = next(at for name, at, _ in found if name == "odd")
    entry = next(m.start() for m in re.finditer(re.escape(struct.pack("<Q", at)), data)
                 if struct.unpack_from("<Q", data, m.start() + 8)[0] == 6)
    struct.pack_into("<Q", data, entry + 8, 100 << 20)
    path = os.path.join(folder, "large")
    with open(path, "wb") as f:
        f.write(data)
    with open(path + ".data", "wb") as f:
        f.write(pd.make(pd.comm("large") + pd.mmap_file(each_byte.BASE, 0x10000, offset & -4096, path) +
                        pd.sample(each_byte.BASE + at - addr + offset - (offset & -4096))))
    for size, shown in ((len(data), "odd>:"), (len(data) + (200 << 20), "the first 1048576 are shown")):
        os.truncate(path, size)
        out, err = annotate("-i", path + ".data", "-s", "odd")
        want(shown in out + err, f"a symbol of 100 MB in a file of {size} bytes", err)
        want(len(out) < 64 << 20, "the output is limited")


def hostile_names(program, folder):
    """Control bytes in the names of functions and binaries do not reach the terminal."""
    path = os.path.join(folder, "pro\x1b[32mgram")
    with open(program, "rb") as f:
        data = f.read().replace(b"\0hot\0", b"\0\x1bot\0")
    with open(path, "wb") as f:
        f.write(data)
    recording = os.path.join(folder, "hostile.data")
    with open(recording, "wb") as f:
        f.write(each_byte.record(path, ".ot$"))
    for more in [], ["--stdio2"], ["-l"]:
        out = annotate("-i", recording, *more)[0]
        want("pro.[32mgram" in out and ".ot" in out and "\x1b" not in out, f"hostile names {more}", repr(out[:1000]))


def frequencies(program, folder):
    """Only the title of an event that was recorded with a frequency has one."""
    found, (offset, addr, _) = each_byte.functions(program)
    ip = each_byte.BASE + next(at for name, at, _ in found if name == "hot") - addr + offset - (offset & -4096)
    data = pd.comm("two") + pd.mmap_file(each_byte.BASE, 0x10000, offset & -4096, program)
    data = bytearray(pd.make(data + pd.sample(ip) + pd.sample(ip, event=6), ids=([pd.EVENT_ID], [6])))
    struct.pack_into("<Q", data, 104 + 16, 4000)
    struct.pack_into("<Q", data, 104 + 40, pd.SAMPLE_ID_ALL | 1 << 10)
    recording = os.path.join(folder, "two.data")
    with open(recording, "wb") as f:
        f.write(data)
    out = annotate("-i", recording, "--stdio2")[0]
    titles = re.findall(r"^Samples: .*", out, re.M)
    want([" 4000 Hz, " in title for title in titles] == [True, False], "the frequency of each event", out)


def precise_event(program, folder):
    """The titles tell how precise the addresses are, as in the name of the event: cycles:pp."""
    found, (offset, addr, _) = each_byte.functions(program)
    ip = each_byte.BASE + next(at for name, at, _ in found if name == "hot") - addr + offset - (offset & -4096)
    data = pd.comm("precise") + pd.mmap_file(each_byte.BASE, 0x10000, offset & -4096, program) + pd.sample(ip)
    data = bytearray(pd.make(data, flags=2 << PRECISE_SHIFT))
    struct.pack_into("<I", data, 104, 0)        # the type of the event: hardware, cycles
    recording = os.path.join(folder, "precise.data")
    with open(recording, "wb") as f:
        f.write(data)
    want(" of program for cycles:pp (1 samples" in annotate("-i", recording)[0], "the title")
    want(" of event 'cycles:pp'" in annotate("-i", recording, "--stdio2")[0], "the title of --stdio2")


def words(recording):
    _, err = annotate("-i", recording, "-s", "nosuch", status=1)
    want("no function 'nosuch' has samples" in err, "a function that is not there", err)
    for bad in (["--percent-type", "both"], ["-M", "vax"], ["--percent-limit", "x"], ["-n", "--show-total-period"]):
        annotate("-i", recording, *bad, status=2)
    out = annotate("-i", recording, "hot", "-M", "intel", "--asm-raw")[0]
    want(re.search(r"^ +\d+\.\d\d :   [0-9a-f]+:   c3 +ret", out, re.M), "bytes of instructions", out)
    coloured = annotate("-i", recording, "hot", "--stdio-color", "always")[0]
    want("\x1b[3" in coloured, "colours", coloured)


def main():
    if platform.machine() != "x86_64":
        print("skipped: the recording is made for x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        program, recording = compile_program(folder), os.path.join(folder, "perf.data")
        with open(recording, "wb") as f:
            f.write(each_byte.record(program, "(hot|calls|main)$"))
        code, _, err = run(SONDE, "annotate", "-i", recording, "-s", "hot")
        if code and "capstone" in err:
            print("skipped: there is no capstone")
            sys.exit(77)
        compared = [as_perf(recording, symbol) for symbol in ("hot", "calls", "main")]
        figures(recording)
        words(recording)
        arrows(recording)
        page(recording, folder)
        odd = os.path.join(folder, "odd.data")
        with open(odd, "wb") as f:
            f.write(each_byte.record(program, "odd$"))
        odd_bytes(odd)
        sources(recording, folder)
        other_build(program, folder)
        kernel_memory(folder)
        kernel_image(folder)
        kernel_changes(folder)
        hostile_names(program, folder)
        frequencies(program, folder)
        precise_event(program, folder)
        lying_size(program, folder)
        if not sum(compared):
            print("skipped in part: there is no perf with objdump")
            sys.exit(77)


main()

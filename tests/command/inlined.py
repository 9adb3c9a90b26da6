#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inlined.py: inlined functions and source lines in script, report and export, as perf 7.2 and addr2line have them

A recording has a sample at each byte of two functions of inlined.cc, as compiled by gcc and by clang. The lines of
gcc's program are those of addr2line. The names are those of perf where perf names the innermost function; reports of
these samples equal perf's line by line.
"""
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import each_byte
import page_data
import perf_data as pd

SONDE = os.environ["SONDE"]
SOURCE = os.path.join(os.environ["SONDE_SOURCE"], "tests", "command", "inlined.cc")
NEWEST = os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or os.path.join(os.environ.get(
    "SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus")), "../tools/newest-perf")
SKIP = 77
CONTEXT_USER = 2**64 - 512
REPORTS = ("--no-children -g caller,0", "--no-children -g callee,0", "--children -g 0",
           "--no-children -g caller,0 --no-inline", "--no-children -g none --sort srcline,sym",
           "--no-children -g none --sort sym,srcfile",
           "--no-children -g caller,0,srcline", "--no-children -g none --sort srcline,sym --full-source-path")


def run(*words, stdin=None):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False,
                          input=stdin)


def compile_with(compiler, path, *options):
    return run(*compiler, "-O2", "-g", *options, "-o", path, SOURCE).returncode == 0


def code_of(path):
    """The addresses of all bytes of leaf() and middle()."""
    found, _ = each_byte.functions(path)
    return [at + i for name, at, size in found if name in ("leaf", "middle") for i in range(size)]


def record(program, samples, to):
    """Samples: (the addresses of a chain as the file states them, pid, period)."""
    _, (offset, addr, size) = each_byte.functions(program)
    start, end = offset & -each_byte.PAGE, offset + size + each_byte.PAGE - 1 & -each_byte.PAGE
    data = b""
    for pid, name in ((50, "prog"), (51, "first")):
        data += pd.comm(name, pid) + pd.record(pd.MMAP, pd.USER, struct.pack(
            "<iIQQQ", pid, pid, each_byte.BASE + start, end - start, start) + pd.text(program) + pd.trailer(1000, pid))
    for time, (chain, pid, period) in enumerate(samples):
        ips = [each_byte.BASE + offset - addr + at for at in chain]
        data += pd.sample(ips[0], 2000 + time, pid, struct.pack(f"<{len(ips) + 3}Q", period, len(ips) + 1, CONTEXT_USER,
                                                               *ips))
    with open(to, "wb") as f:
        f.write(pd.make(data, {pd.HOSTNAME: pd.feature_text("here"), each_byte.ARCH: pd.feature_text("x86_64")},
                        sample_type=pd.PERIOD | pd.CALLCHAIN))
    return to


def record_alone(program, addresses, to):
    return record(program, [((at,), 50, 1) for at in addresses], to)


def record_agreed(program, addresses, samples, agree, to):
    """
    One sample for each list of frames, with a weight that no sum of others has. Before it, for another process, the
    samples whose innermost name perf leaves out: it does so once for each function.
    """
    seen = {}
    for i in agree:
        seen.setdefault(tuple(frame[1:] for frame in samples[i]), addresses[i])
    first = [((at,), 51, 1) for i, at in enumerate(addresses) if i not in agree]
    return record(program, first + [((at,), 50, 2**(20 + i)) for i, at in enumerate(seen.values())], to)


def script(tool, path, *options):
    """Of each sample the frames: (address, name, line, whether it is inlined)."""
    text = run(tool, "script", "--no-demangle", "-F", "ip,sym,srcline", *options, "-i", path).stdout
    samples = []
    for block in re.split(r"\n\n+", text.strip("\n")):
        frames = re.findall(r"^\t *([0-9a-f]+) (.*)\n  (.*?)( \(inlined\))?$", block, re.M)
        samples.append([(int(ip, 16), name, line, bool(inlined)) for ip, name, line, inlined in frames])
    return samples


def addr2line(program, addresses):
    """{address: [line of each frame]}"""
    text = run("addr2line", "-a", "-i", "-e", program, stdin="".join(f"{at:x}\n" for at in addresses)).stdout
    found = {}
    for line in text.splitlines():
        if line.startswith("0x"):
            lines = found[int(line, 16)] = []
        else:
            lines.append(re.sub(r" \(discriminator \d+\)|.*/", "", line))
    return found


def check_lines(program, addresses, samples, bad):
    """addr2line leaves frames of clang's programs out, which llvm-symbolizer has too."""
    wanted = {} if "clang" in program else addr2line(program, addresses)
    for at, frames in zip(addresses, samples):
        lines = [line for _, _, line, _ in frames]
        if lines != wanted.get(at, lines) and "?" not in "".join(wanted[at]):
            bad.append(f"{program} {at:x}: lines {lines}, addr2line has {wanted[at]}")
        if [inlined for *_, inlined in frames] != [True] * (len(frames) - 1) + [False]:
            bad.append(f"{program} {at:x}: not the last frame alone is no inlined one: {frames}")


def loses_name(mine, theirs):
    """perf 7.2 leaves the innermost name out: its line goes to the next frame, or to the function around all."""
    _, name, _, _ = mine[-1]
    ip, _, line, _ = mine[0]
    return theirs in ([(ip, name, line, False)] + mine[1:], [(ip, mine[1][1], line, mine[1][3])] + mine[2:])


def check_names(program, samples, theirs, bad):
    """The numbers of the samples that agree."""
    agree = [i for i, (mine, perf) in enumerate(zip(samples, theirs)) if mine == perf]
    for mine, perf in zip(samples, theirs):
        if mine != perf and not (len(mine) > 1 and loses_name(mine, perf)):
            bad.append(f"{program}: frames {mine}, perf has {perf}")
    if len(samples) != len(theirs) or len(agree) * 2 < len(samples):
        bad.append(f"{program}: {len(agree)} of {len(samples)} samples are as with perf, which has {len(theirs)}")
    return agree


def report(tool, path, options):
    text = run(tool, "report", "--stdio", "--no-demangle", "--comms", "prog", "--percentage", "relative",
               *options.split(), "-i", path).stdout
    return [line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def check_reports(path, bad):
    for options in REPORTS:
        mine, theirs = (report(tool, path, options) for tool in (SONDE, NEWEST))
        if mine != theirs or not mine:
            differing = [pair for pair in zip(mine, theirs) if pair[0] != pair[1]]
            bad.append(f"report {options}: {len(mine)} lines, perf has {len(theirs)}: {differing[:3]}")


def check_callers(tmp, program, addresses, samples, bad):
    """The place of a caller is that of the byte before its address."""
    path = record(program, [((addresses[0], at + 1), 50, 1) for at in addresses], os.path.join(tmp, "callers.data"))
    for at, alone, both in zip(addresses, samples, script(SONDE, path)):
        caller = [frame[1:] for frame in both if frame[0] == alone[0][0] + 1]
        if at != addresses[0] and caller[-len(alone):] != [frame[1:] for frame in alone]:
            bad.append(f"{program}: a call at {at:x} is in {caller}, expected {alone}")


def check_texts(path, bad):
    """Names are demangled, and marked where they are not those of symbols."""
    chain = "leaf;table::fold;mix<"
    folded = run(SONDE, "export", "-i", path).stdout
    if chain not in folded or "(inlined)" in folded:
        bad.append(f"export has no {chain!r}: {folded[:300]}")
    if chain in run(SONDE, "export", "--no-inline", "-i", path).stdout:
        bad.append("export --no-inline has inlined functions")
    page_path = path + ".html"
    run(SONDE, "export", "--to", "html", "-o", page_path, "-i", path)
    page = page_data.read(page_path)
    inlined = [page["strings"][page["frames"]["symbol"][i]] for i in page["frames"]["inlined"]]
    if "table::fold" not in inlined:
        bad.append(f"the page has no inlined function: {inlined}")
    for options in ((), ("--sort", "sym,srcline")):
        events = json.loads(run(SONDE, "report", "--json", *options, "-i", path).stdout)["events"]
        rows = [row for row in events[0]["rows"] if row["symbol"] == "table::fold" and row.get("inlined")]
        if not rows or (options and not all(row["file"] == "inlined.cc" and "line" in row for row in rows)):
            bad.append(f"report --json {options} has no row of table::fold: {rows}")
    one, many = (run(SONDE, "script", "--jobs", n, "-F", "+srcline", "-i", path).stdout for n in ("1", "4"))
    if one != many or "table::fold+0x" not in one:
        bad.append("script with four threads is not as with one")


def check_debug_files(tmp, compiler, bad):
    """DWARF in a separate file is used if the file has the build id of the program."""
    program, other, debug = (os.path.join(tmp, name) for name in ("separate", "other", "separate.debug"))
    identify = "-Wl,--build-id=0x" + "12" * 20, "-Wl,--build-id=0x" + "34" * 20
    if not shutil.which("objcopy") or not all(
            compile_with(compiler, path, option) for path, option in zip((program, other), identify)):
        return
    path = record_alone(program, code_of(program), os.path.join(tmp, "separate.data"))
    for source, used in ((program, True), (other, False)):
        run("objcopy", "--only-keep-debug", source, debug)
        if source == program:
            run("objcopy", "--strip-debug", "--add-gnu-debuglink=" + debug, program)
        shown = "(inlined)" in run(SONDE, "script", "-i", path).stdout
        if shown != used:
            bad.append(f"the debug file of {source}: used {shown}, expected {used}")
    os.remove(debug)
    if run(SONDE, "script", "-i", path).stdout != run(SONDE, "script", "--no-inline", "-i", path).stdout:
        bad.append("without DWARF, inlined functions change the text")


def check_compiler(tmp, compiler, perf, bad):
    """How many samples were compared with perf; None without this compiler."""
    program = os.path.join(tmp, "program-" + os.path.basename(compiler[-1]))
    if not shutil.which(compiler[0]) or not compile_with(compiler, program):
        return None
    addresses = code_of(program)
    path = record_alone(program, addresses, program + ".data")
    samples = script(SONDE, path)
    check_lines(program, addresses, samples, bad)
    check_callers(tmp, program, addresses, samples, bad)
    if [len(frames) for frames in script(SONDE, path, "--no-inline")] != [1] * len(addresses):
        bad.append("script --no-inline has more than the functions themselves")
    check_texts(path, bad)
    if not perf:
        return 0
    agree = check_names(program, samples, script(NEWEST, path), bad)
    check_names(program, script(SONDE, path, "--no-inline"), script(NEWEST, path, "--no-inline"), bad)
    check_reports(record_agreed(program, addresses, samples, agree, program + ".agreed.data"), bad)
    return len(agree)


def main():
    bad, compared = [], {}
    if platform.machine() != "x86_64" or not shutil.which("addr2line"):
        print("skipped: the functions are looked at as code of x86-64, with addr2line")
        return SKIP
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(HOME=tmp, XDG_CACHE_HOME=tmp, PERF_BUILDID_DIR=os.path.join(tmp, "buildids"), LC_ALL="C",
                          PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="")
        perf = os.access(NEWEST, os.X_OK) and "7.2" in run(NEWEST, "--version").stdout
        for compiler in (os.environ.get("CXX", "c++").split(), ["clang++"]):
            found = check_compiler(tmp, compiler, perf, bad)
            if found is not None:
                compared[compiler[-1]] = found
        check_debug_files(tmp, os.environ.get("CXX", "c++").split(), bad)
    print("\n".join(bad[:20]))
    print(f"samples as with perf 7.2: {compared}")
    if not compared:
        print("skipped: there is no compiler")
        return SKIP
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

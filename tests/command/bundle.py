#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bundle.py: a bundle shows the same names, lines and stacks without the binaries as the recording does with them"""
import lzma
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE, SOURCE = os.environ["SONDE"], os.environ["SONDE_SOURCE"]
HAS_ID = 1 << 14
BASE = 0x10000000
PROGRAM = """
static inline __attribute__((always_inline)) unsigned %(name)s_inlined(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
__attribute__((noinline)) unsigned %(name)s_leaf(unsigned n) { return %(name)s_inlined(n) + 1; }
__attribute__((noinline)) unsigned %(name)s_caller(unsigned n) { return %(name)s_leaf(n) * 3; }
int main(int argc, char **argv) { (void)argv; return (int)(%(name)s_caller((unsigned)argc) & 1); }
"""
VIEWS = [["report"], ["report", "-g"], ["report", "--sort", "srcline,sym"], ["script"], ["script", "--inline"],
         ["script", "-F", "ip,sym,symoff,dso,srcline"], ["export", "--to", "folded", "-o", "-"],
         ["report", "--no-inline"]]
LIBRARIES = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, check=False).stdout
HAS_CAPSTONE = b"libcapstone.so" in LIBRARIES
bad = []


def check(good, text):
    if not good:
        bad.append(text)


def run(*args, home, fails=False):
    """fails: None where the status is that of a loss, or none."""
    env = {**os.environ, "HOME": home, "XDG_CACHE_HOME": os.path.join(home, "cache"), "DEBUGINFOD_URLS": ""}
    done = subprocess.run([SONDE, *args], capture_output=True, timeout=600, check=False, env=env)
    check(fails in (None, done.returncode != 0), f"{args}: status {done.returncode}: {done.stderr.decode()}")
    return done


def views(path, home, *options, fails=False):
    """The text of each view; the recording has the same name in all of them."""
    return [run(*words, *options, "-i", path, home=home, fails=fails).stdout for words in VIEWS]


def annotations(path):
    """Where there is a library for it."""
    return [["annotate", "--stdio", "-i", path, "one_leaf"]] if HAS_CAPSTONE else []


def compile_program(path, name):
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(PROGRAM % {"name": name})
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O2", "-g", "-Wl,--build-id", "-o", path, path + ".c"],
                   check=True)


def layout(path):
    """File offsets of the functions, and the build id."""
    text = subprocess.run(["readelf", "-nsW", "-S", path], capture_output=True, text=True, check=True).stdout
    section = next(line.split("]")[1].split() for line in text.splitlines() if "] .text " in line)
    bias = int(section[2], 16) - int(section[3], 16)
    functions = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FUNC" and int(words[2]):
            functions[words[7]] = (int(words[1], 16) - bias, int(words[2]))
    return functions, bytes.fromhex(text.split("Build ID:")[1].split()[0])


def header_build_id(path, build_id):
    """The feature, of one file."""
    name = path.encode() + bytes(8 - len(path) % 8)
    return struct.pack("<IHHi", 0, pd.USER, 36 + len(name), -1) + build_id + bytes(4) + name


def recording(path, program, name, build_id=None, size=0x10000, step=1, in_header=False):
    """in_header: the build id is a feature of the file, not in the record of the mapping."""
    functions, real = layout(program)
    leaf, caller, main = (functions[f] for f in (f"{name}_leaf", f"{name}_caller", "main"))
    place = bytes(24) if in_header else bytes([20, 0, 0, 0]) + (build_id or real)
    records = pd.comm("prog") + pd.mmap2(BASE, size, program, place, pd.USER | (0 if in_header else HAS_ID))
    for i in range(0, leaf[1], step):
        chain = [2**64 - 512, BASE + leaf[0] + i, BASE + caller[0] + caller[1] // 2, BASE + main[0] + main[1] // 2]
        records += pd.sample(chain[1], 2000 + i, more=struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain))
    features = {pd.BUILD_ID: header_build_id(program, real)} if in_header else {}
    with open(path, "wb") as f:
        f.write(pd.make(records, sample_type=pd.CALLCHAIN, features=features))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def test_names_and_lines(tmp, home):
    program, data, bundle = (os.path.join(tmp, n) for n in ("prog", "data", "bundle"))
    compile_program(program, "one")
    recording(data, program, "one")
    want = views(data, home)
    done = run("bundle", "-o", bundle, data, home=home)
    sources = os.path.join(tmp, "sources")
    run("bundle", "--code", "--source", "--source-dir", tmp, "-o", sources, data, home=home)
    annotated = [run(*words, home=home) for words in annotations(data)]
    check(b"gives away" in done.stderr, f"nothing is said of what the file gives away: {done.stderr}")
    check(b"one_leaf" in want[0] and b"one_inlined" in want[4] and b"prog.c:" in want[2], "the test shows nothing")
    os.rename(program, program + ".away")
    os.rename(program + ".c", program + ".c.away")
    empty = os.path.join(tmp, "empty")
    os.mkdir(empty)
    check(b"one_leaf" not in views(data, empty)[0], "names are there without the program and without a bundle")
    for words, text, got in zip(VIEWS, want, views(bundle, empty)):
        check(text == got, f"{words}: the bundle shows\n{got.decode()}\nnot\n{text.decode()}")
    # the user's places go before the bundle, for names and lines alike
    elsewhere = [views(bundle, empty, option, empty) for option in ("--symfs", "--sysroot")]
    check(b"one_leaf" not in elsewhere[0][0] and b"prog.c:" not in elsewhere[0][2], f"--symfs: {elsewhere[0][2]}")
    check(elsewhere[0] == elsewhere[1], f"--sysroot: {elsewhere[1]}\n--symfs: {elsewhere[0]}")
    listed = run("bundle", "--list", bundle, home=empty).stdout.decode()
    check([line.split()[0] for line in listed.splitlines()] == ["Kind", "symbols", "lines"], listed)
    for words, text in zip(annotations(sources), annotated):
        got = run(*words, home=empty)
        check(text.stdout == got.stdout, f"{words}: {got.stdout.decode()}\nnot\n{text.stdout.decode()}")
        check(b"one_inlined" in got.stdout, f"annotate shows no source: {got.stdout.decode()}")
    for words in annotations(bundle):
        got = run(*words, home=empty, fails=None)
        check(b"cannot annotate" in got.stderr and not got.stdout, f"annotate without the code: {got}")
    missing = run("symbols", "--missing", bundle, home=empty)
    check(missing.stdout == b"", f"symbols --missing: {missing.stdout}")
    # the recording is as it was, and comes out again
    check(read(bundle).startswith(read(data)), "the recording has changed")
    run("bundle", "--strip", "-o", os.path.join(tmp, "again"), bundle, home=empty)
    check(read(os.path.join(tmp, "again")) == read(data), "--strip does not give the recording back")
    # a bundle of a bundle has the same
    run("bundle", "-o", os.path.join(tmp, "second"), bundle, home=empty)
    check(views(os.path.join(tmp, "second"), empty) == want, "the bundle of a bundle shows something else")
    info = run("info", bundle, home=empty).stdout
    check(b"# bundle         : 2 members, " in info, f"info: {info}")
    check(b'"bundle":{"members":2,' in run("info", "--json", bundle, home=empty).stdout, "info --json")
    check(b"0 errors, 0 warnings, 0 notes" in run("check", bundle, home=empty).stdout, "check of a bundle")
    for words in (["cut", "--time", "0%-100%"], ["convert"], ["convert", "--redact"], ["merge", "-o"], ["repair"]):
        out = os.path.join(tmp, "rewritten")
        files = [out, bundle] if words[0] == "merge" else [bundle, out]
        told = run(*words, *files, home=empty).stderr
        check(b"bundle is left out" in told, f"{words}: {told}")
        check(b"SNDBNDL1" not in read(out), f"{words}: the bundle is there")
    check(run("bundle", "--list", data, home=empty, fails=True).stderr.endswith(b"has no bundle\n"), "--list of none")
    return bundle, want, empty


def test_build_ids_of_the_header(tmp, home):
    program, data, bundle, empty = (os.path.join(tmp, n) for n in ("headed", "headed.data", "headed.bundle", "empty"))
    compile_program(program, "one")
    recording(data, program, "one", in_header=True)
    want = views(data, home)
    run("bundle", "-o", bundle, data, home=home)
    os.unlink(program)
    check(views(bundle, empty) == want, "the bundle has no names where build ids are in the header of the recording")


def test_damage(tmp, bundle, want, empty):
    """Whatever is missing or changed: the recording is there, and no other names."""
    whole, cut = read(bundle), os.path.join(tmp, "cut")
    with open(os.path.join(tmp, "data"), "rb") as f:
        size = len(f.read())
    plain = views(os.path.join(tmp, "data"), empty)
    for n in (size, size + 1, 4096 * (size // 4096 + 1) + 4, len(whole) - 48, len(whole) - 1):
        with open(cut, "wb") as f:
            f.write(whole[:n])
        check(views(cut, empty, fails=None) == plain, f"cut to {n} bytes: not the recording")
    # a file that ends within the bundle: the loss and the finding
    for n, rule in ((len(whole) - 1, "bundle-cut"), (len(whole), "bundle-damaged")):
        at = len(whole) - 60  # of the directory
        with open(cut, "wb") as f:
            f.write(whole[:n] if n < len(whole) else whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        told = run("check", cut, home=empty, fails=True)
        check(rule.encode() in told.stdout, f"check of {rule}: {told.stdout}")
        told = run("report", "-i", cut, home=empty, fails=True)
        check(b"bundle is " in told.stderr, f"report of {rule}: {told.stderr}")
    for at in (len(whole) - 4, len(whole) - 20, len(whole) - 40, len(whole) - 60):
        with open(cut, "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        check(views(cut, empty, fails=None) in (plain, want), f"byte {at} changed: neither one nor the other")


def test_stacks(tmp, home):
    """The tables for unwinding: of a recording with copies of its stacks, and its program."""
    root, data, bundle = (os.path.join(tmp, n) for n in ("root", "dwarf.data", "dwarf.bundle"))
    os.makedirs(os.path.join(root, "opt/sonde"))
    for name, to in (("dwarf.data", data), ("workload", os.path.join(root, "opt/sonde/workload"))):
        with lzma.open(os.path.join(SOURCE, "tests/data", name + ".xz")) as f, open(to, "wb") as out:
            shutil.copyfileobj(f, out)
    want = views(data, home, "--sysroot", root)
    check(b"multiply" in want[1], "the program is not used")
    run("bundle", "--sysroot", root, "-o", bundle, data, home=home)
    shutil.rmtree(root)
    empty = os.path.join(tmp, "no-home")
    os.mkdir(empty)
    check(views(data, empty)[1] != want[1], "the stacks need no program")
    for words, text, got in zip(VIEWS, want, views(bundle, empty)):
        check(text == got, f"{words}: the bundle shows\n{got.decode()}\nnot\n{text.decode()}")


def test_two_bundles(tmp, home):
    """Two recordings of one program, and two that claim the same build id for different programs."""
    first, second, third = (os.path.join(tmp, n) for n in ("two-a", "two-b", "two-c"))
    program, other = os.path.join(tmp, "prog-a"), os.path.join(tmp, "prog-b")
    compile_program(program, "two")
    recording(first, program, "two", step=3)
    recording(second, program, "two", step=2)
    want = run("report", "-i", first, "-i", second, home=home).stdout
    for path in (first, second):
        run("bundle", "-o", path + ".bundle", path, home=home)
    # a third one that claims the build id for other functions at the same places
    compile_program(other, "six")
    build_id = layout(program)[1]
    recording(third, other, "six")
    whole = read(third).replace(layout(other)[1], build_id).replace(pd.text(other)[:len(other)], program.encode())
    with open(other, "rb") as f:
        lying = f.read().replace(layout(other)[1], build_id)
    os.rename(program, program + ".away")
    with open(program, "wb") as f:
        f.write(lying)
    with open(third, "wb") as f:
        f.write(whole)
    run("bundle", "-o", third + ".bundle", third, home=os.path.join(tmp, "third"))
    os.remove(program)
    empty = os.path.join(tmp, "no-home-2")
    os.mkdir(empty)
    got = run("report", "-i", first + ".bundle", "-i", second + ".bundle", home=empty)
    check(got.stdout == want, f"two bundles together show\n{got.stdout.decode()}\nnot\n{want.decode()}")
    check(b"disagree" not in got.stderr, f"equal bundles disagree: {got.stderr}")
    got = run("report", "--no-inline", "-i", first + ".bundle", "-i", third + ".bundle", home=empty)
    check(b"disagree" in got.stderr and b"two_leaf" in got.stdout and b"six_leaf" in got.stdout,
          f"bundles that disagree: {got.stderr}\n{got.stdout.decode()}")


def test_directory(tmp, home):
    """The bundle of a directory begins with a file of the same records, and nothing else is left."""
    data, folder, one, program = (os.path.join(tmp, n) for n in ("of-dir", "dir", "one-file", "prog-d"))
    compile_program(program, "dir")
    recording(data, program, "dir")
    want = views(data, home)
    run("convert", "--to", "dir", data, folder, home=home)
    before = set(os.listdir(tmp))
    run("bundle", folder, home=home)
    check(set(os.listdir(tmp)) - before == {"dir.bundle"}, f"files beside the bundle: {os.listdir(tmp)}")
    run("convert", "--to", "file", folder, one, home=home)
    run("bundle", "--strip", "-o", one + ".stripped", folder + ".bundle", home=home)
    with open(one, "rb") as a, open(one + ".stripped", "rb") as b:
        check(a.read() == b.read(), "the recording before the bundle is not that of convert")
    done = run("bundle", "--strip", "-o", one + ".none", folder, home=home, fails=True)
    check(b"is a directory, which has no bundle" in done.stderr, f"--strip of a directory: {done.stderr}")
    done = run("bundle", "-o", os.path.join(tmp, "nowhere", "out"), folder, home=home, fails=True)
    check(b"cannot create" in done.stderr, f"a directory into a folder that is none: {done.stderr}")
    os.unlink(program)
    check(views(folder + ".bundle", os.path.join(tmp, "no-home")) == want, "the bundle of a directory has no names")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        home = os.path.join(tmp, "home")
        os.mkdir(home)
        bundle, want, empty = test_names_and_lines(tmp, home)
        test_build_ids_of_the_header(tmp, home)
        test_damage(tmp, bundle, want, empty)
        test_stacks(tmp, home)
        test_two_bundles(tmp, home)
        test_directory(tmp, home)
    for line in bad:
        print(line, file=sys.stderr)
    sys.exit(bool(bad))


main()

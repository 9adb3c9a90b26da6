#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embedded_sources_handmade.py: pages and bundles have the text of sources of the build only, whatever DWARF names

A program is compiled whose lines name other files: secrets, links, files outside of the build.
"""
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import each_byte
import perf_data as pd

SONDE = os.environ["SONDE"]
CC = shlex.split(os.environ.get("CC", "cc"))
BASE = 0x550000000000
SECRET = "a secret that nobody may see\n"


def sonde(*words, tmp):
    done = subprocess.run([SONDE, *words], capture_output=True, text=True, errors="replace", timeout=600, check=False,
                          cwd=tmp)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done


def recording(tmp, named, build):
    """A program that was built in `build` and whose function is, as it says, of the file `named`."""
    source, program = os.path.join(build, "main.c"), os.path.join(tmp, "prog")
    with open(source, "w", encoding="utf-8") as f:
        f.write(f'# 1 "{named}"\nint touched(int x) {{ return x + 1; }}\n# 1 "main.c"\nint main(void) '
                "{ return touched(-1); }\n")
    subprocess.run([*CC, "-g", "-O0", "-fPIE", "-pie", "-o", program, "main.c"], check=True, cwd=build)
    found, _ = each_byte.functions(program)
    start = next(at for name, at, size in found if name == "touched")
    body = struct.pack("<iIQQQ", 50, 50, BASE, 0x10000, 0) + bytes(24) + struct.pack("<II", 5, 2) + pd.text(program)
    path = os.path.join(tmp, "rec.data")
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, body + pd.trailer(1000)) +
                        pd.sample(BASE + start + 4)))
    return path


def outputs(tmp, path, *options):
    """(text of the file, messages) of each way to write a file that travels."""
    page, code, bundle, again = (os.path.join(tmp, name) for name in ("page.html", "code.html", "x.bundle", "b.html"))
    done = sonde("annotate", "--html", page, "-i", path, *options, tmp=tmp)
    yield "annotate", open(page, encoding="utf-8").read(), done.stderr
    done = sonde("report", "--source", "--html", code, "-i", path, *options, tmp=tmp)
    yield "report", open(code, encoding="utf-8").read(), done.stderr
    done = sonde("bundle", "--source", "-i", path, "-o", bundle, *options, tmp=tmp)
    # the text of a bundle may be part of a page: it travels already
    sonde("annotate", "--html", again, "-i", bundle, tmp=tmp)
    with open(again, encoding="utf-8") as f:
        text = f.read()
    listed = sonde("bundle", "--list", "-i", bundle, tmp=tmp).stdout
    assert any(line.startswith("source ") for line in listed.splitlines()) == (SECRET.strip() in text), listed
    yield "bundle", text, done.stderr


def check(tmp, named, build, embedded, why="", *options):
    path = recording(tmp, named, build)
    for how, text, said in outputs(tmp, path, *options):
        assert (SECRET.strip() in text) == embedded, (how, named, said)
        assert (why in said) if not embedded and why else "left out" not in said, (how, named, said)


def check_list(tmp, build):
    """A member that is a hundred times as large unpacked: the list of members needs no memory for it."""
    path = recording(tmp, write(os.path.join(build, "large.c"), "".join(f"int x{i % 7};\n" for i in range(6000000))),
                     build)
    bundle = os.path.join(tmp, "large.bundle")
    sonde("bundle", "--source", "-i", path, "-o", bundle, tmp=tmp)
    listing = [SONDE, "bundle", "--list", "-i", bundle]
    most = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    told = subprocess.run([sys.executable, "-c", most, *listing], capture_output=True, text=True, timeout=600,
                          check=True).stdout.split()
    if os.environ.get("SONDE_SANITIZE", "none") == "none":
        assert "source" in told and int(told[-1]) < 40000, told


def write(path, text=SECRET):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)
    return path


def main():
    if not shutil.which(CC[0]):
        print("a compiler is needed")
        return 77
    with tempfile.TemporaryDirectory() as top:
        tmp = os.path.realpath(top)
        build, beside, far = (os.path.join(tmp, name) for name in ("proj/build", "proj/src", "else/where"))
        for folder in (build, beside, far):
            os.makedirs(folder)
        outside = "it is not below a directory in which the program was built"
        check(tmp, write(os.path.join(build, "own.c")), build, True)
        check(tmp, "own.c", build, True)
        write(os.path.join(beside, "own.c"))
        check(tmp, "../src/own.c", build, True)
        check(tmp, write(os.path.join(far, "own.c")), build, False, outside)
        check(tmp, os.path.join(far, "own.c"), build, True, "", "--source-dir", far)
        check(tmp, f"{build}/../../else/where/own.c", build, False, outside)
        check(tmp, write(os.path.join(build, "passwd")), build, False, "its name is not that of a source")
        check(tmp, write(os.path.join(build, ".hidden/key.c")), build, False, "its name is not that of a source")
        os.symlink(os.path.join(build, "passwd"), os.path.join(build, "evil.c"))
        check(tmp, os.path.join(build, "evil.c"), build, False, "a symbolic link is on the way")
        os.symlink(far, os.path.join(build, "linked"))
        check(tmp, os.path.join(build, "linked", "own.c"), build, False, "a symbolic link is on the way")
        check(tmp, write(os.path.join(build, "binary.c"), SECRET + "\x01\x02"), build, False, "it is no text")
        check(tmp, os.path.join(build, "gone.c"), build, False)
        # the directory of the build is the sender's word: one of the system is none
        lie = ("-fdebug-prefix-map=" + build + "=/etc",)
        CC.extend(lie)
        check(tmp, write(os.path.join(far, "own.c")), build, False, outside)
        CC[-1] = "-fdebug-prefix-map=" + build + "=/"
        check(tmp, os.path.join(far, "own.c"), build, False, outside)
        CC.pop()
        check_list(tmp, build)
        # on the own terminal, and in a browser of this machine
        path = recording(tmp, os.path.join(far, "own.c"), build)
        assert SECRET.strip() in sonde("annotate", "--stdio", "-i", path, tmp=tmp).stdout
    return 0


sys.exit(main())

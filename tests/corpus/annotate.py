#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate.py: the hottest functions of recordings of each architecture, with the binaries that they need

Each row has the percentage and the address that perf annotate --stdio gives it with an objdump of that architecture.
Rows with samples also have the same instruction where capstone and objdump name all of them alike.
"""
import os
import re
import shutil
import subprocess
import sys

SONDE, SOURCE = os.environ["SONDE"], os.environ["SONDE_SOURCE"]
corpus = os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus")), "unwind")
ROW = re.compile(r"^ +(\d+\.\d\d) : +([0-9a-f]+): +(\S+)", re.M)
# a recording, and an instruction that its hottest function has
RECORDINGS = [("x86-64", "cdeep", "imul"), ("aarch64", "cdeep", "madd"), ("armhf", "cdeep", "umull"),
              ("armhf", "cdeep-a32", "umull"), ("s390x", "cdeep", "msg"), ("riscv64", "cdeep", "mul")]
PERFS = [os.environ.get("SONDE_NEWEST_PERF", os.path.join(SOURCE, "..", "shared", "tools", "newest-perf")), "perf"]
OBJDUMPS = {"x86-64": "objdump", "aarch64": "llvm-objdump", "armhf": "arm-linux-gnueabihf-objdump",
            "s390x": "s390x-linux-gnu-objdump"}
SAME_NAMES = ("x86-64", "s390x")
COMPARED = ("cdeep", "cdeep-a32", "cdeep-fp-both", "cdeep-i386", "cdeep-nopie", "cdeep-sig", "cdeep-static",
            "cdeep-static-pie", "cppmix", "gopher", "nocfi", "plug", "rusty")
bad = []


def run(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              check=False)
    except FileNotFoundError:
        return ""
    return done.stdout


def annotate(arch, name):
    root = os.path.join(corpus, arch)
    words = ["annotate", "-i", f"{root}/{name}.data", "--symfs", f"{root}/root", "-s", "leaf_spin"]
    done = subprocess.run([SONDE, *words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def check(arch, name, insn):
    code, out, err = annotate(arch, name)
    if code and re.search(r"cannot annotate leaf_spin: capstone 4 does not know riscv: version 5 does", err):
        return
    if code and "libcapstone" in err + out:
        print("skipped: there is no capstone")
        sys.exit(77)
    rows = ROW.findall(out)
    if code or not rows or abs(sum(float(share) for share, _, _ in rows) - 100) > 0.01 * len(rows):
        bad.append(f"{arch}/{name}: exit status {code}, {len(rows)} rows: {err}")
    if not any(found.startswith(insn) for _, _, found in rows):
        bad.append(f"{arch}/{name}: no {insn} in {[found for _, _, found in rows]}")
    if [address for _, address, found in rows if found in (".byte", ".word", ".short")]:
        bad.append(f"{arch}/{name}: data among the code: {out}")


def compare(arch, name, perf):
    """Whether perf can annotate the hottest function of a recording; then both show the same"""
    root = os.path.join(corpus, arch)
    words = ["-i", f"{root}/{name}.data", "--symfs", f"{root}/root"]
    title = re.search(r"<([^>]+)>:$", run(SONDE, "annotate", *words), re.M)
    if not title:
        bad.append(f"{arch}/{name}: nothing to annotate")
        return False
    words += ["-s", title[1]]
    ours = ROW.findall(run(SONDE, "annotate", *words))
    theirs = ROW.findall(run(perf, "annotate", "--stdio", "-f", "--objdump", shutil.which(OBJDUMPS[arch]), *words))
    if not theirs:
        return False
    same = [row[:2] for row in ours] == [row[:2] for row in theirs]
    if arch in SAME_NAMES:
        same &= all(mine[2] == other[2] for mine, other in zip(ours, theirs) if mine[0] != "0.00")
    if not same:
        bad.append(f"{arch}/{name}: {title[1]} as {perf}:\n{ours}\n{theirs}")
    return True


def compare_all():
    """How many functions were compared"""
    here = [arch for arch, objdump in OBJDUMPS.items() if shutil.which(objdump)]
    return sum(compare(arch, name, perf) for arch in here for name in COMPARED
               if os.path.exists(os.path.join(corpus, arch, name + ".data")) for perf in PERFS)


def main():
    if not os.path.isdir(corpus):
        print(f"skipped: there is no corpus at {corpus}")
        sys.exit(77)
    for recording in RECORDINGS:
        check(*recording)
    compared = compare_all()
    print(f"{compared} functions are compared with perf" if compared else "skipped in part: no perf with an objdump")
    print("\n".join(bad))
    if bad:
        sys.exit(1)
    sys.exit(0 if compared else 77)


main()

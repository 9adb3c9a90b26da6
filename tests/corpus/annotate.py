#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate.py: the hottest functions of recordings of each architecture, with the binaries that they need"""
import os
import re
import subprocess
import sys

SONDE, SOURCE = os.environ["SONDE"], os.environ["SONDE_SOURCE"]
corpus = os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus")), "unwind")
ROW = re.compile(r"^ +(\d+\.\d\d) : +([0-9a-f]+): +(\S+)", re.M)
# a recording, and an instruction that its hottest function has
RECORDINGS = [("x86-64", "cdeep", "imul"), ("aarch64", "cdeep", "madd"), ("armhf", "cdeep", "umull"),
              ("armhf", "cdeep-a32", "umull"), ("s390x", "cdeep", "msg"), ("riscv64", "cdeep", "mul")]
bad = []


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


def main():
    if not os.path.isdir(corpus):
        print(f"skipped: there is no corpus at {corpus}")
        sys.exit(77)
    for recording in RECORDINGS:
        check(*recording)
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()

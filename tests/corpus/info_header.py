#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""info_header.py: `sonde info -I` prints the lines of `perf report --header-only -I` for every recording of the corpus.

Held against the installed perf (its lines up to 6.1 differ in no other way than those below; newer ones translate attr
numbers into names, so the comparison is made with perf 6.1 only).
"""
import os
import re
import shutil
import subprocess
import sys

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))

# Lines that either side may have alone, and why.
LINES = [
    (r"# missing features:", "perf 6.1 does not know features from 32 on"),
    (r"# (schedstat version|Maximum sched domains|cpu\t|nr_domains|Domain|e_machine|  e_flags|cacheline size)",
     "features from 32 on"),
    (r"# (\tsub_prog|bpf_prog_info)",
     "perf gets names and addresses of BPF programs from their BTF; sonde prints tag and name"),
    (r"Too big: nr", "a message of perf"),
    (r"# clockid frequency", "perf multiplies where it should divide; equal for 1 ns"),
]
# Recordings of which perf prints something else as a whole.
FILES = {
    "autofdo-ro_sample.perf": "strings padded to 4 bytes: perf finds no CPU ids",
    "quipper-perf.data.weight_struct": "strings padded to 4 bytes: perf finds no CPU ids",
    "perf6.1-killed9.data": "data size 0: perf reads a header that was never written",
    "s390x-killed9.data": "data size 0: perf reads a header that was never written",
    "perf6.1-inject_tofifo.data": "broken stream: perf reads features from the middle of other records",
    "perf6.1-trunc_6000.data": "cut: perf shows the data size that the header promises, sonde the bytes that are there",
    "quipper-fuzz-145fc46ec928.data": "data size 0: sonde shows the bytes that are there",
    "quipper-fuzz-ba8a4480ea23.data": "damaged: sonde refuses the header",
    "quipper-fuzz-eebb35632622.data": "damaged: sonde refuses the header",
    "s390x-pipe.data": "perf cannot read pipe mode of the other byte order",
    "cros-perf.data.piped.production.2013-07-17": "record numbers of Chrome OS before HEADER_FEATURE",
}


def lines(command):
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    text = run.stdout.decode(errors="replace")
    if run.returncode < 0 or "# header version" not in text:
        return None
    text = text.split("# format         :")[0]  # what follows is sonde's own
    return [line for line in text.splitlines()
            if line not in ("# ========", "#") and not any(re.match(pattern, line) for pattern, _ in LINES)]


if not shutil.which("perf") or not os.path.isdir(corpus):
    print("skipped: there is no perf" if os.path.isdir(corpus)
          else f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
    sys.exit(SKIP)
version = subprocess.run(["perf", "--version"], capture_output=True, text=True).stdout
if "version 6.1." not in version:
    print(f"skipped: {version.strip()}, the comparison is made with 6.1")
    sys.exit(SKIP)

compared = differ = 0
for folder in ("perf", "recorded"):
    for name in sorted(os.listdir(os.path.join(corpus, folder))):
        path = os.path.join(corpus, folder, name)
        if not os.path.isfile(path) or name in FILES or name.endswith(".json"):
            continue
        want = lines(["perf", "report", "--header-only", "-I", "-i", path])
        if want is None:
            continue
        got = lines([os.environ["SONDE"], "info", "-I", path])
        compared += 1
        if got == want:
            continue
        differ += 1
        print(f"{folder}/{name}:")
        for sign, some, other in (("-", want, got or []), ("+", got or [], want)):
            for line in [line for line in some if line not in other][:3]:
                print(f"  {sign} {line[:300]}")
print(f"{compared} recordings compared, {differ} differ")
sys.exit(1 if differ or not compared else 0)

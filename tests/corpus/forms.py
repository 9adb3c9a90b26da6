#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""forms.py: recordings of the corpus in every form that convert writes, read by sonde and by perf

The text of `sonde script` is the same as before in each form, and nothing is wrong by the rules of `sonde check`;
recordings of which something was wrong before are for repair. For those of the installed perf, so are `perf script` and
`perf report --header-only`, but for lines that tell of the form itself.
"""
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

from share import share

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
FORMS = {
    "file": ["--to", "file"], "pipe": ["--to", "pipe"], "dir": ["--to", "dir"], "packed": ["-z"],
    "aligned": ["-z", "--aligned"], "plain": ["--no-compress"], "big": ["--endian", "big"],
    "all": ["-z", "--to", "dir", "--endian", "big"],
}
# What perf is shown, and where: it does not swap the records that describe a stream of the other byte order, nor what
# is compressed in it; a stream says nothing of the feature STAT; it knows aligned records since 6.16, and refuses files
# that are cut.
PERF_FORMS = {"file", "pipe", "dir", "packed", "plain", "big"}
PERF_FILES = ("dir", "dwarf", "groupS", "stat_I", "trace_a", "zfile", "zpipe")
# Lines of a header about the file itself, the places of features that have none in a stream, and caches, which a stream
# does not tell.
OF_FORM = re.compile(r"# (captured on|header version|data offset|data size|feat offset|hostname|compressed|"
                     r"directory data|missing|CPU cache info|CPU \d+ |contains stat|time of|sample duration|========|"
                     r"total memory)|#\s+(L\d|- L)|#$")


def run(*args):
    return subprocess.run(args, capture_output=True, timeout=600, check=False)


def wrongs(path):
    told = json.loads(run(sonde, "check", "--json", path).stdout)
    return told["errors"] + told["warnings"]


def header(path):
    lines = run("perf", "report", "--header-only", "-I", "-i", path).stdout.decode(errors="replace").splitlines()
    return [line for line in lines if not OF_FORM.match(line)]


def perf_script(path):
    return run("perf", "script", "-i", path).stdout


def is_stream(path):
    with open(os.path.join(path, "data") if os.path.isdir(path) else path, "rb") as f:
        return 16 in (int.from_bytes(f.read(16)[8:], order) for order in ("little", "big"))


def perf_reads(name, form, stream):
    return name.startswith("perf6.1-") and name[8:-5] in PERF_FILES and form in PERF_FORMS and not (form == "big"
                                                                                                    and stream) and \
        not (name.startswith("perf6.1-stat") and "pipe" in form)


def compare(path, made, form, before):
    """What differs, or None."""
    name = os.path.basename(path)
    if run(sonde, "script", made).stdout != before["script"]:
        return "another text of sonde script"
    data = os.path.join(made, "data") if os.path.isdir(made) else made
    if not os.path.isdir(path) and wrongs(data):
        return run(sonde, "check", data).stdout.decode()[:300]
    if not shutil.which("perf") or not perf_reads(name, form, is_stream(path)):
        return None
    if perf_script(made) != before["perf"]:
        return "another text of perf script"
    if header(made) != before["header"]:
        return f"another header for perf: {sorted(set(header(made)) ^ set(before['header']))[:4]}"
    return None


def check(path):
    name = os.path.basename(path)
    before = {"script": run(sonde, "script", path).stdout, "wrongs": 0 if os.path.isdir(path) else wrongs(path)}
    if before["wrongs"]:
        return name, None
    if name.startswith("perf6.1-") and name[8:-5] in PERF_FILES and shutil.which("perf"):
        before["perf"], before["header"] = perf_script(path), header(path)
    bad = []
    for form, options in FORMS.items():
        with tempfile.TemporaryDirectory() as tmp:
            made = os.path.join(tmp, "made")
            r = run(sonde, "convert", *options, path, made)
            if r.returncode != 0:
                bad.append(f"{form}: {r.stderr.decode(errors='replace')[:200]}")
                continue
            why = compare(path, made, form, before)
            if why:
                bad.append(f"{form}: {why}")
    return name, bad


def main():
    top = os.path.join(corpus, "recorded")
    # a killed recorder's file is one for repair, and says so
    names = [n for n in sorted(os.listdir(top)) if n.endswith(".data")
             and not n.endswith("killed9.data")] if os.path.isdir(top) else []
    if not names:
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        return SKIP
    wrong = 0
    with multiprocessing.Pool(2) as pool:
        names = share(names)
        for name, bad in pool.imap(check, [os.path.join(top, n) for n in names]):
            print(f"{name}: {'wrong before' if bad is None else '; '.join(bad) or 'ok'}")
            wrong += bool(bad)
    print(f"{len(names)} recordings in {len(FORMS)} forms, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

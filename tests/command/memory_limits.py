#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory_limits.py [FACTOR]: under each limit of --max-memory an output is whole, or the command says what is missing

Limits grow by a factor from 16M, the least that is accepted, to 512M. An output equals that without a limit, or the
exit status is 1 and a message tells of the memory.
"""
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

sonde, SOURCE = os.environ["SONDE"], os.environ["SONDE_SOURCE"]
FACTOR = float(sys.argv[1]) if len(sys.argv) > 1 else 1.3
LEAST, MOST = 16 << 20, 512 << 20
WHY = re.compile(r"memory", re.I)
COMMANDS = [
    ["report", "-g", "none"], ["report", "-g"], ["report", "--sort", "srcline"], ["report", "--sort", "sym,srcfile"],
    ["report", "--json"], ["script"], ["script", "-F", "+srcline"], ["annotate", "--stdio", "fibonacci"],
    ["symbols"], ["symbols", "--json"], ["export", "--to", "folded"], ["export", "--to", "speedscope"],
    ["export", "--to", "pprof"], ["export", "--to", "firefox"], ["export", "--to", "callgrind"],
    ["export", "--to", "csv"], ["export", "--to", "json-lines"], ["export", "--to", "html"],
    ["export", "--to", "perfetto"], ["export", "--to", "chrome"],
    ["bundle", "-o", "OUT"], ["bundle", "--source", "-o", "OUT"], ["evlist"], ["buildid-list"], ["info"], ["dump"],
    ["check"],
]
UNWOUND = [["report", "-g"], ["report", "--sort", "srcline"], ["script"], ["export", "--to", "folded"],
           ["export", "--to", "json-lines"], ["bundle", "-o", "OUT"]]
REWRITING = [["cut", "--time", "0,", "d.data", "OUT"], ["convert", "-z", "d.data", "OUT"],
             ["convert", "--endian", "big", "d.data", "OUT"], ["convert", "--redact", "d.data", "OUT"],
             ["convert", "--unwind", "d.data", "OUT"], ["repair", "d.data", "OUT"],
             ["merge", "-o", "OUT", "a.data", "d.data"]]
SQL = ["sql", "select function, samples from v_self order by 2 desc, 1"]


def run(words, limit):
    """Exit status, output and messages."""
    out = "out"
    if os.path.exists(out):
        os.unlink(out)
    words = [out if w == "OUT" else w for w in words]
    more = ["--max-memory", str(limit)] if limit else []
    r = subprocess.run([sonde, words[0], *more, *words[1:]], capture_output=True, stdin=subprocess.DEVNULL,
                       timeout=300, check=False, env={**os.environ, "XDG_CACHE_HOME": "/dev/null"},
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    made = b""
    if os.path.exists(out):
        with open(out, "rb") as f:
            made = f.read()
    return r.returncode, r.stdout + made, r.stderr.decode(errors="replace")


def check(words):
    name = " ".join(words)
    status, whole, said = run(words, 0)
    if status not in (0, 1) or "no option" in said:
        print(f"WRONG: {name}: exit status {status} without a limit: {said[:300]}")
        return False
    if run(words, 0)[1] != whole:
        print(f"{name}: two outputs differ without a limit")
        return True
    limit, differ, equal = LEAST, [], 0
    while limit <= MOST:
        got, out, said = run(words, int(limit))
        if out == whole and got == status:
            equal += 1
            if equal > 3 and FACTOR > 1.2:   # no more is needed
                break
        elif got != 1 or not WHY.search(said):
            differ.append(f"{int(limit) >> 10}K (exit status {got}: {said.strip()[-200:]!r})")
        limit *= FACTOR
    if differ or not equal:
        print(f"WRONG: {name}: another output without a word about memory: {', '.join(differ) or 'never whole'}")
    return not differ and equal > 0


def main():
    if os.environ.get("SONDE_SANITIZE", "none") != "none":
        print("skipped: a sanitizer has memory of its own")
        return 77
    cc = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*cc, "-O2", "-g", "-o", "workload", os.path.join(SOURCE, "bench/workload.c"), "-lpthread", "-lm"],
                   check=True)
    r = subprocess.run([sonde, "record", "-q", "-g", "-e", "cpu-clock", "-F", "499", "-o", "a.data", "./workload"],
                       capture_output=True, check=False)
    if r.returncode != 0:
        print(f"skipped: nothing can be recorded here: {r.stderr.decode()}")
        return 77
    good = [check([*words, *([] if words[0] in ("check", "info") else ["-i"]), "a.data"]) for words in COMMANDS]
    good.append(check([SQL[0], "-i", "a.data", SQL[1]]))
    # copies of stacks, which are unwound
    subprocess.run([sonde, "record", "-q", "--call-graph", "dwarf", "-e", "cpu-clock", "-F", "99", "-o", "d.data",
                    "./workload"], capture_output=True, check=True)
    good += [check([*words, "-i", "d.data"]) for words in UNWOUND]
    # new files
    good += [check(words) for words in REWRITING]
    return 0 if all(good) else 1


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    code = main()
    os.chdir("/")
sys.exit(code)

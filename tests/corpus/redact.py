#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redact.py: every recording of the corpus through `sonde convert --redact`

Of a perf.data none of the names that `sonde dump` and `sonde info` show of the recording is in the new file, which
breaks no other rules, has as many samples of each event, and as many commands and files of different names.

Of both formats a reader of the test's own (redacted.py) finds no byte in the new file that no row of the tables of
docs/redact.md allows, and none of the texts of the recording that have to go. Of a trace.dat it looks at both versions,
compressed and not, and trace-cmd prints as many lines of each as before.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from share import share

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import redacted  # noqa: E402

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
KEPT = re.compile(rb"\[(?!anon:)|//|/dev/zero|/SYSV|/anon_hugepage|anon_inode:\[|(/usr)?/lib/modules/|swapper|"
                  rb"perf-exec")
PSEUDONYM = re.compile(rb"(comm-|/dso-|/cgroup-|host-)\d+")


def run(*args):
    return subprocess.run([sonde, *args], capture_output=True, timeout=600)


def names(path):
    """Commands and files, and what else is secret."""
    comms, files, others = set(), set(), set()
    for line in run("dump", "-i", path).stdout.split(b"\n"):
        m = re.match(rb"    (?:comm|filename)(?:\[\d+\])?: (.+)", line)
        if m and not KEPT.match(m.group(1)):
            (comms if line.startswith(b"    comm") else files).add(m.group(1))
        m = re.match(rb"    path: (/.+)", line)
        if m:
            others.add(m.group(1))
    features = json.loads(run("info", "--json", "-i", path).stdout).get("features", {})
    host = features.get("HOSTNAME")
    if isinstance(host, str):
        others.add(host.encode())
    others |= {a.encode() for a in features.get("CMDLINE") or [] if "/" in a}
    return comms, files, others


def samples(path):
    return json.loads(run("info", "--count", "--json", "-i", path).stdout).get("samples")


def counts(path):
    """Samples of each event; probes have other names now."""
    return sorted((re.sub("^[^:]*probe[^:]*:.*", "probe", name), n) for name, n in (samples(path) or {}).items())


def errors(path):
    out = run("check", "--json", path).stdout
    return json.loads(out)["errors"] if out else None


newest = os.environ.get("SONDE_NEWEST_TRACE_CMD", os.path.join(corpus, "..", "tools", "newest-trace-cmd"))
proven = odd = 0


def read(path):
    with open(path, "rb") as f:
        return f.read()


def prove(path, new, plain, form):
    """What a reader of its own finds in the new file that has to be gone; form: options of an uncompressed file."""
    global proven, odd
    for out in plain, plain + ".new":
        if os.path.exists(out):
            os.unlink(out)
    run("convert", *form, path, plain)
    run("convert", *form, new, plain + ".new")
    try:
        before, after = read(plain), read(plain + ".new")
        left = redacted.leftovers(after, before)
        secrets = redacted.secrets(before)
    except (redacted.Odd, FileNotFoundError):
        odd += 1
        return None
    left = [f"{where}: {data[:80]}" for where, data in left]
    found = read(new)
    left += [f"{s} is still there" for s in secrets if redacted.still_there(s, after) or redacted.still_there(s, found)]
    proven += 1
    return "; ".join(left[:3]) or None


def is_trace_dat(path):
    if os.path.isdir(path):
        return False
    with open(path, "rb") as f:
        return f.read(10) == b"\x17\x08\x44tracing"


def lines_of(tool, path):
    r = subprocess.run([tool, "report", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    return r.returncode, r.stdout.count(b"\n")


def check_trace_dat(path, new):
    """As check(), of a trace.dat."""
    nr = 0
    theirs = {tool: lines_of(tool, path) for tool in ("trace-cmd", newest) if shutil.which(tool)}
    ours = run("script", path).stdout.count(b"\n")
    for how in ["--to", "v6"], ["--to", "v7", "--no-compress"], ["--to", "v7", "-z"]:
        if os.path.exists(new):
            os.unlink(new)
        r = run("convert", "--redact", *how, path, new)
        if not os.path.exists(new):
            refused = re.search(rb"repair' comes first|latency tracer|no perf.data or trace.dat", r.stderr)
            return None if refused else r.stderr.decode(errors="replace"), None
        if errors(new):
            return f"{how}: " + run("check", new).stdout.decode(errors="replace"), nr
        if run("script", new).stdout.count(b"\n") != ours:
            return f"{how}: another number of lines", nr
        wrong = prove(path, new, new + ".plain", ["--to", "v7", "--no-compress"])
        if wrong:
            return f"{how}: {wrong}", nr
        for tool, before in theirs.items():
            if before[0] == 0 and lines_of(tool, new) != before:
                return f"{how}: {tool}: {before} lines, then {lines_of(tool, new)}", nr
        nr = 10  # names are counted by the reader of its own
    return None, nr


def check(path, new):
    """What is wrong, or None; and how many names there were to look for, None if nothing was redacted."""
    directory = os.path.isdir(path)
    r = run("convert", "--redact", *(["--to", "file"] if directory else []), path, new)
    if not os.path.exists(new):
        refused = re.search(rb"no perf.data|not a perf.data|only a perf.data|repair' comes first|describes no event",
                            r.stderr)
        return (None if refused or not directory and errors(path) else r.stderr.decode(errors="replace")), None
    with open(new, "rb") as f:
        whole = f.read()
    comms, files, others = names(path)
    new_comms, new_files, _ = names(new)
    nr = len(comms | files | others)
    for name in comms | files | others:
        if PSEUDONYM.fullmatch(name) or len(name) < 6:
            continue
        if name.startswith(b"/") and name.count(b"/") > 1 and name in whole:
            return f"{name} is still there", nr
        if name in new_comms | new_files:
            return f"{name} is still a name", nr
    if not directory and errors(path) == 0:
        if errors(new):
            return run("check", new).stdout.decode(errors="replace"), nr
        if counts(path) != counts(new):
            return f"samples {samples(path)}, then {samples(new)}", nr
        if len(comms) != len(new_comms) or len(files) != len(new_files):
            return (f"{len(comms)} commands and {len(files)} files, then {len(new_comms)} and "
                    f"{len(new_files)}"), nr
        return prove(path, new, new + ".plain", ["--to", "file", "--no-compress"]), nr
    return None, nr


def main():
    paths = [os.path.join(corpus, d, name) for d in ("perf", "recorded", "trace")
             if os.path.isdir(os.path.join(corpus, d)) for name in sorted(os.listdir(os.path.join(corpus, d)))
             if not name.endswith((".md", ".json", "expected"))]
    if not paths:
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        sys.exit(SKIP)
    paths = share(paths)
    failed = done = nr_names = 0
    with tempfile.TemporaryDirectory() as tmp:
        for path in paths:
            new = os.path.join(tmp, "new")
            wrong, nr = (check_trace_dat if is_trace_dat(path) else check)(path, new)
            done += nr is not None
            nr_names += nr or 0
            if wrong:
                failed += 1
                print(f"{os.path.basename(path)}: {wrong}")
            if os.path.exists(new):
                os.unlink(new)
    print(f"{done} of {len(paths)} recordings redacted, {nr_names} names in them, {failed} wrong; {proven} files read "
          f"by the test itself, {odd} not")
    sys.exit(1 if failed or done < len(paths) // 2 or nr_names < 10 * done or proven < 4 * odd else 0)


main()

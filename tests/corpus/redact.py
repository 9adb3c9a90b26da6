#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redact.py: every recording of the corpus through `sonde convert --redact`

None of the names that `sonde dump` and `sonde info` show of the recording is in the new file, which breaks no other
rules, has as many samples of each event, and as many commands and files of different names.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from share import share

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


def errors(path):
    out = run("check", "--json", path).stdout
    return json.loads(out)["errors"] if out else None


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
        if samples(path) != samples(new):
            return f"samples {samples(path)}, then {samples(new)}", nr
        if len(comms) != len(new_comms) or len(files) != len(new_files):
            return f"{len(comms)} commands and {len(files)} files, then {len(new_comms)} and {len(new_files)}", nr
    return None, nr


def main():
    paths = [os.path.join(corpus, d, name) for d in ("perf", "recorded") if os.path.isdir(os.path.join(corpus, d))
             for name in sorted(os.listdir(os.path.join(corpus, d)))
             if not name.endswith((".md", ".json", ".dat", "expected"))]
    if not paths:
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        sys.exit(SKIP)
    paths = share(paths)
    failed = redacted = nr_names = 0
    with tempfile.TemporaryDirectory() as tmp:
        for path in paths:
            new = os.path.join(tmp, "new")
            wrong, nr = check(path, new)
            redacted += nr is not None
            nr_names += nr or 0
            if wrong:
                failed += 1
                print(f"{os.path.basename(path)}: {wrong}")
            if os.path.exists(new):
                os.unlink(new)
    print(f"{redacted} of {len(paths)} recordings redacted, {nr_names} names in them, {failed} wrong")
    sys.exit(1 if failed or redacted < len(paths) // 2 or nr_names < 10 * redacted else 0)


main()

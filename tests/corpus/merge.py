#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""merge.py: every perf.data of the corpus through `sonde merge`, alone and together with one of another machine

Alone, `sonde script` prints of the new file what it prints of the old one. Together, the new file breaks no rules and
has the samples of both: of each event as many, with the same sums of addresses, periods and callchains.
"""
import collections
import concurrent.futures
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
PARTNER = os.path.join(corpus, "recorded", "perf6.1-freq.data")
REFUSED = re.compile(rb"neither a perf.data|is a trace.dat|perf stat cannot be|describes no event|"
                     rb"is empty|cannot be merged|header|attr size")
SUMS = ("sum_period", "callchain_entries", "branch_entries", "user_stack_bytes", "other_samples")


def run(*args):
    return subprocess.run([sonde, *args], capture_output=True, timeout=600)


def counts(path):
    out = run("info", "--count", "--json", "-i", path).stdout
    return json.loads(out) if out else None


def errors(path):
    return json.loads(run("check", "--json", path).stdout)["errors"]


def script(path):
    return run("script", "--show-mmap-events", "--show-task-events", "--ns", "-i", path).stdout


def samples(*traces):
    """What is to be found in a merge of all."""
    found = collections.Counter()
    for t in traces:
        for s in t["evlist"]:  # several may have one name
            found[s["name"]] += s["samples"]
        for key in SUMS:
            found[key] += t["totals"][key]
        found["sum_ip"] = (found["sum_ip"] + int(t["totals"]["sum_ip"], 16)) % (1 << 64)
    return +found


def merge(new, *paths):
    if os.path.exists(new):
        os.unlink(new)
    r = run("merge", *paths, "-o", new)
    return r if not os.path.exists(new) else None


def check(path, new, partner):
    """What is wrong, or None; and whether it was merged."""
    failed = merge(new, path)
    if failed:
        return None if REFUSED.search(failed.stderr) else failed.stderr.decode(errors="replace"), False
    if script(new) != script(path):
        return "merged alone, sonde script prints something else", True
    if errors(new):
        return f"merged alone, sonde check finds {errors(new)} errors", True
    failed = merge(new, path, PARTNER)
    if failed:
        return None if REFUSED.search(failed.stderr) else failed.stderr.decode(errors="replace"), False
    if errors(new):
        return f"sonde check finds {errors(new)} errors", True
    found, expected = samples(counts(new)), samples(counts(path), partner)
    if found != expected:
        return f"samples {dict(expected - found)} became {dict(found - expected)}", True
    return None, True


def main():
    if not os.path.exists(PARTNER):
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        return SKIP
    only = sys.argv[1:]
    bad = merged = 0
    partner = counts(PARTNER)
    names = [f"{folder}/{name}" for folder in ("perf", "recorded")
             for name in sorted(os.listdir(os.path.join(corpus, folder)))
             if not name.endswith((".json", ".md", ".dat")) and name != "expected"
             and (not only or any(o in name for o in only))]
    names = share(names)
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda n: check(os.path.join(corpus, n), os.path.join(tmp, n.replace("/", "-")), partner),
                           names)
        for name, (wrong, done) in zip(names, results):
            merged += done
            if wrong:
                bad += 1
                print(f"{name}: {wrong}")
    print(f"{merged} recordings merged, {bad} wrong")
    return 1 if bad or not only and merged < len(names) // 4 else 0


sys.exit(main())

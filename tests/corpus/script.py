#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script.py: does `sonde script` print of every recording what `perf script` prints?

The installed perf and, if there is one, the newest (SONDE_NEWEST_PERF, or tools/newest-perf beside the corpus) are
asked. A line agrees if it is the line of either, after white space is folded. The differences that remain must be among
those which docs/script-differences.md lists: each rule below has the name of a section there.
"""
import collections
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from share import share

SKIP = 77
source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
from symbol_names import as_shown
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
newest = os.environ.get("SONDE_NEWEST_PERF", os.path.join(corpus, "..", "tools", "newest-perf"))

# Kernel symbols would be those of this machine: perf 7.2 does not ask whether they are those of the recording.
COMMON = ["--kallsyms", "/dev/null"]
# Command lines beyond the default: (part of the file name, arguments).
SHOW = ["--show-task-events", "--show-mmap-events", "--show-switch-events", "--show-namespace-events",
        "--show-lost-events",
        "--show-bpf-events", "--show-cgroup-events", "--show-text-poke-events"]
MORE = [
    ("perf6.1-switchevents", SHOW), ("perf6.1-allcgroups", SHOW), ("ctx_switch_namespaces", SHOW),
    ("branch_stack_spec", SHOW),
    ("perf6.1-buildid_mmap", SHOW), ("perf7.2-latency", SHOW),
    ("branch_stack_spec", ["-F", "comm,tid,time,event,ip,sym,dso,brstack"]),
    ("branch_stack_spec", ["-F", "+brstackoff"]),
    ("branch_stack_hw_index", ["-F", "ip,brstack"]), ("callgraph_and_branch", ["-F", "+brstack", "-G"]),
    ("callgraph_and_branch", ["-F", "+brstacksym"]),
    ("perf6.1-regs", ["-F", "comm,pid,tid,time,event,ip,iregs,uregs"]),
    ("perf6.1-weight", ["-F", "time,weight,ins_lat,ip"]),
    ("perf6.1-physaddr",
     ["-F", "comm,tid,time,event,addr,data_src,phys_addr,data_page_size,code_page_size,ip,sym,dso"]),
    ("perf6.1-allcgroups", ["-F", "+cgroup"]), ("perf6.1-clockid.", ["-F", "+tod", "--ns"]),
    ("perf6.1-freq", ["-F", "+misc", "--ns"]), ("perf6.1-freq", ["-F", "-comm,-cpu,+pid", "--reltime"]),
    ("perf6.1-freq", ["--deltatime"]), ("pdc-single-event", ["--time", "20241.0,20242.5"]),
    ("pdc-single-event", ["-C", "0"]),
    ("pdc-single-event", ["--comms", "sleep"]), ("pdc-single-event", ["--pid", "5856"]),
    ("pdc-single-event", ["--tid", "5855,5860"]),
    ("quipper-perf.data.callgraph-3.8", ["--max-stack", "3"]), ("quipper-perf.data.callgraph-3.8", ["-G"]),
    ("quipper-perf.data.callgraph-3.8", ["-F", "ip,dso"]), ("perf6.1-kprobe", ["-F", "+ip"]),
    ("perf6.1-filter", ["-F", "trace:comm,trace"]),
    ("perf6.1-groupS.", ["-F", "time,event,period,ip"]), ("armhf-multi", ["-F", "sw:-period,+misc"]),
]


def frame(line):
    """(address, symbol without offset, dso) of a line that ends with a place; None if it does not."""
    m = re.match(r"(?:.* )?([0-9a-f]+) (\S+?)(?:\+0x[0-9a-f]+)?(?: \((.*)\))?$", line)
    return m.groups() if m else None


def same_head(s, p):
    """The same up to the last place, and what stands there."""
    fs, fp = frame(s), frame(p)
    if not fs or not fp or fs[0] != fp[0] or s.split(fs[0])[0] != p.split(fp[0])[0]:
        return None
    return fs, fp


def modifier(s, p):
    return s == re.sub(r"(\S):([a-zA-Z]*?)[HG]+:( |$)", lambda m: m[1] + (":" + m[2] if m[2] else "") + ":" + m[3], p)


def no_time(s, p):
    return s == p.replace(" 18446744073.709551:", "")


def user_address(s, p):
    fs, fp = frame(s), frame(p)
    return fs and fp and fs[1:] == fp[1:] and int(fs[0], 16) % 4096 == int(fp[0], 16) % 4096 and s.startswith(fs[0])


def merged_module(s, p):
    places = same_head(s, p)
    return places and places[1][2] in ("[kernel.kallsyms]", "[unknown]") and ".ko" in (places[0][2] or "")


def pipe_chain(s, p):
    places = same_head(s, p)
    return places and places[0][1] == places[1][1] and places[1][2] is None


PLUGIN_EVENTS = r"(sched:sched_(switch|wakeup|wakeup_new)|timer:hrtimer_\w+|kvm:\w+|syscalls:sys_enter_futex|\w+:\w+)"


def plugin_text(s, p):
    m = re.match(r".*?[0-9.]+: " + PLUGIN_EVENTS + ": ", s)
    return m and p.startswith(m[0])


def stray_branch(s, p):
    fs, fp = frame(s), frame(p)
    return fs and fp and fp[0].startswith("ffffffff") and fp[1:] == ("[unknown]", "[unknown]") and \
        fs[1] == "[unknown]" and len(fs[0]) < 16


def branch_binaries(s, p):
    binaries = r" ?\([^()]*\)"
    if "/-/-/" not in s:
        return False
    s, p = re.sub(binaries, "", s), re.sub(binaries, "", p)
    named = re.sub(r"[^ /]*[a-z_]{4}[^ /]*/", "[unknown]/", s)  # perf has no symbols where it has no binaries
    return p in (s, named)


def return_address(s, p):
    """perf has the function that begins where the call returns to."""
    places = same_head(s, p)
    return places and places[0][1] != places[1][1] and re.search(r"\+0x0( |$)", p) and not re.search(r"\+0x0( |$)", s)


def carried_symbol(s, p):
    """perf has no symbol, of a binary that is not here."""
    places = [re.match(r"(.*: |)([0-9a-f]+) (.+) \((.*)\)$", x) for x in (s, p)]
    if not all(places) or places[1][3] != "[unknown]" or places[0][3] == "[unknown]":
        return False
    return places[0][1] == places[1][1] and places[0][4] == places[1][4] and int(places[0][2],
                                                                                 16) % 4096 == int(places[1][2],
                                                                                                   16) % 4096


def foreign_vdso(s, p):
    """perf has the names of this machine's vdso."""
    p = re.sub(r"\w+\+0x[0-9a-f]+ \(\[vdso\]\)", "[unknown] ([vdso])", p)
    return "[unknown] ([vdso])" in s and (s == p or user_address(s, p) or branch_binaries(s, p))


RULES = [("branch-binaries", branch_binaries), ("foreign-vdso", foreign_vdso), ("event-modifiers", modifier),
         ("missing-time", no_time), ("return-addresses", return_address),
         ("user-addresses", user_address), ("modules", merged_module),
         ("pipe-tracepoint-chains", pipe_chain), ("call-stacks-of-branches", stray_branch),
         ("tracepoint-plugins", plugin_text), ("symbols-of-simpleperf", carried_symbol)]


def exited(s, p):
    """perf's line with the name that ours has, where perf has only the number."""
    m = re.match(r":(\d+) +\1 ", p)
    if not m:
        return p
    at = s.find(f" {m[1]} ")
    return p if at < 0 else s[:at] + p[m.end(0) - len(m[1]) - 2:]


def lines(command, env=None):
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
    told = run.stdout.decode(errors="replace")
    if command[0] != os.environ["SONDE"]:
        told = as_shown(told)
    text = [" ".join(line.split()) for line in told.splitlines()]
    # a message that goes to the standard output
    return [] if text and text[0].startswith("Too big:") else text


def cookie(removed):
    """perf prints the cookie of a chain whose user part did not come as an address of its last frame."""
    return re.match(r"[0-9a-f]+ \[unknown\] \(\[unknown\]\)$", removed)


def user_frame(line):
    """A frame that is not the kernel's, a module's or a guest's."""
    return frame(line) and not re.search(r"\(\[(?!unknown\]|vdso|vsyscall|heap|stack)", line)


def without_further_frames(ours, theirs):
    """Ours, without the user frames that follow where perf's chain ends."""
    kept = []
    for line in ours:
        if not (user_frame(line) and len(kept) < len(theirs) and not theirs[len(kept)]):
            kept.append(line)
    return kept


class Comparison:
    def __init__(self):
        self.agree = self.differ = self.files = self.silent = 0
        self.explained = collections.Counter()
        self.simpleperf = False

    def line(self, ours, theirs):
        if ours in theirs:
            self.agree += 1
            return True
        named = [exited(ours, p) for p in theirs]
        if named != theirs:
            self.explained["exited-threads"] += 1
            theirs = named
            if ours in theirs:
                return True
        for name, rule in RULES:
            if name == "symbols-of-simpleperf" and not self.simpleperf:
                continue
            if any(rule(ours, p) for p in theirs):
                self.explained[name] += 1
                return True
        return False

    def run(self, name, path, arguments):
        theirs = [lines([*perf, "script", "--no-itrace", *COMMON, *arguments, "-i", path]) for perf in oracles]
        theirs = [t for t in theirs if t]
        if not theirs:
            self.silent += 1
            return
        ours = lines([os.environ["SONDE"], "script", *COMMON, *arguments, "-i", path], env)
        for t in theirs:
            unwound = without_further_frames(ours, t)
            if len(t) == len(unwound) < len(ours):
                self.explained["user-stacks"] += len(ours) - len(unwound)
                ours = unwound
        self.simpleperf = name.startswith("aosp-")
        same_length = [t for t in theirs if len(t) == len(ours)]
        self.files += 1
        bad = []
        if same_length:
            bad = [(s, c) for s, *c in zip(ours, *same_length) if not self.line(s, c)]
        else:
            for tag, a, b, c, d in difflib.SequenceMatcher(None, theirs[-1], ours, False).get_opcodes():
                if tag == "equal":
                    self.agree += b - a
                elif tag == "delete" and all(cookie(p) for p in theirs[-1][a:b]):
                    self.explained["deferred-call-chains"] += b - a
                else:
                    bad += [("\n      ".join(ours[c:d]), theirs[-1][a:b])]
        self.differ += len(bad)
        if bad:
            print(f"{name} {' '.join(arguments)}: {len(bad)} lines differ")
            for s, c in bad[:3]:
                print(f"    sonde {s}")
                for p in c[:4]:
                    print(f"    perf  {p}")


oracles = [[p] for p in (shutil.which("perf"), newest if os.path.exists(newest) else None) if p]
folders = [f for f in ("perf", "recorded") if os.path.exists(os.path.join(corpus, f, "facts.json"))]
if not folders or not oracles:
    print(f"skipped: no perf is installed, or there is no corpus at {corpus} (set SONDE_CORPUS)")
    sys.exit(SKIP)

documented = set(re.findall(r"^## `([a-z-]+)`", open(os.path.join(source, "docs", "script-differences.md")).read(),
                            re.M))
if documented != {name for name, _ in RULES} | {"deferred-call-chains", "exited-threads", "user-stacks"}:
    sys.exit(f"docs/script-differences.md and the rules of this test differ: {documented}")

recordings = {}
for folder in folders:
    for name, facts in json.load(open(os.path.join(corpus, folder, "facts.json"))).items():
        compressed = any(t.startswith("COMPRESSED") for t in facts.get("raw_walk") or {})
        if facts.get("mode") in ("file", "pipe") and not compressed and not name.startswith("quipper-fuzz"):
            recordings[name] = os.path.join(corpus, folder, name)

result = Comparison()
with tempfile.TemporaryDirectory() as cache:
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    for name in share(recordings):
        result.run(name, recordings[name], [])
    for part, arguments in MORE:
        for name, path in recordings.items():
            if part in name:
                result.run(name, path, arguments)
for name, count in sorted(result.explained.items()):
    print(f"explained by {name}: {count}")
print(f"{result.agree} lines of {result.files} outputs agree, {sum(result.explained.values())} differ as documented, "
      f"{result.differ} differ; perf printed nothing {result.silent} times")
sys.exit(1 if result.differ else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_report.py [FILE...]: does `sonde script` print of every trace.dat what `trace-cmd report` prints?

And of several together, and with the options that both have (COMBINATIONS).

The installed trace-cmd and, if there is one, the newest (SONDE_NEWEST_TRACE_CMD, or tools/newest-trace-cmd beside the
corpus) are asked, each for the layout of its version. Lines must be equal byte by byte. The differences that remain
must be among those which docs/trace-cmd-differences.md lists: each rule below has the name of a section there. Without
FILE: every one of the corpus.
"""
import collections
import difflib
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from share import share

SKIP = 77
# trace-cmd prints memory that it has not initialised
os.environ.pop("MALLOC_PERTURB_", None)
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
tools = os.path.join(corpus, "..", "tools")

EVENT = re.compile(rb"(.*?\[\d{3}\].*?: (?:\(\+\d+\) +| {9})?)([^ :]+):")  # columns, name


# Words of both commands; a file of the corpus goes by its name alone. "!": 3.1 has a defect there.
COMBINATIONS = """
-i tc3.1-t6.dat -i tc3.1-t7_inst.dat
-i tc3.1-t7_inst.dat -i tc3.1-t6.dat -i tc3.1-t7_inst.dat
-i tc3.4-t7_hostsync.dat -i tc3.4-t7_hostsync-guest1.dat
-i tc3.1-t6.dat -i tc3.1-t7_inst.dat --ts-offset -7000000000
-i tc3.1-t6.dat -i tc3.4-t7_hostsync-guest1.dat --ts-offset 82000000000 -i tc3.1-t7_date.dat --ts-offset -5
-i s390x-t7.dat -i s390x-t7func.dat -i armhf-t7func.dat -i s390x-t7fgraph.dat
-l -t -i tc3.1-t7_raw_syscalls.dat -i tc3.1-t7_synth.dat
-i tc3.1-t7_fgraph.dat -i tc3.1-t7_func_stack.dat -i tc3.1-t7_lost.dat -i tc3.4-t7_fgraph.dat
-i igt-trace.dat -i labsisop-trace.dat -i lisa-trace.2014-05-07.dat
-t --align-ts -i tc3.1-t6.dat -i tc3.1-t7_inst.dat
--ts-diff -i tc3.1-t7_fgraph.dat -i tc3.1-t7_inst.dat
--ts-diff tc3.1-t6.dat
--ts-diff --align-ts tc3.1-t6.dat
--ts-diff -t tc3.1-t7_clock_x86-tsc.dat
--ts-diff tc3.1-t7_clock_x86-tsc.dat
--raw-ts tc3.1-t7_date.dat
--raw-ts -i tc3.4-t7_hostsync.dat -i tc3.4-t7_hostsync-guest1.dat
--nodate tc3.1-t7_date.dat
--nodate -i tc3.1-t7_date.dat -i tc3.1-t7_inst.dat
--ts2secs 333 -i tc3.1-t6.dat -i tc3.1-t7_clock_counter.dat --ts2secs 1000 --ts-offset 5 -i tc3.1-t7_clock_x86-tsc.dat
--ts2secs 2400000000 tc3.1-t7_clock_x86-tsc.dat
-R tc3.1-t7_raw_syscalls.dat
-F sched_switch tc3.1-t7_all_light.dat
-F SCHED tc3.1-t7_all_light.dat
-F 'sched: next_pid == 0' tc3.1-t7_all_light.dat
-F 'sched: bogus != 1' tc3.1-t7_all_light.dat
-F 'sched: !(bogus == 1)' tc3.1-t7_all_light.dat
-F 'sched_switch: prev_prio & 8' tc3.1-t7_all_light.dat
-F 'sched_switch: next_comm =~ "WORK"' tc3.1-t7_all_light.dat
-F 'tim.*/.*' -F 'sched_switch, sched_wak.*: prio < 150 || next_pid != 0' tc3.1-t7_all_light.dat
-F 'kmalloc: bytes_req > 1000' tc3.1-t7_all_light.dat
-F '.*:CPU == 1 && COMM != "true"' tc3.1-t7_lost.dat
-v -F '.*: COMM == "true"' tc3.1-t7_all_light.dat
-F sched -v -F 'sched_switch: prev_pid != 0' tc3.1-t7_all_light.dat
-v -F sched_switch -F kmem tc3.1-t7_all_light.dat
-F sched_switch tc3.1-t7_func_stack.dat
-F 'sched_switch: next_pid == 0' -v -F kernel_stack tc3.1-t7_stream_opts.dat
! -F 'sched_switch: next_pid == 0' s390x-t7func.dat
-F funcgraph_entry tc3.1-t7_fgraph.dat
-F 'function: ip == "vfs_open"' -v -F kernel_stack s390x-t7func.dat
! -F sched -i tc3.1-t7_fgraph.dat -i tc3.1-t7_all_light.dat
-I tc3.1-t7_all_light.dat
-I -i tc3.1-t7_fgraph.dat -i tc3.1-t7_all_light.dat
--ts-diff -F sched_switch tc3.1-t6.dat
""".strip().splitlines()


def rivals(folder):
    """(name, command, layout) of each trace-cmd; the newest one goes by the name that its script is called by."""
    newest = os.environ.get("SONDE_NEWEST_TRACE_CMD", os.path.join(tools, "newest-trace-cmd"))
    if not os.access(newest, os.X_OK) and os.access(os.path.join(tools, "newest-perf"), os.X_OK):
        newest = os.path.join(folder, "newest-trace-cmd")
        os.symlink(os.path.join(tools, "newest-perf"), newest)
    for command in (newest, shutil.which("trace-cmd")):
        if not command or not os.access(command, os.X_OK):
            continue
        text = subprocess.run([command, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
        version = re.search(r"version (\d+)\.(\d+)", text)
        if version:
            old = (int(version[1]), int(version[2])) < (3, 3)
            yield f"trace-cmd {version[1]}.{version[2]}", command, "trace-cmd-3.1" if old else "trace-cmd"


def entries(text):
    """Events with all of their lines, and other lines by themselves."""
    result = []
    for line in text.splitlines():
        if not result or EVENT.match(line) or line.startswith((b"cpus=", b"CPU:", b"[UNKNOWN EVENT]")):
            result.append(line)
        else:
            result[-1] += b"\n" + line
    return result


def output(command):
    return entries(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout)


def without_states(text):
    return re.sub(rb"\] \S+ ==> ", b"] ==> ", text)


def same_but_constants(ours, theirs):
    """The same after a string constant of the kernel, of which they print the address."""
    address = re.match(rb"[0-9a-f]{8,16}(?=$|\t)", theirs)
    return address and ours.endswith(theirs[address.end():]) and not re.match(rb"[0-9a-f]{8}", ours)


def same_but_flags(ours, theirs):
    """The same but for flags that are not set."""
    pattern = rb"\b(flags|state)=([A-Z_|]*)"
    a, b = re.search(pattern, ours), re.search(pattern, theirs)
    return (a and b and re.sub(pattern, rb"\1=", ours) == re.sub(pattern, rb"\1=", theirs) and
            set(a[2].split(b"|")) - {b""} < set(b[2].split(b"|")))


# Each section: (end of the rival's name, pattern of event names, function of our text and theirs) of its rules.
RULES = {
    "task-states": [("", "sched_switch", lambda ours, theirs: without_states(ours) == without_states(theirs))],
    "string-constants": [("", "rcu_.*|ma_.*", same_but_constants)],
    "flags-not-set": [("", "timer_start|writeback_.*", same_but_flags)],
    "variables-of-the-kernel": [("", "writeback_single_inode.*", lambda ours, theirs: b" age=? " in ours
                                 and b" age=" in theirs)],
    "failed-to-parse": [("3.1", "ma_.*", lambda ours, theirs: theirs.startswith(b"[FAILED TO PARSE]")
                         and b"Node" in ours)],
}


def with_name(ours, theirs):
    """Their line with the columns of ours up to the number of the task."""
    columns = rb"^.*?-(\d+) +\[(\d{3})\]"
    a, b = re.match(columns, ours), re.match(columns, theirs)
    return a[0] + theirs[b.end():] if a and b and a.groups() == b.groups() else theirs


def explain(rival, ours, theirs):
    if b"<...>-" in theirs and b"<...>-" not in ours:
        theirs = with_name(ours, theirs)
        if ours == theirs:
            return "names-learnt"
    a, b = EVENT.match(ours), EVENT.match(theirs)
    if not a or not b or a[0] != b[0]:
        return None
    name, text, other = a[2].decode(), ours[a.end():].lstrip(b" "), theirs[b.end():].lstrip(b" ")
    for section, rules in RULES.items():
        for which, events, rule in rules:
            if rival.endswith(which) and re.fullmatch(events, name) and rule(text, other):
                return section
    return None


def find(word):
    """A word of COMBINATIONS; files are where they are."""
    if not word.endswith(".dat"):
        return word
    return next(path for path in (os.path.join(corpus, folder, word) for folder in ("recorded", "trace"))
                if os.path.exists(path))


class Comparison:
    def __init__(self, rival):
        self.rival = rival
        self.equal = self.unexplained = 0
        self.explained = collections.Counter()

    def pair(self, name, ours, theirs, shown):
        if ours == theirs:
            self.equal += 1
            return shown
        section = explain(self.rival, ours, theirs)
        if section:
            self.explained[section] += 1
            return shown
        self.unexplained += 1
        if shown < 3:
            print(f"{name}:\n    sonde     {ours.decode(errors='replace')}\n"
                  f"    {self.rival} {theirs.decode(errors='replace')}")
        return shown + 1

    def file(self, name, ours, theirs):
        shown = 0
        if ours and (not theirs or theirs[0].startswith(b"File possibly truncated")):
            self.explained["codec-versions" if "zlib" in name else "cut-files"] += len(ours)
            return
        if len(ours) != len(theirs):
            for tag, a, b, c, d in difflib.SequenceMatcher(None, theirs, ours, False).get_opcodes():
                if tag == "equal":
                    self.equal += b - a
                    continue
                for i in range(max(b - a, d - c)):
                    shown = self.pair(name, ours[c + i] if c + i < d else b"", theirs[a + i] if a + i < b else b"",
                                      shown)
            return
        for s, t in zip(ours, theirs):
            shown = self.pair(name, s, t, shown)


files = sys.argv[1:] or share(sorted(f for folder in ("trace", "recorded")
                                     for f in glob.glob(os.path.join(corpus, folder, "*.dat*"))
                                     if not re.search(r"\.data|\.cpu\d+$", f)))
differences = open(os.path.join(source, "docs", "trace-cmd-differences.md")).read()
documented = set(re.findall(r"^## `([a-z-]+)`", differences, re.M))
if documented != set(RULES) | {"cut-files", "codec-versions", "names-learnt"}:
    sys.exit(f"docs/trace-cmd-differences.md and the rules of this test differ: {documented}")

with tempfile.TemporaryDirectory() as folder:
    found = list(rivals(folder))
    if not found or not files:
        print(f"skipped: no trace-cmd is installed, or there is no trace.dat at {corpus} (set SONDE_CORPUS)")
        sys.exit(SKIP)
    failed = False
    for rival, command, layout in found:
        result = Comparison(rival)
        for path in files:
            ours = output([os.environ["SONDE"], "script", "--layout", layout, path])
            result.file(os.path.basename(path), ours, output([command, "report", "-i", path]))
        for words in COMBINATIONS if len(sys.argv) == 1 else []:
            args = [find(word) for word in shlex.split(words)]
            if args[0] == "!" and layout == "trace-cmd-3.1":
                continue
            args = args[args[0] == "!":]
            ours = output([os.environ["SONDE"], "script", "--layout", layout, *args])
            result.file(words, ours, output([command, "report", *args]))
        for section, count in sorted(result.explained.items()):
            print(f"{rival}: {count} explained by {section}")
        print(f"{rival}: of {len(files)} files {result.equal} events equal, "
              f"{sum(result.explained.values())} differ as documented, {result.unexplained} differ")
        failed |= result.unexplained > 0
sys.exit(failed)

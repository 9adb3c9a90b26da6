#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unwind_perf.py: are the stacks of --call-graph dwarf those that perf unwinds?

Records programs that a Debian system has, and compares the user frames of each sample, by address and name, with those
of perf 6.1 (libunwind) and perf 7 (libdw). Where the two differ, sonde must agree with one of them.
docs/unwind-differences.md explains the classes of difference. Two programs run in the suite; --all takes all of them,
and -v shows stacks of each class.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
WANTED = 0.99
SHORT = ["bash", "sort"]
BASH = "f() { local i; for ((i = 0; i < 200; i++)); do x=$((x + i)); y=${x//1/2}; done; }; " \
       "g() { f; [ $1 -gt 0 ] && g $(($1 - 1)); }; for k in {1..6}; do g 10; done"
PYTHON = "import json, re\nd = [{'a': i, 'b': str(i) * 3} for i in range(3000)]\n" \
         "for k in range(90): s = json.dumps(d); json.loads(s); re.findall('[0-9]+', s); sorted(d, key=str)"
PERL = "for $k (1 .. 40) { %h = map { $_ => $_ * 2 } 1 .. 9000; $s = join ',', sort { $h{$a} <=> $h{$b} } keys %h; " \
       "$s =~ s/(\\d+)/<$1>/g; }"
CPP = r"""
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area(int n) const = 0; };
struct Square : Shape { double area(int n) const override { return n ? n * n + area(n - 1) : 0; } };
int main()
{
	std::map<std::string, int> words;
	std::vector<std::string> all;
	double sum = 0;
	for (int k = 0; k < 30; k++) {
		for (int i = 0; i < 20000; i++)
			words["w" + std::to_string(i * 7919 % 5000)]++;
		for (auto &w : words)
			all.push_back(w.first);
		std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a > b; });
		std::regex number("[0-9]+");
		for (int i = 0; i < 3000; i++)
			sum += std::regex_search(all[i], number);
		for (int i = 0; i < 100; i++)
			try { throw std::string("x"); } catch (std::string &s) { sum += s.size(); }
		sum += Square().area(100);
	}
	return sum < 0;
}
"""


def make_inputs():
    with open("lines", "w", encoding="ascii") as f:
        f.writelines(f"{i * 7919 % 1000003} {'x' * (i % 40)}\n" for i in range(300000))
    with open("prog.cpp", "w", encoding="ascii") as f:
        f.write(CPP)


def programs(everything):
    """{name: command}"""
    found = {
        "bash": ["bash", "-c", BASH.replace("6}", "40}") if everything else BASH],
        "sort": ["sort", "--parallel=2", "-S", "4M", "lines", "-o", "sorted"],
        "python3": ["python3", "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "xz": ["xz", "-T2", "--block-size=500000", "-k", "-c", "lines"],
        "git": ["git", "-C", os.environ["SONDE_SOURCE"], "log", "-n", "40", "--stat", "-p"],
        "cc1plus": ["g++", "-O2", "-c", "-o", "prog.o", "prog.cpp"],
        "clang": ["clang++", "-O2", "-c", "-o", "prog.o", "prog.cpp"],
        "c++": ["./prog"] if everything else ["missing"],
        "openssl": ["openssl", "speed", "-seconds", "1", "rsa2048", "sha256"],
    }
    if everything and shutil.which("g++"):
        subprocess.run(["g++", "-O2", "-fomit-frame-pointer", "-o", "prog", "prog.cpp"], check=True)
    return {name: command for name, command in found.items() if shutil.which(command[0])}


def read_stacks(command):
    """{(tid, ns): [(address, name, dso)]} of a script; the user's frames, innermost first"""
    text = subprocess.run([*command, "-F", "tid,time,ip,sym,dso", "--ns", "-i", "a.data"], check=True,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    stacks = {}
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        head = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):", lines[0])
        if head:
            frames = [re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line) for line in lines[1:]]
            stacks[int(head[1]), int(head[2] + head[3])] = [(int(f[1], 16), f[2], f[3]) for f in frames if f]
    return stacks


def same_place(a, b):
    """perf 6.1 prints the place in the file instead of the address: both agree within a page."""
    return a[0] % 4096 == b[0] % 4096


def same_names(ours, theirs):
    """perf 7 prints the parameters and, of templates, the result of a function."""
    return all(a[1].split("(")[0] in b[1] for a, b in zip(ours, theirs))


def verdict(ours, theirs):
    """The class of difference of two stacks."""
    at = next((i for i, pair in enumerate(zip(ours, theirs)) if not same_place(*pair)), min(len(ours), len(theirs)))
    if at < len(ours) and at < len(theirs):
        return "other frame"
    if not same_names(ours, theirs):
        return "other name"
    if len(ours) == len(theirs):
        return "same"
    if len(ours) > len(theirs):
        return "perf ends earlier"
    return "perf adds ffffffffffffffff" if theirs[at][0] == 2 ** 64 - 1 else "sonde ends earlier"


def is_whole(stack):
    """Only where a process or a thread begins there is no caller."""
    return bool(stack) and stack[-1][1] in ("_start", "_dl_start_user", "__clone3", "__clone", "clone", "clone3")


def is_explained(kinds, stack):
    """One perf agrees, or all of them have the beginning of a stack that is whole."""
    return any(kind in ("same", "perf adds ffffffffffffffff") for kind in kinds) or \
        (all(kind == "perf ends earlier" for kind in kinds) and is_whole(stack))


def show(key, kind, stack, theirs):
    print(f"  {kind}: {key}")
    for i in range(max(len(stack), len(theirs))):
        pair = [s[i] if i < len(s) else (0, "", "") for s in (stack, theirs)]
        print("    " + " | ".join(f"{p[0]:16x} {p[1][:40]:40} {p[2][-24:]:24}" for p in pair))


def compare(name, ours, theirs, verbose):
    """Whether the stacks are as they should be. theirs: {perf: stacks}"""
    counts = {perf: collections.Counter() for perf in theirs}
    good = total = 0
    for key, stack in ours.items():
        if not any([stack, *(stacks.get(key) for stacks in theirs.values())]):
            continue  # the kernel copied no stack
        total += 1
        kinds = {perf: verdict(stack, stacks.get(key, [])) for perf, stacks in theirs.items()}
        explained = is_explained(kinds.values(), stack)
        good += explained
        for perf, kind in kinds.items():
            counts[perf][kind] += 1
            if verbose and kind != "same" and counts[perf][kind] <= 2:
                show(key, f"{perf}: {kind}", stack, theirs[perf].get(key, []))
            elif not explained:
                show(key, f"{perf}: {kind}", stack, theirs[perf].get(key, []))
    print(f"{name}: {total} stacks, {good} explained; " +
          "; ".join(f"{perf}: " + ", ".join(f"{kind} {n}" for kind, n in counts[perf].most_common())
                    for perf in counts))
    return total - good <= max(2, (1 - WANTED) * total)


def find_perfs():
    tools = os.path.join(os.environ.get("SONDE_CORPUS", ""), "..", "tools", "newest-perf")
    paths = [shutil.which("perf"), shutil.which(os.environ.get("SONDE_NEWEST_PERF", tools))]
    return {subprocess.run([path, "version"], check=True, capture_output=True, text=True).stdout.split()[-1]: path
            for path in paths if path}


def main():
    sonde, perfs, everything = os.path.abspath(os.environ["SONDE"]), find_perfs(), "--all" in sys.argv
    wanted = [name for name in sys.argv[1:] if name[0] != "-"] or SHORT
    results = []
    if not perfs:
        print("no perf")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_inputs()
        for name, command in programs(everything).items():
            if not everything and name not in wanted:
                continue
            subprocess.run([sonde, "record", "-q", "--call-graph", "dwarf,32768", "-e", "cpu-clock:u", "-F",
                            "999" if everything else "499", "-o", "a.data", "--", *command],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            theirs = {perf: read_stacks([path, "script", "--no-inline"]) for perf, path in perfs.items()}
            results.append(compare(name, read_stacks([sonde, "script", "--no-inline"]), theirs, "-v" in sys.argv))
        os.chdir("/")
    return 0 if results and all(results) else 1


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unwind.py: are the stacks of dwarf recordings those that gdb found?

unwind-facts.json of the corpus has gdb's frames for each sample. At least 99 % of the complete stacks of each
architecture must be equal, address by address; the others must not contradict: one of the two is the beginning of the
other. The functions that were inlined at equal addresses must be the same. -v lists the stacks that differ; further
arguments choose architectures or recordings.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus")), "unwind")
ARCHS = ["x86-64", "aarch64", "armhf", "riscv64", "s390x"]
WANTED = 0.99
# gdb was given the tables of a twin program there: no frame may be wrong
NO_TABLES = ["nocfi"]
# these programs have no DWARF, and gdb was given that of a twin; gdb read no DWARF of the one that dwz packed
OTHER_DWARF = ["cppmix-exidx", "cdeep-exidx", "cdeep-mini", "cppmix-dwz"]


def stacks(arch, name, home):
    """{(tid, time in ns): [(address of each user frame, the functions inlined there)]}"""
    folder = os.path.join(corpus, arch)
    text = subprocess.run(
        [os.environ["SONDE"], "script", "--ns", "--max-stack", "1024",
         "--symfs", os.path.join(folder, "root"), "-F", "tid,time,ip,sym,dso",
         "-i", os.path.join(folder, name + ".data")],
        env={**os.environ, "HOME": home}, check=True, capture_output=True, text=True).stdout
    found = {}
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        head = re.match(r"\s*(\d+)\s+(\d+)\.(\d{9}):", lines[0])
        if head:
            found[int(head[1]), int(head[2] + head[3])] = frames(lines[1:])
    return found


def frames(lines):
    """Functions stand before the one that they were inlined into."""
    found, inlined = [], []
    for line in lines:
        address, name = line.split(maxsplit=1)
        if name.endswith(" (inlined)"):
            inlined.append(name_alone(name[:-len(" (inlined)")]))
        else:
            found += [] if is_kernel(line) else [(int(address, 16), inlined)]
            inlined = []
    return found


def name_alone(name):
    """Without scopes, arguments of templates and parameters, which gdb and demanglers write in different ways."""
    name = re.sub(r"\{\{closure\}\}|\{closure#\d+\}", "closure", name)
    name = re.sub(r"operator(\(\)|<<|>>|<=|>=|->|<|>)",
                  lambda m: "operator" + "".join(f"_{ord(c)}" for c in m[1]), name)
    depth, kept = 0, ""
    for c in name:
        depth += c in "<("
        kept += "" if depth else c
        depth -= c in ">)"
    return re.sub(r".*::|.* ", "", re.sub(r"( const|::)$", "", kept).strip())


def is_kernel(line):
    """Kernel frames are not in the facts."""
    return re.search(r" \(\[kernel.kallsyms\]\)$| \(\S*\.ko\S*\)$", line)


def verdict(have, want):
    if have == want:
        return "same"
    if have == want[:len(have)]:
        return "shorter"
    return "longer" if want == have[:len(want)] else "differs"


def compare_inlined(name, stack, found, mask, counts):
    for i, (ip, (address, inlined)) in enumerate(zip(stack["ips"], found)):
        if int(ip, 16) & mask != address & mask:
            break
        want = [name_alone(f) for f in stack.get("inlined", {}).get(str(i), []) if not f.startswith("(tail) ")]
        counts["inlined", "same" if want == inlined else "differs"] += bool(want or inlined)
        if want != inlined:
            print(f"    {name} {stack['time']}: inlined at {ip}: {inlined}, gdb has {want}")


def compare(arch, name, facts, home, verbose):
    found = stacks(arch, name, home)
    counts = collections.Counter()
    for stack in facts["stacks"]:
        if stack.get("complete") is None:  # no registers: the kernel's chain
            continue
        mask = ~1 if arch == "armhf" or "compat" in name else ~0
        want = [int(ip, 16) for ip in stack["ips"]]
        all_frames = found.get((stack["tid"], stack["time"]), [])
        have = [ip for ip, _ in all_frames]
        if name not in OTHER_DWARF:
            compare_inlined(name, stack, all_frames, mask, counts)
        same = verdict([ip & mask for ip in have], [ip & mask for ip in want])
        counts["complete" if stack["complete"] else "cut", same] += 1
        if verbose and same != "same" and (stack["complete"] or same == "differs"):
            at = next((i for i, pair in enumerate(zip(have, want)) if pair[0] & mask != pair[1] & mask),
                      min(len(have), len(want)))
            print(f"    {name} {stack['time']}: {same} at frame {at}: "
                  f"{[hex(ip) for ip in have[max(at - 1, 0):at + 2]]}, gdb has "
                  f"{list(zip(stack['ips'], stack['frames']))[max(at - 1, 0):at + 2]}")
    return counts


def check(arch, wanted_names, verbose):
    facts = json.load(open(os.path.join(corpus, arch, "unwind-facts.json"), encoding="utf-8"))
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as home:
        os.symlink(os.path.join(corpus, arch, "buildid-dir"), os.path.join(home, ".debug"))
        for name, recording in facts["recordings"].items():
            if wanted_names and name not in wanted_names:
                continue
            counts = compare(arch, name, recording, home, verbose)
            if verbose:
                print(f"  {arch} {name}: " + ", ".join(f"{k[0]} {k[1]} {n}" for k, n in sorted(counts.items())))
            total += counts
            if name in NO_TABLES and counts["complete", "differs"] + counts["cut", "differs"]:
                print(f"{arch}: {name} has wrong frames")
                return False
    complete = sum(n for (kind, _), n in total.items() if kind == "complete")
    cut = sum(n for (kind, _), n in total.items() if kind == "cut")
    same = total["complete", "same"]
    print(f"{arch}: {same} of {complete} complete stacks are equal ({same / max(complete, 1):.2%}); "
          f"of {cut} others {total['cut', 'same']} are equal, {total['cut', 'shorter']} shorter, "
          f"{total['cut', 'longer']} longer, {total['cut', 'differs']} differ")
    print(f"{arch}: the functions inlined at {total['inlined', 'same']} addresses are equal, "
          f"{total['inlined', 'differs']} differ")
    return same >= WANTED * complete and not total["inlined", "differs"]


def main():
    if not os.path.isdir(corpus):
        print("no corpus with recordings for unwinding")
        return SKIP
    arguments = [a for a in sys.argv[1:] if a != "-v"]
    archs = [a for a in arguments if a in ARCHS] or ARCHS
    names = [a for a in arguments if a not in ARCHS]
    results = [check(arch, names, "-v" in sys.argv) for arch in archs]
    return 0 if all(results) else 1


sys.exit(main())

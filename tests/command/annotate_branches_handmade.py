#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate_branches_handmade.py - basic blocks of branch stacks made by hand: cycles, IPC, where branches came from"""
import os
import platform
import random
import re
import struct
import subprocess
import sys
import tempfile

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.environ["SONDE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import each_byte  # noqa: E402
import perf_data as pd  # noqa: E402

# perf 6.1 never ends with --stdio2 on a recording with branch stacks
PERF = os.environ.get("SONDE_NEWEST_PERF", os.path.join(SOURCE, "../shared/tools/newest-perf"))
CC = os.environ.get("CC", "cc").split()
BRANCH_STACK_FEATURE = 15
ANY, ANY_CALL, CALL_STACK, USER = 1 << 3, 1 << 4, 1 << 11, 1
ROW = re.compile(r" +\d+\.\d\d :   +([0-9a-f]+):   +(\S+)(?: +(.*?))?$")


def want(truth, what, shown=""):
    if not truth:
        sys.exit(f"FAILED: {what}\n{shown}")


def annotate(*words):
    done = subprocess.run([SONDE, "annotate", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode and "capstone" in done.stderr:
        print("skipped: there is no capstone")
        sys.exit(77)
    want(done.returncode == 0, f"annotate {' '.join(words)}", done.stderr)
    return done.stdout


class Program:
    """It runs where it was linked: perf looks for branches at addresses of the file"""

    def __init__(self, folder):
        self.path = os.path.join(folder, "program")
        code = os.path.join(SOURCE, "tests/command/annotate.c")
        subprocess.run([*CC, "-g", "-O2", "-w", "-no-pie", "-o", self.path, code], check=True)
        found, (self.offset, self.addr, self.size) = each_byte.functions(self.path)
        self.functions = {name: (at, size) for name, at, size in found}
        recording = os.path.join(folder, "each.data")
        with open(recording, "wb") as f:
            f.write(each_byte.record(self.path, "hot$"))
        rows = [ROW.match(line) for line in annotate("-i", recording, "-s", "hot").splitlines()]
        self.insns = [int(m[1], 16) for m in rows if m]
        self.jumps = [(int(m[1], 16), int(m[3].split()[0], 16)) for m in rows
                      if m and m[2].startswith("j") and re.match("[0-9a-f]+ <hot", m[3])]

    def mapping(self):
        start, end = self.offset & -each_byte.PAGE, (self.offset + self.size + 0xfff) & -each_byte.PAGE
        return pd.mmap_file(self.addr - self.offset + start, end - start, start, self.path)


def stacks(program):
    """Runs of hot from start to end, as branches: (from, to, cycles, predicted), newest first"""
    dice = random.Random(3)
    hot, caller, made = program.functions["hot"][0], program.functions["main"][0], []
    for number in range(100):
        at, stack = hot, []
        for _ in range(14):
            coming = [jump for jump in program.jumps if jump[0] >= at][:2]
            if coming:
                source, target = dice.choice(coming)
            else:
                source, target = program.insns[-1], caller + 8
            stack.append((source, target, dice.randrange(1, 40), dice.random() < 0.9))
            if not coming:
                stack.append((caller + 12, hot, dice.randrange(1, 40), True))
                target = hot
            at = target
        stack.reverse()
        if number % 10 == 0:  # no cycles in the newest entry: those of the others do not count
            stack[0] = (*stack[0][:2], 0, True)
        made.append(stack)
    return made


def record(program, path, branch_type=ANY | USER):
    data, time = pd.comm("branches") + program.mapping(), 2000
    for stack in stacks(program):
        entries = b"".join(struct.pack("<QQQ", source, target, (2 if predicted else 1) | cycles << 4)
                           for source, target, cycles, predicted in stack)
        ip = program.insns[time % len(program.insns)]
        data += pd.sample(ip, time, more=struct.pack("<QQ", time, len(stack)) + entries)
        time += 1
    features = {pd.HOSTNAME: pd.feature_text("here"), each_byte.ARCH: pd.feature_text("x86_64"),
                BRANCH_STACK_FEATURE: b""}
    with open(path, "wb") as f:
        f.write(pd.make(data, features, sample_type=pd.BRANCH_STACK | pd.PERIOD, branch_type=branch_type))
    return path


def expected(program):
    """(IPC, cycles) of each instruction as text, average IPC and coverage: by the longest block of each end"""
    hot, size = program.functions["hot"]
    ends = {}
    for stack in stacks(program):
        for i, (end, _, cycles, _) in enumerate(stack if stack[0][2] else []):
            if not hot <= end < hot + size:
                continue
            start = stack[i + 1][1] if i + 1 < len(stack) else None
            start = start if start is not None and hot <= start < end else None
            ends.setdefault(end, []).append((start, cycles))
    rows, covered, insns, total = [], set(), 0, 0
    for at in program.insns:
        blocks = ends.get(at)
        if not blocks:
            rows.append(("", ""))
            continue
        starts, ipc = [start for start, _ in blocks if start is not None], ""
        if starts:
            inside = [insn for insn in program.insns if min(starts) <= insn <= at]
            longest = [cycles for start, cycles in blocks if start == min(starts)]
            covered |= set(inside)
            insns += len(inside) * len(longest)
            total += sum(longest)
            ipc = f"{len(inside) * len(longest) / sum(longest):.2f}"
        rows.append((ipc, str(sum(cycles for _, cycles in blocks) // len(blocks))))
    return rows, f"(Average IPC: {insns / total:.2f}, IPC Coverage: {100 * len(covered) / len(program.insns):.1f}%)"


def columns(text, figures=8):
    """(IPC, cycles) of the rows behind the titles"""
    return [(line[figures:figures + 6].strip(), line[figures + 6:figures + 12].strip())
            for line in text.splitlines()[3:]]


def compare(program, folder):
    recording = record(program, os.path.join(folder, "perf.data"))
    rows, title = expected(program)
    want(len([ipc for ipc, _ in rows if ipc]) > 2, "the program has blocks", str(rows))
    out = annotate("-i", recording, "-s", "hot", "--stdio2", "--no-source")
    want(columns(out) == rows, "cycles and IPC of each row", f"{out}\n{rows}")
    want(out.splitlines()[2] == "Percent   IPC Cycle " + title, "the title", f"{out}\n{title}")
    out = annotate("-i", recording, "-s", "hot", "--stdio2", "--no-source", "--show-total-period")
    want(columns(out, 12) == rows and re.search(r"^Period +IPC Cycle \(", out, re.M), "beside periods", out)
    for i, line in enumerate(annotate("-i", recording, "-s", "hot", "--stdio2").splitlines()[3:]):
        want("\u2191" in line or line[:20].strip() == "" or re.match(r" +\d+\.\d\d ", line), f"line {i}", line)
    return recording, rows


def as_perf(recording, rows):
    try:
        done = subprocess.run([PERF, "annotate", "--stdio2", "-i", recording, "-s", "hot"], capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
    lines = done.stdout.splitlines()
    if len(lines) != len(rows) + 2:  # it has no disassembler
        return False
    # its title is in the line of the first instruction
    theirs = [(line[8:14].strip(), line[14:20].strip()) for line in lines[3:]]
    want(theirs == rows[1:], "perf's cycles and IPC", f"{done.stdout}\n{rows}")
    return True


def expected_branches(program):
    """What stands behind the instructions in the text: shares of the runs that join, and that leave"""
    hot, size = program.functions["hot"]
    runs = [(before[1], end, predicted) for stack in stacks(program)
            for (end, _, _, predicted), before in zip(stack, stack[1:])]
    runs = [run for run in runs if hot <= run[0] <= run[1] < hot + size]

    def through(at):
        return sum(start <= at <= end for start, end, _ in runs)

    texts = {}
    for at in program.insns:
        joined = sum(start == at for start, _, _ in runs)
        taken = [predicted for _, end, predicted in runs if end == at]
        if joined:
            texts[at] = f" +{100 * joined / through(min(end for _, end, _ in runs if end >= at)):.2f}%"
        if taken:
            texts[at] = texts.get(at, "") + \
                f" -{100 * len(taken) / through(at):.2f}% (p:{100 * sum(taken) / len(taken):.2f}%)"
    return texts


def branch_texts(text):
    return {int(m[1], 16): m[2] for m in re.finditer(r" : +([0-9a-f]+):.*\t#((?: [+-].*)+)$", text, re.M)}


def branches(program, recording):
    """Every perf that is here says the same; how many"""
    wanted, n = expected_branches(program), 0
    ours = branch_texts(annotate("-i", recording, "-s", "hot"))
    want(ours == wanted, "where branches join and leave", f"{ours}\n{wanted}")
    for perf in PERF, "perf":
        try:
            done = subprocess.run([perf, "annotate", "--stdio", "-i", recording, "-s", "hot"], capture_output=True,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=60)
        except (FileNotFoundError, subprocess.TimeoutExpired):
            continue
        theirs = branch_texts(done.stdout)
        want(theirs in ({}, wanted), f"branches of {perf}", f"{theirs}\n{wanted}")
        n += theirs == wanted
    return n


def others(program, folder):
    """Without a start where branches of other kinds were not recorded; nothing of call stacks"""
    calls = record(program, os.path.join(folder, "calls.data"), ANY_CALL | USER)
    out = annotate("-i", calls, "-s", "hot", "--stdio2", "--no-source")
    want("Average IPC: 0.00, IPC Coverage: 0.0%" in out and any(cycles for _, cycles in columns(out)),
         "calls only", out)
    graph = record(program, os.path.join(folder, "graph.data"), CALL_STACK | USER)
    out = annotate("-i", graph, "-s", "hot", "--stdio2", "--no-source")
    want(out.splitlines()[2] == "Percent", "call stacks", out)


def main():
    if platform.machine() != "x86_64":
        print("skipped: the recording is made for x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(os.path.realpath(folder))
        recording, rows = compare(program, folder)
        others(program, folder)
        compared = branches(program, recording)
        if not as_perf(recording, rows) or not compared:
            print("skipped in part: there is no perf 7 with a disassembler")
            sys.exit(77)


main()

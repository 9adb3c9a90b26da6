#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_code.py: what optimizers get of branch stacks and of samples whose places are known: autofdo, bolt, llvm"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.path.abspath(os.environ["SONDE"])
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import each_byte  # noqa: E402
import perf_data as pd  # noqa: E402

CC = os.environ.get("CC", "cc").split()
ANY, USER = 1 << 3, 1
MISPREDICTED, PREDICTED = 1, 2
ELSEWHERE = 0x700000000000
failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got!r}\n  expected {wanted!r}")


def export(*words):
    r = subprocess.run([SONDE, "export", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600,
                       check=False)
    expect(f"status of export {' '.join(words)}: {r.stderr}", r.returncode, 0)
    return r.stdout, r.stderr


class Program:
    def __init__(self, folder):
        self.path = os.path.join(folder, "program")
        subprocess.run([*CC, "-g", "-O0", "-w", "-o", self.path, os.path.join(SOURCE, "tests/command/annotate.c")],
                       check=True)
        found, (self.offset, self.addr, self.size) = each_byte.functions(self.path)
        self.functions = {name: at - self.addr + self.offset for name, at, _ in found}

    def memory(self, name, offset):
        return each_byte.BASE + self.functions[name] + offset

    def mapping(self):
        start, end = self.offset & -each_byte.PAGE, (self.offset + self.size + 0xfff) & -each_byte.PAGE
        return pd.comm("code") + pd.mmap_file(each_byte.BASE + start, end - start, start, self.path)


def branches(program, folder):
    """main calls hot, hot jumps back in itself; once hot is called from elsewhere."""
    loop = (program.memory("hot", 8), program.memory("hot", 4))
    call = (program.memory("main", 6), program.memory("hot", 0))
    made = [[(*loop, PREDICTED), (*call, PREDICTED)]] * 20 + [[(*loop, MISPREDICTED), (*call, PREDICTED)]] * 5
    made.append([(ELSEWHERE, program.memory("hot", 0), PREDICTED)])
    data, time = program.mapping(), 2000
    for stack in made:
        data += pd.sample(stack[0][1], time, more=struct.pack("<QQ", 1, len(stack)) +
                          b"".join(struct.pack("<QQQ", *b) for b in stack))
        time += 1
    path = os.path.join(folder, "branches.data")
    with open(path, "wb") as f:
        f.write(pd.make(data, sample_type=pd.BRANCH_STACK | pd.PERIOD, branch_type=ANY | USER))
    return path


def samples(program, folder):
    data = program.mapping()
    for i in range(7):
        data += pd.sample(program.memory("hot", 4 if i < 5 else 8), 2000 + i)
    data += pd.sample(ELSEWHERE, 3000)
    path = os.path.join(folder, "samples.data")
    with open(path, "wb") as f:
        f.write(pd.make(data))
    return path


def check_autofdo(program, of_branches, of_samples):
    hot, main = program.functions["hot"], program.functions["main"]
    text, messages = export("--to", "autofdo", "-i", of_branches)
    expect("autofdo of branches", sorted(text.splitlines()), sorted([
        "1", f"{hot:x}-{hot + 8:x}:25", "0", "2", f"{hot + 8:x}->{hot + 4:x}:25", f"{main + 6:x}->{hot:x}:25"]))
    expect("message", messages, "")
    text, messages = export("--to", "autofdo", "-i", of_samples)
    expect("autofdo of samples", text, f"0\n2\n{hot + 4:x}:5\n{hot + 8:x}:2\n0\n")
    expect("message of samples", bool(re.fullmatch(
        rf"\S+: wrote {re.escape(program.path)} only: 1 of 8 samples are elsewhere, or in no function\n",
        messages)) or messages, True)


def check_bolt(folder, of_branches, of_samples):
    text, _ = export("--to", "bolt", "-i", of_branches)
    expect("bolt of branches", sorted(text.splitlines()), [
        "0 [unknown] 0 1 hot 0 0 1", "1 hot 8 1 hot 4 5 25", "1 main 6 1 hot 0 0 25"])
    text, _ = export("--to", "bolt", "-i", of_samples)
    expect("bolt of samples", text, "no_lbr cpu-clock\n1 hot 4 5\n1 hot 8 2\n")
    text, messages = export("--to", "bolt", "--dso", "nothing-of-this-name", "-i", of_samples)
    expect("bolt of another binary", text, "no_lbr cpu-clock\n")
    expect("its message", messages.partition(": ")[2], "wrote nothing: none of 8 samples is in such a binary\n")
    merge = next(filter(None, map(shutil.which, ("merge-fdata", "merge-fdata-16", "merge-fdata-19"))), None)
    if not merge:
        print("there is no merge-fdata: BOLT did not read it")
        return
    out = os.path.join(folder, "fdata")  # of samples, merge-fdata 16 takes no file
    export("--to", "bolt", "-o", out, "-i", of_branches)
    with open(out, encoding="ascii") as f:
        lines = f.read().splitlines()
    r = subprocess.run([merge, out, out], capture_output=True, text=True, timeout=600, check=False)
    expect(f"status of merge-fdata: {r.stderr}", r.returncode, 0)
    expect("counts of merge-fdata", sorted(r.stdout.splitlines()), sorted(twice(line) for line in lines))


def line_of(program, offset, function="hot"):
    """The line of an instruction, as addr2line of binutils says."""
    at = program.functions[function] - program.offset + program.addr + offset
    out = subprocess.run(["addr2line", "-e", program.path, hex(at)], capture_output=True, text=True, timeout=600,
                         check=True).stdout
    return int(re.search(r":(\d+)", out)[1])


def check_llvm_branches(program, folder, of_branches):
    """Lines from the begin of hot to its first branch ran 25 times; main called it, and one that is elsewhere."""
    out = os.path.join(folder, "branches.txt")
    export("--to", "llvm", "-o", out, "-i", of_branches)
    with open(out, encoding="ascii") as f:
        text = f.read()
    if shutil.which("addr2line"):
        lines = sorted({line_of(program, offset) - line_of(program, 0) for offset in range(9)})
        call = line_of(program, 6, "main") - line_of(program, 0, "main")
        expect("llvm of branches", text, f"hot:{25 * len(lines)}:26\n" + "".join(f" {n}: 25\n" for n in lines) +
               f"main:25:0\n {call}: 25 hot:25\n")
    llvm_reads(out, text)


def llvm_reads(path, text):
    """What llvm-profdata reads is what was written."""
    if not shutil.which("llvm-profdata"):
        print("there is no llvm-profdata: LLVM did not read it")
        return
    r = subprocess.run(["llvm-profdata", "merge", "--sample", "--text", "-o", "-", path], capture_output=True,
                       text=True, timeout=600, check=False)
    expect(f"what llvm-profdata reads: {r.stderr}", sorted(r.stdout.split()), sorted(text.split()))


def check_llvm(program, folder, of_samples):
    out = os.path.join(folder, "profile.txt")
    _, messages = export("--to", "llvm", "-o", out, "-i", of_samples)
    expect("message of llvm", "1 of 8 samples are elsewhere" in messages, True)
    with open(out, encoding="ascii") as f:
        text = f.read()
    if shutil.which("addr2line"):
        first = line_of(program, 0)
        lines = {}
        for offset, count in ((4, 5), (8, 2)):
            number = line_of(program, offset) - first
            lines[number] = lines.get(number, 0) + count
        expect("llvm", text, "hot:7:0\n" + "".join(f" {n}: {c}\n" for n, c in sorted(lines.items())))
    llvm_reads(out, text)


def twice(line):
    """Of a file that is merged with itself, the count is doubled."""
    head, _, count = line.rpartition(" ")
    return f"{head} {2 * int(count)}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(folder)
        made = branches(program, folder), samples(program, folder)
        check_autofdo(program, *made)
        check_bolt(folder, *made)
        check_llvm(program, folder, made[1])
        check_llvm_branches(program, folder, made[0])
    print("\n".join(failures) or "autofdo, bolt and llvm have the places of the branches and samples")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate_maps_handmade.py - samples of an address whose mapping changes are those of the binary of their time

annotate counts samples where it finds them, and looks them up later. With --time, which leaves nothing out here, it
takes them by time instead: both say the same of every recording.
"""
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.environ["SONDE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import each_byte  # noqa: E402
import perf_data as pd  # noqa: E402

CC = os.environ.get("CC", "cc").split()
EXEC, GUEST_USER = 0x2000, 5
ROUND = pd.record(pd.FINISHED_ROUND, 0, b"")
FEATURES = {pd.HOSTNAME: pd.feature_text("here"), each_byte.ARCH: pd.feature_text("x86_64")}


def want(truth, what, shown=""):
    if not truth:
        sys.exit(f"FAILED: {what}\n{shown}")


def annotate(path, *words, stdin=subprocess.DEVNULL):
    done = subprocess.run([SONDE, "annotate", "-i", path, *words], capture_output=True, text=True, stdin=stdin,
                          check=False)
    if done.returncode and "libcapstone" in done.stderr:
        print("skipped: there is no capstone")
        sys.exit(77)
    return done.returncode, done.stdout, done.stderr


class Programs:
    """Copies of a program that differ in their name only"""

    def __init__(self, folder):
        self.folder = folder
        first = self.path("a")
        subprocess.run([*CC, "-O2", "-w", "-o", first, os.path.join(SOURCE, "tests/command/annotate.c")], check=True)
        for name in "bcd":
            shutil.copy(first, self.path(name))
        found, (self.offset, addr, size) = each_byte.functions(first)
        self.size = (size + 0xfff) & -each_byte.PAGE
        start, self.length = next((at, size) for name, at, size in found if name == "hot")
        self.ip = each_byte.BASE + start - addr + self.offset % each_byte.PAGE

    def path(self, name):
        return os.path.join(self.folder, name)

    def map(self, name, time, pid=50):
        return pd.mmap_file(each_byte.BASE, self.size, self.offset & -each_byte.PAGE, self.path(name), pid, time)

    def sample(self, time, at=0, **more):
        return pd.sample(self.ip + at, time, **more)

    def counts(self, what, *records):
        """The samples of hot by program; the same whether samples are counted by time or not"""
        path = self.path("made.data")
        with open(path, "wb") as f:
            f.write(pd.make(pd.comm("made") + b"".join(records), FEATURES))
        plain, by_time = annotate(path, "-s", "hot"), annotate(path, "-s", "hot", "--time", "0,1000")
        want(plain == by_time, f"{what}: the same by time", f"{plain}\n{by_time}")
        return {name: int(n) for name, n in re.findall(r"Disassembly of (\w+) for \S+ \((\d+) samples", plain[1])}


def exec_of(pid, time):
    return pd.comm("other", pid, time).replace(b"\x03\0\0\0\x02\0", b"\x03\0\0\0\x02\x20", 1)


def known(p):
    a, b = p.map("a", 1000), p.map("b", 3000)
    early, late = [p.sample(2000 + i) for i in range(3)], [p.sample(4000 + i) for i in range(5)]
    for what, expected, *records in (
            ("one mapping", {"a": 8}, a, *early, *late),
            ("another mapping", {"a": 3, "b": 5}, a, *early, b, *late),
            ("another mapping, behind its samples in the file", {"a": 3, "b": 5}, a, *late, *early, b, ROUND, ROUND),
            ("the same mapping again", {"a": 8}, a, *early, p.map("a", 3000), *late),
            ("there and back", {"a": 3, "b": 2}, a, *early, b, p.sample(3500), p.sample(3600), p.map("a", 3900)),
            ("other processes", {"a": 3, "b": 4}, a, *early, p.map("b", 1000, 60),
             *(p.sample(2000 + i, pid=60) for i in range(4))),
            ("a fork", {"a": 4, "b": 5}, a, *early, pd.fork(60, 50, 2500), b, p.sample(4500, pid=60), *late),
            ("an exec", {"a": 3, "b": 5}, a, *early, exec_of(50, 2900), b, *late),
            ("no mapping yet", {"a": 5}, p.sample(500), p.sample(600), p.map("a", 3000), *late),
            ("a mapping without time among samples", {"a": 3, "b": 6}, a, *early, ROUND, ROUND, p.sample(2900), ROUND,
             p.map("b", 0), *late),
            ("a sample without time", {"a": 8}, a, *early, p.sample(0), *late),
            ("a guest's sample", {"a": 8}, a, *early, p.sample(2500, misc=GUEST_USER), *late),
            ("a sample of the kernel there", {"a": 8}, a, *early, p.sample(2500, misc=pd.KERNEL), *late),
            ("a late mapping", None, a, *early, ROUND, *late, ROUND, p.sample(5000), ROUND, ROUND,
             p.map("b", 3000), p.sample(6000), ROUND),
            ("a late sample", None, a, *early, ROUND, *late, ROUND, p.sample(5000), ROUND, ROUND, p.sample(2500))):
        got = p.counts(what, *records)
        want(expected is None or got == expected, what, f"{got}, not {expected}")


def a_stream(p):
    """A stream is read once: none of it can be read again by time"""
    made, piped = p.path("made.data"), p.path("piped.data")
    p.counts("a file", p.map("a", 1000), p.sample(2000), p.map("b", 3000), p.sample(4000))
    subprocess.run([SONDE, "convert", "--to", "pipe", made, piped], stdin=subprocess.DEVNULL, check=True)
    with subprocess.Popen(["cat", piped], stdout=subprocess.PIPE) as cat:
        of_stream = annotate("-", "-s", "hot", stdin=cat.stdout)
    want(of_stream == annotate(made, "-s", "hot"), "a stream has the samples of the file", of_stream)


def at_random(p, dice):
    """Processes that map, fork and run other programs between their samples; rounds whose records are shuffled"""
    records, round_of, time, pids = [p.map("a", 1000)], [], 2000, [50]
    for _ in range(dice.randrange(50, 600)):
        time += dice.randrange(1, 20)
        pid, what = dice.choice(pids), dice.random()
        if what < 0.02:
            round_of.append(p.map(dice.choice("abcd"), time, pid))
        elif what < 0.03:
            round_of.append(exec_of(pid, time) + p.map(dice.choice("abcd"), time + 1, pid))
        elif what < 0.04 and len(pids) < 6:
            pids.append(pids[-1] + 1)
            round_of.append(pd.fork(pids[-1], pid, time))
        elif what < 0.06:
            dice.shuffle(round_of)
            records += [*round_of, ROUND]
            round_of = []
        else:
            round_of.append(p.sample(time, dice.randrange(p.length), pid=pid, misc=dice.choice((2, 2, 2, pd.KERNEL))))
    p.counts("at random", *records, *round_of)


def main():
    if platform.machine() != "x86_64":
        print("skipped: the recordings are made for x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(os.path.realpath(folder))
        known(programs)
        a_stream(programs)
        for number in range(40):
            at_random(programs, random.Random(number))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""latency_handmade.py: latency and parallelism, as perf since 6.15 has them, of a recording whose switches are known"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/corpus")), "../tools/newest-perf"))
CONTEXT_USER = 2**64 - 512
MAIN, LEAF = 0x1000, 0x2000
CPUS = 3
failures = []

# Periods: one 7000 + 3333 + 1000 + 165, two 1000 + 3001 + 2000, three 3001 + 1999 + 1994.
# Divided by the threads that ran: one 7000 + 3333/2 + 1000 + 165, two 1000/2 + 3001/3 + 2000/3,
# three 3001/3 + 1999/3 + 1994/2.
BY_COMM = """
# Overhead   Latency  Command
    46.94%    67.05%  one
    28.56%    18.17%  three
    24.50%    14.78%  two
"""
BY_COMM_LATENCY = """
#  Latency  Overhead  Command
    67.05%    46.94%  one
    18.17%    28.56%  three
    14.78%    24.50%  two
"""
BY_PARALLELISM = """
# Overhead   Latency  Parallelism
    40.83%    22.74%            3
    33.34%    55.69%            1
    25.83%    21.58%            2
"""
ONE_OR_THREE = """
# Overhead   Latency  Command
    33.34%    55.69%  one
    20.42%    11.37%  two
    20.41%    11.37%  three
"""
CHILDREN = """
# Children  Latency      Self   Latency  Command
    46.94%   67.05%    46.94%    67.05%  one
    28.56%   18.17%    28.56%    18.17%  three
    24.50%   14.78%    24.50%    14.78%  two
"""
NAMED = """
#  Latency  Command
    67.05%  one
    18.17%  three
    14.78%  two
"""
HIERARCHY = """
#           Latency  Parallelism / Command / Symbol / IPC   [IPC Coverage]
    55.69%           1
       55.69%           one
          55.69%           [.] 0x0000000000002000
             55.69%           -      -
    21.58%           2
"""
SHOWN = [
    ("--sort comm", BY_COMM), ("--sort comm --latency", BY_COMM_LATENCY), ("--sort parallelism", BY_PARALLELISM),
    ("--sort comm --parallelism 1,3-9", ONE_OR_THREE), ("--sort latency,comm", NAMED),
    ("--sort comm --children -g none", CHILDREN),
]
COMPARED = """
    / --latency / --sort comm / --sort comm --latency / --sort parallelism / --sort comm,parallelism
    --sort parallelism,comm --latency
    --sort comm --parallelism 1 / --sort comm --parallelism 2,3 / --sort comm --parallelism 2-9 --percentage relative
    --sort latency,comm / --sort comm,latency / -F latency,comm / -F comm,latency --sort comm
    -F parallelism,overhead,comm
    --sort comm -n --show-total-period / --sort comm -n --show-total-period --latency / --sort comm,latency,overhead
    --hierarchy --sort latency,parallelism,comm,symbol --parallelism=1,2 / --sort symbol / --sort dso,symbol --latency
    --sort sym --percent-limit 30 --latency
"""


def sample(pid, time, period, ip=LEAF, chains=False):
    chain = struct.pack("<4Q", 3, CONTEXT_USER, ip, MAIN) if chains else b""
    return pd.sample(ip, time, pid, struct.pack("<Q", period) + chain)


def make(path, chains=False, flags=pd.CONTEXT_SWITCH, more=b""):
    """One thread, then two, three, four on three CPUs, two after an end; at last switches that came too late."""
    data = pd.comm("one") + pd.comm("two", 51) + pd.comm("three", 52)
    data += sample(50, 2000, 7000, chains=chains) + pd.switch(51, 2100)
    data += sample(50, 2200, 3333, chains=chains) + sample(51, 2300, 1000, MAIN, chains) + pd.switch(52, 2400)
    data += sample(51, 2500, 3001, chains=chains) + sample(52, 2600, 3001, MAIN, chains) + pd.switch(53, 2700)
    data += sample(51, 2800, 2000, chains=chains) + sample(52, 2900, 1999, chains=chains)
    data += pd.switch(53, 3000, out=True) + pd.switch(51, 3050, out=True)
    data += sample(52, 3100, 1994, chains=chains) + pd.leave(52, 3200)
    data += sample(50, 3300, 1000, chains=chains) + pd.switch(50, 3400, out=True) + pd.switch(50, 3500, out=True)
    data += sample(50, 3600, 165, chains=chains) + pd.switch(50, 3700) + more
    features = {pd.HOSTNAME: struct.pack("<I", 64) + b"here".ljust(64, b"\0"),
                pd.NRCPUS: struct.pack("<II", CPUS, CPUS)}
    with open(path, "wb") as f:
        f.write(pd.make(data, features, pd.PERIOD | (pd.CALLCHAIN if chains else 0), flags=flags))


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL)


def rows(text):
    lines = [line.rstrip() for line in text.splitlines()]
    above = r"#$|# (\.|Total Lost|To display|\(Tip|Samples|Event count)"
    return [line for line in lines if line and not re.match(above, line)]


def table(text):
    """With what stands above it; widths of columns and lines of dots aside."""
    lines = [re.sub(r"[ .]+", " ", line).rstrip() for line in text.splitlines()]
    return [line for line in lines if line and not re.match(r"#$|# (Total Lost|To display|\(Tip)", line)]


def want(condition, text):
    if not condition:
        failures.append(text)


def check_shown(path, chains):
    for words, expected in SHOWN:
        file = chains if "-g" in words else path
        out = run(SONDE, "report", "-i", file, *words.split()).stdout
        want(rows(out) == rows(expected), f"{words}: printed\n{out}")
    words = "--hierarchy --sort latency,parallelism,comm,symbol --parallelism=1,2"
    out = run(SONDE, "report", "-i", path, *words.split()).stdout
    expected = rows(HIERARCHY)
    want(rows(out)[:len(expected)] == expected, f"hierarchy: printed\n{out}")
    out = run(SONDE, "report", "-i", path, "--json", "--sort", "comm,parallelism").stdout
    want('"latency":8165,"comm":"one","parallelism":1,' in out, f"--json: printed\n{out}")


def check_wrong(path, without, serial):
    for words in ("--latency", "--sort latency,comm", "--sort parallelism", "-F latency,comm", "--parallelism 1"):
        r = run(SONDE, "report", "-i", without, *words.split())
        want(r.returncode == 1 and "need context switches" in r.stderr, f"{words}: {r.returncode} {r.stderr}")
    for words in ("0", "1-x", "4097", ""):
        r = run(SONDE, "report", "-i", path, "--parallelism", words)
        want(r.returncode == 2, f"--parallelism {words!r}: {r.returncode} {r.stderr}")
    r = run(SONDE, "report", "-i", path, "--parallelism", "77")
    want(r.returncode == 0 and "none of its 10 samples was asked for" in r.stderr, f"77: {r.returncode} {r.stderr}")
    want("Latency" not in run(SONDE, "report", "-i", serial).stdout, "a column Latency where one thread ran alone")
    want("Latency" in run(SONDE, "report", "-i", serial, "--latency").stdout, "--latency shows no column")


def check_perf(files):
    """The same lines as perf's own report of the same file."""
    compared = 0
    for file in files:
        for words in re.split(r"/|\n", COMPARED.strip("\n")):
            words = words.split() + (["--no-children"] if "chains" in file else [])
            words += ["--stdio", "-g", "none", "-i", file]
            mine, theirs = run(SONDE, "report", *words), run(NEWEST, "report", *words)
            want(table(mine.stdout) == table(theirs.stdout),
                 f"{' '.join(words)}: printed\n{mine.stdout}perf:\n{theirs.stdout}{theirs.stderr}")
            compared += 1
    return compared


def main():
    with tempfile.TemporaryDirectory() as tmp:
        path, chains, without, serial = (os.path.join(tmp, name) for name in ("plain", "chains", "without", "serial"))
        make(path)
        make(chains, chains=True)
        make(without, flags=0)
        make(serial, more=b"".join(sample(50, 4000 + i, 1) for i in range(1000)))
        check_shown(path, chains)
        check_wrong(path, without, serial)
        if os.access(NEWEST, os.X_OK) and run(NEWEST, "--version").returncode == 0:
            print(f"{check_perf((path, chains, serial))} reports as perf prints them")
        else:
            print("there is no perf of 6.15 or later: its reports are not compared")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

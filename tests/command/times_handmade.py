#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""times_handmade.py: --time in seconds and in parts of the recording, on samples made by hand: one each 10 ns from 1000
to 2000

What perf script selects is in the table; the installed perf is asked too. A file that does not tell its first and last
sample is read for them.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sonde = os.environ["SONDE"]
SAMPLE_TIME = 21
# --time, how many samples, the first, the last
SELECTED = (
    ("10%/2", 10, 1100, 1190), ("10%/1", 10, 1000, 1090), ("10%", 10, 1000, 1090), ("0%-10%", 10, 1000, 1090),
    ("10%-20%", 10, 1100, 1190),
    ("0%-10%,30%-40%", 20, 1000, 1390), ("10%/1,10%/2", 20, 1000, 1190), ("90%-100%", 11, 1900, 2000),
    ("10%/10", 11, 1900, 2000),
    ("10.5%/2", 10, 1110, 1200), ("10%/1, 10%/3", 20, 1000, 1290), ("33%/3", 33, 1660, 1980),
    ("0%-100%", 101, 1000, 2000),
    ("100%", 101, 1000, 2000), ("0.0000012,0.0000013", 11, 1200, 1300),
    ("0.000001,0.0000012 0.0000018,", 42, 1000, 2000),
    (",0.0000012", 21, 1000, 1200), ("0.0000019,", 11, 1900, 2000),
)
WRONG = ("30%/4", "20%,30%x", "10%/11", "50%-", "-50%", "10-20%", "110%/1", "10%/0", "0%/1", "10%-5%", "", ",", "1,2,3",
         "10%/1.5", "1 x")


def make(noted):
    sample_type = 1 << 16 | 1 | 2 | 4
    data = struct.pack("<IHHII8sIIQQ", 3, 2, 48, 50, 51, b"prog", 50, 51, 1000, 5)
    data += b"".join(struct.pack("<IHHQQIIQ", 9, 2, 40, 5, 0x400000, 50, 51, t) for t in range(1000, 2001, 10))
    attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1, sample_type, 0, 1 << 18) + bytes(16)
    bits = (1 << SAMPLE_TIME).to_bytes(32, "little") if noted else bytes(32)
    out = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 112, 80, 192, len(data), 0, 0) + bits
    out += struct.pack("<Q", 5) + attr + struct.pack("<QQ", 104, 8) + data
    return out + (struct.pack("<QQQQ", len(out) + 16, 16, 1000, 2000) if noted else b"")


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False)


def selected(tool, path, text):
    """How many, the first and the last in ns."""
    lines = run(tool, "script", "--ns", "-F", "time", "-i", path, "--time", text).stdout.split()
    times = [int(line.rstrip(":").replace(".", "")) for line in lines]
    return len(times), min(times, default=None), max(times, default=None)


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        for noted in (True, False):
            path = os.path.join(tmp, "made.data")
            with open(path, "wb") as f:
                f.write(make(noted))
            for text, *want in SELECTED:
                got = selected(sonde, path, text)
                if got != tuple(want):
                    bad.append(f"script {text}: {got}, expected {want}")
                if noted and shutil.which("perf") and selected("perf", path, text) != tuple(want):
                    bad.append(f"perf selects {selected('perf', path, text)} with {text}")
                cut = os.path.join(tmp, "cut.data")
                r = run(sonde, "cut", "--time", text, path, cut)
                if r.returncode or selected(sonde, cut, "0,1") != tuple(want):
                    bad.append(f"cut {text}: {selected(sonde, cut, '0,1')}, expected {want} {r.stderr}")
                r = run(sonde, "report", "--json", "--time", text, path)
                if f'"samples":{want[0]},' not in r.stdout:
                    bad.append(f"report {text}: {r.stdout[:200]} {r.stderr}")
        for text in WRONG:
            r = run(sonde, "script", "-i", path, "--time", text)
            if r.returncode != 2 or "--time takes seconds" not in r.stderr:
                bad.append(f"'{text}' is taken: {r.returncode} {r.stderr}")
        pipe = os.path.join(tmp, "pipe.data")
        run(sonde, "convert", "--to", "pipe", path, pipe)
        r = run("sh", "-c", f"cat {pipe} | {sonde} script --time 10%/1 -i -")
        if r.returncode != 1 or "the length of a stream is unknown" not in r.stderr or r.stdout:
            bad.append(f"a share of a stream: {r.returncode} {r.stderr}")
    print("\n".join(bad) or f"{len(SELECTED)} selections as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

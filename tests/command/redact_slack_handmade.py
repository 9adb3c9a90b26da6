#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redact_slack_handmade.py: `convert --redact` leaves nothing behind the end of a text, in none of the places where a
recording has one, nor a name that a program chose where most names are the kernel's"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402

sonde = os.path.abspath(os.environ["SONDE"])
KSYMBOL, EVENT_UPDATE, AUXTRACE_ERROR, EVENT_TYPE, CGROUP = 17, 78, 72, 65, 19
OSRELEASE, VERSION, ARCH, CPUDESC = 4, 5, 6, 8
secrets = []


def secret(size=24):
    """Text that nothing but this place has."""
    word = f"Hidden{len(secrets):03d}".encode()
    secrets.append(word)
    return word.ljust(size, b"x")[:size]


def slack(name, size):
    """A text in so many bytes, of which those behind its NUL are secret."""
    text = name.encode() + b"\0"
    return text + secret(size - len(text))


def feature(name, size=64):
    return struct.pack("<I", size) + slack(name, size)


def ksymbol(name, kind=1, size=64):
    return pd.record(KSYMBOL, 0, struct.pack("<QIHH", 0xffffffffc0000000, 64, kind, 0) + name + pd.trailer(1000))


def pmu_mappings():
    return struct.pack("<II", 1, 1) + feature("cpu_clock")


def event_desc():
    return (struct.pack("<II", 1, pd.ATTR_BYTES) + pd.attr() + struct.pack("<I", 1) + feature("cycles:u")
            + struct.pack("<Q", pd.EVENT_ID))


def main():
    data = (pd.record(pd.MMAP, pd.USER, struct.pack("<iIQQQ", 50, 50, 0x10000, 0x1000, 0) + slack("[heap]", 64)
                      + pd.trailer(1000))
            + pd.mmap(0x20000, 0x1000, "[" + secret(16).decode() + "]")
            + pd.record(3, 0, struct.pack("<II", 50, 50) + slack("swapper", 40) + pd.trailer(1000))
            + ksymbol(slack("bpf_prog_6deef7357e7b4530", 64))
            + ksymbol(secret(31) + b"\0")
            + ksymbol(slack("ftrace_trampoline", 64), 2)
            + pd.record(CGROUP, 0, struct.pack("<Q", 1) + slack("/", 40) + pd.trailer(1000))
            + pd.record(EVENT_UPDATE, 0, struct.pack("<QQ", 0, pd.EVENT_ID) + slack("msec", 40))
            + pd.record(EVENT_UPDATE, 0, struct.pack("<QQ", 2, pd.EVENT_ID) + slack("clock", 40))
            + pd.record(AUXTRACE_ERROR, 0, struct.pack("<IIiiiIQQ", 1, 1, 0, 50, 50, 1, 0, 0) + slack("overflow", 64))
            + pd.record(EVENT_TYPE, 0, struct.pack("<Q", 0) + slack("cycles", 64))
            + pd.sample(0x10010))
    features = {pd.HOSTNAME: feature("here"), OSRELEASE: feature("6.1.0"), VERSION: feature("6.1"),
                ARCH: feature("x86_64"), CPUDESC: feature("a CPU"), pd.PMU_MAPPINGS: pmu_mappings(),
                pd.EVENT_DESC: event_desc()}
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        path, new = os.path.join(tmp, "in.data"), os.path.join(tmp, "out.data")
        with open(path, "wb") as f:
            f.write(pd.make(data, features))
        r = subprocess.run([sonde, "convert", "--redact", path, new], capture_output=True, text=True, check=False)
        if r.returncode != 0:
            print(f"FAILED: exit status {r.returncode}: {r.stderr}")
            return 1
        with open(new, "rb") as f:
            found = f.read()
        for word in secrets:
            if word in found:
                print(f"FAILED: {word.decode()} is still there")
                bad = 1
        for kept in (b"[heap]", b"swapper", b"bpf_prog_6deef7357e7b4530", b"ftrace_trampoline", b"msec", b"clock",
                     b"overflow", b"cycles", b"6.1.0", b"x86_64", b"cpu_clock", b"cycles:u"):
            if kept not in found:
                print(f"FAILED: {kept.decode()} has gone")
                bad = 1
        r = subprocess.run([sonde, "check", new], capture_output=True, text=True, check=False)
        if " 0 errors" not in r.stdout:
            print(f"FAILED: {r.stdout}")
            bad = 1
    print(f"{len(secrets)} places")
    return bad


sys.exit(main())

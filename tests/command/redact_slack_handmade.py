#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redact_slack_handmade.py: `convert --redact` leaves nothing behind the end of a text, in none of the places where a
recording has one, nor a name that a program chose where most names are the kernel's, nor the names of probes; then
damaged variants"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402
import redacted  # noqa: E402

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


FORMAT = """name: their_function
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:__data_loc char[] their_variable;\toffset:16;\tsize:4;\tsigned:1;
\tfield:char their_comm[16];\toffset:20;\tsize:16;\tsigned:1;

print fmt: "(%lx) their_variable=\\"%s\\"", REC->__probe_ip, __get_str(their_variable)
"""


def probe():
    """Samples of a probe: its names, its strings, and what lies between and behind them."""
    secrets.extend([b"their_function", b"their_variable", b"their_comm", b"system0"])
    name = b"system0:their_function"
    raw = [struct.pack("<HHiQI", 77, 0, 50, 0x401000, 44 | 16 << 16) + slack("bash", 16) + secret(8) + slack("a", 16)
           + secret(40), struct.pack("<HHi", 1, 0, 50) + secret(48)]   # the second one is of another event
    data = pd.record(EVENT_UPDATE, 0, struct.pack("<QQ", 2, pd.EVENT_ID) + name + bytes(2))
    data += b"".join(pd.sample(0x10010, more=struct.pack("<I", len(r) + 4) + r + secret(12)[8:]) for r in raw)
    desc = struct.pack("<II", 1, pd.ATTR_BYTES) + pd.attr(pd.RAW) + struct.pack("<I", 1)
    desc += struct.pack("<I", 64) + name.ljust(64, b"\0") + struct.pack("<Q", pd.EVENT_ID)
    made = bytearray(pd.make(data, {pd.TRACING_DATA: pd.tracing_data([FORMAT]), pd.HOSTNAME: feature("here"),
                                    pd.EVENT_DESC: desc}, pd.RAW))
    attrs_at = struct.unpack_from("<Q", made, 24)[0]
    struct.pack_into("<I", made, attrs_at, 2)
    struct.pack_into("<Q", made, attrs_at + 8, 77)
    return bytes(made)


def texts():
    """A text in every record and feature that has one."""
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
    return pd.make(data, features)


def convert(data, path, new):
    with open(path, "wb") as f:
        f.write(data)
    if os.path.exists(new):
        os.unlink(new)
    return subprocess.run([sonde, "convert", "--redact", path, new], capture_output=True, text=True, check=False)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def is_sound(path):
    return " 0 errors" in subprocess.run([sonde, "check", path], capture_output=True, text=True, check=False).stdout


def check(data, path, new, kept):
    """What is wrong with what is written."""
    r = convert(data, path, new)
    if r.returncode != 0:
        return [f"exit status {r.returncode}: {r.stderr}"]
    found = read(new)
    bad = [f"{word.decode()} is still there" for word in secrets if word in found]
    bad += [f"{word.decode()} has gone" for word in kept if word not in found]
    bad += [f"{where}: {left}" for where, left in redacted.leftovers(found, data)]
    return bad if is_sound(new) else bad + ["it has errors"]


def check_damaged(data, path, new, count):
    rng = random.Random(7)
    bad, written = [], 0
    for i in range(count):
        changed = bytearray(data)
        if i % 4 == 0:
            del changed[rng.randrange(1, len(changed)):]
        for _ in range(1 + i % 3):
            at = rng.randrange(len(changed))
            changed[at] = rng.choice((0, 255, changed[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
        r = convert(changed, path, new)
        if r.returncode > 1:
            bad.append(f"damage {i}: exit status {r.returncode}: {r.stderr}")
        if os.path.exists(new):
            written += 1
            if not is_sound(new) and is_sound(path):
                bad.append(f"damage {i}: it has errors")
    return bad, written


def main():
    bad, written = [], 0
    kept = (b"[heap]", b"swapper", b"bpf_prog_6deef7357e7b4530", b"ftrace_trampoline", b"msec", b"clock", b"overflow",
            b"cycles", b"6.1.0", b"x86_64", b"cpu_clock", b"cycles:u")
    names = (b"probes_1:probe_1", b"name: probe_1", b"(%lx) var_1=", b"__get_str(var_1)", b"text-1", b"comm-1")
    with tempfile.TemporaryDirectory() as tmp:
        path, new = os.path.join(tmp, "in.data"), os.path.join(tmp, "out.data")
        for data, have in (texts(), kept), (probe(), names):
            bad += check(data, path, new, have)
            if not redacted.leftovers(data, data):
                bad.append("the reader of the test finds nothing in the recording itself")
            more, n = check_damaged(data, path, new, int(os.environ.get("SONDE_DAMAGES", "120")))
            bad += more
            written += n
    for line in bad:
        print("FAILED:", line)
    print(f"{len(secrets)} places, {written} files of damaged ones")
    return 1 if bad or not written else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""guests_handmade.py: samples of guests, which ID_INDEX tells, in a file made by hand, in both byte orders

One host process and one process of each of two guests have the same numbers, 50 and 51, and map something at the same
address; ids tell whose a record is. Names, mappings and kernels of one must not be seen by another.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sonde = os.environ["SONDE"]
IDENTIFIER_IP_TID_TIME = 1 << 16 | 1 | 2 | 4
SAMPLE_ID_ALL = 18
ID_INDEX, MMAP, COMM, SAMPLE = 69, 1, 3, 9
KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5
HOST, LEFT, RIGHT = 5, 6, 7                      # ids: of the host, of guests 3001 and 3002
MACHINES = {HOST: (0, 0), LEFT: (3001, 1), RIGHT: (3002, 12)}


def make(order):
    def pack(form, *values):
        return struct.pack(order + form, *values)

    def trailer(event, time, pid=50, tid=51):
        return pack("IIQQ", pid, tid, time, event)

    def record(kind, misc, body):
        return pack("IHH", kind, misc, 8 + len(body)) + body

    def text(name):
        return name.encode() + bytes(8 - len(name) % 8)

    def comm(event, misc, name):
        return record(COMM, misc, pack("II", 50, 51) + text(name) + trailer(event, 1000))

    def mmap(event, misc, pid, tid, addr, name, pgoff=0):
        return record(MMAP, misc, pack("iIQQQ", pid, tid, addr, 0x10000, pgoff) + text(name) + trailer(event, 1000))

    def sample(event, misc, ip, time):
        return record(SAMPLE, misc, pack("QQIIQ", event, ip, 50, 51, time))

    ids = sorted(MACHINES)
    index = pack("Q", len(ids)) + b"".join(pack("QQQQ", i, 0, 0, 2**64 - 1) for i in ids)
    index += b"".join(pack("QQ", *MACHINES[i]) for i in ids)
    kernel = 0xffffffff81000000
    data = b"".join((
        record(ID_INDEX, 0, index),
        mmap(HOST, KERNEL, -1, 0, kernel, "[kernel.kallsyms]_text", kernel),
        mmap(LEFT, GUEST_KERNEL, 3001, 0, kernel + 0x100000, "[guest.kernel.kallsyms.3001]_text", kernel + 0x100000),
        comm(HOST, USER, "host"), comm(LEFT, GUEST_USER, "left"), comm(RIGHT, GUEST_USER, "right"),
        mmap(HOST, USER, 50, 51, 0x400000, "/bin/on-host"), mmap(LEFT, GUEST_USER, 50, 51, 0x400000, "/bin/on-left"),
        sample(HOST, USER, 0x400100, 2000), sample(LEFT, GUEST_USER, 0x400100, 3000),
        sample(RIGHT, GUEST_USER, 0x400100, 4000),
        sample(HOST, KERNEL, kernel + 0x10, 5000), sample(LEFT, GUEST_KERNEL, kernel + 0x100010, 6000),
        sample(LEFT, GUEST_KERNEL, kernel + 0x10, 7000)))
    flags = 1 << SAMPLE_ID_ALL
    if order == ">":
        flags = int(f"{flags:064b}"[::-1], 2)
    attr = pack("IIQQQQQ", 1, 64, 0, 1, IDENTIFIER_IP_TID_TIME, 0, flags) + bytes(16)
    attrs = 104 + 8 * len(ids)
    head = b"PERFILE2" if order == "<" else b"2ELIFREP"
    head += pack("QQQQQQQQ", 104, 80, attrs, 80, attrs + 80, len(data), 0, 0) + bytes(32)
    return head + pack("QQQ", *ids) + attr + pack("QQ", 104, 8 * len(ids)) + data


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False)


FIELDS = "comm,tid,time,ip,dso,machine_pid,vcpu"
SCRIPT = """\
            host    51     0.000002:            400100 (/bin/on-host)
VM: 3001 VCPU:001             left    51     0.000003:            400100 (/bin/on-left)
VM: 3002 VCPU:012            right    51     0.000004:            400100 ([unknown])
            host    51     0.000005:  ffffffff81000010 ([kernel.kallsyms])
VM: 3001 VCPU:001             left    51     0.000006:  ffffffff81100010 ([guest.kernel.kallsyms.3001])
VM: 3001 VCPU:001             left    51     0.000007:  ffffffff81000010 ([unknown])
"""
RECORD = "VM: 3001 VCPU:001             left    51     0.000001: PERF_RECORD_COMM: left:50/51\n"
REPORT = {
    ("host", "[kernel.kallsyms]"), ("host", "on-host"), ("left", "[guest.kernel.kallsyms.3001]"), ("left", "on-left"),
    ("left", "[unknown]"), ("right", "[unknown]"),
}


def check(path):
    """What is wrong, or None."""
    script = run(sonde, "script", "-F", FIELDS, "-i", path)
    if script.stdout != SCRIPT or script.returncode:
        return f"script printed\n{script.stdout}{script.stderr}"
    if RECORD not in run(sonde, "script", "--show-task-events", "-F", FIELDS, "-i", path).stdout:
        return "the record of a guest does not say whose it is"
    rows = [line.split() for line in run(sonde, "report", "--sort", "comm,dso", "-i", path).stdout.splitlines()
            if "%" in line]
    if {(row[1], row[2]) for row in rows} != REPORT:
        return f"report has {rows}"
    cut = path + ".cut"
    for comm in ("host", "left", "right"):
        run(sonde, "cut", "--comm", comm, path, cut)
        lines = [line for line in SCRIPT.splitlines(True) if comm + " " in line]
        if run(sonde, "script", "-F", FIELDS, "-i", cut).stdout != "".join(lines):
            return f"cut --comm {comm} has others"
    if shutil.which("perf"):
        perf = run("perf", "script", "-F", FIELDS, "-i", path)
        if perf.stdout and perf.stdout != SCRIPT:
            return f"perf script prints\n{perf.stdout}"
    return None


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as tmp:
        for order, name in (("<", "little"), (">", "big")):
            path = os.path.join(tmp, name + ".data")
            with open(path, "wb") as f:
                f.write(make(order))
            why = check(path)
            print(f"{name}: {why or 'ok'}")
            wrong += why is not None
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

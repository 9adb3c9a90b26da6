#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ftrace_splice_refused.py: real recordings where the kernel refuses splice(2), by a filter of system calls

No file system here is without splice; the filter gives the recorder the same answer at the same call, and pages that
are in a pipe by then must not be lost.
"""
import ctypes
import errno
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import tempfile

SKIP = 77
sonde = os.environ["SONDE"]
workload = os.path.join(os.environ["SONDE_BUILD"], "bench", "workload")
SPLICE = {"x86_64": 275, "aarch64": 76, "ppc64le": 283, "s390x": 306, "riscv64": 76}.get(platform.machine())
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO, KILL = 0x7fff0000, 0x00050000, 0x80000000
NR, OFF_OUT = 0, 16 + 3 * 8  # offsets in what the filter sees: number of the call, its fourth argument

if SPLICE is None:
    print("skipped: the number of splice on", platform.machine(), "is not known here")
    sys.exit(SKIP)
if not os.access("/sys/kernel/tracing/instances", os.W_OK):
    print("skipped: there is no tracefs that may be written to")
    sys.exit(SKIP)


def filter_splice(answer, to_files_only):
    """splice(2) of this process, or that to a place in a file, has this answer."""
    code = [(LOAD, 0, 0, NR), (EQUAL, 0, 5 if to_files_only else 1, SPLICE)]
    if to_files_only:  # a pipe has no place: off_out is NULL
        code += [(LOAD, 0, 0, OFF_OUT), (EQUAL, 0, 2, 0), (LOAD, 0, 0, OFF_OUT + 4), (EQUAL, 1, 0, 0)]
    code += [(RETURN, 0, 0, answer), (RETURN, 0, 0, ALLOW)]
    text = b"".join(struct.pack("HBBI", *c) for c in code)
    keep = ctypes.create_string_buffer(text)
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(keep))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0):
        os._exit(SKIP)


def record(name, answer, to_files_only=True, reader="auto"):
    return subprocess.run([sonde, "record", "--ftrace", "-o", name, "--reader", reader, "-e", "raw_syscalls", "-e",
                           "sched_switch",
                           "--", workload, "0.1"], capture_output=True, text=True, timeout=600,
                          preexec_fn=lambda: filter_splice(answer, to_files_only))


with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    # that the filter is asked at all
    if record("x.dat", KILL).returncode != -signal.SIGSYS:
        sys.exit("FAILED: a recorder that must not splice to a file has not been ended: nothing is tested")
    for name, answer, to_files_only in (("files", errno.EINVAL, True), ("operation", errno.EOPNOTSUPP, True),
                                        ("all", errno.ENOSYS, False)):
        for reader in "auto", "splice":
            # a recorder that has to wait for a CPU may lose events: then once more
            for _ in range(5):
                p = record(name + ".dat", ERRNO | answer, to_files_only, reader)
                if "lost" not in p.stderr:
                    break
            said = re.search(r"\((\d+) events\)", p.stderr)
            if p.returncode or not said or "lost" in p.stderr:
                sys.exit(f"FAILED: {name}, {reader}: status {p.returncode}: {p.stderr}")
            info = subprocess.run([sonde, "info", "--count", name + ".dat"], capture_output=True, text=True,
                                  timeout=600).stdout
            total = sum(int(n) for n in re.findall(r"^# events  *: .* (\d+)$", info, re.M))
            if total != int(said[1]) or total < 100 or not re.search(r"^# losses +: none$", info, re.M):
                sys.exit(f"FAILED: {name}, {reader}: {total} events of {said[1]}: {info[-800:]}")
            found = subprocess.run([sonde, "check", name + ".dat"], capture_output=True, text=True, timeout=600)
            if found.returncode:
                sys.exit(f"FAILED: {name}, {reader}: {found.stdout}")
            print(f"{name}, {reader}: {total} events")

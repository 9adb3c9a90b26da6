#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_nice.py: where no thread may run in real time, those of the recorder take the best nice value, by a filter of
system calls that refuses sched_setscheduler(2) as a kernel does whose real-time groups have no time
"""
import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys
import tempfile
import time

SKIP = 77
sonde = os.environ["SONDE"]
SETSCHEDULER = {"x86_64": 144, "aarch64": 119, "ppc64le": 156, "s390x": 156, "riscv64": 119}.get(platform.machine())
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7fff0000, 0x00050000
BEST = -20


def refuse_real_time():
    """sched_setscheduler(2) of this process and of those it starts is not permitted."""
    code = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, SETSCHEDULER), (RETURN, 0, 0, ERRNO | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    data = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(data)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        os._exit(SKIP)


def nice_values(pid):
    """The nice value of each thread."""
    values = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8", errors="replace") as f:
            values.append(int(f.read().rpartition(")")[2].split()[16]))
    return values


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(child) for child in f.read().split()]


def recorder_with(threads, options, folder):
    """So many threads of the recorder have the best nice value, and the command has its own."""
    with subprocess.Popen([sonde, "record", "-q", "-e", "cpu-clock:u", "-o", os.path.join(folder, "nice.data"),
                           *options, "--", "sh", "-c", "read -r line; exec true"], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=refuse_real_time, text=True) as run:
        deadline = time.monotonic() + 120
        while run.poll() is None and time.monotonic() < deadline:
            if nice_values(run.pid).count(BEST) >= threads and children(run.pid):
                break
            time.sleep(0.05)
        else:
            run.kill()
            sys.exit(f"FAILED: the recorder takes no nice value {BEST} ({options}): {run.communicate()[1]}")
        found = nice_values(run.pid)
        of_command = nice_values(children(run.pid)[0])
        messages = run.communicate("go\n")[1]
    if found.count(BEST) != threads:
        sys.exit(f"FAILED: nice values of the threads of the recorder ({options}): {found}")
    if BEST in of_command:
        sys.exit(f"FAILED: the command has the nice value of the recorder ({options})")
    if run.returncode or messages:
        sys.exit(f"FAILED: exit status {run.returncode} ({options}): {messages}")


def main():
    if SETSCHEDULER is None:
        print("skipped: the number of sched_setscheduler on", platform.machine(), "is not known here")
        return SKIP
    permitted = subprocess.run(["nice", "-n", str(BEST), "nice"], capture_output=True, text=True, check=False)
    if permitted.stdout.strip() != str(BEST):
        print("skipped: this user may not lower nice values")
        return SKIP
    if os.getpriority(os.PRIO_PROCESS, 0) == BEST:
        print("skipped: this test has the best nice value already")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        probe = subprocess.run([sonde, "record", "-q", "-e", "cpu-clock:u", "-o", os.path.join(folder, "probe.data"),
                                "true"], preexec_fn=refuse_real_time, capture_output=True, text=True, check=False)
        if probe.returncode:
            print("skipped: recording is not possible here:", probe.stderr)
            return SKIP
        recorder_with(2, [], folder)
        recorder_with(0, ["-r", "0"], folder)
        recorder_with(1, ["-z", "19"], folder)  # slow compression must not hold a CPU
    return 0


sys.exit(main())

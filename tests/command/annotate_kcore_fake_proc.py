#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate_kcore_fake_proc.py - annotate reads code of the kernel that runs from /proc/kcore, and from no other memory

/proc and /sys are folders made by hand, in a mount namespace: a kernel with kcore need not run here.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import each_byte
import perf_data as pd

TEXT, HOT = 0xffffffff81000000, 0xffffffff81001000
KERNEL_ID, OTHER_ID = bytes(range(20)), bytes(range(100, 120))
WITH_BUILD_ID = 1 << 14
# push %rbp; mov %rsp,%rbp; pop %rbp; ret
CODE = bytes.fromhex("554889e55dc3")


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def kcore(code):
    """An ELF core file with one segment."""
    core = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    core += struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    core += struct.pack("<IIQQQQQQ", 1, 5, 0x1000, HOT, 0, len(code), len(code), 0x1000)
    return core.ljust(0x1000, b"\0") + code


def put_host(folder, build_id=KERNEL_ID):
    names = (TEXT, "_text"), (HOT, "hot_path"), (HOT + len(CODE), "other"), (TEXT + 0x8000, "_etext")
    put(folder, "proc/kallsyms", "".join(f"{at:016x} T {name}\n" for at, name in names).encode())
    put(folder, "proc/modules", b"")
    put(folder, "proc/stat", b"btime 1000\n")
    put(folder, "proc/sys/kernel/random/boot_id", b"first\n")
    put(folder, "sys/kernel/notes", struct.pack("=III", 4, len(build_id), 3) + b"GNU\0" + build_id)


def record(path):
    body = struct.pack("<iIQQQ", -1, 0, TEXT, 0x10000, TEXT) + struct.pack("<B3x", len(KERNEL_ID)) + KERNEL_ID
    mapping = pd.record(pd.MMAP2, pd.KERNEL | WITH_BUILD_ID, body + struct.pack("<II", 5, 2) +
                        pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0))
    samples = b"".join(pd.sample(HOT + at, 2000 + i, misc=pd.KERNEL) for i, at in enumerate((0, 1, 1, 5)))
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("prog") + mapping + samples, {pd.HOSTNAME: pd.feature_text("here"),
                                                              each_byte.ARCH: pd.feature_text("x86_64")}))


def annotate(folder, path):
    script = 'mount --bind "$1/proc" /proc && mount --bind "$1/sys" /sys && exec "$2" annotate -i "$3" -s hot_path'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "-", folder, os.environ["SONDE"], path],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")})
    if "capstone" in done.stderr:
        print("skipped: there is no capstone")
        sys.exit(77)
    return done


def refused(done, what):
    if done.returncode != 1 or "cannot annotate hot_path: neither the memory" not in done.stderr or done.stdout:
        sys.exit(f"FAILED: {what}: {done}")


def main():
    tried = subprocess.run(["unshare", "-m", "mount", "--bind", "/usr", "/proc"], capture_output=True, check=False)
    if tried.returncode:
        print("skipped: no mount namespace can be made here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        record(path)
        put_host(folder)
        refused(annotate(folder, path), "no kcore")
        put(folder, "proc/kcore", kcore(CODE))
        done = annotate(folder, path)
        rows = re.findall(r"^ +([\d.]+) : +([0-9a-f]+): +(\w+)", done.stdout, re.M)
        if rows != [("25.00", f"{HOT:x}", "push"), ("50.00", f"{HOT + 1:x}", "mov"), ("0.00", f"{HOT + 4:x}", "pop"),
                    ("25.00", f"{HOT + 5:x}", "ret")]:
            sys.exit(f"FAILED: the code in kcore: {done}")
        put(folder, "proc/kcore", kcore(CODE)[:64])
        refused(annotate(folder, path), "a kcore that is cut")
        put(folder, "proc/kcore", kcore(CODE))
        put_host(folder, OTHER_ID)
        done = annotate(folder, path)
        if done.returncode == 0 or done.stdout:
            sys.exit(f"FAILED: another kernel: {done}")
    return 0


sys.exit(main())

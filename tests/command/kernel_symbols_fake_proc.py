#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel_symbols_fake_proc.py: symbols of the kernel and of modules come from the cache, unless they are others now

/proc and /sys are folders made by hand, in a mount namespace. What /proc/kallsyms says is changed between the runs, so
that the names tell where they come from.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

TEXT, MODULE = 0xffffffff81000000, 0xffffffffc0000000
KERNEL_ID, MODULE_ID = bytes(range(20)), bytes(range(50, 70))
WITH_BUILD_ID = 1 << 14


def put(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def note(build_id):
    return struct.pack("=III", 4, len(build_id), 3) + b"GNU\0" + build_id


def put_host(folder, names, text=TEXT, boot="first", kernel_id=KERNEL_ID, module_id=MODULE_ID):
    """A kernel of 1500 symbols and a module of two, which lies where the recording says; @names: a prefix of names."""
    lines = [f"{text:016x} T _text"] + [f"{text + 16 * i:016x} T {names}_{i}" for i in range(1, 1500)]
    lines += [f"{MODULE:016x} t {names}_in\t[made]", f"{MODULE + 64:016x} t {names}_out\t[made]"]
    put(folder, "proc/kallsyms", "\n".join(lines).encode() + b"\n")
    put(folder, "proc/modules", f"made 8192 0 - Live 0x{MODULE:x}\n".encode())
    put(folder, "proc/sys/kernel/random/boot_id", boot.encode() + b"\n")
    put(folder, "sys/kernel/notes", note(kernel_id))
    put(folder, "sys/module/made/notes/.note.gnu.build-id", note(module_id))


def mapping(addr, size, pgoff, name, build_id):
    body = struct.pack("<iIQQQ", -1, 0, addr, size, pgoff) + struct.pack("<B3x", len(build_id)) + build_id
    return pd.record(pd.MMAP2, pd.KERNEL | WITH_BUILD_ID,
                     body + struct.pack("<II", 5, 2) + pd.text(name) + pd.trailer(0, 0))


def recording(path, text=TEXT, kernel_id=KERNEL_ID, module_id=MODULE_ID):
    records = (mapping(text, 0x10000, text, "[kernel.kallsyms]_text", kernel_id) +
               mapping(MODULE, 0x2000, 0, "[made]", module_id) + pd.comm("prog") +
               pd.sample(text + 16 * 7 + 4, misc=pd.KERNEL) + pd.sample(MODULE + 70, misc=pd.KERNEL))
    with open(path, "wb") as f:
        f.write(pd.make(records))


def run(folder, path):
    """The two symbols that script prints on the host in the folder."""
    script = 'mount --bind "$1/proc" /proc && mount --bind "$1/sys" /sys && exec "$2" script -F ip,sym -i "$3"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "-", folder, os.environ["SONDE"], path],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")})
    if done.returncode:
        sys.exit(f"FAILED: {done.stderr}")
    return done.stdout.split()[1::2]


def want(is_that, expected, what):
    if is_that != expected:
        sys.exit(f"FAILED: {what}: {is_that} instead of {expected}")


def main():
    tried = subprocess.run(["unshare", "-m", "mount", "--bind", "/usr", "/proc"], capture_output=True, check=False)
    if tried.returncode:
        print("skipped: no mount namespace can be made here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        recording(path)
        put_host(folder, "old")
        want(run(folder, path), ["old_7", "old_out"], "the first run reads /proc/kallsyms")
        put_host(folder, "new")
        want(run(folder, path), ["old_7", "old_out"], "the second run does not")
        put_host(folder, "new", boot="second")
        want(run(folder, path), ["old_7", "new_out"], "modules lie elsewhere after a boot, the kernel is the same")
        put_host(folder, "third", boot="second")
        os.rename(os.path.join(folder, "sys/module/made"), os.path.join(folder, "sys/gone"))
        put_host(folder, "third", boot="second")
        want(run(folder, path), ["old_7", "third_out"], "a module that was loaded again is read again")
        moved = TEXT + 0x3000000
        recording(path, text=moved)
        put_host(folder, "fourth", text=moved, boot="third")
        want(run(folder, path), ["old_7", "fourth_out"], "a kernel that lies elsewhere has the same table")
        other = bytes(range(100, 120))
        recording(path, kernel_id=other, module_id=other)
        put_host(folder, "fifth", boot="third", kernel_id=other, module_id=other)
        want(run(folder, path), ["fifth_7", "fifth_out"], "another kernel and another module")
        put_host(folder, "sixth", boot="third")
        want(run(folder, path), ["fifth_7", "[unknown]"], "a module that is not loaded now has no symbols in kallsyms")
    return 0


sys.exit(main())

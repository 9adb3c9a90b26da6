# SPDX-License-Identifier: MIT
"""each_byte.py - a recording made by hand with a sample at each byte of some functions of an ELF file of x86-64

Each of their instructions is looked at, whatever the compiler makes of them."""
import re
import struct

import perf_data as pd

ARCH, CPUID = 6, 9
BASE, PAGE = 0x550000000000, 0x1000


def functions(path):
    """(name, address, size) of those in the symbol table; and the segment with code: offset, address, size."""
    with open(path, "rb") as f:
        data = f.read()
    phoff, shoff = struct.unpack_from("<QQ", data, 32)
    phnum, shentsize, shnum = struct.unpack_from("<H", data, 56)[0], *struct.unpack_from("<HH", data, 58)
    loads = [struct.unpack_from("<IIQQQQ", data, phoff + 56 * i) for i in range(phnum)]
    code = next((off, addr, size) for kind, flags, off, addr, _, size in loads if kind == 1 and flags & 1)
    found = []
    for i in range(shnum):
        kind, _, _, at, size, link = struct.unpack_from("<IQQQQI", data, shoff + shentsize * i + 4)
        if kind != 2:
            continue
        names = struct.unpack_from("<Q", data, shoff + shentsize * link + 24)[0]
        for s in range(at, at + size, 24):
            name, info, _, section, addr, length = struct.unpack_from("<IBBHQQ", data, s)
            if info & 15 == 2 and section:
                text = data[names + name:data.index(b"\0", names + name)].decode()
                found.append((text, addr, length))
    return found, code


def record(path, wanted, features=None):
    """wanted: a regular expression for the beginnings of their names."""
    found, (offset, addr, size) = functions(path)
    start = offset & -PAGE
    end = (offset + size + PAGE - 1) & -PAGE
    data = pd.comm("data_types") + pd.record(pd.MMAP, pd.USER, struct.pack(
        "<iIQQQ", 50, 50, BASE + start, end - start, start) + pd.text(path) + pd.trailer(1000))
    time = 2000
    for name, at, length in found:
        for i in range(length if re.match(wanted, name) else 0):
            data += pd.sample(BASE + at - addr + offset + i, time)
            time += 1
    return pd.make(data, {pd.HOSTNAME: pd.feature_text("here"), ARCH: pd.feature_text("x86_64"),
                          CPUID: pd.feature_text("AuthenticAMD,25,17,1")} | (features or {}))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sframe.py: does .sframe give the stacks that .eh_frame gives?

No tool chain at hand writes versions 2 and 3 of .sframe, so the sections are made here of what readelf says of
.eh_frame. Each recording is unwound with the program as it is and with a copy that has .sframe only.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus")), "unwind")
WANTED = 0.97
FLEXIBLE = 1
# abi, order, sp, fp, offset of the return address, names and numbers of the registers of a CFA
ABIS = {
    "x86-64": (3, "<", "rsp", "rbp", -8, {"rsp": 7, "rbp": 6, "rbx": 3, "r10": 10, "r12": 12}),
    "aarch64": (2, "<", "sp", "x29", 0, {"sp": 31, "x29": 29}),
    "s390x": (4, ">", "r15", "r11", 0, {"r15": 15, "r11": 11}),
}
PROGRAMS = [("x86-64", "cdeep"), ("x86-64", "cppmix"), ("aarch64", "cdeep"), ("s390x", "cdeep")]


def functions(path):
    """[(start, size, [(offset, CFA's register, its offset, {register: text})])]"""
    text = subprocess.run(["readelf", "-wF", path], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    found, initial, columns, in_fde = [], {}, [], False
    for line in text.splitlines():
        head = re.match(r"([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)(?: cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))?",
                        line)
        if head:
            in_fde = head[2] == "FDE"
            cie = head[3] if in_fde else head[1]
            if in_fde:
                start = int(head[4], 16)
                found.append((start, int(head[5], 16) - start, []))
            continue
        if line.split()[:1] == ["LOC"]:
            columns = line.split()[2:]
            continue
        row = re.match(r"([0-9a-f]{16}) (\S+)\s*(.*)", line)
        if not row:
            if in_fde and found and not found[-1][2] and not line.strip() and cie in initial:
                found[-1][2].append((0, *initial[cie]))  # an FDE without instructions has the row of its CIE
            continue
        base = re.match(r"([a-z]+\d*)\+(\d+)", row[2])
        rule = (base[1], int(base[2])) if base else (None, 0)
        regs = dict(zip(columns, row[3].split()))
        if in_fde:
            found[-1][2].append((int(row[1], 16) - found[-1][0], *rule, regs))
        else:
            initial[cie] = (*rule, regs)
    return [f for f in found if f[2] and all(row[1] for row in f[2])]


def place(regs, name):
    """The offset of a register from the CFA; None: it is as it was."""
    match = re.match(r"c([-+]\d+)$", regs.get(name, "u"))
    return int(match[1]) if match else None


def words_of(arch, row, flexible):
    """The words of a row, and whether each is unsigned."""
    _, order, sp, fp, fixed_ra, numbers = ABIS[arch]
    _, base, offset, regs = row
    cfa = (offset - 160) // 8 if arch == "s390x" else offset
    ra, saved_fp = place(regs, "ra"), place(regs, fp)
    if flexible:
        words = [numbers[base] << 3 | 1, cfa]
        words += [0] if fixed_ra or ra is None else [2, ra]
        words += [] if saved_fp is None else [2, saved_fp]
        return words
    words = [cfa]
    if not fixed_ra and (ra is not None or saved_fp is not None):
        words.append(ra or 0)
    if saved_fp is not None:
        words.append(saved_fp)
    return words


def pack_row(arch, row, width, flexible, outermost):
    order, sp = ABIS[arch][1:3]
    words = [] if outermost else words_of(arch, row, flexible)
    size = 0 if all(-128 <= w < 128 for w in words) else 1 if all(-32768 <= w < 32768 for w in words) else 2
    info = (row[1] == sp) | len(words) << 1 | size << 5
    code = {1: "B", 2: "H", 4: "I"}[width]
    return struct.pack(order + code + "B", row[0], info) + b"".join(struct.pack(order + "bhi"[size], w) for w in words)


def section(arch, path, version, entry):
    """.sframe for a section at address 0."""
    abi, order, sp, fp, fixed_ra, numbers = ABIS[arch]
    index, rows, nr_rows = b"", b"", 0
    found = [f for f in functions(path) if version == 3 or all(row[1] in (sp, fp) for row in f[2])]
    found = [f for f in found if all(row[1] in numbers for row in f[2])]
    for number, (start, size, table) in enumerate(sorted(found, key=lambda f: f[0])):
        width = 0 if size < 256 else 1 if size < 65536 else 2
        flexible = version == 3 and (number % 2 == 0 or any(row[1] not in (sp, fp) for row in table))
        packed = b"".join(pack_row(arch, row, 1 << width, flexible, start == entry) for row in table)
        nr_rows += len(table)
        if version == 2:
            index += struct.pack(order + "iIIIBBH", start, size, len(rows), len(table), width, 0, 0)
        else:
            index += struct.pack(order + "qII", start, size, len(rows))
            packed = struct.pack(order + "HBBB", len(table), width, FLEXIBLE if flexible else 0, 0) + packed
        rows += packed
    head = struct.pack(order + "HBBBbbBIIIII", 0xdee2, version, 1, abi, 0, fixed_ra, 0, len(found), nr_rows, len(rows),
                       0, len(index))
    return head + index + rows


def replace_tables(path, arch, version):
    """Takes .eh_frame and .debug_frame away and gives the file .sframe in place of .eh_frame_hdr."""
    data = bytearray(open(path, "rb").read())
    order = ABIS[arch][1]
    entry, = struct.unpack_from(order + "Q", data, 24)
    sframe = section(arch, path, version, entry)
    table, = struct.unpack_from(order + "Q", data, 40)
    size, count, names = struct.unpack_from(order + "HHH", data, 58)
    texts, = struct.unpack_from(order + "Q", data, table + names * size + 24)
    for i in range(count):
        at = table + i * size
        name = texts + struct.unpack_from(order + "I", data, at)[0]
        text = bytes(data[name:data.index(b"\0", name)])
        if text == b".eh_frame_hdr":
            data[name:name + 8] = b".sframe\0"
            struct.pack_into(order + "QQQQ", data, at + 8, 0, 0, len(data), len(sframe))
        elif text in (b".eh_frame", b".debug_frame"):
            data[name + 1:name + 3] = b"no"
    open(path, "wb").write(bytes(data) + sframe)


def script(arch, name, root, home):
    text = subprocess.run(
        [os.environ["SONDE"], "script", "--ns", "--symfs", root, "-F", "tid,time,ip", "-i",
         os.path.join(corpus, arch, name + ".data")],
        env={**os.environ, "HOME": home}, check=True, capture_output=True, text=True).stdout
    return text.split("\n\n")


def check(arch, name, version, temporary):
    root, home = os.path.join(temporary, "root"), os.path.join(temporary, "home")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(os.path.join(corpus, arch, "root"), root, symlinks=True)
    os.makedirs(home, exist_ok=True)
    program = os.path.join(root, "t", name)
    os.chmod(program, 0o755)
    want = script(arch, name, root, home)
    os.chmod(os.path.dirname(program), 0o755)
    replace_tables(program, arch, version)
    have = script(arch, name, root, home)
    same = sum(a == b for a, b in zip(have, want))
    print(f"{arch} {name}, version {version}: {same} of {len(want)} stacks are those of .eh_frame")
    return len(have) == len(want) and same >= WANTED * len(want)


def main():
    if not os.path.isdir(corpus):
        print("no corpus with recordings for unwinding")
        return SKIP
    with tempfile.TemporaryDirectory() as temporary:
        results = [check(arch, name, version, temporary) for arch, name in PROGRAMS for version in (2, 3)]
    return 0 if all(results) else 1


sys.exit(main())

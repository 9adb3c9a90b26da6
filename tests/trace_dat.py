# SPDX-License-Identifier: MIT
"""trace_dat.py - a trace.dat of version 7 from texts and pages, uncompressed, of a little-endian 64-bit machine"""
import struct

import fake_tracefs


def text64(s):
    return struct.pack("<Q", len(s)) + s.encode()


def text32(s):
    return struct.pack("<I", len(s)) + s.encode()


def section(number, body):
    return struct.pack("<HHIQ", number, 0, 0xffffffff, len(body)) + body


def option(number, body):
    return struct.pack("<HI", number, len(body)) + body


def area(pages):
    """The pages of one CPU, one after the other."""
    return len(pages) * fake_tracefs.PAGE, [(i * fake_tracefs.PAGE, page) for i, page in enumerate(pages)]


def write(path, ftrace, systems, areas, kallsyms="", printk="", names="1 init\n", more=(), others=b""):
    """ftrace: formats; systems: name -> formats; areas: one a CPU, (bytes, pages and where in it they are): what is
    between them is a hole; more: other sections, (number, bytes); others: other options. The options come before the
    pages, so that all of it is known at once."""
    head = b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", fake_tracefs.PAGE) + b"none\0\0"
    events = struct.pack("<I", len(systems))
    for name, formats in systems.items():
        events += name.encode() + b"\0" + struct.pack("<I", len(formats)) + b"".join(text64(f) for f in formats)
    parts = [(16, b"header_page\0" + text64(fake_tracefs.HEADER_PAGE) + b"header_event\0" +
              text64(fake_tracefs.HEADER_EVENT)),
             (17, struct.pack("<I", len(ftrace)) + b"".join(text64(f) for f in ftrace)), (18, events),
             (19, text32(kallsyms)),
             (20, text32(printk)), *more, (21, text64(names))]
    at, body, pointers = len(head) + 8, b"", b""
    for number, data in parts:
        pointers += option(number, struct.pack("<Q", at + len(body)))
        body += section(number, data)
    options_at = at + len(body)

    def options(buffer_at, first):
        table = struct.pack("<Q", buffer_at) + b"\0" + b"local\0" + struct.pack("<II", fake_tracefs.PAGE, len(areas))
        at = first
        for cpu, (size, _) in enumerate(areas):
            table += struct.pack("<IQQ", cpu, at, size)
            at += size
        return section(0, pointers + option(4, b"[local]\0") + option(8, struct.pack("<I", len(areas))) +
                       option(3, table) + others +
                       option(0, struct.pack("<Q", 0)))
    buffer_at = options_at + len(options(0, 0))
    first = (buffer_at + 16 + 4095) & ~4095
    end = first + sum(size for size, _ in areas)
    with open(path, "wb") as f:
        f.write(head + struct.pack("<Q", options_at) + body + options(buffer_at, first))
        f.write(struct.pack("<HHIQ", 3, 0, 0xffffffff, end - (buffer_at + 16)))
        for size, pages in areas:
            for at, page in pages:
                f.seek(first + at)
                f.write(page)
            first += size
        f.truncate(end)

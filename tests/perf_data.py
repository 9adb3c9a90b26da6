# SPDX-License-Identifier: MIT
"""perf_data.py - a perf.data made by hand, little-endian: one kind of event, any records and features, honest or not"""
import struct

ATTR_BYTES = 64
EVENT_ID = 5
IP, TID, TIME, CALLCHAIN, PERIOD, RAW, BRANCH_STACK, IDENTIFIER = (
    1, 2, 4, 1 << 5, 1 << 8, 1 << 10, 1 << 11, 1 << 16)
SAMPLE_ID_ALL, CONTEXT_SWITCH = 1 << 18, 1 << 26
MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, SWITCH, FINISHED_ROUND = 1, 3, 4, 7, 9, 10, 14, 68
KERNEL, USER = 1, 2
TRACING_DATA, BUILD_ID, HOSTNAME, NRCPUS, CMDLINE, EVENT_DESC, CPU_TOPOLOGY, PMU_MAPPINGS, GROUP_DESC = (
    1, 2, 3, 7, 11, 12, 13, 16, 17)


def text(name):
    """With a NUL, and filled up to whole words."""
    name = name if isinstance(name, bytes) else name.encode()
    return name + bytes(8 - len(name) % 8)


def feature_text(name):
    """A string as features have it: after its length, which is a multiple of 64."""
    data = name.encode() + b"\0"
    data += bytes(-len(data) % 64)
    return struct.pack("<I", len(data)) + data


def feature_texts(names):
    return struct.pack("<I", len(names)) + b"".join(map(feature_text, names))


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time, pid=50):
    return struct.pack("<IIQQ", pid, pid, time, EVENT_ID)


def comm(name, pid=50, time=1000):
    return record(COMM, USER, struct.pack("<II", pid, pid) + text(name) + trailer(time, pid))


def mmap(addr, size, name, pid=50, time=1000, misc=USER):
    return record(MMAP, misc, struct.pack("<iIQQQ", pid, pid, addr, size, 0) + text(name) + trailer(time, pid))


def mmap_file(addr, size, offset, name, pid=50, time=1000):
    """A part of a file."""
    return record(MMAP, USER, struct.pack("<iIQQQ", pid, pid, addr, size, offset) + text(name) + trailer(time, pid))


def mmap2(addr, size, name, place, misc=USER, pid=50, time=1000):
    """place: 24 bytes, device numbers or a build id."""
    return record(MMAP2, misc, struct.pack("<iIQQQ", pid, pid, addr, size, 0) + place + struct.pack("<II", 5, 2) +
                  text(name) + trailer(time, pid))


def fork(pid, parent, time=1000):
    return record(FORK, 0, struct.pack("<IIIIQ", pid, parent, pid, parent, time) + trailer(time, parent))


def leave(pid, time):
    return record(EXIT, 0, struct.pack("<IIIIQ", pid, pid, pid, pid, time) + trailer(time, pid))


def switch(pid, time, out=False):
    return record(SWITCH, 1 << 13 if out else 0, trailer(time, pid))


def sample(ip, time=2000, pid=50, more=b"", misc=USER, event=EVENT_ID):
    return record(SAMPLE, misc, struct.pack("<QQIIQ", event, ip, pid, pid, time) + more)


def attr(sample_type=0, flags=0, read_format=0, branch_type=0, regs=0, stack=0):
    more = struct.pack("<QQ", 0, branch_type) if branch_type or regs else b""
    more += struct.pack("<QII", regs, stack, 0) if regs else b""
    return struct.pack("<IIQQQQQ", 1, ATTR_BYTES + len(more), 0, 1, IDENTIFIER | IP | TID | TIME | sample_type,
                       read_format, SAMPLE_ID_ALL | flags) + bytes(16) + more


def make(data, features=None, sample_type=0, ids=([EVENT_ID],), shared=None, flags=0, read_format=0,
         branch_type=0, regs=0, stack=0):
    """A file; features: number -> payload; ids: of each event; shared: one section of ids that all events have.

    A file without any feature is one of a recorder that was killed: to be whole it has the name of a host."""
    features = features or {HOSTNAME: struct.pack("<I", 64) + b"here".ljust(64, b"\0")}
    entry = len(attr(branch_type=branch_type, regs=regs)) + 16
    attrs_at = 104
    ids_at = attrs_at + entry * len(ids)
    attrs, numbers = b"", b""
    for own in ids:
        section = (ids_at, 8 * len(shared)) if shared else (ids_at + len(numbers), 8 * len(own))
        attrs += attr(sample_type, flags, read_format, branch_type, regs, stack) + struct.pack("<QQ", *section)
        numbers += b"" if shared else struct.pack(f"<{len(own)}Q", *own)
    if shared:
        numbers = struct.pack(f"<{len(shared)}Q", *shared)
    data_at = ids_at + len(numbers)
    bits = sum(1 << n for n in features)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, entry, attrs_at, len(attrs), data_at, len(data), 0, 0)
    body = head + bits.to_bytes(32, "little") + attrs + numbers + data
    at = len(body) + 16 * len(features)
    table, payloads = b"", b""
    for number in sorted(features):
        table += struct.pack("<QQ", at + len(payloads), len(features[number]))
        payloads += features[number]
    return body + table + payloads


def make_stream(data, features=None, sample_type=0):
    """The same as a stream."""
    records = [record(64, 0, attr(sample_type) + struct.pack("<Q", EVENT_ID))]
    records += [record(80, 0, struct.pack("<Q", n) + payload) for n, payload in sorted((features or {}).items())]
    return b"PERFILE2" + struct.pack("<Q", 16) + b"".join(records) + data


def build_id_entry(name, size=20):
    name = text(name)
    return struct.pack("<IHHi", 0, USER | 0x8000, 36 + len(name), -1) + bytes(range(20)) + bytes((size, 0, 0, 0)) + name


def tracing_data(formats, systems=1):
    """The tracing data of a perf.data: formats in the first of so many systems."""
    def u32(n):
        return struct.pack("<I", n)

    parts = [b"\x17\x08\x44tracing0.6\0\0\x08", u32(4096), b"header_page\0", bytes(8), b"header_event\0", bytes(8),
             u32(0), u32(systems)]
    for i in range(systems):
        own = formats if i == 0 else []
        parts += [f"system{i}".encode() + b"\0", u32(len(own)),
                  *(struct.pack("<Q", len(f)) + f.encode() for f in own)]
    return b"".join([*parts, bytes(16)])


def tracepoint(number, fields, text, *records):
    """A recording of one tracepoint, system0:event; fields: (declaration, size, signed), text: its print fmt."""
    at = 8
    lines = ["name: event", f"ID: {number}", "format:",
             "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
             "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;", ""]
    for declaration, size, signed in fields:
        lines.append(f"\tfield:{declaration};\toffset:{at};\tsize:{size};\tsigned:{int(signed)};")
        at += size
    lines += ["", f"print fmt: {text}", ""]
    raw = [struct.pack("<HHi", number, 0, 50) + own for own in records]
    sizes = [(len(own) + 11) // 8 * 8 - 4 for own in raw]
    data = comm("prog") + b"".join(sample(0x10010, 2000 + i, more=struct.pack("<I", size) + own.ljust(size, b"\0"))
                                   for i, (own, size) in enumerate(zip(raw, sizes)))
    features = {TRACING_DATA: tracing_data(["\n".join(lines)]), HOSTNAME: feature_text("here")}
    made = bytearray(make(data, features, RAW))
    attrs_at = struct.unpack_from("<Q", made, 24)[0]
    struct.pack_into("<I", made, attrs_at, 2)
    struct.pack_into("<Q", made, attrs_at + 8, number)
    return bytes(made)

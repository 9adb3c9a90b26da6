# SPDX-License-Identifier: MIT
"""perf_data.py - a perf.data made by hand, little-endian: one event, any records, any features, honest or not"""
import struct

ATTR_BYTES = 64
EVENT_ID = 5
IP, TID, TIME, CALLCHAIN, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 16
SAMPLE_ID_ALL = 1 << 18
MMAP, COMM, SAMPLE, MMAP2 = 1, 3, 9, 10
KERNEL, USER = 1, 2
NRCPUS, BUILD_ID, HOSTNAME, CPU_TOPOLOGY = 7, 2, 3, 13


def text(name):
    """With a NUL, and filled up to whole words."""
    name = name if isinstance(name, bytes) else name.encode()
    return name + bytes(8 - len(name) % 8)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time, pid=50):
    return struct.pack("<IIQQ", pid, pid, time, EVENT_ID)


def comm(name, pid=50, time=1000):
    return record(COMM, USER, struct.pack("<II", pid, pid) + text(name) + trailer(time, pid))


def mmap(addr, size, name, pid=50, time=1000, misc=USER):
    return record(MMAP, misc, struct.pack("<iIQQQ", pid, pid, addr, size, 0) + text(name) + trailer(time, pid))


def mmap2(addr, size, name, place, misc=USER, pid=50, time=1000):
    """place: 24 bytes, device numbers or a build id."""
    return record(MMAP2, misc, struct.pack("<iIQQQ", pid, pid, addr, size, 0) + place + struct.pack("<II", 5, 2) + text(name) +
                  trailer(time, pid))


def sample(ip, time=2000, pid=50, more=b"", misc=USER):
    return record(SAMPLE, misc, struct.pack("<QQIIQ", EVENT_ID, ip, pid, pid, time) + more)


def attr(sample_type=0):
    return struct.pack("<IIQQQQQ", 1, ATTR_BYTES, 0, 1, IDENTIFIER | IP | TID | TIME | sample_type, 0, SAMPLE_ID_ALL) + bytes(16)


def make(data, features=None, sample_type=0):
    """A file; features: number -> payload."""
    features = features or {}
    attrs = 104 + 8
    data_at = attrs + ATTR_BYTES + 16
    bits = sum(1 << n for n in features)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, ATTR_BYTES + 16, attrs, ATTR_BYTES + 16, data_at, len(data), 0, 0)
    head += bits.to_bytes(32, "little")
    body = head + struct.pack("<Q", EVENT_ID) + attr(sample_type) + struct.pack("<QQ", 104, 8) + data
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

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ids.py: a recording that lost the ids of its events is read as if it had them

Of every recording of the corpus with several events and an ID_INDEX, those of this byte order that are files or
streams: the ids of all attrs are taken away, and those in the feature EVENT_DESC, which repeats them. The same text of
all events comes out.
"""
import os
import struct
import subprocess
import sys
import tempfile

SKIP = 77
EVENT_DESC, ID_INDEX, HEADER_ATTR, HEADER_FEATURE = 12, 69, 64, 80
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "..", "shared", "corpus"))


def strip_event_desc(payload):
    """The same descriptions, with names and without ids."""
    nr, size = struct.unpack_from("<II", payload)
    out, at = bytearray(payload[:8]), 8
    for _ in range(nr):
        out += payload[at:at + size] + bytes(4)
        ids, name = struct.unpack_from("<II", payload, at + size)
        out += payload[at + size + 4:at + size + 8 + name]
        at += size + 8 + name + 8 * ids
    return out


def strip_file(data):
    """The file without ids; None if there is nothing to be taken away."""
    attr_size, attrs, size, begin, length = struct.unpack_from("<QQQQQ", data, 16)
    if size // attr_size < 2:
        return None
    for at in range(attrs, attrs + size - attr_size + 1, attr_size):
        struct.pack_into("<Q", data, at + attr_size - 8, 0)
    features = [bit for bit in range(256) if data[72 + bit // 8] >> bit % 8 & 1]
    if EVENT_DESC in features and length:
        entry = begin + length + 16 * features.index(EVENT_DESC)
        place, size = struct.unpack_from("<QQ", data, entry)
        payload = strip_event_desc(data[place:place + size])
        data[place:place + len(payload)] = payload
        struct.pack_into("<Q", data, entry + 8, len(payload))
    return data if has_index(data, begin, begin + length) else None


def has_index(data, at, end):
    while at + 8 <= end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == ID_INDEX:
            return True
        if size < 8:
            return False
        at += size
    return False


def strip_stream(data):
    out, at, attrs, index = bytearray(data[:16]), 16, 0, False
    while at + 8 <= len(data):
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        record = data[at:at + size]
        index = index or kind == ID_INDEX
        if size < 8:
            return None
        at += size
        if kind == HEADER_ATTR:
            attrs += 1
            length = struct.unpack_from("<I", record, 12)[0] or 64
            record = struct.pack("<IHH", kind, misc, 8 + length) + record[8:8 + length]
        if kind == 66:  # TRACING_DATA, whose bytes follow it
            more, = struct.unpack_from("<I", record, 8)
            record += data[at:at + more]
            at += more
        if kind == HEADER_FEATURE and size > 16 and struct.unpack_from("<Q", record, 8)[0] == EVENT_DESC:
            payload = strip_event_desc(record[16:])
            payload += bytes(-len(payload) % 8)
            record = struct.pack("<IHH", kind, misc, 16 + len(payload)) + record[8:16] + payload
        out += record
    return out if attrs > 1 and index else None


def strip(data):
    if data[:8] != b"PERFILE2":
        return None
    size, = struct.unpack_from("<Q", data, 8)
    return strip_file(data) if size == 104 else strip_stream(data) if size == 16 else None


def events(path, stdin=None):
    return subprocess.run([sonde, "script", "-i", path], stdin=stdin, capture_output=True, timeout=600,
                          check=False).stdout


def compare(path, tmp):
    with open(path, "rb") as f:
        try:
            stripped = strip(bytearray(f.read()))
        except struct.error:  # damaged before
            return None
    if stripped is None:
        return None
    made = os.path.join(tmp, "stripped.data")
    with open(made, "wb") as f:
        f.write(stripped)
    want = events(path)
    if events(made) != want:
        return "other events"
    if struct.unpack_from("<Q", stripped, 8)[0] == 16:
        with subprocess.Popen(["cat", made], stdout=subprocess.PIPE) as cat:
            if events("-", cat.stdout) != want:
                return "other events out of a pipe"
    return "ok" if want else None


def main():
    top = os.path.join(corpus, "recorded")
    if not os.path.isdir(top):
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS)")
        return SKIP
    told = {}
    with tempfile.TemporaryDirectory() as tmp:
        for name in sorted(os.listdir(top)):
            path = os.path.join(top, name)
            if os.path.isfile(path) and name.endswith(".data"):
                told[name] = compare(path, tmp)
    told = {name: what for name, what in told.items() if what}
    wrong = [name for name, what in told.items() if what != "ok"]
    for name, what in told.items():
        print(f"{name}: {what}")
    print(f"{len(told)} recordings without ids, {len(wrong)} differ")
    return 1 if wrong or not told else 0


if __name__ == "__main__":
    sys.exit(main())

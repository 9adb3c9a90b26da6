# SPDX-License-Identifier: MIT
"""redacted.py - what a redacted recording may hold, byte by byte, told apart from sonde by a reader of its own

leftovers(path, original) gives what no row of the tables of docs/redact.md allows in the redacted file at path, an
uncompressed one: (where, bytes). original: the bytes of the same file before, uncompressed as well: texts that stay on
purpose are those that it has. secrets(path) gives the texts of an uncompressed file that have to go.
"""
import re
import struct

RUN = re.compile(rb"[\x20-\x7e]{4,}")
KEPT_PATH = rb"/|//anon|/dev/zero|/SYSV[^\0]*|/anon_hugepage|anon_inode:\[[^\0]*|(?:/usr)?/lib/modules/[^\0]*|" \
            rb"\[[^\0]*\][^\0]*|\[kernel[^\0]*"
OTHER = {
    "comm": rb"comm-\d+|swapper(?:/\d+)?|perf-exec", "path": rb"/dso-\d+|(?:" + KEPT_PATH + rb")(?: \(deleted\))?",
    "cgroup": rb"/cgroup-\d+|/", "text": rb"(?:text|comm)-\d+|/dso-\d+", "host": rb"host-\d+", "argument": rb"arg-\d+",
    "buffer": rb"(?:buffer-\d+)?",
}
OTHER = {name: re.compile(rb"(?:" + text + rb")?") for name, text in OTHER.items()}
# pieces of a pseudonym that did not fit: its end
CUT = re.compile(rb"[a-z/]*-?\d*")


class Odd(Exception):
    """A file that this reader does not know enough of."""


def is_text(data, *kinds):
    """A text of those kinds with nothing but zeros behind it."""
    text = data.split(b"\0")[0]
    return not any(data[len(text):]) and any(OTHER[kind].fullmatch(text) for kind in kinds)


# ---- formats of events ----

class Format:
    def __init__(self, system, text):
        self.system = system
        self.name = re.search(r"^name: *(\S+)", text, re.M)[1]
        self.number = int(re.search(r"^ID: *(\d+)", text, re.M)[1])
        self.fields = [(m[1].strip(), m[2], m[3], int(m[4]), int(m[5])) for m in re.finditer(
            r"^\s*field(?: special)?:([^;]*?)(\w+)((?:\[[^]]*\])*);\s*offset:(\d+);\s*size:(\d+);", text, re.M)]
        self.probe = any(f[1] in ("__probe_ip", "__probe_func") for f in self.fields)

    def parts(self, raw, order):
        """(from, to, kind) of the record: kind is number, comm, text or bytes; what is in none is to be zero."""
        for kind, name, bounds, at, size in self.fields:
            if at + size > len(raw):
                continue
            is_char = re.search(r"\b(char|u8|s8|__u8|__s8|uint8_t|unsigned char|bool)\b", kind) and "*" not in kind
            letters = re.search(r"\bchar\b", kind)
            start, end = at, at + size
            if "_loc " in kind:
                if size not in (2, 4):
                    continue
                yield at, at + size, "number"
                word = int.from_bytes(raw[at:at + size], order)
                start = (word & 0xffff) + (at + size if "__rel_loc" in kind else 0)
                end = start + (word >> 16) if size == 4 else len(raw)
                if end > len(raw):
                    continue
            elif not bounds and "[" not in kind and size:  # old kernels say "char buf" of size 0
                yield at, end, "number" if size in (1, 2, 4, 8) or "cpumask" in kind else "bytes"
                continue
            elif size == 0 or (self.system == "ftrace" and (self.name, name) in (
                    ("kernel_stack", "caller"), ("user_stack", "caller"))):
                end = len(raw)
            if self.system == "ftrace" and self.name in ("bprint", "raw_data") and name == "buf":
                yield start, end, "bytes"
            elif is_char and letters:
                yield start, end, "comm" if name.endswith("comm") and not self.probe else "text"
            elif is_char:
                yield start, end, "bytes"
            else:
                yield start, end, "number"


def formats_of(data, order, by_system):
    """The formats in a list, and where it ends."""
    at, found = 0, {}
    systems = struct.unpack_from(order + "I", data)[0] if by_system else 1
    at += 4 * by_system
    for _ in range(systems):
        system = "ftrace"
        if by_system:
            end = data.index(b"\0", at)
            system, at = data[at:end].decode(errors="replace"), end + 1
        count = struct.unpack_from(order + "I", data, at)[0]
        at += 4
        for _ in range(count):
            size = struct.unpack_from(order + "Q", data, at)[0]
            text = data[at + 8:at + 8 + size].decode(errors="replace")
            at += 8 + size
            if re.search(r"^ID: *\d+", text, re.M):
                one = Format(system, text)
                found.setdefault(one.number, one)
    return found, at


def look_at_event(formats, raw, order, keeps_comms):
    """(leftovers, secret texts) of the raw bytes of an event."""
    number = int.from_bytes(raw[:2], order)
    known = formats.get(number)
    left, texts = bytearray(raw), []
    if not known:
        left[:8] = bytes(8)
        return [bytes(left)] if any(left) else [], [("bytes", raw[8:])]
    parts = list(known.parts(raw, order))
    wrong = []
    for start, end, kind in parts:
        data = raw[start:end]
        if kind == "text" or (kind == "comm" and not keeps_comms):
            if not is_text(data, "text", "comm", "path") and not CUT.fullmatch(data.split(b"\0")[0]):
                wrong.append(data)
            texts.append(("text", data.split(b"\0")[0]))
        elif kind == "comm":
            text = data.split(b"\0")[0]
            texts.append(("comm", text))
            if any(data[len(text):]):
                wrong.append(data)
        elif kind == "bytes":
            texts.append(("bytes", data))
            if any(data):
                wrong.append(data)
    for start, end, kind in parts:
        if kind != "bytes":
            left[start:end] = bytes(len(left[start:end]))
    if any(left):
        wrong.append(bytes(left))
    return wrong, texts


# ---- trace.dat, version 7, uncompressed ----

class Dat:
    def __init__(self, data):
        self.data = data
        end = data.index(b"\0", 10)
        if data[:10] != b"\x17\x08\x44tracing" or data[10:end] != b"7":
            raise Odd("no trace.dat of version 7")
        big = data[end + 1]
        self.order, self.c = ("big", ">") if big else ("little", "<")
        self.page = struct.unpack_from(self.c + "I", data, end + 3)[0]
        at = data.index(b"\0", end + 7)
        at = data.index(b"\0", at + 1) + 1
        self.head = data[:at]
        self.sections = []
        at += 8
        while at < len(data):
            number, flags, _, size = struct.unpack_from(self.c + "HHIQ", data, at)
            if flags & 1 and size:
                raise Odd("compressed")
            self.sections.append((number, at + 16, size))
            at += 16 + size
        self.options, self.buffers, self.formats = [], [], {}
        page = self.body(16)
        self.long = int(re.search(rb"commit;\s*offset:\d+;\s*size:(\d)", page)[1]) if page else 8
        self.data_at = int(re.search(rb"data;\s*offset:(\d+)", page)[1]) if page else 16
        for number, by_system in (18, True), (17, False):
            if self.body(number):
                self.formats.update(formats_of(self.body(number), self.c, by_system)[0])
        for number, at, size in self.sections:
            if number == 0:
                self.read_options(at, at + size)

    def body(self, number):
        return next((self.data[at:at + size] for n, at, size in self.sections if n == number), b"")

    def read_options(self, at, end):
        while at + 6 <= end:
            number, size = struct.unpack_from(self.c + "HI", self.data, at)
            body = self.data[at + 6:at + 6 + size]
            at += 6 + size
            self.options.append((number, body))
            if number == 3:
                self.read_buffer(body)

    def read_buffer(self, body):
        name, clock = body[8:].split(b"\0")[:2]
        at = 8 + len(name) + len(clock) + 2
        page, count = struct.unpack_from(self.c + "II", body, at)
        areas = [struct.unpack_from(self.c + "IQQ", body, at + 8 + i * 20) for i in range(count)]
        self.buffers.append((name, page, areas))
        if body[at + 8 + count * 20:]:
            raise Odd("more behind the table of a buffer")

    def events(self):
        """Bytes of events, or (None, bytes) of what is no event but not zero."""
        for _, size, areas in self.buffers:
            for _, at, n in areas:
                for page in range(at, at + n, size):
                    yield from self.page_events(self.data[page:page + size])

    def page_events(self, page):
        commit = int.from_bytes(page[8:8 + self.long], self.order)
        flags = commit >> 30 & 3
        at, end = self.data_at, self.data_at + (commit & 0x7ffffff)
        while at + 4 <= end:
            word = struct.unpack_from(self.c + "I", page, at)[0]
            kind, delta = (word >> 27, word & 0x7ffffff) if self.c == ">" else (word & 31, word >> 5)
            if kind == 29:
                size = struct.unpack_from(self.c + "I", page, at + 4)[0] if delta else end - at - 4
                rest = page[at + 4:end] if not delta else page[at + 8:at + 4 + size]
                if any(rest):
                    yield None, rest
                at += 4 + (size + 3 & ~3)
            elif kind >= 30:
                at += 8
            elif kind == 0:
                size = struct.unpack_from(self.c + "I", page, at + 4)[0]
                yield page[at + 8:at + 4 + size], None
                rounding = page[at + 4 + size:at + 4 + (size + 3 & ~3)]
                if any(rounding):
                    yield None, rounding
                at += 4 + (size + 3 & ~3)
            else:
                yield page[at + 4:at + 4 + kind * 4], None
                at += 4 + kind * 4
        behind = page[end + (self.long if flags == 3 else 0):]
        if any(behind):
            yield None, behind

    def wrong_option(self, number, body):
        text = body.split(b"\0")[0]
        if number == 5:
            words = text.split(b" ")
            return len(words) > 1 and not is_text(words[1], "host")
        if number == 2:
            return re.search(rb"^(?!CPU: |Buffer: buffer-\d+$|[a-z ]+: [-\d. ]*$|Recording: unfinished$|$)", text, re.M)
        if number == 10:
            return not all(re.fullmatch(rb"[0-9a-f]+ [0-9a-f]+ (.*)", line) and is_text(line.split(b" ", 2)[2], "path")
                           for line in text.split(b"\n") if line)
        if number == 13:
            return not is_text(text, "host")
        if number == 24:
            return not is_text(text.split(b":")[0], "buffer")
        if number in (1, 7):
            return not re.fullmatch(rb"[-+0-9a-fA-FxX]*", text)
        return number not in (0, 3, 4, 6, 8, 9, 11, 12, 14) and not 16 <= number <= 25

    def leftovers(self, original):
        before = Dat(original)
        kept = b"\0".join(before.body(n) for n in (16, 17, 18, 19, 20, 21, 23, 25))
        for number, at, size in self.sections:
            body = self.data[at:at + size]
            if number in (16, 17, 18, 19, 20, 21, 23, 25):
                for run in RUN.findall(body):
                    if run not in kept and not re.search(rb"(?<![a-z])(probes?_|var_|prog-)\d+", run):
                        yield f"section {number}", run
            elif number == 15:
                for run in RUN.findall(body):
                    if not re.fullmatch(rb"(buffer flyrecord (buffer-\d+)?|headers|ftrace events|events format|"
                                        rb"kallsyms|buffer latency |printk|command lines|options|strings|modules|BTF)",
                                        run):
                        yield "strings", run
            elif number not in (0, 3):
                yield f"section {number}", body
            if number == 3:
                covered = sorted((start, start + n) for _, _, areas in self.buffers for _, start, n in areas)
                for (_, end), (start, _) in zip([(0, at), *covered], [*covered, (at + size, 0)]):
                    gap = self.data[max(end, at):max(min(start, at + size), at)]
                    if any(gap):
                        yield "between pages", gap
        for number, body in self.options:
            if self.wrong_option(number, body):
                yield f"option {number}", body
        for name, _, _ in self.buffers:
            if not is_text(name, "buffer"):
                yield "buffer", name
        for raw, rest in self.events():
            if raw is None:
                yield "no event", rest
            else:
                for wrong in look_at_event(self.formats, raw, self.order, True)[0]:
                    yield "event", wrong

    def secrets(self):
        kept = b"\0".join(self.body(n) for n in (16, 17, 18, 19, 20, 21, 23, 25))
        found, comms = set(), set()
        for raw, _ in self.events():
            for kind, data in look_at_event(self.formats, raw, self.order, True)[1] if raw else ():
                (comms if kind == "comm" else found).update(RUN.findall(data))
        for number, body in self.options:
            if number == 5:
                found.update(body.split(b"\0")[0].split(b" ")[1:2])
            elif number == 10:
                found.update(line.split(b" ")[-1] for line in body.split(b"\0")[0].split(b"\n"))
            elif number == 13:
                found.add(body.split(b"\0")[0])
        found.update(name for name, _, _ in self.buffers)
        return {s for s in found - comms if s not in kept and not OTHER["path"].fullmatch(s)}


# ---- perf.data, uncompressed ----

SAMPLE, TRACEPOINT, SOFTWARE = 9, 2, 1
KERNELS = re.compile(rb"(?:/usr)?/lib/modules/[^\0]*")
# where the text of a record begins, and what it may be
TEXTS = {1: (40, ("path",)), 10: (72, ("path",)), 3: (16, ("comm",)), 19: (16, ("cgroup",))}
NUMBERS = {2, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 21, 68, 69, 74, 75, 76, 77, 79, 82, 83, 84, 88, 89, 90}


class Perf:
    def __init__(self, data):
        self.data = data
        if data[:8] == b"PERFILE2":
            self.c, self.order = "<", "little"
        elif data[:8] == b"2ELIFREP":
            self.c, self.order = ">", "big"
        else:
            raise Odd("no perf.data")
        size, attr_size, attrs, attrs_n, self.at, self.n = struct.unpack_from(self.c + "QQQQQQ", data, 8)
        if size != 104:
            raise Odd("a stream")
        self.attrs, self.by_id = [], {}
        for at in range(attrs, attrs + attrs_n, attr_size):
            kind, _, config, _, sample, read, flags = struct.unpack_from(self.c + "IIQQQQQ", data, at)
            self.attrs.append((kind, config, sample, read, flags >> (18 if self.c == "<" else 45) & 1))
            ids, n = struct.unpack_from(self.c + "QQ", data, at + attr_size - 16)
            for one in struct.unpack_from(f"{self.c}{n // 8}Q", data, ids):
                self.by_id[one] = self.attrs[-1]
        self.alike = len({(a[0] == TRACEPOINT, *a[2:]) for a in self.attrs}) == 1
        if not self.alike and not all(a[2] & 1 << 16 and a[4] for a in self.attrs):
            raise Odd("events of different layouts")
        self.features = {}
        bits = struct.unpack_from(self.c + "QQQQ", data, 72)
        at = self.at + self.n
        for number in range(256):
            if bits[number // 64] >> number % 64 & 1:
                start, n = struct.unpack_from(self.c + "QQ", data, at)
                self.features[number], at = data[start:start + n], at + 16
        self.formats = self.tracing_formats(self.features.get(1, b""))

    def tracing_formats(self, blob):
        if len(blob) < 30:
            return {}
        at = blob.index(b"\0", 10) + 1
        c, found = ">" if blob[at] else "<", {}
        at += 6
        for name in b"header_page", b"header_event":
            at += len(name) + 1
            at += 8 + struct.unpack_from(c + "Q", blob, at)[0]
        for by_system in False, True:
            one, n = formats_of(blob[at:], c, by_system)
            found.update(one)
            at += n
        return found

    def event_of(self, kind, record):
        """The attr of a record of the kernel."""
        if self.alike:
            return self.attrs[0]
        one = struct.unpack_from(self.c + "Q", record, 8 if kind == SAMPLE else len(record) - 8)[0]
        return self.by_id.get(one) or self.attrs[0]

    def trailer(self, kind, record):
        _, _, sample, _, has = self.event_of(kind, record)
        return 8 * bin(sample & (2 | 4 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 16)).count("1") if has else 0

    def raw_of(self, record):
        """Where the raw data of a sample lies; None: it has none."""
        _, _, sample, read, _ = self.event_of(SAMPLE, record)
        at = 8 + 8 * bin(sample & (1 << 16 | 1 | 2 | 4 | 8 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 8)).count("1")
        if sample & 1 << 4:
            if read & 8:
                at += 8 * (1 + bin(read & 3).count("1")) + struct.unpack_from(self.c + "Q", record, at)[0] * 8 * (
                    1 + bin(read & 20).count("1"))
            else:
                at += 8 * (1 + bin(read & 23).count("1"))
        if sample & 1 << 5:
            at += 8 + 8 * struct.unpack_from(self.c + "Q", record, at)[0]
        if not sample & 1 << 10:
            return None
        size = struct.unpack_from(self.c + "I", record, at)[0]
        return at + 4, at + 4 + size

    def records(self):
        at = self.at
        while at + 8 <= self.at + self.n:
            kind, _, size = struct.unpack_from(self.c + "IHH", self.data, at)
            if size < 8:
                raise Odd("a record of no size")
            yield kind, self.data[at:at + size]
            at += size
            if kind == 71:
                at += struct.unpack_from(self.c + "Q", self.data, at - size + 8)[0]

    def build_ids(self):
        """The names in BUILD_ID, up to the end of their records."""
        body, at = self.features.get(2, b""), 0
        while at + 36 < len(body):
            size = struct.unpack_from(self.c + "H", body, at + 6)[0]
            yield body[at + 36:at + max(size, 36)]
            at += max(size, 36)

    def look_at(self, kind, record, kept):
        """(leftovers, texts) of a record."""
        end = len(record) - (self.trailer(kind, record) if kind < 64 else 0)
        if kind in TEXTS:
            at, kinds = TEXTS[kind]
            text = record[at:end]
            return [] if is_text(text, *kinds) else [text], [text.split(b"\0")[0]]
        if kind == SAMPLE:
            place = self.raw_of(record)
            if not place:
                return [], []
            raw = record[place[0]:place[1]]
            if self.event_of(kind, record)[0] == TRACEPOINT:
                wrong, texts = look_at_event(self.formats, raw, self.order, False)
                return wrong, [s for _, t in texts for s in RUN.findall(t)]
            return [], []
        if kind in NUMBERS:
            return [], []
        if kind == 73:
            rows = [record[at + 8:at + 24] for at in range(16, len(record) - 23, 24)]
            return [row for row in rows if not is_text(row, "comm")], []
        wrong = [run for run in RUN.findall(record[8:]) if run not in kept]
        return [run for run in wrong if not re.fullmatch(
            rb"(bpf_prog_([0-9a-f]{16}_)?)?prog-\d+|probes?(_\d+)?:probe_\d+", run)], []

    def leftovers(self, original):
        before = Perf(original)
        for kind, record in self.records():
            for wrong in self.look_at(kind, record, original)[0]:
                yield f"record {kind}", wrong
        for name in self.build_ids():
            if not is_text(name, "path"):
                yield "BUILD_ID", name
        for number, body in self.features.items():
            for run in re.findall(rb"[\x20-\x3f\x41-\x7e]{4,}", body):  # '@' is a length before a text
                if number == 3 and not is_text(run, "host"):
                    yield "HOSTNAME", run
                elif number == 11 and not is_text(run, "argument"):
                    yield "CMDLINE", run
                elif number not in (1, 2, 3, 11, 12) and run not in before.features.get(number, b""):
                    yield f"feature {number}", run
                elif number in (1, 12) and run not in before.features.get(number, b"") and not re.search(
                        rb"(probes?_|var_|comm-|prog-)\d+", run):
                    yield f"feature {number}", run

    def secrets(self):
        found = set()
        for kind, record in self.records():
            found.update(self.look_at(kind, record, self.data)[1])
        for number in 3, 11:
            found.update(RUN.findall(self.features.get(number, b"")))
        kept = [body for number, body in self.features.items() if number not in (1, 2, 3, 11)]
        kept.append(re.sub(rb"(?m)^\d+ [^\n]*$", b"", self.features.get(1, b"")))
        kept = b"\0".join(kept + KERNELS.findall(self.data))
        return {s for s in found if s not in kept and not OTHER["path"].fullmatch(s) and not OTHER["comm"].fullmatch(s)}


def reader(data):
    return (Perf if data[:8] in (b"PERFILE2", b"2ELIFREP") else Dat)(data)


def leftovers(new, original):
    """(where, bytes): all that no row allows in the bytes of a redacted file."""
    return list(reader(new).leftovers(original))


def still_there(secret, new):
    """Whether the new bytes have a secret: a path anywhere, another text as a word."""
    at = new.find(secret)
    while at >= 0:
        around = new[at - 1:at] + b" " + new[at + len(secret):at + len(secret) + 1]
        if secret.count(b"/") > 1 or not re.search(rb"\w", around):
            return True
        at = new.find(secret, at + 1)
    return False


def secrets(original):
    """Texts of six bytes and more that have to go; none that a text has that stays, or a pseudonym."""
    return {s for s in reader(original).secrets() if len(s) >= 6 and not re.fullmatch(
        rb"(comm-|/dso-|/cgroup-|host-|text-|arg-|prog-|buffer-|probes?_|var_)\d+", s)}

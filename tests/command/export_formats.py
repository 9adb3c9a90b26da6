#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_formats.py FORMAT: readers of others open what `sonde export --to FORMAT` writes, and find what `report` has

Each reader gives back the samples as it understands them: functions from the outermost to the innermost, the thread,
the weight. Their sums by function, by thread and by stack are those of the report, on recordings whose stacks tell
main -> a -> b from b -> a -> main, and on one whose names are as bad as names can be.
"""
import collections
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402
import shipped_data  # noqa: E402
from reader import Skip, Wrong, need, output  # noqa: E402

sonde = os.path.abspath(os.environ["SONDE"])
npm = os.path.join(os.environ["SONDE_SOURCE"], "build", "npm", "node_modules")
SKIP = 77
TEXT = 0xffffffff81000000
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
BAD = "b\"<i>'&;</script>\\,{}$(x)"
FUNCTIONS = {"main": 0x1000, "a": 0x2000, BAD: 0x3000, "x" * 65000: 0x4000}
THREADS = {60: "one", 61: b"t\"<b>\x01\xff;'\\\n\xc3"}
PROGRAM = b"/bin/we\"ird&<b>\xff\x01"
# stack, from the outermost; thread; period; how often
MADE = [(["main", "a", BAD], 60, 1000, 30), (["main", "a"], 60, 1000, 20), (["main", "a", BAD, "a"], 60, 3000, 7),
        (["main", "x" * 65000], 61, 500, 11), (["main"], 61, 1000, 1)]


class Sample(collections.namedtuple("Sample", "stack thread weight")):
    """A stack from the outermost function to the innermost; the name of the thread; the weight."""


def chain(stack):
    """The callchain of functions of the kernel: a caller is where its call returns to."""
    inner = TEXT + FUNCTIONS[stack[-1]] + 0x10
    return [CONTEXT_KERNEL, inner, *(TEXT + FUNCTIONS[f] + 0x20 for f in reversed(stack[:-1]))]


def handmade(folder):
    """A recording of two threads, and the symbols of its kernel."""
    with open(os.path.join(folder, "kallsyms"), "w", encoding="utf-8") as f:
        f.write(f"{TEXT:x} T _stext\n")
        f.writelines(f"{TEXT + at:x} T {name}\n" for name, at in FUNCTIONS.items())
        f.write(f"{TEXT + 0x5000:x} T _etext\n")
    data = pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, TEXT, 0x5000, TEXT) +
                     pd.text("[kernel.kallsyms]_stext") + pd.trailer(1000))
    data += b"".join(pd.comm(name, pid) for pid, name in THREADS.items())
    data += b"".join(pd.mmap(0x400000, 0x10000, PROGRAM, pid) for pid in THREADS)
    now = 2000
    for stack, pid, period, times in MADE:
        ips = chain(stack)
        more = struct.pack(f"<QQ{len(ips)}Q", period, len(ips), *ips)
        for _ in range(times):
            data += pd.sample(ips[1], now, pid, more, pd.KERNEL)
            now += 1000
    nameless = struct.pack("<QQQQ", 700, 2, CONTEXT_USER, 0x401234)
    data += pd.sample(0x401234, now, 61, nameless)
    path = os.path.join(folder, "made.data")
    with open(path, "wb") as f:
        f.write(pd.make(data, sample_type=pd.CALLCHAIN | pd.PERIOD))
    return path


def empty(folder):
    path = os.path.join(folder, "empty.data")
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("idle"), sample_type=pd.CALLCHAIN | pd.PERIOD))
    return path


def timeless(folder):
    """Samples without times, names and maps: of their attr and their records, what belongs to them is taken away."""
    ips = [CONTEXT_USER, 0x401000, 0x402000]
    data = b"".join(pd.record(pd.SAMPLE, pd.USER, struct.pack("<QQIIQQ3Q", pd.EVENT_ID, ips[1], 60 + i % 2, 60 + i % 2,
                                                              1000 + i, 3, *ips)) for i in range(9))
    made = bytearray(pd.make(data, sample_type=pd.CALLCHAIN | pd.PERIOD))
    at = 104 + 24     # sample_type of the first attr
    made[at:at + 8] = struct.pack("<Q", struct.unpack_from("<Q", made, at)[0] & ~pd.TIME)
    path = os.path.join(folder, "timeless.data")
    with open(path, "wb") as f:
        f.write(made)
    return path


def shipped(name):
    def put(folder):
        with open(os.path.join(folder, "kallsyms"), "wb") as f:
            f.write(shipped_data.unpack("kallsyms"))
        os.makedirs(os.path.join(folder, "root"), exist_ok=True)
        return shipped_data.put(name, os.path.join(folder, name))
    return put


def run(*words, status=0):
    r = subprocess.run([sonde, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    if r.returncode != status:
        raise Wrong(f"sonde {' '.join(words)}: exit status {r.returncode}: {r.stderr.decode(errors='replace')[:300]}")
    return r


class Recording:
    def __init__(self, name, path):
        self.name, self.path, self.folder = name, path, os.path.dirname(path)
        self.options = ["--kallsyms", os.path.join(self.folder, "kallsyms"), "--symfs",
                        os.path.join(self.folder, "root"), "-i", path]

    def export(self, form, *words):
        out = os.path.join(self.folder, f"{self.name}.{form}")
        run("export", "--to", form, "-o", out, *words, *self.options)
        return out

    def events(self):
        return json.loads(run("report", "--json", *self.options).stdout.decode())["events"]

    def lines(self):
        """The samples that have fields, as JSON lines."""
        lines = map(json.loads, run("export", "--to", "json-lines", *self.options).stdout.decode().splitlines())
        return [x for x in lines if x["kind"] in ("sample", "tracepoint") and "fields" in x]

    def first_event(self):
        """Options that choose it; a format may have one event only."""
        return [word for e in self.events()[:1] for word in ("--event", e["event"])]

    def report(self):
        """{function: [self, with callees, self in samples]} and {thread: period}, of functions with names."""
        events = json.loads(run("report", "--json", "--sort", "sym", "--children", "-g", "none",
                                *self.options).stdout.decode())["events"]
        functions = collections.defaultdict(lambda: [0, 0, 0])
        for row in events[0]["rows"] if events else []:
            if row["symbol"] is not None:
                known = functions[row["symbol"]]
                for i, member in enumerate(("self", "children", "samples")):
                    known[i] += row.get(member, row["self"])
        events = json.loads(run("report", "--json", "--no-children", "--sort", "comm", "-g", "none",
                                *self.options).stdout.decode())["events"]
        return functions, {row["comm"]: row["self"] for row in (events[0]["rows"] if events else [])}


def plain(name):
    """A name without what some formats cannot have."""
    return "".join(c if c.isalnum() or c in "._-" else "?" for c in name)


def sums(samples):
    """The same of samples: {function: [self, with callees]}, {thread: weight}"""
    functions, threads = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for s in samples:
        for name in set(s.stack):
            functions[name][1] += s.weight
        functions[s.stack[-1]][0] += s.weight
        threads[s.thread] += s.weight
    return functions, threads


def is_near(got, wanted, most):
    """Whether numbers, or lists of them, differ by no more than that."""
    if not isinstance(wanted, list):
        got, wanted = [got or 0], [wanted or 0]
    return all(abs(g - w) <= most for g, w in zip(got or [0] * len(wanted), wanted))


def compare(what, got, wanted, most=0):
    wrong = [k for k in {*got, *wanted} if got.get(k) != wanted.get(k) and not is_near(got.get(k), wanted.get(k), most)]
    if wrong:
        wrong = wrong[:3]
        raise Wrong(f"{what}: " + "; ".join(f"{k[:60]}: {got.get(k)}, expected {wanted.get(k)}" for k in wrong))


def check_sums(recording, samples, tolerance=0, shown=plain):
    """tolerance: as a share of all; functions and threads of less may be missing. shown: what is left of a name."""
    functions, threads = recording.report()
    most = sum(threads.values()) * tolerance
    ours, our_threads = sums(samples)
    wanted = {shown(name): v[:2] for name, v in functions.items()}
    got = {shown(name): v for name, v in ours.items() if shown(name) in wanted}
    compare("functions", got, wanted, most)
    compare("threads", {shown(k): v for k, v in our_threads.items()}, {shown(k): v for k, v in threads.items()}, most)


def check_stacks(samples, most=0, shown=plain):
    """Of the recording made here: main is the outermost."""
    wanted = collections.Counter()
    for stack, _, period, times in MADE:
        wanted[";".join(map(shown, stack))] += period * times
    got = collections.Counter()
    for s in samples:
        if plain(s.stack[0]) == "main":
            got[";".join(map(shown, s.stack))] += s.weight
    compare("stacks", got, wanted, most)


# ---- one class for each format: check(recording) compares what its reader found with the report ----

def node(script, *words):
    script = os.path.join(os.environ["SONDE_SOURCE"], "tests", "npm", script)
    out, _ = output([need(shutil.which("node"), "node"), script, npm, *words])
    return json.loads(out)


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


class Reader:
    """One that gives samples(path), and more() that is to be checked."""
    form = None
    words = []

    @staticmethod
    def shown(name):
        return plain(name)

    def check(self, recording):
        samples = list(self.samples(recording.export(self.form, *self.words, *recording.first_event())))
        check_sums(recording, samples, shown=self.shown)
        if recording.name == "made":
            check_stacks(samples, shown=self.shown)
        self.more(recording)


class Folded(Reader):
    """As flamegraph.pl reads lines: the last word is the count, and nothing else may be there."""
    form = "folded"
    words = ["--count", "period"]
    LINE = re.compile(r"(\S.*) (\d+)\n")

    @staticmethod
    def shown(name):
        """What stackcollapse-perf.pl keeps of it: no quotes, no arguments. Dots stand for controls."""
        return plain(re.sub("[\"']", "", name.partition("(")[0])).replace(".", "?")

    def samples(self, path):
        with open(path, encoding="utf-8", newline="\n") as f:
            for line in f:
                found = self.LINE.fullmatch(line)
                if not found or any(ord(c) < 32 or ord(c) == 127 for c in found[1]):
                    raise Wrong(f"it is no stack and count: {line[:100]!r}")
                thread, *stack = found[1].split(";")
                yield Sample(stack, thread, int(found[2]))

    def more(self, recording):
        """By itself it counts samples, as stackcollapse-perf.pl."""
        counted = sum(s.weight for s in self.samples(recording.export("folded")))
        if counted != sum(e["samples"] for e in recording.events()[:1]):
            raise Wrong(f"{counted} samples, of {recording.events()[:1]}")


class Pprof(Reader):
    form = "pprof"

    def __init__(self):
        need(os.path.isdir(os.path.join(npm, "pprof-format")), "pprof-format (tests/npm/install.sh)")
        self.go = shutil.which("go")

    def samples(self, path):
        p = node("pprof.js", path)
        at = [name for name, _ in p["types"]].index(p["default_type"]) if p["default_type"] else 0
        for s in p["samples"]:
            names = [f["name"] for place in reversed(s["stack"]) for f in reversed(place)]
            yield Sample(names, s["labels"]["comm"], s["values"][at])

    def more(self, recording):
        p = node("pprof.js", recording.export("pprof"))
        names = [e["event"] for e in recording.events()]
        sums = [sum(s["values"][i] for s in p["samples"]) for i in range(len(p["types"]))]
        wanted = [n for e in recording.events() for n in (e["samples"], e["period"])] or [0]
        if sums != wanted:
            raise Wrong(f"sums of {names} are {sums}, expected {wanted}")
        has_times = bool(p["samples"]) and recording.name != "timeless"
        if any(c.startswith("first sample: ") for c in p["comments"]) != has_times:
            raise Wrong(f"the comments tell another clock: {p['comments']}")
        if recording.name == "made":
            if p["types"] != [["samples", "count"], ["cpu", "nanoseconds"]] or p["time"] != "0":
                raise Wrong(f"types {p['types']}, time {p['time']}")
            if {s["labels"]["tid"] for s in p["samples"]} != set(THREADS):
                raise Wrong("labels have other threads")
        self.go_reads(recording, recording.export("pprof", *recording.first_event()))

    def go_reads(self, recording, path):
        """The same in samples, by pprof of Go; it says nothing else."""
        if not self.go:
            print("there is no go: `go tool pprof` was not asked")
            return
        r = subprocess.run([self.go, "tool", "pprof", "-symbolize=none", "-top", "-nodecount=0", "-nodefraction=0",
                            "-sample_index=samples", path], capture_output=True, timeout=600, check=False,
                           env={**os.environ, "HOME": recording.folder})
        text, err = r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")
        if r.returncode or err.strip():
            raise Wrong(f"go tool pprof: {err[:300]}")
        rows = [line.split(maxsplit=5) for line in text.splitlines()]
        got = {plain(row[5]): int(row[0]) for row in rows if len(row) == 6 and row[0].isdigit()}
        functions, _ = recording.report()
        wanted = {plain(name): v[2] for name, v in functions.items()}
        compare("go tool pprof", {k: v for k, v in got.items() if k in wanted}, wanted)


class Callgrind:
    ROW = re.compile(r"^ *([\d,]+) \([ \d.]+%\) +([\d,]+) \([ \d.]+%\) +\S*?:(.*) \[.*\]$")

    def __init__(self):
        self.command = need(shutil.which("callgrind_annotate"), "callgrind_annotate")

    def rows(self, path, *words):
        """{function: [cost, samples]}"""
        out, err = output([self.command, "--threshold=100", "--auto=no", *words, path])
        if err.strip():
            raise Wrong(f"callgrind_annotate says {err[:300]}")
        return {plain(m[3]): [int(m[i].replace(",", "")) for i in (1, 2)] for m in map(self.ROW.match, out.splitlines())
                if m}

    @staticmethod
    def calls(path):
        """{(caller, callee): cost}"""
        names, calls, caller, callee = {}, collections.Counter(), None, None
        with open(path, encoding="utf-8", errors="replace", newline="\n") as f:
            for line in f:
                key, _, value = line.rstrip("\n").partition("=")
                if key in ("fn", "cfn"):
                    number, _, name = value.partition(" ")
                    names.setdefault(number, plain(name))
                    caller, callee = (names[number], None) if key == "fn" else (caller, names[number])
                elif callee and line[0].isdigit():
                    calls[caller, callee] += int(line.split()[1])
                    callee = None
        return calls

    def check(self, recording):
        path = recording.export("callgrind", *recording.first_event())
        functions, _ = recording.report()
        if not functions:
            return
        wanted = {plain(name): [v[0], v[2]] for name, v in functions.items() if v[2]}
        compare("functions", {k: v for k, v in self.rows(path).items() if k in wanted}, wanted)
        if recording.name != "made":
            return
        inclusive = self.rows(path, "--inclusive=yes")
        for name in ("main", plain("x" * 65000)):
            if inclusive[name][0] != functions[name if name == "main" else "x" * 65000][1]:
                raise Wrong(f"with callees {name[:20]} has {inclusive[name]}")
        bad = plain(BAD)
        compare("calls", self.calls(path), {("main", "a"): 71000, ("a", bad): 51000, (bad, "a"): 21000,
                                            ("main", plain("x" * 65000)): 5500})


class Svg:
    """The widths of frames are their shares; a frame lies above its caller."""
    tolerance = 0.001

    def __init__(self):
        self.xmllint = need(shutil.which("xmllint"), "xmllint (libxml2-utils)")

    def samples(self, path):
        output([self.xmllint, "--noout", "--nonet", "--huge", path])
        frames = []
        for group in xml.etree.ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}g"):
            title = group.find("{http://www.w3.org/2000/svg}title")
            if title is not None:
                at = group.find("{http://www.w3.org/2000/svg}rect").attrib
                frames.append((float(at["y"]), float(at["x"]), float(at["width"]), title.text.rpartition(" (")[0]))
        yield from self.stacks(frames)

    def stacks(self, frames):
        """What is left of each frame without its callees."""
        rows = collections.defaultdict(list)
        for y, x, width, name in frames:
            rows[y].append((x, width, name))
        self.width = max((width for _, width, _ in rows[max(rows)]), default=0) if rows else 0
        todo = [(max(rows), x, width, [name]) for x, width, name in rows[max(rows)]] if rows else []
        while todo:
            y, x, width, stack = todo.pop()
            inner = [(y - 16, cx, cw, [*stack, name]) for cx, cw, name in rows.get(y - 16, [])
                     if x - 0.02 <= cx and cx + cw <= x + width + 0.02]
            todo += inner
            own = width - sum(cw for _, _, cw, _ in inner)
            if len(stack) > 2 and own > 0.01:
                yield Sample(stack[2:], stack[1], own / self.width * self.total)

    def check(self, recording):
        _, threads = recording.report()
        self.total = sum(threads.values())
        samples = list(self.samples(recording.export("svg", *recording.first_event())))
        check_sums(recording, samples, self.tolerance)
        if recording.name == "made":
            check_stacks(samples, self.total * self.tolerance)


class Otlp(Reader):
    """protoc decodes it by the published field numbers."""
    form = "otlp"
    TABLES = ("mapping", "location", "function", "link", "attribute", "stack")

    def __init__(self):
        self.protoc = need(shutil.which("protoc"), "protoc (protobuf-compiler)")
        self.tests = os.path.join(os.environ["SONDE_SOURCE"], "tests")

    def decode(self, path):
        """A message as lists by the names of its fields; text is as bytes are there."""
        with open(path, "rb") as f:
            r = subprocess.run([self.protoc, f"--proto_path={self.tests}", "--decode",
                                "opentelemetry.proto.profiles.v1development.ProfilesData", "otlp_profiles.proto"],
                               stdin=f, capture_output=True, timeout=600, check=False)
        if r.returncode or r.stderr:
            raise Wrong(f"protoc: {r.stderr.decode(errors='replace')[:300]}")
        todo = [collections.defaultdict(list)]
        for line in r.stdout.decode("utf-8", "surrogateescape").splitlines():
            line = line.strip()
            if line == "}":
                todo.pop()
            elif line.endswith(" {"):
                todo.append(collections.defaultdict(list))
                todo[-2][line[:-2]].append(todo[-1])
            else:
                key, _, value = line.partition(": ")
                todo[-1][key].append(value[1:-1] if value[0] == '"' else int(value))
            if line and line[0].isdigit():
                raise Wrong(f"a field has no name: {line}")
        return todo[0]

    def check_tables(self, d):
        """Indices are in their tables; element 0 stands for nothing."""
        sizes = {name: len(d[f"{name}_table"]) for name in (*self.TABLES, "string")}
        for name in self.TABLES:
            if name != "link" and any(d[f"{name}_table"][0].values()) or d["string_table"][0]:
                raise Wrong(f"element 0 of {name}_table is not empty")
        for owner in self.TABLES:
            for row in d[f"{owner}_table"]:
                lines = row["lines"] if owner == "location" else []
                for key, values in (*row.items(), *((k, v) for line in list(lines) for k, v in line.items())):
                    table = re.sub(r"_(index|indices)$", "", key) if key != "lines" else None
                    table = "string" if key.endswith("_strindex") else table
                    if table in sizes and any(not 0 <= v < sizes[table] for v in values):
                        raise Wrong(f"{owner}: {key} {values} is outside of its table")

    def samples(self, path):
        p = self.decode(path)
        d = p["dictionary"][0]
        self.check_tables(d)
        strings = d["string_table"]
        one = lambda row, key: (row[key] or [0])[0]  # noqa: E731
        names = [strings[one(f, "name_strindex")] for f in d["function_table"]]
        for profile in p["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
            for s in profile["samples"]:
                stack = [names[one(line, "function_index")]
                         for at in reversed(d["stack_table"][one(s, "stack_index")]["location_indices"])
                         for line in reversed(d["location_table"][at]["lines"])]
                thread = next(d["attribute_table"][i]["value"][0]["string_value"][0] for i in s["attribute_indices"]
                              if strings[one(d["attribute_table"][i], "key_strindex")] == "thread.name")
                self.check_times(profile, s)
                yield Sample([unescape(name) for name in stack], unescape(thread), sum(s["values"]))

    @staticmethod
    def check_times(profile, s):
        times = s["timestamps_unix_nano"]
        begin = (profile["time_unix_nano"] or [0])[0]
        if times and (len(times) != len(s["values"]) or
                      not all(begin <= t < begin + profile["duration_nano"][0] for t in times)):
            raise Wrong(f"times {times[:3]} of a profile from {begin} on, {profile['duration_nano'][0]} ns")

    def more(self, recording):
        if recording.name != "clock":
            return
        p = self.decode(recording.export("otlp", *recording.first_event()))
        profile = p["resource_profiles"][0]["scope_profiles"][0]["profiles"][0]
        if not all(s["timestamps_unix_nano"] for s in profile["samples"]):
            raise Wrong("a recording with dates has samples without times")


def unescape(text):
    """Of protobuf's text format."""
    data = text.encode("utf-8", "surrogateescape").decode("latin-1")
    return data.encode("latin-1").decode("unicode_escape").encode("latin-1").decode("utf-8")


class Speedscope(Reader):
    form = "speedscope"

    def __init__(self):
        self.schema = os.path.join(npm, "speedscope", "dist", "release", "file-format-schema.json")
        need(os.path.exists(self.schema) and os.path.isdir(os.path.join(npm, "ajv")),
             "speedscope and ajv (tests/npm/install.sh)")

    def samples(self, path):
        broken = node("schema.js", self.schema, path)
        if broken:
            raise Wrong(f"against the schema: {broken}")
        p = read_json(path)
        for profile in p["profiles"]:
            if profile["endValue"] != sum(profile["weights"]) or len(profile["weights"]) != len(profile["samples"]):
                raise Wrong(f"the weights of {profile['name']} do not add up")
            thread = profile["name"].rsplit(" ", 1)[0]
            for stack, weight in zip(profile["samples"], profile["weights"]):
                yield Sample([p["shared"]["frames"][i]["name"] for i in stack], thread, weight)

    def more(self, recording):
        counted = read_json(recording.export("speedscope", "--count", "samples"))
        if sum(p["endValue"] for p in counted["profiles"]) != sum(e["samples"] for e in recording.events()):
            raise Wrong("--count samples has another sum than the samples of all events")


class Firefox(Reader):
    form = "firefox"

    def __init__(self):
        command = os.path.join(npm, ".bin", "profiler-cli")
        need(os.path.exists(command), "profiler-cli (tests/npm/install.sh)")
        self.command = [need(shutil.which("node"), "node"), command]

    def samples(self, path):
        p = read_json(path)
        shared = p["shared"]
        names = [shared["stringArray"][i] for i in shared["funcTable"]["name"]]
        functions = [names[shared["frameTable"]["func"][i]] for i in shared["stackTable"]["frame"]]
        for thread in p["threads"]:
            times = thread["samples"]["time"]
            if times != sorted(times) or len(times) != thread["samples"]["length"]:
                raise Wrong(f"the times of {thread['name']} are not in order")
            for at, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
                stack, up = [functions[at]], shared["stackTable"]["prefixOffset"][at]
                while up:
                    at -= up
                    stack.insert(0, functions[at])
                    up = shared["stackTable"]["prefixOffset"][at]
                yield Sample(stack, thread["name"], weight)

    def call(self, *words):
        """The answer as JSON; None where the session does not answer."""
        r = subprocess.run([*self.command, *words, "--session", "sonde", "--json"], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, timeout=600, check=False)
        return json.loads(r.stdout) if r.returncode == 0 else None

    def more(self, recording):
        """The loader of the Firefox Profiler, a daemon, which `load` waits for half a second only."""
        path = recording.export("firefox", *recording.first_event())
        self.machine(recording, read_json(path)["meta"])
        self.markers(recording)
        self.counters(recording)
        if recording.name not in ("made", "callgraph", "groups"):
            return
        load = subprocess.run([*self.command, "load", path, "--session", "sonde"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600, check=False)
        try:
            deadline = time.monotonic() + 60
            while not (threads := self.call("thread", "list", "--limit", "0")):
                if time.monotonic() > deadline:
                    raise Wrong(f"profiler-cli does not load it: {load.stderr.strip()[:300]}")
                time.sleep(0.2)
            self.compare(recording, [t["threadHandle"] for t in threads["threads"]])
            platform = self.call("profile", "info")["platform"]
            if recording.name != "made" and not platform.startswith("Linux "):
                raise Wrong(f"profiler-cli says that the platform is {platform}")
            if recording.name == "groups" and "page-faults" not in json.dumps(self.call("counter", "list")):
                raise Wrong("profiler-cli lists no counter")
        finally:
            subprocess.run([*self.command, "stop", "sonde"], capture_output=True, check=False)

    @staticmethod
    def machine(recording, meta):
        """The kernel, the CPU, and the clock if it is the one that the format has a key for."""
        about = json.loads(run("info", "--json", recording.path).stdout.decode())
        told = {**about["features"], **about} if recording.path.endswith(".data") else about
        known = [told[key] for key in ("osrelease", "arch") if told.get(key)]
        wanted = " ".join(["Linux", *known]) if known else None, told.get("cpudesc")
        if recording.path.endswith(".data") and (meta.get("oscpu"), meta.get("CPUName")) != wanted:
            raise Wrong(f"the machine is {meta.get('oscpu')}, {meta.get('CPUName')}, not {wanted}")
        zero = meta.get("startTimeAsClockMonotonicNanosecondsSinceBoot")
        first = re.search(r"first sample: (\d+) ns of the clock mono(?:tonic)?\b", json.dumps(meta["extra"]))
        if zero != (int(first[1]) if first else None):
            raise Wrong(f"it begins at {zero} of the monotonic clock, not {first}")

    def compare(self, recording, threads):
        """One thread after the other: of several together it counts samples."""
        wanted = {plain(name): v[:2] for name, v in recording.report()[0].items()}
        got = collections.defaultdict(lambda: [0, 0])
        for thread in threads:
            for row in self.call("thread", "functions", "--thread", thread, "--limit", "0")["functions"]:
                known = got[plain(row["name"])]
                known[0] += row["selfSamples"]
                known[1] += row["totalSamples"]
        compare("profiler-cli", {k: v for k, v in got.items() if k in wanted}, wanted)

    @staticmethod
    def markers(recording):
        """Each sample of a tracepoint is a marker, but those of the first event."""
        p = read_json(recording.export("firefox"))
        names = collections.Counter(p["shared"]["stringArray"][i] for t in p["threads"] for i in t["markers"]["name"])
        events = recording.events()[1:] if recording.name in ("stacks", "tracepoints") else []
        compare("markers", names, {e["event"]: e["samples"] for e in events})
        texts = {s["name"]: {f["key"] for f in s["fields"] if f["format"] == "unique-string"}
                 for s in p["meta"]["markerSchema"]}
        got = collections.Counter()
        for data in (data for t in p["threads"] for data in t["markers"]["data"]):
            fields = [(k.rstrip("_"), p["shared"]["stringArray"][v] if k in texts[data["type"]] else v)
                      for k, v in data.items() if k not in ("type", "cause")]
            got[(data["type"], *sorted(map(str, fields)))] += 1
        wanted = collections.Counter()
        for line in recording.lines():
            if line["event"] in {e["event"] for e in events}:
                fields = [("cpu", line["cpu"]), *line["fields"].items()]
                wanted[(line["event"], *sorted(map(str, fields)))] += 1
        compare("fields of markers", {str(k): v for k, v in got.items()}, {str(k): v for k, v in wanted.items()})

    @staticmethod
    def counters(recording):
        """What events without samples have counted in a process, as the samples of others read it."""
        counters = read_json(recording.export("firefox")).get("counters", [])
        if bool(counters) != (recording.name == "groups"):
            raise Wrong(f"{len(counters)} counters")
        last = {}     # a thread has a count on each CPU, which has an id
        dump = run("dump", recording.path).stdout.decode() if counters else ""
        for record in re.findall(r" pid (\d+) tid (\d+) SAMPLE.*event cpu-clock\n.*\n((?: .*\n)+)", dump):
            for count, which in re.findall(r"read\[1\]: (\d+) id (\d+)", record[2]):
                last[record[0], record[1], which] = int(count)
        wanted, got = collections.Counter(), {}
        for (pid, _, _), count in last.items():
            wanted[f"page-faults of {pid}"] += count
        for c in counters:
            if c["samples"]["time"] != sorted(c["samples"]["time"]):
                raise Wrong(f"the times of {c['name']} are not in order")
            got[f"{c['name']} of {c['pid']}"] = sum(c["samples"]["count"])
        compare("counters", got, dict(wanted))


FORMATS = {"callgrind": Callgrind, "firefox": Firefox, "folded": Folded, "otlp": Otlp, "pprof": Pprof,
           "speedscope": Speedscope, "svg": Svg}


RECORDINGS = {"made": handmade, "empty": empty, "timeless": timeless, "callgraph": shipped("callgraph.data"),
              "stacks": shipped("stacks.dat"), "clock": shipped("clock.data"), "groups": shipped("groups.data"),
              "tracepoints": shipped("tracepoints.data")}


def check_format(form, folder):
    reader = FORMATS[form]()
    for name, make in RECORDINGS.items():
        own = os.path.join(folder, name)
        os.mkdir(own)
        recording = Recording(name, make(own))
        try:
            reader.check(recording)
        except Wrong as e:
            raise Wrong(f"{form} of {name}: {e}") from e
    print(f"{form}: functions, threads and stacks of {len(RECORDINGS)} recordings as in the report")


def check_full_disk(form, folder):
    """An output that cannot be written leaves no file."""
    recording = Recording("full", handmade(folder))
    target = os.path.join(folder, "no", "such", "folder")
    run("export", "--to", form, "-o", target, *recording.options, status=1)
    if os.path.exists("/dev/full"):
        run("export", "--to", form, "-o", "/dev/full", *recording.options, status=1)
    left = glob.glob(os.path.join(folder, "**", "*full*"), recursive=True)
    if left:
        raise Wrong(f"a failed export left {left}")


def main():
    form = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        try:
            check_format(form, folder)
            full = os.path.join(folder, "full")
            os.mkdir(full)
            check_full_disk(form, full)
        except Skip as e:
            print(e)
            return SKIP
        except Wrong as e:
            print(f"FAILED: {e}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

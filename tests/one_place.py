#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""one_place.py WHICH CHAIN_OF: an event has one task, one stack and one place, whoever is asked

WHICH: shipped: the recordings of tests/data; corpus: those of the corpus, both formats.

json-lines is the view that all others are compared with, sample by sample or, where a format has sums only, by what it
has summed up: folded stacks (the text of report), script in both layouts, csv, sqlite, chrome, perfetto,
sonde_symbols_chain_of() (tests/chain_of.c) and Python. Formats drop what they cannot carry: chrome and perfetto have
one name for each thread, folded stacks and report give a thread that had samples before its first name that name,
trace-cmd has words of its own for threads that nobody named. Stacks of 32-bit kernels in a trace.dat are text in its
layout only. Nothing else may differ.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from python_package import build_package

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import event_readers as readers  # noqa: E402
import shipped_data  # noqa: E402

SKIP = 77
sonde = os.environ["SONDE"]
build = os.environ["SONDE_BUILD"]
chain_of = sys.argv[2]
package = None
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
# What folded stacks have for a function without a name.
NAMELESS = re.compile(r"\[.*\]$|0x[0-9a-f]+ \(no symbol\)")
UNNAMED = re.compile(r":-?\d+$|<\.\.\.>$")
Sample = collections.namedtuple("Sample", "time tid comm event stack")


class View(collections.namedtuple("View", "samples has sources", defaults=(None,))):
    """The samples of a recording in one view; `has`: the members of Sample that it tells.

    sources: of json-lines, how many events of the recording have a name, as each buffer of a trace.dat has its own; of
    perfetto the times of events of ftrace; "once": of a view that gives a sample once.
    """


def run(*words):
    """The output; None: the words do not fit the recording. Damaged ones end with 1, and the rest is delivered."""
    done = subprocess.run([sonde, *words], capture_output=True, check=False, timeout=300)
    assert done.returncode in (0, 1, 2), (words, done.returncode, done.stderr)
    return done.stdout.decode(errors="surrogateescape") if done.returncode < 2 else None


# ---- views ----

def export(path, out, name):
    run("export", "--to", name, "--no-inline", "-o", out, path)
    return os.path.exists(out) and os.path.getsize(out) > 0


def stack_of(names, ip, symbol):
    """A sample without a callchain has its own place as stack, if it has an address."""
    return tuple(names) or (() if ip is None else (symbol or "[unknown]",))


def sample_of(s):
    return Sample(s.get("time"), s.get("tid"), s.get("comm"), s.get("event"),
                  stack_of(s.get("stack", ()), s.get("ip"), s.get("symbol")))


def json_lines(path, out):
    """Every sample, with its place where it has no stack."""
    samples, start, trace, sources = [], 0, None, collections.Counter()
    text = run("export", "--to", "json-lines", "--no-inline", path)
    for line in text.splitlines():
        x = json.loads(line)
        if x["kind"] == "start":
            trace = x["format"], x.get("arch", "")
        elif x["kind"] == "source":
            sources[x["event"]] += 1
        elif x["kind"] == "clock":
            start = int(x["start_ns"])
        elif x["kind"] in ("sample", "tracepoint"):
            samples.append(Sample(x["t"] + start if "t" in x else None, x.get("tid"), x.get("comm"), x["event"],
                                  stack_of((f.get("f", "[unknown]") for f in x.get("stack", ())), x.get("ip"),
                                           x.get("symbol"))))
    return View(samples, Sample._fields, sources), trace


def csv(path, out):
    if not export(path, out, "csv"):
        return None
    return View([sample_of(s) for s in readers.read_csv(out)[0]], Sample._fields)


def sqlite(path, out):
    if not export(path, out, "sqlite"):
        return None
    return View([sample_of(s) for s in readers.read_sqlite(out)[0]], Sample._fields)


def chrome(path, out):
    if not export(path, out, "chrome"):
        return None
    samples = [sample_of(s) for s in readers.read_chrome(out)[0]]  # which has the number 0 for an unknown thread
    return View([s._replace(tid=s.tid or None) for s in samples], ("time", "tid", "event", "stack"))


def perfetto(path, out):
    """The stacks of samples: a tracepoint that ftrace has, too, is an event of ftrace without a stack."""
    if not shutil.which("protoc") or not export(path, out, "perfetto"):
        return None
    samples = readers.read_perfetto(out)[0]
    traced = {s["time"] for s in samples if "name" in s}
    samples = [sample_of(s) for s in samples if "name" not in s]  # which have the number 0 for an unknown thread
    return View([s._replace(tid=s.tid or None) for s in samples], ("time", "tid", "stack"), traced)


def name_and_place(line):
    """An address and its function, as script has them."""
    m = re.match(r"\s*[0-9a-f]+ (.*)$", line)
    return m and m.group(1)


def script(path, out):
    """In the layout of perf; the columns that all events of a recording have."""
    for fields, has in (("comm,tid,time,event", "time tid comm event"), ("comm,tid,event", "tid comm event")):
        text = run("script", "--layout", "perf", "--no-inline", "--ns", "-F", fields + ",ip,sym", path)
        if text is not None:
            break
    else:
        return None
    samples = []
    for line in text.splitlines():
        head = re.match(r"\s*(.*?)\s+(-?\d+)\s+" + (r"(\d+)\.(\d{9}): +" if "time" in has else r"()()") +
                        r"(\S.*?):(?: (.*)|)$", line)
        if line.startswith("\t") and samples:
            samples[-1].stack.append(name_and_place(line) or "?")
        elif head:
            comm, tid, seconds, ns, event, place = head.groups()
            samples.append(Sample(int(seconds + ns) if ns else None, int(tid), None if UNNAMED.match(comm) else comm,
                                  event, [name_and_place(place)] if name_and_place(place or "") else []))
    return View([x._replace(stack=tuple(x.stack), tid=None if x.tid < 0 else x.tid) for x in samples],
                (*has.split(), "stack"))


def trace_cmd(path, out):
    """In the layout of trace-cmd, which has stacks as events of their own."""
    text = run("script", "--layout", "trace-cmd", "--ns", path)
    samples = []
    for line in text.splitlines() if text else ():
        head = re.match(r"(?:.*?: )?\s*(.*)-(\d+)\s+\[\d+\] \S{5,}?\s*(\d+)(\.\d{9})?: (\S+):", line)
        stack = re.match(r"=> (?:(.*) \([0-9a-f]+\)|[0-9a-f]+)$", line)
        if stack and samples and samples[-1].event == "kernel_stack":
            samples[-1].stack.append(stack.group(1) or "[unknown]")
        elif head:
            comm, tid, seconds, ns, event = head.groups()
            samples.append(Sample(int(seconds + (ns or "").lstrip(".")), int(tid), comm, event, []))
    return View([x._replace(stack=tuple(x.stack), tid=x.tid or None) for x in samples
                 if x.event != "funcgraph_exit"], ("time", "tid", "event", "stack"))


def listed(text):
    samples = [json.loads(line) for line in text.splitlines()]
    return View([Sample(time, tid, comm, event, tuple(f or "[unknown]" for f in stack))
                 for time, tid, comm, event, stack in samples], ("time", "tid", "comm", "stack"), "once")


def library(path, out):
    done = subprocess.run([chain_of, path], capture_output=True, check=False, timeout=300)
    return listed(done.stdout.decode(errors="replace"))


PYTHON = """
import json, sonde, sys
for e in filter(lambda e: e.name, sonde.open(sys.argv[1], strict=False).events()):
    stack = [f.symbol for f in e.callchain] or ([e.function.symbol] if e.function else [])
    print(json.dumps([e.time, e.tid, e.comm, e.name, stack]))
"""


def python(path, out):
    done = subprocess.run([sys.executable, "-c", PYTHON, path], capture_output=True, check=False, timeout=300,
                          env={**os.environ, "PYTHONPATH": package})
    return listed(done.stdout.decode())


VIEWS = {"csv": csv, "sqlite": sqlite, "chrome": chrome, "perfetto": perfetto, "script": script,
         "trace-cmd": trace_cmd, "library": library, "python": python}


# ---- comparison ----

def clean(text):
    """A name as every format can carry it: no control bytes, and no ; of folded stacks."""
    return re.sub("[^\x20-\x7e]", "?", text).replace(";", ":") if isinstance(text, str) else text


def asked(name, reference, found):
    """The samples that a view has of those of the reference, as it can tell them."""
    samples = reference.samples
    if name == "trace-cmd":      # events without their systems; their stacks are events of their own
        samples = [s._replace(event=s.event.split(":")[-1], stack=s.stack if s.event == "ftrace:kernel_stack" else ())
                   for s in samples if s.event != "ftrace:funcgraph_exit"]
    elif name == "perfetto":     # the others are events of ftrace there
        samples = [s for s in samples if s.time not in found.sources]
    elif name == "script" and len(samples) == len(found.samples):  # which has no place beside an empty callchain
        samples = [s if f.stack else s._replace(stack=()) for s, f in zip(samples, found.samples)]
    return reference._replace(samples=samples)


def key(sample, has):
    parts = sample._replace(comm=clean(sample.comm), event=clean(sample.event),
                            stack=tuple(map(clean, sample.stack)))
    return tuple(getattr(parts, name) for name in has)


def differences(reference, view):
    """What a view lacks, and what it has more. chrome gives an event without a time that of the event before."""
    timeless = view.has != Sample._fields and any(s.time is None for s in reference.samples)
    has = [name for name in Sample._fields if name in view.has and not (name == "time" and timeless)]
    if view.sources == "once":   # a sample is given once, not for each member of its group
        want, got = ({key(s, has) for s in v.samples} for v in (reference, view))
        return list(want - got), list(got - want)
    want = collections.Counter(key(s._replace(tid=s.tid or None) if "comm" not in has else s, has)
                               for s in reference.samples)
    got = collections.Counter(key(s, has) for s in view.samples)
    return list((want - got).elements()), list((got - want).elements())


def folded_name(name):
    """Without parameters; parentheses of Go's methods and of anonymous namespaces belong to a name."""
    at = next((m.start() for m in re.finditer(r"\((?!anonymous namespace\))", name)), None)
    return clean(name if not at or name[at - 1] == "." else name[:at])


def folded_differences(path, reference):
    """Sums of the stacks of each event, by the name of the thread."""
    wrong = []
    for event in sorted({s.event for s in reference.samples}):
        if reference.sources[event] > 1:  # --event chooses one of them
            continue
        own = [s for s in reference.samples if s.event == event]
        text = run("export", "--to", "folded", "--count", "samples", "--no-inline", "--event", event, path)
        if text is None:  # report knows tracepoints of simpleperf by their numbers
            continue
        sums = collections.Counter()
        for line in text.splitlines():
            stack, count = line.rsplit(" ", 1)
            sums[tuple(stack.split(";"))] += int(count)
        want = collections.Counter(tuple(map(folded_name, s.stack[::-1])) or ("[unknown]",) for s in own)
        got = collections.Counter()
        for stack, count in sums.items():
            got[tuple("[unknown]" if NAMELESS.match(f) else folded_name(f) for f in stack[1:])] += count
        if want != got:
            wrong.append((event, list((want - got).items())[:2], list((got - want).items())[:2]))
    return wrong


def compare(path, folder):
    """The views that differ, with what they say."""
    reference, trace = json_lines(path, None)
    wrong, compared = [], 0
    if not reference.samples:
        return wrong, 0
    for name, view in VIEWS.items():
        if (name == "trace-cmd" and trace[0] != "trace.dat") or (name == "python" and not package):
            continue
        out = os.path.join(folder, "out")
        found = view(path, out)
        if os.path.exists(out):
            os.unlink(out)
        if found is None:
            continue
        if name == "trace-cmd" and trace[1].startswith("armv7"):
            found = found._replace(has=("time", "tid", "event"))
        compared += len(found.samples)
        missing, more = differences(asked(name, reference, found), found)
        if missing or more:
            wrong.append(f"{name}: {len(missing)} missing, {len(more)} more: {missing[:2]} {more[:2]}")
    for event, missing, more in folded_differences(path, reference):
        wrong.append(f"folded, {event}: missing {missing}, more {more}")
    return wrong, compared


def recordings(which, folder):
    if which == "shipped":
        names = sorted(n[:-3] for n in os.listdir(shipped_data.folder) if re.search(r"\.(dat|data)\.xz$", n))
        for name in names:
            yield shipped_data.put(name, os.path.join(folder, name))
        return
    for root, folders, names in sorted(os.walk(corpus)):
        for name in sorted(names):
            path = os.path.join(root, name)
            with open(path, "rb") as f:
                head = f.read(16)
            if head[:8] in (b"PERFILE2", b"2ELIFREP") or head[3:10] == b"tracing":
                yield path


def main():
    global package
    which = sys.argv[1]
    if which == "corpus" and not os.path.isdir(corpus):
        print(f"skipped: there is no corpus at {corpus}")
        sys.exit(SKIP)
    failed, files, events = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        package = build_package(folder)
        if not package:
            print("Python was not asked: it has no headers here")
        for path in recordings(which, folder):
            if len(sys.argv) > 3 and sys.argv[3] not in path:
                continue
            wrong, compared = compare(path, folder)
            files += 1
            events += compared
            failed += bool(wrong)
            for line in wrong:
                print(f"{os.path.basename(path)}: {line}")
    print(f"{files} recordings, {events} samples compared, {failed} recordings differ")
    sys.exit(failed > 0)


main()

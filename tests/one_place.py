#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""one_place.py WHICH: an event has one task, one stack and one place, whoever is asked

WHICH: shipped: the recordings of tests/data; corpus: those of the corpus, both formats.

json-lines is the view that all others are compared with, sample by sample or, where a format has sums only, by what it
has summed up: folded stacks (the text of report), script in both layouts, csv, sqlite, chrome, perfetto,
sonde_symbols_chain_of() (tests/chain_of.c) and Python. Formats drop what they cannot carry: chrome and perfetto have
one name for each thread, folded stacks and report give a thread that had samples before its first name that name,
trace-cmd has words of its own for threads that nobody named. Nothing else may differ.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import event_readers as readers  # noqa: E402
import shipped_data  # noqa: E402

SKIP = 77
sonde = os.environ["SONDE"]
build = os.environ["SONDE_BUILD"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
# What folded stacks have for a function without a name.
NAMELESS = re.compile(r"\[.*\]$|0x[0-9a-f]+ \(no symbol\)")
UNNAMED = re.compile(r":-?\d+$|<\.\.\.>$")
# Kernel symbols would be those of this machine, which may run the kernel of a recording.
NO_KERNEL = ["--kallsyms", "/dev/null"]
Sample = collections.namedtuple("Sample", "time tid comm event stack")


class View(collections.namedtuple("View", "samples has sources", defaults=(None,))):
    """The samples of a recording in one view; `has`: the members of Sample that it tells.

    sources: how many events of the recording have a name: each buffer of a trace.dat has its own.
    """


def run(*words):
    """The output; None: the words do not fit the recording. Damaged ones end with 1, and the rest is delivered."""
    done = subprocess.run([sonde, *words], capture_output=True, check=False, timeout=300)
    assert done.returncode in (0, 1, 2), (words, done.returncode, done.stderr)
    return done.stdout.decode(errors="surrogateescape") if done.returncode < 2 else None


# ---- views ----

def export(path, out, name):
    run("export", "--to", name, "--no-inline", "-o", out, *NO_KERNEL, path)
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
    text = run("export", "--to", "json-lines", "--no-inline", *NO_KERNEL, path)
    for line in text.splitlines():
        x = json.loads(line)
        if x["kind"] == "start":
            trace = x["format"]
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


VIEWS = {"csv": csv, "sqlite": sqlite, "chrome": chrome}


# ---- comparison ----

def clean(text):
    """A name as every format can carry it: no control bytes, and no ; of folded stacks."""
    return re.sub("[^\x20-\x7e]", "?", text).replace(";", ":") if isinstance(text, str) else text


def key(sample, has):
    parts = sample._replace(comm=clean(sample.comm), event=clean(sample.event),
                            stack=tuple(map(clean, sample.stack)))
    return tuple(getattr(parts, name) for name in has)


def differences(reference, view):
    """What a view lacks, and what it has more. chrome gives an event without a time that of the event before."""
    timeless = view.has != Sample._fields and any(s.time is None for s in reference.samples)
    has = [name for name in Sample._fields if name in view.has and not (name == "time" and timeless)]
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
        text = run("export", "--to", "folded", "--count", "samples", "--no-inline", "--event", event, *NO_KERNEL, path)
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
        out = os.path.join(folder, "out")
        found = view(path, out)
        if os.path.exists(out):
            os.unlink(out)
        if found is None:
            continue
        compared += len(found.samples)
        missing, more = differences(reference, found)
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
    which = sys.argv[1]
    if which == "corpus" and not os.path.isdir(corpus):
        print(f"skipped: there is no corpus at {corpus}")
        sys.exit(SKIP)
    failed, files, events = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for path in recordings(which, folder):
            if len(sys.argv) > 2 and sys.argv[2] not in path:
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

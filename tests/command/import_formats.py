#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import_formats.py: `sonde report` and `export` of profiles that other tools wrote

What sonde exports and reads again has the functions, threads and stacks of the recording. Profiles of Go have the sums
that `go tool pprof` shows, folded stacks of another writer those of their lines. What a profile cannot answer is said
in one sentence.
"""
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import export_formats as ef  # noqa: E402
from reader import Wrong  # noqa: E402

DATA = os.path.join(os.environ["SONDE_SOURCE"], "tests", "data")
FORMATS = {"folded": ["--count", "period"], "pprof": [], "firefox": [], "speedscope": []}


class Imported(ef.Recording):
    """An exported file as a recording: it needs no files for symbols."""
    def __init__(self, path):
        super().__init__("imported", path)
        self.options = ["-i", path]


def folded_of(recording, *words):
    """Its stacks; what is no UTF-8 has become U+FFFD on the way through JSON and protobuf."""
    out = ef.run("export", "--to", "folded", "--count", "period", *words, *recording.options).stdout
    return sorted(out.replace("\ufffd".encode(), b".").splitlines())


def folded_key(name):
    """Folded stacks have names without parameters and quotes, and points for control characters."""
    return ef.plain(name.split("(")[0].replace('"', "").replace("'", "")).replace(".", "?").replace("_", "?")


def round_trip(recording, form):
    path = recording.export(form, *FORMATS[form], *recording.first_event())
    if not os.path.getsize(path):
        return
    imported = Imported(path)
    functions, threads = recording.report()
    if form == "firefox" and threads:
        expect("events", [e["event"] for e in imported.events()], recording.first_event()[1:])
    got, got_threads = imported.report()
    key = folded_key if form == "folded" else ef.plain
    wanted = {key(name): v[:2] for name, v in functions.items()}
    ef.compare("functions", {key(k): v[:2] for k, v in got.items() if key(k) in wanted}, wanted)
    ef.compare("threads", {key(k): v for k, v in got_threads.items()}, {key(k): v for k, v in threads.items()})
    first = folded_of(recording, *recording.first_event())
    if form != "folded" and first != folded_of(imported):
        raise Wrong("stacks differ from those of the recording")
    if form == "folded" and first != folded_of(imported):
        raise Wrong("folded stacks that were read and written again differ")


def round_trips(folder):
    for name, make in ef.RECORDINGS.items():
        own = os.path.join(folder, name)
        os.mkdir(own)
        recording = ef.Recording(name, make(own))
        recording.options.append("--no-inline")  # formats without inlined functions count these as other functions do
        for form in FORMATS:
            try:
                round_trip(recording, form)
            except Wrong as e:
                raise Wrong(f"{form} of {name}: {e}") from e


def rows_of(path, *words):
    text = ef.run("report", "--json", "-g", "none", "--sort", "sym", *words, "-i", path).stdout
    return json.loads(text)["events"]


def go_top(path, index, folder):
    """{function: [flat, cum]} in the smallest unit."""
    env = {**os.environ, "HOME": folder}
    unit = {"cpu": "ns", "space": "B"}.get(index.rsplit("_", maxsplit=1)[-1], "count")
    out = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-top", "-noinlines", "-nodecount=0",
                          "-nodefraction=0", f"-sample_index={index}", f"-unit={unit}", path], capture_output=True,
                         timeout=600, check=True, env=env).stdout.decode()
    number = lambda s: int(s.removesuffix(unit))  # noqa: E731
    table = [line.split(maxsplit=5) for line in out.split("cum%\n", 1)[1].splitlines()]
    return {row[5]: [number(row[0]), number(row[3])] for row in table}


def go_profiles(folder):
    """Sums of each sample type as pprof counts them, without inlined functions."""
    wanted = {"go_cpu": {"cpu": 560000000},
              "go_heap": {"inuse_space": 29056, "alloc_objects": 988, "alloc_space": 50692832, "inuse_objects": 400}}
    for name, sums in wanted.items():
        path = os.path.join(DATA, f"{name}.pb.gz")
        events = rows_of(path, "--children", "--no-inline")
        if {e["event"]: e["period"] for e in events} != sums or events[0]["event"] != next(iter(sums)):
            raise Wrong(f"{name}: {[(e['event'], e['period']) for e in events]}, expected {sums}")
        if not shutil.which("go"):
            print("there is no go: `go tool pprof` was not asked")
            continue
        for e in events:
            got = {row["symbol"]: [row["self"], row["children"]] for row in e["rows"]}
            top = {k: v for k, v in go_top(path, e["event"], folder).items() if v[1]}
            ef.compare(f"{name}, {e['event']}", got, top)


def java_stacks():
    """Folded stacks of perf and stackcollapse-perf.pl over a Java program: speedscope's own example."""
    paths = glob.glob(os.path.join(ef.npm, "speedscope", "dist", "release", "perf-vertx-stacks-*.txt"))
    if not paths:
        print("there is no speedscope (tests/npm/install.sh): its example was not read")
        return
    wanted = {}
    with open(paths[0], encoding="utf-8") as f:
        for line in f:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            # a frame without a name is not one
            stack = [re.sub("_\\[[a-z]\\]$", "", name) for name in stack.split(";") if name.strip()]
            for name in set(stack[1:]):
                sums = wanted.setdefault(name, [0, 0])
                sums[0] += int(count) if name == stack[-1] else 0
                sums[1] += int(count)
    got = {row["symbol"]: [row["self"], row["children"]] for row in rows_of(paths[0], "--children")[0]["rows"]}
    if len(wanted) < 100:
        raise Wrong(f"the example of speedscope has {len(wanted)} functions")
    ef.compare("the example of speedscope", got, wanted)


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def expect(what, found, wanted):
    if found != wanted:
        raise Wrong(f"{what}: {found!r}, expected {wanted!r}")


def messages(status, *words, **kwargs):
    r = subprocess.run([ef.sonde, *words], capture_output=True, timeout=600, check=False, **kwargs)
    if r.returncode != status:
        raise Wrong(f"sonde {' '.join(words)}: exit status {r.returncode}, expected {status}: {r.stderr[:300]!r}")
    return r.stderr.decode(errors="replace").replace(words[-1], "FILE").splitlines()


def questions(folder):
    """Each way to open such a file, and each question that it cannot answer."""
    text = b"app;main;work 30\napp;main;wait_[k] 10\nsh;main 2\n"
    path = write(folder, "x.txt", text)
    report = ["report", "--stdio", "--no-children", "-g", "none", "--sort", "comm,sym", "-t", ";", "-q"]
    wanted = ["71.43;app;[.] work", "23.81;app;[k] wait", "4.76;sh;[.] main"]
    lines = lambda out: [line.replace("%", "") for line in out.decode().splitlines() if line]  # noqa: E731
    expect("a file", lines(ef.run(*report, path).stdout), wanted)
    packed = write(folder, "x.gz", gzip.compress(text, mtime=0))
    expect("a compressed file", lines(ef.run(*report, packed).stdout), wanted)
    for data in (text, gzip.compress(text, mtime=0)):
        r = subprocess.run([ef.sonde, *report, "-"], input=data, capture_output=True, timeout=600, check=True)
        expect("a pipe", lines(r.stdout), wanted)
    tree = ef.run("report", "--stdio", "--children", "-g", "caller", path).stdout.decode()
    if tree.count("main") < 3 or "--work" not in tree:
        raise Wrong(f"no call tree: {tree}")
    page = os.path.join(folder, "x.html")
    ef.run("report", "--html", page, path)
    if b"work" not in open(page, "rb").read():
        raise Wrong("the page has no function")
    expect("info", json.loads(ef.run("info", "--json", path).stdout),
           {"schema": 1, "path": path, "format": "folded",
            "events": [{"name": "samples", "samples": 42, "period": 42, "unit": ""}], "threads": 2, "functions": 3,
            "binaries": 0, "stacks": 3, "time": {"min_ns": None, "max_ns": None}})
    no_events = "is a folded profile: its samples can be reported and exported, but it has no events"
    for command in (["script"], ["annotate", "-i"], ["dump"], ["export", "--to", "csv"]):
        expect(" ".join(command), messages(1, *command, path), [f"sonde: FILE: {no_events}"])
    expect("--cpu", messages(1, "report", "--cpu", "0", path),
           ["sonde: FILE: a folded profile does not tell the CPUs of samples"])
    expect("--time", messages(1, "report", "--time", "1,2", path),
           ["sonde: FILE: a folded profile does not tell the times of samples"])
    expect("--time 10%", messages(1, "report", "--time", "10%-20%", path),
           ["sonde: FILE: a profile of another tool has no shares of time: give seconds"])
    bad = write(folder, "bad.folded", text + b"no count\n")
    expect("damage", messages(1, "report", "--stdio", bad),
           [f"sonde: FILE: expected a stack and a count, found 'no count' (at offset {len(text):#x})"])
    cut = write(folder, "cut.gz", gzip.compress(text * 1000, mtime=0)[:-9])
    expect("a cut file", messages(1, "report", "--stdio", cut)[0].split(" (at")[0],
           "sonde: FILE: gzip: the compressed data end too early")
    expect("names", messages(1, "info", write(folder, "note.txt", b"hello world\n")),
           ["sonde: FILE: is neither a perf.data nor a trace.dat: expected PERFILE2 or the magic of trace-cmd at its "
            "beginning (at offset 0x0)"])


def main():
    with tempfile.TemporaryDirectory(prefix="sonde-test.") as folder:
        try:
            round_trips(folder)
            go_profiles(folder)
            java_stacks()
            questions(folder)
        except Wrong as e:
            print(f"FAILED: {e}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

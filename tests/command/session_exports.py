#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""session_exports.py: exports of several traces: their times by one clock, their machines told apart

clock.data and a copy of it from another host, whose wall clock was 5.25 s ahead; a perf.data and a trace.dat of one
machine.
"""
import csv
import gzip
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import json_schema  # noqa: E402
import shipped_data  # noqa: E402

sonde = os.environ["SONDE"]
APART = 5250000000


def run(*words, status=0):
    done = subprocess.run([sonde, *words], capture_output=True, check=False)
    assert done.returncode == status, f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode()}"
    return done.stdout, done.stderr.decode()


def export(form, *inputs, status=0):
    run("export", "--to", form, "-o", "out", *inputs, status=status)
    return "out"


def another_host():
    with open("clock.data", "rb") as f:
        data = f.read()
    pair = struct.pack("<QQ", 1795349453131503256, 7041997686723)
    assert data.count(pair) == 1
    data = data.replace(pair, struct.pack("<QQ", 1795349453131503256 + APART, 7041997686723))
    with open("other.data", "wb") as f:
        f.write(data.replace(b"example", b"elsewhe"))


def lines_of(*inputs, status=0):
    with open(os.path.join(os.environ["SONDE_SOURCE"], "docs/events-json.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    with open(export("json-lines", *inputs, status=status), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    for line in {(x["kind"], *x): x for x in lines}.values():
        wrong = json_schema.check(line, schema)
        assert not wrong, (wrong, line)
    return lines


def key(x):
    """An event but for its trace and time."""
    return x["tid"], x["cpu"] if "cpu" in x else None, x["event"], x.get("ip")


def json_lines():
    both, alone = lines_of("clock.data", "other.data"), lines_of("clock.data")
    inputs = [x for x in both if x["kind"] == "input"]
    assert [(x["input"], x["path"], x["host"], x["offset_ns"]) for x in inputs] == [
        (0, "clock.data", "example", "0"), (1, "other.data", "elsewhe", str(APART))], inputs
    assert inputs[1]["aligned"] == "both traces note the wall clock"
    want = [(x["t"], *key(x)) for x in alone if x["kind"] == "sample"]
    assert len(want) > 20
    for number, shift in (0, 0), (1, APART):
        got = [(x["t"], *key(x)) for x in both if x["kind"] == "sample" and x["input"] == number]
        assert got == [(t + shift, *rest) for t, *rest in want], number
    order = [x["t"] for x in both if x["kind"] == "sample"]
    assert order == sorted(order)
    assert all(x["comm"] for x in both if x["kind"] == "sample")


def table():
    with open(export("csv", "clock.data", "other.data"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    about = [json.loads(x["fields"]) for x in rows if x["kind"] == "input"]
    assert [x["offset_ns"] for x in about] == ["0", str(APART)], about
    times = {n: [int(x["t"]) for x in rows if x["kind"] == "sample" and x["input"] == n] for n in "01"}
    assert times["0"] and times["1"] == [t + APART for t in times["0"]]
    with open(export("csv", "clock.data"), encoding="utf-8", newline="") as f:
        assert "input" not in next(csv.reader(f))


def database():
    db = sqlite3.connect(export("sqlite", "clock.data", "other.data"))
    samples = {n: db.execute("select s.t, t.tid, t.comm, t.host from sample s join source e on e.id = s.source "
                             "join thread t on t.id = s.thread where e.input = ? order by s.id", (n,)).fetchall()
               for n in (0, 1)}
    assert samples[0] and samples[1] == [(t + APART, tid, comm, 1) for t, tid, comm, host in samples[0]]
    assert {x[3] for x in samples[0]} == {0}
    assert db.execute("select id, path, host, offset_ns from input order by id").fetchall() == [
        (0, "clock.data", "example", 0), (1, "other.data", "elsewhe", APART)]
    out, told = run("sql", "--csv", "clock.data", "other.data", "select count(*), count(distinct t) from sample")
    assert out.decode().splitlines()[1].split(",")[0] == str(2 * len(samples[0])), out
    assert "other.data: 5.250000000 s added to its times" in told


def chrome():
    with open(export("chrome", "clock.data", "other.data"), encoding="utf-8") as f:
        document = json.load(f)
    events = document["traceEvents"]
    names = {x["pid"]: x["args"]["name"] for x in events if x["name"] == "process_name"}
    pids = {n: {x["pid"] for x in events if x["ph"] == "P" and (x["pid"] >= 1 << 23) == n} for n in (False, True)}
    assert pids[True] == {pid + (1 << 23) for pid in pids[False]}
    named = {pid for pid in names if pid < 1 << 23}
    assert named and all(names[pid].endswith(" (example)") and names[pid + (1 << 23)].endswith(" (elsewhe)")
                         for pid in named), names
    times = {n: [round(x["ts"] * 1000) for x in events if x["ph"] == "P" and (x["pid"] >= 1 << 23) == n]
             for n in (False, True)}
    assert times[True] == [t + APART for t in times[False]]
    assert [x["host"] for x in document["otherData"]["inputs"]] == ["example", "elsewhe"]


def perfetto():
    if not shutil.which("protoc"):
        return
    with open(export("perfetto", "clock.data", "other.data"), "rb") as f:
        text = subprocess.run(["protoc", "--decode=Trace", "perfetto.proto", "--proto_path=" + os.path.join(
            os.environ["SONDE_SOURCE"], "tests")], stdin=f, capture_output=True, text=True, check=True).stdout
    times = {False: [], True: []}
    for packet in text.split("\npacket {\n"):
        if "\n  perf_sample {\n" in packet:
            at = int(packet.split("  timestamp: ", 1)[1].split("\n", 1)[0])
            times["\n  machine_id: 1\n" in packet].append(at)
    assert times[False] and times[True] == [t + APART for t in times[False]]
    assert '(elsewhe)"' in text and '(example)"' not in text and text.count("  system_info {") == 2


def ctf():
    shutil.rmtree("out", ignore_errors=True)
    if os.path.exists("out"):
        os.unlink("out")
    folder = export("ctf", "clock.data", "other.data")
    assert any(name.startswith("stream_1_") for name in os.listdir(folder)), os.listdir(folder)
    if shutil.which("babeltrace2"):
        text = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, check=True).stdout
        assert text.count('host = "example"') == text.count('host = "elsewhe"') > 20
    shutil.rmtree(folder)


def one_machine():
    """Of one machine: tasks are the same ones, and the switches of a CPU are told once."""
    alone, twice = (sqlite3.connect(export("sqlite", *["tracepoints.data"] * n)) for n in (1, 2))
    for question in "select pid, tid, comm, host from thread order by id", "select * from sched", "select * from frame":
        assert alone.execute(question).fetchall() == twice.execute(question).fetchall(), question
    times = [db.execute("select t from sample order by id").fetchall() for db in (alone, twice)]
    assert len(times[0]) > 10 and times[1] == sorted(2 * times[0])
    both = sqlite3.connect(export("sqlite", "tracepoints.data", "v7.dat"))
    assert both.execute("select max(host) from thread").fetchone() == (0,)
    assert both.execute("select 1 from thread group by pid, tid, comm having count(*) > 1").fetchone() is None
    for n, of in enumerate(("tracepoints.data", "v7.dat")):
        one = sqlite3.connect(export("sqlite", of))
        names = "select e.name, count(*) from sample s join source e on e.id = s.source %s group by 1"
        assert one.execute(names % "").fetchall() == both.execute(names % f"where e.input = {n}").fetchall(), of
    with open(export("chrome", "tracepoints.data", "v7.dat"), encoding="utf-8") as f:
        assert all(x["pid"] < 1 << 23 for x in json.load(f)["traceEvents"])


def profiles():
    count = {}
    for inputs in ("clock.data",), ("clock.data", "other.data"):
        with open(export("folded", *inputs), encoding="utf-8") as f:
            count[len(inputs)] = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in f}
    assert count[2] == {stack: 2 * n for stack, n in count[1].items()}
    rows, _ = run("report", "--stdio", "--sort", "pid", "clock.data", "other.data")
    tasks = [line.split("%", 1)[1].strip() for line in rows.decode().splitlines() if line.strip() and line[0] != "#"]
    assert tasks and sorted(tasks)[::2] == [name[:-len(" (elsewhe)")] for name in sorted(tasks)[1::2]], rows
    rows, _ = run("report", "--stdio", "--sort", "pid", "clock.data", "clock.data")
    assert b"(" not in b"".join(line for line in rows.splitlines(True) if line[:1] != b"#"), rows
    with open(export("firefox", "clock.data", "other.data"), encoding="utf-8") as f:
        threads = json.load(f)["threads"]
    assert {t["pid"].startswith("1-") for t in threads if t["processName"].endswith(" (elsewhe)")} == {True}
    assert {t["pid"].startswith("1-") for t in threads if "(" not in t["processName"]} == {False}
    begins = [min(t["samples"]["time"][0] for t in threads if ("(" in t["processName"]) == of) for of in (False, True)]
    assert round((begins[1] - begins[0]) * 1e6) == APART, begins
    with open(export("speedscope", "clock.data", "other.data"), encoding="utf-8") as f:
        assert len([x for x in json.load(f)["profiles"] if x["name"].endswith(" (elsewhe)")]) == len(threads) / 2


def machines():
    """Formats of sums name the machine of a sample, or all machines."""
    with gzip.open(export("pprof", "clock.data", "other.data")) as f:
        profile = f.read()
    assert b"elsewhe" in profile and b"host: elsewhe" in profile
    with gzip.open(export("pprof", "clock.data")) as f:
        assert b"\x04host" not in f.read()
    with open(export("callgrind", "clock.data", "other.data"), encoding="utf-8") as f:
        hosts = [line.strip() for line in f if line.startswith("desc: Recording: host: ")]
    assert hosts == [f"desc: Recording: host: {name}" for name in ("example", "elsewhe")], hosts
    if not shutil.which("protoc"):
        return
    resources = {}
    for inputs in ("clock.data",), ("clock.data", "other.data"):
        with open(export("otlp", *inputs), "rb") as f:
            text = subprocess.run(["protoc", "--proto_path=" + os.path.join(os.environ["SONDE_SOURCE"], "tests"),
                                   "--decode=opentelemetry.proto.profiles.v1development.ProfilesData",
                                   "otlp_profiles.proto"], stdin=f, capture_output=True, text=True, check=True).stdout
        parts = text.split("dictionary {")[0].split("resource_profiles {")[1:]
        resources[len(inputs)] = [(next(name for name in ("example", "elsewhe") if f'"{name}"' in part),
                                   sum(line.strip().startswith("timestamps_unix_nano: ") for line in part.split("\n")))
                                  for part in parts]
    (name, samples), = resources[1]
    assert samples > 20 and resources[2] == [(name, samples), ("elsewhe", samples)], resources


def page():
    """The facts of the page name each trace, its offset and the fact behind that; times lie on one axis."""
    with open(export("html", "clock.data", "other.data"), encoding="utf-8") as f:
        text = f.read()
    assert '["Recording","clock.data: 0.000000000 s added to its times: its clock is the clock of all"]' in text
    assert '["Recording","other.data: 5.250000000 s added to its times: both traces note the wall clock"]' in text
    assert "workload (elsewhe)" in text
    with open(export("html", "clock.data"), encoding="utf-8") as f:
        assert '["Recording"' not in f.read()


def bad_input():
    samples = len([x for x in lines_of("clock.data") if x["kind"] == "sample"])
    assert len([x for x in lines_of("clock.data", "missing", status=1) if x["kind"] == "sample"]) == samples
    twice = lines_of("clock.data", "clock.data")
    assert len([x for x in twice if x["kind"] == "sample"]) == 2 * samples
    many = lines_of(*["clock.data"] * 100)
    assert len([x for x in many if x["kind"] == "sample"]) == 100 * samples
    run("export", "--to", "json-lines", "-o", "none", "missing", status=1)
    assert not os.path.exists("none")
    run("sql", "missing", "clock.data", "select 1", status=1)


with tempfile.TemporaryDirectory(prefix="sonde-test.") as place:
    os.chdir(place)
    for recording in "clock.data", "tracepoints.data", "v7.dat":
        shipped_data.put(recording, recording)
    another_host()
    for check in json_lines, table, database, chrome, perfetto, ctf, one_machine, profiles, machines, page, bad_input:
        check()

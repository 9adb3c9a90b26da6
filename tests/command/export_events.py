#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export_events.py FORMAT: exports of events, opened by a reader of the format and compared with sonde script

A row of FORMATS has its reader, one of tests/event_readers.py.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from event_readers import (read_chrome, read_csv, read_ctf, read_json_lines, read_perfetto,  # noqa: E402
                           read_sqlite)
import fake_tracefs  # noqa: E402
import perf_data as pd  # noqa: E402
import sched_data  # noqa: E402
import shipped_data  # noqa: E402
from duckdb import DuckDB  # noqa: E402
from reader import Skip  # noqa: E402

sonde = os.environ["SONDE"]
KERNEL = 0xffffffff81000000
KALLSYMS = "".join(f"{KERNEL + at:016x} T {name}\n" for at, name in
                   ((0, "_text"), (0, "_stext"), (0x1000, "main"), (0x2000, "a"), (0x3000, "b"), (0x4000, "_etext")))
LOST, THROTTLE, TRACING_DATA, CPU, CONTEXT_KERNEL = 2, 5, 1, 1 << 7, 2**64 - 128
NASTY = [b'quo"te\'s', b"<b>&amp;", b"semi;co,lon", b"esc\x1b[31m", b"line\nbreak", b"\xff\xfe\x80", b"back\\slash",
         b"=1+1"]


def run(*words, status=0, **how):
    done = subprocess.run([sonde, *words], capture_output=True, check=False, **how)
    told = done.stderr.decode(errors="replace")
    assert done.returncode == status, f"{' '.join(words)}: exit status {done.returncode}, not {status}: {told}"
    return done.stdout, told


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def clean(name):
    """A name of the recording as a reader of UTF-8 gets it."""
    return name.decode(errors="surrogateescape")


def csv_cell(text):
    """Without what is no text, and with an apostrophe before what a spreadsheet would take for a formula."""
    text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "\ufffd", text)
    return "'" + text if text[:1] in tuple("=+-@\t\n'") else text


# A text that the format cannot carry as it is: what becomes of a name.
FORMATS = {
    "chrome": (read_chrome, lambda s: s),
    "csv": (read_csv, csv_cell),
    "ctf": (read_ctf, lambda s: s),
    "json-lines": (read_json_lines, lambda s: s),
    "perfetto": (read_perfetto, lambda s: s),
    "sqlite": (read_sqlite, lambda s: s),
}
name = sys.argv[1]
reader, shown = FORMATS[name]


known = {}                   # shipped recordings are exported once for each set of options


def export(data, *options):
    if os.path.isdir("out"):
        shutil.rmtree("out")
    elif os.path.exists("out"):
        os.remove("out")
    if (data, options) not in known:
        _, told = run("export", "--to", name, "-o", "out", "-i", data, *options)
        known[data, options] = (*reader("out"), told)
    return known[data, options]


def shipped(recording):
    return shipped_data.put(recording, recording)


# ---- comparisons with script ----

def script(data, *options):
    """The samples that `sonde script` prints, with their stacks."""
    text, _ = run("script", "-i", data, "--layout", "perf", "--ns", "--no-inline", *options)
    samples = []
    for line in text.decode().splitlines():
        head = re.match(r" *(.+?) +(-?\d+)/(-?\d+) +(?:\[(\d+)\] +)?(\d+)\.(\d{9}): +(?:(\d+) +)?(\S+): *(.*)", line)
        if head:
            comm, pid, tid, cpu, seconds, ns, period, event, rest = head.groups()
            samples.append({"comm": comm, "pid": int(pid), "tid": int(tid), "cpu": cpu and int(cpu), "event": event,
                            "time": int(seconds) * 10**9 + int(ns), "period": int(period or 1), "stack": []})
            samples[-1]["ip"] = int(rest.split()[0], 16) if re.match("[0-9a-f]+ ", rest) else None
            symbol = rest.split(None, 1)[1] if samples[-1]["ip"] else None
            samples[-1]["symbol"] = None if symbol == "[unknown]" else symbol
        elif line.strip():
            samples[-1]["stack"].append(line.split(None, 1)[1])
    return samples


def same(data, fields, keys):
    """Each sample of an export is the one of script."""
    want = script(data, "-F", fields)
    got, about, _ = export(data, *(() if data.endswith(".dat") else ("--no-inline",)))
    assert len(got) == len(want), (data, len(got), len(want))
    for g, w in zip(got, want):
        for key in keys:
            if key in g:
                assert g[key] == w[key], (data, key, g, w)
    return about


def test_same_as_script():
    usual = "comm,pid,tid,time,period,event"
    about = same(shipped("callgraph.data"), usual + ",ip,sym",
                 ("comm", "pid", "tid", "time", "period", "event", "stack"))
    assert about.get("clock", "perf") == "perf", about
    about = same(shipped("clock.data"), usual + ",ip,sym",
                 ("comm", "pid", "tid", "time", "period", "event", "ip", "symbol"))
    same(shipped("tasks.data"), usual, ("comm", "tid", "time", "period", "event"))
    same(shipped("tracepoints.data"), "comm,pid,tid,cpu,time,event", ("comm", "cpu", "tid", "time", "event"))
    about = same(shipped("v7.dat"), "comm,pid,tid,cpu,time,event", ("comm", "cpu", "tid", "time", "event"))
    assert about.get("clock", "local") == "local", about


def test_fields():
    """Values of tracepoints are those of `script -R`."""
    data = shipped("v7.dat")
    samples, _, _ = export(data)
    if not samples or "fields" not in samples[0]:
        return
    text, _ = run("script", "-i", data, "-R")
    lines = [x for x in text.decode().splitlines() if re.search(r"\d+\.\d+: +\w", x)]
    assert len(lines) == len(samples), (len(lines), len(samples))
    compared = 0
    for line, s in zip(lines, samples):
        for key, value in re.findall(r" (\w+)= ?(-?\d+|0x[0-9a-f]+)(?= |$)", line):
            if not isinstance(s["fields"].get(key), (int, str)):
                continue
            ours = int(str(s["fields"][key]), 0)
            assert ours % 2**64 == int(value, 0) % 2**64, (line, s)
            compared += 1
    assert compared > len(samples), compared


def test_counts():
    """A sample of a group has the counts of its events; script prints their growth."""
    data = shipped("groups.data")
    samples, _, _ = export(data)
    want = script(data, "-F", "comm,pid,tid,time,period,event")
    if "cpu-clock" not in samples[0].get("fields", {}):
        assert name in ("chrome", "ctf", "perfetto"), samples[0]
        return
    seen = {}
    for s in samples:
        for event, count in s["fields"].items():
            seen.setdefault((s["tid"], event), {0})
            grown = [count - w["period"] for w in want
                     if (w["time"], w["tid"], w["event"]) == (s["time"], s["tid"], event)]
            assert not grown or set(grown) & seen[s["tid"], event], (s, grown)
            seen[s["tid"], event].add(count)
    assert {event for _, event in seen} == {"cpu-clock", "page-faults"}, seen


def test_count_tracks():
    """What an event of a group has counted in a thread, on all CPUs, at each sample at which it has grown."""
    data = shipped("groups.data")
    _, about, _ = export(data)
    if "counts" not in about:
        return
    text, _ = run("dump", data)
    cells, want = {}, {}
    for time, tid, body in re.findall(r" (\d+\.\d{9}) pid \d+ tid (\d+) SAMPLE.*event cpu-clock\n((?: .*\n)+)",
                                      text.decode()):
        tid, at = int(tid), int(time.replace(".", ""))
        for i, count, cell in re.findall(r"read\[(\d)\]: (\d+) id (\d+)", body):
            event = ("cpu-clock", "page-faults")[int(i)]
            if int(count) == cells.get((tid, event, cell), 0):
                continue
            cells[tid, event, cell] = int(count)
            value = sum(n for (t, e, _), n in cells.items() if (t, e) == (tid, event))
            want.setdefault((tid, event), []).append((at, value))
    assert want and any(len(series) > 1 for series in want.values()), want
    for key, series in want.items():
        if name == "chrome" or key[1] != "cpu-clock":     # whose periods are the count of its CPU
            assert about["counts"].get(key) == series, (key, about["counts"].get(key), series)


def stack_of(*ips):
    chain = (CONTEXT_KERNEL, *ips)
    return struct.pack("<Q%dQ" % len(chain), len(chain), *chain)


def kernel_map():
    return pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, KERNEL, 0x4000, KERNEL) +
                     pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0))


def test_stack():
    """main called a, a called b; kernel addresses are whole."""
    more = stack_of(KERNEL + 0x3010, KERNEL + 0x2010, KERNEL + 0x1010)
    data = put("stack.data", pd.make(
        kernel_map() + pd.comm("demo") + pd.sample(KERNEL + 0x3010, more=more, misc=pd.KERNEL), None, pd.CALLCHAIN))
    put("kallsyms", KALLSYMS.encode())
    (s,), _, _ = export(data, "--kallsyms", "kallsyms")
    assert s["stack"] == ["b", "a", "main"], s
    assert s.get("symbol", "b") == "b", s
    assert s.get("ip", KERNEL + 0x3010) == KERNEL + 0x3010, s


def switches():
    """CPU 0: 100 from 1000 to 3000, 200 until 6000; CPU 1: 300 from 2000 to 2500."""
    return put("switches.data", sched_data.perf(
        [(1000, 0, 0, 0, 100), (2000, 1, 0, 0, 300), (2500, 1, 300, 2, 0), (3000, 0, 100, 1, 200),
         (6000, 0, 200, 0, 0)], named=(100, 200, 300)))


def test_switches():
    samples, about, _ = export(switches())
    assert [s["time"] for s in samples] == [1000, 2000, 2500, 3000, 6000], samples
    assert {s.get("event") or "sched:" + s["name"] for s in samples} == {"sched:sched_switch"}, samples
    if "fields" in samples[0]:
        assert samples[3]["fields"] == {"prev_comm": "t100", "prev_pid": 100, "prev_prio": 120, "prev_state": 1,
                                        "next_comm": "t200", "next_pid": 200, "next_prio": 120}, samples[3]
    slices = [(1000, 2000, 0, 100, "S"), (2000, 500, 1, 300, "D"), (3000, 3000, 0, 200, "R")]
    assert sorted(about.get("slices", slices)) == slices, about


def test_counters():
    """Of chrome: frequencies of a CPU, and the counts of a group."""
    if name != "chrome":
        return
    form = "name: cpu_frequency\nID: 316\n" + fake_tracefs.COMMON + (
        "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n"
        '\nprint fmt: "state=%lu", REC->state\n')
    raws = [(1000, struct.pack("<HBBiIIi", 316, 1, 0, 5, state, cpu, 0)) for state, cpu in ((800000, 0), (3600000, 3))]
    data = bytearray(pd.make(pd.comm("demo") + b"".join(
        pd.sample(0x400100, time, 5, struct.pack("<III", 0, 0, len(raw)) + raw) for time, raw in raws), {
            TRACING_DATA: pd.tracing_data([form]).replace(b"system0", b"power"),
            pd.HOSTNAME: pd.feature_text("here")}, pd.RAW | CPU))
    struct.pack_into("<I", data, 104, 2)
    struct.pack_into("<Q", data, 112, 316)
    export(put("frequency.data", bytes(data)))
    with open("out", encoding="utf-8") as f:
        counters = [x for x in json.load(f)["traceEvents"] if x["ph"] == "C"]
    assert [(x["name"], x["id"], x["args"]) for x in counters] == [
        ("power:cpu_frequency", 0, {"state": 800000}), ("power:cpu_frequency", 3, {"state": 3600000})], counters
    known.clear()
    export(shipped("groups.data"))
    with open("out", encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    counters = [x for x in events if x["ph"] == "C"]
    assert counters and len(counters) == len([x for x in events if x["ph"] == "P"])
    assert {key for x in counters for key in x["args"]} == {"cpu-clock", "page-faults"}, counters[0]


def test_names():
    """Whatever a name has, and 64 kB of it."""
    records = kernel_map()
    long = b"/" + b"n" * 65000
    for i, n in enumerate(NASTY):
        records += pd.comm(n[:15], 50 + i) + pd.sample(0x400100, 2000 + i, 50 + i)
    records += pd.mmap(0x800000, 0x1000, long, 99) + pd.comm("long", 99) + pd.sample(0x800010, 3000, 99)
    samples, _, _ = export(put("names.data", pd.make(records)))
    for n, s in zip(NASTY, samples):
        want = shown(n[:15].decode(errors="replace"))
        assert s["comm"] == want, (s["comm"], want)
    assert samples[-1].get("module", long.decode()) == long.decode()


DUCKDB = {"csv": "read_csv('out')", "json-lines": "read_json('out', format='newline_delimited')"}


def test_duckdb():
    """It finds the columns and their types by itself, and counts as many samples of each event and thread."""
    if name not in DUCKDB:
        return
    try:
        duckdb = DuckDB()
    except Skip as e:
        print(f"{name} was not read by DuckDB: {e}")
        return
    for data in (shipped("callgraph.data"), shipped("tasks.data"), "names.data"):
        known.clear()
        samples, _, _ = export(data)
        rows, = duckdb.ask([f"select event, comm, tid, count(*), sum(coalesce(period, 1)) from {DUCKDB[name]} "
                            "where kind in ('sample', 'tracepoint') group by all"])
        want = {}
        for s in samples:
            key = (s["event"], s["comm"], str(s["tid"]))
            n, period = want.get(key, (0, 0))
            want[key] = n + 1, period + s["period"]
        got = {(event, comm, str(tid)): (int(n), int(period)) for event, comm, tid, n, period in rows}
        assert got == want, (data, got.items() ^ want.items())


def test_little():
    """No event, no sample, no time."""
    samples, _, told = export(put("empty.data", pd.make(pd.record(pd.FINISHED_ROUND, 0, b""))))
    assert not samples and "no samples" in told or "no events" in told, told
    samples, _, _ = export(put("few.data", pd.make(pd.comm("demo"))))
    assert not samples
    whole = bytearray(pd.make(b"".join(pd.record(pd.SAMPLE, pd.USER, struct.pack("<QQII", pd.EVENT_ID, ip, 50, 50))
                                       for ip in (0x400100, 0x400200))))
    at = 104 + 24                # sample_type of the attr
    whole[at:at + 8] = struct.pack("<Q", struct.unpack_from("<Q", whole, at)[0] & ~pd.TIME)
    samples, _, _ = export(put("timeless.data", bytes(whole)))
    assert [s.get("time") for s in samples] in ([None, None], [0, 0]), samples
    assert [s.get("ip", 0x400200) for s in samples][1] == 0x400200, samples


def test_one_cpu():
    """Of a trace.dat: the CPU of each event, and only one that was asked for."""
    data = shipped("v7.dat")
    everything, _, _ = export(data)
    if "cpu" not in everything[0]:
        return
    cpus = {s["cpu"] for s in everything}
    samples, _, _ = export(data, "--cpu", str(min(cpus)))
    assert samples and {s["cpu"] for s in samples} == {min(cpus)}, cpus
    assert len(samples) == len([s for s in everything if s["cpu"] == min(cpus)])


def test_losses():
    lost = pd.record(LOST, 0, struct.pack("<QQ", pd.EVENT_ID, 7) + pd.trailer(2500))
    data = put("lost.data", pd.make(pd.comm("demo") + pd.sample(0x400100) + lost + pd.sample(0x400100, 3000)))
    samples, about, told = export(data)
    assert len(samples) == 2 and re.search("7 events", told), told
    assert about.get("lost", 7) == 7, about


def test_losses_come_first():
    lost = pd.record(LOST, 0, struct.pack("<QQ", pd.EVENT_ID, 7) + pd.trailer(1500))
    samples, about, _ = export(put("lost-first.data", pd.make(pd.comm("demo") + lost + pd.sample(0x400100))))
    assert len(samples) == 1 and about.get("lost", 7) == 7, about


def test_throttled_is_not_lost():
    throttle = pd.record(THROTTLE, 0, struct.pack("<QQQ", 2500, pd.EVENT_ID, 1) + pd.trailer(2500))
    data = put("throttled.data", pd.make(pd.comm("demo") + pd.sample(0x400100) + throttle + pd.sample(0x400100, 3000)))
    _, about, _ = export(data)
    assert not about.get("lost"), about
    if name == "chrome":
        with open("out", encoding="utf-8") as f:
            assert not [x for x in json.load(f)["traceEvents"] if x.get("cat") == "loss"]


def test_choice():
    data = shipped("callgraph.data")
    samples, _, _ = export(data)
    event, tid, comm = samples[0]["event"], samples[0]["tid"], samples[0]["comm"]
    some, _, _ = export(data, "--event", event, "--tid", str(tid), "--comms", comm)
    assert len(some) == len([s for s in samples if (s["event"], s["tid"], s["comm"]) == (event, tid, comm)])
    none, _, told = export(data, "--tid", "1")
    assert not none and "asked for" in told, told


def test_no_half_file():
    data = shipped("callgraph.data")
    os.mkdir("none")
    run("export", "--to", name, "-o", "none/such/out", "-i", data, status=1)
    assert os.listdir("none") == []
    run("export", "--to", name, "-o", data, "-i", data, status=1)
    assert reader is None or os.path.getsize(data) == len(shipped_data.unpack("callgraph.data"))
    put("none/bad.data", b"no trace")
    run("export", "--to", name, "-o", "none/out", "-i", "none/bad.data", status=1)
    assert os.listdir("none") == ["bad.data"]
    if os.path.exists("/dev/full"):
        run("export", "--to", name, "-o", "/dev/full", "-i", data, status=1)


def mounted(folder, kib):
    """A disk of that size; False: nothing can be mounted here."""
    os.mkdir(folder)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", folder], capture_output=True,
                          check=False).returncode == 0


def test_full_disk():
    """An output without room ends the export, before the database beside it is whole."""
    data = put("many.data", pd.make(pd.comm("demo") + b"".join(pd.sample(0x400100, 2000 + i) for i in range(60_000))))
    try:
        if not mounted("disk", 512) or not mounted("temporary", 1024):
            print("nothing can be mounted here: no disk was full")
            return
        _, told = run("export", "--to", name, "-o", "disk/out", "-i", data, status=1,
                      env={**os.environ, "TMPDIR": os.path.abspath("temporary")})
        assert told == "sonde: cannot write the output: No space left on device\n", told
        assert os.listdir("disk") == os.listdir("temporary") == []
    finally:
        for folder in filter(os.path.ismount, ("disk", "temporary")):
            subprocess.run(["umount", folder], check=True)


def main():
    folder = tempfile.mkdtemp(prefix="sonde-export-events.")
    os.chdir(folder)
    try:
        done = subprocess.run([sonde, "export", "--to", name, "-o", "out", "-i", shipped("clock.data")],
                              capture_output=True, text=True, check=False)
        if "libsqlite3" in done.stderr:
            print("skipped: " + done.stderr)
            sys.exit(77)
        for key, test in list(globals().items()):
            if key.startswith("test_"):
                test()
    finally:
        shutil.rmtree(folder)


main()

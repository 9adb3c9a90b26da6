#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_fake_intel_pt.py LIBRARY: hardware traces of a fake of Intel PT: attrs, areas, snapshots, filters, the file

LIBRARY takes the system calls of the recorder (tests/fake_intel_pt.c); the driver's files are those of
tests/events/trees.py. perf reads what was recorded.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SKIP = 77
sonde, source, library = os.environ["SONDE"], os.environ["SONDE_SOURCE"], sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, source + "/tests/events")
import trees  # noqa: E402

AREA = 128 << 10
TRACE = 1000004  # bytes of each CPU: no multiple of 8, and more than the area holds
newest = os.path.join(source, "..", "shared", "tools", "newest-perf")
readers = [tool for tool in (shutil.which("perf"), newest if os.access(newest, os.X_OK) else None) if tool]


def fail(text):
    sys.exit(f"FAILED: {text}")


def record(*options, command=("true",), status=0):
    """Records with the fake: the lines of its log."""
    if os.path.exists("log"):
        os.remove("log")
    env = dict(os.environ, LD_PRELOAD=library, FAKE_PT_TYPE="9", FAKE_PT_LOG="log", FAKE_PT_BYTES=str(TRACE),
               SYSFS_PATH=os.path.abspath("intel/sys"))
    r = subprocess.run([sonde, "record", "-o", "data", *options, "--", *command], env=env, capture_output=True,
                       text=True, timeout=120)
    if r.returncode != status:
        fail(f"record {' '.join(options)} ended with {r.returncode}: {r.stderr}")
    if status:
        return r.stderr
    with open("log", encoding="ascii") as f:
        return [line.split(" ") for line in f.read().splitlines()]


def attr_of(log):
    """The attr that was opened, by the names of perf_event_open(2)."""
    opened = [words for words in log if words[0] == "open"]
    attrs = {words[4] for words in opened}
    if len(attrs) != 1:
        fail(f"{len(attrs)} attrs were opened")
    raw = bytes.fromhex(attrs.pop())
    kind, size, config, period, sample_type, read_format, flags = struct.unpack_from("=IIQQQQQ", raw)
    return {"type": kind, "size": size, "config": config, "period": period, "sample_type": sample_type,
            "read_format": read_format, "flags": flags, "aux_watermark": struct.unpack_from("=I", raw, 104)[0]}


def expect(what, got, wanted):
    if got != wanted:
        fail(f"{what}: {got}, expected {wanted}")


def parts():
    """Of each ring, the parts of its trace: their offset and bytes; and the places of their records."""
    with open("data", "rb") as f:
        data = f.read()
    at, size = struct.unpack_from("=QQ", data, 40)
    end, rings, places = at + size, {}, []
    while at < end:
        kind, _, size = struct.unpack_from("=IHH", data, at)
        if kind == 71:
            n, offset, _, ring, _, cpu = struct.unpack_from("=QQQIii", data, at + 8)
            expect("CPU of a trace", cpu, ring)
            rings.setdefault(ring, []).append((offset, data[at + 48:at + 48 + n]))
            places.append(at)
            size += n
        at += size
    return rings, places


def check_file(tools):
    """Neither sonde nor perf finds anything wrong."""
    r = subprocess.run([sonde, "check", "data"], capture_output=True, text=True, check=False)
    if r.returncode or " 0 warnings" not in r.stdout:
        fail(f"check: {r.stdout}{r.stderr}")
    for tool in tools:
        for words in (["script", "-D"], ["report", "--dump-raw-trace"]):
            r = subprocess.run([tool, *words, "-i", "data"], capture_output=True, text=True, errors="replace",
                               check=False)
            wrong = [line for line in r.stderr.splitlines() if re.search("warn|error|fail|corrupt", line, re.I)]
            if r.returncode or wrong:
                fail(f"{tool} {' '.join(words)}: {r.returncode}: {wrong or r.stderr[:500]}")
            if "PERF_RECORD_AUXTRACE size" not in r.stdout:
                fail(f"{tool} {' '.join(words)} shows no trace")


def info():
    """AUXTRACE_INFO: type and words of the driver."""
    text = subprocess.run([sonde, "dump", "data"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"AUXTRACE_INFO .*\n((?: .*\n)+)", text)
    return [int(word, 16) for word in re.findall(r"(?:type|priv\[\d+\]): 0x([0-9a-f]+)", found[1])]


def word_bytes(ring, begin, end):
    """The fake's trace of a ring, from one offset to another."""
    first = begin // 8
    words = b"".join(struct.pack("=Q", (ring + 1) << 32 | at) for at in range(first, (end + 7) // 8))
    return words[begin - first * 8:end - first * 8]


def test_full_trace():
    wait = "until [ $(grep -c ^all log) -ge $(grep -c ^open log) ]; do sleep 0.05; done"
    log = record("-m", f",{AREA}B", "-e", "cpu-clock:u", "-e", "intel_pt/cyc=1/u", command=("sh", "-c", wait))
    attr = attr_of(log)
    expect("config", attr["config"], 0x2403)             # pt, cyc, tsc, branch
    expect("period", attr["period"], 1)
    expect("aux_watermark", attr["aux_watermark"], AREA // 4)
    expect("sample_type", attr["sample_type"], 0x10087)  # IP, TID, TIME, CPU, IDENTIFIER
    # disabled, inherit, :u, enable_on_exec, watermark, sample_id_all
    expect("flags", attr["flags"], 1 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 12 | 1 << 14 | 1 << 18)
    rings, places = parts()
    expect("rings", len(rings), len([words for words in log if words[0] == "open"]))
    for ring, found in rings.items():
        ends = [offset for offset, _ in found[1:]] + [TRACE]
        expect(f"first offset in ring {ring}", found[0][0], 0)
        for (offset, part), end in zip(found, ends):
            if len(part) % 8 or part[:end - offset] != word_bytes(ring, offset, end):
                fail(f"ring {ring}: the trace from {offset} to {end} is another one")
    text = subprocess.run([sonde, "info", "--json", "data"], capture_output=True, text=True, check=True).stdout
    index = re.search(r'"auxtrace": ?\[([^]]*)\]', text)
    expect("index", re.findall(r'"file_offset": ?(\d+), ?"size": ?48', index[1]), [str(place) for place in places])
    # type 1; PMU 9, no clock, bits of tsc and noretcomp, switches, no snapshot, rings of CPUs, mtc, its period,
    # tsc_art_ratio, cyc, max_nonturbo_ratio, no filter, event_trace
    expect("AUXTRACE_INFO", info(), [1, 9, 0, 0, 0, 0, 0x400, 0x800, 2, 0, 1, 0x200, 0x3c000, 84, 2, 2, 33, 0, 1])
    side = subprocess.run([sonde, "evlist", "-v", "data"], capture_output=True, text=True, check=True).stdout
    if not re.match(r"intel_pt/cyc=1/u: .*\ncpu-clock:u: .*\ndummy:u: .*context_switch: 1", side):
        fail(f"the events are others: {side}")
    check_file(readers)


def test_snapshot():
    log = record("-Se", "-C", "0", "-m", ",64K", "-e", "intel_pt//")
    expect("aux_watermark", attr_of(log)["aux_watermark"], 0)
    expect("flags", attr_of(log)["flags"], 1 | 1 << 14 | 1 << 18)
    rings, _ = parts()
    expect("trace", rings, {0: [(0, word_bytes(0, 32 << 10, 96 << 10))]})
    expect("switches, snapshot", info()[8:10], [3, 1])
    check_file(readers[:1])
    record("-S", "-C", "0", "-m", ",64K", "-e", "intel_pt//")
    expect("trace that nobody asked for", parts()[0], {})


def test_compressed():
    record("-z", "-Se", "-C", "0", "-m", ",64K", "-e", "intel_pt//")
    expect("trace", parts()[0], {0: [(0, word_bytes(0, 32 << 10, 96 << 10))]})
    check_file(readers[:1])


def test_filter():
    file, name = os.path.realpath(sonde), os.path.relpath(sonde)
    with_sizes = subprocess.run(["nm", "-S", file], capture_output=True, text=True, check=True).stdout
    size = int(re.search(r"^[0-9a-f]+ ([0-9a-f]+) T main$", with_sizes, re.M)[1], 16)
    for wish, wanted in (
            ("filter 0x1000 / 0x20 @ /bin/true, stop 0x2000@/bin/true", "filter 0x1000/0x20@TRUE,stop 0x2000@TRUE"),
            (f"filter main @ {name}", f"filter 0xMAIN/{size:#x}@{file}"),
            (f"filter main / main @ {name} start main @ {name}", f"filter 0xMAIN/{size:#x}@{file},start 0xMAIN@{file}"),
            (f"filter * @ {name}", f"filter 0x0/{os.path.getsize(file):#x}@{file}"),
    ):
        log = record("-C", "0", "-m", ",64K", "-e", "intel_pt//u", "--filter", wish)
        text = [" ".join(words[1:]) for words in log if words[0] == "filter"][0]
        main_at = re.search("0x([0-9a-f]+)", text)[1]
        expect(wish, text, wanted.replace("MAIN", main_at).replace("TRUE", os.path.realpath("/bin/true")))
        expect("length of the filter", info()[17], len(text))
    check_file(readers[:1])
    for wish, why in (("filter nothing_is_called_so @ " + name, "has no function"), ("run 0x10/0x10", "is not filter,"),
                      ("filter main @ /nonexistent", "there is no file"), ("filter 0x10", "has no size"),
                      ("filter", "lacks an address")):
        said = record("-e", "intel_pt//u", "--filter", wish, status=2)
        if why not in said:
            fail(f"--filter '{wish}': {said}")


def test_samples():
    log = record("--aux-sample=8K", "-C", "0", "-c", str(1 << 60), "-e", "cpu-clock:u",
                 "-e", "{intel_pt//u,task-clock:u}")
    expect("aux_watermark", attr_of(log)["aux_watermark"], 0)
    sampled = [words for words in log if words[0] == "sample"]
    expect("events with samples of the trace", len(sampled), 1)
    raw = bytes.fromhex(sampled[0][4])
    expect("aux_sample_size", struct.unpack_from("=I", raw, 112)[0], 8192)
    if int(sampled[0][3]) < 0:
        fail("the event is in no group")
    expect("parts", parts()[0], {})
    expect("snapshot mode", info()[9], 0)
    check_file([])


def test_refused():
    for events, why in (
            (["intel_pt//u", "intel_pt//k"], "one hardware trace at a time"),
            (["{intel_pt//u,cpu-clock}"], "leads only a group whose samples"),
            (["{cpu-clock,intel_pt//u}"], "the first event of its group"),
    ):
        said = record(*[word for e in events for word in ("-e", e)], status=1)
        if why not in said:
            fail(f"{events}: {said}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        trees.main(".")
        driver = "intel/sys/bus/event_source/devices/intel_pt"
        for name, text in (("tsc_art_ratio", "84:2"), ("max_nonturbo_ratio", "33"), ("caps/event_trace", "1")):
            trees.write(f"{driver}/{name}", text)
        with open("/sys/devices/system/cpu/online", encoding="ascii") as f:
            trees.write("intel/sys/devices/system/cpu/online", f.read().strip())
        trial = subprocess.run([sonde, "record", "-C", "0", "-e", "dummy", "-o", "data", "true"], capture_output=True,
                               text=True, check=False)
        if trial.returncode:
            print(f"skipped: nothing can be recorded here: {trial.stderr}")
            sys.exit(SKIP)
        test_full_trace()
        test_snapshot()
        test_compressed()
        test_filter()
        test_samples()
        test_refused()
        os.chdir("/")
    if not readers:
        print("without perf: only sonde has read the files")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_fake_intel_pt.py LIBRARY: hardware traces of a fake of Intel PT: attrs, areas, snapshots, filters, the file

See fake_aux.py.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import fake_aux  # noqa: E402
import trees  # noqa: E402
from fake_aux import attr_of, check_file, expect, fail, info, parts, readers, sonde  # noqa: E402

AREA = 128 << 10
TRACE = 1000004  # bytes of each CPU: no multiple of 8, and more than the area holds


def record(*options, **more):
    return fake_aux.record(*options, tree="intel", trace=TRACE, **more)


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


def test_dry_run():
    attr = fake_aux.planned("intel", "-m", f",{AREA}B", "-e", "cpu-clock:u", "-e", "intel_pt/cyc=1/u")
    expect("planned attr", [attr.get(name) for name in ("type", "config", "{ sample_period, sample_freq }",
                                                       "aux_watermark", "freq")],
           ["9", "0x2403", "1", str(AREA // 4), None])


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
        fake_aux.start()
        driver = "intel/sys/bus/event_source/devices/intel_pt"
        for name, text in (("tsc_art_ratio", "84:2"), ("max_nonturbo_ratio", "33"), ("caps/event_trace", "1")):
            trees.write(f"{driver}/{name}", text)
        test_full_trace()
        test_dry_run()
        test_snapshot()
        test_compressed()
        test_filter()
        test_samples()
        test_refused()
        os.chdir("/")
    if not readers:
        print("without perf: only sonde has read the files")


main()

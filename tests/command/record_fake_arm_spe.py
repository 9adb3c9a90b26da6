#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_fake_arm_spe.py LIBRARY: hardware traces of a fake of Arm SPE: attrs, areas, AUXTRACE_INFO, packets

See fake_aux.py. perf shows the packets of the trace.
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
from fake_aux import attr_of, check_file, expect, info, parts, readers, sonde  # noqa: E402

AREA = 64 << 10
TRACE = 256 << 10  # bytes of each CPU
DRIVER = "arm/sys/bus/event_source/devices/arm_spe_0"
MAGIC = 0x1010101010101010
# One record in 32 bytes: address of the instruction (EL0), load, event: retired, latency of 20 cycles, time stamp
RECORD = (b"\xb0" + struct.pack("=Q", 0x401234) + b"\x49\x00" + b"\x52\x02\x00" + b"\x98\x14\x00" + b"\x71" +
          struct.pack("=Q", 1000)).ljust(32, b"\0")
CPUS = os.cpu_count() or 1
ONLINE = os.sysconf("SC_NPROCESSORS_ONLN")
NO_SAMPLES = 0x10087  # IP, TID, TIME, CPU, IDENTIFIER: those of each event
DATA_SRC, PHYS_ADDR = 1 << 15, 1 << 19


def record(*options, **more):
    return fake_aux.record("-m", f",{AREA}B", *options, tree="arm", trace=TRACE, pattern=RECORD.hex(), **more)


def write_midrs(values):
    for cpu, midr in enumerate(values):
        trees.write(f"arm/sys/devices/system/cpu/cpu{cpu}/regs/identification/midr_el1", hex(midr))


def test_attr():
    # disabled, inherit, enable_on_exec, watermark, sample_id_all
    flags = 1 | 1 << 1 | 1 << 12 | 1 << 14 | 1 << 18
    for options, event, more, wanted in (
            ([], "arm_spe_0//u", {}, {"config": 1, "period": 4096, "flags": flags | 1 << 5 | 1 << 6}),
            ([], "arm_spe_0//", {"caps/min_interval": "1024"}, {"config": 1, "period": 1024}),
            (["-c", "5000"], "arm_spe_0//", {}, {"period": 5000}),
            (["-F", "99"], "arm_spe_0//", {}, {"period": 1024}),
            ([], "arm_spe_0/period=8192/", {}, {"period": 8192}),
            ([], "arm_spe_0/ts_enable=0/", {}, {"config": 0}),
            ([], "arm_spe_0/pa_enable=1,load_filter=1,min_latency=20,event_filter=2/", {},
             {"config": 0x200000003, "config1": 2, "config2": 20,
              "sample_type": NO_SAMPLES | DATA_SRC | PHYS_ADDR}),
    ):
        for name, text in more.items():
            trees.write(f"{DRIVER}/{name}", text)
        attr = attr_of(record(*options, "-e", event))
        wanted = {"type": 9, "config1": 0, "config2": 0, "aux_watermark": 0, "flags": flags,
                  "sample_type": NO_SAMPLES | DATA_SRC} | {"config": attr["config"]} | wanted
        for name, value in wanted.items():
            expect(f"{' '.join(options)} {event}: {name}", attr[name], value)


def test_full_trace():
    wait = "until [ $(grep -c ^all log) -ge $(grep -c ^open log) ]; do sleep 0.05; done"
    log = record("-e", "cpu-clock:u", "-e", "arm_spe_0//", command=("sh", "-c", wait))
    rings, _ = parts()
    expect("rings", len(rings), len([words for words in log if words[0] == "open"]))
    for ring, found in rings.items():
        expect(f"trace of ring {ring}", b"".join(part for _, part in found) == RECORD * (TRACE // len(RECORD)), True)
    words = info()
    expect("AUXTRACE_INFO: type, version, words of the header, PMU, CPUs", words[:5], [4, 2, 4, 9, ONLINE])
    for cpu in range(ONLINE):
        # CPUs beyond those of the PMU have no type and no capabilities
        its = [9, 1024, 6] if cpu == 0 else [2 ** 64 - 1, 0, 0]
        expect(f"CPU {cpu}", words[5 + 7 * cpu:12 + 7 * cpu], [MAGIC, cpu, 4, 0x410fd0c1 + cpu, *its])
    side = subprocess.run([sonde, "evlist", "-v", "data"], capture_output=True, text=True, check=True).stdout
    if not re.match(r"arm_spe_0//: .*\ncpu-clock:u: .*\ndummy:u: .*context_switch: 1", side):
        fake_aux.fail(f"the events are others: {side}")
    # the decoder of SPE is in every perf
    check_file(readers, trace="PC 0x401234 el0 ns=0")


def test_snapshot():
    record("-Se", "-C", "0", "-e", "arm_spe_0//")
    expect("trace", parts()[0], {0: [(0, RECORD * (AREA // len(RECORD)))]})
    expect("CPUs", info()[4], 1)
    check_file(readers)


def test_threads():
    # perf wants to know the processor of a trace without a CPU
    write_midrs([0x410fd0c1] * CPUS)
    record("--per-thread", "-e", "arm_spe_0//u")
    expect("CPUs of a trace of threads", info()[4], ONLINE)
    check_file(readers)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        fake_aux.start()
        trees.write(f"{DRIVER}/caps/event_filter", "0x6")
        trees.write(f"{DRIVER}/cpumask", "0")
        write_midrs(range(0x410fd0c1, 0x410fd0c1 + CPUS))
        test_attr()
        test_full_trace()
        test_snapshot()
        test_threads()
        os.chdir("/")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_fake_coresight.py LIBRARY: hardware traces of a fake of CoreSight: sink, attr, areas, AUXTRACE_INFO

See fake_aux.py. The newest perf reads the words of AUXTRACE_INFO; that of Linux 6.1 knows an older version of them.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import fake_aux  # noqa: E402
import trees  # noqa: E402
from fake_aux import attr_of, check_file, expect, fail, info, newest, parts, readers, sonde  # noqa: E402

AREA = 64 << 10
FRAMES = bytes(range(16)).hex()
DRIVER = "arm/sys/bus/event_source/devices/cs_etm"
SINK = 0x8c824d25
TIMESTAMP, CONTEXTID, CYCACC = 1 << 28, 1 << 14, 1 << 12
V4 = {"trcidr/trcidr0": 0x28000ea1, "trcidr/trcidr1": 0x4100f403, "trcidr/trcidr2": 0x488,
      "trcidr/trcidr8": 0, "mgmt/trcauthstatus": 0xcc}
V3 = {"mgmt/etmccer": 0x344008f2, "mgmt/etmidr": 0x4114f250}


def record(*options, **more):
    return fake_aux.record("-m", f",{AREA}B", *options, tree="arm", kind=18, trace=256 << 10, pattern=FRAMES, **more)


def write_registers(registers, source=None):
    """All CPUs have these registers, and no others."""
    for cpu in range(os.cpu_count() or 1):
        for name in [*V3, *V4, "mgmt/trcdevarch", "ts_source"]:
            if os.path.exists(f"{DRIVER}/cpu{cpu}/{name}"):
                os.remove(f"{DRIVER}/cpu{cpu}/{name}")
        for name, value in registers.items():
            trees.write(f"{DRIVER}/cpu{cpu}/{name}", hex(value))
        if source is not None:
            trees.write(f"{DRIVER}/cpu{cpu}/ts_source", str(source))


def test_attr():
    for event, wanted in (
            ("cs_etm/@tmc_etr0/u", {"config2": SINK}),
            ("cs_etm//u", {"config2": 0}),
            ("cs_etm/cycacc,@tmc_etr0/u", {"config": TIMESTAMP | CONTEXTID | CYCACC, "config2": SINK}),
            ("cs_etm/timestamp=0,contextid=0/u", {"config": 0, "config2": 0}),
    ):
        attr = attr_of(record("-e", event))
        # IP, TID, TIME, CPU, IDENTIFIER; disabled, inherit, :u, enable_on_exec, watermark, sample_id_all
        for name, value in ({"type": 18, "config": TIMESTAMP | CONTEXTID, "config1": 0, "period": 1,
                             "aux_watermark": 0, "sample_type": 0x10087,
                             "flags": 1 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 12 | 1 << 14 | 1 << 18} | wanted).items():
            expect(f"{event}: {name}", attr[name], value)


def test_info():
    """The blocks of the CPUs, by the kind of their trace units."""
    v4 = list(V4.values())
    configr = 1 << 11 | 1 << 6 | 1 << 4
    for registers, source, magic, wanted in (
            (V4, 1, 0x40, [configr, 0x10, *v4, 1]),
            (V4 | {"mgmt/trcdevarch": 0x47704a13}, None, 0x40, [configr, 0x10, *v4, 2 ** 64 - 1]),
            (V4 | {"mgmt/trcdevarch": 0x47705a13}, 1, 0x50, [configr, 0x10, *v4, 0x47705a13, 1]),
            (V3, None, 0x30, [TIMESTAMP | CONTEXTID | CYCACC, 0x10, *V3.values()]),
    ):
        write_registers(registers, source)
        # without a trace: perf decodes none whose AUX records are missing, which only a kernel writes
        record("-S", "-C", "0", "-e", "cs_etm/cycacc,@tmc_etr0/")
        expect("AUXTRACE_INFO", info(),
               [3, 2, 18 << 32 | 1, 1, magic * 0x0101010101010101, 0, len(wanted), *wanted])
        # perf warns of traces without virtual time stamps, whoever recorded them
        check_file([tool for tool in readers if tool == newest and source],
                   trace=f"{magic * 0x0101010101010101:x}\n")


def test_full_trace():
    write_registers(V4, 1)
    wait = "until [ $(grep -c ^all log) -ge $(grep -c ^open log) ]; do sleep 0.05; done"
    log = record("-e", "cpu-clock:u", "-e", "cs_etm/@tmc_etr0/u", command=("sh", "-c", wait))
    rings, _ = parts()
    expect("rings", len(rings), len([words for words in log if words[0] == "open"]))
    for ring, found in rings.items():
        expect(f"trace of ring {ring}", b"".join(part for _, part in found) == bytes(range(16)) * (16 << 10), True)
    words = info()
    expect("PMU and CPUs", words[2], 18 << 32 | len(rings))
    # CPU and trace id
    expect("CPUs", [(words[at + 1], words[at + 4]) for at in range(4, len(words), 11)],
           [(cpu, 0x10 + 2 * cpu) for cpu in sorted(rings)])
    side = subprocess.run([sonde, "evlist", "-v", "data"], capture_output=True, text=True, check=True).stdout
    if not side.startswith("cs_etm/@tmc_etr0/u: ") or "context_switch: 1" not in side.splitlines()[-1]:
        fail(f"the events are others: {side}")
    check_file([])


def test_refused():
    for options, why in ((["-e", "cs_etm/@nowhere/"], "there is no sink 'nowhere'"),
                         (["-k", "mono", "-e", "cs_etm//"], "goes with no other clock")):
        said = record(*options, status=1)
        if why not in said:
            fail(f"{options}: {said}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        fake_aux.start()
        write_registers(V4, 1)
        test_attr()
        test_info()
        test_full_trace()
        test_refused()
        os.chdir("/")


main()

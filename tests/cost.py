#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost.py WORKER [ROW...]: twice the input takes at most 2.5 times the instructions, for every count in a file that an
attacker chooses

Each row of KINDS makes files whose one count is n. A command is run over files of n and of 2n of them, and of none,
whose instructions are what it takes anyhow; valgrind counts, so the result does not depend on the machine. All rows
run unless some are named.
"""
import concurrent.futures
import contextlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs
import perf_data as pd
import trace_dat

SONDE = os.environ["SONDE"]
MOST = 2.5
# Below so many instructions above those of an empty file nothing is told: less than a tenth of a second.
LITTLE = 10_000_000
# malloc's overwriting would be counted, too.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
COUNTER = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
WORKERS = os.cpu_count()
SECTIONS = ("info", "check", "convert --rebuild")
READ = ("script", "report", "check")
SHOWN = READ + ("dump --samples",)
ALL = READ + ("info --count", "convert --rebuild", "repair", "cut --cpu 0")


def unhash(h):
    """The key that hash_u64() of src/base/hash.h makes h of."""
    mask = (1 << 64) - 1
    h ^= h >> 33
    h = h * 0x9cb4b2f8129337db & mask
    h ^= h >> 33
    h = h * 0x4f74430c22a54005 & mask
    return h ^ h >> 33


def perf(records=(), **how):
    def make(path):
        with open(path, "wb") as f:
            f.write(pd.make(b"".join(records), **how))
    return make


def records(make, n):
    return perf([make(i) for i in range(n)])


def with_arrays(sample_type, array, count):
    """Samples that have n elements of an array together, as many in each as fit."""
    def make(n):
        return perf([pd.sample(0x1000, more=array(min(count, n - i))) for i in range(0, n, count)],
                    sample_type=sample_type)
    return make


def build_id(i):
    name = f"/lib/{i}".encode().ljust(64, b"\0")
    return struct.pack("<IHHi", 0, 2, 36 + len(name), -1) + i.to_bytes(20, "little") + bytes(4) + name


def event_desc(n):
    return struct.pack("<II", n, pd.ATTR_BYTES) + b"".join(
        pd.attr() + struct.pack("<I", 1) + pd.feature_text(f"e{i}") + struct.pack("<Q", i + 1) for i in range(n))


def long_name(n):
    """Samples of an event with a short name beside one whose name is as long as the samples are many."""
    names = b"".join(pd.attr() + struct.pack("<I", 1) + pd.feature_text(name) + struct.pack("<Q", event)
                     for event, name in ((pd.EVENT_ID, "short"), (pd.EVENT_ID + 1, "long" * n)))
    return perf([pd.sample(0x1000, 2000 + i, event=pd.EVENT_ID + i % 2) for i in range(n)],
                ids=[[pd.EVENT_ID], [pd.EVENT_ID + 1]],
                features={pd.EVENT_DESC: struct.pack("<II", 2, pd.ATTR_BYTES) + names})


def jitdump(code, name=b"made", entries=b"", count=0):
    """A sample at each 16th byte of a function that a process has made, with entries of its record of lines."""
    start = 0x7f0000001000

    def make(path):
        folder = path + ".d"
        os.makedirs(folder, exist_ok=True)
        dump = os.path.join(folder, "jit-50.dump")
        lines = struct.pack("<IIQ", 2, 32 + len(entries), 1) + struct.pack("<QQ", start, count) + entries
        load = struct.pack("<IIQQQQ", 50, 50, start, start, len(code), 1) + name + b"\0" + code
        with open(dump, "wb") as f:
            f.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 50, 1, 0) + (lines if count else b"") +
                    struct.pack("<IIQ", 0, 16 + len(load), 1) + load)
        perf([pd.comm("jit"), pd.mmap(start - 0x1000, 0x1000, dump)] +
             [pd.sample(start + i, 2000 + i) for i in range(0, len(code), 16)])(path)
    return make


def line_entries(n):
    """Of a function of 4 kB; the same file in all."""
    return b"".join(struct.pack("<QII", 0x7f0000001000 + i * 4096 // n, i, 0) + (b"\xff\0" if i else b"made.js\0")
                    for i in range(n))


def long_jumps(n):
    """Jumps to a function whose name is as long as they are many."""
    return jitdump(b"\xe9\xfb\xff\xff\xff" * n, b"n" * n)


def topology(n):
    return {pd.NRCPUS: struct.pack("<II", n, n),
            pd.CPU_TOPOLOGY: pd.feature_texts(["0"]) * 2 + struct.pack(f"<{2 * n}I", *range(2 * n))}


def numbered_formats(n):
    return [fake_tracefs.SWITCH.replace("ID: 7\n", f"ID: {1000 + i}\n").replace("sched_switch", f"event{i}")
            for i in range(n)]


def dat(formats=1, pages=1, cpus=1, names=1, symbols=0, printk=0, systems=1, events=10, unknown=False,
        name="sched_switch"):
    def make(path):
        page = [fake_tracefs.page(1000 + 1000 * i,
                                  [(1000 + 1000 * i + k, fake_tracefs.switch(1 + k, "a", 2, "b"))
                                   for k in range(events)])
                for i in range(pages)]
        known = [] if unknown else [fake_tracefs.SWITCH.replace("sched_switch", name)]
        groups = {"sched": known + numbered_formats(formats - 1)}
        groups.update({f"system{i}": [] for i in range(systems - 1)})
        trace_dat.write(path, [], groups, [trace_dat.area(page)] * cpus,
                        kallsyms="".join(f"{0xffffffff81000000 + 16 * i:x} T f{i}\n" for i in range(symbols)),
                        printk="".join(f'0x{0xffffffff82000000 + 16 * i:x} : "text {i}"\n' for i in range(printk)),
                        names="".join(f"{i} task{i}\n" for i in range(1, names + 1)))
    return make


def u32(*words):
    return struct.pack(f"<{len(words)}I", *words)


def u64(*words):
    return struct.pack(f"<{len(words)}Q", *words)


def feature(number, entry, head=u32):
    """A feature that begins with a count of its entries."""
    return lambda n: perf(features={number: head(n) + b"".join(map(entry, range(n)))})


def text(i):
    return pd.feature_text(f"a{i}")


def long_format(fields="", more=""):
    """A format with more fields and more that it prints."""
    head, _, tail = fake_tracefs.SWITCH.partition("\nprint fmt: ")
    return head + fields + "\nprint fmt: " + tail.rstrip("\n") + more + "\n"


def field(i):
    return f"\tfield:int more{i};\toffset:60;\tsize:4;\tsigned:1;\n"


def flags(n):
    return ', __print_flags(REC->prev_state, "|", ' + ", ".join(f'{{ {1 << i % 60}, "F{i}" }}' for i in range(n)) + ")"


def entries(kind, entry, head, most):
    """Records of a kind that have n entries together, as many in each as fit; head: what is before so many."""
    def make(n):
        return perf([pd.record(kind, 0, head(min(most, n - i)) + b"".join(map(entry, range(i, min(n, i + most)))))
                     for i in range(0, n, most)])
    return make


def compressed(n):
    def make(path):
        records(lambda i: pd.sample(0x1000 + i, 2000 + i), n)(path + ".plain")
        subprocess.run([SONDE, "convert", "-z", path + ".plain", path], check=True, capture_output=True)
        os.unlink(path + ".plain")
    return make


def stream(records):
    def make(path):
        with open(path, "wb") as f:
            f.write(pd.make_stream(b"".join(records)))
    return make


def chain_of_a_group(n):
    """A record with n counts that have grown, each of which is a sample, and a callchain of n addresses."""
    counts = u64(n) + b"".join(u64(1, 1 + i) for i in range(n))
    return perf([pd.sample(0x1000, more=counts + u64(n, *range(0x1000, 0x1000 + n)), event=1)],
                sample_type=1 << 4 | pd.CALLCHAIN, read_format=12, ids=[range(1, n + 1)])


def deferred(n):
    """Samples that wait for their user callchains, which come last and in the opposite order."""
    chain = u64(2, 0x1000)
    waiting = [pd.sample(0x1000, 2000 + i, more=chain[:8] + u64((1 << 64) - 640, i + 1)) for i in range(n)]
    came = [pd.record(22, pd.USER, u64(i + 1, 1, 0x2000) + pd.trailer(10**6 + n - i)) for i in reversed(range(n))]
    return perf(waiting + came, sample_type=pd.CALLCHAIN)


def dat_of(systems=None, others=b""):
    """A trace.dat with one page of events."""
    def make(path):
        page = fake_tracefs.page(1000, [(1000 + i, fake_tracefs.switch(1, "a", 2, "b")) for i in range(10)])
        trace_dat.write(path, [], systems or {"sched": [fake_tracefs.SWITCH]}, [trace_dat.area([page])], others=others)
    return make


def packed_dat(n):
    """n pages of one CPU, in compressed chunks."""
    def make(path):
        dat(pages=n, events=2)(path + ".plain")
        subprocess.run([SONDE, "convert", "-z", path + ".plain", path], check=True, capture_output=True)
        os.unlink(path + ".plain")
    return make


def version6(make):
    """The same trace.dat in version 6."""
    def make6(path):
        make(path + ".v7")
        subprocess.run([SONDE, "convert", "--to", "v6", path + ".v7", path], check=True, capture_output=True)
        os.unlink(path + ".v7")
    return make6


def in_bytes(kind, head, most=60000):
    """Records of a kind that have n bytes together; head: what is before so many."""
    def make(n):
        return perf([pd.record(kind, 0, head(k) + bytes(k)) for k in [min(most, n - i) // 8 * 8
                                                                      for i in range(0, n, most)]])
    return make


def time_shift(samples):
    """The differences of a guest's clock: of each CPU so many."""
    return trace_dat.option(12, u64(7) + u32(1, len(samples)) + b"".join(
        u32(k) + u64(*range(1000, 1000 + k)) + u64(*[5] * k) + u64(*[1] * k) for k in samples) + b"".join(
        u64(*[0] * k) for k in samples))


def maps_of(pid, lines):
    return trace_dat.option(10, f"{pid:x} {lines:x} /bin/prog\n".encode() + b"".join(
        b"%x %x /lib/%d\n" % (4096 * i, 4096 * i + 4096, i) for i in range(lines)) + b"\0")


# name: how many, the file of n, commands
KINDS = {
    "attrs": (1000, lambda n: perf(ids=[[i + 1] for i in range(n)]), ALL),
    "attrs_with_samples": (1000, lambda n: perf([pd.sample(0x1000, 2000 + i, event=i + 1) for i in range(n)],
                                                ids=[[i + 1] for i in range(n)]), READ),
    "attrs_without_ids": (1000, lambda n: perf(ids=[[]] * n), ALL),
    "attrs_that_share_ids": (400, lambda n: perf(ids=[[]] * n, shared=range(5, n + 5)), ALL),
    "ids": (10000, lambda n: perf(ids=[range(1, n + 1)]), ALL),
    "ids_chosen_to_collide": (10000, lambda n: perf(ids=[[unhash(i << 32) for i in range(1, n + 1)]]), ALL),
    "event_desc": (1000, lambda n: perf(ids=[[i + 1] for i in range(n)], features={pd.EVENT_DESC: event_desc(n)}),
                   SECTIONS),
    "event_name_and_samples": (4000, long_name, READ + ("dump", "export --to folded", "export --to html",
                                                        "export --to json")),
    "build_ids": (2500, lambda n: perf(features={pd.BUILD_ID: b"".join(map(build_id, range(n)))}), SECTIONS),
    "cmdline": (4000, lambda n: perf(features={pd.CMDLINE: pd.feature_texts(["word"] * n)}), SECTIONS),
    "cpu_topology": (10000, lambda n: perf(features=topology(n)), SECTIONS + ("convert --endian big",)),
    "pmus": (3000, lambda n: perf(features={pd.PMU_MAPPINGS: struct.pack("<I", n) + b"".join(
        struct.pack("<I", i) + pd.feature_text(f"p{i}") for i in range(n))}), SECTIONS),
    "groups": (3000, lambda n: perf(features={pd.GROUP_DESC: struct.pack("<I", n) + b"".join(
        pd.feature_text("g") + struct.pack("<II", 0, 0xffffffff) for i in range(n))}), SECTIONS),
    "samples": (5000, lambda n: records(lambda i: pd.sample(0x1000 + i, 2000 + i), n), ALL),
    "samples_backwards": (5000, lambda n: records(lambda i: pd.sample(0x1000, 10**9 - i), n), ALL),
    "threads": (5000, lambda n: records(lambda i: pd.sample(0x1000, 2000 + i, i + 1), n), ALL),
    "comms": (5000, lambda n: records(lambda i: pd.comm(f"name{i}", 50, 1000 + i), n), ALL),
    "forks": (5000, lambda n: records(lambda i: pd.fork(51 + i, 50 + i, 1000 + i), n), ALL),
    "mmaps": (5000, lambda n: records(lambda i: pd.mmap(0x1000 * (i + 1), 0x1000, f"/x/{i}", 50, 1000 + i), n), ALL),
    "mmaps_nested": (5000, lambda n: records(lambda i: pd.mmap(0x1000 * (i + 1), 0x2000 * (n - i), "/x", 50, 1000 + i),
                                             n), ALL),
    "binaries": (3000, lambda n: records(lambda i: pd.mmap2(0x1000 * i, 0x1000, f"/x/{i}", bytes([20, 0, 0, 0]) +
                                                            i.to_bytes(20, "big"),
                                                           pd.USER | 1 << 14, 50, 1000 + i), n), ALL),
    "callchain": (60000, with_arrays(pd.CALLCHAIN, lambda k: struct.pack(f"<{k + 1}Q", k, *range(0x1000, 0x1000 + k)),
                                     8000),
                  READ + ("report -g", "export --to folded")),
    "branches": (20000, with_arrays(pd.BRANCH_STACK, lambda k: struct.pack("<Q", k) + bytes(24 * k), 2500), READ),
    "unknown_ids": (5000, lambda n: records(lambda i: pd.sample(0x1000, event=100 + i), n), ALL),
    "no_records": (60000, lambda n: perf([b"\1" * n]), ALL),
    "records_of_8_bytes": (10000, lambda n: perf([pd.record(pd.FINISHED_ROUND, 0, b"")] * n), ALL),
    # ---- features whose entries are counted ----
    "numa_nodes": (3000, feature(14, lambda i: u32(i) + u64(9, 9) + text(i)), SECTIONS),
    "auxtrace_index": (10000, feature(18, lambda i: u64(104 + 48 * i, 48), u64), SECTIONS),
    "caches": (2000, lambda n: perf(features={20: u32(1, n) + b"".join(
        u32(1, 64, 64, 8) + text(i) * 3 for i in range(n))}), SECTIONS),
    "memory_nodes": (5000, lambda n: perf(features={22: u64(1, 1 << 27, n) + b"".join(
        u64(i, 64, 64, i) for i in range(n))}), SECTIONS),
    "memory_blocks": (10000, lambda n: perf(features={22: u64(1, 1 << 27, 1, 0, 64 * n, 64 * n) + bytes(8 * n)}),
                      SECTIONS),
    "bpf_programs": (3000, feature(25, lambda i: u32(104, 8) + u64(0) + u32(1, i) + bytes(96 + 8)), SECTIONS),
    "bpf_types": (8000, feature(26, lambda i: u32(i, 8) + bytes(8)), SECTIONS),
    "cpu_pmu_caps": (3000, feature(28, lambda i: text(i) * 2), SECTIONS),
    "hybrid_pmus": (3000, feature(30, lambda i: text(i) * 2), SECTIONS),
    "pmu_caps": (2000, feature(31, lambda i: u32(1) + text(i) * 3), SECTIONS),
    "caps_of_a_pmu": (3000, lambda n: perf(features={31: u32(1, n) + b"".join(text(i) * 2 for i in range(n)) +
                                                     text(0)}), SECTIONS),
    "cpu_domains": (1500, lambda n: perf(features={pd.NRCPUS: u32(n, n), 32: u32(17, 1) + b"".join(
        u32(i, 1, 0) + text(i) * 3 for i in range(n))}), SECTIONS),
    "event_desc_ids": (20000, lambda n: perf(features={pd.EVENT_DESC: u32(1, pd.ATTR_BYTES) + pd.attr() + u32(n) +
                                                       text(0) + u64(*range(1, n + 1))}), SECTIONS),
    "tracing_formats": (300, lambda n: perf(features={1: pd.tracing_data(numbered_formats(n))}), SECTIONS +
                        ("info --count",)),
    "tracing_systems": (8000, lambda n: perf(features={1: pd.tracing_data([], n)}), SECTIONS),
    # ---- records whose entries are counted ----
    "namespaces": (20000, entries(16, lambda i: u64(4, i), lambda k: u32(50, 50) + u64(k), 3000), READ),
    "id_index": (20000, entries(69, lambda i: u64(i, i, 0, 50), u64, 2000), READ),
    "thread_map": (20000, entries(73, lambda i: u64(i) + b"name".ljust(16, b"\0"), u64, 2000), READ),
    "stat_config": (20000, entries(75, lambda i: u64(i, i), u64, 4000), READ),
    "cpu_map": (60000, entries(74, lambda i: struct.pack("<H", i % 4096), lambda k: struct.pack("<HH", 0, k), 16000),
                READ),
    "bpf_metadata": (2000, entries(84, lambda i: bytes(64 + 256), lambda k: b"prog".ljust(16, b"\0") + u64(k), 200),
                     READ),
    "values_of_a_group": (10000, lambda n: perf([pd.sample(0x1000, more=u64(k) + b"".join(u64(1, 5) for _ in range(k)))
                                                 for k in [min(2000, n - i) for i in range(0, n, 2000)]],
                                                sample_type=1 << 4, read_format=12), READ),
    "values_and_callchain_of_a_group": (1200, chain_of_a_group, READ + ("report -g", "export --to folded",
                                                                        "export --to csv", "export --to json-lines")),
    "deferred_callchains": (3000, deferred, READ),
    # ---- records ----
    "lost": (5000, lambda n: records(lambda i: pd.record(2, 0, u64(5, 1) + pd.trailer(1000 + i)), n), READ),
    "throttled": (5000, lambda n: records(lambda i: pd.record(5, 0, u64(1000 + i, 5, 5) + pd.trailer(1000 + i)), n),
                  READ),
    "kernel_symbols": (5000, lambda n: records(lambda i: pd.record(17, 0, u64(0xffffffffa0000000 + 64 * i) +
                                                                   u32(64, 1) +
                                                                   pd.text(f"f{i}") + pd.trailer(1000 + i)), n), READ),
    "cgroups": (5000, lambda n: records(lambda i: pd.record(19, 0, u64(i) + pd.text(f"/a/{i}") + pd.trailer(1000 + i)),
                                        n),
                READ),
    "switches": (8000, lambda n: records(lambda i: pd.record(14, 0, pd.trailer(1000 + i)), n), READ),
    "exits": (5000, lambda n: records(lambda i: pd.record(4, 0, u32(51 + i, 1, 51 + i, 1) + u64(1000 + i) +
                                                          pd.trailer(1000 + i)), n), READ),
    "compressed": (6000, compressed, READ),
    "stream_attrs": (1000, lambda n: stream(pd.record(64, 0, pd.attr() + u64(100 + i)) for i in range(n)), READ),
    "stream_updates": (3000, lambda n: stream(pd.record(78, 0, u64(1, 5) + pd.text(f"u{i}")) for i in range(n)), READ),
    "stream_features": (1500, lambda n: stream(pd.record(80, 0, u64(pd.HOSTNAME) + text(i)) for i in range(n)), READ),
    "stream_build_ids": (3000, lambda n: stream(pd.record(67, pd.USER, struct.pack("<i", -1) +
                                                          i.to_bytes(20, "little") +
                                                          bytes(4) + pd.text(f"/lib/{i}")) for i in range(n)), READ),
    # ---- bytes and entries of samples and of records ----
    "raw": (400000, with_arrays(pd.RAW, lambda k: u32(k - 4) + bytes(k - 4) if k > 8 else u32(4, 0), 60000),
            SHOWN),
    "user_stack": (400000, with_arrays(1 << 13, lambda k: u64(k // 8 * 8) + bytes(k // 8 * 8) + u64(8), 60000),
                   SHOWN),
    "aux_of_samples": (400000, with_arrays(1 << 20, lambda k: u64(k // 8 * 8) + bytes(k // 8 * 8), 60000), SHOWN),
    "auxtrace_errors": (5000, lambda n: records(lambda i: pd.record(71, 0, u32(1, 5, 0, 50, 50, 1) + u64(i, 1000 + i) +
                                                                    pd.text(f"instruction trace error {i}")), n), READ),
    "auxtrace": (5000, lambda n: records(lambda i: pd.record(70, 0, u64(16, 16 * i, 1) + u32(0, 50, 0, 0)) + bytes(16),
                                         n), READ),
    "aux": (8000, lambda n: records(lambda i: pd.record(11, 0, u64(16 * i, 16, 0) + pd.trailer(1000 + i)), n), READ),
    "starts": (8000, lambda n: records(lambda i: pd.record(12, 0, u32(50, 50) + pd.trailer(1000 + i)), n), READ),
    "lost_samples": (5000, lambda n: records(lambda i: pd.record(13, 0, u64(1) + pd.trailer(1000 + i)), n), READ),
    "reads": (5000, lambda n: records(lambda i: pd.record(8, 0, u32(50, 50) + u64(i) + pd.trailer(1000 + i)), n), READ),
    "bpf_events": (5000, lambda n: records(lambda i: pd.record(18, 0, struct.pack("<HHI", 1, 0, i) +
                                                               i.to_bytes(8, "little") + pd.trailer(1000 + i)), n),
                   READ),
    "text_pokes": (5000, lambda n: records(lambda i: pd.record(20, 0, u64(0xffffffff81000000 + 8 * i) +
                                                               struct.pack("<HH", 2, 2) + bytes(4) +
                                                               pd.trailer(1000 + i)), n), READ),
    "stats": (5000, lambda n: records(lambda i: pd.record(76, 0, u64(5) + u32(0, i % 64) + u64(i, 1, 1)), n), READ),
    "cpu_mask": (400000, in_bytes(74, lambda k: struct.pack("<HHHxx", 1, k // 8, 8)), SHOWN),
    "file_name": (400000, lambda n: perf([pd.mmap(0x1000 * (i + 1), 0x1000, "/" + "x" * min(60000, n - i))
                                          for i in range(0, n, 60000)]), ALL),
    "jit_lines": (20000, lambda n: jitdump(b"\x90" * 4096, b"made", line_entries(n), n),
                  ("annotate", "script -F +srcline", "report --sort srcline")),
    "jit_name_and_jumps": (8000, long_jumps, ("annotate", "report")),
    # ---- trace.dat ----
    "dat_procmaps": (8000, lambda n: dat_of(others=maps_of(1, n)), READ),
    "dat_procmaps_of_tasks": (3000, lambda n: dat_of(others=b"".join(maps_of(i, 1) for i in range(n))), READ),
    "dat_time_shift": (8000, lambda n: dat_of(others=time_shift([n])), READ),
    "dat_time_shift_cpus": (8000, lambda n: dat_of(others=time_shift([1] * n)), READ),
    "dat_last_boot": (8000, lambda n: dat_of(others=trace_dat.option(24, b"boot:" + b"".join(
        b"%x text%d\n" % (4096 * i, i) for i in range(n)) + b"\0")), READ),
    "dat_symbolic": (1000, lambda n: dat_of({"sched": [long_format("", flags(n).replace(
        '__print_flags(REC->prev_state, "|", ', "__print_symbolic(REC->prev_state, "))]}), READ),
    "dat_nested": (1000, lambda n: dat_of({"sched": [long_format("", ", " + "(" * n + "REC->prev_pid" + ")" * n)]}),
                   READ),
    "dat_terms": (1000, lambda n: dat_of({"sched": [long_format("", ", REC->prev_pid" + " + 1" * n)]}), READ),
    "dat_literal": (100000, lambda n: dat_of({"sched": [long_format("", ', "' + "x" * n + '"')]}), READ),
    "v6_formats": (300, lambda n: version6(dat(formats=n)), READ),
    "v6_systems": (3000, lambda n: version6(dat(systems=n)), READ),
    "v6_pages": (100, lambda n: version6(dat(pages=n)), READ + ("cut --cpu 1", "repair", "convert --to v7")),
    "v6_cpus": (200, lambda n: version6(dat(cpus=n)), READ + ("cut --cpu 0", "repair", "convert --to v7")),
    "v6_names": (6000, lambda n: version6(dat(names=n)), READ + ("convert --to v7",)),
    "v6_symbols": (10000, lambda n: version6(dat(symbols=n)), READ + ("convert --to v7",)),
    "v6_printk": (8000, lambda n: version6(dat(printk=n)), READ),
    "v6_options": (10000, lambda n: version6(dat_of(others=trace_dat.option(6, b"hook\0") * n)), READ),
    "dat_formats": (300, lambda n: dat(formats=n), READ),
    "dat_systems": (8000, lambda n: dat(systems=n), READ),
    "dat_event_name_and_pages": (300, lambda n: dat(pages=n, name="long" * 10 * n), ("script", "dump")),
    "dat_pages": (100, lambda n: dat(pages=n), READ + ("cut --cpu 1", "repair")),
    "dat_cpus": (200, lambda n: dat(cpus=n), READ + ("cut --cpu 0", "repair")),
    "dat_names": (6000, lambda n: dat(names=n), READ + ("cut --cpu 0", "repair")),
    "dat_symbols": (10000, lambda n: dat(symbols=n), READ),
    "dat_printk": (8000, lambda n: dat(printk=n), READ),
    "dat_options": (10000, lambda n: dat_of(others=trace_dat.option(6, b"hook\0") * n), READ),
    "dat_options_unknown": (10000, lambda n: dat_of(others=trace_dat.option(99, b"what") * n), READ),
    "dat_buffers": (1000, lambda n: dat_of(others=b"".join(trace_dat.option(3, u64(0) + f"b{i}".encode() +
                                                                            b"\0local\0" +
                                                                            u32(4096, 0)) for i in range(n))), READ),
    "dat_cpu_stats": (3000, lambda n: dat_of(others=b"".join(trace_dat.option(2, f"CPU: {i}\noverrun: 1\n\0".encode())
                                                             for i in range(n))), READ),
    "dat_guest_cpus": (10000, lambda n: dat_of(others=trace_dat.option(13, b"guest\0" + u64(7) + u32(n) + b"".join(
        u32(i, i) for i in range(n)))), READ),
    "dat_chunks": (200, packed_dat, READ),
    "dat_fields": (1000, lambda n: dat_of({"sched": [long_format("".join(map(field, range(n))))]}), READ),
    "dat_printed": (1000, lambda n: dat_of({"sched": [long_format("", ", REC->prev_pid" * n)]}), READ),
    "dat_flags": (1000, lambda n: dat_of({"sched": [long_format("", flags(n))]}), READ),
    "dat_unknown_events": (100, lambda n: dat(formats=1, pages=n, unknown=True), READ),
}


class Worker:
    """cost_worker below valgrind, whose start takes longer than most of the commands."""

    def __init__(self, program, tmp):
        self.logs = tempfile.mkdtemp(dir=tmp)
        with open(os.path.join(self.logs, "messages"), "wb") as messages:
            # valgrind writes a log for the worker and for each of its forks
            self.process = subprocess.Popen([*COUNTER, f"--log-file={self.logs}/%p", program], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=messages, env=ENVIRONMENT)

    def instructions(self, argv):
        words = b"".join(word.encode() + b"\0" for word in argv)
        self.process.stdin.write(struct.pack("=I", len(words)) + words)
        self.process.stdin.flush()
        answer = self.process.stdout.read(8)
        if len(answer) != 8:
            raise RuntimeError(f"{' '.join(argv)}: {self.process.args} has ended")
        pid, status = struct.unpack("=ii", answer)
        log = os.path.join(self.logs, str(pid))
        with open(log, encoding="utf-8", errors="replace") as f:
            found = re.search(r"I +refs: +([0-9,]+)", f.read())
        os.unlink(log)
        if not found or not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in (0, 1):
            with open(os.path.join(self.logs, "messages"), encoding="utf-8", errors="replace") as f:
                raise RuntimeError(f"{' '.join(argv)}: wait status {status}, or valgrind counts nothing: "
                                   f"{f.read()[-300:]}")
        return int(found[1].replace(",", ""))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def command_line(command, path):
    """The words to run, and the file that they write."""
    name, *rest = command.split()
    if name == "check":
        return ["sonde", name, path], None
    if name in ("convert", "repair", "cut"):
        return ["sonde", name, *rest, path, path + ".out"], path + ".out"
    if name == "export":
        return ["sonde", name, *rest, "-i", path, "-o", path + ".out"], path + ".out"
    return ["sonde", name, *rest, "-i", path], None


worker_of = threading.local()


def instructions(command, path):
    argv, made = command_line(command, path)
    count = worker_of.thread.instructions(argv)
    if made and os.path.exists(made):
        os.unlink(made)
    return count


def least(tmp, pool):
    """What a command takes anyhow: (command, whether it is of trace.dat) -> instructions for a file with one of all."""
    jobs = {}
    for is_dat, make in (False, records(lambda i: pd.sample(0x1000), 1)), (True, dat()):
        for command in {c for name, (_, _, commands) in KINDS.items() for c in commands
                        if name.startswith(("dat_", "v6_")) == is_dat}:
            path = os.path.join(tmp, f"least.{len(jobs)}")
            make(path)
            jobs[command, is_dat] = pool.submit(instructions, command, path)
    return {key: job.result() for key, job in jobs.items()}


def measure(name, tmp, base):
    n, make, commands = KINDS[name]
    paths = [os.path.join(tmp, f"{name}.{i}") for i in (n, 2 * n)]
    for path, count in zip(paths, (n, 2 * n)):
        make(count)(path)
    for command in commands:
        anyhow = base[command, name.startswith(("dat_", "v6_"))]
        twice = instructions(command, paths[1]) - anyhow
        # so little is told of in no case
        once = instructions(command, paths[0]) - anyhow if twice > LITTLE else None
        yield command, once, twice
    for path in paths:
        os.unlink(path)


def main():
    if not shutil.which("valgrind"):
        print("SKIP: no valgrind")
        return 77
    names = sys.argv[2:] or list(KINDS)
    bad = 0
    with contextlib.ExitStack() as stack:
        tmp = stack.enter_context(tempfile.TemporaryDirectory())
        workers = [Worker(sys.argv[1], tmp) for _ in range(WORKERS)]
        for worker in workers:
            stack.callback(worker.end)
        idle = iter(workers)
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(
            WORKERS, initializer=lambda: setattr(worker_of, "thread", next(idle))))
        base = least(tmp, pool)
        jobs = {pool.submit(lambda name=name: list(measure(name, tmp, base))): name for name in names}
        for job in concurrent.futures.as_completed(jobs):
            name = jobs[job]
            for command, once, twice in job.result():
                wrong = once is not None and twice > MOST * once
                bad += wrong
                if wrong or os.environ.get("SONDE_VERBOSE"):
                    ratio = "" if once is None else f", of half as many {once / 1e6:.1f} M: {twice / max(once, 1):.2f}x"
                    print(f"{'FAILED' if wrong else 'ok'}: {name}: {command}: {twice / 1e6:.1f} M instructions{ratio}",
                          flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost.py: twice the input takes at most 2.5 times the instructions, for every count in a file that an attacker chooses

Each row of KINDS makes files whose one count is n. A command is run over files of n and of 2n of them, and of none, whose instructions are
what it takes anyhow; valgrind counts, so the result does not depend on the machine. Arguments: rows to run, else all.
"""
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs
import perf_data as pd
import trace_dat

SONDE = os.environ["SONDE"]
MOST = 2.5
# Below so many instructions above those of an empty file nothing is told: less than a tenth of a second.
LITTLE = 10_000_000
SECTIONS = ("info", "check", "convert --rebuild")
READ = ("info --count", "script", "report", "check")
ALL = READ + ("convert --rebuild", "repair", "cut --cpu 0")


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
        return perf([pd.sample(0x1000, more=array(min(count, n - i))) for i in range(0, n, count)], sample_type=sample_type)
    return make


def build_id(i):
    name = f"/lib/{i}".encode().ljust(64, b"\0")
    return struct.pack("<IHHi", 0, 2, 36 + len(name), -1) + i.to_bytes(20, "little") + bytes(4) + name


def event_desc(n):
    return struct.pack("<II", n, pd.ATTR_BYTES) + b"".join(
        pd.attr() + struct.pack("<I", 1) + pd.feature_text(f"e{i}") + struct.pack("<Q", i + 1) for i in range(n))


def topology(n):
    return {pd.NRCPUS: struct.pack("<II", n, n),
            pd.CPU_TOPOLOGY: pd.feature_texts(["0"]) * 2 + struct.pack(f"<{2 * n}I", *range(2 * n))}


def dat(formats=1, pages=1, cpus=1, names=1, symbols=0, printk=0, systems=1, events=10):
    def make(path):
        fmt = [fake_tracefs.SWITCH] + [fake_tracefs.SWITCH.replace("ID: 7\n", f"ID: {1000 + i}\n").replace("sched_switch", f"event{i}")
                                       for i in range(formats - 1)]
        page = [fake_tracefs.page(1000 + 1000 * i, [(1000 + 1000 * i + k, fake_tracefs.switch(1 + k, "a", 2, "b")) for k in range(events)])
                for i in range(pages)]
        groups = {"sched": fmt}
        for i in range(systems - 1):
            groups[f"system{i}"] = []
        trace_dat.write(path, [], groups, [trace_dat.area(page)] * cpus,
                        kallsyms="".join(f"{0xffffffff81000000 + 16 * i:x} T f{i}\n" for i in range(symbols)),
                        printk="".join(f'0x{0xffffffff82000000 + 16 * i:x} : "text {i}"\n' for i in range(printk)),
                        names="".join(f"{i} task{i}\n" for i in range(1, names + 1)))
    return make


# name: how many, the file of n, commands
KINDS = {
    "attrs": (1000, lambda n: perf(ids=[[i + 1] for i in range(n)]), ALL),
    "attrs_without_ids": (1000, lambda n: perf(ids=[[]] * n), ALL),
    "attrs_that_share_ids": (400, lambda n: perf(ids=[[]] * n, shared=range(5, n + 5)), ALL),
    "ids": (10000, lambda n: perf(ids=[range(1, n + 1)]), ALL),
    "ids_chosen_to_collide": (10000, lambda n: perf(ids=[[unhash(i << 32) for i in range(1, n + 1)]]), ALL),
    "event_desc": (1000, lambda n: perf(ids=[[i + 1] for i in range(n)], features={pd.EVENT_DESC: event_desc(n)}), SECTIONS),
    "build_ids": (4000, lambda n: perf(features={pd.BUILD_ID: b"".join(map(build_id, range(n)))}), SECTIONS),
    "cmdline": (8000, lambda n: perf(features={pd.CMDLINE: pd.feature_texts(["word"] * n)}), SECTIONS),
    "cpu_topology": (10000, lambda n: perf(features=topology(n)), SECTIONS + ("convert --endian big",)),
    "pmus": (4000, lambda n: perf(features={pd.PMU_MAPPINGS: struct.pack("<I", n) + b"".join(
        struct.pack("<I", i) + pd.feature_text(f"p{i}") for i in range(n))}), SECTIONS),
    "groups": (4000, lambda n: perf(features={pd.GROUP_DESC: struct.pack("<I", n) + b"".join(
        pd.feature_text("g") + struct.pack("<II", 0, 0xffffffff) for i in range(n))}), SECTIONS),
    "samples": (8000, lambda n: records(lambda i: pd.sample(0x1000 + i, 2000 + i), n), ALL),
    "samples_backwards": (8000, lambda n: records(lambda i: pd.sample(0x1000, 10**9 - i), n), ALL),
    "threads": (5000, lambda n: records(lambda i: pd.sample(0x1000, 2000 + i, i + 1), n), ALL),
    "comms": (5000, lambda n: records(lambda i: pd.comm(f"name{i}", 50, 1000 + i), n), ALL),
    "forks": (5000, lambda n: records(lambda i: pd.fork(51 + i, 50 + i, 1000 + i), n), ALL),
    "mmaps": (5000, lambda n: records(lambda i: pd.mmap(0x1000 * (i + 1), 0x1000, f"/x/{i}", 50, 1000 + i), n), ALL),
    "mmaps_nested": (5000, lambda n: records(lambda i: pd.mmap(0x1000 * (i + 1), 0x2000 * (n - i), "/x", 50, 1000 + i), n), ALL),
    "binaries": (3000, lambda n: records(lambda i: pd.mmap2(0x1000 * i, 0x1000, f"/x/{i}", bytes([20, 0, 0, 0]) + i.to_bytes(20, "big"),
                                                           pd.USER | 1 << 14, 50, 1000 + i), n), ALL),
    "callchain": (60000, with_arrays(pd.CALLCHAIN, lambda k: struct.pack(f"<{k + 1}Q", k, *range(0x1000, 0x1000 + k)), 8000),
                  READ + ("report -g", "export --to folded")),
    "branches": (20000, with_arrays(pd.BRANCH_STACK, lambda k: struct.pack("<Q", k) + bytes(24 * k), 2500), READ),
    "unknown_ids": (8000, lambda n: records(lambda i: pd.sample(0x1000, event=100 + i), n), ALL),
    "no_records": (150000, lambda n: perf([b"\1" * n]), ALL),
    "records_of_8_bytes": (20000, lambda n: perf([pd.record(pd.FINISHED_ROUND, 0, b"")] * n), ALL),
    "dat_formats": (300, lambda n: dat(formats=n), READ),
    "dat_systems": (8000, lambda n: dat(systems=n), READ),
    "dat_pages": (100, lambda n: dat(pages=n), READ + ("cut --cpu 1", "repair")),
    "dat_cpus": (200, lambda n: dat(cpus=n), READ + ("cut --cpu 0", "repair")),
    "dat_names": (10000, lambda n: dat(names=n), READ + ("cut --cpu 0", "repair")),
    "dat_symbols": (10000, lambda n: dat(symbols=n), READ),
    "dat_printk": (8000, lambda n: dat(printk=n), READ),
}


def command_line(command, path):
    """The words to run, and the file that they write."""
    name, *rest = command.split()
    if name == "check":
        return [SONDE, name, path], None
    if name in ("convert", "repair", "cut"):
        return [SONDE, name, *rest, path, path + ".out"], path + ".out"
    if name == "export":
        return [SONDE, name, *rest, "-i", path, "-o", path + ".out"], path + ".out"
    return [SONDE, name, *rest, "-i", path], None


def instructions(command, path):
    argv, made = command_line(command, path)
    p = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=600, check=False)
    if made and os.path.exists(made):
        os.unlink(made)
    found = re.search(r"Collected : (\d+)", p.stderr)
    if not found or p.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(argv)}: status {p.returncode}, or valgrind counts nothing: {p.stderr[-300:]}")
    return int(found[1])


def measure(name, tmp):
    n, make, commands = KINDS[name]
    counts = (1, n, 2 * n)
    paths = [os.path.join(tmp, f"{name}.{i}") for i in counts]
    for path, count in zip(paths, counts):
        make(count)(path)
    for command in commands:
        base, once, twice = (instructions(command, p) for p in paths)
        yield command, once - base, twice - base
    for path in paths:
        os.unlink(path)


def main():
    if not shutil.which("valgrind"):
        print("SKIP: no valgrind")
        return 77
    names = sys.argv[1:] or list(KINDS)
    bad = 0
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(lambda name=name: list(measure(name, tmp))): name for name in names}
        for job in concurrent.futures.as_completed(jobs):
            name = jobs[job]
            for command, once, twice in job.result():
                wrong = twice > LITTLE and twice > MOST * once
                bad += wrong
                if wrong or os.environ.get("SONDE_VERBOSE"):
                    print(f"{'FAILED' if wrong else 'ok'}: {name}: {command}: {once / 1e6:.1f} M instructions, of twice as many "
                          f"{twice / 1e6:.1f} M: {twice / max(once, 1):.2f}x", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

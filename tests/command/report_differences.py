#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_differences.py: each sentence of docs/report-differences.md, against perf 6.1 and 7.2 where they are there

A bullet of the document is one sentence, and each has a row here. A row has a recording, options, the text that sonde
prints and the text that perf prints: each prints its own, and neither prints that of the other.
"""
import collections
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import each_byte
import perf_data as pd
import shipped_data

SONDE = os.environ["SONDE"]
DOCUMENT = os.path.join(os.environ["SONDE_SOURCE"], "docs", "report-differences.md")
NEWEST = os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or os.path.join(os.environ.get(
    "SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus")), "../tools/newest-perf")
VERSIONS = ("6.1", "7.2")
SKIP = 77

CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
ADDR = 8
EXEC, BUILD_ID_IN_MMAP = 1 << 13, 1 << 14
BRANCH_STACK_FEATURE, CPU_PMU_CAPS, COUNTERS = 15, 28, 1 << 19
TEXT = 0xffffffff81000000
KALLSYMS = "".join(f"{TEXT + at:x} T {name}\n" for at, name in (
    (0, "_text"), (0, "_stext"), (0x1000, "do_one"), (0x2000, "do_two"), (0x3000, "_etext"), (0x7000, "late")))
# tests/data/workload: where it is mapped, functions in it, its build id, and the header of its table of symbols
BASE, OTHER_BASE = 0x550000000000, 0x560000000000
CODE = 0x1000
FREE_PLT, START, MAIN, HASH_BLOCK, FIBONACCI, COMPUTE = 0x1034, 0x11a0, 0x1120, 0x1298, 0x13a8, 0x16d0
DO_HASHING, DO_MATRICES, DO_SORTING = 0x14d8, 0x1568, 0x1638
WORKLOAD_ID = bytes.fromhex("be15993af1399a47972ac6fec0784d4d560a9437")
ID_AT, SYMTAB_HEADER, HEADER_BYTES = 0x368, 28, 64
OTHER_ID = bytes(range(20))
INLINED = """
volatile int x;
static inline __attribute__((always_inline)) void within(void) { for (int i = 0; i < x; i++) x += i; }
__attribute__((noinline)) void around(void) { x++; within(); x++; }
int main(void) { around(); return x; }
"""

FRAMES = ("-fno-asynchronous-unwind-tables",)
REFERENCES = """
struct pair { int a, b; };
extern "C" __attribute__((noinline)) int touch(const pair &from, pair &to) { return to.a = from.b; }
int main() { pair x{1, 2}, y{}; return touch(x, y); }
"""


def chain(*ips):
    return struct.pack(f"<{len(ips) + 1}Q", len(ips), *ips)


def stack(*ips, **more):
    """A sample with its callers, none in the kernel."""
    return pd.sample(ips[0], more=chain(CONTEXT_USER, *ips), **more)


def prog():
    return pd.comm("prog") + pd.mmap(0x10000, 0x100000, "/none/prog")


def kernel(size=0x3000, text=TEXT):
    body = struct.pack("<iIQQQ", -1, 0, text, size, text) + pd.text("[kernel.kallsyms]_text")
    return pd.record(pd.MMAP, pd.KERNEL, body + pd.trailer(0, 0))


def binary(path, build_id=WORKLOAD_ID, pid=50, base=BASE):
    """The code of an ELF file, mapped at its own offset."""
    body = struct.pack("<iIQQQ", pid, pid, base + CODE, 0x1000, CODE) + bytes((20, 0, 0, 0)) + build_id
    body += struct.pack("<II", 5, 2) + pd.text(path) + pd.trailer(1000, pid)
    return pd.record(pd.MMAP2, pd.USER | BUILD_ID_IN_MMAP, body)


def each(samples, addresses):
    """Samples of these addresses, one after the other."""
    return b"".join(samples(a, time=2000 + i) for i, a in enumerate(addresses))


def called(function, callers):
    return b"".join(stack(function, caller, time=2000 + i) for i, caller in enumerate(callers))


def group(_):
    return shipped_data.unpack("groups.data")


def two_in_group(_):
    described = struct.pack("<I", 1) + pd.feature_text("{anon_group}") + struct.pack("<II", 0, 2)
    features = {pd.GROUP_DESC: described, pd.HOSTNAME: pd.feature_text("here")}
    return pd.make(prog() + pd.sample(0x10010) + pd.sample(0x10010, 2001, event=8), features,
                   ids=([pd.EVENT_ID], [8]))


def branch(source, target, flags=2):
    return struct.pack("<3Q", source, target, flags)


def one_of_two(_):
    return pd.make(prog() + pd.sample(0x10010), ids=([pd.EVENT_ID], [8]))


def jumps(*own):
    """The branch stack of a sample: newest first."""
    return struct.pack("<Q", len(own)) + b"".join(own)


FEATURES = {BRANCH_STACK_FEATURE: b"", pd.HOSTNAME: pd.feature_text("here")}


def branches(_):
    stack_of_two = jumps(branch(0x10100, 0x10200, 2 | 7 << 4), branch(0x10300, 0x900000, 1 | 3 << 4))
    long_name = pd.comm("prog") + pd.mmap(0x10000, 0x100000, "/none/a-program-with-a-long-name")
    return pd.make(long_name + pd.sample(0x10010, more=stack_of_two), FEATURES, pd.BRANCH_STACK)


def blocks(tmp, ids=([pd.EVENT_ID],)):
    """Two blocks, of 100 and of 10 cycles, in a function that is met on three ways, and in another one."""
    data = pd.comm("prog") + binary(put_workload(tmp))
    entries = [(COMPUTE + 0x20, COMPUTE, 100), (COMPUTE + 0x18, COMPUTE + 8, 0), (FIBONACCI + 8, COMPUTE, 10),
               (MAIN + 8, FIBONACCI, 0)]
    for i, own in enumerate(ids):
        data += pd.sample(BASE + COMPUTE, 2000 + i, more=jumps(*(branch(BASE + f, BASE + t, 2 | c << 4)
                                                                 for f, t, c in entries)), event=own[0])
    return pd.make(data, FEATURES, pd.BRANCH_STACK, branch_type=8, ids=ids)


def blocks_with_counters(tmp):
    """Two blocks with one event of the first of two counters of four bits."""
    own = [branch(BASE + COMPUTE + f, BASE + COMPUTE + t, 2 | 10 << 4) for f, t in ((0x20, 0), (0x18, 8))]
    data = pd.comm("prog") + binary(put_workload(tmp))
    data += pd.sample(BASE + COMPUTE, more=jumps(*own) + struct.pack("<2Q", 1, 1))
    caps = (("branch_counter_nr", "2"), ("branch_counter_width", "4"))
    features = {**FEATURES, pd.NRCPUS: struct.pack("<II", 4, 4), CPU_PMU_CAPS: struct.pack("<I", len(caps)) + b"".join(
        pd.feature_text(text) for cap in caps for text in cap)}
    return pd.make(data, features, pd.BRANCH_STACK, branch_type=8 | COUNTERS)


def blocks_of_two_events(tmp):
    return blocks(tmp, ([pd.EVENT_ID], [8]))


def covered(tmp):
    """Blocks of fibonacci of 3, 2, 2 and 3 instructions; None for a sonde that counts none."""
    if "was built without" in run(SONDE, "report", "-i", put_workload(tmp), "--sort", "type").stderr:
        return None
    f = BASE + FIBONACCI - 8
    own = ((0x20, 0, 12), (0x2b, 0x1a, 7), (0x4d, 0x25, 5), (3, 0x48, 9), (0x20, 0, 4))
    data = pd.comm("prog") + binary(put_workload(tmp))
    data += pd.sample(f, more=jumps(*(branch(f + at, f + to, 2 | cycles << 4) for at, to, cycles in own)))
    return pd.make(data, FEATURES, pd.BRANCH_STACK, branch_type=8)


def called_branch(chain_of_sample):
    """A branch from compute to fibonacci, which is of the kind CALL."""
    call = jumps(branch(BASE + COMPUTE + 0x28, BASE + FIBONACCI, 2 | 5 << 4 | 4 << 20))
    return pd.sample(BASE + FIBONACCI + 0x10, 2000, more=chain_of_sample + call)


def history(folder):
    callers = BASE + FIBONACCI + 0x10, BASE + COMPUTE + 0x2d, BASE + MAIN + 0x20, BASE + START + 9
    data = pd.comm("prog") + binary(put_workload(folder)) + called_branch(chain(CONTEXT_USER, *callers))
    return pd.make(data, FEATURES, pd.CALLCHAIN | pd.BRANCH_STACK, branch_type=8)


def latency_of_branches(_):
    """One branch in each of two samples, with periods of 1 and 3."""
    data = prog() + b"".join(pd.sample(0x10010, 2000 + period, more=struct.pack("<Q", period) +
                                       jumps(branch(0x10100, 0x10200 + period))) for period in (1, 3))
    return pd.make(data + pd.switch(50, 2100), {**FEATURES, pd.NRCPUS: struct.pack("<II", 4, 4)},
                   pd.PERIOD | pd.BRANCH_STACK, flags=pd.CONTEXT_SWITCH)


def jumps_only(folder):
    data = pd.comm("prog") + binary(put_workload(folder)) + called_branch(b"")
    return pd.make(data, FEATURES, pd.BRANCH_STACK, branch_type=8)


def branches_with_kinds(*samples):
    """A sample of each (pid, kinds of its branches); a row has the branches of one sample with the same ends."""
    data = pd.comm("prog") + pd.comm("other", 51) + pd.mmap(0x10000, 0x100000, "/none/prog")
    data += pd.mmap(0x10000, 0x100000, "/none/prog", pid=51)
    for i, (pid, kinds) in enumerate(samples):
        own = (branch(0x10100, 0x10200, 2 | kind << 20 | new << 26) for kind, new in kinds)
        data += pd.sample(0x10010, 2000 + i, pid, jumps(*own))
    return pd.make(data, FEATURES, pd.BRANCH_STACK, branch_type=8 | 1 << 16)


CALL, RET, FAULT_ALGN = (4, 0), (6, 0), (15, 0)


def kinds_of_one_row(_):
    return branches_with_kinds((50, (CALL, RET)))


def newer_kinds(_):
    return branches_with_kinds((50, (CALL,)), (51, (FAULT_ALGN,)))


def kinds_of_two_tasks(_):
    return branches_with_kinds((50, (CALL,)), (51, (RET,)))


def kernel_branch(_):
    one = jumps(branch(TEXT + 0x1010, TEXT + 0x2000))
    return pd.make(kernel() + pd.comm("prog") + pd.sample(TEXT + 0x1004, more=one, misc=pd.KERNEL), FEATURES,
                   pd.BRANCH_STACK)


def user_branch_of_kernel(_):
    one = jumps(branch(0x10100, 0x10200))
    return pd.make(kernel() + prog() + pd.sample(TEXT + 0x1004, more=one, misc=pd.KERNEL), FEATURES, pd.BRANCH_STACK)


WEIGHT, DATA_SRC = 1 << 24, 1 << 15
L1_HIT = 2 | (2 | 8) << 5 | 1 << 33


def memory(_):
    """Two instructions that load from one address of a mapping at an offset of its file."""
    body = struct.pack("<iIQQQ", 50, 50, 0x40000, 0x1000, 0x5000) + pd.text("/none/data") + pd.trailer(1000)
    data = kernel() + prog() + pd.record(pd.MMAP, pd.USER | 1 << 13, body)
    for i, at in enumerate((TEXT + 0x1004, TEXT + 0x2004)):
        body = struct.pack("<QQIIQQ", pd.EVENT_ID, at, 50, 50, 2000 + i, TEXT + 0x2800)
        data += pd.record(pd.SAMPLE, pd.KERNEL, body + struct.pack("<QQ", 20 + i, L1_HIT))
    body = struct.pack("<QQIIQQ", pd.EVENT_ID, 0x10010, 50, 50, 2005, 0x40048)
    data += pd.record(pd.SAMPLE, pd.USER, body + struct.pack("<QQ", 3 | 4 << 32 | 5 << 48, L1_HIT))
    return pd.make(data, sample_type=ADDR | WEIGHT | DATA_SRC)


def stream(_):
    return pd.make_stream(prog() + pd.sample(0x10010))


def tracepoints_and_others(_):
    return shipped_data.unpack("tracepoints.data")


def of_corpus(name):
    """A recording of the corpus; None without it."""
    def recording(_):
        path = os.path.join(os.environ.get("SONDE_CORPUS", ""), "recorded", name)
        if not os.path.exists(path):
            return None
        with open(path, "rb") as f:
            return f.read()
    return recording


def wide_tracepoint(_):
    return pd.tracepoint(7, [(f"u8 f{i}", 1, False) for i in range(22)], '""', bytes(22))


def losses(_):
    lost = pd.record(2, 0, struct.pack("<QQ", pd.EVENT_ID, 7) + pd.trailer(1500))
    return pd.make(prog() + lost + pd.sample(0x10010))


def off_cpu(_):
    """A sample of an event as `record --off-cpu` makes it."""
    output = pd.attr()[:8] + struct.pack("<Q", 10) + pd.attr()[16:]   # PERF_COUNT_SW_BPF_OUTPUT
    named = struct.pack("<II", 1, pd.ATTR_BYTES) + output + struct.pack("<I", 1) + \
        pd.feature_text("offcpu-time") + struct.pack("<Q", pd.EVENT_ID)
    return pd.make(prog() + pd.sample(0x10010), {pd.EVENT_DESC: named}).replace(pd.attr(), output)


def executed(_):
    """A program that runs another one, and forks."""
    before = pd.comm("before") + pd.mmap(0x10000, 0x10000, "/none/before")
    run = pd.record(pd.COMM, pd.USER | EXEC, struct.pack("<II", 50, 50) + pd.text("after") + pd.trailer(1500))
    body = struct.pack("<iIQQQ", 50, 50, 0x10000, 0x1000, 0) + bytes(24) + struct.pack("<II", 5, 2)
    after = pd.record(pd.MMAP2, pd.USER, body + pd.text("/none/after") + pd.trailer(1600))
    return pd.make(before + run + after + pd.fork(51, 50, 1700) + pd.sample(0x10010))


def other_build_id(tmp):
    data = pd.comm("prog") + binary(put_workload(tmp), OTHER_ID) + pd.sample(BASE + FIBONACCI)
    return pd.make(data + pd.comm("good", 51) + binary(put_workload(tmp), pid=51) +
                   pd.sample(BASE + FIBONACCI, pid=51))


def of_other_kernel(ip, text, size):
    name = pd.text("[kernel.kallsyms]")
    entry = struct.pack("<IHHi", 0, pd.KERNEL | 1 << 15, 36 + len(name), -1) + OTHER_ID + bytes((20, 0, 0, 0)) + name
    features = {pd.BUILD_ID: entry, pd.HOSTNAME: pd.feature_text("here")}
    return pd.make(kernel(size, text) + pd.comm("prog") + pd.sample(ip, misc=pd.KERNEL), features)


def other_kernel(_):
    return of_other_kernel(TEXT + 0x1004, TEXT, 0x3000)


def addresses_of_running_kernel(_):
    """Of another kernel that has a function where this one has vfs_read; None where this one does not show it."""
    with open("/proc/kallsyms", encoding="ascii") as f:
        found = dict(re.findall(r"^(\w+) [Tt] (_stext|_etext|vfs_read)$", f.read(), re.M))
    at = {name: int(address, 16) for address, name in found.items()}
    if len(at) < 3 or not at["_stext"] < at["vfs_read"] < at["_etext"]:
        return None
    return of_other_kernel(at["vfs_read"] + 4, at["_stext"], at["_etext"] - at["_stext"])


def put_workload(tmp):
    return shipped_data.put("workload", os.path.join(tmp, "workload"))


def nameless(tmp):
    """Two processes of a binary that has lost its symbols."""
    elf = bytearray(shipped_data.unpack("workload"))
    headers = struct.unpack_from("<Q", elf, 0x28)[0]
    struct.pack_into("<I", elf, headers + HEADER_BYTES * SYMTAB_HEADER + 4, 0)
    elf[ID_AT:ID_AT + 20] = OTHER_ID
    path = os.path.join(tmp, "stripped")
    with open(path, "wb") as f:
        f.write(elf)
    data = pd.comm("prog") + binary(path, OTHER_ID) + pd.comm("prog", 51) + binary(path, OTHER_ID, 51, OTHER_BASE)
    data += stack(BASE + FIBONACCI, BASE + COMPUTE) + stack(BASE + FIBONACCI + 16, BASE + COMPUTE)
    data += stack(OTHER_BASE + FIBONACCI, OTHER_BASE + COMPUTE, pid=51)
    return pd.make(data, sample_type=pd.CALLCHAIN)


def large_kernel(_):
    data = kernel(0x100000) + pd.comm("prog") + pd.sample(TEXT + 0x1004, misc=pd.KERNEL)
    return pd.make(data + pd.sample(TEXT + 0x50000, misc=pd.KERNEL))


def unknown_callers(_):
    ips = (CONTEXT_KERNEL, TEXT + 0x1004, TEXT + 0x50000, CONTEXT_USER, 0x10010, 0x500000)
    data = kernel() + prog() + pd.sample(ips[1], more=chain(*ips), misc=pd.KERNEL)
    return pd.make(data, sample_type=pd.CALLCHAIN)


def never_returns(_):
    """The last instruction of do_one is a call."""
    ips = (CONTEXT_KERNEL, TEXT + 4, TEXT + 0x2000)
    return pd.make(kernel() + pd.comm("prog") + pd.sample(ips[1], more=chain(*ips), misc=pd.KERNEL),
                   sample_type=pd.CALLCHAIN)


def plt(tmp):
    return pd.make(pd.comm("prog") + binary(put_workload(tmp)) + pd.sample(BASE + FREE_PLT))


def inlined(tmp, source, compiler, function):
    """Every address of a function into which the compiler has put another one; None without a compiler for this."""
    path = os.path.join(tmp, "inlined")
    if not shutil.which(compiler[0]) or not shutil.which("nm"):
        return None
    run(*compiler, "-g", "-O2", "-fPIE", "-pie", "-Wl,--build-id=none", "-o", path, source)
    symbols = re.search(rf"^(\w+) (\w+) T {function}$", run("nm", "-S", path).stdout, re.M)
    if not symbols:
        return None
    start, size = (int(word, 16) for word in symbols.groups())
    body = struct.pack("<iIQQQ", 50, 50, BASE, 0x10000, 0) + bytes(24) + struct.pack("<II", 5, 2) + pd.text(path)
    return pd.comm("prog") + pd.record(pd.MMAP2, pd.USER, body + pd.trailer(1000)), BASE + start, size


def inlined_names(tmp):
    source = os.path.join(os.environ["SONDE_SOURCE"], "tests", "command", "inlined.cc")
    data, start, size = inlined(tmp, source, os.environ.get("CXX", "c++").split(), "leaf") or (None, 0, 0)
    return data and pd.make(data + each(stack, range(start, start + size)), sample_type=pd.CALLCHAIN)


ALIASES = """
int __free_all(void) { return 1; }
int free_all(void) __attribute__((weak, alias("__free_all")));
int cfree_all(void) __attribute__((weak, alias("__free_all")));
int main(void) { return free_all() + cfree_all(); }
"""


def aliases(tmp):
    """Three names of one address."""
    source = os.path.join(tmp, "aliases.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(ALIASES)
    data, start, _ = inlined(tmp, source, os.environ.get("CC", "cc").split(), "__free_all") or (None, 0, 0)
    return data and pd.make(data + stack(start), sample_type=pd.CALLCHAIN)


def one_inlined(tmp):
    """The first byte of a function, which is not of an inlined one."""
    source = os.path.join(tmp, "inlined.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(INLINED)
    data, start, _ = inlined(tmp, source, os.environ.get("CC", "cc").split(), "around") or (None, 0, 0)
    return data and pd.make(data + stack(start), sample_type=pd.CALLCHAIN)


CALLERS = r"""
static volatile unsigned long sink;
__attribute__((noinline)) static void spin(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
static inline __attribute__((always_inline)) void middle(unsigned long n) { spin(n); sink++; }
__attribute__((noinline)) static void outer(unsigned long n) { middle(n); spin(n / 4); sink++; }
int main(void) { outer(30000000); return 0; }
"""


def around_inlined(tmp):
    """Three processes that spend their time below a function with another one inlined."""
    program, path = os.path.join(tmp, "callers"), os.path.join(tmp, "callers.data")
    with open(program + ".c", "w", encoding="ascii") as f:
        f.write(CALLERS)
    made = run(*os.environ.get("CC", "cc").split(), "-O2", "-g", "-o", program, program + ".c")
    made = made.returncode or run(SONDE, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "--call-graph",
                                  "dwarf,4096", "-o", path, "--", "sh", "-c", "; ".join([program] * 3)).returncode
    if made:
        return None
    with open(path, "rb") as f:
        return f.read()


def compile_typed(tmp, options, source):
    """data_types.c, or another source; None without a compiler for this, or a sonde that knows no types."""
    path, text = os.path.join(tmp, "typed"), os.path.join(tmp, "typed.c")
    compiler = os.environ.get("CC", "cc").split()
    if platform.machine() != "x86_64" or not shutil.which(compiler[0]):
        return None
    shutil.copy(os.path.join(os.environ["SONDE_SOURCE"], "tests", "command", "data_types.c"), text)
    if source:
        with open(text, "w", encoding="ascii") as f:
            f.write(source)
    done = run(*compiler, "-g", "-w", *options, "-o", path, text)
    if done.returncode or "was built without" in run(SONDE, "report", "-i", path, "--sort", "type").stderr:
        return None
    return path


def typed(function, *options, source=None):
    """Each byte of a function that touches data."""
    def recording(tmp):
        path = compile_typed(tmp, options, source)
        return path and each_byte.record(path, function + "$")
    return recording


def typed_kernel(tmp):
    return compile_typed(tmp, (), None) and other_kernel(tmp)


def called_typed(tmp):
    """The first byte of a function, called from the middle of main."""
    path = compile_typed(tmp, ("-O0", "-no-pie"), None)
    if not path:
        return None
    found, (offset, addr, _) = each_byte.functions(path)
    at = {name: BASE + start - addr + offset for name, start, _ in found}
    data = pd.comm("prog") + pd.mmap(BASE, 0x10000, path)
    return pd.make(data + stack(at["touch_list"], at["main"] + 0x20), sample_type=pd.CALLCHAIN)


def named(tmp):
    """Callers of fibonacci, and fibonacci as a caller."""
    main, compute, fibonacci, hash_block = (BASE + x for x in (MAIN, COMPUTE, FIBONACCI, HASH_BLOCK))
    data = prog() + binary(put_workload(tmp)) + stack(fibonacci, compute, main) + stack(hash_block, compute, main)
    return pd.make(data + stack(0x10010, fibonacci, main), sample_type=pd.CALLCHAIN)


def two_addresses(_):
    return pd.make(prog() + each(pd.sample, (0x10010, 0x10020)))


def two_events(_):
    return pd.make(prog() + pd.sample(0x10010) + pd.sample(0x10010, 2001, event=8), ids=([pd.EVENT_ID], [8]))


def two_binaries(_):
    return pd.make(prog() + pd.mmap(0x300000, 0x1000, "/none/lib") + each(pd.sample, (0x10010, 0x300010)))


def renamed(_):
    return pd.make(pd.comm("longcommname") + pd.sample(0x10010) + pd.comm("prog", time=2500) + pd.sample(0x10010, 3000))


def hidden_row(_):
    data = prog() + pd.comm("longcommname", 51) + pd.mmap(0x10000, 0x10000, "/none/prog", 51)
    return pd.make(data + each(pd.sample, [0x10010] * 9) + pd.sample(0x10020, pid=51, time=3000))


def long_times(_):
    return pd.make(prog() + b"".join(stack(0x10010 + i, 0x10040, time=1234567890123456 + 10**8 * i) for i in range(2)),
                   sample_type=pd.CALLCHAIN)


def parallel(_):
    """Three functions of a stack while one thread runs, and while two do."""
    period = struct.pack("<Q", 1) + chain(CONTEXT_USER, 0x10010, 0x10020, 0x10030)
    data = prog() + pd.comm("two", 51) + pd.sample(0x10010, 2000, more=period) + pd.switch(51, 2100)
    features = {pd.HOSTNAME: pd.feature_text("here"), pd.NRCPUS: struct.pack("<II", 4, 4)}
    return pd.make(data + pd.sample(0x10010, 2200, more=period), features, pd.PERIOD | pd.CALLCHAIN,
                   flags=pd.CONTEXT_SWITCH)


def data_address(_):
    body = struct.pack("<QQIIQQ", pd.EVENT_ID, 0x10010, 50, 50, 2000, 0x7777)
    data = prog() + pd.record(pd.SAMPLE, pd.USER, body + chain(CONTEXT_USER, 0x10010, 0x10020))
    return pd.make(data, sample_type=ADDR | pd.CALLCHAIN)


def two_threads(_):
    fork = pd.record(pd.FORK, 0, struct.pack("<IIIIQ", 50, 50, 51, 50, 1000) + pd.trailer(1000))
    body = struct.pack("<QQIIQ", pd.EVENT_ID, 0x10010, 50, 51, 2001)
    return pd.make(pd.comm("verylongname123") + fork + pd.sample(0x10010) + pd.record(pd.SAMPLE, pd.USER, body))


def deep(_):
    """A stack of 40 frames, each of which also calls something else."""
    callers = [0x10000 + 16 * i for i in range(40)]
    return pd.make(prog() + b"".join(stack(0x20000 + 16 * i, *reversed(callers[:i + 1])) for i in range(40)),
                   sample_type=pd.CALLCHAIN)


def siblings(tmp):
    callers = (BASE + DO_MATRICES, BASE + DO_SORTING, BASE + DO_HASHING)
    return pd.make(pd.comm("prog") + binary(put_workload(tmp)) + called(BASE + FIBONACCI, callers),
                   sample_type=pd.CALLCHAIN)


def nameless_siblings(_):
    return pd.make(prog() + called(0x10010, (0x10050, 0x10020, 0x10040)), sample_type=pd.CALLCHAIN)


def remainder(_):
    callers = [0x10020] * 5 + [0x10030, 0x10040, 0x10050, 0x10060]
    return pd.make(prog() + called(0x10010, callers), sample_type=pd.CALLCHAIN)


def without(pattern):
    """A report that does not have this before the tip at its end."""
    return rf"(?s)\A(?!(?:(?!\n# \().)*{pattern}).*%  "


Row = collections.namedtuple("Row", "words recording options sonde perf")
# Of a version of perf in place of its text: it prints that of sonde.
AGREES = "agrees"
# words: how the sentence begins; sonde, perf: what the report has (a regular expression; of perf also by version)
# A version of perf that is not in the row is not asked.
ROWS = (
    Row("`--no-group` shows", group, "--no-group --sort comm", r"of event 'cpu-clock'\n", r"of events 'cpu-clock'\n"),
    Row("`Total Lost Samples` counts", losses, "", r"# Total Lost Samples: 7\n", r"# Total Lost Samples: 0\n"),
    Row("`--group` of events", one_of_two, "--group -s comm", r"of event 'cpu-clock'\n",
        {"6.1": r" 100\.00% +0\.00%  prog", "7.2": r"of events 'cpu-clock'\n"}),
    Row("`--group` of a recording", of_corpus("../perf/quipper-perf.data.piped.lost_samples-4.4"), "--group -s comm",
        r"of events 'cycles:pp\w*, instructions", r"of event 'cycles:pp"),
    Row("An event of which", losses, "-c nobody", r"(?s)\A(?!.*# Samples)", r"# Samples: 1 "),
    Row("The sum of `offcpu-time`", off_cpu, "", r"approx\.\): 1 ns = 0\.000 ms off the CPU\n", r"approx\.\): 1\n"),
    Row("No hint stands", losses, "", r"\A#\n# Total Lost", r"\A# To display the perf\.data header"),
    Row("No tip stands", losses, "", r"0x0{14}10 *\n+\Z", r"# \((Tip: |Cannot load tips)"),
    Row("`-v` adds nothing", losses, "-v", r"prog +prog +\[\.\] 0x0{14}10 *\n",
        r"prog +/none/prog +0x10 +! \[\.\] 0x0{14}10"),
    Row("`--mmaps` leaves out", executed, "--mmaps", r"-1 \| ?after\n.*/none/after\n +51 ", r"/none/before"),
    Row("`--mmaps` marks private", executed, "--mmaps", r"r-xp 0{8} 0 /none/after",
        {"6.1": AGREES, "7.2": r"r-xs 0{8} 0 /none/after"}),
    Row("`--tasks` has", executed, "--tasks", r"-1 \| after\n.*50 \|  after\n",
        {"6.1": r"-1 \|after\n.*50 \| after\n", "7.2": AGREES}),
    Row("Symbols come only from", other_build_id, "",
        r"good +workload +\[\.\] fibonacci\n.*prog +workload +\[\.\] 0x0{12}13a8", AGREES),
    Row("The running kernel", other_kernel, "", r"\[kernel\.kallsyms\] +\[k\] 0xffffffff81001004", {}),
    Row("perf 7.2 takes names", addresses_of_running_kernel, "", r"\[kernel\.kallsyms\] +\[k\] 0x[0-9a-f]{16}",
        {"6.1": AGREES, "7.2": r"\[kernel\.kallsyms\] +\[k\] vfs_read"}),
    Row("Addresses without symbol", nameless, "--no-children -g none",
        r" 100\.00% .*\[\.\] 0x13a0 \(no symbol\)",
        r" 66\.67% .*\[\.\] 0x0{12}13a8 *\n.* 33\.33% .*\[\.\] 0x0{12}13b8"),
    Row("Callers without symbol", nameless, "--children -g none",
        r" 100\.00%     0\.00% .*\[\.\] 0x16c0 \(no symbol\)",
        r"\[\.\] 0x0{4}5500000016d0 *\n(.*\n)*.*\[\.\] 0x0{4}5600000016d0"),
    Row("A caller is the function", never_returns, "--children -g none", r"0\.00% .*\] do_one",
        r"0\.00% .*\] do_two"),
    Row("Kernel addresses after", large_kernel, "", r"\[kernel\.kallsyms\] +\[k\] 0xffffffff81050000",
        r"\[unknown\] +\[k\] 0xffffffff81050000"),
    Row("`[k]` marks", unknown_callers, "--children -g none",
        r"\[\.\] 0x0{10}500000 *\n(.*\n)*.*\[k\] 0xffffffff81050000",
        r"\[\.\] 0xffffffff81050000 *\n(.*\n)*.*\[k\] 0x0{10}500000"),
    Row("Entries of the procedure", plt, "", r"\[\.\] free@plt", {"6.1": r"\[\.\] _init", "7.2": AGREES}),
    Row("An address with several names", aliases, "--no-children -g none",
        r"\[\.\] free_all\n", r"\[\.\] __free_all\n"),
    Row("The innermost of several", inlined_names, "--no-children -g caller,0,srcline",
        r"mix<[^\n]*> inlined\.cc:7 \(inlined\)\n", {"7.2": r"(leaf|middle) inlined\.cc:7\n"}),
    Row("A function has one row", around_inlined, "-g none --children --sort sym",
        r"(?s)\A(?!.*\] outer.*\] outer)", r"\] outer[^ \n]*\n(.*\n)*.*\] outer"),
    Row("`-S` shows rows", named, "-S fibonacci -g none", r"\.\n#\n.*prog +workload *\n+\Z",
        r"prog +workload *\n.*prog +workload *\n.*prog +workload *\n"),
    Row("`-d` shows rows", named, "-d prog -g none", r"\.\n#\n.*prog +\[\.\] 0x0{14}10 *\n(.*\[\.\] 0x.*\n)*(\n|\Z)",
        {"6.1": AGREES, "7.2": r" 0\.00%  prog +\[\.\] fibonacci"}),
    Row("`-d` with keys", two_binaries, "-d prog -s comm -n", r" 100\.00% +2 ",
        {"6.1": AGREES, "7.2": r" 50\.00% +1 "}),
    Row("The line `# dso:`", two_events, "-d prog -s comm,dso", r"# dso: prog\n(.*\n)*# dso: prog\n",
        r"(?s)\A(?!.*dso: prog.*dso: prog).*# dso: prog\n"),
    Row("Columns are as wide", hidden_row, "--percent-limit 50", r"# Overhead  Command  Shared",
        r"# Overhead  Command       Shared"),
    Row("Commands are whole", renamed, "-s comm", r" longcommname *\n", r" longcom *\n"),
    Row("`--sort trace` shows", of_corpus("../perf/perfparser-probe.data.file"), "", r" \(55d1db028560\) *\n",
        r" \(55d1db02856\n"),
    Row("Tracepoints that came", of_corpus("perf6.1-pipe_stdout_raw.data"), "--no-children -g none",
        r"# Overhead +Trace output", r"# Overhead +Command"),
    Row("`-t` leaves", named, "-g none -t,", r"\n66\.67%,33\.33%,prog,workload,\[\.\] fibonacci\n",
        r"\n 66\.67% , 33\.33% ,prog   ,workload     ,\[\.\] fibonacci *\n"),
    Row("`-t` separates", two_in_group, "--sort comm -g none -t,", r"\n100\.00%,100\.00%,prog\n",
        r"\n ?100\.00% +100\.00% *,prog *\n"),
    Row("`-t` takes", named, "-g none -t,;", r"sonde report: -t takes one character", r",;prog   ,;workload"),
    Row("`-w` sets", named, "-g none -w 9,12,5,6", r"# Children      Self  Comma  Shared",
        r"#  Children          Self  Comma  Shared"),
    Row("`--sort time` shows", long_times, "--sort time --no-children -g none", r"1234567\.900000\n",
        r"1234567\.9000\n"),
    Row("`--sort time` with", long_times, "--sort time --children -g none", r" 50\.00%    50\.00%  1234567\.8",
        r" 150\.00%    50\.00%  1234567\.8"),
    Row("`--sort parallelism` with", parallel, "--sort parallelism --children -g none",
        r" 50\.00% +66\.67% +50\.00% .* 1\n", {"7.2": r" 200\.00% +266\.67% +50\.00% .* 1\n"}),
    Row("`--sort srcline` with", one_inlined, "--inline --sort srcline,sym --children -g none",
        r" 100\.00% +100\.00%  inlined\.c:\d", {"7.2": r" 200\.00% +100\.00%  inlined\.c:\d"}),
    Row("The `srcline` of", named, "--sort srcline --children -g none", r" 0\.00%  main\+\d{1,4} *\n",
        {"7.2": r" 0\.00%  main\+\d{10,} *\n"}),
    Row("`--sort symbol_size` has", two_addresses, "--sort symbol_size", r" 100\.00% +unknown", r" 50\.00% +unknown"),
    Row("`--sort dso_size` of", large_kernel, "--sort dso_size,dso", r" 1048576  \[kernel", r" 32768  \[kernel"),
    Row("`--sort addr` is", data_address, "--sort addr,sym --children -g none", r" 0\.00%  0x10010 +\[\.\] 0x0{14}20",
        r" 0\.00%  0x20020 +\[\.\] 0x0{11}10020"),
    Row("`tid` is", two_threads, "--sort tid", r" 50\.00% +50:verylong.*\n.* 50\.00% +51:verylong",
        r"Unknown --sort key: `tid'"),
    Row("`pid` has", two_threads, "--sort pid", r" 50\.00% +50:verylong.*\n.* 50\.00% +51:verylong", AGREES),
    Row("`tgid` shows", two_threads, "--sort tgid", r" 100\.00% +50:verylongname123",
        {"6.1": r"Unknown --sort key: `tgid'", "7.2": r" 100\.00% +50:verylon\n"}),
    Row("`simd` is empty", two_threads, "--sort simd", r"# Overhead +Simd +\n(#.*\n)* +100\.00% +\n", {"7.2": AGREES}),
    Row("A sort by `overhead`", named, "--sort overhead,comm -g none", r"# Children      Self  Command",
        {"6.1": AGREES, "7.2": r"#     Self  Command"}),
    Row("`--hierarchy` has no level", named, "--hierarchy -d prog -s comm,dso --no-children -g none",
        r"# +Overhead  Command *\n", r"# +Overhead  Command / Shared Object\n"),
    Row("`--hierarchy` has names", named, "--hierarchy --sort comm,sym --no-children", r"---fibonacci\n +compute\n",
        {"6.1": AGREES, "7.2": r"---0x5500000013a8\n +0x5500000016d0\n"}),
    Row("`--hierarchy` shows", named, "--hierarchy --sort comm,sym --children -g none",
        r"Children +Self .*\n(.*\n)*.* 66\.67% +33\.33% +\[\.\] fib",
        {"6.1": r"#    Overhead  Command / Symbol", "7.2": r" 0\.00% +0\.00% +\[\.\] main"}),
    Row("`Samples` counts samples", branches, "", r"# Samples: 1 +of", {"6.1": r"# Samples: 2 +of", "7.2": AGREES}),
    Row("Counts of an inherited group", group, "--sort comm", r"# Samples: 56 +of events",
        {"6.1": r"# Samples: 55 +of events", "7.2": AGREES}),
    Row("Names in columns of branches", branches, "", r"a-program-with-a-long-name", r"a-program-with-a-lon "),
    Row("An end of a branch", branches, "--sort symbol_to", r"\[\?\] 0x0{10}900000", {"7.2": r"\[H\] 0x0{10}900000"}),
    Row("`--sort symbol` of branches", branches, "--sort symbol", r"\[\.\] 0x0{13}200",
        {"7.2": r"\[\.\] 0x0{11}10200"}),
    Row("`--sort weight` of branches", branches, "--sort local_weight", r" 50\.00%  3", r" 100\.00%  [37]"),
    Row("`-d` and `-S` choose", branches, "-d a-program-with-a-long-name --sort symbol_to", without("900000"),
        {"7.2": r"900000"}),
    Row("`--showcpuutilization` of", user_branch_of_kernel, "--showcpuutilization -s dso_to",
        r" 100\.00% +0\.00% +100\.00%  prog", r" 100\.00% +100\.00% +0\.00%  prog"),
    Row("`--latency` counts", latency_of_branches, "--latency -s symbol_to",
        r" 50\.00% +50\.00% .*\n.* 50\.00% +50\.00% ",
        {"7.2": r" 75\.00% +50\.00% .*\n.* 25\.00% +50\.00% "}),
    Row("The column `IPC`", kernel_branch, "--sort symbol_from", r"do_one +0\.00 +\[ +0\.0%\] *\n", {"7.2": AGREES}),
    Row("`--total-cycles` has", blocks_of_two_events, "--total-cycles", r"event 'cpu-clock, cpu-clock'\n(.*\n)*.*%",
        {"7.2": r"of event 'cpu-clock'\n(.*\n)*.* of event 'cpu-clock'\n"}),
    Row("Events that branch counters", blocks_with_counters, "--total-cycles", without("Branch Counter"),
        {"7.2": r"  Branch Counter  "}),
    Row("`Avg Cycles%` of", blocks, "--total-cycles", r" 90\.91% .* 90\.91% .*compute",
        {"7.2": r" 90\.91% .* [1-8]\d\.\d+% "}),
    Row("perf 6.1 often ends", blocks, "--total-cycles", r"# Sampled Cycles%", {}),
    Row("`[IPC Coverage]` counts", covered, "--sort symbol_to", r"0\.30 +\[ 35\.7%\]", {"7.2": r"0\.30 +\[ 14\.3%\]"}),
    Row("`Branch Statistics` counts each branch", kinds_of_one_row, "", r" CALL: +50\.0%\n +RET: +50\.0%",
        r" CALL: 100\.0%"),
    Row("Shares of `Branch Statistics`", newer_kinds, "", r"CALL: +50\.0%\nFAULT_ALGN: +50\.0%",
        {"7.2": r"CALL: 100\.0%\n *FAULT_ALGN: 100\.0%"}),
    Row("`Branch Statistics` leaves out", kinds_of_two_tasks, "--comms prog", r" CALL: 100\.0%", r" CALL: +50\.0%"),
    Row("`-q` and `-t` leave out", kinds_of_one_row, ("-q", "-t,"),
        r"(?s)\A(?!.*Branch Statistics).*100\.00%[ ,]+prog",
        r"# Branch Statistics"),
    Row("Rows are the instructions", history, "--branch-history", r"\n# Overhead +Source:Line",
        {"7.2": r"\n# Children +Self +Source:Line"}),
    Row("Callers stand at", history, "--branch-history",
        r"---_start \+9 \(calltrace\)\n +main \+48 \(calltrace\)\n +fibonacci \+8\n +compute \+56 \(cycles:5\)\n",
        {"7.2": r"---fibonacci \+8 \(CALL\)\n +compute \+56 .*\n +_start \+9 \(calltrace\)\n(.*\n){2}"
                r" +fibonacci \+24 \(calltrace\)\n"}),
    Row("`-g branch` shows", jumps_only, "--no-branch-stack --no-children -g branch", r"---fibonacci\n +compute\n",
        r"\A(#.*\n)*\Z"),
    Row("Kinds of branches", jumps_only, "--branch-history", r"---fibonacci \+8\n",
        {"7.2": r"---fibonacci \+8 \([^)]*CALL"}),
    Row("The columns of `--branch-history`", jumps_only, "--branch-history", r"# Overhead .*Predicted  Abort  Cycles",
        {"6.1": r"# Overhead  Source:Line  Symbol +Shared Object  IPC .*\n(.*\n)*.*\?\?:0", "7.2": AGREES}),
    Row("The keys of memory", memory, "--sort mem", r" 100\.00%  L1 hit", r"Invalid --sort key: `mem'"),
    Row("`--mem-mode` is refused", stream, "--mem-mode -s sym", r"the recording has no data sources", r" 100\.00% "),
    Row("`--mem-mode` has a column", memory, "--mem-mode", r"Local Retire Latency", {"6.1": without("Retire")}),
    Row("`mem` names a level", memory, "--mem-mode --sort mem", r"%  L1 hit",
        {"6.1": r"%  L1 or L1 hit", "7.2": AGREES}),
    Row("`symbol_daddr` alone", memory, "--mem-mode --sort symbol_daddr", r" 93\.18%  \[k\] do_two",
        r" 47\.73%  \[k\] do_two"),
    Row("`dcacheline` is", memory, "--mem-mode --sort dcacheline", r"\[\.\] 0x0{11}40040", r"\[\.\] 0x0{12}5040"),
    Row("The field `mem`", memory, "--mem-mode -F overhead,mem", r"%  L1 (or L1 )?hit",
        {"6.1": AGREES, "7.2": r"# Overhead +Other *\n"}),
    Row("The field `snoop`", memory, "--mem-mode -F overhead,snoop", r"%  N/A", {"6.1": AGREES, "7.2": r"% +\d+\.\d%"}),
    Row("`retire_lat` has", memory, "--mem-mode --sort retire_lat", r"  Retire Latency",
        {"7.2": r"  Pipeline Stage Cycle"}),
    Row("Locals are found", typed("touch_list", "-O0"), "--sort type", r"%  node_t\*", {"7.2": without(r"node_t\*")}),
    Row("A stack slot is found", typed("differ_slot", "-O2", *FRAMES), "--sort type", r"%  int +\n",
        {"7.2": without(r"%  int +\n")}),
    Row("Each instruction with", typed("differ_float", "-O2", *FRAMES), "--sort type", r"%  int +\n",
        {"7.2": without(r"%  int +\n")}),
    Row("An integer variable", typed("differ_integer", "-O2", *FRAMES), "--sort type", without("long"),
        {"7.2": r"%  long unsigned int *\n"}),
    Row("Arrays of programs", typed("differ_fixed", "-O2", "-no-pie", "-fno-pie", *FRAMES), "--sort type",
        r"%  int\[\]", {"7.2": without("int")}),
    Row("The guard of", typed("differ_guard", "-O2", *FRAMES), "--sort type", r"\(stack canary\)",
        {"7.2": without("canary")}),
    Row("References of C++", typed("touch", "-O2", "-x", "c++", *FRAMES, source=REFERENCES), "--sort type",
        r"%  struct pair", {"7.2": r"%  \(unknown type\)"}),
    Row("Kernel and modules are", typed_kernel, "--sort type", r"%  \(unknown\)", {}),
    Row("`typecln` counts", typed("touch_nested", "-O2", *FRAMES), "--sort typecln", r"%  struct node: cache-line 1",
        {}),
    Row("`symoff` and the types", called_typed, "--sort symoff --children -g none",
        r" 100\.00% +0\.00% +\[\.\] main\+0x0 *\n", {"7.2": without(r"main\+0x0 *\n")}),
    Row("Events of a group stand", tracepoints_and_others, "--group --sort parent_pid",
        r"of event 'sched:sched_process_fork'\n(#.*\n)*.*%", r"# Total Lost Samples: 0\n#\n#\n# \("),
    Row("A part of an event's name", tracepoints_and_others, "--sort process.pid", r"# Overhead +pid",
        r"Unknown --sort key: `process\.pid'"),
    Row("An array", of_corpus("perf7.2-trace.data"), "--sort args/raw", r"ARRAY\[.*\] *\n",
        {"7.2": r"ARRAY\[[^\]]*\n"}),
    Row("A number without", of_corpus("perf6.1-syscalls_all.data"), "--sort dfd/raw", r"% +4294967196\n",
        {"6.1": AGREES, "7.2": r"% +0xffffff9c\n"}),
    Row("A number behind", of_corpus("perf6.1-syscalls_all.data"), "--sort dfd", r"% +4294967196\n",
        without("4294967196")),
    Row("A field beyond", wide_tracepoint, "--sort trace_fields", r" f19 *\n", {}),
    Row("Trees keep", deep, "-g caller,0.0001 --no-children --percent-limit 0 --sort comm",
        r"\n {15}(\| {10}){32} --2\.50%--", r"\n {26}(\| {10}){31} --2\.50%--"),
    Row("Siblings with equal weight", siblings, "--no-children --sort comm",
        r"--do_hashing\n[ |]*\n.*--do_matrices\n[ |]*\n.*--do_sorting\n",
        r"--do_sorting\n[ |]*\n.*--do_matrices\n[ |]*\n.*--do_hashing\n"),
    Row("Siblings of one binary", nameless_siblings, "--no-children --sort comm",
        r"--0x50\n[ |]*\n.*--0x40\n[ |]*\n.*--0x20\n", r"--0x10050\n[ |]*\n.*--0x10040\n[ |]*\n.*--0x10020\n"),
    Row("`[...]` stands alone", remainder, "--no-children -g fractal,20,caller --sort comm",
        r"--44\.44%--\[\.\.\.\]\n", {}),      # what perf prints is chance
    Row("`--ignore-callees` drops", named, "--ignore-callees compute --children -g none",
        r" 33\.33% +0\.00% .*fibonacci", r" 66\.67% +0\.00% .*fibonacci"),
    Row("`--socket-filter` takes", of_corpus("../perf/quipper-perf.data.weight_struct"), "--socket-filter 0,1 -s cpu",
        r" 35\.71% +028 *\n", r"option `socket-filter' expects a numerical value"),
    Row("`--switch-off` alone", of_corpus("perf6.1-sched.data"), "--switch-off sched:sched_waking -s comm",
        r"# Samples: 1 +of event 'sched:sched_stat_runtime'", r"# Samples: 70 +of event 'sched:sched_stat_runtime'"),
)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600, check=False,
                          stdin=subprocess.DEVNULL)


def installed():
    """The versions of perf that the document is about, those that are there."""
    found = {}
    for tool in (shutil.which("perf"), NEWEST):
        version = run(tool, "--version").stdout if tool and os.access(tool, os.X_OK) else ""
        found.update({name: tool for name in VERSIONS if begins(version, "perf version " + name)})
    return found


def bullets():
    """The sentences of the document; each begins a line with -."""
    with open(DOCUMENT, encoding="utf-8") as f:
        return [" ".join(text.split()) for text in re.findall(r"^- (.*(?:\n  .*)*)", f.read(), re.M)]


def begins(sentence, words):
    return re.match(re.escape(words) + r"(?!\w)", sentence)


def check_document(bad):
    sentences = bullets()
    for sentence in sentences:
        n = sum(bool(begins(sentence, row.words)) for row in ROWS)
        if n != 1:
            bad.append(f"the document says {sentence!r}: {n} rows")
        if re.search(r"\. [A-Z`]", sentence) or not sentence.endswith("."):
            bad.append(f"the document says {sentence!r}: not one sentence")
    bad.extend(f"row {row.words!r}: the document does not say so" for row in ROWS
               if not any(begins(sentence, row.words) for sentence in sentences))


def report(tool, words):
    """What a report shows, or why there is none."""
    r = run(tool, "report", "--stdio", *words)
    return r.stdout if r.stdout.strip() else r.stderr


def check_report(row, words, perfs, bad):
    """How many reports of perf were looked at."""
    mine = report(SONDE, words)
    if not re.search(row.sonde, mine):
        bad.append(f"{row.words}: sonde has no {row.sonde!r}:\n{mine}")
    expected = row.perf if isinstance(row.perf, dict) else dict.fromkeys(VERSIONS, row.perf)
    for version in perfs.keys() & expected.keys():
        theirs = report(perfs[version], words)
        agrees = expected[version] == AGREES
        pattern = row.sonde if agrees else expected[version]
        if not re.search(pattern, theirs):
            bad.append(f"{row.words}: perf {version} has no {pattern!r}:\n{theirs}")
        if not agrees and (re.search(row.sonde, theirs) or re.search(pattern, mine)):
            bad.append(f"{row.words}: sonde and perf {version} do not differ:\n{mine}\n{theirs}")
    return len(perfs.keys() & expected.keys())


def check_row(row, tmp, perfs, bad):
    path, kallsyms = os.path.join(tmp, "made.data"), os.path.join(tmp, "kallsyms")
    recording = row.recording(tmp)
    if not recording:
        print(f"not tested here: {row.words}: the recording cannot be made")
        return 0
    with open(path, "wb") as f:
        f.write(recording)
    compared = 0
    for options in row.options if isinstance(row.options, tuple) else (row.options,):
        words = ["-i", path, *options.split()]
        words += [] if row.recording in (other_kernel, addresses_of_running_kernel) else ["--kallsyms", kallsyms]
        words += [] if row.recording in (inlined_names, one_inlined, around_inlined) else ["--no-inline"]
        compared += check_report(row, words, perfs, bad)
    return compared


def main():
    bad, compared = [], 0
    perfs = installed()
    check_document(bad)
    with tempfile.TemporaryDirectory() as tmp:
        os.environ.update(HOME=tmp, XDG_CACHE_HOME=tmp, PERF_BUILDID_DIR=os.path.join(tmp, "buildids"), LC_ALL="C",
                          PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="")
        with open(os.path.join(tmp, "kallsyms"), "w", encoding="ascii") as f:
            f.write(KALLSYMS)
        for row in ROWS:
            compared += check_row(row, tmp, perfs, bad)
    for text in bad:
        print(text)
    print(f"{len(ROWS)} sentences; {compared} reports of perf ({', '.join(perfs) or 'none'})")
    if bad:
        return 1
    if not perfs:
        print(f"skipped in part: there is no perf {' or '.join(VERSIONS)}")
    return 0 if perfs else SKIP


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bad_input_handmade.py: files made by hand that hung, crashed or misled a command, or that name a file of tracefs"""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs  # noqa: E402
import perf_data as pd  # noqa: E402

sonde = os.environ["SONDE"]
TRACEFS = "/sys/kernel/tracing"


class Failure(Exception):
    pass


def want(true, text):
    if not true:
        raise Failure(text)


class Done:
    """A run of the command: status, output, messages, seconds of CPU time and the peak of its memory."""

    def __init__(self, args, most=20):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            p = subprocess.Popen([sonde, *args], stdout=out, stderr=err)
            # CPU time is counted: others take of the time of the clock. One that waits for ever has no limit of that.
            resource.prlimit(p.pid, resource.RLIMIT_CPU, (most, most))
            timer = threading.Timer(600, p.kill)
            timer.start()
            _, status, usage = os.wait4(p.pid, 0)
            timer.cancel()
            p.returncode = self.status = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(), err.read().decode(errors="replace")
        self.seconds, self.peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        want(self.status != -signal.SIGKILL, f"{' '.join(args)}: no end after {most} s of CPU time")
        want(self.status >= 0, f"{' '.join(args)}: ended by signal {-self.status}")


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def usual(more=b"", features=None):
    return pd.make(pd.comm("demo") + pd.mmap(0x400000, 0x10000, "/bin/none") + more + pd.sample(0x400100), features)


def cpus_beyond_the_bytes(tmp):
    """CPU_TOPOLOGY has one entry for each of 0xffffffff CPUs, by its length none."""
    topology = struct.pack("<IIII", 0, 0, 1, 2)
    path = put(f"{tmp}/a", usual(features={pd.NRCPUS: struct.pack("<II", 0xffffffff, 0xffffffff),
                                           pd.CPU_TOPOLOGY: topology}))
    for how in (["--endian", "big"], ["--rebuild"], ["--endian", "big", "--to", "pipe"]):
        want(Done(["convert", *how, path, f"{tmp}/b"]).seconds < 5, f"convert {how} takes long")


def topology_cut(tmp):
    """What info cannot read is a finding of check."""
    for make in (pd.make, pd.make_stream):
        for missing in (0, 4):
            topology = struct.pack("<II", 0, 0) + bytes(16 - missing)
            path = put(f"{tmp}/a", make(pd.comm("demo") + pd.sample(0x400100),
                                        {pd.NRCPUS: struct.pack("<II", 2, 2), pd.CPU_TOPOLOGY: topology}))
            refused = b"CPU_TOPOLOGY: need" in Done(["info", path]).out
            found = b"CPU_TOPOLOGY: need" in Done(["check", path]).out
            want(refused == found == (missing != 0),
                 f"{make.__name__}, {missing} bytes missing: refused by info: {refused}, found: {found}")


def build_id_without_a_name(tmp):
    ids = pd.build_id_entry("") + pd.build_id_entry("/bin/none")
    path = put(f"{tmp}/a", usual(features={pd.BUILD_ID: ids}))
    for how in (["--build-ids"], ["--build-ids=mmap2"], ["--build-ids", "--to", "pipe"], ["--build-ids", "--redact"]):
        made = Done(["convert", *how, path, f"{tmp}/b"])
        want(made.status == 0, f"convert {how}: {made.err}")
        want("without a name" in made.err, f"convert {how} says nothing of the entry that it drops")


def instance_free_buffer(tmp):
    """The kernel frees a buffer when somebody closes free_buffer."""
    at = f"{TRACEFS}/instances/sonde-test-{os.getpid()}"
    try:
        os.mkdir(at)
    except OSError as e:
        print(f"  not tried: {e}")
        return
    try:
        with open(f"{at}/buffer_size_kb", encoding="ascii") as f:
            before = f.read()
        names = [f"{at}/{n}" for n in ("free_buffer", "trace_pipe", "snapshot")] + ["/proc/kmsg", "/proc/sysrq-trigger"]
        data = b"".join(pd.mmap(0x400000 + 0x10000 * i, 0x10000, n) + pd.sample(0x400100 + 0x10000 * i) for i,
                        n in enumerate(names))
        path = put(f"{tmp}/a", pd.make(pd.comm("demo") + data))
        for args in (["report", path], ["report", "--symfs", "//", path], ["script", path], ["export", path],
                     ["convert", "--build-ids", path, f"{tmp}/b"]):
            Done(args)
            with open(f"{at}/buffer_size_kb", encoding="ascii") as f:
                want(f.read() == before, f"{args[0]} emptied the buffer of an instance")
        subprocess.run(["strace", "-f", "-o", f"{tmp}/calls", "-e", "trace=open,openat", sonde, "report", path],
                       capture_output=True, check=False)
        with open(f"{tmp}/calls", encoding="utf-8") as calls:
            for line in calls:
                want("O_PATH" in line or not any(n in line for n in names), f"opened: {line}")
    except FileNotFoundError as e:
        print(f"  not traced: {e}")
    finally:
        os.rmdir(at)


def sparse(path, head, size, tail=b""):
    """A file of which only the beginning and the end are stored."""
    with open(path, "wb") as f:
        f.write(head)
        f.truncate(size - len(tail))
        f.seek(size - len(tail))
        f.write(tail)
    return path


def header(attrs_at, attrs_size, data_at, data_size, features=0):
    return (b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, pd.ATTR_BYTES + 16, attrs_at, attrs_size, data_at, data_size, 0,
                                      0) +
            features.to_bytes(32, "little"))


def sparse_attrs(tmp):
    """Eight million attrs, of which one is stored."""
    size = 8_000_000 * (pd.ATTR_BYTES + 16)
    one = pd.attr() + struct.pack("<QQ", 0, 0)
    data = pd.comm("demo") + pd.sample(0x400100)
    path = sparse(f"{tmp}/a", header(104, size, 104 + size, len(data)) + one, 104 + size + len(data), data)
    for args in (["info", path], ["report", path], ["check", path], ["repair", path, f"{tmp}/b"],
                 ["convert", "--rebuild", path, f"{tmp}/c"]):
        done = Done(args)
        want(done.peak < 200 << 20, f"{args[0]} takes {done.peak >> 20} MB")
        want(done.seconds < 20, f"{args[0]} takes {done.seconds:.0f} s")
    want(b"7999999" in Done(["info", path]).out, "info does not say how many attrs are zeros")
    want(Done(["check", f"{tmp}/b"]).status == 0, "a repair leaves errors")


def sparse_ids(tmp):
    """An event with 4 billion ids, which are a hole of 32 GB, and one that shares them."""
    size = 32 << 30
    attrs = b"".join(pd.attr() + struct.pack("<QQ", 104 + 160, size) for _ in range(2))
    data = pd.comm("demo") + pd.sample(0x400100)
    path = sparse(f"{tmp}/a", header(104, 160, 264 + size, len(data)) + attrs, 264 + size + len(data), data)
    for args in (["info", path], ["check", path], ["repair", path, f"{tmp}/b"], ["report", path]):
        done = Done(args)
        want(done.peak < 200 << 20, f"{args[0]} takes {done.peak >> 20} MB")
        want(done.seconds < 10, f"{args[0]} takes {done.seconds:.0f} s")


def sparse_features(tmp):
    """Two hundred features, all of them the same hole of 256 MB."""
    numbers = list(range(3, 203))
    size, at = 256 << 20, 104
    attrs = pd.attr() + struct.pack("<QQ", 0, 0)
    data = pd.comm("demo") + pd.sample(0x400100)
    head = header(at, 80, at + 80, len(data), sum(1 << n for n in numbers)) + attrs + data
    head += struct.pack("<QQ", len(head) + 16 * len(numbers), size) * len(numbers)
    path = sparse(f"{tmp}/a", head, len(head) + size)
    for args in (["info", path], ["check", path], ["repair", path, f"{tmp}/b"]):
        done = Done(args)
        want(done.peak < 400 << 20, f"{args[0]} takes {done.peak >> 20} MB")
        want(done.seconds < 20, f"{args[0]} takes {done.seconds:.0f} s")


def packed_by_many_names(tmp):
    """One small packed file, which becomes large, as 120 binaries."""
    if not shutil.which("xz"):
        print("  not tried: there is no xz")
        return
    elf = f"{tmp}/big.ko"
    with open("/bin/true", "rb") as f:
        put(elf, f.read() + bytes(120 << 20))
    subprocess.run(["xz", "-T1", elf], check=True)
    names = []
    for i in range(120):
        names.append(f"{tmp}/n{i}.ko.xz")
        os.link(f"{elf}.xz", names[-1])
    data = b"".join(pd.mmap(0x400000 + 0x10000 * i, 0x10000, n) + pd.sample(0x400100 + 0x10000 * i) for i,
                    n in enumerate(names))
    path = put(f"{tmp}/a", pd.make(pd.comm("demo") + data))
    done = Done(["report", "--sort", "dso", path], most=600)
    # a third of what unpacking each of them takes here; a sanitizer's build is slower
    before = os.times().children_user
    subprocess.run(["xz", "-dc", f"{elf}.xz"], check=True, stdout=subprocess.DEVNULL)
    once = os.times().children_user - before
    most = 40 * once * (1 if os.environ["SONDE_SANITIZE"] == "none" else 10)
    print(f"  report takes {done.seconds:.2f} s, unpacking one of 120 {once:.2f} s")
    want(done.seconds < most, f"report takes {done.seconds:.1f} s, unpacking one {once:.2f} s")


def bytes_read(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as f:
        return int(f.readline().split()[1])


def shrinking_input(tmp):
    """The input becomes shorter while it is read: no output that has zeros for what is gone."""
    whole = usual(pd.sample(0x400200) * 2_000_000)
    other = put(f"{tmp}/other", usual(pd.sample(0x400200)))
    for how in (["convert", "--rebuild"], ["convert", "--endian", "big"], ["convert"], ["merge", other, "-o"]):
        path = put(f"{tmp}/a", whole)
        files = [f"{tmp}/b", path] if how[0] == "merge" else [path, f"{tmp}/b"]
        p = subprocess.Popen([sonde, *how, *files], stderr=subprocess.PIPE)
        # stopped early on: it knows the size of the file, and has not read all of its 80 MB
        while p.poll() is None and bytes_read(p.pid) < 8 << 20:
            pass
        p.send_signal(signal.SIGSTOP)
        done_already = p.poll() is not None
        os.truncate(path, 4096)
        p.send_signal(signal.SIGCONT)
        err = p.communicate()[1].decode()
        if not done_already and not os.path.exists(f"{tmp}/b"):
            want(p.returncode == 1 and "shorter" in err, f"{how}: status {p.returncode}: {err}")
        elif not done_already:
            size = os.path.getsize(f"{tmp}/b")
            want(p.returncode == 0 and (size == len(whole) or how[0] == "merge" and size > len(whole) // 2),
                 f"{how}: a part is missing")
            with open(f"{tmp}/b", "rb") as f:
                f.seek(-4096, 2)
                want(any(f.read()), f"{how}: zeros for what is gone")
        if os.path.exists(f"{tmp}/b"):
            os.unlink(f"{tmp}/b")


def memory_too_small(tmp):
    """Half a million functions and chains do not fit in 16 MB: one sentence names the limit to try; no output."""
    if os.environ.get("SONDE_SANITIZE", "none") != "none":
        print("  not tried: a sanitizer has memory of its own")
        return
    chains = b"".join(pd.sample(0x400000 + 8 * i, more=struct.pack("<QQQQ", 3, 2**64 - 512, 0x400000 + 8 * i, 0x500000 +
                                                                   8 * i))
                      for i in range(250_000))
    path = put(f"{tmp}/a", pd.make(pd.comm("demo") + pd.mmap(0x400000, 0x1000000, "/bin/none") + chains,
                                   sample_type=pd.CALLCHAIN))
    for args in (["report", "-g"], ["report", "--json"], ["report", "--html", f"{tmp}/b"], ["export"],
                 ["export", "-o", f"{tmp}/b", "--to", "html"]):
        done = Done([args[0], "--max-memory", "16M", *args[1:], "-i", path])
        want(done.status == 1, f"{args}: status {done.status}")
        want(done.err == f"sonde: {path}: out of memory: the limit is 16M, try --max-memory 32M\n",
             f"{args}: {done.err}")
        want(done.out == b"" and not os.path.exists(f"{tmp}/b"), f"{args}: half a profile was written")


def formats_come_twice(tmp):
    """A stream brings formats again, while samples printed by the first ones are still at hand."""
    def tracepoint(number, event):
        fields = struct.pack("<IIQQQQQ", 2, pd.ATTR_BYTES, number, 1, pd.IDENTIFIER | pd.IP | pd.TID | pd.TIME | pd.RAW,
                             0, pd.SAMPLE_ID_ALL) + bytes(16)
        return pd.record(64, 0, fields + struct.pack("<Q", event))

    def formats(number):
        text = fake_tracefs.SWITCH.replace("ID: 7", f"ID: {number}").replace("prev_comm=", f"of{number}=")
        data = pd.tracing_data([text])
        data += bytes(-len(data) % 8)
        return struct.pack("<IHHI", 66, 0, 12, len(data)) + data

    def samples(event, n, time):
        raw = fake_tracefs.switch(1, "a", 2, "b") + bytes(4)  # with its length whole words
        raw = struct.pack("<I", len(raw)) + raw
        return b"".join(pd.sample(0x1000, time + i, more=raw, event=event) for i in range(n)) + 2 * round_mark

    round_mark = pd.record(pd.FINISHED_ROUND, 0, b"")
    path = put(f"{tmp}/a", b"PERFILE2" + struct.pack("<Q", 16) + tracepoint(7, 5) + formats(7) +
               samples(5, 2000, 10000) + tracepoint(8, 6) + formats(8) + samples(6, 1, 20000) +
               samples(5, 2000, 30000))
    out = Done(["script", "-i", path]).out
    want(out.count(b"of7=a ") == 4000 and out.count(b"of8=a ") == 1, f"other text: {out[:300]}")


def exports_over_the_input(tmp):
    """Neither by its own name nor by another one, nor into the directory that it is."""
    whole = usual()
    path = put(f"{tmp}/a", whole)
    os.link(path, f"{tmp}/hard")
    os.symlink("a", f"{tmp}/soft")
    os.mkdir(f"{tmp}/dir")
    put(f"{tmp}/dir/data", whole)
    for name, given in (("a", "a"), ("hard", "a"), ("soft", "a"), ("a", "soft"), ("hard", "soft"), ("dir/data", "dir"),
                        ("dir/data.0", "dir")):
        for args in (["report", "--html", f"{tmp}/{name}"], ["export", "-o", f"{tmp}/{name}"]):
            done = Done([*args, "-i", f"{tmp}/{given}"])
            want(done.status == 1 and "nothing is written" in done.err,
                 f"{args[0]} to {name} of {given}: status {done.status}: {done.err}")
            want(not os.path.exists(f"{tmp}/dir/data.0"), "a file in a recording that is a directory")
            for left in ("a", "hard", "dir/data"):
                with open(f"{tmp}/{left}", "rb") as f:
                    want(f.read() == whole, f"{args[0]} to {name} of {given} overwrote {left}")
    with open(path, "rb") as f:
        p = subprocess.run([sonde, "report", "--html", path, "-i", "-"], stdin=f, capture_output=True, check=False)
    want(p.returncode == 1, "the standard input was overwritten")


def exports_are_whole(tmp):
    """Without a name before they are, readable as the umask says, or written to what is no file."""
    path = put(f"{tmp}/a", usual())

    def small_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    os.mkdir(f"{tmp}/out")
    for args in (["report", "--html", f"{tmp}/out/page"], ["export", "--to", "html", "-o", f"{tmp}/out/page"]):
        for before in (None, b"before"):
            if before:
                put(f"{tmp}/out/page", before)
            p = subprocess.run([sonde, *args, "-i", path], preexec_fn=small_disk, capture_output=True, check=False)
            want(p.returncode == 1 and b"cannot write" in p.stderr, f"{args[0]}: status {p.returncode}: {p.stderr}")
            want(os.listdir(f"{tmp}/out") == (["page"] if before else []),
                 f"{args[0]} leaves {os.listdir(f'{tmp}/out')}")
            if before:
                with open(f"{tmp}/out/page", "rb") as f:
                    want(f.read() == before, f"{args[0]}: half a page")
                os.unlink(f"{tmp}/out/page")
        want(Done([*args, "-i", path]).status == 0, f"{args[0]} cannot write")
        mask = os.umask(0)
        os.umask(mask)
        want(os.stat(f"{tmp}/out/page").st_mode & 0o777 == 0o666 & ~mask, f"{args[0]}: others cannot read the page")
        os.unlink(f"{tmp}/out/page")
    want(Done(["export", "-o", "/dev/null", path]).status == 0, "export to /dev/null")
    want(Done(["export", "-o", "/dev/full", path]).status == 1, "a full device is not told")
    want(Done(["export", "-o", "/dev/stdout", path]).out == Done(["export", path]).out, "export to /dev/stdout")


def numbers_that_spell_names(tmp):
    """Unmapped words of a chain, times and addresses can look like a command: no reason to refuse the recording."""
    tail = int.from_bytes(b"/tail\0\0\0", "little")
    chain = struct.pack("<QQQQQ", 4, 2**64 - 512, 0x400100, tail, 0x400200)
    data = pd.comm("tail") + pd.mmap(0x400000, 0x10000, "/usr/bin/tail") + pd.sample(0x400100, more=chain)
    data += pd.sample(tail, time=int.from_bytes(b"tail\0\0\0\0", "little"), more=chain)
    for make in (pd.make, pd.make_stream):
        path = put(f"{tmp}/a", make(data, sample_type=pd.CALLCHAIN))
        done = Done(["convert", "--redact", "--to", "file", path, f"{tmp}/b"])
        want(done.status == 0, f"{make.__name__}: {done.err}")
        out = Done(["dump", f"{tmp}/b"]).out.decode()
        want("0x400200" in out or "400200" in out, "an address of a mapping is gone")
        with open(f"{tmp}/b", "rb") as f:
            want(f.read().count(b"/tail") == 1, "the word of the chain is still there")  # the ip is an address


def device_numbers(tmp):
    """A MMAP2 with the bit of build ids and a size that no build id has: numbers of a device."""
    place = struct.pack("<IIQQ", 0xfd, 3, 4711, 0)
    path = put(f"{tmp}/a", usual(pd.mmap2(0x500000, 0x10000, "/bin/numbers", place, misc=pd.USER | 0x4000)))
    out = Done(["dump", path]).out.decode()
    want("4711" in out and "build_id" not in out, f"dump reads a build id: {out[-900:]}")
    want(Done(["convert", "--endian", "big", path, f"{tmp}/b"]).status == 0, "cannot be converted")
    want(Done(["convert", "--endian", "little", f"{tmp}/b", f"{tmp}/c"]).status == 0, "cannot be converted back")
    with open(path, "rb") as f, open(f"{tmp}/c", "rb") as g:
        want(f.read() == g.read(), "the way back does not give the same bytes")


def copies_of_what_cannot_be_opened(tmp):
    """convert with nothing to change copies any bytes, but says so when they are no trace."""
    path = put(f"{tmp}/a", usual())
    want(Done(["convert", path, f"{tmp}/b"]).err == "", "a sound file is complained of")
    broken = bytearray(usual())
    broken[24:40] = struct.pack("<QQ", 1 << 40, 80)  # the attrs lie outside
    path = put(f"{tmp}/a", broken)
    done = Done(["convert", path, f"{tmp}/b"])
    want(done.status == 0 and "cannot be opened" in done.err, f"status {done.status}: {done.err}")
    with open(f"{tmp}/b", "rb") as f:
        want(f.read() == bytes(broken), "it is no copy")


def main():
    tests = [cpus_beyond_the_bytes, topology_cut, build_id_without_a_name, instance_free_buffer, sparse_attrs,
             sparse_ids, sparse_features, packed_by_many_names, shrinking_input, memory_too_small, formats_come_twice,
             exports_over_the_input, exports_are_whole, numbers_that_spell_names, device_numbers,
             copies_of_what_cannot_be_opened]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    wrong = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as tmp:
            try:
                test(tmp)
                print(f"{test.__name__}: ok")
            except Failure as e:
                print(f"{test.__name__}: {e}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

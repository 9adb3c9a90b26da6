#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py READER [KIND...]: READER takes every kind of file that sonde writes, and finds as much in it as sonde does

One run for one reader, so that a skip is seen. The kinds are those of tests/recordings.py.
"""
import glob
import os
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import recordings  # noqa: E402
import web_readers  # noqa: E402
from reader import Skip, Wrong, environment, need, output, source  # noqa: E402
from recordings import SKIP, counts, sonde  # noqa: E402

newest = os.path.join(source, "..", "shared", "tools", "newest-perf")


class Check:
    """`sonde check`: our own recordings break no rule"""
    forms = ["perf", "trace"]

    def read(self, form, kind, path):
        out, _ = output([sonde, "check", path])
        if not out.endswith(", 0 errors, 0 warnings, 0 notes\n"):
            raise Wrong(out.strip()[:300])
        return None


# of a file of the other byte order, if a BPF program was loaded while it was recorded
NOT_SWAPPED = re.compile(r"interpreting (bpf_prog_info|btf) from systems with endianness is not yet supported\n")


class Perf:
    """perf script reads every sample, perf report has rows, and neither says a word"""
    forms = ["perf"]
    cannot = {"aligned": "records of type COMPRESSED2 came with perf 6.16",
              "to-pipe": "of a stream, perf before 6.16 does not pass over the features E_MACHINE and CLN_SIZE"}
    options = {}

    def __init__(self):
        self.command = need(shutil.which("perf"), "perf")

    def read(self, form, kind, path):
        options = [*self.options.get(kind, []), "-i", path]
        out, err = output([self.command, "script", "-F", "time,event", *options])
        self.quiet(err)
        _, err = output([self.command, "script", *options])
        self.quiet(err)
        text, err = output([self.command, "report", "--stdio", *options])
        self.quiet(err)
        if not re.search(r"^ +\d+\.\d+%", text, re.M):
            raise Wrong("report has no rows")
        # of a stream, -F comes too late to leave out call chains
        return len(re.findall(r"^ *[0-9]+\.[0-9]+: +\S+: *$", out, re.M))

    @staticmethod
    def quiet(messages):
        messages = NOT_SWAPPED.sub("", messages).strip()
        if messages:
            raise Wrong(f"it says: {messages[:300]}")


class NewestPerf(Perf):
    cannot = {}
    # perf 7.2 crashes, in its own recordings too, where a binary is gone and its debug file is installed
    options = {"redacted": ["--symfs", "/var/empty"]}

    def __init__(self):
        self.command = need(os.access(newest, os.X_OK) and newest, "newest perf")


class BuildIds(Perf):
    """perf inject -b makes a recording of ours that perf reads, with the samples that it had; buildid-list and archive
    find the binaries of the recording"""
    kinds = ["plain", "callgraph", "system", "group", "dwarf", "recorded-compressed", "cut", "merged", "repaired",
             "rebuilt"]

    def read(self, form, kind, path):
        injected = path + ".injected"
        _, err = output([self.command, "inject", "-b", "-i", path, "-o", injected])
        self.quiet(err)
        listed, _ = output([self.command, "buildid-list", "-i", path])
        if not re.search(r"^[0-9a-f]{40} +/", listed, re.M):
            raise Wrong("buildid-list names no binary")
        # it looks for build ids with the perf of PATH, and packs what recording put into the cache
        output([shutil.which("perf"), "buildid-cache", "--add", recordings.workload])
        output([shutil.which("perf"), "archive", path])
        if not os.path.getsize(path + ".tar.bz2"):
            raise Wrong("archive writes nothing")
        return super().read(form, kind, injected)


class NewestBuildIds(BuildIds):
    def __init__(self):
        self.command = NewestPerf().command


class StackCollapse:
    """perf's own script of that name, which gets every sample of the recording in Python"""
    forms = ["perf"]
    cannot = Perf.cannot

    def __init__(self):
        self.command = need(shutil.which("perf"), "perf")
        out, _ = output([self.command, "script", "-l"])
        need("stackcollapse" in out, "script stackcollapse of perf, or no Python in it")

    def read(self, form, kind, path):
        out, err = output([self.command, "script", "report", "stackcollapse", "-i", path])
        Perf.quiet(err)
        return sum(int(line.rpartition(" ")[2]) for line in out.splitlines())

    @staticmethod
    def expected(ours):
        # tracepoints go to functions of their own, which this script does not have
        return sum(n for name, n in ours["by_event"].items() if ":" not in name or name.endswith((":u", ":k")))


class PerfParser:
    """hotspot's perfparser: no error in its stream, no TimeOrderViolation, every sample"""
    forms = ["perf"]
    TRACEPOINTS = "it reads no formats of tracepoints out of a stream, of perf's neither"
    cannot = {"directory": "it opens files only", "aligned": "it knows no COMPRESSED2", "pipe-system": TRACEPOINTS,
              "to-pipe": TRACEPOINTS}
    SAMPLES = 13, 14        # types of messages in its stream

    def __init__(self):
        found = [path for where in ("/usr/lib/*/libexec", "/usr/libexec", "/usr/lib/libexec")
                 for path in glob.glob(where + "/hotspot-perfparser")]
        self.command = need(found, "hotspot-perfparser (package hotspot)")[0]

    def read(self, form, kind, path):
        stream = path + ".stream"
        _, err = output([self.command, "--input", path, "--output", stream])
        with open(stream, "rb") as f:
            data = f.read()
        if data[:12] != b"QPERFSTREAM\0":
            raise Wrong("no stream was written")
        if "unhandled event type 81" in err:
            raise Skip("it was built without zstd")
        errors = re.findall(r"^PerfUnwind::(?!MissingElfFile).*", err, re.M)
        if errors:
            raise Wrong("; ".join(errors)[:300])
        at, samples = 16, 0     # after the magic and a version
        while at + 4 < len(data):
            samples += data[at + 4] in self.SAMPLES
            at += 4 + struct.unpack_from("<I", data, at)[0]
        return samples

    @staticmethod
    def expected(ours):
        return ours["records"]  # with the counts of a group in each


class Kshark:
    """KernelShark's library: as many entries of each event"""
    forms = ["trace"]

    def __init__(self):
        self.command = os.path.join(os.environ["SONDE_BUILD"], "tests", "kshark_count")
        need(os.path.exists(self.command), "libkshark (packages libkshark-dev, libjson-c-dev)")

    def read(self, form, kind, path):
        out, _ = output([self.command, path])
        by_event = {}
        for line in out.splitlines():
            name = line.rpartition("/")[2]
            by_event[name] = by_event.get(name, 0) + 1
        return by_event


class TraceCmd:
    """trace-cmd: a valid file, as many events of each name"""
    forms = ["trace"]

    def __init__(self):
        self.command = need(shutil.which("trace-cmd"), "trace-cmd")

    def read(self, form, kind, path):
        valid, _ = output([self.command, "dump", "--validate", path])
        if "is a valid trace-cmd file" not in valid:
            raise Wrong(valid.strip()[:300])
        out, _ = output([self.command, "report", path])
        by_event = {}
        for name in re.findall(r"^.*?[0-9]\.[0-9]+: +([a-z_0-9]+): ", out, re.M):
            by_event[name] = by_event.get(name, 0) + 1
        return by_event


class NewestTraceCmd(TraceCmd):
    def __init__(self):
        self.command = need(shutil.which("newest-trace-cmd"), "newest trace-cmd")


READERS = {
    "check": Check,
    "perf": Perf,
    "newest-perf": NewestPerf,
    "stackcollapse": StackCollapse,
    "hotspot": PerfParser,
    "kshark": Kshark,
    "trace-cmd": TraceCmd,
    "newest-trace-cmd": NewestTraceCmd,
    "speedscope": web_readers.Speedscope,
    "firefox": web_readers.Firefox,
    "build-ids": BuildIds,
    "newest-build-ids": NewestBuildIds,
}


def compare(reader, form, kind, path):
    """Raises Wrong where the reader does not find what sonde does."""
    ours = counts(path)
    if not ours.get("records"):
        raise recordings.Failed(f"{kind}: nothing was recorded")
    theirs = reader.read(form, kind, path)
    if hasattr(reader, "expected"):
        expected = reader.expected(ours)
    else:
        expected = ours["by_event"] if isinstance(theirs, dict) else ours["samples"]
    if theirs is not None and theirs != expected:
        raise Wrong(f"it finds {theirs}, not {expected}")
    return ours["records"]


def main():
    name, wanted = sys.argv[1], sys.argv[2:]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        environment["XDG_CACHE_HOME"] = os.environ["XDG_CACHE_HOME"] = folder + "/cache"
        environment["HOME"] = folder
        try:
            reader = READERS[name]()
            reason = recordings.trial(recordings.PLAIN if "perf" in reader.forms else recordings.SCHED, folder)
            if reason:
                raise Skip(f"nothing can be recorded here: {reason}")
        except Skip as e:
            print(f"skipped: {e}")
            return SKIP
        made = recordings.Recordings(folder)
        for form in reader.forms:
            for kind in made.kinds(form, wanted or getattr(reader, "kinds", ())):
                path = made.path(form, kind)
                if not path:
                    continue
                label = f"{form} {kind}"
                reason = getattr(reader, "cannot", {}).get(kind)
                if reason:
                    print(f"{label:24} not for this reader: {reason}")
                    continue
                try:
                    print(f"{label:24} {compare(reader, form, kind, path)} records", flush=True)
                except Skip as e:
                    print(f"{label:24} not for this reader: {e}", flush=True)
                except Wrong as e:
                    bad += 1
                    print(f"{label:24} FAILED: {e}", flush=True)
        if hasattr(reader, "close"):
            reader.close()
    return 1 if bad else 0


sys.exit(main())

# SPDX-License-Identifier: MIT
"""fake_aux.py - what the tests of recorded hardware traces share

The first argument of such a test is a library that takes the system calls of the recorder (tests/fake_aux.c); the
driver's files are those of tests/events/trees.py. perf reads what was recorded.
"""
import os
import re
import shutil
import struct
import subprocess
import sys

SKIP = 77
sonde, source, library = os.environ["SONDE"], os.environ["SONDE_SOURCE"], os.path.abspath(os.path.abspath(sys.argv[1]))
sys.path.insert(0, source + "/tests/events")
import trees  # noqa: E402

newest = os.path.join(source, "..", "shared", "tools", "newest-perf")
readers = [tool for tool in (shutil.which("perf"), newest if os.access(newest, os.X_OK) else None) if tool]


def fail(text):
    sys.exit(f"FAILED: {text}")


def record(*options, tree, trace, kind=9, pattern="", command=("true",), status=0):
    """Records with the fake on a machine of trees.py, @trace bytes of each CPU: the lines of its log.

    @kind: type of the PMU; @pattern: hexadecimal bytes of which the trace consists.
    """
    if os.path.exists("log"):
        os.remove("log")
    env = dict(os.environ, LD_PRELOAD=library, FAKE_AUX_TYPE=str(kind), FAKE_AUX_LOG="log", FAKE_AUX_BYTES=str(trace),
               FAKE_AUX_PATTERN=pattern, SYSFS_PATH=os.path.abspath(f"{tree}/sys"))
    r = subprocess.run([sonde, "record", "-o", "data", *options, "--", *command], env=env, capture_output=True,
                       text=True, timeout=600)
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
            "read_format": read_format, "flags": flags,
            "config1": struct.unpack_from("=Q", raw, 56)[0], "config2": struct.unpack_from("=Q", raw, 64)[0],
            "aux_watermark": struct.unpack_from("=I", raw, 104)[0]}


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
            if cpu not in (ring, -1):
                fail(f"the trace of ring {ring} is said to be of CPU {cpu}")
            rings.setdefault(ring, []).append((offset, data[at + 48:at + 48 + n]))
            places.append(at)
            size += n
        at += size
    return rings, places


def check_file(tools, trace="PERF_RECORD_AUXTRACE size"):
    """Neither sonde nor perf finds anything wrong; perf shows the trace."""
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
            if trace not in r.stdout:
                fail(f"{tool} {' '.join(words)} shows no trace")


def info():
    """AUXTRACE_INFO: type and words of the driver."""
    text = subprocess.run([sonde, "dump", "data"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"AUXTRACE_INFO .*\n((?: .*\n)+)", text)
    return [int(word, 16) for word in re.findall(r"(?:type|priv\[\d+\]): 0x([0-9a-f]+)", found[1])]


def planned(tree, *options):
    """The fields of the first attr that --dry-run -v shows."""
    env = dict(os.environ, SYSFS_PATH=os.path.abspath(f"{tree}/sys"))
    text = subprocess.run([sonde, "record", "--dry-run", "-v", *options, "true"], env=env, capture_output=True,
                          text=True, check=True).stderr
    return dict(re.findall(r"^  (\{ sample_period, sample_freq \}|\w+) +(\w+)", text.split("-----\n")[1], re.M))


def start():
    """In an empty directory, with the machines of trees.py; ends the test where nothing can be recorded."""
    trees.main(".")
    with open("/sys/devices/system/cpu/online", encoding="ascii") as f:
        online = f.read().strip()
    for tree in trees.TREES:
        trees.write(f"{tree}/sys/devices/system/cpu/online", online)
    trial = subprocess.run([sonde, "record", "-C", "0", "-e", "dummy", "-o", "data", "true"], capture_output=True,
                           text=True, check=False)
    if trial.returncode:
        print(f"skipped: nothing can be recorded here: {trial.stderr}")
        sys.exit(SKIP)

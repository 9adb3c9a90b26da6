#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""jit_names_missing_handmade.py: code made at run time whose perf-PID.map is missing, or is another user's

Every view says which file is missing and how much of the samples lacks names. A map is believed if it belongs to root,
to this user or to the user of the process, and with -f whoever has written it.
"""
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
CODE, OUTSIDE = 0x7f0000000000, 0x7e0000000000
NOBODY = 65534
VIEWS = ("report --stdio", "report --stdio --sort dso,sym", "script", "script -F ip,sym", "export --to folded",
         "export --to csv", "export --to json-lines", "export --to pprof -o out.pprof", "report -g caller --stdio")


def sonde(tmp, words, path, *more):
    return subprocess.run([SONDE, *words.split(), *more, "-i", path], capture_output=True, text=True, errors="replace",
                          timeout=600, check=True, cwd=tmp)


def ask(tmp, path):
    return sonde(tmp, "sql", path, "select function, samples from v_self").stderr


def recording(tmp, pid):
    """Three of four samples in code made at run time."""
    records = pd.comm("node", pid) + pd.record(pd.MMAP2, pd.USER, struct.pack(
        "<iIQQQ", pid, pid, CODE, 0x10000, 0) + bytes(24) + struct.pack("<II", 7, 2) + pd.text("//anon") +
        pd.trailer(1000, pid))
    for i, ip in enumerate((CODE + 0x10, CODE + 0x10, CODE + 0x110, OUTSIDE)):
        records += pd.sample(ip, time=2000 + i, pid=pid)
    path = os.path.join(tmp, f"{pid}.data")
    with open(path, "wb") as f:
        f.write(pd.make(records))
    return path


def check_missing(tmp):
    pid = 2**22 + 1  # of no process: beyond the largest that the kernel gives
    path = recording(tmp, pid)
    wanted = f"there is no /tmp/perf-{pid}.map"
    for view in VIEWS:
        said = sonde(tmp, view, path).stderr
        assert wanted in said and re.search(r"75\.0% of the (samples|interrupted addresses)", said), (view, said)
    assert wanted in ask(tmp, path) and "75.0% of the interrupted addresses" in ask(tmp, path), ask(tmp, path)
    page = os.path.join(tmp, "page.html")
    sonde(tmp, f"report --html {page}", path)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    assert f"3 of 4 samples are in code of [JIT] tid {pid} that has no names: {wanted}" in text
    why = json.loads(sonde(tmp, "symbols --json", path).stdout)
    assert wanted in json.dumps(why), why


def check_recorded(tmp):
    """A recording of a process whose map was not kept."""
    corpus = os.environ.get("SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus"))
    path = os.path.join(corpus, "cases", "perf-map-missing.data")
    if not os.path.exists(path):
        print("not tested for want of the corpus: perf-map-missing.data")
        return
    for view in VIEWS:
        said = sonde(tmp, view, path).stderr
        assert re.search(r"94\.4% of the (samples|interrupted addresses) have no symbol: there is no "
                         r"/tmp/perf-15084\.map", said), (view, said)


def a_process(uid):
    return subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, user=uid, group=uid)


def write_map(pid, uid):
    path = f"/tmp/perf-{pid}.map"
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{CODE:x} 100 first\n{CODE + 0x100:x} 100 second\n")
    os.chown(path, uid, uid)
    return path


def check_owners(tmp):
    """(owner of the map, whether the process still runs, options) -> whether the names are believed."""
    rows = [(NOBODY, True, (), True), (NOBODY, True, ("-f",), True), (NOBODY - 1, True, (), False),
            (NOBODY - 1, True, ("-f",), True), (0, True, (), True), (NOBODY, False, (), False),
            (NOBODY, False, ("--force",), True)]
    for owner, runs, options, believed in rows:
        process = a_process(NOBODY)
        written = None
        try:
            path = recording(tmp, process.pid)
            written = write_map(process.pid, owner)
            if not runs:
                process.kill()
                process.wait()
            for view in VIEWS:
                said = sonde(tmp, view, path, *options)
                assert not believed or written not in said.stderr, (view, owner, runs, options, said.stderr)
                if not believed:
                    assert re.search(rf"{written}: belongs to user {owner}, .* not believed \(-f believes it\)",
                                     said.stderr), (view, said.stderr)
                if "folded" in view:
                    assert ("first" in said.stdout) == believed, (owner, runs, options, said.stdout)
            bundled = os.path.join(tmp, "bundled.data")
            subprocess.run([SONDE, "bundle", *options, "-i", path, "-o", bundled], check=True, capture_output=True,
                           timeout=600)
            os.unlink(written)
            assert ("first" in sonde(tmp, "export --to folded", bundled).stdout) == believed, (owner, runs, options)
            os.unlink(bundled)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            if written and os.path.exists(written):
                os.unlink(written)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        check_missing(tmp)
        check_recorded(tmp)
        if os.geteuid() == 0:
            check_owners(tmp)
        else:
            print("not tested: maps of other users, which only root can make")
    return 0


sys.exit(main())

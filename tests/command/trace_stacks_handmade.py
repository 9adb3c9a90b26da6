#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_stacks_handmade.py - stacks of a trace.dat that are an event's own, and those that are nobody's

A stack belongs to the event before it on its page, of the same task. One without it is counted, and an event whose
stack lies elsewhere has none. In a buffer of the boot before, addresses of modules of which nobody knows where they lay
have no names. All views say the same.
"""
import csv
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import event_readers  # noqa: E402
import fake_tracefs as ft  # noqa: E402
import trace_dat  # noqa: E402

sonde = os.environ["SONDE"]
FIRST, SECOND = 0xffffffff81000000, 0xffffffff81000100
KALLSYMS = "".join(f"{at:016x} T {name}\n" for at, name in (
    (FIRST - 0x1000, "_text"), (FIRST, "first"), (SECOND, "second"), (SECOND + 0x100, "_end")))
USER_ID = 13
USER = ("name: user_stack\nID: %d\n" % USER_ID + ft.COMMON +
        "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\nprint fmt: \"%u\", REC->tgid\n")


def user_stack(pid, *callers):
    return struct.pack("<HBBiI4x8Q", USER_ID, 0, 0, pid, pid, *(*callers, *[0] * (8 - len(callers))))


def run(*words):
    return subprocess.run([sonde, *words], capture_output=True, text=True, check=True).stdout


def samples(path):
    lines = [json.loads(line) for line in run("export", "--to", "json-lines", path).splitlines()]
    return ([(x["event"].split(":")[1], [(f.get("f"), int(f["a"], 16)) for f in x.get("stack", [])]) for x in lines
             if x["kind"] == "tracepoint"], lines[-1])


def check_lone_stacks(path, folder, n):
    """How many stacks have no event, as each format with room for that says. perfetto has none."""
    out = os.path.join(folder, "out")
    for name in "csv", "sqlite", "chrome", "ctf":
        run("export", "--to", name, "-o", out, path)
        if name == "csv":
            with open(out, encoding="utf-8", newline="") as f:
                told = json.loads(list(csv.DictReader(f))[-1]["fields"])
        elif name == "sqlite":
            told = dict(sqlite3.connect(out).execute("select key, value from meta"))
        elif name == "chrome":
            with open(out, encoding="utf-8") as f:
                told = json.load(f)["otherData"]
        else:
            with open(os.path.join(out, "metadata"), encoding="utf-8") as f:
                told = {key: int(value) for key, value in re.findall(r"\t(\w+) = (\d+);", f.read())}
        assert told.get("lone_stacks") == n, (name, told)
        if name == "ctf":
            shutil.rmtree(out)
        else:
            os.unlink(out)


SHIFT, GONE = 0x1a000000, 0xffffffffff200000


def check_boot_without_modules(folder):
    """The kernel lay SHIFT further, and a module was at GONE, which the text about that boot does not have."""
    pages = [ft.page(1000, [(1000, ft.function(1, FIRST + SHIFT + 4, SECOND + SHIFT)),
                            (1001, ft.stack(1, FIRST + SHIFT + 8, GONE + 0x40, SECOND + SHIFT + 8))])]
    path = os.path.join(folder, "boot.dat")
    trace_dat.write(path, [ft.FUNCTION, ft.STACK, USER], {}, [trace_dat.area(pages)], kallsyms=KALLSYMS,
                    others=trace_dat.option(24, b":%x\t[kernel]\n\0" % (FIRST - 0x1000 + SHIFT)))
    names = ["first", "[unknown]", "second"]
    out = os.path.join(folder, "out")
    for name, read in (("csv", event_readers.read_csv), ("sqlite", event_readers.read_sqlite),
                       ("chrome", event_readers.read_chrome), ("json-lines", event_readers.read_json_lines)):
        run("export", "--to", name, "-o", out, path)
        stacks = [s["stack"] for s in read(out)[0] if s.get("stack")]
        assert stacks and all([f or "[unknown]" for f in stack] == names for stack in stacks), (name, stacks)
        os.unlink(out)
    folded = run("export", "--to", "folded", "--count", "samples", "--event", "ftrace:function", path)
    assert folded.rstrip().split(";", 1)[1] == ";".join(names[::-1]) + " 1", folded
    text = run("script", "--layout", "perf", "-F", "event,ip,sym", path)
    assert re.findall(r" (first|second|\[unknown\])\n", text)[:3] == names, text
    assert "gone" not in text, text


def main():
    call = ft.function(1, FIRST + 4, SECOND)
    own, user = ft.stack(1, FIRST + 8, SECOND + 8), user_stack(1, 0x1000, 0x2000)
    pages = [ft.page(1000, [(1000, own),                                   # its event is not here
                            (1001, call), (1002, own),
                            (1003, call), (1004, user),
                            (1005, call), (1006, own), (1007, user),
                            (1008, call), (1009, ft.stack(2, FIRST)),      # of another task
                            (1010, call)]),                                # its stack is on the next page
             ft.page(2000, [(2000, own), (2001, call)])]
    kernel = [("first", FIRST + 8), ("second", SECOND + 8)]
    users = [(None, 0x1000), (None, 0x2000)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stacks.dat")
        trace_dat.write(path, [ft.FUNCTION, ft.STACK, USER], {}, [trace_dat.area(pages)], kallsyms=KALLSYMS)
        found, end = samples(path)
        assert found == [("kernel_stack", kernel), ("function", kernel), ("kernel_stack", kernel), ("function", users),
                         ("user_stack", users), ("function", kernel + users), ("kernel_stack", kernel),
                         ("user_stack", users), ("function", []), ("kernel_stack", [("first", FIRST)]),
                         ("function", []), ("kernel_stack", kernel), ("function", [])], found
        assert end["lone_stacks"] == 2, end
        folded = run("export", "--to", "folded", "--count", "samples", "--event", "ftrace:function", path).splitlines()
        assert sorted(line.split(";", 1)[1] for line in folded) == sorted(
            ["second;first 1", "[unknown];[unknown] 1", "[unknown];[unknown];second;first 1", "[unknown] 3"]), folded
        text = run("script", "--layout", "perf", "-F", "event,ip,sym", path)
        assert text.count(" first\n") == 7 and text.count("1000 [unknown]\n") == 4, text
        check_lone_stacks(path, folder, 2)
        check_boot_without_modules(folder)
    print("ok")


main()

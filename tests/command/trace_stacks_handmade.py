#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_stacks_handmade.py - stacks of a trace.dat that are an event's own, and those that are nobody's

A stack belongs to the event before it on its page, of the same task. One without it is counted, and an event whose
stack lies elsewhere has none. All views say the same.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
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
    print("ok")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collect.py PERF TRACE_CMD: the options of perf and trace-cmd, as their own -h lists them.

Prints a line "TOOL COMMAND LETTER NAME ARGUMENT" for each option, "-" for a part that is not there; ARGUMENT is "yes",
"no" or "maybe" (may be left out). Only names are taken. docs/options/theirs.txt is the output for perf 7.2 and
trace-cmd 3.4; tests/command/options_docs.py compares.
"""
import re
import subprocess
import sys

PERF = ["record", "report", "script", "evlist", "list", "buildid-list", "version", "inject", "data", "stat", "top",
        "annotate"]
TRACE_CMD = ["record", "report", "extract", "split", "hist", "restore", "dump", "attach", "convert"]


def text_of(command):
    done = subprocess.run(command + ["-h"], capture_output=True, text=True, errors="replace", check=False, timeout=60)
    return done.stdout + done.stderr


def perf_options(perf, command):
    for line in text_of([perf, command]).splitlines():
        m = re.match(r"    (?:-(.), |-(.)|    )(?:--([\w-]+))?(\[=?<[^>]*>\]|\[=?[^\]]*\]| ?<[^>]*>?.*)?(?: |$)", line)
        if not m or not (m[1] or m[2] or m[3]):
            continue
        argument = "no"
        rest = line[m.end(3) if m[3] else m.end(2):]
        if rest.startswith("["):
            argument = "maybe"
        elif rest.startswith(" <"):
            argument = "yes"
        yield m[1] or m[2] or "-", m[3] or "-", argument


# Options of trace-cmd that take an argument: its -h does not tell it in one form.
WITH_ARGUMENT = {
    "record": set("efRpPClgnmMorsNVbBO") |
    {"temp", "subbuf-size", "module", "max-graph-depth", "cmdlines-size", "user", "tsync-interval",
     "name", "file-version",
     "compression", "proxy"},
    "report": set("iFrnOH") | {"cpu", "ts-offset", "ts2secs"},
    "extract": set("pOoB") | {"verbose"},
    "split": set("osmuepCBb"),
    "hist": set("i"),
    "restore": set("oi"),
    "dump": set("i") | {"verbose"},
    "attach": set("s"),
    "convert": set("io") | {"file-version", "compression"},
}


def trace_cmd_options(trace_cmd, command):
    seen = set()
    text = text_of([trace_cmd, command])
    words = []
    for line in text.splitlines():
        m = re.match(r" {10,}(-[\w-]+)(?:\[\w+\]|=?\[[^\]]*\])?(?:, (--[\w-]+))?", line)
        words += [w for w in m.groups() if w] if m else []
    words += re.findall(r"\[(-\w)\b", " ".join(text.split("usage:")[-1].splitlines()[:6]))
    for word in words:
        if word not in seen and word not in ("-h", "--help"):
            seen.add(word)
            name = word.lstrip("-")
            letter, long = (name, "-") if not word.startswith("--") else ("-", name)
            yield letter, long, "yes" if name in WITH_ARGUMENT[command] else "no"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for command in PERF:
        for option in perf_options(sys.argv[1], command):
            print("perf", command, *option)
    for command in TRACE_CMD:
        for option in trace_cmd_options(sys.argv[2], command):
            print("trace-cmd", command, *option)


main()

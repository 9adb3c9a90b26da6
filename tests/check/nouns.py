#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nouns.py: a header declares the functions and tables of one file

The objects of the build tell which file defines a name. The headers, without their comments and inline bodies, tell
which header declares it.
"""
import os
import re
import subprocess
import sys

BUILD = os.environ["SONDE_BUILD"]
SOURCE = os.environ["SONDE_SOURCE"]

# The rows of a table, one file each: their header is the list of them. The page's data is made by the build.
TABLES = {"src/tracefmt/plugin/plugins.h", "src/export/page/page.h"}


def homes():
    """Name -> the object that defines it."""
    found = {}
    for folder in sorted(os.listdir(os.path.join(BUILD, "src"))):
        if not re.fullmatch(r"libroom_.+\.a\.p", folder):
            continue
        path = os.path.join(BUILD, "src", folder)
        objects = [os.path.join(path, o) for o in sorted(os.listdir(path)) if o.endswith(".o")]
        out = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            file, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
            if kind in "TDRBV":
                found[name] = os.path.basename(file)[:-2]
    return found


def declared(text):
    """The functions and tables that a header declares."""
    text = re.sub(r"/\*.*?\*/|^[ \t]*#.*?(?<!\\)$", "", text, flags=re.S | re.M)
    while True:
        shorter = re.sub(r"\{[^{}]*\}", "", text)
        if shorter == text:
            break
        text = shorter
    names = set(re.findall(r"\b(\w+)\s*\(", text))
    for variables in re.findall(r"\bextern\b([^;()]*);", text):
        names.update(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\])*\s*(?:,|$)", variables))
    return names


def main():
    home = homes()
    bad = 0
    for root, _, names in sorted(os.walk(os.path.join(SOURCE, "src"))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(root, name), SOURCE)
            if not name.endswith(".h"):
                continue
            with open(os.path.join(root, name), encoding="utf-8") as f:
                files = {home[n] for n in declared(f.read()) if n in home}
            if len(files) < 2 or path in TABLES:
                continue
            bad += 1
            print(f"{path} declares what {len(files)} files define: {' '.join(sorted(files))}")
    return bad


def selftest():
    text = ("/* int a(void); */\nextern const struct t b[N], *c;\nint d(int (*fn)(void),\n\tlong);\n"
            "static inline int e(void)\n{\n\treturn f();\n}\n")
    assert {"b", "c", "d", "e"} <= declared(text) and not {"a", "f"} & declared(text), declared(text)


if __name__ == "__main__":
    selftest()
    sys.exit(1 if main() else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unique.py: a name has one meaning: tags of structs in all of src and include, functions in library and command

A tag stands once, in one file: who looks for "struct NAME {" finds one answer. The archive hides the library's own
functions from programs; the command has no function of the same name as one of them, so that it links without that.
"""
import collections
import os
import re
import subprocess
import sys

BUILD = os.environ["SONDE_BUILD"]
SOURCE = os.environ["SONDE_SOURCE"]

# An interface of model/reader.h that every format implements: the struct behind it is known to the format only.
OPAQUE = {"walk"}


def tags(text):
    """The tags that a source defines; tags inside of a function are its own."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", text))


def tags_twice():
    places = collections.defaultdict(list)
    for top in ("include", "src"):
        for folder, _, names in sorted(os.walk(os.path.join(SOURCE, top))):
            for name in sorted(names):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as f:
                    for tag in tags(f.read()):
                        places[tag].append(os.path.relpath(path, SOURCE))
    print(f"{len(places)} tags")
    return [f"struct {tag}: {' '.join(p)}" for tag, p in sorted(places.items()) if len(p) > 1 and tag not in OPAQUE]


def defined(folder):
    """Name -> the object that defines it for other files."""
    objects = [os.path.join(folder, o) for o in sorted(os.listdir(folder)) if o.endswith(".o")]
    out = subprocess.run(["nm", "-A", "-P", "-g", "--defined-only", *objects], capture_output=True, text=True,
                         check=True).stdout
    return {m[2]: os.path.basename(m[1]) for m in re.finditer(r"(.*): (\S+) [TDRBV] ", out)}


def names_twice():
    src = os.path.join(BUILD, "src")
    command = defined(os.path.join(src, "cli", "sonde.p"))
    found = []
    for folder in sorted(os.listdir(src)):
        if re.fullmatch(r"libroom_.+\.a\.p", folder):
            for name, file in sorted(defined(os.path.join(src, folder)).items()):
                if name in command:
                    found.append(f"{name}: {file} of the library and {command[name]} of the command")
    return found


def selftest():
    text = "struct a {\n\tenum b { X } x;\n};\n/* struct c { */\nstruct d *d;\nint f(struct e e) {\n}\n"
    assert tags(text) == {"a", "b"}, tags(text)


if __name__ == "__main__":
    selftest()
    wrong = tags_twice() + names_twice()
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)

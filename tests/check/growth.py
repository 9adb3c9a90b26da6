#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""growth.py HEADERS OUT newer|older: the public headers as another version of the library could have them

newer: each struct has one more member at its end. older: each has lost its last one. Structs that never grow, by the
list in types.h, stay as they are.
"""
import os
import re
import sys

STRUCT = re.compile(r"^struct (sonde_\w+) \{\n(.*?)^\};$", re.M | re.S)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def fixed_structs(folder):
    with open(os.path.join(folder, "types.h"), encoding="utf-8") as f:
        listed = re.search(r"never grow:(.*?)\.", f.read(), re.S).group(1)
    return set(re.findall(r"sonde_\w+", listed))


def changed(name, body, how):
    if how == "newer":
        return body + "\tuint64_t added_later;\n"
    members = re.findall(r"[^;{}]+;", body)
    assert len(members) > 1, name
    return body[:body.rindex(members[-1])] + "\n"


def main():
    folder, out, how = sys.argv[1:]
    fixed = fixed_structs(folder)
    names = set()
    os.makedirs(out)
    for header in sorted(os.listdir(folder)):
        with open(os.path.join(folder, header), encoding="utf-8") as f:
            text = without_comments(f.read())

        def replace(m):
            name, body = m.groups()
            if name in fixed:
                return m.group(0)
            names.add(name)
            return "struct %s {\n%s};" % (name, changed(name, body, how))
        with open(os.path.join(out, header), "w", encoding="utf-8") as f:
            f.write(STRUCT.sub(replace, text))
    assert len(names) >= 60, "only %d structs grow" % len(names)


main()

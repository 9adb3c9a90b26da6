#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""circles.py: calls between the files of a room go one way, and so do calls between its folders

Two files call each other if each uses a symbol that the other defines, as nm tells of their objects; a circle may also
go through several files. A folder calls another one if one of its files does.
"""
import os
import re
import subprocess
import sys

BUILD = os.environ["SONDE_BUILD"]
SOURCE = os.environ["SONDE_SOURCE"]
# A table of functions above, which the files below look up.
TABLES = [("tracefmt", [".", "plugin"])]


def objects():
    """Room -> the objects of its files; the command is a room."""
    rooms = {}
    for folder in sorted(os.listdir(os.path.join(BUILD, "src"))):
        m = re.fullmatch(r"libroom_(.+)\.a\.p", folder)
        if m:
            path = os.path.join(BUILD, "src", folder)
            rooms[m[1]] = objects_in(path)
    rooms["cli"] = objects_in(os.path.join(BUILD, "src", "cli", "sonde.p"))
    return rooms


def objects_in(path):
    return [os.path.join(path, o) for o in sorted(os.listdir(path)) if o.endswith(".o")]


def symbols(paths):
    """File -> (defined, used)."""
    out = subprocess.run(["nm", "-A", "-P", *paths], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in out.splitlines():
        path, name, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
        defined, used = found.setdefault(path, (set(), set()))
        if kind == "U":
            used.add(name)
        elif kind.isupper():
            defined.add(name)
    return found


def circles(found):
    """Groups of files that can reach each other (Tarjan's components of more than one)."""
    home = {name: path for path, (defined, _) in found.items() for name in defined}
    calls = {p: {home[n] for n in used if n in home and home[n] != p} for p, (_, used) in found.items()}
    index, low, stack, groups = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in calls[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = []
            while not group or group[-1] != v:
                group.append(stack.pop())
            if len(group) > 1:
                groups.append(sorted(group))

    sys.setrecursionlimit(10000)
    for v in calls:
        if v not in index:
            visit(v)
    return groups, calls, home


def folders(room, found):
    """Folder of a room -> (defined, used) by its files; "." has those beside the folders."""
    home = os.path.join(SOURCE, "src", room)
    folder_of = {}
    for folder, _, names in os.walk(home):
        inside = os.path.relpath(folder, home)
        for name in names:
            path = os.path.normpath(os.path.join("" if room == "cli" else room, inside, name))
            folder_of[path.replace(os.sep, "_") + ".o"] = inside
    joined = {}
    for path, (defined, used) in found.items():
        folder = folder_of.get(os.path.basename(path), ".")
        both = joined.setdefault(folder, (set(), set()))
        both[0].update(defined)
        both[1].update(used)
    return joined


def main():
    bad = 0
    for room, paths in objects().items():
        found = symbols(paths)
        for g in circles(folders(room, found))[0]:
            if (room, g) not in TABLES:
                bad += 1
                print(f"{room}: a circle of folders: {' '.join(g)}")
        groups, calls, home = circles(found)
        for g in groups:
            bad += 1
            print(f"{room}: a circle of {len(g)} files")
            for p in g:
                for q in sorted(calls[p] & set(g)):
                    names = sorted(n for n in found[p][1] if home.get(n) == q)
                    print(f"    {os.path.basename(p)} -> {os.path.basename(q)}: {' '.join(names[:4])}")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main() else 0)

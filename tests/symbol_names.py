# SPDX-License-Identifier: MIT
"""symbol_names.py - what perf's text looks like with the names of docs/symbol-names.md

perf chooses another one of the names of an address. Names are replaced by the tables of the files in which they are:
the C library and the others that programs of this machine load, their debug files, the vdso.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

WORD = re.compile(r"([A-Za-z_][\w.@]*?)((?:@plt)?)(?![\w.@])")


def readelf(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, errors="replace", timeout=600,
                          check=False).stdout


def rank(symbol):
    """The better name has the smaller one, as docs/symbol-names.md says."""
    name, binding, size, order = symbol
    local = binding == "LOCAL"
    old = "@" in name and "@@" not in name
    bare = re.sub(r"@.*", "", name)
    underscores = len(re.match("_*", bare)[0])
    if re.match("__(GI|EI)_.", bare):
        bare = bare[5:]
        underscores = 3 + len(re.match("_*", bare)[0])
    length = len(bare.lstrip("_"))
    return (not size, name.startswith(".L"), local, old, underscores, binding == "WEAK",
            -length if local else length, order)


def names_of(path):
    """(name that perf may show, name that is shown) of each function."""
    table, places = None, {}
    for order, line in enumerate(readelf("-s", path).splitlines()):
        words = line.split()
        if line.startswith("Symbol table"):
            table = words[2]
        if len(words) > 7 and words[3] in ("FUNC", "IFUNC", "OBJECT", "NOTYPE") and words[6].isdigit():
            places.setdefault((table, words[1]), []).append((words[7], words[4], int(words[2], 0), order))
    whole = any(".symtab" in table for table, _ in places)
    for (table, _), symbols in places.items():
        if whole and ".symtab" not in table:
            continue
        best = re.sub(r"@.*", "", min(symbols, key=rank)[0])
        for name, *_ in symbols:
            # perf has the versions of .symtab only
            yield name if whole else name.split("@")[0], best


def files_of_this_machine():
    """(name, file with its symbols) of each library."""
    words = subprocess.run(["ldd", os.environ["SONDE"]], capture_output=True, text=True, check=False).stdout.split()
    for path in sorted({os.path.realpath(word) for word in words if word.startswith("/")}):
        build_id = re.search("Build ID: (..)([0-9a-f]+)", readelf("-n", path))
        debug = build_id and f"/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug"
        yield os.path.basename(path), debug if debug and os.path.exists(debug) else path


def vdso(to):
    with open("/proc/self/maps", encoding="utf-8") as f:
        found = next((line for line in f if line.endswith("[vdso]\n")), None)
    if not found:
        return
    start, end = (int(n, 16) for n in found.split()[0].split("-"))
    with open("/proc/self/mem", "rb") as f:
        f.seek(start)
        to.write(f.read(end - start))
        to.flush()


def without_unsure(pairs):
    found, unsure = {}, set()
    for name, best in pairs:
        if found.setdefault(name, best) != best:
            unsure.add(name)
    return {name: best for name, best in found.items() if name not in unsure}


@functools.cache
def shown_names():
    """By binary, and of all together: "" is the name of that."""
    with tempfile.NamedTemporaryFile() as image:
        vdso(image)
        of = {name: without_unsure(names_of(path)) for name, path in [*files_of_this_machine(), ("[vdso]", image.name)]}
    of[""] = without_unsure(pair for names in of.values() for pair in names.items())
    return of


def as_shown(text):
    """perf's text with the names that sonde shows."""
    of = shown_names()

    def line_as_shown(line):
        binary = next(binary for binary in of if binary in line)

        def name_as_shown(m):
            # an entry of the PLT has the name that its own file asks for
            return m[1].split("@")[0] + m[2] if m[2] and not binary else of[binary].get(m[1], m[1]) + m[2]

        return WORD.sub(name_as_shown, line)

    return "\n".join(map(line_as_shown, text.split("\n")))


if __name__ == "__main__":   # as a filter
    print(as_shown(sys.stdin.read()), end="")

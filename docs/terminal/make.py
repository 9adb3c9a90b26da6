#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py SONDE [--check]: writes docs/terminal.md, or says that it is not what the key tables of SONDE say."""
import os
import subprocess
import sys

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "terminal.md")
HEAD = """\
# sonde on a terminal

`sonde report`, `sonde top` and `sonde annotate` draw a screen on a terminal. The keys are the same in all, and those of
perf's browser where it has one for the same thing; `h` shows them. `docs/terminal/make.py` makes this page from the
tables of `sonde help --tables`.

Text is printed instead:

- with `--stdio`, on a pipe, into a file, with `TERM=dumb`, and in a build without ncurses;
- on a terminal of less than 20 columns or 5 rows (`report`, `annotate`);
- for output of `report` that is no table of rows with trees: `--json`, `--html`, `-t`, `-q`, `-g flat`,
  `-g folded`, `--header`, `--threads`, `--stats`, `--tasks`, `--mmaps`, `-D`;
- for `annotate` with `--stdio2`, `--html`, `-l`, `--asm-raw` or `-q`.

`--tui` says why there can be no screen.

## What is shown

A row with `+` opens. Of its tree, a line with a percentage begins a branch; the lines without one below it are the
functions that have all of its weight. A branch that is alone is open. Trees are made of open rows only. With
`--hierarchy`, rows open level by level; those of the last level have the trees.

Names are cut at the right where the screen ends, by columns; names before the last column are cut first, and left out
on a narrow screen. Bytes that are no text, and control characters, are `?`.

`w` asks for a name. Its end says what is written: `.txt` (the rows that are shown, with their trees), `.folded`,
`.html` and `.json`. All have the samples of the threads and times that are shown.

## Colours

| theme | colours |
| --- | --- |
| `default` | orange from 5 percent on, blue from 0.5 percent on: told apart with any colour blindness |
| `classic` | red and green, as perf has them |
| `mono` | none, bold from 5 percent on |

`--theme NAME` chooses one, else `$SONDE_THEME` does. With `NO_COLOR` there are no colours.

## Keys
"""


def tables(sonde):
    keys = {}
    for line in subprocess.run([sonde, "help", "--tables"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        kind, *words = line.split("\t")
        if kind == "key":
            command, key, text = words
            keys.setdefault((key, text), []).append(command)
    return keys


def page(sonde):
    keys = tables(sonde)
    commands = sorted({c for where in keys.values() for c in where})
    lines = ["| key | " + " | ".join(f"`{c}`" for c in commands) + " | |", "| --- |" + " --- |" * (len(commands) + 1)]
    for (key, text), where in keys.items():
        names = ", ".join(f"`{k}`" for k in key.split())
        lines.append(f"| {names} | " + " | ".join("yes" if c in where else "" for c in commands) + f" | {text} |")
    return HEAD + "\n" + "\n".join(lines) + "\n"


def main():
    text = page(sys.argv[1])
    if "--check" not in sys.argv:
        with open(DOC, "w", encoding="utf-8") as f:
            f.write(text)
        return 0
    with open(DOC, encoding="utf-8") as f:
        if f.read() == text:
            return 0
    print("docs/terminal.md is not what docs/terminal/make.py makes of the key tables")
    return 1


sys.exit(main())

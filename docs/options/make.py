#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py SONDE [--check]: writes docs/options.md, or says where it is not what it should be.

The options of perf and trace-cmd are in theirs.txt (see collect.py), ours are asked of SONDE (sonde help --tables). An
option is the same when its letter and its name lead to one of ours, which takes an argument when theirs does. notes.txt
says where that is not the whole truth, a line each:

	TOOL COMMAND OPTION CLASS TEXT

CLASS is "same", "differs" or "not-yet". Letters of trace-cmd that are ours too must be there, since letters are few:
the same one may mean something else.
"""
import collections
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
DOC = os.path.join(here, "..", "options.md")
VERSIONS = {"perf": "7.2", "trace-cmd": "3.4"}

Row = collections.namedtuple("Row", "letter name argument same_as applies about")


def read_tables(sonde):
    """Our commands with their rows, and what becomes of the commands of others: (tool, name) to (here, what)."""
    text = subprocess.run([sonde, "help", "--tables"], capture_output=True, text=True, check=True).stdout
    commands, others = {}, {}
    for line in text.splitlines():
        kind, *words = line.split("\t")
        if kind in ("command", "part"):
            commands[words[0]] = []
        elif kind == "option":
            commands[words[0]].append(Row(*words[1:]))
        elif kind == "other":
            others[words[0], words[1]] = (words[2], words[3])
    return commands, others


def read_lines(name):
    with open(os.path.join(here, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def spelled(letter, name):
    return " ".join(([f"-{letter}"] if letter != "-" else []) + ([f"--{name}"] if name != "-" else []))


def find(rows, letter, name):
    by_letter = [r for r in rows if letter != "-" and r.letter == letter]
    by_name = [r for r in rows if name != "-" and r.name == name]
    return by_letter[0] if by_letter else None, by_name[0] if by_name else None


def flag_of_opposite(rows, name):
    """--no-inherit where we have --inherit, and the other way round."""
    other = name[3:] if name.startswith("no-") else f"no-{name}"
    return next((r for r in rows if r.name == other and r.argument == "no"), None)


def classify(rows, letter, name, argument):
    """(class, text) of one of their options."""
    by_letter, by_name = find(rows, letter, name)
    if not by_name and name != "-" and argument == "no" and flag_of_opposite(rows, name):
        by_name = flag_of_opposite(rows, name)
    row = by_name or by_letter
    if not row or (not by_name and name != "-"):
        # a letter that means something else does not count, nor does one that we spell otherwise
        if not by_letter or by_letter.name == "-":
            return "not yet", ""
        return "not yet", f"`-{letter}` is `{spelled('-', by_letter.name)}` here"
    if by_letter and by_name and by_letter.same_as != by_name.same_as:
        return "differs", f"`-{letter}` is `{spelled('-', by_letter.name)}` here"
    if letter != "-" and not by_letter:
        return "differs", f"there is no `-{letter}`"
    if row.about.startswith(("accepted", "as with perf")):
        return "differs", "accepted, without effect"
    if row.about.endswith(("(always done)", "(always there)", "(never done)")):
        return "differs", row.about[row.about.rindex("(") + 1:-1]
    if row.argument != argument:
        return "differs", {"yes": "takes an argument here", "no": "takes no argument here",
                           "maybe": "the argument may be left out here"}[row.argument]
    return "same", ""


def read_notes():
    notes = {}
    for line in read_lines("notes.txt"):
        tool, command, option, kind, *text = line.split(" ", 4)
        notes[tool, command, option] = (kind.replace("-", " "), text[0] if text else "")
    return notes


class Maker:
    def __init__(self, sonde):
        self.commands, self.others = read_tables(sonde)
        self.notes = read_notes()
        self.wrong = []
        self.counts = collections.defaultdict(collections.Counter)
        self.used = collections.defaultdict(set)

    def ours_of(self, tool, command):
        words = self.others[tool, command][0].split(", ")
        return [w.split()[0] for w in words]

    def one(self, tool, command, letter, name, argument):
        key = next((k for k in ((tool, command, f"--{name}"), (tool, command, f"-{letter}")) if k in self.notes), None)
        # letters behind --ftrace are trace-cmd's
        behind = tool == "trace-cmd" and command == "record"
        rows = [r for c in self.ours_of(tool, command) for r in self.commands[c] if behind or r.applies == "always"]
        rows.sort(key=lambda r: r.applies == "always")
        kind, text = classify(rows, letter, name, argument)
        by_letter, by_name = find(rows, letter, name)
        if key:
            noted = self.notes.pop(key)
            if noted[0] not in ("same", "differs", "not yet") or (noted[0] == "same" and not (by_letter or by_name)):
                self.wrong.append(f"notes.txt: {' '.join(key)} cannot be '{noted[0]}'")
            kind, text = noted
        elif tool == "trace-cmd" and name == "-" and by_letter:
            self.wrong.append(f"notes.txt: {tool} {command} -{letter} is missing: "
                              f"-{letter} is {by_letter.name} here: same or differs?")
        for row in (by_letter, by_name):
            if row:
                self.used[tool].add((row.letter, row.name))
        self.counts[tool, command][kind] += 1
        return f"| `{spelled(letter, name).replace(' ', '` `')}` | {kind} | {text} |"

    def section(self, tool, command, options):
        ours = ", ".join(f"`sonde {w}`" for w in self.others[tool, command][0].split(", "))
        lines = [self.one(tool, command, *option) for option in options]
        c = self.counts[tool, command]
        return [f"## {tool} {command}", "",
                f"{ours}: {c['same']} same, {c['differs']} differ, {c['not yet']} not yet.", "",
                "| option | here | how |", "| --- | --- | --- |"] + lines + [""]

    def command_table(self, tool):
        lines = [f"| {tool} {VERSIONS[tool]} | here | what it does |", "| --- | --- | --- |"]
        for (t, name), (ours, what) in self.others.items():
            if t == tool:
                here = ", ".join(f"`sonde {w}`" for w in ours.split(", ")) if ours else "not yet"
                lines.append(f"| `{name}` | {here} | {what} |")
        return lines + [""]

    def make(self):
        theirs = collections.OrderedDict()
        for line in read_lines("theirs.txt"):
            tool, command, *option = line.split()
            theirs.setdefault((tool, command), []).append(option)
        sections = [line for key, options in theirs.items() for line in self.section(*key, options)]
        for key in self.notes:
            self.wrong.append(f"notes.txt: {' '.join(key)} is no option of theirs.txt")
        total = collections.Counter()
        for counts in self.counts.values():
            total += counts
        commands = self.command_table("perf") + self.command_table("trace-cmd")
        return "\n".join([
            "# Options of perf and trace-cmd, and ours", "",
            "Made by `docs/options/make.py` from the option tables of the command, the options that perf 7.2 and",
            "trace-cmd 3.4 list themselves, and notes.",
            "For an unknown command or option, sonde prints the nearest name; of commands, also the known ones.", "",
            f"Of {sum(total.values())} options of the commands that are here, {total['same']} are the same, "
            f"{total['differs']} differ, {total['not yet']} are not there yet.", "",
            "## Commands", ""] + commands + sections).rstrip() + "\n"


def main():
    maker = Maker(sys.argv[1])
    text = maker.make()
    for line in maker.wrong:
        print(line)
    if "--check" in sys.argv:
        with open(DOC, encoding="utf-8") as f:
            old = f.read()
        if old != text:
            print("docs/options.md is not up to date: docs/options/make.py SONDE")
            for line in sorted(set(text.splitlines()) ^ set(old.splitlines()))[:40]:
                print(("  + " if line in text.splitlines() else "  - ") + line)
        return 1 if maker.wrong or old != text else 0
    with open(DOC, "w", encoding="utf-8") as f:
        f.write(text)
    return 1 if maker.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())

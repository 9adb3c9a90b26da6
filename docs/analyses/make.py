#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py SONDE [--check]: writes the tables of docs/analysis-json.md, or says where they are not what they should be

They are made of what the rows of the analyses say (sonde help --tables).
"""
import os
import subprocess
import sys

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "analysis-json.md")
MARK = "<!-- made by docs/analyses/make.py from the rows of the analyses -->\n"


def make(sonde):
    text = subprocess.run([sonde, "help", "--tables"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    out = []
    for _, name, about in (r for r in rows if r[0] == "analysis"):
        uses = ",\n".join(f"`{r[2]}`" for r in rows if r[0] == "uses" and r[1] == name)
        out += [f"\n## sonde {name}\n", f"{about[0].upper()}{about[1:]}. It uses", f"{uses}.\n"]
        for i, (_, _, table, what) in enumerate(r for r in rows if r[0] == "table" and r[1] == name):
            sql = name.replace(" ", "_") + (f"_{table}" if i else "")
            out += [f"Table `{table}`, in SQL `{sql}`, has a row for {what}:\n",
                    "| column | kind | meaning |\n| --- | --- | --- |"]
            columns = [r[3:] for r in rows if r[0] == "column" and r[1:3] == [name, table]]
            out += [f"| `{column}` | {kind} | {about} |" for column, kind, about in columns]
            out.append("")
    return MARK + "\n".join(out).rstrip() + "\n"


def main():
    made = make(sys.argv[1])
    with open(DOC, encoding="utf-8") as f:
        head, _, old = f.read().partition(MARK)
    if "--check" not in sys.argv:
        with open(DOC, "w", encoding="utf-8") as f:
            f.write(head + made)
    elif MARK + old != made:
        print("docs/analysis-json.md is not up to date: docs/analyses/make.py SONDE")
        for line in sorted(set(made.splitlines()) ^ set(old.splitlines()))[:40]:
            print(("  + " if line in made.splitlines() else "  - ") + line)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())

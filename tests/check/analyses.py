#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analyses.py - each analysis of the list has its folder, command, help, completion and documentation"""
import os
import re
import subprocess
import sys

source, sonde = os.environ["SONDE_SOURCE"], os.environ["SONDE"]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def read(*path):
    with open(os.path.join(source, *path), encoding="utf-8") as f:
        return f.read()


tables = run(sonde, "help", "--tables").stdout
names = re.findall(r"^analysis\t([^\t]+)", tables, re.M)
listed = re.findall(r"&(\w+)_analysis", read("src", "insight", "analyses.c"))
folders = [d for d in os.listdir(os.path.join(source, "src", "insight"))
           if d != "base" and os.path.isdir(os.path.join(source, "src", "insight", d))]
wrong = []
if len(names) != len(listed) or not names:
    wrong.append(f"the command has {len(names)} analyses, the list {len(listed)}")
if sorted(listed) != sorted(folders):
    wrong.append(f"folders of src/insight are {sorted(folders)}, those of the list {sorted(listed)}")
pages = "".join(read("docs", name) for name in os.listdir(os.path.join(source, "docs")) if name.endswith(".md"))
for name in names:
    words = name.split()
    if f"usage: sonde {name} " not in run(sonde, "help", *words).stdout:
        wrong.append(f"sonde help {name} is not there")
    if f"\n{words[-1]}\t" not in run(sonde, "help", "--complete", "--", *words[:-1], "").stdout:
        wrong.append(f"{name} is not completed")
    if f'.SH "SONDE {name.upper()}"' not in run(sonde, "help", "--man", words[0]).stdout:
        wrong.append(f"the manual page of {words[0]} has no {name}")
    if f"sonde {name}" not in read("README.md") + read("CHANGELOG.md"):
        wrong.append(f"CHANGELOG.md does not name sonde {name}")
    if not re.search(rf"^# .*{name}", pages, re.M) and f"sonde {name}" not in read("docs", "sched-differences.md"):
        wrong.append(f"no page of docs/ tells how {name} differs from perf")
made = run(sys.executable, os.path.join(source, "docs", "analyses", "make.py"), sonde, "--check")
if made.returncode:
    wrong.append(made.stdout + made.stderr)
sys.exit("\n".join(wrong) or 0)

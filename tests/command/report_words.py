#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_words.py: the list of sort keys, and the answers to words that are none"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd
import shipped_data

bad = []


def check(name, good, got):
    if not good:
        bad.append(name)
        print(f"{name}: {got}")


def sonde(*words):
    return subprocess.run([os.environ["SONDE"], *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def report(*words):
    return sonde("report", *words)


def check_list(plain):
    """Each word of the list has a sentence, and each is taken as a column."""
    done = report("--sort", "help")
    lines = [re.fullmatch(r"(\S+(?:, \S+)*) {2,}(\S.*)", line) for line in done.stdout.splitlines()]
    check("the list", done.returncode == 0 and not done.stderr and all(lines), done)
    words = [word for line in lines for word in line[1].split(", ") if word.islower()]
    check("many words", len(words) > 70 and {"comm", "sym", "symbol", "cycles", "phys_daddr"} < set(words), words)
    check("of fields", report("-F", "help").stdout == done.stdout, "another list")
    columns = [line for line in done.stdout.splitlines() if line[0].islower()]
    for option in ("--sort", "--fields"):
        of_top = sonde("top", option, "help")
        check(f"top {option}", of_top.returncode == 0 and not of_top.stderr and
              of_top.stdout.splitlines() == columns, of_top)
    for word in set(words) - {"trace_fields"}:
        answer = report("-i", plain, "-F", word)
        check(word, "there is no" not in answer.stderr and answer.returncode < 2, answer.stderr)


def check_answers(path, answers, *more):
    for option, word, nearest in answers:
        done = report("-i", path, option, word, *more)
        kind = "sort key" if option == "--sort" else "field"
        wrong = word.split(",")[-1]
        said = f"sonde report: there is no {kind} '{wrong}'" + (f"; did you mean '{nearest}'?" if nearest else "")
        check(word, done.returncode == 2 and done.stderr.splitlines()[0] == said and not done.stdout, done)


def check_left_out(path):
    done = report("-i", path, "--sort", "comm,trace_fields,common_pid")
    check("fields left out", done.returncode == 0 and
          "a report has at most 20 fields of an event; further ones are left out\n" in done.stderr, done)
    check("20 fields", " f0 " in done.stdout and " f19\n" in done.stdout and " f20" not in done.stdout, done)
    done = report("-i", path, "--sort", ",".join(f"f{i}" for i in range(20)))
    check("no field left out", done.returncode == 0 and done.stderr == "", done)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        plain, fields = os.path.join(tmp, "plain"), os.path.join(tmp, "fields")
        with open(plain, "wb") as f:
            f.write(pd.make(pd.comm("prog") + pd.sample(0x10010)))
        with open(fields, "wb") as f:
            f.write(shipped_data.unpack("tracepoints.data"))
        check_list(plain)
        check_answers(plain, (("--sort", "cmom", "comm"), ("--sort", "dso,chldren", "children"),
                              ("--fields", "overhed", "overhead"), ("--sort", "qwertz", None),
                              ("--sort", "prev_pid", None)))
        check_answers(fields, (("--sort", "prev_pdi", "prev_pid"), ("--sort", "comm,prev_pdi", "prev_pid"),
                               ("--sort", "sched_switch.prev_pdi", "sched_switch.prev_pid"),
                               ("--sort", "sched_swich.prev_pid", "sched_switch.prev_pid"),
                               ("--sort", "sched:sched_switch.prev_pd", "sched:sched_switch.prev_pid"),
                               ("--sort", "prev_pdi/raw", "prev_pid/raw"), ("--fields", "overhed", "overhead"),
                               ("--fields", "prev_pdi", "prev_pid"), ("--sort", "qwertz", None)))
        check_answers(fields, (("--sort", "prev_pdi", "prev_pid"),), "--json")
        with open(plain, "wb") as f:
            f.write(pd.tracepoint(7, [(f"u8 f{i}", 1, False) for i in range(22)], '""', bytes(22)))
        check_left_out(plain)
    print(f"{len(bad)} wrong")
    return 1 if bad else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat_perf.py - `sonde stat` prints what the newest perf prints, column by column, and counts what it counts

Numbers vary from run to run: each becomes a mark of its width with the blanks before it, or one mark in CSV and JSON.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perf_shell  # noqa: E402  (it finds the newest perf)

SONDE = os.environ["SONDE"].split()
BUSY = ["sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done"]
TEN = ["sh", "-c", "i=0; while [ $i -lt 10 ]; do /bin/true; i=$((i + 1)); done"]
TOUCH = [sys.executable, "-c", "b = bytearray(64 << 20)"]
failures = 0


def check(good, what, detail=""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}\n{detail}")


def run(tool, *words):
    """Of a model without events of its own: perf 7 adds metrics of a known CPU and fails without their events."""
    r = subprocess.run([*tool, "stat", *words], capture_output=True, text=True, timeout=600, check=False,
                       env={**os.environ, "LC_ALL": "C", "PERF_CPUID": "GenuineIntel-6-17-1"})
    return r.stderr


NUMBER = r"(?:<not counted>|-?nan|-?\d[\d.]*)"


def text_shape(text):
    lines = []
    for line in text.splitlines():
        if "time elapsed" in line or " seconds " in line:
            line = re.sub(r"  \( \+- *[\d.]+% \)", "", line)
        line = re.sub(r" +\( \+- *[\d.]+% \)$", "", line)   # a mean of 0 has none
        line = re.sub(r" +\([\d.]+%\)$", "", line)
        line = re.sub(rf" +{NUMBER}(?= )", lambda m: "~" * len(m[0]), line)
        lines.append(line.rstrip())
    return lines


def csv_shape(text):
    """A rate that is not known is an empty field, and its unit is there."""
    rows = [[re.sub(rf"^ *{NUMBER}(%?)$", r"N\1", field) for field in line.split(",")] for line in text.splitlines()]
    return [row[:-2] + ["N" if row[-1] else row[-2], row[-1]] for row in rows if len(row) > 2]


def json_shape(text):
    shapes = []
    for line in text.splitlines():
        row = json.loads(line)
        shapes.append({key: re.sub(rf"^{NUMBER}$", "N", str(value)) for key, value in row.items()})
    return shapes


def columns(perf):
    whole = ["context-switches,cpu-clock,cpu-migrations,page-faults", "cs,task-clock,faults,minor-faults,major-faults",
             "alignment-faults,emulation-faults,dummy,bpf-output,cgroup-switches,migrations", "{cs,page-faults},cycles",
             "page-faults:u,task-clock:u"]
    cases = [[], ["-C", "0"], ["-r", "2"], ["-d"], ["-I", "20000"], ["-n"], ["-e", "duration_time,user_time,cs"]]
    cases += [["-a", *by] for by in ([], ["-A"], ["--per-core"], ["--per-socket"], ["--per-node"], ["--per-die"])]
    cases += [["-a", *by, "-I", "20000"] for by in (["-A"], ["--per-core"])]
    cases += [["-a", "-A", *show, "-e", "cs/percore/,cs"] for show in ([], ["--percore-show-thread"])]
    cases += [["-e", events] for events in whole] + [["-e", whole[0], "-r", "2"]]
    for words in cases:
        ours, theirs = run(SONDE, *words, *BUSY), run(perf, *words, *BUSY)
        if "-e" not in words:        # beside chosen events sonde has rates, too
            ours_shape, theirs_shape = text_shape(ours), text_shape(theirs)
            check(ours_shape == theirs_shape, f"stat {words}: text", f"{ours}\n{theirs}")
        for flag, shape in ("-x,", csv_shape), ("-j", json_shape):
            ours, theirs = run(SONDE, flag, *words, *BUSY), run(perf, flag, *words, *BUSY)
            check(shape(ours) == shape(theirs), f"stat {flag} {words}", f"{ours}\n{theirs}")


def value(text, event):
    for line in text.splitlines():
        fields = line.split(",")
        if fields[2] == event:
            return float(fields[0])
    raise ValueError(text)


def counts(perf):
    """The same command, counted by both: what does not depend on the moment is equal."""
    for event, command, tolerance in (("page-faults", TOUCH, 0.03), ("minor-faults", TOUCH, 0.03),
                                      ("dummy", TEN, 0), ("alignment-faults", TEN, 0), ("emulation-faults", TEN, 0),
                                      ("bpf-output", TEN, 0), ("sched:sched_process_fork", TEN, 0),
                                      ("sched:sched_process_exit", TEN, 0)):
        ours, theirs = (value(run(tool, "-x,", "-e", event, *command), event) for tool in (SONDE, perf))
        check(abs(ours - theirs) <= tolerance * max(ours, theirs), f"{event}: {ours}, perf {theirs}")
    # one run, two counters of its own time: the CPU time of the command is the same to both
    for event in "task-clock", "cpu-clock":
        line = run(SONDE, "-x,", "-e", event + ",user_time,system_time", *BUSY)
        clock, used = value(line, event) * 1e6, value(line, "user_time") + value(line, "system_time")
        check(abs(clock - used) < 0.5 * used + 1e7, f"{event} {clock} and rusage {used}", line)


def machine(perf):
    for name in "has_pmem num_cores num_cpus num_cpus_online num_dies num_packages smt_on system_tsc_freq".split():
        ours, theirs = (run(tool, "-x,", "-e", name, "true") for tool in (SONDE, perf))
        # perf also says that /proc/cpuinfo has no frequency, and counts 0
        count = re.sub(r"\A\s*Failed to find TSC frequency.*\n", "", theirs)
        check(ours == count, f"the number of the machine {name}", f"{ours}\n{theirs}")


def main():
    found = perf_shell.find_perf()
    perf = found[0].split() if found else []
    version = subprocess.run([*perf, "--version"], capture_output=True, text=True, check=False).stdout if perf else ""
    if not version.startswith("perf version 7."):
        print("skipped: there is no perf 7 to compare with")
        return 77
    tries = [run(tool, "-a", "-e", "page-faults", *BUSY) for tool in (SONDE, perf)]
    if any("page-faults" not in text or "<not" in text for text in tries):
        print("skipped: counting is not permitted here")
        return 77
    columns(perf)
    counts(perf)
    machine(perf)
    return 1 if failures else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_timehist.py - `sonde sched timehist` and `latency` of recordings made here: forms agree, a choice changes no
time"""
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

SKIP = 77
sonde = os.environ["SONDE"]
PROGRAM = ["sh", "-c", "for i in 1 2 3 4 5; do sleep 0.02; done; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"]


def run(*words, status=0, stdin=None):
    done = subprocess.run([sonde, *words], capture_output=True, text=True, check=False, stdin=stdin)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def tables_of(data, *options, analysis="timehist"):
    doc = json.loads(run("sched", analysis, "--json", *options, "-i", data).stdout)
    assert doc["schema"] == 1 and doc["analysis"] == f"sched {analysis}", doc
    tables = {}
    for table in doc["tables"]:
        names = [c["name"] for c in table["columns"]]
        assert all(len(row) == len(names) for row in table["rows"]), table["name"]
        tables[table["name"]] = [dict(zip(names, row)) for row in table["rows"]]
    return tables


def thousandths(ns):
    return f"{(ns or 0) // 1000000}.{(ns or 0) % 1000000 // 1000:03}"


def forms_agree(data):
    rows = tables_of(data, "-w", "-M")["events"]
    lines = [line for line in run("sched", "timehist", "-w", "-M", "-i", data).stdout.splitlines()[3:]
             if " lost " not in line]
    events = [row for row in rows if row["event"] != "loss"]
    assert len(lines) == len(events), (len(lines), len(events))
    for line, row in zip(lines, events):
        time = f"{row['time'] // 10**9}.{row['time'] % 10**9 // 1000:06} [{row['cpu']:04}]"
        assert line.split("]")[0].strip() + "]" == time, (line, row)
        if row["event"] == "switch" and row["task"]["tid"]:
            assert line.split()[-3:] == [thousandths(row[c]) for c in ("wait", "delay", "run")], (line, row)
    table = list(csv.DictReader(run("sched", "timehist", "-w", "-M", "--csv", "-i", data).stdout.splitlines()))
    assert len(table) == len(rows)
    for flat, row in zip(table, rows):
        for name in ("time", "cpu", "wait", "delay", "run", "from_cpu"):
            assert flat[name] == ("" if row[name] is None else str(row[name])), (name, flat, row)
        assert row["task"] is None or flat["task_tid"] == str(row["task"]["tid"])


def facts_hold(data):
    """Runs of a CPU do not overlap; a wait has its delay within; sums are those of the lines."""
    tables = tables_of(data, "-S")
    ended, sums = {}, collections.Counter()
    for row in tables["events"]:
        if row["event"] != "switch":
            continue
        assert row["wait"] is None or row["delay"] is None or row["delay"] <= row["wait"], row
        if row["run"] is not None:
            assert row["time"] - row["run"] >= ended.get(row["cpu"], 0), row
            sums[row["task"]["tid"]] += row["run"]
        ended[row["cpu"]] = row["time"]
    for row in tables["run_times"]:
        assert row["runs"] == 0 or row["min_run"] <= row["avg_run"] <= row["max_run"], row
    by_task = collections.Counter()
    for row in tables["run_times"]:
        by_task[row["task"]["tid"]] += row["run"]
    idle = sums.pop(0, 0)
    assert {t: n for t, n in by_task.items() if n} == {t: n for t, n in sums.items() if n}
    assert idle == sum(row["idle"] for row in tables["cpus"])
    total = tables["totals"][0]
    assert total["run"] == sum(sums.values()) and total["tasks"] == len(tables["run_times"])
    assert total["run"] + idle <= total["span"] * total["cpus"], total


def a_choice_changes_no_time(data):
    rows = [row for row in tables_of(data)["events"] if row["event"] == "switch"]
    of_tid = collections.Counter(row["task"]["tid"] for row in rows if row["task"]["tid"])
    tid = of_tid.most_common(1)[0][0]
    cpu = rows[0]["cpu"]
    prio = rows[0]["prio"]
    for options, chosen in ((["-t", str(tid)], lambda r: r["task"]["tid"] == tid),
                            (["-C", str(cpu)], lambda r: r["cpu"] == cpu),
                            (["--prio", str(prio)], lambda r: r["prio"] == prio)):
        found = [row for row in tables_of(data, *options)["events"] if row["event"] == "switch"]
        assert found == [row for row in rows if chosen(row)], options
    middle = rows[len(rows) // 2]["time"] / 1e9
    before = tables_of(data, "-s", "--time", f",{middle:.9f}")["totals"][0]
    after = tables_of(data, "-s", "--time", f"{middle:.9f},")["totals"][0]
    whole = tables_of(data, "-s")["totals"][0]
    assert abs(before["run"] + after["run"] - whole["run"]) <= 4000, (before, after, whole)


def delays(data):
    """The lines of latency have the values of its tables; names have the delays of their tasks, and -s their order."""
    tables = tables_of(data, "--by", "task,comm", analysis="latency")
    lines = run("sched", "latency", "-i", data).stdout.splitlines()[3:]
    assert len(tables["tasks"]) == lines.index(""), lines
    for line, row in zip(lines, tables["tasks"]):
        words = line[28:].split()
        shown = ["-" if row[c] is None else thousandths(row[c]) for c in ("avg", "p50", "p95", "p99", "max")]
        assert words[0] == thousandths(row["run"]) and words[1:3] == [str(row["switches"]), str(row["delays"])], line
        assert words[3:8] == shown, (line, row)
    by_name = collections.Counter()
    for row in tables["tasks"]:
        by_name[row["task"]["comm"]] += row["delays"]
    assert by_name == {row["comm"]: row["delays"] for row in tables["comms"]}
    rows = tables_of(data, "-s", "p99,max", analysis="latency")["tasks"]
    order = [(row["p99"] or -1, row["max"] or -1) for row in rows]
    assert order == sorted(order, reverse=True), order
    tid = max(rows, key=lambda r: r["delays"])["task"]["tid"]
    chosen = tables_of(data, "-t", str(tid), analysis="latency")["tasks"]
    assert chosen == [row for row in rows if row["task"]["tid"] == tid], chosen
    for options, words in ((["-s", "nothing"], "sort takes"), (["--by", ""], "by takes"), (["-s", "avg,"], None),
                           (["--by", "task,pid"], "by takes")):
        done = run("sched", "latency", *options, "-i", data, status=2 if words else 0)
        assert not words or words in done.stderr, (options, done.stderr)


def one_command(data):
    """A recording of one command has no time that was not recorded."""
    done = run("sched", "timehist", "-S", "-i", data)
    assert "some tasks only" in done.stderr, done.stderr
    for row in tables_of(data)["events"]:
        assert row["run"] is None or row["run"] < 10**9, row


def bad_input(data):
    assert "expects what to show" in run("sched", status=2).stderr
    assert "There are: timehist, latency, map" in run("sched", "nothing", status=2).stderr
    assert "'summary' excludes 'wakeups'" in run("sched", "timehist", "-s", "-w", "-i", data, status=2).stderr
    assert "exclude each other" in run("sched", "timehist", "--json", "--csv", "-i", data, status=2).stderr
    assert "priorities" in run("sched", "timehist", "--prio", "7-", "-i", data, status=2).stderr
    assert "No such file" in run("sched", "timehist", "-i", "none.data", status=1).stderr
    with open(data, "rb") as f:
        piped = run("sched", "timehist", "-s", "-i", "-", stdin=f)
    assert piped.stdout == run("sched", "timehist", "-s", "-i", data).stdout
    for file, lines in (("all.data", 0), ("all.dat", 4)):   # the formats of a perf.data are at its end
        with open(file, "rb") as f, open("cut", "wb") as g:
            g.write(f.read()[:os.path.getsize(file) * 19 // 20])
        done = run("sched", "timehist", "-i", "cut", status=1)
        assert done.stderr.startswith("sonde: ") and done.stdout.count("\n") >= lines, (file, done.stderr)


with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    made = subprocess.run([sonde, "record", "-a", "-m", "2048", "-e", "sched:*", "-o", "all.data", "--", *PROGRAM],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        print("events of the kernel cannot be recorded here:", made.stderr.strip())
        sys.exit(SKIP)
    run("convert", "--to", "v7", "all.data", "all.dat")
    run("record", "-e", "cpu-clock", "-o", "other.data", "--", "true")
    run("record", "-e", "sched:sched_switch", "-c", "1", "-o", "one.data", "--", *PROGRAM)
    for recording in ("all.data", "all.dat"):
        forms_agree(recording)
        facts_hold(recording)
        a_choice_changes_no_time(recording)
        delays(recording)
    one_command("one.data")
    bad_input("all.data")
    assert "sched:sched_switch was not recorded" in run("sched", "timehist", "-i", "other.data", status=1).stderr

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_latency.py: the delays of `sonde sched latency` are perf's, or differ as docs/sched-differences.md says

Held against what perf 7.2 printed for the recordings of corpus/analyses. A task whose delays differ has to differ in
one of the ways of that page, shown by its events. Then what must hold of any recording: rules of sums, prefixes, the
same numbers of both formats, and what the recorded programs did.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
sonde = os.environ["SONDE"]
analyses = os.path.join(corpus, "analyses")
recordings = sorted(glob.glob(os.path.join(analyses, "sched-*.data")))

ROW = re.compile(r"\s*(?P<comm>.*):(?P<who>\d+|\(\d+\))\s+\|\s+(?P<run>[\d.]+) ms \|\s+(?P<n>\d+) \| "
                 r"avg:\s*(?P<avg>[\d.]+) ms \| max:\s*(?P<max>[\d.]+) ms \| max start:\s*(?P<begin>[\d.]+) s \| "
                 r"max end:\s*(?P<end>[\d.]+) s")
GOES_TO_SLEEP_NS = 20000


def fail(*words):
    sys.exit("FAILED: " + " ".join(str(w) for w in words))


def run(*words):
    done = subprocess.run([sonde, *words], capture_output=True, text=True, errors="replace", check=False, timeout=120)
    if done.returncode:
        fail(words, done.stderr)
    return done.stdout


def tables_of(file, *options, analysis="latency"):
    doc = json.loads(run("sched", analysis, "--json", *options, "-i", file))
    return {t["name"]: [dict(zip([c["name"] for c in t["columns"]], row)) for row in t["rows"]]
            for t in doc["tables"]}


def oracle(path):
    """perf's rows as dicts, times in ns; by name and task, or name and number of tasks."""
    rows = []
    with open(path, encoding="utf-8", errors="replace") as f:
        for m in filter(None, map(ROW.match, f)):
            d = m.groupdict()
            rows.append({"comm": d["comm"], "who": d["who"], "n": int(d["n"]),
                         **{k: round(float(d[k]) * 1e6) for k in ("run", "avg", "max")},
                         **{k: int(d[k].replace(".", "")) * 1000 for k in ("begin", "end")}})
    return rows


class Events:
    """What the events of a recording tell of a task: for the reasons of differences."""

    def __init__(self, file):
        self.early = collections.Counter()             # wakeups as it went to sleep
        self.unseen = collections.Counter()            # wakeups of a task that is not known to have left its CPU
        self.ran_first = {}                            # time, if the first event of it is its run time
        self.came = {}                                 # its first switch-in
        woken, runs, seen = {}, set(), set()
        lines = run("sql", "--csv", file, "select t, 's', prev_pid, next_pid, prev_state from tp_sched_sched_switch "
                    "union all select t, 'w', field_pid, 0, 0 from tp_sched_sched_waking "
                    + ("union all select t, 'r', field_pid, 0, 0 from tp_sched_sched_stat_runtime "
                       if self.has_runtime(file) else "") + "order by 1").splitlines()[1:]
        for line in lines:
            t, kind, a, b, state = (int(x) if x.lstrip("-").isdigit() else x for x in line.split(","))
            if kind == "r" and a not in seen:
                self.ran_first[a] = t
            if kind == "w":
                woken[a] = t
                self.unseen[a] += a in runs
            if kind == "s":
                if state & 0xff and not state & 0x100 and t - woken.get(a, -10**18) <= GOES_TO_SLEEP_NS:
                    self.early[a] += 1
                self.came.setdefault(b, b not in seen)
                runs.discard(a)
                runs.add(b)
            seen.update((a, b))

    @staticmethod
    def has_runtime(file):
        return "sched_stat_runtime" in run("evlist", file)


def kind_of(perf, own, events, lost):
    """The way in which a task's delays differ from perf's; None: in none that is known."""
    same_max = abs(perf["max"] - (own["max"] or 0)) <= 1000
    sums = abs(perf["n"] * perf["avg"] - (own["sum"] or 0)) <= 500 * perf["n"] + 1000
    tid = int(perf["who"])
    if perf["n"] == own["delays"] and same_max and sums:
        return "same"
    if perf["n"] == own["delays"] + 1 and same_max and sums and events.came.get(tid):
        return "first switch-in"
    if perf["n"] == own["delays"] and tid in events.ran_first and perf["max"] > own["max"] and \
            abs(perf["n"] * perf["avg"] - perf["max"] - own["sum"]) <= own["max"] + 1000 * perf["n"]:
        return "first seen by its run time"
    for kind, extra in (("wakeup as it went to sleep", events.early[tid]),
                        ("switch that was not recorded", events.unseen[tid])):
        if perf["n"] < own["delays"] <= perf["n"] + extra and own["max"] >= perf["max"] - 1000:
            return kind
    extra = own["delays"] + 1 - perf["n"]
    if events.came.get(tid) and 0 < extra <= events.early[tid] + events.unseen[tid] and \
            own["max"] >= perf["max"] - 1000 and perf["n"] * (perf["avg"] - 500) <= own["sum"]:
        return "both, first switch-in and wakeup"
    if lost and perf["n"] >= own["delays"] and perf["n"] * perf["avg"] + 500 * perf["n"] >= (own["sum"] or 0):
        return "gap"
    return None


NOTHING = {"delays": 0, "max": None, "sum": None, "accounted": None}


def compare_tasks():
    kinds = collections.Counter()
    for file in recordings:
        name = os.path.basename(file)[:-len(".data")]
        own = collections.defaultdict(list)
        for row in tables_of(file)["tasks"]:
            own[row["task"]["tid"]].append(row)
        events = Events(file)
        for perf in oracle(os.path.join(analyses, name + ".sched-latency-p.txt")):
            tasks = own[int(perf["who"])] or [NOTHING]
            found = [(kind_of(perf, o, events, "lost" in name), o) for o in tasks]
            kind, row = next((f for f in found if f[0]), (None, None))
            if not kind:
                fail(name, "delays differ without a reason:", perf, tasks)
            if row["accounted"] is not None and abs(perf["run"] - row["accounted"]) > 500:
                fail(name, "run times differ:", perf, row)
            kinds[kind] += 1
            kinds["tasks"] += 1
    for kind, n in sorted(kinds.items()):
        print(f"{n:6} {kind}")
    for kind in ("first switch-in", "first seen by its run time", "switch that was not recorded", "gap",
                 "both, first switch-in and wakeup"):
        if not kinds[kind]:
            fail("no task shows the difference:", kind)
    if kinds["same"] < kinds["tasks"] * 0.85:
        fail("too few tasks are as perf has them")


def compare_names():
    """perf adds up tasks of one name: the same longest delay, and run times."""
    same = several = 0
    for file in recordings:
        name = os.path.basename(file)[:-len(".data")]
        own = {row["comm"]: row for row in tables_of(file, "--by", "comm")["comms"]}
        for perf in oracle(os.path.join(analyses, name + ".sched-latency.txt")):
            row = own.get(perf["comm"])
            if not row or row["accounted"] is None:
                continue
            several += 1
            same += abs(perf["run"] - row["accounted"]) <= 1000 and abs(perf["max"] - (row["max"] or 0)) <= 1000 and \
                (row["max"] is None or abs(perf["begin"] - row["max_begin"]) <= 1000)
    print(f"{same:6} of {several} names are as perf has them")
    if same < several * 0.95:
        fail("too few names are as perf has them")


def rules_hold():
    """Of each recording, whatever it is of."""
    for file in recordings + sorted(glob.glob(os.path.join(analyses, "td-*.dat"))):
        if "td-calls" not in file and "td-" in file and "lost" in file:
            continue
        tables = tables_of(file, "--by", "task,comm")
        total = tables["totals"][0]
        for name in ("tasks", "comms"):
            rows = tables[name]
            if sum(r["delays"] for r in rows) != total["whole"] or sum(r["run"] for r in rows) != total["run"]:
                fail(file, name, "do not add up to", total)
            for r in rows:
                if r["woken"] + r["preempted"] != r["delays"] or \
                        (r["woken_sum"] or 0) + (r["preempted_sum"] or 0) != (r["sum"] or 0):
                    fail(file, "woken and preempted are not the delays:", r)
                if r["delays"] and not r["p50"] <= r["p95"] <= r["p99"] <= r["max"] == r["max_end"] - r["max_begin"]:
                    fail(file, "percentiles are in no order:", r)
        if tables["tasks"] != sorted(tables["tasks"], key=lambda r: (r["avg"] is None, -(r["avg"] or 0),
                                                                    -(r["max"] or 0), -r["switches"], -r["run"])):
            fail(file, "the tasks are in no order")


def history(file):
    return [r for r in tables_of(file, analysis="timehist")["events"] if r["event"] == "switch"]


def sum_rule(file):
    """What a task did lies end to end in time, and so do the runs of a CPU."""
    out, cpus, checked = {}, {}, 0
    for r in history(file):
        who = (r["task"]["tid"], r["task"]["pid"], r["task"]["comm"] if not r["task"]["tid"] else "", r["cpu"]
               if not r["task"]["tid"] else 0)
        if r["run"] is not None and r["cpu"] in cpus:
            if r["time"] - r["run"] != cpus[r["cpu"]]:
                fail(file, "a run does not begin where the one before it ended:", r)
            checked += 1
        if r["task"]["tid"] and r["run"] is not None and r["wait"] is not None and who in out:
            if out[who] + r["wait"] + r["run"] != r["time"]:
                fail(file, "a task is at no place for some time:", r)
            checked += 1
        out[who] = cpus[r["cpu"]] = r["time"]
    return checked


def delays_of_history(file):
    """The delays of the lines of timehist are those of latency, but for stays that had not ended."""
    lines = collections.Counter()
    for r in history(file):
        if r["delay"] is not None and r["task"]["tid"]:
            lines[r["task"]["tid"]] += 1
    delays, unseen = collections.Counter(), set()
    for r in tables_of(file)["tasks"]:
        delays[r["task"]["tid"]] += r["delays"]
        if r["switches"] + 1 < r["delays"]:              # it was not seen to leave its CPU: it has no lines
            unseen.add(r["task"]["tid"])
    for tid in (delays.keys() | lines.keys()) - unseen:
        if delays[tid] < lines[tid] or (delays[tid] > lines[tid] + 2 and "lost" not in file):
            fail(file, "timehist and latency differ for", tid, lines[tid], delays[tid])


def prefixes(folder):
    """A recording that is cut short tells the same of what came before the cut."""
    for name in ("sched-convoy-61", "sched-sleepers", "sched-lost"):
        file, cut = os.path.join(analyses, name + ".data"), os.path.join(folder, "cut.data")
        whole = history(file)
        for part in (3, 2):
            end = whole[len(whole) // part]["time"]
            run("cut", "--time", f",{end / 1e9:.9f}", file, cut)
            rows = history(cut)
            if not rows or rows != whole[:len(rows)] or rows[-1]["time"] < end - 10**6:
                fail(name, "a prefix tells something else:",
                     next(((a, b) for a, b in zip(rows, whole) if a != b), (len(rows), len(whole))))
            if tables_of(cut)["totals"][0]["whole"] > tables_of(file)["totals"][0]["whole"]:
                fail(name, "a prefix has more whole delays than all")
            os.remove(cut)


def both_formats(folder):
    for name in ("sched-reuse", "sched-convoy-61", "sched-forks", "sched-inversion-pi", "sched-sleepers"):
        data, dat = os.path.join(analyses, name + ".data"), os.path.join(folder, name + ".dat")
        run("convert", "--to", "v7", data, dat)
        a, b = tables_of(data), tables_of(dat)
        for rows in (a["tasks"], b["tasks"]):
            for r in rows:                               # a trace.dat knows no processes, and names later
                r["task"] = r["task"]["tid"]
            rows.sort(key=lambda r: (r["task"], r["max_begin"] or 0))
        if a != b:
            fail(name, "differs as a trace.dat:",
                 next(((x, y) for x, y in zip(a["tasks"], b["tasks"]) if x != y), (a["totals"], b["totals"])))


def known_answers():
    """What the programs of the recordings did."""
    def rows(name):
        return tables_of(os.path.join(analyses, name + ".data"))["tasks"]

    burns = [r for r in rows("sched-runq") if r["task"]["comm"].startswith("burn-")]
    if len(burns) != 4 or any(not 58e6 <= r["run"] <= 66e6 or r["preempted"] < r["woken"] for r in burns):
        fail("sched-runq: four tasks run 60 ms each and are preempted:", burns)
    convoy = [r for r in rows("sched-convoy-61") if r["task"]["comm"].startswith("conv-")]
    if len(convoy) != 6 or any(not 24e6 <= r["run"] <= 30e6 for r in convoy):
        fail("sched-convoy-61: six tasks run 27 ms each:", convoy)
    sleepers = {r["task"]["comm"]: r for r in rows("sched-sleepers")}
    for comm, sleeps in (("sl-1ms", 100), ("sl-3ms", 50), ("sl-10ms", 20), ("tick-2ms", 100)):
        if not sleeps <= sleepers[comm]["woken"] <= sleeps + 5:
            fail("sched-sleepers:", comm, "is woken", sleeps, "times:", sleepers[comm])
    lives = sorted(r["task"]["comm"] for r in rows("sched-reuse") if r["task"]["tid"] == 31999)
    if lives != ["new-life", "old-life"]:
        fail("sched-reuse: a number has two lives, not", lives)
    kids = [r for r in rows("sched-forks") if re.match(r"kid-\d+$|true$", r["task"]["comm"])]
    if len(kids) < 60:
        fail("sched-forks: 60 children, not", len(kids))
    if not tables_of(os.path.join(analyses, "sched-lost.data"))["totals"][0]["cut"]:
        fail("sched-lost: no delay is cut")


if not os.path.isdir(analyses):
    print(f"there are no recordings at {analyses} (set SONDE_CORPUS)")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    compare_tasks()
    compare_names()
    rules_hold()
    places = sum(map(sum_rule, recordings))
    print(f"{places:6} places in time")
    for recording in recordings:
        delays_of_history(recording)
    prefixes(tmp)
    both_formats(tmp)
    known_answers()

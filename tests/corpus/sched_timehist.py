#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_timehist.py: the lines of `sonde sched timehist` are perf's, or differ as docs/sched-differences.md says

Held against what perf 7.2 and 6.1 printed for the recordings of corpus/analyses. Each line that differs has to be of
one of the kinds of that page, and its own times have to be those that the lines before it tell.
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

US = 2                                                 # both tools cut times, each at its own place
DYING = ("X", "Z")

LINE = re.compile(r"\s*(?P<sec>\d+)\.(?P<us>\d{6}) \[(?P<cpu>\d+)\]\s+(?:(?P<mark>[sim])\s+)?"
                  r"(?P<task><idle>|swapper|.*?\[(?P<tid>-?\d+)(?:/-?\d+)?\])(?P<rest>.*)")
SWITCH = re.compile(r"\s+(?:(?P<prio>-?\d+(?:->-?\d+)?)\s+)?(?P<wait>\d+\.\d{3})\s+(?P<delay>\d+\.\d{3})\s+"
                    r"(?P<run>\d+\.\d{3})(?:\s+(?P<state>[A-Z]))?(?:\s+next: (?P<next>.*?\[\d+\]))?")
LOST = re.compile(r"\s*\d+\.\d{6} lost \d+ events on cpu \d+")


def fail(*words):
    sys.exit("FAILED: " + " ".join(str(w) for w in words))


def oracle(path):
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    return subprocess.run(["zstd", "-dcq", path + ".zst"], capture_output=True, text=True, errors="replace",
                          check=True).stdout


def ours(file, *options):
    done = subprocess.run([sonde, "sched", "timehist", *options, "-i", file], capture_output=True, text=True,
                          errors="replace", check=False, timeout=120)
    if done.returncode:
        fail(file, done.stderr)
    return done.stdout


def thousandths(text):
    whole, part = text.split(".")
    return int(whole) * 1000 + int(part)


def lines_of(text):
    """Switches as dicts, and others as dicts without times; a lost line as itself."""
    lines = []
    for line in text.splitlines():
        if LOST.match(line):
            lines.append(" ".join(line.split()))
            continue
        found = LINE.match(line)
        if not found:
            continue
        d = found.groupdict()
        d["time"] = int(d["sec"]) * 1000000 + int(d["us"])
        switch = SWITCH.match(d["rest"])
        d["switch"] = bool(switch)
        if switch:
            d.update(switch.groupdict())
            for name in ("wait", "delay", "run"):
                d[name] = thousandths(d[name])
        else:
            d["rest"] = " ".join(d["rest"].split())
        lines.append(d)
    return lines


def plain(name):
    """A kernel worker is called as in the events; perf adds what it works for."""
    return re.sub(r"(kworker/[\w:]+)-[^\[]*", r"\1", name)


def same_name(perf, sonde_name, kinds):
    """Names are the same, or perf has forgotten the task as it exited."""
    if perf == sonde_name:
        return True
    if perf.startswith("kworker/") and plain(perf) == sonde_name:
        kinds["kernel worker"] += 1
        return True
    tid = re.search(r"\[(\d+)", sonde_name)
    if tid and perf == re.sub(r"^[^\[]*\[[\d/]+\]", f":{tid[1]}", sonde_name):
        kinds["name that no record of perf's has"] += 1
        return True
    if tid and re.fullmatch(r":(\d+)\[(\d+)(/\d+)?\]", perf) and f"[{tid[1]}" in perf:
        kinds["name of a task that exits"] += 1
        return True
    if tid and re.search(r"\[-1(/\d+)?\]$", perf):
        kinds["number of a thread that exits"] += 1
        return True
    return False


def exits_of(file):
    done = subprocess.run([sonde, "script", "--show-task-events", "-i", file], capture_output=True, text=True,
                          errors="replace", check=False)
    exits = {}
    for m in re.finditer(r"(\d+)\.(\d{6}): PERF_RECORD_EXIT\(\d+:(\d+)\)", done.stdout):
        exits.setdefault(m[3], int(m[1]) * 1000000 + int(m[2]))
    return exits


class History:
    """What the lines before tell of the one at hand."""

    def __init__(self, file):
        self.exits = exits_of(file)                    # by thread: the first
        self.out = {}                                  # by thread: time of its last line
        self.switched = {}                             # by CPU: time and next of its last line
        self.woken = collections.defaultdict(list)     # by thread

    def dies(self, d):
        """Its EXIT was recorded: it leaves the CPU for the last time later, or is preempted before."""
        return self.exits.get(d["tid"], d["time"] + 1) <= d["time"]

    def take(self, d):
        if d["switch"]:
            self.out[d["tid"]] = d["time"]
            self.switched[d["cpu"]] = (d["time"], d["next"])
        elif "awakened" in d["rest"]:
            self.woken[re.search(r"\[(\d+)(/\d+)?\]$", d["rest"])[1]].append(d["time"])

    def unseen(self, d):
        """The switch that brought the task was not recorded: another one is said to run."""
        before = self.switched.get(d["cpu"])
        return before and before[1] and not before[1].endswith(f"[{d['tid']}]")

    def begun(self, d):
        return d["time"] - d["run"]


def kind_of(perf, own, history, losses):
    """Why the times of a switch differ; None: there is no reason."""
    if history.unseen(own):
        return "switch that was not recorded" if own["run"] == own["wait"] == own["delay"] == 0 else None
    if abs(history.begun(own) - history.switched.get(own["cpu"], (0,))[0]) > US and own["run"]:
        return None
    out = history.out.get(own["tid"])
    waited = own["wait"] == 0 if out is None else abs(history.begun(own) - own["wait"] - out) <= US
    if history.dies(own) and waited and perf["run"] == own["run"] and \
            (own["wait"] >= perf["wait"] or perf["tid"] == "-1"):
        return "task that exits"
    if own["wait"] == perf["wait"] and own["run"] == perf["run"] and perf["delay"] == 0 and \
            own["wait"] == own["delay"] and any(0 <= out - t <= 20 for t in history.woken[own["tid"]]):
        return "wakeup as it went to sleep"
    begun = perf["time"] - perf["run"] - max(perf["wait"], perf["delay"]) - US
    if any(begun <= lost <= own["time"] for lost in losses) and own["wait"] == 0 and \
            own["delay"] <= perf["delay"] and own["run"] in (0, perf["run"]):
        return "gap"
    return None


def compare(file, perf, own, kinds):
    name = os.path.basename(file)
    lines = [d for d in own if isinstance(d, dict)]
    losses = [round(float(d.split()[0]) * 1000000) for d in own if isinstance(d, str)]
    if [d for d in perf if isinstance(d, str)] != [d for d in own if isinstance(d, str)]:
        fail(name, "the lines of losses differ")
    perf = [d for d in perf if isinstance(d, dict)]
    if len(perf) != len(lines):
        fail(name, "has", len(perf), "lines of perf and", len(lines), "of sonde")
    history = History(file)
    for p, o in zip(perf, lines):
        if (p["time"], p["cpu"], p["switch"]) != (o["time"], o["cpu"], o["switch"]):
            fail(name, "the order differs:", p, o)
        if not same_name(p["task"], o["task"], kinds):
            fail(name, "names differ:", p, o)
        if not p["switch"]:
            what, _, who = p["rest"].partition(" ")
            if not o["rest"].startswith(what + " ") or not same_name(who, o["rest"][len(what) + 1:], kinds):
                fail(name, "what happens differs:", p, o)
        if p["switch"]:
            if any(p[k] != o[k] for k in ("prio", "state", "mark")) or (p["next"] and p["next"] != o["next"]):
                fail(name, "columns differ:", p, o)
            kinds["switches"] += 1
            if any(p[k] != o[k] for k in ("wait", "delay", "run")):
                kind = kind_of(p, o, history, losses)
                if not kind:
                    fail(name, "times differ without a reason:", p, o)
                kinds[kind] += 1
        history.take(o)


def compare_lines():
    kinds = collections.Counter()
    for file in sorted(glob.glob(os.path.join(analyses, "sched-*.data"))):
        name = os.path.basename(file)[:-len(".data")]
        compare(file, lines_of(oracle(os.path.join(analyses, name + ".sched-timehist.txt"))),
                lines_of(ours(file, "-w", "-V", "--state", "-M", "-n")), kinds)
    for name in ("perf6.1-sched", "perf6.1-many", "perf7.2-sched", "s390x-sched"):
        path = os.path.join(analyses, "public", name + ".data.sched-timehist.txt")
        file = os.path.join(corpus, "recorded", name + ".data")
        compare(file, lines_of(oracle(path)), lines_of(ours(file, "-w", "--state", "-n")), kinds)
    for kind, n in sorted(kinds.items()):
        print(f"{n:6} {kind}")
    for kind in ("kernel worker", "name of a task that exits", "number of a thread that exits",
                 "name that no record of perf's has", "task that exits",
                 "switch that was not recorded", "wakeup as it went to sleep", "gap"):
        if not kinds[kind]:
            fail("no line shows the difference:", kind)


def columns_of(text):
    """The head, and lines by time and CPU; without perf's column of -P, stacks and blanks at the ends."""
    lines = [line.rstrip() for line in text.splitlines() if not re.match(r"Samples of|--- |    .* lost ", line)]
    head = [re.sub(r"  pre-mig time$|     \(msec\)$|  ---------$", "", line) for line in lines[:3]]
    return head, {line[:22]: re.sub(r"^(.*?(?: +\d+\.\d{3}){3}) .*", r"\1", line) for line in lines[3:]}


def compare_columns():
    """Lines of equal times have the same bytes."""
    same = several = 0
    for file in sorted(glob.glob(os.path.join(analyses, "sched-*.data"))):
        name = os.path.basename(file)[:-len(".data")]
        perf_head, perf = columns_of(oracle(os.path.join(analyses, name + ".sched-timehist-prio.txt")))
        text = ours(file, "--show-prio")
        if text.splitlines()[:3] != perf_head:
            fail(name, "the heads differ:", text.splitlines()[:3], perf_head)
        own = columns_of(text)[1]
        same += sum(line == own.get(place) for place, line in perf.items())
        several += len(perf)
    print(f"{same:6} of {several} lines have perf's bytes")
    if same < several * 0.94:
        fail("too few lines have perf's bytes")


WAITED = re.compile(r"\s*(\d+\.\d{6}) \[(\d+)\].*?((?: +\d+\.\d{3}){4})(?:    (\S.*))?$")


def waits_of(text):
    """By time and CPU: wait, delay, run and the time before a migration; stack."""
    found = [WAITED.match(line.rstrip()) for line in text.splitlines()]
    return {(m[1], m[2]): (m[3].split(), m[4]) for m in found if m}


def compare_pre_migrations():
    """-P: where the delay is perf's, so is the part of it before the task migrated."""
    migrated = 0
    for file in sorted(glob.glob(os.path.join(analyses, "sched-*.data"))):
        name = os.path.basename(file)[:-len(".data")]
        perf = waits_of(oracle(os.path.join(analyses, name + ".sched-timehist-prio.txt")))
        own = waits_of(ours(file, "--show-prio", "-P"))
        for place, (times, _) in perf.items():
            mine = own[place][0]
            if times[:3] == mine[:3] and abs(thousandths(times[3]) - thousandths(mine[3])) > US:
                fail(name, "the times before migrations differ:", place, times, mine)
            migrated += times[3] != "0.000" and times[3] == mine[3]
    print(f"{migrated:6} waits before migrations")
    if migrated < 20:
        fail("too few waits before migrations")


def compare_stacks(folder):
    """-g: the functions of the kernel, as perf has them. Users' functions are found by the binaries of a machine."""
    kallsyms = os.path.join(folder, "kallsyms")
    with open(kallsyms, "w", encoding="utf-8") as f:
        f.write(oracle(os.path.join(analyses, "kallsyms-6.18")))
    file = os.path.join(analyses, "sched-block-g.data")
    perf = oracle(os.path.join(analyses, "sched-block-g.sched-timehist-g.txt"))
    text = ours(file, "-g", "--max-stack", "8", "--kallsyms", kallsyms)
    entry = re.compile(r"entry_SYSCALL_64_after_hwframe|ret_from_fork_asm|asm_\w+")

    def of_kernel(lines):
        """Up to the function by which the kernel was entered. perf shows one more where schedule() was not on it."""
        stacks = {}
        for line in lines.splitlines():
            names = re.split(r" {4}(?=\S+ <- )", line)[-1].split(" <- ")[:8]
            ends = [i for i, name in enumerate(names) if entry.fullmatch(name)]
            if len(names) > 1:
                stacks[line[:22]] = names[:ends[0] + 1] if ends else names
        return stacks

    stacks = [of_kernel(perf), of_kernel(text)]
    if stacks[0] != stacks[1] or len(stacks[0]) < 500:
        fail("stacks differ:", len(stacks[0]), next((k, v, stacks[1].get(k)) for k, v in stacks[0].items()
                                                    if v != stacks[1].get(k)))
    print(f"{len(stacks[0]):6} stacks of the kernel")


def idle_times():
    """Idle times by task and by stack are those of the CPUs; -I has the lines of idle CPUs alone."""
    several = 0
    for file in ("perf6.1-sched.data", "perf7.2-sched.data", "../analyses/td-block.dat", "../analyses/td-stack.dat"):
        path = os.path.join(corpus, "recorded", file)
        tables = {t["name"]: [dict(zip([c["name"] for c in t["columns"]], row)) for row in t["rows"]]
                  for t in json.loads(ours(path, "-S", "-g", "--json"))["tables"]}
        for cpu in tables["cpus"]:
            stacks = [r for r in tables["idle_stacks"] if r["cpu"] == cpu["cpu"]]
            lines = [r for r in tables["events"] if r["event"] == "switch" and r["cpu"] == cpu["cpu"] and
                     r["task"]["tid"] == 0 and r["run"] is not None]
            if sum(r["idle"] for r in stacks) != cpu["idle"] or sum(r["count"] for r in stacks) != len(lines):
                fail(file, "idle times by stack are not those of the CPU:", cpu, stacks)
        idle = sum(r["idle"] for r in tables["cpus"])
        tasks = sum(r["idle"] for r in tables["idle_times"])
        several += idle
        if not idle * 0.9 <= tasks <= idle:
            fail(file, "idle times by task are not those of the CPUs:", tasks, idle)
        rows = json.loads(ours(path, "-I", "--json"))["tables"][0]["rows"]
        if rows != [row for row in json.loads(ours(path, "--json"))["tables"][0]["rows"]
                    if row[0] == "loss" or row[3]["tid"] == 0]:
            fail(file, "-I has other lines than those of idle CPUs")
        if "Idle-time summary" not in ours(path, "-I", "-s") or "Callchains" not in ours(path, "-I", "-s", "-g"):
            fail(file, "-I -s -g has no summary of idle times")
    if not several:
        fail("no CPU was idle")


SUM = re.compile(r"\s+(?P<name>.*)\[(?P<tid>\d+)(?:/\d+)?\]\s+(?P<parent>-?\d+)\s+(?P<runs>\d+)\s+"
                 r"(?P<run>\d+\.\d{3})"
                 r"\s+(?P<min>\d+\.\d{3})\s+(?P<avg>\d+\.\d{3})"
                 r"\s+(?P<max>\d+\.\d{3})\s+(?P<error>\d+\.\d\d)\s+\d+")


def sums_of(text):
    return {m["tid"]: m.groupdict() for m in map(SUM.match, text.splitlines()) if m}


def compare_sums():
    """perf 6.1 keeps the tasks that exit. Tasks of which each switch was recorded have its sums."""
    for file, path in ((os.path.join(analyses, "sched-convoy-61.data"), "sched-convoy-61.sched-timehist-s-6.1.txt"),
                       (os.path.join(corpus, "recorded/perf6.1-many.data"),
                        "public/perf6.1-many.data.sched-timehist-s-6.1.txt")):
        text = ours(file, "-s")
        perf, own = sums_of(oracle(os.path.join(analyses, path))), sums_of(text)
        table = json.loads(ours(file, "--json"))["tables"][0]
        at = {c["name"]: i for i, c in enumerate(table["columns"])}
        unknown = {str(r[at["task"]]["tid"]) for r in table["rows"] if r[at["run"]] is None}
        lasts = {str(r[at["task"]]["tid"]): r for r in table["rows"]}
        compared = 0
        for tid, p in perf.items():
            o = own.get(tid)
            if tid in unknown:
                continue
            if not o:
                fail(path, "task", tid, "is not there")
            columns = ("parent", "runs", "run", "min", "avg", "max", "error")
            if all(p[c] == o[c] for c in columns):
                compared += 1
            # perf counts the last switch of a thread for a task -1
            elif not (lasts[tid][at["state"]] in DYING and int(o["runs"]) == int(p["runs"]) + 1):
                fail(path, "sums differ:", p, o)
        if compared < 4:
            fail(path, "only", compared, "tasks have perf's sums")
        switches = re.compile(r"context switches: (\d+)")
        if switches.search(text)[1] != switches.search(oracle(os.path.join(analyses, path)))[1]:
            fail(path, "the numbers of switches differ")
    idle = re.compile(r"CPU +(\d) idle for +([\d.]+) +msec +\( *([\d.]+)%\)")
    if idle.findall(text) != idle.findall(oracle(os.path.join(analyses, path))):
        fail("idle times differ")


def rows_of(file):
    table = json.loads(ours(file, "-w", "-M", "--json"))["tables"][0]
    at = {c["name"]: i for i, c in enumerate(table["columns"])}
    rows = []
    for row in table["rows"]:
        tasks = [row[at[c]] and row[at[c]]["tid"] for c in ("task", "other")]
        # a trace.dat learns a name with the first switch, a perf.data at once
        comm = row[at["task"]]["comm"] if row[at["event"]] == "switch" else None
        rows.append([comm, *tasks, *(v for i, v in enumerate(row) if i not in (at["task"], at["other"]))])
    return rows


def compare_formats(folder):
    """A perf.data and the trace.dat made of it tell the same."""
    for name in ("sched-reuse", "sched-convoy-61", "sched-forks", "sched-inversion-pi", "sched-sleepers"):
        data, dat = os.path.join(analyses, name + ".data"), os.path.join(folder, name + ".dat")
        subprocess.run([sonde, "convert", "--to", "v7", data, dat], capture_output=True, check=True)
        a, b = rows_of(data), rows_of(dat)
        if a != b:
            fail(name, "differs as a trace.dat:", next((x, y) for x, y in zip(a + [None], b + [None]) if x != y))


def known_answers():
    """What the programs of the recordings did."""
    text = ours(os.path.join(analyses, "sched-reuse.data"), "-s")
    if not re.search(r"old-life\[31999\]", text) or not re.search(r"new-life\[31999\]", text):
        fail("the two lives of a number are not told apart")
    table = json.loads(ours(os.path.join(analyses, "sched-lost.data"), "-s", "--json"))["tables"]
    total = {c["name"]: v for c, v in zip(table[-1]["columns"], table[-1]["rows"][0])}
    if not total["unknown_runs"] or total["run"] > total["span"] * total["cpus"]:
        fail("runs go over gaps:", total)


if not os.path.isdir(analyses):
    print(f"there are no recordings at {analyses} (set SONDE_CORPUS)")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    compare_lines()
    compare_columns()
    compare_pre_migrations()
    compare_stacks(tmp)
    idle_times()
    compare_sums()
    compare_formats(tmp)
    known_answers()

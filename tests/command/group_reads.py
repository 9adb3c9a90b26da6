#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""group_reads.py - `{a,b}:S`: each member of a group has its samples in every view and export

`dump` tells the counts that each record has read. Their growth, by id and thread, is all that any output may show: a
sample of each event whose count has grown, with the growth as its period. Both perfs, where they are here, show the
same columns for recordings made here and for those of the corpus.
"""
import collections
import csv
import fcntl
import gzip
import json
import os
import pty
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.path.abspath(os.environ["SONDE"])
WORKLOAD = os.path.join(os.environ["SONDE_BUILD"], "bench/workload")
CORPUS = os.environ.get("SONDE_CORPUS", os.path.join(SOURCE, "../shared/corpus"))
PERFS = ["perf", os.environ.get("SONDE_NEWEST_PERF", os.path.join(SOURCE, "../shared/tools/newest-perf"))]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import perf_data as pd  # noqa: E402
import shipped_data  # noqa: E402

GROUP_READS = ["perf6.1-groupS.data", "perf6.1-groupS_pipe.data", "perf7.2-groupS_pipe.data", "armhf-multi.data"]
failures = []


def run(*words):
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False)


def sonde(*words):
    done = run(SONDE, *words)
    if done.returncode:
        sys.exit(f"FAILED: sonde {' '.join(words)}: exit status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def expect(what, got, wanted):
    if got != wanted:
        failures.append(what)
        print(f"{what}: differs\n  got:    {str(got)[:1500]}\n  wanted: {str(wanted)[:1500]}")


def group_of(path):
    """The description of the group's leader, and the names of its members."""
    about = json.loads(sonde("info", "--json", "-i", path))["evlist"]
    leader = next(e for e in about if "READ" in e["attr"]["sample_type"])
    return leader, [e["name"] for e in about if e["leader"] == about.index(leader)]


def is_inherited(path):
    return "inherit" in group_of(path)[0]["attr"]["flags"]


def growth(path):
    """(samples, sum of periods) of each event of the group, by the counts in the records."""
    _, members = group_of(path)
    inherited = is_inherited(path)
    last, sums = {}, collections.defaultdict(lambda: [0, 0])
    for tid, body in re.findall(r" tid (-?\d+) SAMPLE.*\n((?: .*\n)+)", sonde("dump", "-i", path).decode()):
        for i, count, number in re.findall(r"read\[(\d+)\]: (\d+) id (\d+)", body):
            key = number, tid if inherited else ""
            grown = int(count) - last.get(key, 0)
            last[key] = int(count)
            if grown:
                sums[members[int(i)]][0] += 1
                sums[members[int(i)]][1] += grown
    return {event: tuple(sums[event]) for event in members if event in sums}


def added_up(pairs):
    """(samples, sum of periods) by event."""
    sums = collections.defaultdict(lambda: [0, 0])
    for event, period in pairs:
        sums[event][0] += 1
        sums[event][1] += int(period)
    return {event: tuple(both) for event, both in sums.items()}


def in_head(n):
    """A number of samples as the head of a table has it."""
    return str(n) if n <= 1000 else f"{n // 1000}K"


def tables(text):
    """What the heads of the tables of a report say: {event: (samples, count)}."""
    return {event: (n, int(count)) for n, event, count in
            re.findall(r"# Samples: (\w+)  ?of event '(.*)'\n# Event count \(approx.\): (\d+)\n", text)}


def on_terminal(command, path):
    """What the browser shows until its last line is there, without the terminal's own sequences."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(SONDE, [SONDE, command, "--tui", "-i", path])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
    shown = b""
    while b"quit" not in shown:
        try:
            shown += os.read(fd, 65536)
        except OSError:          # it has ended
            break
    os.write(fd, b"q")
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    return re.sub(r"\x1b[\[(][0-9;?]*[A-Za-z]", "", shown.decode(errors="replace"))


def check_report(path, want):
    heads = {event: (in_head(n), count) for event, (n, count) in want.items()}
    head = re.search(r"# Samples: (\w+)  ?of events 'anon group \{ (.*) \}'\n# Event count \(approx.\): (\d+)",
                     sonde("report", "-i", path).decode())
    total = sum(n for n, _ in want.values()), sum(count for _, count in want.values())
    expect("report", head and (head[1], head[2].split(", "), int(head[3])), (in_head(total[0]), list(want), total[1]))
    expect("report --no-group", tables(sonde("report", "--no-group", "-i", path).decode()), heads)
    for event in want:
        expect(f"report --event {event}", tables(sonde("report", "--event", event, "-i", path).decode()),
               {event: heads[event]})
    of = json.loads(sonde("report", "--json", "-i", path))
    expect("report --json", {e["event"]: (e["samples"], e["period"]) for e in of["events"]}, want)
    expect("groups of report --json", [g["events"] for g in of["groups"]], [list(want)])
    exported = sonde("export", "--to", "json", "-i", path)
    expect("export --to json has the groups", json.loads(exported)["groups"], of["groups"])
    expect("browser", sorted(set(re.findall(r"events '([^']*)'|(Overhead +Overhead)", on_terminal("report", path)))),
           [("", "Overhead  Overhead"), (", ".join(want), "")])
    expect("report --stats", {event: (int(n), want[event][1]) for event, n in re.findall(
        r"^(\S+) stats:\n +SAMPLE events: +(\d+)", sonde("report", "--stats", "-i", path).decode(), re.M)}, want)
    expect("annotate", re.search(r"for anon group \{ (.*?) \}", sonde("annotate", "--stdio", "-i", path).decode())[1],
           ", ".join(want))


def check_events(path, want):
    """The exports that have every sample."""
    lines = re.findall(r"^ +(\d+) +(\S+): *$", sonde("script", "-F", "period,event", "-i", path).decode(), re.M)
    expect("script", added_up((event, period) for period, event in lines), want)
    rows = csv.DictReader(sonde("export", "--to", "csv", "-i", path).decode().splitlines())
    expect("csv", added_up((r["event"], r["period"]) for r in rows if r["kind"] == "sample"), want)
    objects = map(json.loads, sonde("export", "--to", "json-lines", "-i", path).splitlines())
    expect("json-lines", added_up((o["event"], o["period"]) for o in objects if o["kind"] == "sample"), want)
    chrome = json.loads(sonde("export", "--to", "chrome", "-i", path))["traceEvents"]
    expect("chrome", added_up((e["name"], e["args"]["period"]) for e in chrome if e["ph"] == "P"), want)
    sonde("export", "--to", "sqlite", "-i", path, "-o", "out.sqlite")
    question = "select event, count(*), sum(weight) from v_sample group by 1"
    base = sqlite3.connect("out.sqlite")
    expect("sqlite", {e: (n, sum_) for e, n, sum_ in base.execute(question)}, want)
    base.close()
    told = sonde("sql", "--csv", "-i", path, question).decode()
    expect("sql", {r[0]: (int(r[1]), int(r[2])) for r in list(csv.reader(told.splitlines()))[1:]}, want)


def check_profiles(path, want):
    """The exports of a profile, as sonde reads them again."""
    for event, (samples, period) in want.items():
        words = ["-i", path, "--event", event]
        lines = sonde("export", "--to", "folded", *words).decode().splitlines()
        expect(f"folded {event}", sum(int(line.rsplit(" ", 1)[1]) for line in lines), samples)
        for form in ("pprof", "firefox", "speedscope", "otlp", "callgrind", "svg", "html"):
            sonde("export", "--to", form, *words, "-o", f"out.{form}")
        for form in ("pprof", "firefox", "speedscope"):
            told = sonde("report", f"out.{form}").decode()
            expect(f"{form} {event}", int(re.search(r"Event count \(approx.\): (\d+)", told)[1]), period)
        with open("out.callgrind", encoding="utf-8") as f:
            expect(f"callgrind {event}", int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M)[1]), period)
    sonde("export", "--to", "pprof", "-i", path, "-o", "all.pprof")
    with gzip.open("all.pprof") as f:
        text = f.read()
    expect("pprof has all events", [event for event in want if event.encode() in text], list(want))


def rows_of(text):
    """The head and the rows of the report, without spaces. perf adds the range of --time to the head, and calls one
    event with samples a group, too."""
    text = re.sub(r" \(time slices: .*\)", "", text)
    text = re.sub(r"of events 'anon group \{ ([^,]*) \}'", r"of event '\1'", text)
    return [" ".join(line.split()) for line in text.splitlines()
            if re.match(r"# (Samples|Event)", line) or (line.strip() and line[0] != "#")]


def check_perf(path, *words):
    """Every line as each perf has it; how many perfs were asked. perf 6.1 takes the counts of all threads as one."""
    asked, words = 0, [*words, "--sort", "comm,dso", "-i", path]
    for perf in PERFS:
        if not shutil.which(perf) or (perf == "perf" and is_inherited(path)):
            continue
        theirs = rows_of(run(perf, "report", "--stdio", *words).stdout.decode(errors="replace"))
        if not theirs:           # perf 6.1 does not read all of perf 7.2's
            continue
        expect(f"{os.path.basename(perf)} report {' '.join(words)}", rows_of(sonde("report", *words).decode()), theirs)
        asked += 1
    return asked


def check_tracepoint():
    """A tracepoint whose count another event read has no fields: none are made up."""
    made = run(SONDE, "record", "-q", "-a", "-e", "{cpu-clock,sched:sched_switch}:S", "-o", "member.data", "--",
               WORKLOAD, "0.1")
    if made.returncode:
        print(f"a tracepoint in a group was not recorded: {made.stderr.decode()}")
        return
    lines = [line for line in sonde("script", "-i", "member.data").decode().splitlines() if "sched_switch:" in line]
    expect("a tracepoint is a member", (len(lines) > 0, [line for line in lines if "prev_comm" in line]), (True, []))
    expect("its switches", sonde("sql", "--csv", "-i", "member.data", "select count(*) from sched").split()[1:], [b"0"])
    told = sonde("report", "-s", "trace", "-i", "member.data").decode()
    expect("its trace in a report", "prev_comm" in told, False)


def check_crowded():
    """A made-up record with 1,500 counts and as many callers: what its samples would repeat is limited, and said."""
    n = 1500
    counts = struct.pack(f"<{2 * n + 1}Q", n, *(word for i in range(n) for word in (1, 1 + i)))
    chain = struct.pack(f"<{n + 1}Q", n, *range(0x1000, 0x1000 + n))
    with open("crowded.data", "wb") as f:
        f.write(pd.make(pd.sample(0x1000, more=counts + chain, event=1), sample_type=1 << 4 | pd.CALLCHAIN,
                        read_format=12, ids=[range(1, n + 1)]))
    done = run(SONDE, "script", "-F", "event,ip", "-i", "crowded.data")
    rest = 8 + 5 * 8 + 8 + 8 * (n + 1)       # of the record, without the counts: header, fields, their number, chain
    given = (1 << 20) // rest
    expect("samples of a crowded record", done.stdout.decode().count("\n\n"), given)
    said = f": {n - given} samples of groups whose call chains or stacks would be repeated too often"
    expect("what is said of the others", said in done.stderr.decode(), True)
    expect("exit status of a crowded record", done.returncode, 1)


def main():
    shipped_data.put("groups.data", "groups.data")
    recordings = [os.path.abspath("groups.data")]
    made = run(SONDE, "record", "-q", "-e", "{cpu-clock,page-faults}:S", "-o", "own.data", "--", WORKLOAD, "0.2")
    if made.returncode == 0:
        recordings.append(os.path.abspath("own.data"))
    else:
        print(f"nothing was recorded: {made.stderr.decode()}")
    for path in recordings:
        want = growth(path)
        expect(f"events of {path}", list(want), ["cpu-clock", "page-faults"])
        check_report(path, want)
        check_events(path, want)
        check_profiles(path, want)
    check_tracepoint()
    check_crowded()
    corpus = [os.path.join(CORPUS, "recorded", name) for name in GROUP_READS]
    compared = sum(check_perf(path, *words) for path in [*recordings, *filter(os.path.isfile, corpus)]
                   for words in ([], ["-n"], ["--time", "20%-60%"], ["--group"]))
    print(f"{compared} reports compared with those of perf")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="sonde-groups-") as folder:
        os.chdir(folder)
        main()
    sys.exit(1 if failures else 0)

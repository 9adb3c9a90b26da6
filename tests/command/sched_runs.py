#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_runs.py - run times of threads: the same in SQL, Chrome's JSON and the page, and none that was not recorded"""
import collections
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import page_data  # noqa: E402

SKIP = 77
RUNNING = 1
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus"))
SLEEPER = ["sh", "-c", "sleep 0.5; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def of_sql(data):
    done = run(sonde, "sql", "--json", data, "select tid, t, dur from v_sched")
    assert done.returncode == 0, done.stderr
    times = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        times[json.loads(line)["tid"]].append(json.loads(line)["dur"])
    return times


def of_chrome(data):
    done = run(sonde, "export", "--to", "chrome", "-o", "out.json", data)
    assert os.path.exists("out.json"), done.stderr
    times = collections.defaultdict(list)
    with open("out.json", encoding="utf-8") as f:
        for event in json.load(f)["traceEvents"]:
            if event.get("cat") == "sched" and event["ph"] == "X":
                times[event["args"]["tid"]].append(round(event["dur"] * 1000))
    os.remove("out.json")
    return times


def of_page(data):
    """A page keeps no switches of a trace without samples that it draws."""
    done = run(sonde, "report", "-i", data, "--html", "page.html")
    if not os.path.exists("page.html"):
        return None, done.stderr
    page = page_data.read("page.html")
    os.remove("page.html")
    tracks, running, times = page.get("tracks"), {}, collections.defaultdict(list)
    if not tracks:
        return None, "no tracks"
    for time, thread, state in zip(itertools.accumulate(tracks["time"]), tracks["thread"], tracks["state"]):
        if thread in running:
            times[tracks["tid"][thread]].append((time - running.pop(thread)) * page["time"]["step_ns"])
        if state == RUNNING:
            running[thread] = time
    return times, page["time"]["step_ns"]


def sums(times):
    return {tid: sum(durations) for tid, durations in times.items() if sum(durations)}


def check_equal(data):
    sql, chrome, (page, step) = of_sql(data), of_chrome(data), of_page(data)
    assert {t: sorted(d) for t, d in sql.items()} == {t: sorted(d) for t, d in chrome.items()}, data
    if page is None:
        print(f"not compared with a page: {data}: {step}")
        return sql
    for tid in set(sums(sql)) | set(sums(page)):
        slack = step * 2 * (len(sql.get(tid, [])) + 1)
        assert abs(sums(sql).get(tid, 0) - sums(page).get(tid, 0)) <= slack, (
            data, tid, sums(sql).get(tid), sums(page).get(tid))
    return sql


def record(name, *words):
    done = run(sonde, "record", "-o", name, *words, "--", *SLEEPER)
    if done.returncode != 0:
        print("skipped: switches are not recorded here: " + done.stderr)
        sys.exit(SKIP)


def names(data):
    done = run(sonde, "sql", "--json", data, "select distinct tid, comm from v_sched")
    return {row["tid"]: row["comm"] for row in map(json.loads, done.stdout.splitlines())}


def test_one_command():
    """A task that sleeps half a second did not run then, and neighbours of the command have no run times."""
    for name, words in (("one.data", ["-e", "sched:sched_switch"]), ("one.dat", ["--ftrace", "-e", "sched"])):
        record(name, *words)
        times = check_equal(name)
        assert times and max(max(d) for d in times.values()) < 400e6, (name, times)
        assert set(names(name).values()) <= {"sh", "sleep", "sonde", "sonde-exec"}, (name, names(name))
    assert sum(map(sum, times.values())) > 10e6, ("a trace.dat tells when a task comes back", times)


def test_all_tasks():
    record("all.data", "-a", "-e", "sched:sched_switch")
    times = check_equal("all.data")
    run(sonde, "convert", "--to", "v7", "all.data", "all.dat")
    assert sums(check_equal("all.dat")) == sums(times), "a trace.dat tells the same"


def test_recordings():
    folder = os.path.join(corpus, "analyses")
    if not os.path.isdir(folder):
        print("not tested: there are no recordings of switches (SONDE_CORPUS)")
        return
    tested = 0
    for name in sorted(os.listdir(folder)):
        if name.startswith("sched-") and name.endswith((".data", ".dat")):
            tested += bool(check_equal(os.path.join(folder, name)))
    assert tested > 5, tested


def main():
    folder = tempfile.mkdtemp(prefix="sonde-sched-")
    os.chdir(folder)
    try:
        test_one_command()
        test_all_tasks()
        test_recordings()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

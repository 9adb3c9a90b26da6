#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sched_runs.py [corpus] - run times of threads

The same in SQL, Chrome's JSON, Perfetto and the page, and none that was not recorded; and the sums of times of a CPU
and of a task are whole.
"""
import collections
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import event_readers  # noqa: E402
import page_data  # noqa: E402
import sched_data  # noqa: E402
from sched_data import DEAD, DISK, PREEMPTED, SLEEP  # noqa: E402

RUNNING = 1
sonde = os.environ["SONDE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus"))
SLEEPER = ["sh", "-c", "sleep 0.5; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def of_sql(data, which="1"):
    done = run(sonde, "sql", "--json", data, f"select tid, t, dur from v_sched where {which}")
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


def of_perfetto(data):
    """As Perfetto's trace processor makes slices of switches; None without protoc, which decodes them."""
    if not shutil.which("protoc"):
        return None
    done = run(sonde, "export", "--to", "perfetto", "-o", "out.pftrace", data)
    assert os.path.exists("out.pftrace"), done.stderr
    times = collections.defaultdict(list)
    for _, duration, _, tid, _ in event_readers.read_perfetto("out.pftrace")[1]["slices"]:
        times[tid].append(duration)
    os.remove("out.pftrace")
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


def in_order(times):
    """Those that took time: a reader of slices need not tell of others."""
    return {tid: sorted(filter(None, durations)) for tid, durations in times.items() if any(durations)}


def check_equal(data):
    """The time lines of CPUs in Chrome's JSON and Perfetto have no runs on CPUs that the recording does not tell."""
    sql, (page, step), perfetto = of_sql(data), of_page(data), of_perfetto(data)
    on_cpus = in_order(of_sql(data, "cpu is not null"))
    assert on_cpus == in_order(of_chrome(data)), data
    if perfetto is not None:
        perfetto = in_order(perfetto)
        different = {tid for tid in {*on_cpus, *perfetto} if on_cpus.get(tid) != perfetto.get(tid)}
        assert not different, (data, [(tid, on_cpus.get(tid), perfetto.get(tid)) for tid in different])
    if page is None:
        print(f"not compared with a page: {data}: {step}")
        return sql
    for tid in set(sums(sql)) | set(sums(page)):
        slack = step * 2 * (len(sql.get(tid, [])) + 1)
        assert abs(sums(sql).get(tid, 0) - sums(page).get(tid, 0)) <= slack, (
            data, tid, sums(sql).get(tid), sums(page).get(tid))
    return sql


def rows_of(data, query):
    done = run(sonde, "sql", "--json", data, query)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_cpu_sums(data):
    """Between two switches of a CPU, a task ran, or the CPU was idle, or who ran is not known: a few switches are
    missing in recordings of all tasks, too."""
    other, last, spans = collections.Counter(), {}, collections.Counter()
    for row in rows_of(data, "select t, cpu, prev_pid, next_pid from tp_sched_sched_switch order by t"):
        if row["cpu"] in last:
            before = last[row["cpu"]]
            spans[row["cpu"]] += row["t"] - before["t"]
            if before["next_pid"] == 0 or before["next_pid"] != row["prev_pid"]:
                other[row["cpu"]] += row["t"] - before["t"]
        last[row["cpu"]] = row
    ran = collections.Counter()
    for row in rows_of(data, "select cpu, dur from v_sched where exact"):
        ran[row["cpu"]] += row["dur"]
    for cpu, span in spans.items():
        assert ran[cpu] + other[cpu] == span, (data, cpu, ran[cpu], other[cpu], span)
    return bool(spans)


def check_task_sums(data):
    """From one switch of a task to its next one, it waited and ran."""
    done = run(sonde, "sched", "timehist", "--json", "-i", data)
    table = json.loads(done.stdout)["tables"][0]
    at = {column["name"]: i for i, column in enumerate(table["columns"])}
    before, checked = {}, 0
    for row in table["rows"]:
        if row[at["event"]] != "switch" or not row[at["task"]] or not row[at["task"]]["tid"]:
            continue
        tid, time, wait, ran = row[at["task"]]["tid"], row[at["time"]], row[at["wait"]], row[at["run"]]
        if tid in before and wait is not None and ran is not None:
            assert before[tid] + wait + ran == time, (data, row, before[tid])
            checked += 1
        before[tid] = time
    return checked


def put(name, data):
    with open(name, "wb") as f:
        f.write(data)
    return name


MS = 1000000
# A busy machine: 100, 101, 102 are of the command, 900 and 901 are not.
OF_COMMAND = [
    (1 * MS, 0, 900, PREEMPTED, 100), (10 * MS, 0, 100, SLEEP, 101), (11 * MS, 0, 101, SLEEP, 900),
    (511 * MS, 1, 901, PREEMPTED, 101),       # 101 exits at 512: that switch is not recorded
    (515 * MS, 0, 901, PREEMPTED, 100), (560 * MS, 0, 100, PREEMPTED, 900), (565 * MS, 0, 901, SLEEP, 100),
    (570 * MS, 0, 100, DISK, 102), (575 * MS, 0, 102, SLEEP, 100),
    (600 * MS, 1, 900, PREEMPTED, 102), (601 * MS, 1, 102, SLEEP, 900)]
# CPU 0 has two tasks and is idle between, CPU 1 has one.
OF_ALL = [(1000, 0, 0, 0, 100), (2000, 1, 0, 0, 300), (2500, 1, 300, DISK, 0), (3000, 0, 100, SLEEP, 200),
          (6000, 0, 200, PREEMPTED, 100), (6500, 0, 100, DEAD, 0), (7000, 0, 0, 0, 200), (7100, 1, 0, 0, 300),
          (7700, 1, 300, DEAD, 0), (9000, 0, 200, SLEEP, 0), (9500, 0, 0, 0, 200)]


def test_one_command():
    """A task that sleeps half a second did not run then, and neighbours of the command have no run times."""
    sched_data.trace("one.dat", OF_COMMAND)
    assert in_order(check_equal("one.dat")) == {100: [5 * MS, 9 * MS, 45 * MS], 101: [MS], 102: [MS, 5 * MS]}
    # perf has a switch of the task that leaves only: how long 100 ran at the begin and after 515 ms is not known
    own = [s for s in OF_COMMAND if s[2] in (100, 101, 102)]
    one = put("one.data", sched_data.perf(own, inherit=True, named=(100, 101, 102)))
    assert in_order(check_equal(one)) == {101: [MS], 102: [5 * MS]}, of_sql(one)


def test_all_tasks():
    """With the flag that perf sets for all tasks, too; in a trace.dat that is converted from it as well."""
    runs = {100: [500, 2000], 200: [2000, 3000], 300: [500, 600]}
    for inherit in False, True:
        data = put("all.data", sched_data.perf(OF_ALL, inherit, (100, 200, 300)))
        assert in_order(check_equal(data)) == runs, of_sql(data)
        assert check_cpu_sums(data) and check_task_sums(data) > 1
    run(sonde, "convert", "--to", "v7", "all.data", "all.dat")
    sched_data.trace("own.dat", OF_ALL)
    for data in "all.dat", "own.dat":
        assert in_order(check_equal(data)) == runs, data
        assert check_cpu_sums(data), data


def test_switches_of_a_part():
    """With a period of 2 the half of the switches is there: they tell no runs."""
    data = bytearray(sched_data.perf(OF_ALL))
    at = int.from_bytes(data[24:32], "little")
    data[at + 16:at + 24] = (2).to_bytes(8, "little")
    assert not check_equal(put("part.data", bytes(data)))


def check_both(name, switches, runs):
    """In both formats, as recordings of all tasks."""
    sched_data.trace(name + ".dat", switches)
    for data in put(name + ".data", sched_data.perf(switches)), name + ".dat":
        assert in_order(check_equal(data)) == runs, (data, runs, of_sql(data))


# A CPU on which every switch fits: with it, a few that do not fit are no recording of some tasks.
BESIDE = [(1000 + 100 * i, 2, *((0, 0, 500) if i % 2 == 0 else (500, SLEEP, 0))) for i in range(400)]
BESIDE_RUNS = {500: [100] * 200}


def test_a_task_on_two_cpus():
    """It came to CPU 0, then to CPU 1: nobody knows when it left the first one."""
    check_both("twice", BESIDE + [(1050, 0, 0, 0, 100), (2050, 1, 0, 0, 100), (3050, 1, 100, SLEEP, 0),
                                  (3550, 0, 100, SLEEP, 0)], {**BESIDE_RUNS, 100: [1000]})


def test_a_switch_of_a_third_task():
    """100 came, 300 leaves: of neither is a time known."""
    check_both("third", BESIDE + [(1050, 0, 0, 0, 100), (2050, 0, 300, SLEEP, 0), (3050, 0, 0, 0, 400),
                                  (3650, 0, 400, SLEEP, 0)], {**BESIDE_RUNS, 400: [600]})


def test_many_tasks():
    """Each of 100,000 ran once; the last one has not ended. A reader in Python of the other views takes a minute."""
    n = 100000
    switches = [(1000 + 10 * i, 0, i, DEAD if i else 0, i + 1) for i in range(n + 1)]
    data = put("many.data", sched_data.perf(switches))
    expected = {tid: [10] for tid in range(1, n + 1)}
    assert of_sql(data) == expected and of_chrome(data) == expected


def test_recordings_of_this_machine():
    """Whatever happens here meanwhile, all views tell the same."""
    for name, words in (("here.data", ["-e", "sched:sched_switch"]), ("here.dat", ["--ftrace", "-e", "sched"]),
                        ("all-here.data", ["-a", "-e", "sched:sched_switch"])):
        done = run(sonde, "record", "-o", name, *words, "--", *SLEEPER)
        if done.returncode != 0:
            print("not tested: switches are not recorded here: " + done.stderr)
            return
        check_equal(name)


def is_of_switches(path):
    """Whether it has sched_switch, and lost nothing."""
    done = run(sonde, "sql", "--json", path, "select (select count(*) from sched) as runs, "
               "(select count(*) from loss) + (select count(*) from record where kind = 'lost') as losses")
    row = json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 and done.stdout else {"runs": 0}
    return row["runs"], row.get("losses")


def test_recordings():
    """The sum of a CPU is whole where all tasks were recorded and nothing was lost: of a sched-*.data."""
    if not os.path.isdir(corpus):
        print("not tested: there are no recordings of switches (SONDE_CORPUS)")
        return
    tested, whole, tasks = 0, 0, 0
    for folder in "analyses", "trace", "recorded", "perf":
        for root, _, names in os.walk(os.path.join(corpus, folder)):
            for name in sorted(names):
                path = os.path.join(root, name)
                if not name.endswith((".data", ".dat")) or os.path.getsize(path) > 8 << 20:
                    continue
                runs, losses = is_of_switches(path)
                if not runs:
                    continue
                tested += bool(check_equal(path))
                if name.startswith("sched-") and not losses:
                    whole += check_cpu_sums(path)
                    tasks += check_task_sums(path)
    print(f"{tested} recordings: every view tells the same; {whole} whole sums of CPUs, {tasks} sums of tasks")
    assert tested > 5 and whole > 5 and tasks > 100, (tested, whole, tasks)


def main():
    folder = tempfile.mkdtemp(prefix="sonde-sched-")
    os.chdir(folder)
    try:
        if sys.argv[1:] == ["corpus"]:
            test_recordings()
            return
        test_one_command()
        test_all_tasks()
        test_switches_of_a_part()
        test_a_task_on_two_cpus()
        test_a_switch_of_a_third_task()
        test_many_tasks()
        test_recordings_of_this_machine()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()

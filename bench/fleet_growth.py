#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet_growth.py [HOSTS...]: what a query costs before and after `sonde fleet compact`; default: 10, 100, 1000 hosts

The hosts are synthetic (fleet_data.c): a day, with a file of samples an hour, so 1000 hosts have 24,000 of them. DuckDB
answers the same two questions over both parts of the data set, on two threads; its answers are compared with each
other and with the sums that fleet_data has printed.

Prints `name  value unit  how many times the time of the compacted files` lines. Seconds are CPU time, without that of
a query to nothing: a busy machine changes them little. The best of three runs counts, or one of more than 10 s.

fleet-HOSTS-scan      count(*), sum(weight) of the samples
fleet-HOSTS-hottest   the ten functions in which most samples are
fleet-HOSTS-compact   the compaction
"""
import glob
import os
import resource
import sys
import tempfile

from measuring import ROOT, measure

os.environ.setdefault("SONDE_SOURCE", ROOT)
sys.path.insert(0, os.path.join(ROOT, "tests"))
from duckdb import DuckDB  # noqa: E402
from reader import Skip, output  # noqa: E402

SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
FLEET_DATA = os.path.join(ROOT, "build/release/bench/fleet_data")
HOURS, RUNS, LONG_S = 24, 3, 10
SCAN = "select count(*)::varchar, sum(weight)::varchar from read_parquet('{0}/{samples}', hive_partitioning = true)"
HOTTEST = """select function, sum(w)::varchar as weight
    from (select stack_id, sum(weight) as w from read_parquet('{0}/{samples}', hive_partitioning = true) group by 1)
    join (select distinct stack_id, frames[1] as frame_id from read_parquet('{0}/{stacks}')) using (stack_id)
    join (select distinct frame_id, function from read_parquet('{0}/{frames}')) using (frame_id)
    group by 1 order by sum(w) desc, 1 limit 10"""
SMALL = {"samples": "v1/samples/*/*/*.parquet", "stacks": "v1/stacks/*/*/*.parquet",
         "frames": "v1/frames/*/*/*.parquet"}
COMPACTED = {"samples": "v1/compact/samples/*/*/*.parquet", "stacks": "v1/compact/stacks/*/*.parquet",
             "frames": "v1/compact/frames/*/*.parquet"}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask(question):
    """The answer, and the least CPU time of some runs."""
    best = None
    for _ in range(RUNS):
        before = cpu_seconds()
        answer, = DuckDB().ask([question])
        spent = cpu_seconds() - before
        best = spent if best is None else min(best, spent)
        if spent > LONG_S:
            break
    return answer, best


def sizes(data_set, pattern):
    paths = glob.glob(os.path.join(data_set, pattern))
    return len(paths), sum(os.path.getsize(path) for path in paths)


def expect(what, got, want):
    if got != want:
        sys.exit(f"fleet_growth.py: {what}: {got}, not {want}")


def measure_hosts(hosts, idle_s):
    with tempfile.TemporaryDirectory() as folder:
        data_set = os.path.join(folder, "set")
        _, rows, weight = output([FLEET_DATA, data_set, str(hosts), str(HOURS)])[0].split()
        questions = [("scan", SCAN), ("hottest", HOTTEST)]
        before = [ask(text.format(data_set, **SMALL)) for _, text in questions]
        compaction = measure([SONDE, "fleet", "compact", data_set])
        expect("exit status of the compaction", compaction.status, 0)
        after = [ask(text.format(data_set, **COMPACTED)) for _, text in questions]
        expect("rows and weight", before[0][0], [[rows, weight]])
        expect("functions", len(before[1][0]), 10)
        for (name, _), (small, small_s), (few, few_s) in zip(questions, before, after):
            expect(f"{name} of compacted files", few, small)
            small_s, few_s = max(small_s - idle_s, 0.001), max(few_s - idle_s, 0.001)
            print(f"fleet-{hosts}-{name}  {small_s:.2f} s  {small_s / few_s:.0f}  ({few_s:.3f} s compacted)")
        small, few = sizes(data_set, SMALL["samples"]), sizes(data_set, COMPACTED["samples"])
        print(f"fleet-{hosts}-compact  {compaction.cpu:.2f} s  {int(rows)} rows, {small[0]} files of "
              f"{small[1] / 1e6:.1f} MB to {few[0]} of {few[1] / 1e6:.1f} MB, {few[1] / int(rows):.1f} B a row, "
              f"{compaction.peak / 1e6:.0f} MB of memory", flush=True)


def main():
    try:
        idle_s = ask("select 1")[1]
    except Skip as skip:
        print(f"fleet-growth  skipped: {skip} is missing")
        return
    for hosts in map(int, sys.argv[1:] or ("10", "100", "1000")):
        measure_hosts(hosts, idle_s)


if __name__ == "__main__":
    main()

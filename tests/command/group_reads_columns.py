#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""group_reads_columns.py COLUMN_ROWS - `{a,b}:S` in sonde view, Arrow, Parquet and CTF: the samples of export --to csv

Each member of a group has its samples, with their times where the output has times, and their periods.
"""
import collections
import csv
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import urllib.request

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.path.abspath(os.environ["SONDE"])
COLUMN_ROWS = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import event_readers  # noqa: E402
import shipped_data  # noqa: E402

WORKLOAD = os.path.join(os.environ["SONDE_BUILD"], "bench/workload")
failures = []


def run(*words):
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=True).stdout


def expect(what, got, wanted):
    if got != wanted:
        failures.append(what)
        print(f"{what}: differs\n  got:    {str(got)[:1500]}\n  wanted: {str(wanted)[:1500]}")


def samples_of_csv(path):
    """Time, event and period of each sample, sorted."""
    rows = list(csv.DictReader(run(SONDE, "export", "--to", "csv", "-i", path).decode().splitlines()))
    begin = int(next(json.loads(r["fields"])["start_ns"] for r in rows if r["kind"] == "clock"))
    return sorted((begin + int(r["t"]), r["event"], int(r["period"])) for r in rows if r["kind"] == "sample")


def added_up(samples):
    """(samples, sum of periods) by event."""
    sums = collections.defaultdict(lambda: [0, 0])
    for event, number, period in samples:
        sums[event][0] += int(number)
        sums[event][1] += int(period)
    return {event: tuple(both) for event, both in sums.items()}


def rows(*words):
    return [line.split("\t") for line in run(COLUMN_ROWS, *words).decode().splitlines()]


def check_arrow(path, want):
    expect("arrow", sorted((int(t), event, int(period)) for t, event, period in rows("arrow", path)), want)


def check_parquet(path, want):
    run(SONDE, "export", "--to", "parquet", "-i", path, "-o", "set")
    files = glob.glob("set/v1/samples/**/*.parquet", recursive=True)
    expect("parquet", added_up(rows("parquet", *files)), added_up((event, 1, period) for _, event, period in want))


def check_ctf(path, want):
    run(SONDE, "export", "--to", "ctf", "-i", path, "-o", "trace")
    samples, _ = event_readers.read_ctf("trace")
    expect("ctf", sorted((s["time"], s["event"], s["period"]) for s in samples), want)


def check_view(path, want):
    """The profile that the page asks for, and the sums of its cells over all of the time."""
    view = subprocess.Popen([SONDE, "view", "--timeout", "100", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        address, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)#token=([0-9a-f]{32})",
                                      view.stdout.readline().decode().rstrip()).groups()

        def ask(question):
            request = urllib.request.Request(address + "data/" + question, headers={"Sonde-Token": token})
            with urllib.request.urlopen(request, timeout=300) as answer:
                return answer.read()

        page = json.loads((data := ask("profile"))[4:4 + struct.unpack_from("<I", data)[0]])
        shown = {}
        for i, event in enumerate(page["events"]):
            sums = ask(f"sums?event={i}")
            n = struct.unpack_from("<I", sums)[0]
            weights, counts = (struct.unpack_from(f"<{n}d", sums, 8 + 8 * n * k) for k in range(2))
            if n:
                shown[event["name"]] = int(sum(counts)), int(sum(weights))
    finally:
        view.terminate()
        view.communicate()
    expect("view", shown, added_up((event, 1, period) for _, event, period in want))


def main():
    checks = {"arrow": check_arrow, "parquet": check_parquet, "view": check_view, "ctf": check_ctf}
    shipped_data.put("groups.data", "groups.data")
    recordings = ["groups.data"]
    made = subprocess.run([SONDE, "record", "-q", "-e", "{cpu-clock,page-faults}:S", "-o", "own.data", "--", WORKLOAD,
                           "0.2"], capture_output=True, text=True, check=False)
    if made.returncode == 0:
        recordings.append("own.data")
    else:
        print(f"nothing was recorded: {made.stderr}")
    for i, recording in enumerate(map(os.path.abspath, recordings)):
        want = samples_of_csv(recording)
        expect(f"events of {recording}", sorted({event for _, event, _ in want}), ["cpu-clock", "page-faults"])
        os.mkdir(str(i))
        os.chdir(str(i))
        for check in checks.values():     # ctf last: it ends the test where there is no babeltrace2
            check(recording, want)
        os.chdir("..")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="sonde-groups-") as folder:
        os.chdir(folder)
        main()
    sys.exit(1 if failures else 0)

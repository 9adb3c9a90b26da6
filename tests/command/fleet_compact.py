#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet_compact.py [TIMES]: `sonde fleet compact` makes few files of many; DuckDB finds the same rows in them

The files are those of an export of a recording, and of bench/fleet_data.c. TIMES: instead
symbolic links, and compactions at the same time, so often.
"""
import glob
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from duckdb import DuckDB  # noqa: E402
from reader import Skip, Wrong, environment, output, source  # noqa: E402

sonde = os.environ["SONDE"]
fleet_data = os.path.join(os.environ["SONDE_BUILD"], "bench", "fleet_data")
DATE = "2026-11-22"
HOSTS, HOURS = 21, 2


def check(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}, not {want}")


def run(*words):
    """(exit status, messages) of sonde"""
    r = subprocess.run([sonde, *words], capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=600)
    return r.returncode, r.stderr.decode(errors="replace")


def check_words(folder):
    check("no word", run("fleet")[0], 2)
    check("another word", run("fleet", "expand", folder)[0], 2)
    check("no directory", run("fleet", "compact")[0], 2)
    check("a wrong date", run("fleet", "compact", folder, "--date", "yesterday")[0], 2)
    check("no data set", run("fleet", "compact", folder)[0], 1)


def compact_synthetic(folder):
    """What the files were, and what became of them."""
    files, rows, weight = output([fleet_data, folder, str(HOSTS), str(HOURS)])[0].split()
    broken = f"{folder}/v1/samples/date={DATE}/host=host3/broken.parquet"
    with open(broken, "w", encoding="utf-8") as f:
        f.write("PAR1 and no more")
    status, said = run("fleet", "compact", folder)
    check("exit status with a damaged file", status, 1)
    for line in (f"sonde: {broken}: the Parquet file has no end: PAR1 is expected in its last 4 bytes (at offset 0x10)",
                 f"[ sonde fleet: {files} files became part of 24 files with ", "sonde: 1 file was left out"):
        if line not in said:
            raise Wrong(f"it does not say: {line}\n{said}")
    os.unlink(broken)
    check("files that are there already", run("fleet", "compact", folder), (0, "[ sonde fleet: no new file ]\n"))
    return rows, weight


def parts(folder, table, compacted):
    """SQL of a table, and of the same rows in compacted files."""
    if not compacted:
        return f"read_parquet('{folder}/v1/{table}/*/*/*.parquet', hive_partitioning=true)"
    below = "*/*" if table == "samples" else "*"
    return f"read_parquet('{folder}/v1/compact/{table}/{below}/*.parquet', hive_partitioning=true)"


# the same questions to both; rows of names once
QUESTIONS = {
    "samples": """select count(*), sum(weight), sum(samples), sum(time_s), sum(cpu_mode), count(distinct run_id),
        sum(hash(host, service, comm, event, build_id, stack_id, run_id, weight)::hugeint)::varchar from {}""",
    "stacks": "select count(*), sum(depth), sum(list_sum(frames)::hugeint)::varchar from (select distinct stack_id, "
              "frames, depth from {})",
    "frames": """select count(distinct frame_id), count(distinct function), sum(line) from
        (select distinct frame_id, function, line from {})""",
    "modules": "select build_id, path, max(symbolised) from {} group by all order by all",
    "runs": "select count(*), sum(start_ns::hugeint)::varchar, count(distinct host), sum(lost) from {}",
}


def check_rows(db, folder, rows, weight):
    answers = db.ask([question.format(parts(folder, table, compacted)) for table, question in QUESTIONS.items()
                      for compacted in (False, True)])
    for i, table in enumerate(QUESTIONS):
        check(f"{table} of compacted files", answers[2 * i + 1], answers[2 * i])
    check("samples", answers[1][0][:2], [rows, weight])
    once = db.ask([f"select count(*) - count(distinct {key}) from {parts(folder, table, True)}"
                   for table, key in (("stacks", "stack_id"), ("frames", "frame_id"), ("modules", "build_id"))])
    check("rows that are there twice", once, [[["0"]]] * 3)
    order = db.ask([f"select count(*) from (select time_s, stack_id, lag(time_s) over () t, lag(stack_id) over () s "
                    f"from '{folder}/v1/compact/samples/date={DATE}/service=service1/part-0.parquet') "
                    "where t is not null and (t, s) > (time_s, stack_id)"])
    check("rows out of order", order, [[["0"]]])


def check_export(db, folder):
    """The files of exports of a recording, with a service that is no name of a directory."""
    recording = os.path.join(folder, "perf.data")
    with lzma.open(os.path.join(source, "tests", "data", "callgraph.data.xz")) as packed, open(recording, "wb") as f:
        f.write(packed.read())
    data_set = os.path.join(folder, "real")
    services = ["web", "a/b=c ä%41", "'; drop table"]
    for number, service in enumerate(services):
        status, said = run("export", "--to", "parquet", "--service", service, "--host", f"host{number % 2}-{number}",
                           "-o", data_set, "-i", recording)
        check(f"export: {said}", status, 0)
    question = "select service, host, count(*), sum(weight), sum(samples) from {} group by all order by all"
    before = db.ask([question.format(parts(data_set, "samples", False))])
    check("services", sorted(row[0] for row in before[0]), sorted(services))
    check("compact", run("fleet", "compact", data_set, "--remove")[0], 0)
    check("samples of exports", db.ask([question.format(parts(data_set, "samples", True))]), before)
    check("files that were removed", glob.glob(f"{data_set}/v1/*/*/host=*/*.parquet"), [])


def content(folder):
    """The bytes of each file below a folder, by its path."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def check_at_once(folder, times):
    """Three processes that compact a set at once: one does it, and those without the lock touch nothing."""
    hosts = os.path.join(folder, "hosts")
    output([fleet_data, hosts, "2", "1"])
    alone = os.path.join(folder, "alone")
    shutil.copytree(hosts, alone)
    check("alone", run("fleet", "compact", alone, "--remove")[0], 0)
    want = content(os.path.join(alone, "v1"))
    refused = 0
    for _ in range(times):
        together = os.path.join(folder, "together")
        shutil.copytree(hosts, together)
        running = [subprocess.Popen([sonde, "fleet", "compact", together, "--remove"], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
                   for _ in range(3)]
        ends = sorted((p.communicate(timeout=600)[1].decode(), p.returncode) for p in running)
        for said, status in ends:
            busy = "another process compacts this data set" in said
            check(f"exit status with the message {said}", status, 1 if busy else 0)
            refused += busy
        check("the first to come", 0 in [status for _, status in ends], True)
        got = content(os.path.join(together, "v1"))
        check("files of three compactions at once", sorted(got), sorted(want))
        check("files that differ", [name for name in want if got[name] != want[name]], [])
        shutil.rmtree(together)
    check("processes that were refused", refused > 0, True)


def check_links(folder):
    """A symbolic link below v1 leads to files that are not of this set: they stay, and it is said."""
    for level in ("", f"/date={DATE}", f"/date={DATE}/host=host1"):
        data_set, others = (os.path.join(folder, "links" + level.replace("/", "-") + end) for end in ("", "-others"))
        output([fleet_data, data_set, "2", "1"])
        output([fleet_data, others, "2", "1"])
        place = f"{data_set}/v1/samples{level}"
        shutil.rmtree(place)
        os.symlink(f"{others}/v1/samples{level}", place)
        before = content(others)
        status, said = run("fleet", "compact", data_set, "--remove")
        check(f"exit status with a link at v1/samples{level}", status, 1)
        line = f"sonde: {place}: a symbolic link, which is not followed\n"
        if line not in said:
            raise Wrong(f"it does not say: {line}\n{said}")
        check("files behind a link that were changed", content(others) == before, True)
        want = ["stacks"] if "host" not in level else ["samples", "stacks"]
        parquet = glob.glob(f"{data_set}/v1/compact/**/*.parquet", recursive=True)
        check("tables", [t for t in ("samples", "stacks") if any(f"/compact/{t}/" in name for name in parquet)], want)


def check_export_links(folder):
    """An export writes nothing behind a link that another host has left."""
    recording = os.path.join(folder, "link.data")
    with lzma.open(os.path.join(source, "tests", "data", "callgraph.data.xz")) as packed, open(recording, "wb") as f:
        f.write(packed.read())
    data_set, elsewhere = os.path.join(folder, "linked"), os.path.join(folder, "elsewhere")
    os.makedirs(f"{data_set}/v1")
    os.mkdir(elsewhere)
    os.symlink(elsewhere, f"{data_set}/v1/samples")
    status, said = run("export", "--to", "parquet", "--host", "one", "-o", data_set, "-i", recording)
    check("exit status of an export into a link", status, 1)
    line = f"{data_set}/v1/samples is a symbolic link, which is not followed"
    if line not in said:
        raise Wrong(f"it does not say: {line}\n{said}")
    check("files behind the link", os.listdir(elsewhere), [])


def main():
    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as folder:
            check_links(folder)
            check_export_links(folder)
            return check_at_once(folder, int(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        check_words(folder)
        made = compact_synthetic(os.path.join(folder, "set"))
        db = DuckDB()
        check_rows(db, os.path.join(folder, "set"), *made)
        check_export(db, folder)
    return None


try:
    main()
except Skip as skip:
    print(f"SKIP: {skip}")
    sys.exit(77)
except (Wrong, subprocess.SubprocessError) as wrong:
    print(f"FAIL: {wrong}")
    sys.exit(1)

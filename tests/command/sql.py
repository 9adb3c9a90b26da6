#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sql.py - sonde sql: ten questions with the answers of sonde report, forms of output, statements that are refused"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import shipped_data  # noqa: E402

sonde = os.environ["SONDE"]


def run(*words, status=0, **how):
    done = subprocess.run([sonde, *words], capture_output=True, text=True, check=False, **how)
    assert done.returncode == status, f"{words}: exit status {done.returncode}, not {status}: {done.stderr}"
    return done.stdout, done.stderr


def ask(data, query, *options):
    """Rows as lists of texts."""
    text, _ = run("sql", "--csv", *options, data, query)
    return list(csv.reader(io.StringIO(text)))[1:]


def report(data, key, *options):
    """Samples and periods by the words of a key, of all events."""
    text, _ = run("report", "-i", data, "--stdio", "-g", "none", "--sort", key, "-F", "sample,period," + key, "-t", "|",
                  *(options or ("--no-children",)))
    rows = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            samples, period, *words = line.split("|")
            word = tuple(w.strip().removeprefix("[.] ").removeprefix("[k] ") for w in words)
            before = rows.get(word, (0, 0))
            rows[word] = (before[0] + int(samples), before[1] + int(period))
    return rows


def answers(data, query, *options):
    return {tuple(row[:-2]): (int(row[-2]), int(row[-1])) for row in ask(data, query, *options)}


def test_questions(data):
    sums = "count(*), sum(weight) from v_sample"
    assert answers(data, f"select comm, {sums} group by 1") == report(data, "comm")
    assert answers(data, f"select tid || ':' || comm, {sums} group by 1") == report(data, "tid")
    by_symbol = {key: value for key, value in report(data, "sym").items() if not key[0].startswith("0x")}
    assert by_symbol == answers(
        data, "select function, sum(samples), sum(weight) from v_self where function is not null group by 1")
    functions = {key: value for key, value in report(data, "comm,sym").items() if not key[1].startswith("0x")}
    assert functions == answers(data, f"select comm, function, {sums} where function is not null group by 1, 2")
    (total, period), = ask(data, "select count(*), sum(weight) from sample")
    everything = report(data, "comm").values()
    assert (int(total), int(period)) == (sum(x[0] for x in everything), sum(x[1] for x in everything))
    assert [row[0] for row in ask(data, "select distinct event from v_sample order by 1")] == sorted(
        {line.split(":")[0] for line in run("script", "-i", data, "--layout", "perf", "-F", "event")[0].split()})
    text, _ = run("script", "-i", data, "--layout", "perf", "--ns", "-F", "time")
    times = [int(word.rstrip(":").replace(".", "")) for word in text.split()]
    (first, last), = ask(data, "select min(t) + value, max(t) + value from sample, meta where key = 'start_ns'")
    assert (int(first), int(last)) == (min(times), max(times))
    text, _ = run("export", "-i", data, "--to", "folded", "--no-inline")
    folded = sum(int(line.rsplit(None, 1)[1]) for line in text.splitlines())
    (sum_folded,), = ask(data, "select sum(samples) from v_folded", "--no-inline")
    assert int(sum_folded) == folded == int(total)
    (deepest,), = ask(data, "select max(depth) from stack", "--no-inline")
    text, _ = run("script", "-i", data, "--layout", "perf", "-F", "ip,sym", "--no-inline")
    assert int(deepest) == max(len(block.split("\n\t")) - 1 for block in text.split("\n\n"))
    inclusive, _ = run("report", "-i", data, "--stdio", "--children", "-g", "none", "--sort", "sym",
                       "-F", "overhead_children,sym", "-t", "|", "--no-inline")
    shares = dict(reversed(line.split("|")) for line in inclusive.splitlines() if line and not line.startswith("#"))
    for name, n in ask(data, "select function, samples from v_total where function is not null", "--no-inline"):
        share = shares.get(f"[.] {name}", shares.get(f"[k] {name}"))
        assert share and abs(float(share.rstrip("%")) - 100 * int(n) / int(total)) < 0.01, (name, n, share)


def test_forms(data):
    text, _ = run("sql", data, "select 1 as one, 'x' as text, null as none, 1.5 as half")
    assert text.splitlines() == ["one  text  none  half", "  1  x            1.5"], text
    text, _ = run("sql", "--json", data, "select 1 as one, '\"q\\' as text, null as none, 1.5 as half")
    assert json.loads(text) == {"one": 1, "text": '"q\\', "none": None, "half": 1.5}
    text, _ = run("sql", "--json", data, "select cast(x'ff41c3a9e282eda080f09f9880' as text) as cast")
    assert json.loads(text) == {"cast": "\ufffdA\xe9\ufffd\ufffd\ufffd\ufffd\ufffd\U0001f600"}, text
    text, _ = run("sql", "--csv", data, "select cast(x'ff41c3a9e282' as text) as cast, cast('' as text) as none")
    assert list(csv.reader(io.StringIO(text)))[1:] == [["\ufffdA\xe9\ufffd\ufffd", ""]], text
    text, _ = run("sql", "--csv", data, "select 'a,b' as x, '\"' as y")
    assert list(csv.reader(io.StringIO(text))) == [["x", "y"], ["a,b", '"']], text
    text, _ = run("sql", "--csv", data, "-", input="-- two questions\nselect 1 as a; select 2 as b;\n")
    assert text == "a\n1\nb\n2\n", text
    text, _ = run("sql", data, "select char(27) || '[31m' as red")
    assert "\x1b" not in text and ".[31m" in text, text
    text, _ = run("sql", data, "select char(155) || '31m' as red")
    assert text.splitlines()[1] == "..31m", text
    text, _ = run("sql", "--csv", data,
                  "select value as v from json_each('[5]') union all select atom from json_tree('6')")
    assert text == "v\n5\n6\n", text
    text, _ = run("sql", "--csv", data, "select name from pragma_table_info('meta')")
    assert text == "name\nkey\nvalue\n", text
    os.rename(data, "perf.data")
    text, _ = run("sql", "--csv", "select count(*) > 0 as some from sample")
    assert text == "some\n1\n", text
    os.rename("perf.data", data)


def test_refusals(data):
    for query in ("attach 'other.db' as other", "create table t(a)", "create temp table t(a)", "delete from sample",
                  "insert into meta values(1, 2)", "pragma journal_mode = wal", "select load_extension('x')", "vacuum",
                  "vacuum into 'copy.db'", "detach main", "reindex", "update meta set value = 1", "drop view v_self"):
        done = subprocess.run([sonde, "sql", data, query], capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2) and done.stderr and not done.stdout, (query, done)
    _, told = run("sql", data, "this is no SQL", status=2)
    assert told.startswith('sonde sql: near "this": syntax error'), told
    _, told = run("sql", data, "select no_such_column from sample", status=2)
    assert "no such column" in told, told
    run("sql", status=2)
    run("sql", "none.data", "select 1", status=1)
    run("sql", "--csv", "--json", data, "select 1", status=2)


def main():
    folder = tempfile.mkdtemp(prefix="sonde-sql.")
    os.chdir(folder)
    os.environ["TMPDIR"] = os.path.join(folder, "temporary")
    os.mkdir("temporary")
    try:
        data = shipped_data.put("callgraph.data", "callgraph.data")
        done = subprocess.run([sonde, "sql", data, "select 1"], capture_output=True, text=True, check=False)
        if "libsqlite3" in done.stderr:
            print("skipped: " + done.stderr)
            sys.exit(77)
        test_questions(data)
        test_forms(data)
        test_refusals(data)
        assert os.listdir("temporary") == [] and sorted(os.listdir(".")) == ["callgraph.data", "temporary"]
    finally:
        shutil.rmtree(folder)


main()

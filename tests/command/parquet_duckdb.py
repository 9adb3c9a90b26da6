#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""parquet_duckdb.py FILES: DuckDB reads what the writer of Parquet writes, with the same rows and sums

FILES (tests/parquet_files.c) writes a file for each way in which values are stored, bench/parquet.c that of the
benchmark.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from duckdb import DuckDB  # noqa: E402
from reader import Skip, Wrong, output  # noqa: E402

SUMS = """select count(*)::bigint as n, coalesce(sum(int32), 0)::varchar, coalesce(sum("int64"), 0)::varchar,
    coalesce(sum(delta - 1700000000000000000), 0)::varchar, coalesce(sum(strlen("text")), 0)::varchar,
    coalesce(sum(len(list)), 0)::varchar, coalesce(sum(list_sum(list)), 0)::varchar from '{}'"""
KEYS = ["rows", "int32", "int64", "delta", "texts", "lists", "list_sum"]


def check(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}, not {want}")


def check_sums(db, files):
    for file, rows in zip(files, db.ask([SUMS.format(f["file"]) for f in files])):
        check(file["file"], [int(x) for x in rows[0]], [file[key] for key in KEYS])


def check_metadata(db, folder):
    """Encodings, statistics, the order of rows and the compression, as DuckDB finds them in the footers."""
    def of(name, columns, what="parquet_metadata", rest=""):
        return f"select {columns} from {what}('{folder}/{name}.parquet') {rest}"
    by_column = "order by row_group_id, column_id"
    encodings, distinct, groups, kinds, stats, counts, schema, file, lengths, sample = db.ask([
        of("alike", "path_in_schema, encodings", rest=by_column),
        of("distinct", "path_in_schema, encodings", rest=by_column),
        of("groups", "distinct row_group_id, row_group_num_rows", rest="order by 1"),
        of("*", "distinct compression"),
        of("alike", "path_in_schema, stats_min_value, stats_max_value, stats_null_count", rest=by_column),
        of("long", "stats_min_value, stats_max_value", rest="where path_in_schema = 'text'"),
        of("alike", "name, type, repetition_type, converted_type, logical_type", "parquet_schema"),
        of("alike", "created_by, num_rows, num_row_groups", "parquet_file_metadata"),
        f"""select count(*) from '{folder}/long.parquet' where strlen("text") = 65536 and "text" like '%xxx'""",
        f"""select "text", list from '{folder}/alike.parquet' limit 3""",
    ])
    check("encodings of a few values", encodings, [
        ["int32", "RLE, PLAIN"],
        ["int64", "RLE, PLAIN, RLE_DICTIONARY"],
        ["delta", "RLE, DELTA_BINARY_PACKED"],
        ["text", "RLE, PLAIN, RLE_DICTIONARY"],
        ["list, list, element", "RLE, PLAIN, RLE_DICTIONARY"]])
    check("encodings of distinct values", distinct[:3], [
        ["int32", "RLE, PLAIN"], ["int64", "RLE, PLAIN"], ["delta", "RLE, DELTA_BINARY_PACKED"]])
    check("row groups", groups, [["0", "1048576"], ["1", "51424"]])
    check("compression", kinds, [["ZSTD"]])
    check("statistics", stats[:4], [
        ["int32", "-299998", "299999000", "0"], stats[1],
        ["delta", "1700000000000000000", "1700000000299999000", "0"], ["text", "", '"name" 999 ä', "0"]])
    check("statistics of long texts", counts, [[None, None]])
    check("schema", [row[:4] for row in schema], [
        ["schema", None, None, None], ["int32", "INT32", "REQUIRED", None], ["int64", "INT64", "REQUIRED", None],
        ["delta", "INT64", "REQUIRED", None], ["text", "BYTE_ARRAY", "REQUIRED", "UTF8"],
        ["list", None, "REQUIRED", "LIST"], ["list", None, "REPEATED", None], ["element", "INT64", "REQUIRED", None]])
    check("footer", file[0][1:], ["300000", "1"])
    if not file[0][0].startswith("sonde version "):
        raise Wrong(f"created_by: {file[0][0]}")
    check("long texts", lengths, [["500"]])
    check("texts", [row[0] for row in sample], ['"name" 0 ä', '"name" 1 ä', '"name" 2 ä'])
    check("lists", [len(row[1]) for row in sample], [0, 7, 14])


def check_bench(db, bench, folder):
    path = os.path.join(folder, "bench.parquet")
    want = output([bench, path])[0].split()
    got = db.ask([f"""select count(*)::varchar, sum(time_ns - 1700000000000000000)::varchar, sum(tid)::varchar,
        sum(period)::varchar, sum(length("function"))::varchar from '{path}'"""])[0][0]
    check("the file of the benchmark", got, want)


def main():
    files, bench = sys.argv[1], os.path.join(os.environ["SONDE_BUILD"], "bench", "bench-parquet")
    with tempfile.TemporaryDirectory() as folder:
        db = DuckDB()
        made = [json.loads(line) for line in output([files, folder])[0].splitlines()]
        check_sums(db, made)
        check_metadata(db, folder)
        check_bench(db, bench, folder)


try:
    main()
except Skip as skip:
    print(f"SKIP: {skip}")
    sys.exit(77)
except (Wrong, subprocess.SubprocessError) as wrong:
    print(f"FAIL: {wrong}")
    sys.exit(1)

# SPDX-License-Identifier: MIT
"""test_arrow.py - tables as Arrow: a consumer in ctypes takes the capsules, NumPy takes the columns"""
import ctypes
import gc
import tempfile
import unittest

import sonde
from recordings import perf_data as pd, shipped, written

try:
    import numpy
except ImportError:
    numpy = None
try:
    from duckdb import sql
except ImportError:
    sql = None


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


P = ctypes.POINTER
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", P(P(Schema))),
                   ("dictionary", P(Schema)), ("release", ctypes.CFUNCTYPE(None, P(Schema))),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", P(ctypes.c_void_p)),
                  ("children", P(P(Array))), ("dictionary", P(Array)),
                  ("release", ctypes.CFUNCTYPE(None, P(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, P(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, P(Stream))), ("private_data", ctypes.c_void_p)]
NUMBERS = {b"i": ctypes.c_int32, b"I": ctypes.c_uint32, b"l": ctypes.c_int64, b"L": ctypes.c_uint64}


def stream_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Stream.from_address(get(capsule, b"arrow_array_stream"))


def buffer(array, i, kind, n):
    return ctypes.cast(array.buffers[i], P(kind * n)).contents


def texts(array, n, kind=bytes.decode):
    ends = buffer(array, 1, ctypes.c_int32, n + 1)
    return [kind(ctypes.string_at(array.buffers[2] + ends[i], ends[i + 1] - ends[i])) for i in range(n)]


def values(schema, array):
    """The values of a column as a program of another language would read them."""
    n, kind = array.length, schema.format
    if kind == b"+s":
        columns = [values(schema.children[i].contents, array.children[i].contents) for i in range(schema.n_children)]
        names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
        found = [dict(zip(names, row)) for row in zip(*columns)]
    elif kind == b"+l":
        ends = buffer(array, 1, ctypes.c_int32, n + 1)
        items = values(schema.children[0].contents, array.children[0].contents)
        found = [items[ends[i]:ends[i + 1]] for i in range(n)]
    elif kind == b"u":
        found = texts(array, n)
    elif kind == b"z":
        found = texts(array, n, bytes)
    elif kind == b"b":
        bits = buffer(array, 1, ctypes.c_uint8, (n + 7) // 8)
        found = [bool(bits[i // 8] >> i % 8 & 1) for i in range(n)]
    else:
        found = list(buffer(array, 1, NUMBERS[kind], n))
    if schema.dictionary:
        words = texts(array.dictionary.contents, array.dictionary.contents.length)
        assert len(set(words)) == len(words)
        found = [words[i] if words else None for i in found]
    if array.buffers[0]:
        bits = buffer(array, 0, ctypes.c_uint8, (n + 7) // 8)
        valid = [bits[i // 8] >> i % 8 & 1 for i in range(n)]
        assert array.null_count == n - sum(valid)
        found = [value if ok else None for value, ok in zip(found, valid)]
    return found


def consumed(table):
    """The rows of a table, read from its capsule; the number of batches."""
    capsule = table.__arrow_c_stream__()
    stream, schema, array = stream_of(capsule), Schema(), Array()
    assert stream.get_schema(stream, schema) == 0
    rows, n = [], 0
    while True:
        assert stream.get_next(stream, array) == 0, stream.get_last_error(stream)
        if not array.release:
            break
        rows += values(schema, array)
        array.release(array)
        assert not array.release
        n += 1
    schema.release(schema)
    stream.release(stream)
    assert not stream.release
    return rows, n


class Arrow(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def shipped(self, name):
        return shipped(self.folder.name, name)

    def test_the_rows_of_a_capsule_are_the_events(self):
        for name in ("callgraph.data", "tracepoints.data", "packed.data", "v7.dat", "uprobes.data"):
            with self.subTest(name), sonde.open(self.shipped(name)) as trace:
                rows, batches = consumed(trace.arrow(batch_rows=16))
                self.assertEqual(batches, -(-len(rows) // 16))
                for row, event in zip(rows, trace, strict=True):
                    for key in ("time", "cpu", "pid", "tid", "comm", "ip"):
                        self.assertEqual(row[key], getattr(event, key), key)
                    self.assertEqual(row["event"], event.name)
                    self.assertEqual(row["symbol"], event.function and event.function.symbol)

    def test_fields(self):
        for name, event in (("tracepoints.data", "sched:sched_process_fork"), ("v7.dat", "raw_syscalls:sys_enter")):
            with self.subTest(name), sonde.open(self.shipped(name)) as trace:
                rows, _ = consumed(trace.arrow(event, fields=True))
                self.assertEqual([row["fields"] for row in rows], [e.fields for e in trace.events(event)])
                self.assertTrue(rows)
                with self.assertRaisesRegex(ValueError, "need its name"):
                    trace.arrow(fields=True).read()
                with self.assertRaisesRegex(sonde.Error, "is no tracepoint"):
                    trace.arrow("x:y", fields=True).read()

    def test_columns_are_the_rows(self):
        """sonde's own reading of its batches, against the consumer's."""
        with sonde.open(self.shipped("tracepoints.data")) as trace:
            table = trace.arrow("sched:sched_process_fork", fields=True)
            rows, _ = consumed(table)
            batch = table.read()
            self.assertEqual(batch.names[-1], "fields")
            for name in batch.names:
                self.assertEqual(batch[name].to_list(), [row[name] for row in rows])
                self.assertEqual([batch[name][i] for i in range(len(batch))], batch[name].to_list())
            pids = batch["fields"]["child_pid"]
            self.assertEqual(memoryview(pids).tolist(), [row["fields"]["child_pid"] for row in rows])
            self.assertEqual(batch["time"][-1], rows[-1]["time"])
            for wrong, error in (("none", KeyError), (7, KeyError)):
                with self.assertRaises(error):
                    batch[wrong]
            with self.assertRaises(IndexError):
                pids[len(rows)]
            with self.assertRaises(BufferError):
                memoryview(batch["stack"])

    def test_tables_of_a_profile(self):
        with sonde.open(self.shipped("callgraph.data")) as trace:
            profile = trace.profile(timed=True, inlined=False)
            n = sum(1 for _ in trace)
        tables = {name: consumed(profile.table(name))[0] for name in
                  ("events", "tasks", "functions", "stacks", "cells", "samples")}
        self.assertEqual(sum(cell["samples"] for cell in tables["cells"]), n)
        self.assertEqual(len(tables["samples"]), n)
        self.assertEqual(tables["stacks"][0], {"parent": None, "function": None})
        for cell in tables["cells"]:
            self.assertEqual(tables["stacks"][cell["stack"]]["function"], cell["function"])
            self.assertEqual(tables["tasks"][cell["task"]]["comm"], "workload")

    def test_nothing(self):
        path = written(self.folder.name, "empty.data", pd.make(pd.comm("none")))
        with sonde.open(path) as trace:
            self.assertEqual(consumed(trace.arrow()), ([], 0))
            batch = trace.arrow().read()
            self.assertEqual(len(batch), 0)
            self.assertEqual(batch["comm"].to_list(), [])
            self.assertEqual(batch["comm"].dictionary, ())
            self.assertEqual(memoryview(batch["time"]).tolist(), [])
            self.assertEqual([row["kind"] for row in consumed(trace.arrow(records=True))[0]], ["comm"])

    def test_a_capsule_outlives_the_trace(self):
        trace = sonde.open(self.shipped("callgraph.data"))
        capsule = trace.arrow(batch_rows=10).__arrow_c_stream__(None)
        unused = trace.arrow().__arrow_c_stream__()
        stream, schema, array = stream_of(capsule), Schema(), Array()
        self.assertEqual(stream.get_schema(stream, schema), 0)
        self.assertEqual(stream.get_next(stream, array), 0)
        rows = values(schema, array)
        trace.close()
        del trace, unused
        gc.collect()
        self.assertEqual(values(schema, array), rows)
        array.release(array)
        self.assertNotEqual(stream.get_next(stream, array), 0)
        self.assertEqual(stream.get_last_error(stream), b"this trace is closed")
        del stream, capsule
        schema.release(schema)

    @unittest.skipUnless(numpy, "there is no NumPy")
    def test_numpy_has_no_copy(self):
        with sonde.open(self.shipped("tracepoints.data")) as trace:
            times = [event.time for event in trace]
            batch = trace.arrow().read()
        column = batch["time"]
        one, other = numpy.asarray(column), numpy.asarray(column)
        self.assertEqual(one.dtype, numpy.int64)
        self.assertEqual(one.tolist(), times)
        self.assertEqual(one.__array_interface__["data"], other.__array_interface__["data"])
        self.assertFalse(one.flags.writeable)
        comm = numpy.array(batch["comm"].dictionary)[numpy.asarray(batch["comm"])]
        self.assertEqual(comm.tolist(), batch["comm"].to_list())
        del batch, column, other
        gc.collect()
        self.assertEqual(int(one.sum()), sum(times))

    @unittest.skipUnless(sql, "there is no DuckDB")
    def test_duckdb(self):
        with sonde.open(self.shipped("callgraph.data")) as trace:
            samples = trace.arrow()   # noqa: F841  DuckDB finds it by its name
            self.assertEqual(sql("select count(*) from samples").fetchone(), (70,))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""test_sonde.py - events, profiles, errors and lifetimes; the oracle is the command sonde"""
import gc
import html
import os
import re
import resource
import struct
import tempfile
import threading
import unittest

import sonde
from recordings import CORPUS, SHIPPED, exported, perf_data as pd, run, shipped, written


def setUpModule():
    global folder, folder_object
    folder_object = tempfile.TemporaryDirectory()
    folder = folder_object.name


def tearDownModule():
    folder_object.cleanup()


def named(data, more=b""):
    """A recording with one sample of a thread whose name and function are these bytes."""
    return pd.make(pd.comm(data) + pd.mmap(0x400000, 0x1000, b"/none/" + data) + pd.sample(0x400010) + more)


class Events(unittest.TestCase):
    def test_events_are_those_of_the_command(self):
        for name in SHIPPED:
            path = shipped(folder, name)
            with self.subTest(name), sonde.open(path) as trace:
                n = 0
                for event, want in zip(trace, exported(path), strict=True):
                    n += 1
                    for key in ("time", "cpu", "pid", "tid", "comm"):
                        self.assertEqual(getattr(event, key), want.get(key), (key, want))
                    self.assertEqual(event.name, want["event"])
                    self.assertEqual(event.type, "SAMPLE")
                    if want["kind"] == "tracepoint":
                        self.compare_fields(event, want.get("fields", {}))
                self.assertGreater(n, 0)

    def compare_fields(self, event, want):
        """JSON has large numbers and addresses as text, and leaves fields out that are not whole."""
        got = {key: value for key, value in event.fields.items() if value is not None}
        for key, value in want.items():
            if isinstance(value, str) and isinstance(got[key], int):
                value = int(value, 0)
            if isinstance(value, list):
                value = [int(x, 0) if isinstance(x, str) else x for x in value]
            if isinstance(got[key], bytes):
                value = bytes.fromhex(value)
            self.assertEqual(got[key], value, key)
            self.assertEqual(event[key], got[key])
        self.assertEqual(set(got), set(want))

    def test_call_chains_are_those_of_the_command(self):
        """Recorded ones, those of copied stacks, and those of branches that are calls."""
        corpus = [os.path.join(CORPUS, name) for name in ("recorded/perf6.1-dwarf.data", "recorded/armhf-dwarf.data",
                                                          "perf/perfparser-vector_static_gcc.perf.lbr.data")]
        for path in (shipped(folder, "callgraph.data"), shipped(folder, "dwarf.data"), *filter(os.path.exists, corpus)):
            text = run("script", "-i", path, "--ns", "--no-inline", "-F", "time,ip,sym,symoff")
            samples = [block.splitlines()[1:] for block in text.split("\n\n") if block]
            want = [[line.split(maxsplit=1) for line in sample] for sample in samples]
            with sonde.open(path, strict=False) as trace:
                got = [[[f"{f.ip:x}", f"{f.symbol}+{f.offset:#x}" if f.symbol else "[unknown]"]
                        for f in event.callchain] for event in trace]
            self.assertEqual(got, want, path)
            self.assertGreater(sum(len(chain) > 3 for chain in got), 10, path)

    def test_a_call_stack_of_branches(self):
        chain, calls = [2**64 - 512, 0x400154, 7], [(0x400210, 0x400100), (0x400320, 0x400200)]
        more = struct.pack("<4Q", 3, *chain) + struct.pack("<Q", 2) + b"".join(struct.pack("<3Q", *c, 0) for c in calls)
        for branch_type, want in ((1 | 1 << 11, [0x400150, 0x400210, 0x400320]), (1, [0x400154, 7])):
            path = written(folder, "lbr.data", pd.make(pd.comm("prog") + pd.sample(0x400150, more=more, misc=pd.USER),
                                                       sample_type=pd.CALLCHAIN | pd.BRANCH_STACK,
                                                       branch_type=branch_type))
            with sonde.open(path) as trace:
                self.assertEqual([f.ip for event in trace for f in event.callchain], want)

    def test_choice(self):
        with sonde.open(shipped(folder, "tracepoints.data")) as trace:
            everything = list(trace)
            tid = everything[0].tid
            self.assertEqual([e.time for e in trace.events(tids=tid)], [e.time for e in everything if e.tid == tid])
            name = everything[-1].name
            self.assertEqual([e.time for e in trace.events(name)], [e.time for e in everything if e.name == name])
            times = (everything[3].time, everything[7].time)
            self.assertEqual(len(list(trace.events(time=times))), 5)
            with self.assertRaises(TypeError):
                trace.events(cpus="x")
            with self.assertRaises(OverflowError):
                trace.events(pids=[2**70])
            with self.assertRaises(OverflowError):
                trace.events(tids=2**32 + tid)
            with self.assertRaisesRegex(ValueError, "the choice of events is empty"):
                trace.events([])
            with self.assertRaises(TypeError):
                trace.events([7])

    def test_records(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            types = {}
            for event in trace.events(records=True):
                types[event.type] = event
            self.assertLess({"SAMPLE", "MMAP2", "COMM"}, set(types))
            self.assertIn("filename", types["MMAP2"].fields)
            self.assertEqual(types["COMM"]["comm"], types["COMM"].comm)

    def test_text_is_that_of_the_kernel(self):
        path = shipped(folder, "tracepoints.data")
        lines = run("script", "-i", path, "-F", "trace").splitlines()
        with sonde.open(path) as trace:
            self.assertEqual([e.text.strip() for e in trace], [line.strip() for line in lines])

    def test_functions_are_found_while_the_event_is_at_hand(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            events = iter(trace)
            first = next(events)
            chain = first.callchain
            second = next(events)
            self.assertIs(first.callchain, chain)
            last = list(events)[-1]
            self.assertTrue(second.comm)
            with self.assertRaisesRegex(RuntimeError, "the walk has gone on"):
                last.callchain
            with self.assertRaisesRegex(RuntimeError, "the walk has gone on"):
                second.function


class Names(unittest.TestCase):
    def test_bytes_that_are_no_text(self):
        for raw, want in ((b"a\xff\xfeb", "a\ufffd\ufffdb"), (b"\xe2\x82x", "\ufffd\ufffdx"),
                          (b"\xed\xa0\x80", "\ufffd" * 3), (b"</script>\x1b[m", "</script>\x1b[m"),
                          ("ä€".encode(), "ä€")):
            with self.subTest(raw), sonde.open(written(folder, "names.data", named(raw))) as trace:
                event = next(iter(trace))
                self.assertEqual(event.comm, want)
                self.assertEqual(event.function.module, "/none/" + want)
                batch = trace.arrow().read()
                self.assertEqual(batch["comm"][0], want)
                self.assertEqual(batch["module"][0], "/none/" + want)
                profile = trace.profile()
                self.assertEqual(profile.table("tasks").read()["comm"].to_list(), [want])
                self.assertNotIn("</script>\x1b", profile.html())

    def test_a_long_name(self):
        long = b"x" * 60000
        with sonde.open(written(folder, "long.data", named(long))) as trace:
            self.assertEqual(next(iter(trace)).comm, long.decode())
            self.assertEqual(trace.arrow().read()["comm"][0], long.decode())


class Profiles(unittest.TestCase):
    def test_stacks_are_those_of_the_command(self):
        for name in ("callgraph.data", "dwarf.data", "stacks.dat"):
            path = shipped(folder, name)
            with self.subTest(name), sonde.open(path) as trace:
                profile = trace.profile()
                self.assertEqual(profile.folded(), run("export", "--to", "folded", "-i", path))

    def test_functions_are_those_of_the_report(self):
        path = shipped(folder, "callgraph.data")
        rows = {}
        table = run("report", "--stdio", "-i", path, "--children", "-g", "none", "-F",
                    "overhead_children,overhead,sample,sym,dso", "--sort", "sym,dso", "-t", ";")
        for line in table.splitlines():
            if line and not line.startswith("#"):
                total, own, samples, symbol, dso = (word.strip() for word in line.split(";"))
                rows[symbol[4:], dso] = (float(total.rstrip("%")), float(own.rstrip("%")), int(samples))
        with sonde.open(path) as trace:
            profile = trace.profile()
        sums = profile.events()["cpu-clock"]
        found = profile.functions()
        self.assertEqual(len(found), len(rows))
        for f in found:
            # a report shows an address alone, of user space with all its digits
            address = re.fullmatch(r"0x([0-9a-f]+) \(no symbol\)", f.name)
            symbol = f"0x{address[1]:>016}" if address else f.name
            total, own, samples = rows[symbol + " (inlined)" * f.inlined, f.module]
            self.assertEqual(f.self_samples, samples, f)
            self.assertAlmostEqual(100 * f.total_period / sums[1], total, delta=0.006, msg=f)
            self.assertAlmostEqual(100 * f.self_period / sums[1], own, delta=0.006, msg=f)
        self.assertEqual(sum(f.self_samples for f in found), sums[0])
        self.assertEqual(sum(samples for _, samples, _ in profile.stacks()), sums[0])

    def test_the_order_of_a_stack(self):
        with sonde.open(shipped(folder, "stacks.dat")) as trace:    # which has the names of its kernel
            stacks = [names for names, _, _ in trace.profile().stacks() if "do_exit" in names]
        self.assertTrue(stacks)
        for names in stacks:
            self.assertLess(names.index("do_syscall_64"), names.index("do_exit"))

    def test_timed(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            profile = trace.profile(timed=True)
            times = [event.time for event in trace]
        self.assertEqual(profile.table("samples").read()["time"].to_list(), sorted(times))

    def test_a_notebook_shows_the_page(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            profile = trace.profile()
        shown = profile._repr_html_()
        self.assertRegex(shown, r'^<iframe sandbox="allow-scripts allow-downloads" [^>]* srcdoc="[^"]*"></iframe>$')
        page = html.unescape(shown.split('srcdoc="', 1)[1].rsplit('"', 1)[0])
        self.assertEqual(page, profile.html())
        self.assertIn("Content-Security-Policy", page)

    def test_refusals(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            profile = trace.profile()
            with self.assertRaisesRegex(ValueError, "no table 'x'"):
                profile.table("x")
            with self.assertRaisesRegex(ValueError, "no event 'x'"):
                profile.functions("x")
            with self.assertRaisesRegex(ValueError, "there is no format 'x'"):
                profile.export("x")

    def test_numbers_beyond_their_range(self):
        path = shipped(folder, "callgraph.data")
        with sonde.open(path) as trace:
            for number in (-1, 2**32, 2**70):
                for make in (lambda: trace.profile(max_stack=number), lambda: trace.arrow(max_stack=number),
                             lambda: trace.arrow(batch_rows=number)):
                    with self.assertRaises(OverflowError):
                        make()
        for number in (-1, 2**64):
            with self.assertRaises(OverflowError):
                sonde.open(path, max_memory=number)
        with self.assertRaises(TypeError):
            sonde.open(path, max_memory=1.5)

    def test_times_are_a_pair(self):
        with sonde.open(shipped(folder, "callgraph.data")) as trace:
            whole = list(map(repr, trace.events(time=(0, 2**63))))
            self.assertEqual(list(map(repr, trace.events(time=[0, 2**63]))), whole)
            for wrong, error in ((5, TypeError), ("ab", TypeError), ({1, 2}, TypeError), ([1], ValueError),
                                 ((1, 2, 3), ValueError), (["a", "b"], TypeError), ((-1, None), OverflowError),
                                 ((1.5, None), TypeError)):
                for make in (trace.events, trace.profile, trace.arrow):
                    with self.assertRaises(error):
                        make(time=wrong)


class Errors(unittest.TestCase):
    def test_no_file(self):
        with self.assertRaises(FileNotFoundError) as caught:
            sonde.open("/nonexistent/perf.data")
        self.assertEqual(caught.exception.filename, "/nonexistent/perf.data")
        with self.assertRaises(TypeError):
            sonde.open(7.5)
        with self.assertRaises(ValueError):
            sonde.open("a\0b")

    def test_no_trace(self):
        path = written(folder, "text", b"hello, this is no trace at all\n" * 100)
        with self.assertRaises(sonde.Error) as caught:
            sonde.open(path)
        self.assertEqual(caught.exception.path, path)
        self.assertIn(path, str(caught.exception))
        self.assertTrue(caught.exception.text)

    def test_a_cut_trace_delivers_its_whole_events(self):
        data = contents(shipped(folder, "callgraph.data"))
        path = written(folder, "cut.data", data[:8000])
        with sonde.open(path, strict=False) as trace:
            want = [event.time for event in trace]
            profile = trace.profile()
            self.assertEqual(trace.arrow().read()["time"].to_list(), want)
            self.assertTrue(any(loss.kind == "truncated" and loss.text for loss in trace.losses), trace.losses)
        self.assertGreater(len(want), 3)
        self.assertLess(len(want), 70)
        self.check_damage(path, want, profile.folded())

    def check_damage(self, path, want, folded):
        with sonde.open(path) as trace:
            got = []
            with self.assertRaises(sonde.Error) as caught:
                for event in trace:
                    got.append(event.time)
            self.assertEqual(got, want)
            self.assertEqual(caught.exception.path, path)
            self.assertIsInstance(caught.exception.offset, int)
            self.assertIn(f"at offset {caught.exception.offset:#x}", str(caught.exception))
            got = []
            with self.assertRaises(sonde.Error):
                for batch in trace.arrow(batch_rows=3):
                    got += batch["time"].to_list()
            self.assertEqual(got, want)
            with self.assertRaises(sonde.Error):
                trace.arrow().read()
            with self.assertRaises(sonde.Error) as caught:
                trace.profile()
            self.assertEqual(caught.exception.partial.folded(), folded)

    def test_a_stream_can_be_read_once(self):
        read, write = os.pipe()
        with open(write, "wb") as f:
            f.write(contents(shipped(folder, "stream.data")))
        with sonde.open(f"/dev/fd/{read}") as trace:
            self.assertGreater(sum(1 for _ in trace), 10)
            with self.assertRaisesRegex(ValueError, "a stream can be read once"):
                list(trace)
        os.close(read)


def contents(path):
    with open(path, "rb") as f:
        return f.read()


class Lifetimes(unittest.TestCase):
    def setUp(self):
        self.path = shipped(folder, "tracepoints.data")

    def test_use_after_close(self):
        trace = sonde.open(self.path)
        events = iter(trace)
        event = next(events)
        table = trace.arrow()
        profile = trace.profile()
        batch = table.read()
        trace.close()
        trace.close()
        self.assertTrue(trace.closed)
        for use in (lambda: next(events), lambda: iter(trace), lambda: trace.info, lambda: trace.losses, trace.profile,
                    trace.time_span, table.read, lambda: iter(table), table.__arrow_c_stream__,
                    lambda: event.function):
            with self.assertRaisesRegex(ValueError, "this trace is closed"):
                use()
        self.assertTrue(event.fields)
        self.assertTrue(event.text)
        self.assertTrue(event.comm)
        self.assertEqual(batch["time"][0], event.time)
        self.assertTrue(profile.folded())
        self.assertGreater(len(profile.table("cells").read()), 0)

    def test_any_order_of_collection(self):
        for order in range(6):
            trace = sonde.open(self.path)
            events = iter(trace)
            things = [trace, events, next(events), trace.profile(), trace.arrow().read()["time"], iter(trace.arrow())]
            del trace, events
            things = things[order:] + things[:order]
            while things:
                things.pop()
                gc.collect()

    def test_a_column_outlives_everything(self):
        with sonde.open(self.path) as trace:
            want = [event.time for event in trace]
            view = memoryview(trace.arrow().read()["time"])
        del trace
        gc.collect()
        self.assertEqual(view.tolist(), want)
        self.assertTrue(view.readonly)

    def test_objects_without_a_trace(self):
        for make in (sonde.Event, sonde.Table, sonde.Batch, sonde.Column):
            with self.assertRaises(TypeError):
                make()
        empty = sonde.Trace.__new__(sonde.Trace)
        for use in (lambda: iter(empty), lambda: empty.info, lambda: empty.losses, empty.arrow().read, empty.close):
            with self.assertRaises(ValueError):
                use()

    def test_a_thousand_traces_leave_nothing(self):
        def go(n):
            for _ in range(n):
                with sonde.open(self.path) as trace:
                    next(iter(trace)).fields
                    trace.arrow().read()["comm"].to_list()
        go(100)
        gc.collect()
        files, before = len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        go(1000)
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 8 * 1024)


class Threads(unittest.TestCase):
    def test_a_stream_is_read_without_the_gil(self):
        """The writer is another thread of this process: a reader that kept the lock would wait for ever."""
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        data = contents(shipped(folder, "stream.data"))

        def write():
            with open(fifo, "wb") as f:
                for at in range(0, len(data), 997):
                    f.write(data[at:at + 997])
                    f.flush()

        writer = threading.Thread(target=write)
        writer.start()
        with sonde.open(fifo) as trace:
            n = sum(1 for _ in trace)
        writer.join()
        self.assertEqual(n, len(list(exported(shipped(folder, "stream.data")))))

    def test_one_trace_in_two_threads(self):
        """While one thread waits for the end of a stream, another one is refused, and nothing breaks."""
        fifo = os.path.join(folder, "slow")
        os.mkfifo(fifo)
        data = contents(shipped(folder, "stream.data"))
        started, told = threading.Event(), threading.Event()
        traces, refusals, others, times = [], [], [], []

        def read():
            with sonde.open(fifo) as trace:
                events = iter(trace)
                others.append((iter(trace), iter(trace.arrow())))
                traces.append(trace)
                started.set()
                times.extend(event.time for event in events)

        def ask():
            started.wait()
            while not refusals:      # the reader waits for bytes that come when it was refused
                try:
                    traces[0].info
                except RuntimeError as error:
                    refusals.append(str(error))
            told.set()
            others.clear()           # waits until the reader has left the trace

        def write():
            with open(fifo, "wb") as f:
                f.write(data[:-8])
                f.flush()
                told.wait()
                f.write(data[-8:])

        threads = [threading.Thread(target=target) for target in (read, ask, write)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(refusals, ["this trace is being read by another thread"])
        self.assertEqual(times, [x["time"] for x in exported(shipped(folder, "stream.data"))])

    def test_traces_in_threads(self):
        path, sums = shipped(folder, "v7.dat"), []

        def count():
            with sonde.open(path) as trace:
                sums.append((sum(1 for _ in trace), sum(len(b) for b in trace.arrow(batch_rows=1000))))

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sums, [(len(list(exported(path))),) * 2] * 4)


if __name__ == "__main__":
    unittest.main()

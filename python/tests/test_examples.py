# SPDX-License-Identifier: MIT
"""test_examples.py - python/examples against perf, trace-cmd, SQL over the same recording, and arithmetic"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

import sonde
from recordings import CORPUS, SONDE, SOURCE, perf_data as pd, run, shipped, written

EXAMPLES = os.path.join(SOURCE, "python", "examples")
PERF_SCRIPTS = "/usr/lib/perf-core/scripts/python"     # of Debian
sys.path.insert(0, EXAMPLES)
import cpu_residency  # noqa: E402
import futex_contention  # noqa: E402
import packet_drops  # noqa: E402
import sched_latency  # noqa: E402
import sched_migrations  # noqa: E402
import syscall_counts  # noqa: E402
import task_runtime  # noqa: E402


def example(name, *words):
    """The words of each line that an example prints, without its heading."""
    done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *words], capture_output=True, text=True,
                          check=True)
    assert not done.stderr, done.stderr
    return [line.split() for line in done.stdout.splitlines()[1:]]


def corpus(name):
    path = os.path.join(CORPUS, name)
    if not os.path.exists(path):
        raise unittest.SkipTest("there is no corpus")
    return path


def tracepoints(system, *events):
    """A recording of tracepoints: (name, fields as (declaration, size)), and samples (number, time, bytes)."""
    formats = []
    for number, (name, fields) in enumerate(events, 1):
        lines = [f"name: {name}", f"ID: {number}", "format:",
                 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
                 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;", ""]
        at = 8
        for declaration, size in fields:
            lines.append(f"\tfield:{declaration};\toffset:{at};\tsize:{size};\tsigned:0;")
            at += size
        formats.append("\n".join([*lines, "", 'print fmt: ""', ""]))
    features = {pd.TRACING_DATA: pd.tracing_data(formats).replace(b"system0\0", system + b"\0"),
                pd.HOSTNAME: pd.feature_text("here")}

    def make(*samples):
        data = pd.comm("prog")
        for number, time, own in samples:
            raw = struct.pack("<HHi", number, 0, 50) + own
            raw = raw.ljust((len(raw) + 11) // 8 * 8 - 4, b"\0")
            data += pd.sample(0x10, time, more=struct.pack("<I", len(raw)) + raw, event=number)
        made = bytearray(pd.make(data, features, pd.RAW, ids=[[n + 1] for n in range(len(events))]))
        entry, attrs_at = struct.unpack_from("<QQ", made, 16)
        for n in range(len(events)):
            struct.pack_into("<I", made, attrs_at + n * entry, 2)
            struct.pack_into("<Q", made, attrs_at + n * entry + 8, n + 1)
        return bytes(made)
    return make


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def recorded(self, events, *command):
        """A recording of all CPUs while the command runs; without one, while some processes sleep and compute."""
        path = os.path.join(self.folder, "recorded.data")
        command = command or ["sh", "-c", "for i in 1 2 3 4 5; do sleep 0.01; ls / >/dev/null & done; wait"]
        done = subprocess.run([SONDE, "record", "-q", "-a", "-e", events, "-o", path, "--", *command],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self.skipTest(events + " cannot be recorded here: " + done.stderr.strip())
        return path

    def script_of_perf(self, name, path):
        """What a script of perf prints about a recording."""
        script = os.path.join(PERF_SCRIPTS, name)
        if not shutil.which("perf") or not os.path.exists(script):
            self.skipTest("there is no perf with " + name)
        done = subprocess.run(["perf", "script", "-i", path, "-s", script], capture_output=True, text=True, check=False)
        if done.returncode:
            self.skipTest(name + " does not run: " + done.stderr.strip()[-200:])
        return done.stdout

    def test_every_example_says_what_it_does(self):
        names = sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".py"))
        with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as f:
            self.assertEqual(sorted(re.findall(r"^\| `(\w+\.py)`", f.read(), re.M)), names)
        for name in names:
            self.assertTrue(example(name, "--help"))
            self.assertEqual(example(name, shipped(self.folder, "callgraph.data")), [])

    def test_syscalls(self):
        """The text of the same events has the numbers and results."""
        for path in (shipped(self.folder, "v7.dat"), os.path.join(CORPUS, "recorded/perf6.1-trace_a.data")):
            if not os.path.exists(path):
                continue
            text = run("script", "-i", path, "-F", "pid,event,trace")
            begun = Counter(re.findall(r"^ *(\d+).*sys_enter: +NR (\d+)", text, re.M))
            failed = Counter(re.findall(r"^ *(\d+).*sys_exit: +NR (\d+) = -(\d+)$", text, re.M))
            self.assertTrue(begun)
            with sonde.open(path) as trace:
                counts, errors = Counter(), Counter()
                for (_, pid, call, _), n in syscall_counts.count(trace, False).items():
                    counts[str(pid), str(call)] += n
                for (_, pid, call, error), n in syscall_counts.count(trace, True).items():
                    errors[str(pid), str(call), str(error)] += n
            self.assertEqual(counts, begun)
            self.assertEqual(errors, failed)
            printed = example("syscall_counts.py", path)
            self.assertEqual(sum(int(row[-1]) for row in printed), sum(begun.values()))
            self.assertEqual(sum(int(row[-1]) for row in example("syscall_counts.py", "--failed", path)),
                             sum(failed.values()))

    def test_syscalls_are_those_of_perf(self):
        path = self.recorded("raw_syscalls:sys_enter,raw_syscalls:sys_exit")
        told = re.findall(r"^(\d+) +(\d+)$", self.script_of_perf("syscall-counts.py", path), re.M)
        failed = re.findall(r"^ +err = .* (\d+)$", self.script_of_perf("failed-syscalls-by-pid.py", path), re.M)
        with sonde.open(path, strict=False) as trace:
            counts = Counter()
            for (_, _, call, _), n in syscall_counts.count(trace, False).items():
                counts[call] += n
            self.assertEqual(counts, {int(call): int(n) for call, n in told})
            self.assertEqual(syscall_counts.count(trace, True).total(), sum(map(int, failed)))
        self.assertGreater(len(counts), 5)

    def test_locks_are_those_of_perf(self):
        """perf counts the waits of one kind of call, and its mean is not that of all waits."""
        program = ("import threading, time\nlock = threading.Lock()\n"
                   "def work():\n  for i in range(20):\n    with lock: time.sleep(0.001)\n"
                   "for t in [threading.Thread(target=work) for i in range(3)]: t.start()")
        path = self.recorded("syscalls:sys_enter_futex,syscalls:sys_exit_futex", sys.executable, "-c", program)
        told = re.findall(r"\[(\d+)\] lock ([0-9a-f]+) contended (\d+) times, \d+ avg ns \[max: (\d+) ns",
                          self.script_of_perf("futex-contention.py", path))
        with sonde.open(path, strict=False) as trace:
            waits = futex_contention.contention(trace, (futex_contention.WAIT,))
            every = futex_contention.contention(trace)
        self.assertEqual({key: (w.count, w.max_ns) for key, w in waits.items()},
                         {(int(tid), int(lock, 16)): (int(n), int(longest)) for tid, lock, n, longest in told})
        self.assertGreater(sum(w.count for w in every.values()), 5)
        self.assertEqual(len(example("futex_contention.py", path)), len(every))

    def test_dropped_packets(self):
        """The text of the same events has the places, with their names."""
        program = ("import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                   "for i in range(5): s.sendto(b'x', ('127.0.0.1', 9))")
        path = self.recorded("skb:kfree_skb", sys.executable, "-c", program)
        lines = re.findall(r"location=(\S+?)(?: reason: (\S+))?\s*$", run("script", "-i", path, "-F", "trace"), re.M)
        with sonde.open(path, strict=False) as trace:
            drops = packet_drops.drops(trace)
            texts = [event.text.strip() for event in trace]
            kept = list(trace)
        self.assertEqual(drops, Counter(lines))
        self.assertEqual(texts, [line.strip() for line in run("script", "-i", path, "-F", "trace").splitlines()])
        self.assertEqual(len(kept), len(texts))
        for event in kept:      # too late for names, but there is a text
            self.assertIn("location=", event.text)
        self.assertEqual(len(example("packet_drops.py", path)), len(drops))

    def test_names_of_syscalls(self):
        path = corpus("recorded/perf6.1-syscalls_all.data")
        lines = re.findall(r"syscalls:sys_enter_(\w+):", run("script", "-i", path))
        with sonde.open(path) as trace:
            counts = Counter()
            for (_, _, call, _), n in syscall_counts.count(trace, False).items():
                counts[call] += n
        self.assertEqual(counts, Counter(lines))

    def test_runtimes_are_those_of_sql(self):
        """SQL has times whose begin was not recorded, too: they begin where the thread was first seen."""
        paths = [corpus("recorded/perf6.1-sched.data"), corpus("trace/lisa-sched_load-trace.2019-04-15.dat")]
        for path in paths:
            rows = [json.loads(line) for line in
                    run("sql", "--json", "-i", path,
                        "select tid, count(*) n, sum(dur) ns from v_sched where (t, cpu) in "
                        "(select t, cpu from tp_sched_sched_switch) group by 1").splitlines()]
            # a task that exits has no tid any more when it leaves its CPU
            gone = next((row for row in rows if row["tid"] is None or row["tid"] < 0), {"n": 0, "ns": 0})
            want = {row["tid"]: row for row in rows if row is not gone}
            with sonde.open(path) as trace:
                tasks, _ = task_runtime.runtimes(trace)
            self.assertGreater(len(want), 5)
            self.assertEqual(set(tasks), set(want))
            self.assertEqual(sum(task.runs for task in tasks.values()), sum(row["n"] for row in rows))
            self.assertEqual(sum(task.total_ns for task in tasks.values()), sum(row["ns"] for row in rows))
            other = [tid for tid, task in tasks.items()
                     if (task.runs, task.total_ns) != (want[tid]["n"], want[tid]["ns"])]
            self.assertLessEqual(len(other), gone["n"])
            self.assertEqual(len(example("task_runtime.py", path)), len(want))

    def test_latencies_are_those_of_perf(self):
        """Versions of perf differ in whether a preempted task waits."""
        if not shutil.which("perf"):
            self.skipTest("there is no perf")
        path = self.recorded("sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new")
        told = subprocess.run(["perf", "sched", "-i", path, "latency", "-p"], capture_output=True, text=True,
                              check=False).stdout
        rows = re.findall(r":(\d+) +\|[^|]*\|[^|]*\| *avg: *[\d.]+ ms \| max: *([\d.]+) ms", told)
        self.assertTrue(rows, told)
        with sonde.open(path, strict=False) as trace:
            woken, every = sched_latency.latencies(trace, True), sched_latency.latencies(trace)
            yielded = {e["prev_pid"] for e in trace.events("sched:sched_switch") if e["prev_state"] == 0}
        compared = 0
        for tid, longest in ((int(tid), float(longest)) for tid, longest in rows):
            if tid and tid not in yielded:
                ours = [round(tasks[tid].max_ns / 1e6, 3) if tid in tasks else 0 for tasks in (woken, every)]
                self.assertTrue(any(abs(longest - x) < 0.0015 for x in ours), (tid, longest, ours))
                compared += longest > 0
        self.assertGreater(compared, 0)
        self.assertTrue(example("sched_latency.py", path))

    def test_latencies(self):
        make = tracepoints(b"sched", ("sched_switch", [("char prev_comm[4]", 4), ("int prev_pid", 4),
                                                       ("long prev_state", 8), ("char next_comm[4]", 4),
                                                       ("int next_pid", 4)]),
                           ("sched_waking", [("char comm[4]", 4), ("int pid", 4)]))

        def switch(time, gone, state, comes):
            return 1, time, struct.pack("<4siq4si", b"t", gone, state, b"t", comes)

        def waking(time, pid):
            return 2, time, struct.pack("<4si", b"t", pid)

        path = written(self.folder, "made.data", make(
            waking(1000, 7), switch(1500, 0, 0, 7),        # 500 after a wakeup
            waking(1600, 7),                               # it runs: no wait
            waking(1700, 8), switch(2000, 7, 256, 8),      # 300; 7 is preempted
            switch(2900, 8, 1, 7),                         # 7 waited 900
            switch(3000, 7, 1, 0)))
        with sonde.open(path) as trace:
            tasks = sched_latency.latencies(trace)
            self.assertEqual({tid: (t.waits, t.total_ns, t.max_ns, t.max_at) for tid, t in tasks.items()},
                             {7: (2, 1400, 900, 2900), 8: (1, 300, 300, 2000)})
            self.assertEqual({tid: t.waits for tid, t in sched_latency.latencies(trace, True).items()}, {7: 1, 8: 1})
            ran, span = task_runtime.runtimes(trace)
        self.assertEqual(span, 1500)
        self.assertEqual({tid: (t.runs, t.total_ns) for tid, t in ran.items()}, {7: (2, 600), 8: (1, 900)})

    def test_migrations(self):
        for name in ("recorded/perf6.1-sched.data", "trace/lisa-sched_load-trace.2019-04-15.dat"):
            path = corpus(name)
            lines = re.findall(r"sched_migrate_task: .*pid=(\d+) .*orig_cpu=(\d+) dest_cpu=(\d+)",
                               run("script", "-i", path))
            with sonde.open(path) as trace:
                counts = sched_migrations.migrations(trace)
            want = Counter(tuple(map(int, line)) for line in lines)
            self.assertTrue(want)
            self.assertEqual({key[1:]: n for key, n in counts.items()}, want)
            self.assertEqual(sum(int(row[-1]) for row in example("sched_migrations.py", path)), len(lines))

    def test_residency(self):
        state = [("u32 state", 4), ("u32 cpu_id", 4)]
        make = tracepoints(b"power", ("cpu_frequency", state), ("cpu_idle", state))
        awake = cpu_residency.AWAKE
        path = written(self.folder, "power.data", make(
            *((number, time, struct.pack("<II", value, cpu)) for number, time, value, cpu in (
                (1, 1000, 800, 0), (2, 1100, 1, 0), (2, 1400, awake, 0), (1, 1500, 1600, 0), (1, 1600, 800, 1),
                (2, 2000, 2, 0)))))
        with sonde.open(path) as trace:
            cpus = cpu_residency.residency(trace)
        self.assertEqual(dict(cpus[0].at_frequency), {800: 500, 1600: 500})
        self.assertEqual(dict(cpus[0].awake), {800: 100, 1600: 500})
        self.assertEqual(dict(cpus[0].in_idle), {1: 300, 2: 0})
        self.assertEqual(dict(cpus[1].at_frequency), {800: 400})

    def test_residency_of_a_recording(self):
        """The same out of the text of the command: intervals of each CPU, which end where the next one begins."""
        path = corpus("trace/lisa-sched_load-trace.2019-04-15.dat")
        lines = run("script", "-i", path, "--ns", "-F", "time,event,trace").splitlines()
        times = [int(re.match(r" *(\d+)\.(\d{9}):", line).expand(r"\1\2")) for line in lines]
        want = {}
        for event, key in (("cpu_frequency", "at_frequency"), ("cpu_idle", "in_idle")):
            states = {}
            for time, line in zip(times, lines):
                found = re.search(r"power:" + event + r": +state=(\d+) cpu_id=(\d+)", line)
                if found:
                    states.setdefault(int(found[2]), []).append((time, int(found[1])))
            for cpu, list_of in states.items():
                for (time, value), (end, _) in zip(list_of, [*list_of[1:], (times[-1], 0)]):
                    if key != "in_idle" or value != cpu_residency.AWAKE:
                        row = want.setdefault((cpu, key), Counter())
                        row[value] += end - time
        with sonde.open(path) as trace:
            cpus = cpu_residency.residency(trace)
        got = {(cpu, key): Counter(getattr(c, key)) for cpu, c in cpus.items() for key in ("at_frequency", "in_idle")
               if getattr(c, key)}
        self.assertTrue(want)
        self.assertEqual(got, want)
        self.assertTrue(example("cpu_residency.py", path))


if __name__ == "__main__":
    unittest.main()

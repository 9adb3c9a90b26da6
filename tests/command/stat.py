#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat.py - what `sonde stat` counts and prints, and what it says of bad input"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

SONDE = os.environ["SONDE"].split()
failures = 0
NOBODY = 65534


def check(good, what, detail=""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}\n{detail}")


def stat(*words, **more):
    more.setdefault("env", {**os.environ, "LC_ALL": "C"})
    return subprocess.run(SONDE + ["stat", *words], capture_output=True, text=True, timeout=600, check=False, **more)


def csv(*words, **more):
    r = stat("-x,", *words, **more)
    return r, [line.split(",") for line in r.stderr.splitlines()]


def wait_for_events(pid):
    """Until the process has opened its events: from then on it counts, and signals have their handlers."""
    for _ in range(3000):
        try:
            if any("perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")):
                return
        except OSError:
            pass
        time.sleep(0.02)


def counts():
    r, rows = csv("-e", "task-clock,page-faults:u,dummy", "sh", "-c", "exit 7")
    check(r.returncode == 7, "exit status of the command", r)
    check([row[2] for row in rows] == ["task-clock", "page-faults:u", "dummy"], "rows in order", rows)
    check(all(len(row) == 7 for row in rows), "seven fields", rows)
    check(rows[0][1] == "msec" and 0 < float(rows[0][0]) < 10000, "milliseconds", rows)
    check(int(rows[1][0]) > 10 and rows[2][0] == "0", "counts", rows)
    check(all(row[4] == "100.00" for row in rows), "share", rows)
    r, rows = csv("-e", "{page-faults,minor-faults}", "true")
    check(r.returncode == 0 and len(rows) == 2 and rows[0][3] == rows[1][3], "a group runs at the same moments", rows)
    r, rows = csv("-e", "{duration_time,page-faults,task-clock}", "true")
    check([row[2] for row in rows] == ["page-faults", "task-clock", "duration_time"] and
          all(float(row[0]) > 0 for row in rows) and rows[0][3] == rows[1][3], "time beside a group", r.stderr)
    r, rows = csv("-I", "100", "-e", "num_cpus,num_cpus_online,num_cores", "sleep", "0.25")
    cpus = [int(row[1]) for row in rows if row[3] == "num_cpus"]
    check(len(cpus) > 1 and set(cpus) == {os.sysconf("SC_NPROCESSORS_CONF")}, "numbers of the machine", r.stderr)
    r = stat("-e", "user_time,duration_time,system_time", "true")
    check(re.search(r"^ +\d+ +duration_time +$", r.stderr, re.M), "times of the run", r.stderr)
    r = stat("--no-such-option", "true")
    check(r.returncode == 2, "usage", r)


def repeats():
    with tempfile.NamedTemporaryFile("r") as log:
        r = stat("-r", "3", "-x,", "-e", "page-faults:u", "sh", "-c", f"echo run >>{log.name}")
        check(log.read() == "run\n" * 3, "three runs", r)
    check(re.fullmatch(r"\d+,,page-faults:u,\d+\.\d\d%,\d+,100\.00,,\n", r.stderr), "a field for the deviation",
          r.stderr)
    r = stat("-r", "3", "--table", "true")
    check("'true' (3 runs):" in r.stderr and r.stderr.count("\n # ") == 2, "table of runs", r.stderr)
    check(re.search(r"^ +\d+\.\d{9} \+- \d+\.\d{9} seconds time elapsed  \( \+- *\d+\.\d\d% \)$", r.stderr, re.M),
          "mean of the time", r.stderr)


def intervals():
    r, rows = csv("-I", "100", "--interval-count", "3", "-e", "task-clock", "sh", "-c", "while :; do :; done")
    check(len(rows) == 3 and r.returncode == 0, "three intervals, then the command is ended", r)
    moments = [float(row[0]) for row in rows]
    check(moments == sorted(moments) and moments[0] >= 0.1, "moments", rows)
    r, rows = csv("-I", "100", "--summary", "-e", "minor-faults", "sh", "-c", "sleep 0.25; true")
    check(rows[-1][0].strip() == "summary" and sum(int(row[1]) for row in rows[:-1] if row[1].isdigit()) ==
          int(rows[-1][1]), "the intervals add up to the summary", rows)


def renamed_threads():
    """A thread is one row, although its name changes while the events are opened."""
    rename = """import itertools, os, threading
for _ in range(40):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
tasks = os.listdir('/proc/self/task')
for i in itertools.count():
    for task in tasks:
        open(f'/proc/self/task/{task}/comm', 'w').write(str(i))"""
    with subprocess.Popen([sys.executable, "-c", rename]) as child:
        try:
            while not open(f"/proc/{child.pid}/comm", encoding="ascii").read().strip().isdigit():
                time.sleep(0.01)
            for _ in range(5):
                r, rows = csv("--per-thread", "-e", "task-clock,cs,page-faults,dummy", "-p", str(child.pid), "sleep",
                              "0.1")
                check(r.returncode == 0 and len(rows) == 4, "threads that change their names", r)
        finally:
            child.kill()


def comparison():
    many = [sys.executable, "-c", "b = bytearray(8 << 20)"]
    r = stat("--compare", "-r", "5", "-e", "page-faults:u,dummy", "true", "--", *many)
    more = re.compile(r"^ +2 .*#{30} +\+[\d.]+%  more \(p = 0\.000, by ranks 0\.008\)$", re.M)
    check(r.returncode == 3 and more.search(r.stderr), "many more page faults", r)
    check(stat("--compare", "-r", "6", "true", "--", "sleep", "0.5").returncode == 3, "more time")
    check(stat("--compare", "-r", "6", "sleep", "0.5", "--", "true").returncode == 0, "less time")
    check(stat("--compare", "-r", "6", "-e", "dummy", "true", "--", "sleep", "0.5").returncode == 0,
          "more time, and other events were asked for")
    r = stat("--compare", "-j", "-r", "5", "-e", "page-faults:u", *many, "--", "true")
    rows = [json.loads(line) for line in r.stderr.splitlines()]
    check([row["event"] for row in rows] == ["elapsed time", "page-faults:u"] and rows[1]["p"] < 0.001 and
          rows[1]["first"] > rows[1]["second"] and rows[1]["runs"] == 5 and
          abs(rows[1]["p-ranks"] - 2 / 252) < 1e-6, "the other way", r.stderr)
    check(r.returncode == 0, "fewer page faults", r)
    r = stat("--compare", "true", "--", "false")
    check(r.returncode == 1 and "has failed" in r.stderr, "a command that fails", r)
    for words in ["true"], ["true", "--"], ["--", "true"], ["-a", "true", "--", "true"], ["-x,", "true", "--", "true"]:
        r = stat("--compare", *words)
        check(r.returncode == 2, f"--compare {words}", r)


def metrics():
    table = [
        {"MetricName": "faults_per_ms", "MetricExpr": "page\\-faults / (software@task\\-clock\\,name\\=tc@ / 1e6)",
         "ScaleUnit": "1faults/ms", "MetricGroup": "Pages;TopdownL1;TopdownL2;transaction",
         "MetricThreshold": "faults_per_ms < 0"},
        {"MetricName": "clock_share", "MetricExpr": "duration_time / duration_time if has_event(tc) else 2",
         "ScaleUnit": "100%"},
        {"MetricName": "faults_twice", "MetricExpr": "page\\-faults * 2 + 0 * faults_per_ms",
         "MetricGroup": "transaction;TopdownL2;TopdownL1;Pages", "MetricThreshold": "faults_twice > 0"},
        {"MetricName": "endless", "MetricExpr": "endless + endless"}, {"MetricName": "broken", "MetricExpr": "1 + "},
    ]
    with tempfile.TemporaryDirectory() as tmp:
        path = tmp + "/metrics.json"
        with open(path, "w", encoding="utf-8") as f:
            json.dump(table, f)
        r, rows = csv("--event-file", path, "-M", "faults_per_ms", "true")
        want = float(rows[0][0]) / float(rows[1][0])
        check(rows[0][6] == "faults/ms  faults_per_ms" and abs(float(rows[0][5]) - want) <= 0.06 + want / 20,
              "a metric of a file", r.stderr)
        r, rows = csv("--event-file", path, "-M", "faults_twice", "true")
        check(rows[0][6] == "faults_twice" and float(rows[0][5]) == 2 * int(rows[0][0]), "a metric in a metric",
              r.stderr)
        for words in ["-M", "PAGES"], ["--topdown"], ["--topdown", "--td-level", "2"], ["-T"]:
            r, rows = csv("--event-file", path, *words, "true")
            check([row[6] for row in rows] == ["faults/ms  faults_per_ms", "faults_twice", ""] and
                  rows[1][:5] == [""] * 5 and float(rows[1][5]) == 2 * int(rows[0][0]), f"a group: {words}", r.stderr)
        for words in [], ["--metric-no-threshold"]:
            lines = [json.loads(line) for line in
                     stat("-j", "--event-file", path, *words, "-M", "pages", "true").stderr.splitlines()]
            check([line.get("metric-threshold") for line in lines] == [None if words else "good",
                                                                       None if words else "bad", None] and
                  lines[1]["metric-unit"] == "faults_twice" and "event" not in lines[1], "thresholds", lines)
        r = stat("--event-file", path, "-M", "pages", "true")
        check(re.search(r"^ +[\d,]+ +page-faults +# +[\d.]+ faults/ms  faults_per_ms *\n +"
                        r"# +[\d.]+ faults_twice *$", r.stderr, re.M), "a group as text", r.stderr)
        r = stat("--metric-only", "--event-file", path, "-M", "pages", "true")
        check(re.search(r"^ *faults/ms  faults_per_ms +faults_twice *$", r.stderr, re.M), "a group alone", r.stderr)
        r = stat("--event-file", path, "--topdown", "--td-level", "3", "true")
        check(r.returncode == 1 and "no metrics of the group TopdownL3" in r.stderr, "a group that is not there", r)
        check(stat("--td-level", "3", "true").returncode == 2, "a level without --topdown")
        for bad in "endless", "broken":
            r = stat("--event-file", path, "-M", bad, "true")
            check(r.returncode == 1 and f"the metric '{bad}' cannot be read" in r.stderr, bad, r)
        r = stat("--event-file", tmp + "/none", "-M", "faults_twice", "true")
        check(r.returncode == 1, "a file that is not there", r)
        with open(path, "w", encoding="utf-8") as f:
            f.write('[{"MetricName": ')
        check(stat("--event-file", path, "-M", "faults_twice", "true").returncode in (1, 2), "a file that is cut")
    r, rows = csv("-M", "page_faults_per_second", "true")
    check([row[2] for row in rows] == ["page-faults", "task-clock"] and rows[0][6].startswith("faults/sec") and
          rows[1][6] == "", "a metric of perf's", r.stderr)


def output():
    with tempfile.TemporaryDirectory() as tmp:
        path = tmp + "/out"
        stat("-o", path, "-e", "dummy", "true")
        stat("-o", path, "--append", "-j", "-e", "dummy", "true")
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines()
        check(lines[0].startswith("# started on ") and json.loads(lines[-1])["event"] == "dummy", "-o, --append", lines)
        r = stat("-o", tmp + "/no/such", "true")
        check(r.returncode == 1 and "cannot write" in r.stderr, "a file that cannot be written", r)
    r = stat("--log-fd", "1", "-e", "dummy", "true")
    check("dummy" in r.stdout and r.stderr == "", "--log-fd", r)
    check("is not open" in stat("--log-fd", "77", "true").stderr, "--log-fd that is not open")
    check(stat("-q", "true").stderr == "", "-q")
    r = stat("--affinity", "--metric-no-group", "--metric-no-merge", "--metric-no-threshold", "--scale", "-B", "true")
    check(r.returncode == 0, "options of perf without effect", r)
    r = stat("-e", "task-clock", "-j", "true")
    row = json.loads(r.stderr)
    check(list(row) == ["counter-value", "unit", "event", "event-runtime", "pcnt-running"], "keys", row)


def control():
    with tempfile.TemporaryDirectory() as tmp:
        os.mkfifo(tmp + "/ctl")
        os.mkfifo(tmp + "/ack")
        words = ["-x,", "-D", "-1", "--control", f"fifo:{tmp}/ctl,{tmp}/ack", "-e", "task-clock"]
        with subprocess.Popen(SONDE + ["stat", *words, "sh", "-c", "while :; do :; done"], stderr=subprocess.PIPE,
                              text=True) as p:
            ctl, ack = os.open(tmp + "/ctl", os.O_RDWR), os.open(tmp + "/ack", os.O_RDWR)
            for word in b"ping", b"enable", b"disable":
                os.write(ctl, word + b"\n")
                check(os.read(ack, 100) == b"ack\n\0", f"the answer to {word}")
                time.sleep(1 if word == b"enable" else 0)
            os.write(ctl, b"x" * 5000 + b"\nnonsense \x1b[31m\n\nstop\n")
            check(os.read(ack, 100) == b"ack\n\0", "no answer to nonsense, one to stop")
            err = p.communicate(timeout=600)[1]
            os.close(ctl)
            os.close(ack)
        check(p.returncode == 0 and "\x1b" not in err and "is none of" in err, "nonsense is told", err)
        check(float(err.splitlines()[-1].split(",")[0]) > 0, "counted between enable and disable", err)
        with open(tmp + "/plain", "w", encoding="utf-8"):
            pass
        r = stat("--control", f"fifo:{tmp}/plain", "true")
        check(r.returncode == 1 and "is no FIFO" in r.stderr, "a file that is no FIFO", r)
    for bad in "x", "fd:", "fd:a", "fd:99", "fd:0,99", "fd:0x", "fifo":
        r = stat("--control", bad, "true")
        check(r.returncode == 2 and "--control" in r.stderr, f"--control {bad}", r)
    check(stat("-D", "-1", "true").returncode == 2, "-D -1 without --control")


def targets():
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as p:
        r, rows = csv("-p", str(p.pid), "-e", "task-clock", "sleep", "1")
        check(float(rows[0][0]) > 0, "-p", r)
        r, rows = csv("-t", str(p.pid), "--per-thread", "-e", "task-clock", "sleep", "1")
        check(rows[0][0] == f"sh-{p.pid}" and len(rows) == 1, "--per-thread", r)
        with subprocess.Popen(SONDE + ["stat", "-x,", "-e", "task-clock", "-p", str(p.pid)], stderr=subprocess.PIPE,
                              text=True) as s:
            wait_for_events(s.pid)
            time.sleep(0.2)
            p.kill()
            err = s.communicate(timeout=600)[1]
        check(s.returncode == 0 and ",task-clock," in err, "ends with the process", err)
    r = stat("-p", "999999999")
    check(r.returncode == 1 and "there is no process 999999999" in r.stderr, "a process that is not there", r)
    r, rows = csv("-a", "-A", "-e", "cpu-clock", "true")
    if r.returncode == 0:
        cpus = len(rows)
        check([row[0] for row in rows] == sorted((row[0] for row in rows), key=lambda c: int(c[3:])), "-A", rows)
        for by in "core", "die", "socket", "node", "cluster", "cache":
            r, rows = csv("-a", f"--per-{by}", "-e", "cpu-clock", "true")
            check(sum(int(row[1]) for row in rows) == cpus, f"--per-{by}: each CPU once", rows)
        r = stat("-a", "-C", "0", "-e", "cpu-clock", "true")
        check(r.returncode == 0, "-a -C", r)
        r = stat("-C", "1023", "-e", "cpu-clock", "true")
        check(r.returncode == 1 and "CPU 1023 is not online" in r.stderr, "a CPU that is not there", r)
        for option in "-G", "--for-each-cgroup":
            r = stat("-a", "-e", "cs", option, "no/such/group", "true")
            check(r.returncode == 2 and f"{option}: " in r.stderr and "no/such/group" in r.stderr,
                  "a cgroup that is not there", r)
    check(stat("-G", "a", "-e", "cs", "-a", "true").returncode == 2, "-G before -e")
    check(stat("-e", "cs", "-G", "a", "true").returncode == 2, "-G without CPUs")


def percore():
    """The term percore with -A, where /sys tells no topology: all CPUs are of one core."""
    with tempfile.TemporaryDirectory() as tmp:
        words = ["-a", "-A", "-x,", "-e", "cpu-clock/percore/,cpu-clock", "sleep", "0.3"]
        env = {**os.environ, "LC_ALL": "C", "SYSFS_PATH": tmp}
        r = subprocess.run([*SONDE, "stat", *words], capture_output=True, text=True, check=False, env=env)
        if r.returncode != 0:
            return
        rows = [line.split(",") for line in r.stderr.splitlines()]
        cores = [row for row in rows if "percore" in row[3]]
        clocks = [float(row[1]) for row in rows if "percore" not in row[3]]
        check([row[0] for row in cores] == ["S0-D0-C0"], "percore: a line for each core", r)
        check(len(clocks) < 2 or float(cores[0][1]) > 1.2 * max(clocks), "percore: the sum of the CPUs", r)
        r = subprocess.run([*SONDE, "stat", "--percore-show-thread", *words], capture_output=True, text=True,
                           check=False, env=env)
        rows = [line.split(",") for line in r.stderr.splitlines()]
        cores = [row for row in rows if "percore" in row[3]]
        check([row[0] for row in cores] == [row[0] for row in rows if row not in cores] and
              len({row[1] for row in cores}) == 1, "percore: each CPU has the sum of its core", r)
        check(len(cores) < 2 or float(cores[0][1]) > 1.2 * max(float(row[1]) for row in rows if row not in cores),
              "percore: the sums of CPUs", r)


def cgroups():
    """A cgroup of our own, where we may make one, with a busy task in it."""
    root = None
    with open("/proc/mounts", encoding="utf-8") as f:
        for device, place, kind, options, *_ in map(str.split, f):
            if kind == "cgroup" and "perf_event" in options.split(","):
                root = place
                break
            root = place if kind == "cgroup2" and not root else root
    group = f"{root}/sonde-test-{os.getpid()}"
    try:
        os.mkdir(group)
    except OSError:
        return
    name = os.path.basename(group)
    try:
        with subprocess.Popen(["sh", "-c", "read x; while :; do :; done"], stdin=subprocess.PIPE, text=True) as p:
            with open(group + "/cgroup.procs", "w", encoding="utf-8") as f:
                f.write(str(p.pid))
            p.stdin.write("go\n")
            p.stdin.flush()
            r, rows = csv("-a", "-e", "task-clock,cpu-clock", "-G", name + ",", "sleep", "1")
            check([row[3] for row in rows] == [name, ""] and float(rows[0][0]) > 0, "-G", r)
            r, rows = csv("-a", "-e", "task-clock,cs", "--for-each-cgroup", name, "sleep", "0.1")
            check([row[2] for row in rows] == ["task-clock", "cs"] and rows[1][3] == name, "--for-each-cgroup", r)
            # the cgroup goes away meanwhile
            words = ["-a", "-x,", "-e", "task-clock", "--for-each-cgroup", name, "sleep", "1"]
            with subprocess.Popen(SONDE + ["stat", *words], stderr=subprocess.PIPE, text=True) as s:
                wait_for_events(s.pid)
                p.kill()
                p.wait()
                os.rmdir(group)
                err = s.communicate(timeout=600)[1]
            check(s.returncode == 0 and name in err, "a cgroup that disappears", err)
    finally:
        if os.path.isdir(group):
            os.rmdir(group)


def ends():
    start = time.monotonic()
    r = stat("--timeout", "200", "-e", "dummy", "sleep", "60")
    check(r.returncode == 0 and time.monotonic() - start < 50, "--timeout", r)
    with subprocess.Popen(SONDE + ["stat", "-e", "dummy", "sleep", "60"], stderr=subprocess.PIPE, text=True) as p:
        wait_for_events(p.pid)
        time.sleep(0.2)
        p.send_signal(signal.SIGINT)
        err = p.communicate(timeout=600)[1]
    check(p.returncode == -signal.SIGINT and "dummy" in err, "a signal ends it, with the counts", (p.returncode, err))


def refusals():
    for words, says in (
            (["-e", "no-such-event", "true"], "no such event"), (["-e", "{cs", "true"], "column"),
            (["-x,", "-j", "true"], "exclude each other"), (["-I", "0", "true"], "-I"), (["-r", "x", "true"], "-r"),
            (["-M", "nonsense", "true"], "no metric 'nonsense'"), (["--per-core", "true"], "-a or -C"),
            (["-r", "2", "-a"], "name it"), (["--summary", "true"], "-I"), (["-x", "", "true"], "-x"),
            (["--iostat", "true"], "uncore_iio"),
            (["--cputype", "nonsense", "true"], "cpu_nonsense"), (["--pmu-filter", "x/y", "true"], "x/y"),
            (["--smi-cost", "true"], "freeze_on_smi"), (["--record-tpebs", "true"], "sonde record -W"),
            (["--tpebs-mode", "mean", "true"], "sonde record -W")):
        r = stat(*words)
        check(r.returncode == 2 and says in r.stderr, f"{words}", r)
    r = stat("-e", "dummy", "/no/such/program")
    check(r.returncode == 1 and "there is no program" in r.stderr, "no program", r)
    # the hard limit leaves nothing to raise
    r = stat("-a", "-e", ",".join(["dummy:u"] * 60), "true",
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20)))
    check(r.returncode == 1 and "too many open files: this counter needs" in r.stderr, "limit of files", r.stderr)
    # groups that never fit: the kernel reads at most 16 KiB of one
    r = stat("-e", "{" + ",".join(["dummy:u"] * 1100) + "}", "true",
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)))
    check(r.returncode in (0, 1), "a group that is too large", r.stderr[-300:])


def nothing_countable():
    """As perf 7: the command does not run where the machine counts none of the events."""
    refused = "mem:0xffffffffffffffff/8:w"  # no machine watches 8 bytes from there on
    with tempfile.TemporaryDirectory() as tmp:
        ran, file = tmp + "/ran", tmp + "/counts.data"
        for words in [], ["-x,"], ["-j"], ["-r", "2"], ["-I", "100"], ["--record", file], ["-v"]:
            r = stat(*words, "-e", f"{refused},{refused}", "touch", ran)
            check(r.returncode == 1 and not os.path.exists(ran), f"{words}: nothing that can be counted", r)
            last = r.stderr.splitlines()[-1]
            check("No supported events found, all are <not supported>: " in last and refused in last, "says why", r)
            check(len(r.stderr.splitlines()) == (3 if words == ["-v"] else 1), f"{words}: nothing else is said", r)
        check(not os.path.exists(file), "no file without counts")
        r = stat("-x,", "-e", f"{refused},dummy", "touch", ran)
        check(r.returncode == 0 and os.path.exists(ran), "one of two events can be counted", r)
        check([line.split(",")[0] for line in r.stderr.splitlines()] == ["<not supported>", "0"], "both rows", r)
        check(stat("-n", "true").returncode == 0, "no events at all: only the time")


def without_privileges():
    if os.geteuid() != 0:
        return
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as f:
        level = int(f.read())

    def drop():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    with tempfile.TemporaryDirectory() as tmp:
        # the build may lie where nobody may read
        copy = tmp + "/sonde"
        subprocess.run(["cp", SONDE[-1], copy], check=True)
        os.chmod(tmp, 0o755)
        r = subprocess.run([*SONDE[:-1], copy, "stat", "-x,", "-e", "page-faults", "true"], preexec_fn=drop, cwd="/",
                           capture_output=True, text=True, check=False)
        name = "page-faults:u" if level >= 2 else "page-faults"
        check(r.returncode == 0 and f",,{name}," in r.stderr, f"paranoid {level}: user space only", r)
        r = subprocess.run([*SONDE[:-1], copy, "stat", "-a", "-e", "page-faults", "true"], preexec_fn=drop, cwd="/",
                           capture_output=True, text=True, check=False)
        if level >= 1:
            said = f"kernel.perf_event_paranoid is {level}" in r.stderr and "CAP_PERFMON" in r.stderr
            check(r.returncode == 1 and said, "whole CPUs need more", r)


def main():
    r = stat("-e", "page-faults:u", "true")
    if r.returncode or "<not" in r.stderr:
        print(f"skipped: counting is not permitted here: {r.stderr}")
        return 77
    for part in (counts, repeats, renamed_threads, comparison, metrics, intervals, output, control, targets, percore,
                 cgroups, ends, refusals, nothing_countable, without_privileges):
        part()
    return 1 if failures else 0


sys.exit(main())

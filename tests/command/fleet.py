#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet.py files|duckdb|clickhouse|sqlite|chdb: the tables of a fleet, as files and as engines read them

Four hosts: two with a recording of this project, two with one that is made here, of two releases of a program, with
control groups, losses and a date. The ten questions of examples/fleet have the answers that follow from the events one
by one (`export --to json-lines`), and from the call trees of `sonde report`.
"""
import collections
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests", "command"))
import perf_data as pd  # noqa: E402
import shipped_data  # noqa: E402
from duckdb import DuckDB, modules  # noqa: E402
from export_formats import handmade, timeless  # noqa: E402
from reader import Skip, Wrong, environment, need, source  # noqa: E402

SONDE = os.path.abspath(os.environ["SONDE"])
EXAMPLES = os.path.join(source, "examples", "fleet")
chdb_modules = os.path.join(source, "build", "chdb", "node_modules")
TEXT = 0xffffffff81000000
FUNCTIONS = {"main": 0x1000, "serve": 0x2000, "malloc": 0x3000, "say'hë'\\\"<b>\"": 0x4000}
ODD = list(FUNCTIONS)[3]
CGROUP, LOST_RECORD, CGROUP_RECORD, CLOCK_DATA, MMAP_BUILD_ID = 1 << 21, 2, 19, 29, 1 << 14
CONTEXT_KERNEL = 2**64 - 128
DAY = 1795305600            # 2026-11-22, and the next one is
MIDNIGHT = DAY + 86400
OLD, NEW = bytes(range(20)), bytes(range(100, 120))
CONTAINER = "0123456789ab" * 5 + "0123"
SERVICES = {1: "/system.slice/web.service", 2: "/system.slice/docker-" + CONTAINER + ".scope", 3: "/user.slice"}
NAMES = {1: "web", 2: CONTAINER[:12], 3: "web"}
# stack from the outermost function, control group, window from the first one on, how often in the old and new release
MADE = [(["main", "serve", "malloc"], 1, 0, 30, 10), (["main", "serve"], 1, 0, 20, 25),
        (["main", "serve", "malloc", "serve", ODD], 1, 1, 7, 9), (["main", "malloc"], 2, 1, 11, 5),
        (["main"], 2, 2, 5, 4), (["main", ODD], 3, 2, 2, 3)]
PERIOD = 10_000_000         # ns
LOST = {"old": 4, "new": 9}
TABLES = ["modules", "frames", "stacks", "runs", "samples"]
INT32, INT64, TEXT_TYPE, LIST = "i", "q", "s", "l"
COLUMNS = {
    "samples": {"time_s": INT64, "service": TEXT_TYPE, "comm": TEXT_TYPE, "event": TEXT_TYPE, "build_id": TEXT_TYPE,
                "cpu_mode": INT32, "stack_id": INT64, "samples": INT64, "weight": INT64, "run_id": INT64},
    "stacks": {"stack_id": INT64, "frames": LIST, "depth": INT32},
    "frames": {"frame_id": INT64, "function": TEXT_TYPE, "file": TEXT_TYPE, "module": TEXT_TYPE, "line": INT32,
               "address": INT64, "build_id": TEXT_TYPE, "inlined": INT32},
    "modules": {"build_id": TEXT_TYPE, "path": TEXT_TYPE, "kind": TEXT_TYPE, "symbolised": INT32},
    "runs": {"run_id": INT64, "start_ns": INT64, "end_ns": INT64, "tool": TEXT_TYPE, "kernel": TEXT_TYPE,
             "cpu_model": TEXT_TYPE, "cpus": INT32, "event": TEXT_TYPE, "period": INT64, "lost": INT64,
             "truncated_stacks": INT64, "unresolved": INT64, "cmdline": TEXT_TYPE},
}


def check(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}\nnot {want}")


def run(*words, status=0, stdin=None):
    r = subprocess.run([SONDE, *words], capture_output=True, stdin=stdin or subprocess.DEVNULL, env=environment,
                       timeout=600)
    if r.returncode != status:
        raise Wrong(f"sonde {' '.join(words)}: exit status {r.returncode}: {r.stderr.decode(errors='replace')}")
    return r


# ---- recordings ----

def make_release(folder, new):
    """A minute before midnight the first window begins."""
    first = (MIDNIGHT - 60) * 10**9
    epoch = first - 5 * 10**9       # date of the clock's time 0: windows do not begin with it
    data = b"".join(pd.record(CGROUP_RECORD, 0, struct.pack("<Q", n) + pd.text(path) + pd.trailer(1000))
                    for n, path in SERVICES.items())
    data += pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, TEXT, 0x5000, TEXT) +
                      pd.text("[kernel.kallsyms]_stext") + pd.trailer(1000))
    data += pd.comm("web", 60)
    data += pd.record(LOST_RECORD, 0, struct.pack("<QQ", 0, LOST["new" if new else "old"]) + pd.trailer(1000))
    place = bytes((20, 0, 0, 0)) + (NEW if new else OLD)
    data += pd.mmap2(0x7f0000000000, 0x1000, "/lib/libc.so.6", bytes(24), pid=60)
    data += pd.mmap2(0x400000, 0x1000, "/usr/bin/web", place, pd.USER | MMAP_BUILD_ID, 60)
    samples = []
    for stack, group, window, old_times, new_times in MADE:
        ips = [TEXT + FUNCTIONS[f] + 0x20 for f in reversed(stack)]
        more = struct.pack(f"<QQ{len(ips) + 1}QQ", PERIOD, len(ips) + 1, CONTEXT_KERNEL, *ips, group)
        for i in range(new_times if new else old_times):
            samples.append((first - epoch + (window * 60 + i) * 10**9, ips[0], more))
    data += b"".join(pd.sample(ip, time, 60, more, pd.KERNEL) for time, ip, more in sorted(samples))
    features = {pd.HOSTNAME: pd.feature_text("made"),
                CLOCK_DATA: struct.pack("<IIQQ", 1, 1, epoch + 777, 777)}
    path = os.path.join(folder, "new.data" if new else "old.data")
    with open(path, "wb") as f:
        f.write(pd.make(data, features, sample_type=pd.CALLCHAIN | pd.PERIOD | CGROUP))
    return path


class Host:
    """A recording that is exported for a host."""
    def __init__(self, name, path, kallsyms):
        self.name, self.path = name, path
        self.options = ["--kallsyms", kallsyms, "-i", path]

    def export(self, form, *words, status=0):
        return run("export", "--to", form, "--host", self.name, *words, *self.options, status=status)

    def report(self, *words):
        """Rows of the first event."""
        out = run("report", "--json", "-g", "none", *words, *self.options).stdout
        return json.loads(out)["events"][0]["rows"]

    def trees(self, keys):
        """Rows of the first event, with call trees from the outermost function on."""
        words = ["--no-children", "-g", "graph,0,caller", "--sort", keys, "--time-quantum", "1s"]
        return json.loads(run("report", "--json", *words, *self.options).stdout)["events"][0]["rows"]

    def events(self):
        lines = run("export", "--to", "json-lines", *self.options).stdout.decode().splitlines()
        return [e for e in map(json.loads, lines) if e["kind"] == "sample"]


def make_hosts(folder):
    kallsyms = os.path.join(folder, "kallsyms")
    with open(kallsyms, "w", encoding="utf-8") as f:
        f.write(f"{TEXT:x} T _stext\n")
        f.writelines(f"{TEXT + at:x} T {name}\n" for name, at in FUNCTIONS.items() if name != ODD)
        f.write(f"{TEXT + FUNCTIONS[ODD]:x} T {ODD}\n{TEXT + 0x5000:x} T _etext\n")
    real = shipped_data.put("callgraph.data", os.path.join(folder, "real.data"))
    os.utime(real, (DAY + 3630, DAY + 3630))
    theirs = os.path.join(folder, "kallsyms.real")
    shipped_data.put("kallsyms", theirs)
    return [Host("web-1", real, theirs), Host("web-2", real, theirs),
            Host("old", make_release(folder, False), kallsyms), Host("new", make_release(folder, True), kallsyms)]


# ---- the answers ----

class Sample(collections.namedtuple("Sample", "host service build day time_s stack weight")):
    """stack: functions and their modules, the innermost first"""


def is_made(host):
    return host.name in LOST


def made_sample(host, service, second, stack):
    """A sample so many seconds after the first window began."""
    time_s = MIDNIGHT - 60 + second - second % 60
    return Sample(host.name, service, (NEW if host.name == "new" else OLD).hex(),
                  "2026-11-23" if time_s >= MIDNIGHT else "2026-11-22", time_s, stack, PERIOD)


def real_sample(host, comm, stack, weight):
    return Sample(host.name, comm, None, "2026-11-22", DAY + 3600, stack, weight)


def samples_of(host):
    if not is_made(host):
        for e in host.events():
            stack = tuple((f.get("f"), f["m"].rsplit("/", 1)[-1]) for f in e["stack"])
            yield real_sample(host, e["comm"], stack, e["period"])
        return
    for stack, group, window, old_times, new_times in MADE:
        for _ in range(new_times if host.name == "new" else old_times):
            yield made_sample(host, NAMES[group], window * 60, tuple((f, "[kernel.kallsyms]") for f in reversed(stack)))


def stacks_of(tree):
    """(functions and their modules from the innermost on, samples, weight of each) of the stacks of a call tree"""
    stacks, own = [], [branch["samples"] for branch in tree]
    for i, branch in enumerate(tree):
        parent = i - branch["up"]
        stacks.append(((branch.get("symbol"), branch["dso"].rsplit("/", 1)[-1]),) +
                      (stacks[parent] if parent < i else ()))
        if parent < i:
            own[parent] -= branch["samples"]
    return [(stack, n, branch["period"] // branch["samples"]) for stack, n, branch in zip(stacks, own, tree)]


def samples_by_report(host):
    for row in host.trees("cgroup,comm,time" if is_made(host) else "comm"):
        for stack, n, weight in stacks_of(row["tree"]):
            if is_made(host):    # the clock begins 5 s before the first window
                service, = (NAMES[group] for group, path in SERVICES.items() if path == row["cgroup"])
                sample = made_sample(host, service, row["time_ns"] // 10**9 - 5, stack)
            else:
                sample = real_sample(host, row["comm"], stack, weight)
            yield from [sample] * n


def top(sums):
    return [[str(x) for x in row] for row in
            sorted(([k, *v] if isinstance(v, list) else [k, v] for k, v in sums.items()),
                   key=lambda row: (-row[1], row[0].encode()))[:20]]


def release(samples, old, new):
    functions = collections.defaultdict(lambda: [0, 0, 0, 0])
    totals = [0, 0]
    for s in samples:
        if s.build in (old, new):
            n = s.build == new
            functions[s.stack[0][0]][n] += 1
            functions[s.stack[0][0]][2 + n] += s.weight
            totals[n] += s.weight
    rows = [[f, c[0], c[1], round(1e6 * (c[3] / totals[1] - c[2] / totals[0]))] for f, c in functions.items()]
    return [[str(x) for x in r] for r in sorted(rows, key=lambda r: (-abs(r[3]), r[0].encode()))]


def answers(samples, hosts):
    """By the number of the question: rows of texts."""
    own, total, callers = collections.defaultdict(lambda: [0, 0]), collections.Counter(), collections.Counter()
    cores, over_time = collections.defaultdict(lambda: [set(), 0]), collections.defaultdict(lambda: [0, 0])
    outliers, builds = collections.Counter(), collections.defaultdict(set)
    tax = collections.defaultdict(lambda: [0, 0, 0])
    for s in samples:
        own[s.stack[0][0]][0] += s.weight
        own[s.stack[0][0]][1] += 1
        for f in {f for f, _ in s.stack}:
            total[f] += s.weight
        for f in {b for (a, _), (b, _) in zip(s.stack, s.stack[1:]) if a == "malloc"}:
            callers[f] += s.weight
        cores[s.service][0].add(s.host)
        cores[s.service][1] += s.weight
        if s.service == "web":
            over_time[s.time_s][0] += s.weight
            over_time[s.time_s][1] += 1
            outliers[s.host] += s.weight
        if s.build:
            builds[s.day, s.service, s.build].add(s.host)
        tax[s.service][0] += s.weight
        tax[s.service][1] += s.weight * any(m == "[kernel.kallsyms]" for _, m in s.stack)
        tax[s.service][2] += s.weight * any(m == "libc.so.6" for _, m in s.stack)
    windows = len({s.time_s for s in samples})
    median = sorted(outliers.values())[(len(outliers) - 1) // 2]
    return {
        1: top({f: v for f, v in own.items() if f}), 2: top({f: v for f, v in total.items() if f}), 3: top(callers),
        4: release(samples, OLD.hex(), NEW.hex()),
        5: [[s, str(len(h)), str(w)] for w, s, h in sorted(((v[1] // (60 * windows * 10**6), s, v[0])
                                                            for s, v in cores.items()), key=lambda x: (-x[0], x[1]))],
        6: [[str(t), str(w), str(n)] for t, (w, n) in sorted(over_time.items())],
        7: [[*row, str(median)] for row in top(outliers)],
        8: [[*key, str(len(h))] for key, h in sorted(builds.items())],
        9: top(tax),
        10: [[h.name, str(sum(s.host == h.name for s in samples)), str(LOST.get(h.name, 0)), "0",
              str(sum(s.host == h.name and not s.stack[0][0] for s in samples))]
             for h in sorted(hosts, key=lambda h: h.name)],
    }


def check_report(samples, hosts):
    """The oracle itself: what follows from the events is what the report has."""
    reported = [s for host in hosts for s in samples_by_report(host)]
    check("the ten questions by sonde report", answers(reported, hosts), answers(samples, hosts))
    for host in hosts:
        own = [s for s in samples if s.host == host.name]
        functions = collections.defaultdict(lambda: [0, 0])
        for row in host.report("--sort", "sym", "--children"):
            if row["symbol"]:
                functions[row["symbol"]][0] += row["self"]
                # a function that was inlined into its own symbol is two rows of the same stacks
                functions[row["symbol"]][1] = max(row["children"], functions[row["symbol"]][1])
        want = collections.defaultdict(lambda: [0, 0])
        # without call trees a sample is of its symbol, which need not be the function that was inlined there
        for e in host.events():
            want[e.get("symbol")][0] += e["period"]
        for s in own:
            for f in {f for f, _ in s.stack}:
                want[f][1] += s.weight
        want.pop(None, None)
        check(f"functions of {host.name}", dict(functions), dict(want))
        comms = host.report("--sort", "comm", "--no-children")
        check(f"weight of {host.name}", sum(r["self"] for r in comms), sum(s.weight for s in own))


PARAMETERS = {"event": "cpu-clock", "function": "malloc", "old": OLD.hex(), "new": NEW.hex(), "window": "60",
              "service": "web", "module": "libc.so.6"}


def compare(engine, text, want):
    """Answers are separated by empty lines, values by tabs; the first line has the names of the columns."""
    got = [[line.split("\t") for line in part.split("\n")[1:]] for part in text.rstrip("\n").split("\n\n")]
    check(f"answers of {engine}", len(got), len(want))
    for number, rows in enumerate(got, 1):
        if number == 10:    # the kernel, and when a host sent last, are not those of the samples
            rows = [[row[0], *row[2:6]] for row in rows]
        if number == 8:     # of the real recording: whatever was recorded
            rows = [row for row in rows if row[2] in (OLD.hex(), NEW.hex())]
        check(f"{engine}: question {number}", rows, want[number])


def questions(engine):
    return sorted(glob.glob(os.path.join(EXAMPLES, engine, "[01]*.sql")))


def ask(command):
    r = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=240,
                       env={**environment, "NODE_PATH": modules + ":" + chdb_modules})
    if r.returncode != 0:
        raise Wrong(f"{os.path.basename(command[1])}: {r.stderr.decode(errors='replace')}")
    return r.stdout.decode()


def node_with(package, how):
    """Of a package of npm: its folder is `modules`, or `chdb_modules`, which only one engine needs."""
    folder = chdb_modules if package == "chdb" else modules
    need(os.path.isdir(os.path.join(folder, package)), f"{package} ({how})")
    return need(shutil.which("node"), "node")


def ask_duckdb(hosts, folder, values):
    node = node_with("@duckdb/node-api", "tests/npm/install.sh")
    data_set = os.path.join(folder, "set")
    for host in hosts:
        host.export("parquet", "-o", data_set)
    command = [node, os.path.join(EXAMPLES, "duckdb.js"), data_set, *values, *questions("duckdb")]
    text = ask(command)
    for words in ["compact"], ["compact", "--remove"]:
        run("fleet", *words, data_set)
        check(f"answers after {words}", ask(command) == text, True)
    check_names(folder)
    return text


def ask_chdb(hosts, folder, values):
    node = node_with("chdb", "npm install --prefix build/chdb chdb@3.4.0")
    data_set = os.path.join(folder, "set")
    for host in hosts:
        host.export("parquet", "-o", data_set)
    return ask([node, os.path.join(EXAMPLES, "chdb.js"), data_set, *values, *questions("clickhouse")])


def loaded(hosts, folder):
    """Options that load what hosts exported for ClickHouse."""
    for host in hosts:
        host.export("clickhouse", "-o", os.path.join(folder, host.name))
    return [word for host in hosts for word in ("--load", os.path.join(folder, host.name))]


def ask_clickhouse(hosts, folder, values):
    need(shutil.which("clickhouse-server"), "clickhouse-server")
    return ask([sys.executable, os.path.join(EXAMPLES, "clickhouse.py"), *values, *loaded(hosts, folder),
                *questions("clickhouse")])


def ask_sqlite(hosts, folder, values):
    return ask([sys.executable, os.path.join(EXAMPLES, "sqlite.py"), *values, *loaded(hosts, folder),
                *questions("sqlite")])


# what asks an engine, and whether it puts a backslash before some characters
ENGINES = {"duckdb": (ask_duckdb, False), "clickhouse": (ask_clickhouse, True), "sqlite": (ask_sqlite, False),
           "chdb": (ask_chdb, True)}


def check_engine(engine, folder):
    values = [word for item in PARAMETERS.items() for word in ("-p", "=".join(item))]
    ask_engine, escapes = ENGINES[engine]
    hosts = make_hosts(folder)
    text = ask_engine(hosts, folder, values)
    if escapes:
        text = re.sub(r"\\(.)", r"\1", text)     # no tab or end of line is in a name
    samples = [s for host in hosts for s in samples_of(host)]
    check_report(samples, hosts)
    compare(engine, text, answers(samples, hosts))
    print(f"{engine}: ten questions about {len(samples)} samples of {len(hosts)} hosts as in the reports")


def check_names(folder):
    """Names of any bytes and of 65,000 bytes, and samples without times and maps, as DuckDB reads them."""
    wanted, data_set = collections.Counter(), os.path.join(folder, "odd")
    for make in (handmade, timeless):
        own = os.path.join(folder, make.__name__)
        os.mkdir(own)
        path = make(own)
        options = ["-i", path] + (["--kallsyms", os.path.join(own, "kallsyms")] if make is handmade else [])
        run("export", "--to", "parquet", "--host", make.__name__, "-o", data_set, *options)
        for row in json.loads(run("report", "--json", "-g", "none", "--no-children", "--sort", "comm,sym",
                                  *options).stdout)["events"][0]["rows"]:
            wanted[row["comm"], row["symbol"] or ""] += row["self"]
    check("names", sorted(DuckDB().ask([f"""select comm, function, sum(weight)::varchar
        from read_parquet('{data_set}/v1/samples/**') join read_parquet('{data_set}/v1/stacks/**') using (stack_id)
        join read_parquet('{data_set}/v1/frames/**') on frame_id = frames[1] group by 1, 2"""])[0]),
          sorted([comm, symbol, str(weight)] for (comm, symbol), weight in wanted.items()))


# ---- files ----

def rows_of(data, table):
    """The rows of a table in RowBinary, as dictionaries."""
    at, rows = 0, []

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte, at = data[at], at + 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    def value(kind):
        nonlocal at
        if kind == TEXT_TYPE:
            n = varint()
            at += n
            return data[at - n:at].decode()
        if kind == LIST:
            return [value(INT64) for _ in range(varint())]
        at += struct.calcsize(kind)
        return struct.unpack_from("<" + kind, data, at - struct.calcsize(kind))[0]

    while at < len(data):
        row = {"date": value("H"), "host": value(TEXT_TYPE)}
        row.update((name, value(kind)) for name, kind in COLUMNS[table].items())
        rows.append(row)
    return rows


def check_tables(host, folder):
    """What the tables of a recording have, and how they refer to one another."""
    place = os.path.join(folder, "tables")
    host.export("clickhouse", "-o", place)
    check("files", sorted(os.listdir(place)), sorted(t + ".rowbinary" for t in TABLES))
    tables = {}
    for table in TABLES:
        with open(os.path.join(place, table + ".rowbinary"), "rb") as f:
            data = f.read()
        check(f"{table} alone", host.export("clickhouse", "--table", table).stdout == data, True)
        tables[table] = rows_of(data, table)
    frames = {f["frame_id"]: f["function"] for f in tables["frames"]}
    stacks = {s["stack_id"]: [frames[f] for f in s["frames"]] for s in tables["stacks"]}
    check("ids", [len(frames), len(stacks)], [len(tables["frames"]), len(tables["stacks"])])
    check("depths", [s["depth"] for s in tables["stacks"]], [len(s["frames"]) for s in tables["stacks"]])
    got = sorted((s["time_s"], s["date"], s["service"], s["comm"], s["event"], s["build_id"], s["cpu_mode"],
                  ";".join(stacks[s["stack_id"]]), s["samples"], s["weight"]) for s in tables["samples"])
    want = sorted((MIDNIGHT - 60 + w * 60, MIDNIGHT // 86400 - (w == 0), NAMES[g], "web", "cpu-clock", OLD.hex(), 1,
                   ";".join(reversed(stack)), n, n * PERIOD) for stack, g, w, n, _ in MADE)
    check("samples", got, [tuple(row) for row in want])
    check("modules", sorted((m["path"], m["kind"], m["build_id"], m["symbolised"]) for m in tables["modules"]),
          [("/usr/bin/web", "user", OLD.hex(), 0), ("[kernel.kallsyms]", "kernel", "", 1)])
    run_row, = tables["runs"]
    check("the run", [run_row["host"], run_row["start_ns"] // 10**9, run_row["end_ns"] // 10**9, run_row["period"]],
          [host.name, MIDNIGHT - 60, MIDNIGHT + 64, 1])
    check("ids of the run", {s["run_id"] for s in tables["samples"]}, {run_row["run_id"]})


def tree(folder):
    """{path: bytes} of the files"""
    found = {}
    for path in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def check_data_set(host, folder):
    """Names of files; a second export is harmless, and so are two at once."""
    place = os.path.join(folder, "a", "b", "set")
    host.export("parquet", "-o", place)
    first = tree(place)
    places = {os.path.dirname(path) for path in first}
    check("directories", places, {f"v1/{t}/date=2026-11-22/host=old" for t in TABLES} |
          {"v1/samples/date=2026-11-23/host=old"})
    names = {os.path.basename(path) for path in first}
    check("names", [len(names), bool(re.fullmatch(rf"{MIDNIGHT - 60}-[0-9a-f]{{16}}\.parquet", min(names)))],
          [1, True])
    host.export("parquet", "-o", place)
    check("a second export", tree(place) == first, True)
    both = os.path.join(folder, "both")
    words = [SONDE, "export", "--to", "parquet", "--host", host.name, "-o", both, *host.options]
    for process in [subprocess.Popen(words, stdin=subprocess.DEVNULL, env=environment) for _ in range(4)]:
        check("one of several writers", process.wait(), 0)
    check("several writers", tree(both) == first, True)
    two = os.path.join(folder, "two")
    run("export", "--to", "parquet", "--host", "old", "-o", two, *host.options[:2], host.path, host.path)
    check("two recordings that are one", tree(two) == first, True)
    run("export", "--to", "parquet", "--host", "../x y", "--service", "s", "--window", "3600", "-o", two,
        *host.options)
    check("the name of a host in a path", sorted(os.listdir(os.path.join(two, "v1/runs/date=2026-11-22"))),
          ["host=_._x_y", "host=old"])
    check("--service, --window", {(r["service"], r["time_s"]) for r in
                                  rows_of(host.export("clickhouse", "--table", "samples", "--service", "s",
                                                      "--window", "3600").stdout, "samples")},
          {("s", MIDNIGHT - 3600), ("s", MIDNIGHT)})


def check_undated(host):
    """A stream without the date of its clock is of 1970, also what is in the window of its first sample."""
    with open(host.path, "rb") as f:
        data = run("export", "--to", "clickhouse", "--table", "samples", "-i", "-", stdin=f).stdout
    check("dates of a stream", {(row["date"], row["time_s"]) for row in rows_of(data, "samples")}, {(0, 0)})


def check_bad(host, folder):
    """What cannot be written leaves nothing; what makes no sense is told."""
    blocked = os.path.join(folder, "blocked")
    with open(blocked, "w", encoding="utf-8"):
        pass
    r = host.export("parquet", "-o", blocked, status=1)
    check("the message", b"cannot make the directory " in r.stderr, True)
    os.makedirs(os.path.join(folder, "half", "v1", "frames"))
    with open(os.path.join(folder, "half", "v1", "frames", "date=2026-11-22"), "w", encoding="utf-8"):
        pass
    host.export("parquet", "-o", os.path.join(folder, "half"), status=1)
    check("samples without their frames", glob.glob(os.path.join(folder, "half", "v1", "samples", "**")), [])
    host.export("clickhouse", "-o", os.path.join(folder, "tables"), status=1)   # which is there and not empty
    for words in [["parquet"], ["clickhouse"], ["parquet", "-o", "-"], ["folded", "--table", "samples"],
                  ["parquet", "-o", "x", "--window", "0"],
                  ["parquet", "-o", "x", "--window", "86401"], ["parquet", "-o", "x", "--table", "samples"]]:
        host.export(*words, status=2)
    r = host.export("clickhouse", "--table", "rows", status=1)
    check("the message", b"there is no table 'rows'" in r.stderr, True)
    empty = os.path.join(folder, "empty.data")
    with open(empty, "wb") as f:
        f.write(pd.make(pd.comm("idle"), sample_type=pd.CALLCHAIN | pd.PERIOD))
    run("export", "--to", "parquet", "-o", os.path.join(folder, "none"), empty)
    check("a recording without samples", tree(os.path.join(folder, "none")), {})


def check_files(folder):
    hosts = make_hosts(folder)
    host = hosts[2]
    check_tables(host, folder)
    check_undated(hosts[0])
    check_data_set(host, folder)
    check_bad(host, folder)
    print("files: tables, names and failures")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = environment["HOME"] = folder
        try:
            if sys.argv[1] == "files":
                check_files(folder)
            else:
                check_engine(sys.argv[1], folder)
        except Skip as e:
            print(f"skipped: {e}")
            return 77
        except Wrong as e:
            print(f"FAILED: {e}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py - whole commands against the faster of the installed perf and the newest one

Prints `name  value unit  ratio` lines: the best of some runs in turn, how many times faster than the rival, the goal,
the peak memory of both, and whether both count the same samples. Then, on the same recordings, all CPUs against one,
with the bound that as many independent processes show, and the first run against the second, which finds its tables on
disk. A recording that is not there is made in build/bench, or its rows are skipped. An argument chooses the row of
that name; if there is none, the rows with that part in their names. SONDE_BENCH_FILE names a recording with call chains
of one's own; SONDE_NEWEST_PERF a second perf (../shared/tools/newest-perf if that is there).
"""
import fcntl
import json
import os
import re
import resource
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from measuring import begin, end, measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
BENCH = os.path.join(ROOT, "build/release/bench")
MADE = os.path.join(ROOT, "build/bench")
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(ROOT, "../shared/tools/newest-perf"))
MEMORY_GOAL = 5     # report: at most a fifth of the rival's

# What the compiler works on while it is recorded: some seconds of a large C++ program
SOURCE = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <unordered_map>
int main(int argc, char **argv)
{
    std::map<std::string, std::function<int(int)>> m;
    std::unordered_map<int, std::string> u;
    std::regex r("a*b+(c|d)");
    m["a"] = [](int x) { return x + 1; };
    u[1] = "x";
    std::sort(argv, argv + argc);
    std::cout << std::regex_match(argv[0], r) << m["a"](argc);
    return (int)u.size();
}
"""


def loop(times, program):
    return ["sh", "-c", f'i=0; while [ $i -lt {times} ]; do "$0" >/dev/null; i=$((i+1)); done', program]


def record_chains(path, samples):
    """The workload as often as it takes, which the first recording tells."""
    workload = os.path.join(BENCH, "workload")
    times, have = 1, 0
    while have < samples and times < 256:
        subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", "25000", "-g", "-o", path, "--",
                        *loop(times, workload)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        have = count_samples(path)
        times = times * samples // max(have, 1) + 1


def record_stacks(path, samples):
    """A compiler, with copies of its stack."""
    compiler = next((c for c in ("clang++", "c++") if shutil.which(c)), None)
    if not compiler:
        return
    source = os.path.join(MADE, "source.cc")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    for rate in (3000, 10000):
        subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", str(rate), "--call-graph", "dwarf", "-o", path, "--",
                        compiler, "-O2", "-c", source, "-o", "/dev/null"],
                       check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if count_samples(path) >= samples:
            return


DEBUG_KINDS = 60     # each some 500 KB of debug information


def debug_source():
    """A program of many instances of templates."""
    kinds, calls = "", ""
    for i in range(DEBUG_KINDS):
        kinds += f"""
struct k{i} {{
    int at[{i % 7 + 1}]; std::string name;
    bool operator<(const k{i} &o) const {{ return name < o.name; }}
}};
static long use{i}(int n)
{{
    std::map<std::string, k{i}> m; std::vector<std::shared_ptr<k{i}>> v; std::set<k{i}> s;
    std::unordered_map<int, std::vector<k{i}>> u;
    std::function<long(const k{i} &)> f = [n](const k{i} &k) {{ return (long)k.name.size() + n; }};
    for (int i = 0; i < n; i++) {{
        k{i} k; k.name = std::to_string(i * 7919 % n);
        m[k.name] = k; s.insert(k); u[i % 16].push_back(k); v.push_back(std::make_shared<k{i}>(k));
    }}
    std::sort(v.begin(), v.end(), [](const auto &a, const auto &b) {{ return a->name < b->name; }});
    long sum = 0;
    for (auto &p : v) sum += f(*p);
    return sum + (long)s.size() + (long)u.size();
}}
"""
        calls += f"sum += use{i}(600);\n"
    heads = "algorithm functional iostream map memory set string unordered_map vector".split()
    return "".join(f"#include <{h}>\n" for h in heads) + kinds + \
        "int main() { long sum = 0; for (int n = 0; n < 8; n++) {\n" + calls + "} std::cout << sum; return 0; }\n"


def record_debug(path, samples):
    """A program with debug information, with copies of its stack. It takes a minute to compile."""
    program = os.path.join(MADE, "debug")
    with open(program + ".cc", "w", encoding="utf-8") as f:
        f.write(debug_source())
    if not shutil.which("c++") or subprocess.run(["c++", "-g", "-O1", "-o", program, program + ".cc"],
                                                 check=False).returncode:
        return
    for times in (4, 16):
        subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", "10000", "--call-graph", "dwarf", "-o", path, "--",
                        *loop(times, program)], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if count_samples(path) >= samples:
            return


def record_few(path, samples):
    """A command that ends soon: most of a run is its start."""
    subprocess.run([SONDE, "record", "-e", "cpu-clock", "-F", str(200 * samples), "-g", "-o", path, "--",
                    "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20000"],
                   check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def record_calls(path, samples):
    """Tracepoints of system calls; takes root."""
    subprocess.run([SONDE, "record", "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "-m", "4M", "-o", path, "--",
                    os.path.join(BENCH, "calls"), str(samples // 2)],
                   check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# name: file, samples, how it is made
RECORDINGS = {
    "chains": (os.environ.get("SONDE_BENCH_FILE", os.path.join(MADE, "perf.data")), 150_000, record_chains),
    "eightfold": (os.path.join(MADE, "eightfold.data"), 1_200_000, record_chains),
    "calls": (os.path.join(MADE, "calls.data"), 2_800_000, record_calls),
    "stacks": (os.path.join(MADE, "stacks.data"), 6000, record_stacks),
    "debug": (os.path.join(MADE, "debug.data"), 5000, record_debug),
    "few": (os.path.join(MADE, "few.data"), 10, record_few),
}

FLAT = ["report", "--no-children", "-g", "none", "-i"], ["report", "--stdio", "--no-children", "-g", "none", "-i"]
GRAPH = ["report", "-g", "-i"], ["report", "-g", "--stdio", "-i"]
SCRIPT = ["script", "-i"], ["script", "-i"]
FOLDED = ["export", "--to", "folded", "-i"], ["script", "report", "stackcollapse", "-i"]
ANNOTATE = ["annotate", "-s", "fibonacci", "-i"], ["annotate", "--stdio", "-s", "fibonacci", "-i"]
PLAIN_SCRIPT = ["script", "--no-inline", "-i"], ["script", "--no-inline", "-i"]
PLAIN_REPORT = ["report", "--no-inline", "-i"], ["report", "--stdio", "--no-inline", "-i"]

# name, recording, (sonde's words, perf's words), times faster than the rival, only the newest perf
ROWS = [
    ("report", "chains", FLAT, 6, False),
    ("report-g", "chains", GRAPH, 50, False),
    ("script", "chains", SCRIPT, 10, False),
    ("folded", "chains", FOLDED, 20, False),
    ("annotate", "chains", ANNOTATE, 20, False),
    ("eightfold-report", "eightfold", FLAT, 12, False),
    ("eightfold-report-g", "eightfold", GRAPH, 60, False),
    ("eightfold-script", "eightfold", SCRIPT, 25, False),
    ("calls-script", "calls", SCRIPT, 10, False),
    ("stacks-script", "stacks", PLAIN_SCRIPT, 4, False),
    ("stacks-script-inline", "stacks", SCRIPT, 5, True),   # perf 6.1 takes minutes
    ("stacks-report", "stacks", PLAIN_REPORT, 8, True),
]

# name, recording, sonde's words: one CPU against all
CPU_ROWS = [
    ("cpus-report-g", "eightfold", GRAPH[0]),
    ("cpus-script", "eightfold", SCRIPT[0]),
    ("cpus-folded", "eightfold", FOLDED[0]),
    ("cpus-calls-script", "calls", SCRIPT[0]),
    ("cpus-stacks-script", "stacks", SCRIPT[0]),
    ("cpus-count", "calls", ["info", "--count"]),
]
CPU_GOAL = 1.7

# name, recording, sonde's words: with inlined functions against without
INLINE_ROWS = [
    ("inline-script", "chains", ["script"]),
    ("inline-report-g", "chains", ["report", "-g"]),
    ("inline-stacks-script", "stacks", ["script"]),
]
INLINE_GOAL = 1.2

# name, recording, sonde's words, seconds of the second run
AGAIN_ROWS = [
    ("again-script", "stacks", SCRIPT[0], 0.3),
    ("again-report", "stacks", GRAPH[0], 0.3),
    ("start-script", "few", SCRIPT[0], 0.01),
    ("start-report", "few", FLAT[0], 0.01),
    ("start-report-g", "few", GRAPH[0], 0.01),
    ("again-annotate", "chains", ANNOTATE[0], 0.2),
    *((f"events-{to}", "chains", ["export", "--to", to, "-i"], 1)
      for to in ("chrome", "csv", "json-lines", "perfetto", "sqlite")),
]


# name, recording, seconds to make the bundle
BUNDLE_ROWS = [
    ("bundle", "stacks", 2),
    ("bundle-debug", "debug", 2),
]
BUNDLE_GOAL = 10    # percent of the debug information

# name, recording, options of report: seconds until a terminal shows the table, without and with the tables on disk
BROWSER_ROWS = [
    ("browser", "eightfold", [], 0.5, 0.15),
    ("browser-flat", "eightfold", ["--no-children", "-g", "none"], 0.5, 0.15),
]


def best_of(commands, seconds=20):
    """Of up to five runs of each in turn: the least times and memory by name; without those that fail."""
    best, failed, began = {}, set(), time.monotonic()
    for _ in range(5):
        for name, (argv, cpus) in commands.items():
            if name in failed:
                continue
            *seen, status = measure(argv, cpus)
            if status != 0:
                failed.add(name)
                continue
            best[name] = tuple(map(min, seen, best.get(name, seen)))
        if time.monotonic() - began > seconds:
            break
    return {name: b for name, b in best.items() if name not in failed}


def count_samples(path):
    told = subprocess.run([SONDE, "info", "--json", "--count", path], capture_output=True, check=False)
    try:
        return sum(json.loads(told.stdout)["samples"].values())
    except (ValueError, KeyError):
        return 0


def annotated(argv):
    """The samples and the shares by address in the output of annotate; other rows differ from perf to perf."""
    text = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    return re.findall(r"\((\d+) samples,", text), re.findall(r"^ *([\d.]+) +: +([0-9a-f]+):", text, re.M)


def counted(argv):
    """The samples in the output of a command: entries of script, counts of folded stacks, the heads of a report."""
    if ANNOTATE[0][0] in argv:
        return annotated(argv)
    heads, counts, blank, lines = [], 0, 0, 0
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        for line in child.stdout:
            lines += 1
            blank += line == b"\n"
            if "report" in argv[1:2] and line.startswith(b"# Event count"):
                heads.append(int(line.split()[-1]))
            elif FOLDED[0][0] in argv or FOLDED[1][2] in argv:
                counts += int(line.split()[-1])
    return heads or counts or blank or lines


def find(name):
    """The path of a recording, which is made where there is none; None if it cannot be."""
    path, samples, make = RECORDINGS[name]
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        make(path, samples)
    have = count_samples(path) if os.path.exists(path) else 0
    if have < samples and path != os.environ.get("SONDE_BENCH_FILE"):
        print(f"commands: the rows of {name} are skipped: {have} of {samples} samples could be recorded")
        return None
    print(f"recording {name}: {have} samples, {os.path.getsize(path) / 1e6:.1f} MB")
    return path


def show_row(name, path, words, goal, rivals):
    mine = [SONDE, *words[0], path]
    theirs = {p: [p, *words[1], path] for p in rivals}
    best = best_of({p: (argv, None) for p, argv in {SONDE: mine, **theirs}.items()})
    ours = best.pop(SONDE, None)
    if not ours or not best:
        who, asked = ("every perf", words[1]) if ours else ("sonde", words[0])
        print(f"{name:24} failed: {who} {' '.join(asked)}")
        return
    rival = min(best, key=lambda p: best[p][0])
    same = "same samples" if counted(mine) == counted(theirs[rival]) else "DIFFERENT SAMPLES"
    memory = f" (goal {MEMORY_GOAL}x)" if words[0][0] == "report" else ""
    print(f"{name:24} {ours[0]:8.3f} s     {best[rival][0] / ours[0]:6.1f}x {os.path.basename(rival)} (goal {goal}x); "
          f"CPU {ours[1]:.3f} s, {best[rival][1] / ours[1]:.1f}x; peak {ours[2] / 1e6:.0f} MB, "
          f"theirs {best[rival][2] / 1e6:.0f} MB, {best[rival][2] / ours[2]:.1f}x{memory}; {same}", flush=True)


def best_alone_and_at_once(argv, cpus):
    """Of some runs in turn: the least CPU seconds of one run on one CPU, and of each when every CPU has a run.

    CPU seconds tell how much CPUs that share a core, caches or memory slow each other, on a loaded machine too.
    """
    alone = at_once = float("inf")
    began = time.monotonic()
    for _ in range(5):
        alone = min(alone, measure(argv, {cpus[0]}).cpu)
        children = [begin(argv, {cpu}) for cpu in cpus]
        at_once = min(at_once, sum(end(child).cpu for child in children) / len(cpus))
        if time.monotonic() - began > 10:
            break
    return alone, at_once


def show_cpus(name, path, words):
    """All CPUs against one; the bound: as many independent processes, which share nothing but the machine."""
    argv = [SONDE, *words, path]
    cpus = sorted(os.sched_getaffinity(0))
    best = best_of({"one": (argv, {cpus[0]}), "all": (argv, set(cpus))}, seconds=10)
    if len(best) != 2:
        print(f"{name:24} failed: sonde {' '.join(words)}")
        return
    alone, at_once = best_alone_and_at_once(argv, cpus)
    print(f"{name:24} {best['all'][0]:8.3f} s     {best['one'][0] / best['all'][0]:6.2f}x one CPU (goal {CPU_GOAL}x), "
          f"CPU time {best['all'][1] / best['one'][1]:.2f}x; bound: {len(cpus)} processes on {len(cpus)} CPUs "
          f"{len(cpus) * alone / at_once:.2f}x, CPU time {at_once / alone:.2f}x; "
          f"peak {best['all'][2] / 1e6:.0f} MB", flush=True)


def show_inline(name, path, words):
    best = best_of({how: ([SONDE, *words, how, "-i", path], None) for how in ("--inline", "--no-inline")}, seconds=10)
    if len(best) == 2:
        ratio = best["--inline"][1] / best["--no-inline"][1]
        print(f"{name:24} {best['--inline'][0]:8.3f} s     CPU {ratio:6.2f}x that without inlined functions "
              f"(goal {INLINE_GOAL}x at most)", flush=True)


def show_again(name, path, words, goal):
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "XDG_CACHE_HOME": cache}
        first = measure([SONDE, *words, path], env=env).wall
        second, cpu = (min(column) for column in zip(*(measure([SONDE, *words, path], env=env)[:2] for _ in range(5))))
    print(f"{name:24} {second:8.4f} s    {first / second:6.1f}x the first run, {first:.3f} s (goal {goal} s); "
          f"CPU {cpu:.4f} s", flush=True)


def bytes_of_binaries(path):
    """Of the files with the symbols of a recording: programs, libraries and debug files."""
    told = subprocess.run([SONDE, "symbols", "--json", path], capture_output=True, check=False)
    files = {b["file"] for b in json.loads(told.stdout)["binaries"] if b["file"]}
    return sum(os.path.getsize(f) for f in files if os.path.isfile(f))


def bytes_of_debug(file):
    """Of the sections .debug_* of a binary."""
    listed = subprocess.run(["readelf", "-SW", file], capture_output=True, text=True, check=False).stdout
    lines = [line.split("]")[-1].split() for line in listed.splitlines() if " .debug_" in line]
    return sum(int(words[4], 16) for words in lines)


def debug_and_members(path, bundle):
    """Bytes of debug information of the binaries that have some, and of their members of the bundle."""
    told = subprocess.run([SONDE, "symbols", "--json", path], capture_output=True, check=False)
    debug = {b["build_id"]: bytes_of_debug(b["file"]) for b in json.loads(told.stdout)["binaries"]
             if b["file"] and os.path.isfile(b["file"])}
    listed = subprocess.run([SONDE, "bundle", "--list", bundle], capture_output=True, text=True, check=False).stdout
    members = re.findall(r" (\d+) +\d+  ([0-9a-f]+) ", listed)
    return sum(debug.values()), sum(int(size) for size, build_id in members if debug.get(build_id))


def first_table(argv, env):
    """Seconds until `argv` shows the last line of its screen on a terminal; then it is ended."""
    master, slave = os.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    began = time.monotonic()
    with subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True) as child:
        os.close(slave)
        shown = b""
        while b"q quit" not in shown and select.select([master], [], [], 10)[0]:
            shown += os.read(master, 65536)
        seconds = time.monotonic() - began
        child.kill()
    os.close(master)
    return seconds


def show_browser(name, path, options, goal, again_goal):
    argv, firsts, seconds = [SONDE, "report", "--tui", *options, "-i", path], [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "XDG_CACHE_HOME": cache, "TERM": "xterm-256color"}
            firsts.append(first_table(argv, env))
            seconds += [first_table(argv, env) for _ in range(3)]
    print(f"{name:24} {min(firsts):8.3f} s     to the first table (goal {goal} s), the second time "
          f"{min(seconds):.3f} s (goal {again_goal} s)", flush=True)


def show_bundle(name, path, goal):
    with tempfile.TemporaryDirectory() as tmp:
        bundle, cache = os.path.join(tmp, "bundle"), os.path.join(tmp, "cache")
        made = min(measure([SONDE, "bundle", "-o", bundle, path])[0] for _ in range(3))
        size = os.path.getsize(bundle) - os.path.getsize(path)
        here = min(measure([SONDE, *GRAPH[0], path])[1] for _ in range(3))
        fresh = {"HOME": cache, "XDG_CACHE_HOME": cache}
        there = min(measure([SONDE, *GRAPH[0], bundle], env=fresh)[1] for _ in range(3))
        share = 100 * size / max(bytes_of_binaries(path), 1)
        debug, members = debug_and_members(path, bundle)
    of_debug = f", {100 * members / debug:.1f} % of the debug information where there is some " \
        f"(goal {BUNDLE_GOAL} %)" if debug else ""
    print(f"{name:24} {made:8.3f} s     (goal {goal} s); {size / 1e6:.1f} MB, {share:.1f} % of its binaries{of_debug}; "
          f"opening it: CPU {there:.3f} s, with a warm cache of the binaries {here:.3f} s", flush=True)


def is_wanted(name, wanted):
    """Whether an argument is the name, or the part of a name that no row has as its own."""
    names = {row[0] for rows in (ROWS, CPU_ROWS, INLINE_ROWS, AGAIN_ROWS, BUNDLE_ROWS, BROWSER_ROWS) for row in rows}
    return not wanted or any(name == w if w in names else w in name for w in wanted)


def main(wanted):
    rivals = [p for p in ("perf", NEWEST) if shutil.which(p)]
    found = {}

    def paths(rows):
        """(row, path) of the rows that are wanted and have a recording."""
        for row in rows:
            if not is_wanted(row[0], wanted):
                continue
            if row[1] not in found:
                found[row[1]] = find(row[1])
            if found[row[1]]:
                yield row, found[row[1]]

    if not os.path.exists(os.path.join(BENCH, "workload")):
        print("commands: skipped, there is no bench/workload to record")
        return 0
    if not rivals:
        print("commands: there is no perf to compare with")
    for (name, _, words, goal, newest_only), path in paths(ROWS if rivals else []):
        show_row(name, path, words, goal, [p for p in rivals if p == NEWEST] if newest_only else rivals)
    if len(os.sched_getaffinity(0)) > 1:
        for (name, _, words), path in paths(CPU_ROWS):
            show_cpus(name, path, words)
    for (name, _, words), path in paths(INLINE_ROWS):
        show_inline(name, path, words)
    for (name, _, words, goal), path in paths(AGAIN_ROWS):
        show_again(name, path, words, goal)
    for (name, _, options, goal, again_goal), path in paths(BROWSER_ROWS):
        show_browser(name, path, options, goal, again_goal)
    for (name, _, goal), path in paths(BUNDLE_ROWS):
        show_bundle(name, path, goal)
    return 0


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sys.exit(main(sys.argv[1:]))

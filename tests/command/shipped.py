#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shipped.py COMMAND: a command on the recordings of tests/data, which every clone has

Beside each recording lies what perf script or trace-cmd report said of it when it was made (tests/data/make.py). That
text is what is expected: not only of `script`, but, counted, of every other command. No perf is needed.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

data = os.path.join(os.environ["SONDE_SOURCE"], "tests", "data")
sys.path[:0] = [data, os.path.dirname(data)]
import make  # noqa: E402
from shipped_data import unpack  # noqa: E402

sonde = os.path.abspath(os.environ["SONDE"])
SYMBOLS = ["--symfs", ".", "--kallsyms", "kallsyms"]
SOUND = [name for name in make.RECORDINGS if not name.startswith("killed")]
PERF = [name for name in SOUND if name.endswith(".data")]
DAT = [name for name in SOUND if name.endswith(".dat")]
CHAINS = ["callgraph.data", "stream.data"]
bad = 0


def expect(what, got, wanted):
    global bad
    if got != wanted:
        bad += 1
        print(f"FAILED: {what}: {str(got)[:400]}\n  expected {str(wanted)[:400]}")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(*words, status=0):
    """(output, messages) of sonde, which must end with this status."""
    r = subprocess.run([sonde, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    out, err = r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")
    if r.returncode != status:
        expect(f"exit status of sonde {' '.join(words)}: {err.strip()[:300]}", r.returncode, status)
    return out, err


def silent(*words):
    """The output of sonde, which has nothing to say."""
    out, err = run(*words)
    expect(f"messages of sonde {' '.join(words)}", err, "")
    return out


def theirs(name):
    """The lines of perf or trace-cmd, as `lines` gives ours."""
    return fold(name, unpack(name + ".txt").decode())


def fold(name, text):
    """Lines without what is told otherwise on purpose: docs/script-differences.md, docs/trace-cmd-differences.md."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    if name.endswith(".dat"):
        # task-states
        return [re.sub(r"\] \S+ ==> ", "] ==> ", line) for line in lines if not re.match(r"cpus=|version = ", line)]
    # user-addresses, in call chains
    return [re.sub(r"^[0-9a-f]+ (?=.*\(/)", "", line) for line in lines]


def lines(path, *options, name=None):
    name = name or path
    if name.endswith(".data"):
        options = [*SYMBOLS, *make.TEXT_OPTIONS.get(name, []), *options]
    return fold(name, run("script", *options, path)[0])


def samples(name):
    """Of the text of perf: [(first line, [frames])], the innermost frame first."""
    found = []
    for line in theirs(name):
        frame = re.match(r"(?:[0-9a-f]+ )?(\S+?)(?:\+0x[0-9a-f]+)? \((\S+)\)$", line)
        if re.match(r"\S+ \d+ (?:\[\d+\] )?[0-9.]+:", line):
            found.append((line, []))
        elif frame:
            # code without a symbol is called by its binary
            found[-1][1].append(frame[1] if frame[1] != "[unknown]" else f"[{os.path.basename(frame[2]).strip('[]')}]")
    return found


def counts(name):
    """Of the text: how often each event is there."""
    pattern = r"\[\d+\] (?:\S{5} )?[0-9.]+: (\w+): " if name.endswith(".dat") else r"[0-9.]+: (?:\d+ )?(\S+?):(?: |$)"
    return collections.Counter(m[1] for line in theirs(name) for m in [re.search(pattern, line)] if m)


def test_script():
    for name in SOUND:
        expect(f"script of {name}", lines(name), theirs(name))


def test_info():
    for name in SOUND:
        told = json.loads(silent("info", "--json", "--count", name))
        wanted = counts(name)
        got = told.get("by_event") or {s["name"]: s["samples"] for s in told["evlist"] if s["samples"]}
        expect(f"events of {name}", got, dict(wanted))
        expect(f"losses of {name}", told["losses"], [])
        text = silent("info", name)
        expect(f"host of {name}", bool(re.search(r"^# hostname *: example$", text, re.M)), True)
    piped = subprocess.run([sonde, "info", "-i", "-"], input=unpack("stream.data"), stdout=subprocess.PIPE)
    expect("when a stream was captured", b"# captured on    : unknown" in piped.stdout, True)
    out, _ = run("info", "killed.data", status=1)
    expect("killed.data is unfinished", "never finished" in out, True)


def test_check():
    for name in SOUND:
        out = silent("check", name)
        expect(f"check {name}", out.endswith(", 0 errors, 0 warnings, 0 notes\n"), True)
    out, _ = run("check", "--json", "killed.data", status=1)
    expect("killed.data", [f["rule"] for f in json.loads(out)["findings"]], ["unfinished"])


def test_dump():
    for name in PERF:
        out = silent("dump", "--samples", name)
        # the counts of a group are one sample
        wanted = {re.search(r"[0-9.]+:", line)[0] for line in theirs(name) if re.search(r"[0-9.]+:", line)}
        expect(f"samples of {name}", len(re.findall(r"^0x.* SAMPLE ", out, re.M)), len(wanted))
        expect(f"{name} in order of time", silent("dump", "--sort-time", name).count(" SAMPLE "), len(wanted))


def test_evlist():
    for name in PERF:
        events = {line.split(" ")[0] for line in silent("evlist", name).splitlines()}
        expect(f"evlist {name}", set(counts(name)) - events, set())


def test_report():
    expect("report -D", silent("report", "-D", "-i", "tasks.data"), silent("dump", "--layout", "perf", "tasks.data"))
    head = run("report", "-i", "tasks.data")[0].splitlines()[:4]
    expect("the lost samples", head[:3] + [head[3].split(":")[0]], ["#", "# Total Lost Samples: 0", "#", "# Samples"])
    expect("no head with -q", "Total Lost" in silent("report", "-q", "-i", "tasks.data"), False)
    for name in CHAINS:
        own, total = collections.Counter(), collections.Counter()
        for _, frames in samples(name):
            own[frames[0]] += 1
            total.update(set(frames))
        text, _ = run("report", *SYMBOLS, "--children", "-g", "none", "-n", "-s", "sym", "-i", name)
        rows = re.findall(r"^ +([0-9.]+)% +([0-9.]+)% +(\d+) +\[.\] (\S+)", text, re.M)
        named = {symbol: (int(n), share) for share, _, n, symbol in rows if symbol in total and symbol[0] != "["}
        expect(f"functions of {name}", set(named), {symbol for symbol in total if symbol[0] != "["})
        for symbol, (n, share) in named.items():
            expect(f"{symbol} in {name}", (n, share), (own[symbol], f"{100 * total[symbol] / len(samples(name)):.2f}"))
    text = silent("report", "-n", "-s", "comm", "--event", "sched:sched_process_exit", "tracepoints.data")
    rows = {m[2]: int(m[1]) for m in re.finditer(r"^ +[0-9.]+% +(\d+) +(\S+)", text, re.M)}
    exits = [line for line in theirs("tracepoints.data") if ":sched_process_exit:" in line]
    wanted = collections.Counter(line.split()[0] for line in exits)
    expect("commands of tracepoints.data", rows, dict(wanted))
    for name in PERF:   # dummy:u is no tracepoint: as with perf, the option changes nothing
        expect(f"report --raw-trace of {name}", run("report", "--raw-trace", name), run("report", name))


def test_export():
    for name in CHAINS:
        wanted = collections.Counter()
        for line, frames in samples(name):
            wanted[";".join([line.split()[0], *reversed(frames)])] += 1
        got = collections.Counter()
        for line in silent("export", "--to", "folded", *SYMBOLS, name).splitlines():
            stack, _, n = line.rpartition(" ")
            got[stack] += int(n)
        expect(f"folded stacks of {name}", [got - wanted, wanted - got], [collections.Counter(), collections.Counter()])
    page = silent("export", "--to", "html", *SYMBOLS, "callgraph.data")
    expect("the page has a function", "multiply_matrices" in page, True)


def same_after(name, path):
    expect(f"{path} as {name}", lines(path, name=name), lines(name))


def test_convert():
    for name in PERF:
        for form in (["-z"], ["--aligned"], ["--to", "pipe"], ["--to", "dir"], ["--endian", "big"], ["--rebuild"]):
            if name == "stream.data" and form == ["--rebuild"]:
                continue
            there, back = f"{name}.{form[-1].strip('-')}", f"{name}.back"
            run("convert", *form, name, there)
            same_after(name, there)
            if form == ["--endian", "big"]:
                silent("convert", "--endian", "little", there, back)
                # what was compressed before may be by another libzstd
                expect(f"{name} and back from big-endian", read(back) == unpack(name) or name == "packed.data", True)
            shutil.rmtree(there, ignore_errors=True)
    for name in DAT:
        for form in "v6", "v7", "v7 --compression zstd", "v7 --compression zlib":
            run("convert", "--to", *form.split(), name, "there.dat")
            expect(f"{name} {form}", lines("there.dat", name=name), lines(name))
    run("convert", "--to", "v7", "tracepoints.data", "crossed.dat")
    expect("a trace.dat of tracepoints.data", sum(counts_of_info("crossed.dat").values()),
           sum(counts("tracepoints.data").values()))
    run("convert", "--to", "file", "v7.dat", "crossed.data")
    expect("a perf.data of v7.dat", sum(counts_of_info("crossed.data").values()), sum(counts("v7.dat").values()))


def test_cross():
    """Tracepoints of one format in the other one, and back: the same events, fields and times."""
    def told(path):
        words = ["script", "--layout", "perf", "-F", "cpu,time,event,trace", path]
        # a task state that both print for themselves
        return [re.sub(r"prev_state=\S+", "", " ".join(line.split())) for line in run(*words)[0].splitlines()]
    for name, there, back in (("tracepoints.data", "v7", "file"), ("tracepoints.data", "v6", "file"),
                              ("v7.dat", "file", "v7"), ("v6.dat", "file", "v6")):
        run("convert", "--to", there, name, "there")
        expect(f"{name} as {there}", told("there"), told(name))
        expect(f"check of {name} as {there}", " 0 errors, 0 warnings, " in silent("check", "there"), True)
        run("convert", "--to", back, "there", "back")
        expect(f"{name} as {there} and back", told("back"), told(name))
    _, err = run("convert", "--to", "v7", "dwarf.data", "there.dat", status=1)
    expect("no tracepoint", "no tracepoint" in err and not os.path.exists("there.dat"), True)


def test_forms():
    """Each form of a recording, for each command that reads or changes one."""
    forms = {"packed": ["-z"], "aligned": ["--aligned"], "dir": ["--to", "dir"], "big": ["--endian", "big"],
             "all": ["-z", "--to", "dir", "--endian", "big"]}
    for name in PERF:
        middle = time_of(first_lines(name)[len(first_lines(name)) // 2])
        window = ["--time", f"{middle:.6f},"]
        for form, options in forms.items():
            made = f"{form}.{name}"
            run("convert", *options, name, made)
            expect(f"counts of {made}", counts_of_info(made), counts_of_info(name))
            # heads and hints name the file
            tables = [[line for line in run("report", *SYMBOLS, path)[0].splitlines() if line[:1] != "#"]
                      for path in (made, name)]
            expect(f"report of {made}", tables[0], tables[1])
            expect(f"folded stacks of {made}", run("export", *SYMBOLS, made)[0], run("export", *SYMBOLS, name)[0])
            run("cut", *window, made, "part")
            expect(f"a part of {made}", lines("part", name=name), lines(made, *window, name=name))
            run("merge", made, "-o", "merged")
            expect(f"{made} merged alone", lines("merged", name=name), lines(name))
            run("convert", "--redact", *(["--to", "file"] if os.path.isdir(made) else []), made, "redacted")
            expect(f"names left in {made}", b"workload" in read("redacted"), False)
            for path in "part", "merged", "redacted", made:
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def test_drop():
    """Fields that are cut out of the samples."""
    for name in ("callgraph.data", "dwarf.data", "tracepoints.data"):
        run("cut", "--drop", "callchain,stack,regs,raw", name, "part")
        expect(f"{name} is smaller", os.path.getsize("part") < os.path.getsize(name), True)
        fields = re.search("sample_type = (.*?),", silent("info", "part") + "sample_type = none,")[1]
        expect(f"fields of {name}", re.findall("CALLCHAIN|STACK_USER|REGS_USER|RAW", fields), [])
        words = ["script", "-F", "comm,tid,time,event"]
        expect(f"samples of {name}", [line for line in silent(*words, "part").splitlines() if line],
               [line for line in run(*words, name)[0].splitlines() if line])


def test_names():
    """Who a sample belongs to: the commands of perf script, counted."""
    for name in PERF:
        wanted = collections.Counter(line.split()[0] for line in first_lines(name))
        table = run("report", "--no-group", "--no-children", "-g", "none", "-n", "-s", "comm", name)[0]
        got = collections.Counter()
        for n, comm in re.findall(r"^ +[0-9.]+% +(\d+) +(\S+)", table, re.M):
            got[comm] += int(n)
        expect(f"commands of {name}", got, wanted)


def test_colour():
    """Percentages have colours where they are asked for, and are the same without."""
    coloured = re.compile("\033\\[3[12]m( *[0-9.]+%)\033\\[m")
    for words in ["-g", "none"], ["--no-children"], ["--no-children", "-n"]:
        plain = run("report", *SYMBOLS, *words, "callgraph.data")[0]
        text = run("report", *SYMBOLS, *words, "--stdio-color", "always", "callgraph.data")[0]
        expect(f"{words}: colours", len(coloured.findall(text)) > 3, True)
        expect(f"{words} without colours", coloured.sub(r"\1", text), plain)
        expect(f"{words}: no colours", "\033" in plain, False)
    for words in ["never"], ["always", "-t,"], ["always", "--json"]:
        expect(f"--stdio-color {words}", "\033" in run("report", "--stdio-color", *words, "callgraph.data")[0], False)
    _, err = run("report", "--stdio-color=sometimes", "callgraph.data", status=2)
    expect("another word", "takes always, never or auto" in err, True)


def test_summaries():
    """What report shows beside the table."""
    for name in PERF:
        kinds = re.findall(r"^0x[0-9a-f]+ .*? ([A-Z][A-Z0-9_]+) misc ", silent("dump", name), re.M)
        # those of all events come first, before those of each
        stats = re.search(r"^Aggregated stats:\n((?: +.*\n)*)", run("report", "--stats", name)[0], re.M)[1]
        told = {kind: int(n) for kind, n in re.findall(r"^ +(\w+) events: +(\d+)", stats, re.M) if kind != "TOTAL"}
        expect(f"records of {name}", told, dict(collections.Counter(kinds)))
    tasks = run("report", "--tasks", "tracepoints.data")[0]
    for comm in "dash", "workload", "comm":
        expect(f"the task {comm}", bool(re.search(rf"\b{comm}\b", tasks)), True)
    expect("the maps of the workload", "/opt/sonde/workload" in run("report", "--mmaps", "callgraph.data")[0], True)
    expect("a header", "# hostname : example" in run("report", "--header", "callgraph.data")[0], True)


def test_report_trace():
    """Events and tasks of trace-cmd report, counted."""
    for name in DAT:
        told = collections.Counter()
        for n, event in re.findall(r"^# Samples: (\S+) +of event '(?:[^:']*:)?([^']+)'$",
                                   run("report", "-g", "none", name)[0], re.M):
            told[event] += int(n.replace("K", "000"))
        # of a thousand and more, thousands are told
        wanted = {event: n if n < 1000 else n // 1000 * 1000 for event, n in counts(name).items()}
        told.pop("kernel_stack", None)
        wanted.pop("kernel_stack", None)
        expect(f"events of {name}", told, wanted)
    event, functions = "", set()
    for line in theirs("stacks.dat"):
        named = re.search(r" [0-9.]+: (\w+): ", line)
        event = named[1] if named and named[1] != "kernel_stack" else event
        if event == "sched_process_fork" and line.startswith("=> "):
            functions.add(line.split()[1])
    rows = run("report", "-g", "caller", "--no-children", "--event", "sched:sched_process_fork", "stacks.dat")[0]
    found = {word for line in rows.splitlines() if line[:1] != "#" for word in re.findall(r"[A-Za-z_]\w{4,}", line)}
    expect("functions in the stacks", (len(functions) > 3, functions - found), (True, set()))


def counts_of_info(path, status=0):
    told = json.loads(run("info", "--json", "--count", path, status=status)[0])
    return told.get("by_event") or {s["name"]: s["samples"] for s in told["evlist"] if s["samples"]}


def first_lines(name):
    return [line for line in theirs(name) if re.search(r" [0-9.]+: ", line)]


def time_of(line):
    return float(re.search(r" ([0-9.]+): ", line)[1])


def test_cut():
    for name in SOUND:
        wanted = first_lines(name)
        middle = time_of(wanted[len(wanted) // 2])
        part = "part" + os.path.splitext(name)[1]
        silent("cut", "--time", f"{middle:.6f},", name, part)
        got = [line for line in lines(part, name=name) if re.search(r" [0-9.]+: ", line)]
        # times are printed to a millionth of a second: of those in the same one, some may be before it
        late = [line for line in wanted if time_of(line) > middle]
        expect(f"{name} from {middle}: lines that are missing", collections.Counter(late) - collections.Counter(got),
               {})
        expect(f"{name} from {middle}: earlier lines", [line for line in got if time_of(line) < middle], [])
        # a count that has not changed since the sample before is not printed, and the first sample of a part has none
        if name != "groups.data":
            expect(f"{name} from {middle} has its lines", set(got) <= set(wanted), True)
        expect(f"check of a part of {name}", silent("check", part).endswith(", 0 errors, 0 warnings, 0 notes\n"), True)
    tid = first_lines("callgraph.data")[0].split()[1]
    silent("cut", "--tid", tid, "callgraph.data", "part.data")
    expect(f"thread {tid}", [line for line in lines("part.data", name="callgraph.data") if " cpu-clock:" in line],
           [line for line in first_lines("callgraph.data") if line.split()[1] == tid])
    silent("cut", "--event", "sched:sched_process_exec", "tracepoints.data", "part.data")
    expect("one event", lines("part.data", name="tracepoints.data"),
           [line for line in theirs("tracepoints.data") if " sched:sched_process_exec: " in line])
    silent("cut", "-B", "example", "buffers.dat", "part.dat")
    expect("one buffer", sum(counts_of_info("part.dat").values()),
           sum(line.startswith("example: ") for line in theirs("buffers.dat")))


def test_merge():
    for name in "callgraph.data", "tracepoints.data", "v6.dat", "v7.dat":
        extension = os.path.splitext(name)[1]
        parts = ["one" + extension, "two" + extension]
        middle = time_of(first_lines(name)[len(first_lines(name)) // 2])
        # what happened at that moment is in both parts
        silent("cut", "--time", f",{middle:.6f}", name, parts[0])
        silent("cut", "--time", f"{middle:.6f},", name, parts[1])
        run("merge", *parts, "-o", "whole" + extension)
        expect(f"parts of {name} together", sorted(set(lines("whole" + extension, name=name))),
               sorted(set(lines(name))))
    for one, other in ("callgraph.data", "stream.data"), ("tracepoints.data", "tasks.data"), ("v6.dat", "v7.dat"):
        merged = "merged" + os.path.splitext(one)[1]
        run("merge", one, other, "-o", merged)
        expect(f"{one} and {other}", sum(counts_of_info(merged).values()), sum((counts(one) + counts(other)).values()))
        expect(f"check of {one} and {other}", ", 0 errors, 0 warnings, " in silent("check", merged), True)
        times = [time_of(line) for line in lines(merged) if re.search(r" [0-9.]+: ", line)]
        expect(f"{one} and {other} in order of time", times, sorted(times))


def test_repair():
    run("repair", "killed.data", "mended.data")
    expect("check of the repaired", silent("check", "mended.data").endswith(", 0 errors, 0 warnings, 0 notes\n"), True)
    expect("samples of the repaired", counts_of_info("mended.data"), counts_of_info("killed.data", status=1))
    # cut off within the records: those before it are there
    for name in ("callgraph.data", "tracepoints.data"):
        whole = unpack(name)
        offsets = [(int(m[1], 16), int(m[2])) for m in
                   re.finditer(r"^(0x[0-9a-f]+) .* SAMPLE .*?size (\d+)", silent("dump", "--samples", name), re.M)]
        for share in (3, 2):
            at = offsets[-len(offsets) // share][0] + 9
            with open("damaged.data", "wb") as f:
                f.write(whole[:at])
            run("repair", "damaged.data", "mended.data")
            expect(f"{name} up to {at}", sum(counts_of_info("mended.data").values()),
                   sum(start + size <= at for start, size in offsets))
            expect(f"check of {name} up to {at}", ", 0 errors, " in run("check", "mended.data")[0], True)
    # bytes in the middle that are no record cost the records that they lie in
    at = offsets[len(offsets) // 2][0]
    with open("damaged.data", "wb") as f:
        f.write(whole[:at] + b"\xff" * 8 + whole[at + 8:])
    run("repair", "damaged.data", "mended.data")
    expect("one sample overwritten", sum(counts_of_info("mended.data").values()), len(offsets) - 1)
    for name in ("v6.dat", "v7.dat"):
        run("repair", name, "mended.dat")
        expect(f"a sound {name} repaired", read("mended.dat") == unpack(name), True)


def test_redact():
    for name in PERF:
        run("convert", "--redact", name, "redacted.data")
        new = read("redacted.data")
        left = [word for word in (b"workload", b"/opt/sonde", b"libc.so") if word in new]
        expect(f"names left in {name}", left, [])
        if name != "uprobes.data":   # whose events have other names then
            expect(f"samples of redacted {name}", counts_of_info("redacted.data"), dict(counts(name)))
    for name in DAT:
        run("convert", "--redact", name, "redacted.dat")
        expect(f"paths left in {name}", b"/opt/sonde" in read("redacted.dat"), False)
        expect(f"lines of redacted {name}", len(silent("script", "redacted.dat").splitlines()),
               len(silent("script", name).splitlines()))


def test_filter():
    for name in DAT:
        wanted = [line for line in theirs(name) if re.search(r" [0-9.]+: ", line)]
        if name == "stacks.dat":     # a stack comes and goes with its event
            continue
        for event in sorted(set(counts(name))):
            of_it = [line for line in wanted if re.search(rf" [0-9.]+: {event}: ", line)]
            expect(f"-F {event} of {name}", lines(name, "-F", event), of_it)
            expect(f"-v -F {event} of {name}", lines(name, "-v", "-F", event),
                   [line for line in wanted if line not in of_it])
    to_idle = [line for line in theirs("v7.dat") if re.search(r"sched_switch: .* ==> \S+:0 ", line)]
    expect("by a field", lines("v7.dat", "-F", "sched_switch: next_pid == 0"), to_idle)
    expect("by a pattern", lines("v7.dat", "-F", 'sched_switch: next_comm ~ "swapper*"'), to_idle)
    expect("by the opposite", lines("v7.dat", "-F", "sched_switch: next_pid != 0"), [])
    run("script", "-F", "sched_switch: next_pid ==", "v7.dat", status=2)
    _, err = run("script", "-F", "comm,nothing", "v7.dat", status=2)
    expect("a filter of no event", "is about no event" in err, True)


def test_several():
    for names in ("v6.dat", "v7.dat"), ("callgraph.data", "tasks.data"):
        out, _ = run("script", *(word for name in names for word in ("-i", name)))
        times = [float(t) for t in re.findall(r" ([0-9]+\.[0-9]{6}): ", out)]
        expect(f"{names} in order of time", times, sorted(times))
        for name in names:
            own = [line.split(": ", 1)[1].split() for line in out.splitlines() if line.strip().startswith(name + ": ")]
            alone = [line.split() for line in run("script", name)[0].splitlines()
                     if re.search(r" [0-9]+\.[0-9]{6}: ", line)]
            expect(f"lines of {name} among those of {names}", [line for line in own if line in alone], alone)


def test_nothing():
    for name in SOUND:
        is_dat = name.endswith(".dat")
        number = sum(counts(name).values())
        for words in ["--time", "1,2"], ["--cpu", "77"] if is_dat else ["--pid", "99999"]:
            out, err = run("script", name, *words)
            sentence = (rf"sonde: .*{name}: (?:none of its ([0-9]+) (?:samples|events) was|"
                        "its only (?:sample|event) was not) asked for: ")
            said = re.match(sentence, err)
            expect(f"{words} of {name} is said: {err}", bool(said), True)
            if said:
                expect(f"how many {name} has", int(said[1] or 1), number)
            expect(f"nothing else is said of {name}", err.count("\n"), 1)
        run("cut", name, "part", "--time", "1,2")
        out, err = run("script", "part")
        expect(f"a part of {name} without events: {err}", " has no " in err, True)
    for words in (["report"], ["script"], ["export"]):
        _, err = run(*words, "missing.data", status=1)
        expect(f"{words} of a file that is not there", "cannot open" in err, True)


def test_obeyed():
    for words in ["--children"], ["-g", "none", "--children"], ["-g", "none"]:
        text, _ = run("report", *SYMBOLS, *words, "callgraph.data")
        expect(f"report {words} has both columns", bool(re.search("^# Children +Self ", text, re.M)), True)
        expect(f"report {words} has trees", "---" in text or "--" in text and "|" in text, words == ["--children"])
    text, _ = run("report", *SYMBOLS, "-g", "none", "--no-children", "callgraph.data")
    expect("report --no-children", bool(re.search("^# Overhead +Command ", text, re.M)), True)
    for words in ["--children"], ["-g"], ["-g", "caller"]:
        _, err = run("report", *words, "clock.data")
        expect(f"report {words} without call chains", "has no call chains" in err, True)
    _, err = run("report", "--no-children", "clock.data")
    expect("call chains are not asked for", "call chains" in err, False)
    _, err = run("report", "--json", "--html=page.html", "clock.data", status=2)
    expect("two reports at once", "exclude each other" in err and not os.path.exists("page.html"), True)
    described = silent("report", "--header-only", "clock.data")
    for words in ["--stats"], ["--tasks"], ["-D"]:
        text = silent("report", "--header", *words, "clock.data")
        expect(f"report --header {words}", text, described + silent("report", *words, "clock.data"))
    run("script", "-F", "tod,ip", "callgraph.data", status=2)
    out, _ = run("script", "-F", "tod,ip", "clock.data")
    expect("the time of day", bool(re.match(r" *20\d\d-\d\d-\d\d ", out)), True)


def test_losses():
    for name in ("callgraph.data", "tracepoints.data", "v6.dat"):
        whole = unpack(name)
        with open("short", "wb") as f:
            f.write(whole[:-3000] if name.endswith(".data") else whole[:len(whole) * 3 // 4])
        for words in (["script"], ["report"], ["info", "--count"]):
            out, err = run(*words, "short", status=1)
            expect(f"{words} of a part of {name} says what is lost", "# losses         : none" in out or
                   (words != ["info", "--count"] and "Warning: " not in err), False)
    # a record whose size is too small for its type: the message names its place, its type, and both sizes
    at = int(re.search("^(0x[0-9a-f]+) .* MMAP2 ", silent("dump", "callgraph.data"), re.M)[1], 16)
    damaged = bytearray(unpack("callgraph.data"))
    size, damaged[at + 6:at + 8] = damaged[at + 6:at + 8], b"\x10\0"
    with open("size.data", "wb") as f:
        f.write(damaged)
    said = (f"Warning: size.data: {int.from_bytes(size, 'little')} bytes that are no records (first at offset {at:#x}: "
            "MMAP2 (10) of 16 bytes, where 72 or more are needed)\n")
    for status, *words in (1, "report", "size.data"), (0, "convert", "--to", "pipe", "size.data", "size.pipe"):
        _, err = run(*words, status=status)
        expect(f"{words[0]} of a record of 16 bytes: {err}", said in err, True)
    with open("text.data", "wb") as f:
        f.write(unpack("stream.data") + b"[ perf record: Woken up 1 times to write data ]\n")
    out, err = run("script", "text.data", status=1)
    expect("text after a stream", "48 bytes of text that are no records" in err, True)
    expect("lines of the stream", out, run("script", "stream.data")[0])


def test_lists():
    with open("opt/sonde/workload", "rb") as f:
        head = re.escape(bytes([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + b"GNU\0")
        note = re.search(head + b"(.{20})", f.read(), re.S)
    for name in ("callgraph.data", "tasks.data"):
        expect(f"build ids of {name}", f"{note[1].hex()} /opt/sonde/workload" in silent("buildid-list", name), True)
    groups = silent("evlist", "-g", "groups.data").splitlines()
    expect("groups", groups[0], "{cpu-clock,page-faults}")
    fields = silent("evlist", "--trace-fields", "tracepoints.data")
    expect("fields", "sched:sched_process_exit: trace_fields: comm,pid,prio" in fields, True)


def test_examples():
    programs = os.path.join(os.environ["SONDE_BUILD"], "examples", "example-")

    def example(name, *words, status=0):
        r = subprocess.run([programs + name, *words], capture_output=True, text=True, timeout=600)
        expect(f"exit status of example-{name} {words}: {r.stderr}", r.returncode, status)
        return r.stdout
    for name in ("callgraph.data", "tracepoints.data", "clock.data"):
        wanted = counts(name)
        got = {line.split()[1]: int(line.split()[0]) for line in example("count", name).splitlines()}
        expect(f"example-count {name}", {k: v for k, v in got.items() if v}, dict(wanted))
        expect(f"example-samples {name}", len(example("samples", name).splitlines()), sum(wanted.values()))
    expect("example-metadata", "event      cpu-clock" in example("metadata", "clock.data"), True)
    expect("example-functions", bool(re.search(r"^ *[0-9.]+%  ", example("functions", "callgraph.data"), re.M)), True)
    expect("example-losses", example("losses", "clock.data"), "")
    with open("short", "wb") as f:
        f.write(unpack("callgraph.data")[:8000])
    expect("example-losses of a part", example("losses", "short", status=1) != "", True)


def main():
    command = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # no cache, and no binaries but those of tests/data
        os.environ.update(HOME=folder, XDG_CACHE_HOME=folder + "/cache", LC_ALL="C", TZ="UTC")
        os.makedirs("opt/sonde")
        for name in make.RECORDINGS:
            with open(name, "wb") as f:
                f.write(unpack(name))
        for name, place in ("workload", "opt/sonde/workload"), ("kallsyms", "kallsyms"):
            with open(place, "wb") as f:
                f.write(unpack(name))
        globals()["test_" + command]()
        os.chdir("/")
    return 1 if bad else 0


sys.exit(main())

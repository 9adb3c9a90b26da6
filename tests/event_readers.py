# SPDX-License-Identifier: MIT
"""event_readers.py - readers of the formats that exports of events have

Each gives the samples of a file as dictionaries, as read_json_lines() does, without the keys that the format does not
have, and a dictionary of what it tells besides.
"""
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys

import json_schema


def read_json_lines(path):
    with open(os.path.join(os.environ["SONDE_SOURCE"], "docs/events-json.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    for line in {(x["kind"], x.get("src"), *x): x for x in lines}.values():  # one of each shape
        wrong = json_schema.check(line, schema)
        assert not wrong, (wrong, line)
    assert lines[0]["kind"] == "start" and lines[-1]["kind"] == "end", (lines[0], lines[-1])
    assert lines[-1]["events"] == len([x for x in lines if x["kind"] not in ("start", "source", "clock", "end")])
    clock = next((x for x in lines if x["kind"] == "clock"), {})
    sources = {x["src"]: x["event"] for x in lines if x["kind"] == "source"}
    samples = []
    for x in lines:
        if x["kind"] in ("sample", "tracepoint"):
            assert sources[x["src"]] == x["event"], x
            samples.append({"time": x["t"] + int(clock["start_ns"]) if "t" in x else None,
                            **{key: x.get(key) for key in ("cpu", "pid", "tid", "comm", "event", "symbol", "module")},
                            "ip": int(x["ip"], 16) if "ip" in x else None, "period": int(x.get("period", 1)),
                            "stack": [f.get("f", "[unknown]") for f in x.get("stack", [])],
                            "fields": x.get("fields", {})})
    assert lines[-1]["samples"] == len(samples)
    return samples, {"clock": clock.get("clock"), "lost": lines[-1]["lost"]}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    clock = next((json.loads(r["fields"]) for r in rows if r["kind"] == "clock"), {})
    end = json.loads(rows[-1]["fields"])
    assert rows[-1]["kind"] == "end" and end["events"] == len([r for r in rows if r["kind"] not in ("clock", "end")])
    samples = []
    for r in rows:
        assert len(r) == 13 and None not in r, r
        if r["kind"] in ("sample", "tracepoint"):
            samples.append({"time": int(r["t"]) + int(clock["start_ns"]) if r["t"] else None,
                            **{key: int(r[key]) if r[key] else None for key in ("cpu", "pid", "tid")},
                            **{key: r[key] or None for key in ("comm", "event", "symbol", "module")},
                            "ip": int(r["ip"], 16) if r["ip"] else None, "period": int(r["period"] or 1),
                            "stack": r["stack"].split(";")[::-1] if r["stack"] else [],
                            "fields": json.loads(r["fields"] or "{}")})
    assert end["samples"] == len(samples)
    return samples, {"clock": clock.get("clock"), "lost": end["lost"]}


def read_sqlite(path):
    db = sqlite3.connect(path)
    assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert db.execute("pragma user_version").fetchone() == (1,)
    assert db.execute("pragma application_id").fetchone() == (0x736f6e64,)
    meta = dict(db.execute("select key, value from meta"))
    start = meta.get("start_ns", 0)
    frames, parents = {}, {}
    for stack, parent, function in db.execute(
            "select s.id, s.parent, f.function from stack s join frame f on f.id = s.frame"):
        frames[stack], parents[stack] = function or "[unknown]", parent
    fields = {key: json.loads(value) for key, value in db.execute("select id, fields from event")}
    samples = []
    for row in db.execute(
            "select id, t, cpu, pid, tid, comm, event, weight, function, module, ip, stack from v_sample"):
        number, t, cpu, pid, tid, comm, event, weight, function, module, ip, stack = row
        names = []
        while stack:
            names.append(frames[stack])
            stack = parents[stack]
        samples.append({"time": None if t is None else t + start, "cpu": cpu, "pid": pid, "tid": tid, "comm": comm,
                        "event": event, "period": weight, "symbol": function, "module": module,
                        "ip": None if ip is None else ip % 2**64, "stack": names, "fields": fields.get(number, {})})
    assert len(samples) == meta["samples"]
    assert sum(n for n, in db.execute("select samples from v_self")) == len(samples)
    lost = sum(n for n, in db.execute("select n from loss where kind in ('recorder', 'samples')"))
    slices = [(t + start, *rest) for t, *rest in db.execute("select t, dur, cpu, tid, end_state from v_sched")]
    db.close()
    return samples, {"clock": meta["clock"], "lost": lost, "slices": slices}


def only(names):
    """The name of a thread that had one; a format that has names of threads does not say when they were given."""
    return {"comm": next(iter(names))} if len(names) == 1 else {}


def read_chrome(path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    other, stacks = trace["otherData"], trace["stackFrames"]
    start = int(other.get("start_ns", 0))
    comms = {}
    for x in trace["traceEvents"]:
        if x["ph"] == "M" and x["name"] == "thread_name":
            comms.setdefault((x["pid"], x["tid"]), set()).add(x["args"]["name"])
    samples, slices, counts = [], [], {}
    for x in trace["traceEvents"]:
        ns = round(x.get("ts", 0) * 1000) + start
        if x["ph"] == "X":
            slices.append((ns, round(x["dur"] * 1000), x["tid"], x["args"]["tid"], x["args"]["end_state"]))
        elif x["ph"] == "C":
            for event, value in x["args"].items():
                counts.setdefault((x["id"], event), []).append((ns, value))
        elif x["ph"] == "P" or x["ph"] == "i" and x["cat"] == "tracepoint":
            names, at = [], str(x.get("sf", ""))
            while at:
                names.append(stacks[at]["name"])
                at = stacks[at].get("parent")
            samples.append({"time": ns, "tid": x["tid"], "event": x["name"], "stack": names,
                            **only(comms.get((x["pid"], x["tid"]), ()))})
            if x["ph"] == "i":
                samples[-1]["fields"] = x["args"]
            else:
                samples[-1]["period"] = x["args"]["period"]
    assert other["samples"] == len(samples)
    return samples, {"clock": other["clock"], "lost": other["lost"], "slices": slices, "counts": counts}


def decoded(text):
    """What protoc --decode prints: lists of (name, value) pairs, messages as lists."""
    top = message = []
    above = []
    for line in text.splitlines():
        word = line.strip()
        if word.endswith(" {"):
            above.append(message)
            inner = []
            message.append((word[:-2], inner))
            message = inner
        elif word == "}":
            message = above.pop()
        elif word:
            key, value = word.split(": ", 1)
            if value.startswith('"'):
                value = value[1:-1].encode().decode("unicode_escape").encode("latin-1")
            elif value.lstrip("-").isdigit():
                value = int(value)
            message.append((key, value))
        assert not word[:1].isdigit(), f"a field that is not in tests/perfetto.proto: {word}"
    return top


def one(message, key, otherwise=None):
    return next((v for k, v in message if k == key), otherwise)


def every(message, key):
    return [v for k, v in message if k == key]


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value


def read_bundle(bundle, samples, switches):
    cpu = one(bundle, "cpu")
    for event in every(bundle, "event"):
        kind, body = next((k, v) for k, v in event if isinstance(v, list))
        at = one(event, "timestamp")
        typed = kind != "generic"
        if not typed:
            fields = {as_text(one(f, "name")): as_text(f[-1][1]) for f in every(body, "field")}
            kind = as_text(one(body, "event_name"))
        else:
            fields = {key: as_text(value) for key, value in body}
        if kind == "sched_switch" and typed:
            switches.append((at, cpu, fields))
        samples.append({"time": at, "cpu": cpu, "tid": one(event, "pid"), "name": kind, "fields": fields})


def slices_of(switches):
    """As Perfetto's trace processor: a task that comes to a CPU runs until the next switch of that CPU."""
    slices, running = [], {}
    for at, cpu, fields in sorted(switches, key=lambda s: s[0]):
        if cpu in running and running[cpu][1]:
            begun, task = running[cpu]
            assert task == fields["prev_pid"], ("a switch takes off a task that does not run", at, cpu, fields)
            slices.append((begun, at - begun, cpu, task, {0: "R", 1: "S", 2: "D"}.get(fields["prev_state"])))
        running[cpu] = at, fields["next_pid"]
    return slices


def read_perfetto(path):
    if not shutil.which("protoc"):
        print("skipped: there is no protoc")
        sys.exit(77)
    folder = os.path.join(os.environ["SONDE_SOURCE"], "tests")
    with open(path, "rb") as f:
        text = subprocess.run(["protoc", "--decode=Trace", "--proto_path=" + folder, "perfetto.proto"], stdin=f,
                              capture_output=True, text=True, check=True).stdout
    interned, defaults, comms = {}, {}, {}
    samples, switches, lost, clocks, tracks, counts = [], [], 0, [], {}, {}
    for packet in every(decoded(text), "packet"):
        sequence = one(packet, "trusted_packet_sequence_id")
        assert sequence, packet
        clocks += [one(c, "clock_id") for c in every(one(packet, "clock_snapshot", []), "clocks")]
        for thread in every(one(packet, "process_tree", []), "threads"):
            comms.setdefault(one(thread, "tid"), set()).add(as_text(one(thread, "name")))
        if one(packet, "sequence_flags") == 1:
            base = one(one(one(packet, "trace_packet_defaults", []), "perf_sample_defaults", []), "timebase", [])
            defaults[sequence], interned[sequence] = as_text(one(base, "name")), {}
        if one(packet, "sequence_flags") == 2 and sequence not in interned:
            continue             # as Perfetto does: the packet needs a state that none has begun
        for kind, entry in one(packet, "interned_data", []):
            assert (kind, one(entry, "iid")) not in interned[sequence], "a number is used twice"
            interned[sequence][kind, one(entry, "iid")] = entry
        sample = one(packet, "perf_sample")
        if sample:
            lost += one(sample, "kernel_records_lost", 0)
        if sample and one(sample, "tid") is not None:
            known, names = interned[sequence], []
            if one(sample, "callstack_iid"):
                for number in every(known["callstacks", one(sample, "callstack_iid")], "frame_ids"):
                    frame = known["frames", number]
                    function = known["function_names", one(frame, "function_name_id")]
                    if one(frame, "mapping_id"):
                        mapping = known["mappings", one(frame, "mapping_id")]
                        assert ("mapping_paths", one(mapping, "path_string_ids")) in known
                    names.insert(0, as_text(one(function, "str")) or "[unknown]")
            samples.append({"time": one(packet, "timestamp") or None, "tid": one(sample, "tid"),
                            "event": defaults[sequence], "stack": names})
        if one(packet, "track_descriptor"):
            track = one(packet, "track_descriptor")
            assert one(track, "uuid") not in tracks, "a track is told twice"
            tracks[one(track, "uuid")] = track
        if one(one(packet, "track_event", []), "counter_value") is not None:
            track = tracks[one(one(packet, "track_event"), "track_uuid")]
            thread = one(tracks.get(one(track, "parent_uuid"), []), "thread", [])
            series = counts.setdefault((one(thread, "tid"), as_text(one(track, "name"))), [])
            series.append((one(packet, "timestamp"), one(one(packet, "track_event"), "counter_value")))
        read_bundle(one(packet, "ftrace_events", []), samples, switches)
    assert not samples or samples[0].get("time") is None or 6 in clocks, clocks
    for s in samples:
        s.update(only(comms.get(s["tid"], ())))
    traced = {s["time"] for s in samples if "name" in s}   # whose stacks are samples besides
    samples = [s for s in samples if "name" in s or s["time"] not in traced]
    samples.sort(key=lambda s: s["time"] or 0)
    return samples, {"lost": lost or None, "slices": slices_of(switches), "counts": counts}


READ_CTF = r"""
import json, sys, bt2
for m in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(m) is bt2._DiscardedEventsMessageConst:
        print(json.dumps({"discarded": m.count}))
    if type(m) is not bt2._EventMessageConst:
        continue
    def plain(v):
        if isinstance(v, bt2._StructureFieldConst):
            return {k: plain(x) for k, x in v.items()}
        if isinstance(v, bt2._ArrayFieldConst):
            return [plain(x) for x in v]
        if isinstance(v, bt2._StringFieldConst):
            return str(v) if len(v) else ""      # str() of an empty text is that of an event before
        return int(v)
    e = m.event
    print(json.dumps({"time": m.default_clock_snapshot.value, "event": e.name,
                      "cpu": int(e.packet.context_field["cpu_id"]), "context": plain(e.common_context_field),
                      "fields": plain(e.payload_field),
                      "clock": m.default_clock_snapshot.clock_class.description}))
"""


def read_ctf(path):
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import bt2"], capture_output=True, check=False).returncode != 0:
        print("skipped: there is no babeltrace2 for Python")
        sys.exit(77)
    text = subprocess.run([python, "-c", READ_CTF, path], capture_output=True, text=True, check=True).stdout
    samples, lost, clock = [], 0, None
    for x in map(json.loads, text.splitlines()):
        lost += x.get("discarded", 0)
        if "time" not in x:
            continue
        fields, context, clock = x["fields"], x["context"], x["clock"]
        own = {key: fields[key] for key in fields if not key.startswith("perf_")}
        samples.append({"time": x["time"], "cpu": x["cpu"] if x["cpu"] < 2**32 - 1 else None, "event": x["event"],
                        "pid": context["pid"], "tid": context["tid"], "comm": context["comm"] or None,
                        "ip": fields["perf_ip"], "period": fields["perf_period"], "fields": own,
                        "symbol": fields["perf_symbol"] or None, "module": fields["perf_module"] or None,
                        "stack": fields["perf_frames"]})
    assert [s["time"] for s in samples] == sorted(s["time"] for s in samples)
    return samples, {"lost": lost, **({"clock": clock} if clock else {})}

# SPDX-License-Identifier: MIT
"""recordings.py - one recording of each kind that sonde writes: recorded, converted, cut, merged, repaired, redacted

A kind is made when it is asked for, and those that it is made of before it.
"""
import json
import os
import signal
import subprocess
import time

SKIP = 77
TRIALS = 5
sonde = os.path.abspath(os.environ["SONDE"])
workload = os.path.join(os.environ["SONDE_BUILD"], "bench", "workload")

PLAIN = ["record", "-e", "cpu-clock"]
SYSTEM = ["record", "-a", "-m", "1024"]
SCHED = ["record", "--ftrace", "-e", "sched"]
# The arguments of sonde by kind: OUT is the file, @KIND that of another kind, @FORMAT/KIND one of the other format;
# what is written to - goes to the file too; `killed` stands before those of a recorder that is killed.
PERF_KINDS = {
    "plain": [*PLAIN, "-o", "OUT", workload, "0.2"],
    "callgraph": [*PLAIN, "-g", "-o", "OUT", workload, "0.2"],
    "system": [*SYSTEM, "-e", "sched:*", "-o", "OUT", workload, "0.2"],
    "system-callgraph": [*SYSTEM, "-g", "-e", "cpu-clock,sched:sched_switch", "-o", "OUT", workload, "0.2"],
    "tracepoint": ["record", "-e", "sched:sched_switch", "-o", "OUT", workload, "0.2"],
    "group": ["record", "-e", "{cpu-clock,task-clock}:S", "-o", "OUT", workload, "0.2"],
    "tasks": [*SYSTEM, "-e", "cpu-clock", "--switch-events", "--namespaces", "--all-cgroups", "-o", "OUT", workload,
              "0.2"],
    "per-thread": [*PLAIN, "--per-thread", "-o", "OUT", workload, "0.2"],
    "dwarf": [*PLAIN, "-F", "500", "--call-graph", "dwarf", "-o", "OUT", workload, "0.2"],
    "recorded-compressed": [*PLAIN, "-g", "-z", "-o", "OUT", workload, "0.2"],
    "pipe": [*PLAIN, "-g", "-o", "-", workload, "0.2"],
    "pipe-compressed": [*PLAIN, "-g", "-z", "-o", "-", workload, "0.2"],
    "pipe-system": [*SYSTEM, "-e", "sched:*", "-o", "-", workload, "0.2"],
    "compressed": ["convert", "-z", "@callgraph", "OUT"],
    "aligned": ["convert", "--aligned", "@callgraph", "OUT"],
    "to-pipe": ["convert", "--to", "pipe", "@system", "OUT"],
    "from-pipe": ["convert", "--to", "file", "@pipe", "OUT"],
    "directory": ["convert", "--to", "dir", "@system", "OUT"],
    "big-endian": ["convert", "--endian", "big", "@callgraph", "OUT"],
    "rebuilt": ["convert", "--rebuild", "@dwarf", "OUT"],
    "build-ids": ["convert", "--build-ids=mmap2", "@callgraph", "OUT"],
    "redacted": ["convert", "--redact", "@callgraph", "OUT"],
    "cut": ["cut", "--time", "20%-70%", "@system", "OUT"],
    "cut-callgraph": ["cut", "--time", "20%-70%", "@callgraph", "OUT"],
    "merged": ["merge", "@plain", "@callgraph", "-o", "OUT"],
    "merged-system": ["merge", "@system", "@tracepoint", "-o", "OUT"],
    "killed": ["killed", *SYSTEM, "-g", "-e", "cpu-clock", "-o", "OUT", workload, "60"],
    "killed-compressed": ["killed", *SYSTEM, "-g", "-z", "-e", "cpu-clock", "-o", "OUT", workload, "60"],
    "killed-system": ["killed", *SYSTEM, "-e", "sched:*", "-o", "OUT", workload, "60"],
    "repaired": ["repair", "@killed", "OUT"],
    "repaired-compressed": ["repair", "@killed-compressed", "OUT"],
    "repaired-system": ["repair", "@killed-system", "OUT"],
    "from-trace": ["convert", "--to", "file", "@trace/v7", "OUT"],
}
TRACE_KINDS = {
    "v7": [*SCHED, "-o", "OUT", workload, "0.2"],
    "v6": [*SCHED, "--file-version", "6", "-o", "OUT", workload, "0.2"],
    "everything": ["record", "--ftrace", "-e", "all", "-o", "OUT", "true"],
    "function": ["record", "--ftrace", "--tracer", "function", "-l", "do_sys_open*", "-o", "OUT", "true"],
    "zstd": ["convert", "--compression", "zstd", "@v7", "OUT"],
    "to-v6": ["convert", "--to", "v6", "@zstd", "OUT"],
    "to-v7": ["convert", "--to", "v7", "@v6", "OUT"],
    "cut": ["cut", "--time", "20%-70%", "@v7", "OUT"],
    "merged": ["merge", "@v6", "@v7", "-o", "OUT"],
    "killed": ["killed", "record", "--ftrace", "-a", "-e", "sched,raw_syscalls", "-o", "OUT", workload, "60"],
    "repaired": ["repair", "@killed", "OUT"],
    "from-perf": ["convert", "--to", "v7", "@perf/tracepoint", "OUT"],
}
# a recorder that was killed leaves what only `repair` takes
UNFINISHED = {"killed", "killed-compressed", "killed-system"}
# kinds that this machine may not be able to record, by what sonde then says
UNABLE = ["cannot be used here"]


class Failed(Exception):
    pass


class Recordings:
    def __init__(self, folder):
        self.folder = folder
        self.made = {}

    @staticmethod
    def kinds(form, wanted=()):
        """The kinds of a format, perf or trace, or those of them that are wanted."""
        table = PERF_KINDS if form == "perf" else TRACE_KINDS
        return [kind for kind in table if kind not in UNFINISHED and (not wanted or kind in wanted)]

    def path(self, form, kind):
        """The file of a kind; None where it cannot be recorded on this machine, which is said."""
        if (form, kind) not in self.made:
            self.made[form, kind] = self.make(form, kind)
        return self.made[form, kind]

    def make(self, form, kind):
        out = os.path.join(self.folder, f"{kind}.{'data' if form == 'perf' else 'dat'}")
        words = []
        for word in (PERF_KINDS if form == "perf" else TRACE_KINDS)[kind]:
            if word.startswith("@"):
                other, _, name = word[1:].rpartition("/")
                word = self.path(other or form, name)
                if not word:
                    return None
            words.append(out if word == "OUT" else word)
        if words[0] == "killed":
            self.kill(words[1:], out)
            return out
        # a recorder that has to wait for a CPU may lose events, which every reader then speaks of: then once more
        for _ in range(TRIALS):
            with open(out if "-" in words else os.devnull, "wb") as stream:
                r = subprocess.run([sonde, *words], stdout=stream, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   timeout=600)
            said = r.stderr.decode(errors="replace")
            if " lost: " not in said:
                break
        if r.returncode == 0:
            return out
        if any(reason in said for reason in UNABLE):
            print(f"not on this machine: {kind}: {said.strip()}")
            return None
        raise Failed(f"sonde {' '.join(words)}: exit status {r.returncode}: {said}")

    def kill(self, words, out):
        """Kills a recorder once it has written records."""
        p = subprocess.Popen([sonde, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL, start_new_session=True)
        for _ in range(1000):
            time.sleep(0.1)
            if os.path.exists(out) and counts(out).get("records", 0) > 100:
                break
        else:
            raise Failed(f"sonde {' '.join(words)} has written nothing")
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()


def counts(path):
    """What sonde counts in a file: records that are samples or events, the samples in them, and those of each event."""
    r = subprocess.run([sonde, "info", "--json", "--count", path], capture_output=True, text=True, timeout=600)
    try:
        found = json.loads(r.stdout)
    except ValueError:
        return {}
    if "by_event" in found:
        return {"records": found["events"], "samples": found["events"], "by_event": found["by_event"]}
    by_event = {}
    for source in found["evlist"]:
        by_event[source["name"]] = by_event.get(source["name"], 0) + source["samples"]
    samples = sum(by_event.values())
    return {"records": found["records"].get("SAMPLE") or samples, "samples": samples, "by_event": by_event}


def trial(words, folder):
    """None, or why sonde cannot record so here."""
    command = [sonde, *words, "-q", "-o", os.path.join(folder, "trial"), "true"]
    r = subprocess.run(command, capture_output=True, text=True)
    return None if r.returncode == 0 else r.stderr.strip()

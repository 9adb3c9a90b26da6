#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ftrace_fake_root_missing_files.py: kernels without this or that file of tracefs, from a folder that looks like one

Every file that is not the events themselves is taken away, one by one and then all together: what was recorded is the
same, and what had been asked for and cannot be done is said.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs

EVENTS = 30
sonde = os.environ["SONDE"]
# of the buffer's own folder; after it what is said, if anything has to be
OF_BUFFER = {
    "trace_clock": None, "buffer_size_kb": "ring buffer of 128 KiB", "buffer_subbuf_size_kb": "pages of 8 KiB",
    "tracing_cpumask": "tracing_cpumask", "set_event_notrace_pid": None, "set_event_pid": None, "set_event": None,
    "error_log": None, "current_tracer": None, "per_cpu/cpu0/stats": None, "options": "option 'overwrite'",
    "events/sched/sched_switch/trigger": None, "events/sched/sched_switch/filter": None,
    "events/sched/sched_switch/enable": "sched_switch cannot be switched on",
}
OF_ROOT = ["printk_formats", "saved_cmdlines", "saved_tgids", "saved_cmdlines_size", "tracing_max_latency",
           "tracing_thresh", "README",
           "available_tracers", "trace_marker", "kprobe_events", "uprobe_events", "snapshot", "events/header_event",
           "events/header_page", "events/ftrace", "available_filter_functions", "options"]


def fail(text):
    print("FAILED:", text, file=sys.stderr)
    sys.exit(1)


def pages(cpu):
    events = [(1000000 + i * 1000 + cpu, fake_tracefs.switch(99, "task", 0, "swapper/0")) for i in range(EVENTS)]
    return [fake_tracefs.page(1000000, events)]


def make(place):
    root = fake_tracefs.FakeTracefs(place)
    for file in OF_ROOT:
        if not os.path.exists(os.path.join(place, file)):
            root.put(file, "")
    for name in "", "other":
        root.add_buffer(name, [pages(0), pages(1)])
    at = "instances/other/"
    root.put(at + "options/overwrite", "1\n")
    root.put(at + "buffer_subbuf_size_kb", "4\n")
    for file in "set_event", "error_log":
        root.put(at + file, "")
    root.put(at + "current_tracer", "nop\n")
    return root


def run(root, what, *command, refused=False):
    p = subprocess.run([sonde, *command], capture_output=True, text=True, timeout=600)
    root.close()
    if (p.returncode != 0) != refused:
        fail(f"without {what}: status {p.returncode}: {p.stderr}")
    return p.stderr


def expect(path, what):
    p = subprocess.run([sonde, "script", path], capture_output=True, text=True, timeout=600)
    n = len(re.findall(r"sched_switch: +task:99 \[120\] R ==> swapper/0:0 \[120\]", p.stdout))
    if p.returncode or n != 2 * EVENTS:
        fail(f"without {what}: {n} events of {2 * EVENTS}: {p.stderr} {p.stdout[:300]}")


def remove(place, file):
    path = os.path.join(place, file)
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


memory_fs = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
with tempfile.TemporaryDirectory(dir=memory_fs, prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    place = os.path.join(tmp, "tracing")
    record = ["record", "--ftrace", "--tracefs", place, "--instance", "other", "-a", "-e", "sched_switch", "--duration",
              "0.1",
              "-o", "out.dat"]
    settings = {"buffer_size_kb": ["--buffer-size", "128"], "buffer_subbuf_size_kb": ["--subbuf-size", "8"],
                "tracing_cpumask": ["-C", "0,1"], "options": ["-O", "overwrite"]}

    def attempt(what, files, *more, command=None, refused=False):
        shutil.rmtree(place, ignore_errors=True)
        root = make(place)
        for file in files:
            remove(place, file)
        return run(root, what, *(command or record), *more, refused=refused)

    attempt("nothing", [])
    expect("out.dat", "nothing")
    every = ["instances/other/" + file for file in OF_BUFFER if not file.endswith("enable")] + OF_ROOT
    for file, said in OF_BUFFER.items():
        if file != "options" and file[-6:] != "enable":
            attempt(file, ["instances/other/" + file])
            expect("out.dat", file)
        # asked for, but not there: a setting is a message, what the user named is an error that says which
        if said:
            refused = file == "options" or file[-6:] == "enable"
            text = attempt(file, ["instances/other/" + file], *settings.get(file, []), refused=refused)
            if said not in text:
                fail(f"nobody says that {file} is missing: {text}")
            if not refused:
                expect("out.dat", file)
    for file in OF_ROOT:
        attempt(file, [file])
        expect("out.dat", file)
    attempt("all of them", every)
    expect("out.dat", "all of them")

    # ---- what is in the buffers, of a root that has hardly anything ----
    extract = ["extract", "--tracefs", place, "-o", "out.dat"]
    for what, files in [(file, [file]) for file in OF_ROOT] + [("all of them", OF_ROOT + list(OF_BUFFER))]:
        files = [file for file in files if not file.endswith("enable")]
        attempt(what, files, command=extract)
        expect("out.dat", what)

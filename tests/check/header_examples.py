#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""header_examples.py - the examples in the comments of the public headers compile, and do what they say

An example is what is indented by a tab after an empty line of a comment. It may use the handles that a program would
have at that place: a trace `t` that is open, an event `ev` with its `tasks` and `symbols`, a writer `w`, a profile
`p`, a function `show` that takes events. Each is run in a folder that has the files which the examples read; files
that they write have no errors by `sonde check`.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

source, build, sonde = (os.environ[name] for name in ("SONDE_SOURCE", "SONDE_BUILD", "SONDE"))

# What is around an example: a sample of the trace's is at hand.
PROGRAM = """
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
{includes}

static struct sonde_trace *t, *host, *guest;
static struct sonde_iter *it;
static const struct sonde_event *ev;
static const struct sonde_sample *s;
static struct sonde_perf_writer *w;
static struct sonde_profile *p;
static struct sonde_tasks *tasks;
static struct sonde_symbols *symbols;
static const char *path = "perf.data";

static struct sonde_trace *opened(void)
{{
	struct sonde_trace *trace = sonde_trace_new();

	if (!trace || sonde_trace_open(trace, "perf.data", NULL) < 0)
		exit(3);
	return trace;
}}

/* As in the comment of perf_recorder.h. */
static int show(void *ctx, const struct sonde_event *event, const struct sonde_live *live)
{{
	const struct sonde_frame *f;

	if (event->kind == SONDE_KIND_SAMPLE &&
	    sonde_symbols_resolve_of(live->symbols, live->tasks, event, event->cpumode, event->ip, &f) == 0)
		printf("%d %s\\n", event->tid, f->symbol ? f->symbol : "?");
	return 0;
}}

static void set_up(void)
{{
	t = opened();
	host = opened();
	guest = opened();
	it = sonde_iter_new(host, NULL);
	tasks = sonde_tasks_new(host);
	symbols = sonde_symbols_new(NULL);
	while (sonde_iter_next(it, &ev) > 0 && ev->kind != SONDE_KIND_SAMPLE)
		sonde_tasks_apply(tasks, ev);
	if (sonde_event_sample(ev, &s) < 0)
		exit(3);
	p = sonde_profile_new(NULL);
	w = sonde_perf_writer_new();
	if (sonde_perf_writer_open(w, "copy.data", NULL) < 0 ||
	    sonde_perf_writer_add_event(w, ev->evsel->attr, sizeof(*ev->evsel->attr), "copied", ev->evsel->ids,
						ev->evsel->nr_ids) < 0)
		exit(3);
}}

static void example(void)
{{
{example}
}}

int main(void)
{{
	set_up();
	example();
	return 0;
}}
"""
# Those that record or count may not be permitted to.
RECORDERS = ("counter.h", "perf_recorder.h", "ftrace_recorder.h", "self_profile.h")


def examples(path):
    """Of one header: the number of the first line, and the lines."""
    found, before = [], ""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            code = line.startswith(" *\t") or (line.rstrip() == " *" and before == "code")
            if line.startswith(" *\t") and before == "empty":
                found.append((number, []))
            if code and before in ("code", "empty") and found and (before == "code" or found[-1][0] == number):
                found[-1][1].append(line[3:].rstrip("\n") if line.startswith(" *\t") else "")
                before = "code"
            else:
                before = "empty" if line.rstrip() == " *" else "text"
    return found


def run(command, folder):
    """What it prints may be no text: the answers of a view have arrays."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=600,
                          check=False)


def main():
    headers = sorted(glob.glob(source + "/include/sonde/*.h"))
    includes = "\n".join(f"#include <sonde/{os.path.basename(h)}>" for h in headers)
    cc = shlex.split(os.environ["CC"]) + ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
    cc.append("-I" + source + "/include")
    if os.environ["SONDE_SANITIZE"] != "none" or not shutil.which("pkg-config"):
        print("skipped: there is no pkg-config, or this is a sanitizer build, which wants its own flags")
        return 77
    libs = run(["pkg-config", "--static", "--libs-only-l", build + "/meson-private/sonde.pc"], None).stdout.split()
    failed = nr = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([build + "/examples/example-write_perf", "perf.data"], cwd=folder, check=True)
        os.makedirs(folder + "/profiles/v1")
        for name in ("a.data", "b.data"):
            shutil.copy(folder + "/perf.data", folder + "/" + name)
        for header in headers:
            name = os.path.basename(header)
            for number, lines in examples(header):
                nr += 1
                place = f"include/sonde/{name}:{number}"
                with open(folder + "/example.c", "w", encoding="utf-8") as f:
                    f.write(PROGRAM.format(includes=includes, example="\n".join("\t" + line for line in lines)))
                done = run(cc + ["-o", "example", "example.c", build + "/src/libsonde.a"] +
                           [lib for lib in libs if lib != "-lsonde"], folder)
                if done.returncode:
                    print(f"{place}: does not compile:\n{done.stderr}")
                    failed += 1
                    continue
                done = run(["./example"], folder)
                if done.returncode or (done.stdout.startswith("cannot") and name not in RECORDERS):
                    print(f"{place}: exit status {done.returncode}: {done.stdout[:300]}{done.stderr[:300]}")
                    failed += 1
        for written in ("part.data", "repaired.data", "both.data", "new.data", "new.dat"):
            done = run([sonde, "check", written], folder)
            if ", 0 errors, " not in done.stdout:
                print(f"{written}: {done.stdout}{done.stderr}")
                failed += 1
    print(f"{nr} examples, {failed} failed")
    return 1 if failed or nr < 12 else 0


sys.exit(main())

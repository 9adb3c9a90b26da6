/* SPDX-License-Identifier: MIT */
/*
 * html_page KIND > FILE - the page of a made-up profile, for what recordings at hand do not hold
 *
 *	hostile  names that would break out of their place if they were not escaped
 *	idle     two tasks, one of them idle nine tenths of the time, in the kernel
 *	large    200,000 nodes, deep and wide
 *	timed    two processes and four threads on three CPUs for ten seconds, one of them in bursts; some samples lost
 *	million  a million timed samples of 60 threads on 16 CPUs in 100,000 nodes
 *	empty    no sample, and a note on what was lost
 *	sched    two threads that run, wait, sleep and wake each other, tracepoints, frequencies; names as in hostile
 *	counters two threads for ten seconds, two events with samples, a third that was only counted; a hostile name
 *	switches a million context switches of 60 threads on 16 CPUs
 *	compare  two recordings: functions that are new and gone, and hostile names in both
 *	long     one sample with a time, and a baseline; every name has 64 kB
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "export/page/page.h"

static const struct html_frame hostile_frames[] = {
	{ "</script><img src=x onerror=alert(1)>", "/tmp/<b>bold</b>", HTML_USER },
	{ "<!--<script>", "/usr/lib/\"quoted\".so", HTML_KERNEL },
	{ "line\nbreak\xe2\x80\xa8 and \xe2\x80\xae right to left", "", HTML_JIT },
	{ "\xff\xfe not UTF-8 \xc0\xaf", "'single' & &amp;", HTML_UNKNOWN },
	{ "a\"b\\u003c\\", "javascript:alert(1)", HTML_USER },
	{ "__proto__", "constructor", HTML_USER },
	{ "\xe5\x87\xbd\xe6\x95\xb0 \xf0\x9f\x98\x80", "\xc3\xa9t\xc3\xa9.so", HTML_USER },
};

/* A node and the samples whose stacks end there. */
struct made_node {
	uint32_t parent, frame;
	uint64_t weight, samples;
};

static struct arena memory;      /* of nodes and cells */

/* Makes the nodes and cells of an event; all samples are of task 0. */
static struct html_event made_event(const char *name, const char *unit, const struct made_node *made, size_t n)
{
	struct html_node *nodes = arena_alloc(&memory, n * sizeof(*nodes));
	struct html_cell *cells = arena_alloc(&memory, n * sizeof(*cells));
	struct html_event event = { .name = name, .unit = unit, .nodes = nodes, .nr_nodes = n, .cells = cells };

	for (uint32_t i = 0; nodes && cells && i < n; i++) {
		nodes[i] = (struct html_node){ made[i].parent, made[i].frame };
		if (made[i].samples)
			cells[event.nr_cells++] = (struct html_cell){ 0, i, made[i].weight, made[i].samples };
	}
	return event;
}

static const struct html_task one_task = { 1, 1, "busy" };

static const struct made_node hostile_nodes[] = {
	{ HTML_NO_PARENT, 0, 10, 1 }, { 0, 1, 20, 2 }, { 1, 2, 30, 3 }, { 2, 0, 5, 1 }, { 0, 3, 15, 2 }, { 4, 4, 4, 1 },
	{ HTML_NO_PARENT, 5, 8, 1 }, { 6, 6, UINT64_C(8), 1 },
};

static int write_hostile(struct buf *b)
{
	const struct html_info info[] = { { "Host", "<i>host</i>" },
					  { "Command line", "</script><script>alert(2)</script>" } };
	const char *const notes[] = { "<img src=x onerror=alert(6)>" };
	struct html_event events[] = {
		made_event("</select><img src=x onerror=alert(3)>", "", hostile_nodes, ARRAY_SIZE(hostile_nodes)),
		made_event("second", "ns", hostile_nodes, 1),
	};
	const char *const losses[] = { "<img src=x onerror=alert(4)>", "3 samples lost" };
	const struct html_profile profile = {
		.title = "</title><script>alert(5)</script>", .info = info, .nr_info = ARRAY_SIZE(info),
		.losses = losses, .nr_losses = ARRAY_SIZE(losses),
		.frames = hostile_frames, .nr_frames = ARRAY_SIZE(hostile_frames),
		.events = events, .nr_events = ARRAY_SIZE(events),
		.tasks = &one_task, .nr_tasks = 1,
	};

	events[0].notes = notes;
	events[0].nr_notes = ARRAY_SIZE(notes);
	return html_write(b, &profile);
}

static int write_idle(struct buf *b)
{
	static const struct html_frame frames[] = {
		{ "work", "/usr/bin/busy", HTML_USER },
		{ "rest", "/usr/bin/busy", HTML_USER },
		{ "default_idle", "[kernel.kallsyms]", HTML_KERNEL },
		{ "in_guest", "[guest.kernel.kallsyms]", HTML_KERNEL },
		{ "busy", "", HTML_TASK },
		{ "swapper", "", HTML_IDLE },
	};
	static const struct made_node nodes[] = {
		{ HTML_NO_PARENT, 4, 0, 0 }, { 0, 0, 150000000, 6 }, { 1, 3, 40000000, 2 }, { 0, 1, 10000000, 2 },
		{ HTML_NO_PARENT, 5, 0, 0 }, { 4, 2, 1800000000, 90 },
	};
	const struct html_info info[] = { { "Recorder", "sonde" }, { "Losses", "none known" } };
	const char *const notes[] = { "2 of 100 stacks were cut" };
	struct html_event event = made_event("cpu-clock", "ns", nodes, ARRAY_SIZE(nodes));
	const struct html_profile profile = {
		.title = "/opt/bin/sonde record -a", .wall_ns = 1000000000, .info = info, .nr_info = ARRAY_SIZE(info),
		.frames = frames, .nr_frames = ARRAY_SIZE(frames), .events = &event, .nr_events = 1,
		.tasks = &one_task, .nr_tasks = 1,
	};

	event.notes = notes;
	event.nr_notes = 1;
	return html_write(b, &profile);
}

#define LARGE_NODES 200000
#define LARGE_FRAMES 30000

static int write_large(struct buf *b)
{
	static struct html_frame frames[LARGE_FRAMES];
	static struct made_node nodes[LARGE_NODES];
	static char names[LARGE_FRAMES][40];
	struct html_event event;
	struct html_profile profile = {
		.title = "large", .frames = frames, .nr_frames = LARGE_FRAMES, .events = &event, .nr_events = 1,
		.tasks = &one_task, .nr_tasks = 1,
	};
	uint64_t random = 1;

	for (uint32_t i = 0; i < LARGE_FRAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
		frames[i] = (struct html_frame){ names[i], i % 3 ? "/usr/bin/large" : "/usr/lib/libc.so.6", HTML_USER };
	}
	for (uint32_t i = 0; i < LARGE_NODES; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		nodes[i] = (struct made_node){
			/* Chains up to 500 deep, each branching off one of the last twenty nodes */
			.parent = i % 500 == 0 ? HTML_NO_PARENT :
						 i - 1 - (uint32_t)((random >> 40) % (i % 500 < 20 ? i % 500 : 20)),
			.frame = (uint32_t)((random >> 33) % LARGE_FRAMES),
			.weight = random >> 50,
			.samples = 1,
		};
	}
	event = made_event("cycles", "", nodes, LARGE_NODES);
	return html_write(b, &profile);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

#define TIMED_SAMPLES 20000

/*
 * Samples of 1 ms for ten seconds: "worker" threads are busy on all CPUs, the first one calls encode() only from 2.0 to
 * 4.5 s, "ticker" runs for 100 ms of each second.
 */
static int write_timed(struct buf *b)
{
	static const struct html_frame frames[] = {
		{ "main", "/usr/bin/server", HTML_USER }, { "serve", "/usr/bin/server", HTML_USER },
		{ "parse", "/usr/lib/libparse.so.2", HTML_USER }, { "encode", "/usr/lib/libcodec.so.1", HTML_USER },
		{ "memcpy", "/usr/lib/libc.so.6", HTML_USER }, { "sys_write", "[kernel.kallsyms]", HTML_KERNEL },
		{ "tick", "/usr/bin/ticker", HTML_USER }, { "walk", "/usr/bin/server", HTML_USER },
		{ "server", "", HTML_TASK }, { "ticker", "", HTML_TASK },
	};
	static const struct html_node nodes[] = {
		{ HTML_NO_PARENT, 8 }, { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 4 }, { 2, 3 }, { 5, 4 }, { 2, 5 },
		{ HTML_NO_PARENT, 9 }, { 8, 6 }, { 9, 5 }, { 2, 7 }, { 11, 7 }, { 12, 7 },
	};
	static const struct html_task tasks[] = {
		{ 100, 100, "server" }, { 100, 101, "server" }, { 100, 102, "server" }, { 200, 200, "ticker" },
	};
	static const uint32_t ends[] = { 3, 4, 5, 6, 7, 13 };   /* nodes of the server; of the ticker: 9, 10 */
	static struct html_cell cells[3 * 6 + 2];
	static struct html_sample samples[TIMED_SAMPLES];
	const struct html_lost lost = { 5100000000, 5400000000, 1, "57 events lost" };
	const struct html_info info[] = { { "Recorder", "sonde" }, { "Host", "example" } };
	const char *const losses[] = { "57 events lost" };
	struct html_event event = { .name = "cpu-clock", .unit = "ns", .nodes = nodes, .nr_nodes = ARRAY_SIZE(nodes),
				    .cells = cells, .nr_cells = ARRAY_SIZE(cells), .samples = samples };
	const struct html_profile profile = {
		.title = "server --port 80", .wall_ns = UINT64_C(9999000000), .info = info, .nr_info = ARRAY_SIZE(info),
		.losses = losses, .nr_losses = 1, .lost = &lost, .nr_lost = 1,
		.frames = frames, .nr_frames = ARRAY_SIZE(frames), .events = &event, .nr_events = 1,
		.tasks = tasks, .nr_tasks = ARRAY_SIZE(tasks), .last_ns = UINT64_C(9999000000),
	};
	uint64_t state = 1;

	for (uint32_t i = 0; i < ARRAY_SIZE(cells); i++)
		cells[i] = i < 18 ? (struct html_cell){ i / 6, ends[i % 6], 0, 0 } :
				    (struct html_cell){ 3, i - 9, 0, 0 };
	for (uint32_t ms = 0; ms < 10000; ms++) {
		for (uint32_t thread = 0; thread < 4 && event.nr_samples < TIMED_SAMPLES; thread++) {
			bool encodes = thread == 0 && ms >= 2000 && ms < 4500;
			uint32_t random = (uint32_t)(next_random(&state) % 4);
			uint32_t end = encodes ? 2 + random / 2 : random < 2 ? random : random + 2;
			uint32_t cell = thread == 3 ? 18 + random / 2 : thread * 6 + end;

			if (thread == 3 ? ms % 1000 >= 100 : (ms >= 5100 && ms < 5400) || next_random(&state) % 3 == 0)
				continue;
			samples[event.nr_samples++] = (struct html_sample){
				.time = (uint64_t)ms * 1000000, .weight = 1000000, .cell = cell,
				.cpu = thread == 3 ? 0 : thread, .count = 1 };
			cells[cell].weight += 1000000;
			cells[cell].samples++;
		}
	}
	return html_write(b, &profile);
}

#define MILLION 1000000
#define MILLION_NODES 100000

static int write_million(struct buf *b)
{
	static struct html_frame frames[LARGE_FRAMES];
	static char names[LARGE_FRAMES][40];
	static struct html_node nodes[MILLION_NODES];
	static struct html_cell cells[MILLION_NODES];
	static struct html_sample samples[MILLION];
	static struct html_task tasks[60];
	const struct html_event event = { .name = "cycles", .unit = "", .nodes = nodes, .nr_nodes = MILLION_NODES,
					  .cells = cells, .nr_cells = MILLION_NODES,
					  .samples = samples, .nr_samples = MILLION };
	struct html_profile profile = {
		.title = "million", .frames = frames, .nr_frames = LARGE_FRAMES, .events = &event, .nr_events = 1,
		.tasks = tasks, .nr_tasks = ARRAY_SIZE(tasks),
	};
	uint64_t state = 1;

	for (uint32_t i = 0; i < LARGE_FRAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
		frames[i] = (struct html_frame){ names[i], i % 3 ? "/usr/bin/large" : "/usr/lib/libc.so.6", HTML_USER };
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (struct html_task){ 1000 + (int32_t)i / 6, 1000 + (int32_t)i, "worker" };
	for (uint32_t i = 0; i < MILLION_NODES; i++) {
		uint64_t r = next_random(&state);

		uint32_t back = 1 + (uint32_t)(r % (i % 100 < 8 ? i % 100 + 1 : 8));

		nodes[i] = (struct html_node){ i % 100 < back ? HTML_NO_PARENT : i - back,
					       (uint32_t)(r >> 8) % LARGE_FRAMES };
		cells[i] = (struct html_cell){ (uint32_t)(r >> 4) % 60, i, 0, 0 };
	}
	for (uint32_t i = 0; i < MILLION; i++) {
		uint64_t r = next_random(&state);
		uint32_t cell = (uint32_t)((r >> 4) % 1000 * (r >> 14) % MILLION_NODES);

		/* a sample is often where the one before it on the CPU was: real programs stay in a function */
		if (i >= 16 && r % 4)
			cell = samples[i - 16].cell;
		profile.last_ns += 5000 + r % 10000;
		samples[i] = (struct html_sample){ profile.last_ns, 900000 + r % 200000, cell, i % 16, 1 };
		cells[cell].weight += samples[i].weight;
		cells[cell].samples++;
	}
	return html_write(b, &profile);
}

static struct sonde_str text_of(const char *s)
{
	return (struct sonde_str){ s, strlen(s) };
}

static uint32_t text_number(struct tracks *t, const char *s)
{
	return strpool_add(&t->texts, s, strlen(s));
}

/* A switch on a CPU: 0 is the idle task, prev_state as the kernel reports it. */
static void switch_tasks(struct tracks *t, uint64_t time, int32_t cpu, int32_t prev, uint64_t prev_state, int32_t next)
{
	static const struct prev_state_letters letters = { .nr = 2, .at = { { 1, 'S' }, { 2, 'D' } }, .above = 0x100 };
	const struct sched_event e = { .kind = SCHED_SWITCH, .time = time, .cpu = cpu, .pid = prev, .tid = prev,
				       .prev = prev, .next = next, .prev_state = prev_state, .letters = &letters,
				       .prev_comm = text_of(""), .next_comm = text_of("") };

	track_states_take(&t->sched, &e);
}

static void wake_task(struct tracks *t, uint64_t time, int32_t waker, int32_t task)
{
	const struct sched_event e = { .kind = SCHED_WAKING, .time = time, .cpu = -1, .pid = waker, .tid = waker,
				       .task = task, .comm = text_of("") };

	track_states_take(&t->sched, &e);
}

/*
 * 100 ms on CPU 0: thread 100 runs until 40, is blocked until 50, when 101 wakes it, waits until 70, then runs. Thread
 * 101 runs from 40 to 70. Only thread 100 has samples. A tracepoint of 101 at 60 ms has a text of 64 kB.
 */
static int write_sched(struct buf *b)
{
	static char text[65536] = "<img src=x onerror=alert(9)> ";
	static const struct html_frame frames[] = { { "main", "/bin/x", HTML_USER, "" }, { "x", "", HTML_TASK, "" } };
	static const struct html_node nodes[] = { { HTML_NO_PARENT, 1 }, { 0, 0 } };
	static const struct html_cell cell = { 0, 1, 30000000, 3 };
	static const struct html_task task = { 100, 100, "x" };
	static const struct html_sample samples[] = {
		{ 10000000, 10000000, 0, 0, 1 }, { 20000000, 10000000, 0, 0, 1 }, { 90000000, 10000000, 0, 0, 1 },
	};
	const struct html_event event = { .name = "cpu-clock", .unit = "ns", .nodes = nodes, .nr_nodes = 2,
					  .cells = &cell, .nr_cells = 1, .samples = samples, .nr_samples = 3 };
	struct tracks t = { .on = true };
	const uint32_t y = sched_states_task(&t.sched.states, -1, 101, text_of("<img src=x onerror=alert(8)>"));
	const struct html_profile profile = {
		.title = "sched", .frames = frames, .nr_frames = 2, .events = &event, .nr_events = 1, .tasks = &task,
		.nr_tasks = 1, .last_ns = 100000000, .tracks = &t,
	};
	int ret;

	sched_states_task(&t.sched.states, 100, 100, text_of("x"));
	memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
	switch_tasks(&t, 40000000, 0, 100, 2, 101);
	wake_task(&t, 50000000, 101, 100);
	switch_tasks(&t, 70000000, 0, 101, 1, 100);
	switch_tasks(&t, 80000000, 3, 0, 0, 101);
	if (vec_push(&t.marks, ((struct track_mark){ 60000000, y, 0, text_number(&t, "sys:<b>event</b>"),
						     text_number(&t, text) })) < 0 ||
	    vec_push(&t.frequencies, ((struct track_frequency){ 1, 2400000, 0 })) < 0)
		return -SONDE_NOMEM;
	t.nr_marks = 1;
	ret = html_write(b, &profile);
	tracks_free(&t);
	return ret;
}

/*
 * Ten seconds of threads 100 and 101 on CPUs 0 and 1, a sample each 10 ms: 100 has 2 G instructions a second until 5 s,
 * then 0.5 G, 101 has 1 G. Thread 101 has 1,000 faults a second from 3 to 4 s.
 */
static int write_counters(struct buf *b)
{
	enum { MOMENTS = 1000, STEP_NS = 10000000 };
	static const struct html_frame frames[] = { { "main", "/bin/app", HTML_USER, "" },
						    { "app", "", HTML_TASK, "" } };
	static const struct html_node nodes[] = { { HTML_NO_PARENT, 1 }, { 0, 0 } };
	static const struct html_task tasks[] = { { 100, 100, "app" }, { 100, 101, "app" } };
	static struct html_cell clock_cells[2] = { { 0, 1, 0, 0 }, { 1, 1, 0, 0 } };
	static struct html_cell cells[2] = { { 0, 1, 0, 0 }, { 1, 1, 0, 0 } };
	static struct html_sample clocks[2 * MOMENTS], samples[2 * MOMENTS];
	const struct html_event events[] = {
		{ .name = "cpu-clock", .unit = "ns", .nodes = nodes, .nr_nodes = 2, .cells = clock_cells, .nr_cells = 2,
		  .samples = clocks, .nr_samples = ARRAY_SIZE(clocks) },
		{ .name = "instructions", .unit = "", .nodes = nodes, .nr_nodes = 2, .cells = cells, .nr_cells = 2,
		  .samples = samples, .nr_samples = ARRAY_SIZE(samples) },
	};
	struct tracks t = { .on = true };
	const uint32_t fault = text_number(&t, "<img src=x onerror=alert(10)>");
	const struct html_profile profile = {
		.title = "counters", .frames = frames, .nr_frames = 2, .events = events, .nr_events = 2, .tasks = tasks,
		.nr_tasks = 2, .last_ns = (uint64_t)MOMENTS * STEP_NS - 1, .tracks = &t,
	};
	int ret = 0;

	for (int32_t tid = 100; tid <= 101; tid++)
		sched_states_task(&t.sched.states, 100, tid, text_of("app"));
	for (uint32_t i = 0; i < 2 * MOMENTS && ret == 0; i++) {
		const uint32_t thread = i % 2;
		const uint64_t time = (uint64_t)(i / 2) * STEP_NS;
		const uint64_t rate = thread ? 1000000000 : i < MOMENTS ? 2000000000 : 500000000;

		clocks[i] = (struct html_sample){ time, STEP_NS, thread, thread, 1 };
		samples[i] = (struct html_sample){ time, rate / (1000000000 / STEP_NS), thread, thread, 1 };
		clock_cells[thread].weight += clocks[i].weight;
		clock_cells[thread].samples++;
		cells[thread].weight += samples[i].weight;
		cells[thread].samples++;
		if (thread && i / 2 >= 300 && i / 2 < 400)
			ret = vec_push(&t.counts.list,
				       ((struct track_count){ time, 10, thread, (int32_t)thread, fault }));
	}
	t.counts.nr = t.counts.list.n;
	if (ret == 0)
		ret = html_write(b, &profile);
	tracks_free(&t);
	return ret;
}

static int write_switches(struct buf *b)
{
	static const struct html_frame frames[] = { { "main", "/bin/x", HTML_USER, "" }, { "x", "", HTML_TASK, "" } };
	static const struct html_node nodes[] = { { HTML_NO_PARENT, 1 }, { 0, 0 } };
	static struct html_cell cells[60];
	static struct html_task tasks[60];
	static struct html_sample samples[TIMED_SAMPLES];
	const struct html_event event = { .name = "cpu-clock", .unit = "ns", .nodes = nodes, .nr_nodes = 2,
					  .cells = cells, .nr_cells = 60, .samples = samples,
					  .nr_samples = TIMED_SAMPLES };
	struct tracks t = { .on = true };
	const struct html_profile profile = {
		.title = "switches", .frames = frames, .nr_frames = 2, .events = &event, .nr_events = 1,
		.tasks = tasks, .nr_tasks = 60, .last_ns = UINT64_C(10000000000), .tracks = &t,
	};
	uint64_t state = 1, time = 0;
	int ret;

	for (int32_t i = 0; i < 60; i++) {
		tasks[i] = (struct html_task){ 1000 + i / 6, 1000 + i, "worker" };
		cells[i] = (struct html_cell){ (uint32_t)i, 1, 0, 0 };
		sched_states_task(&t.sched.states, 1000 + i / 6, 1000 + i, text_of("worker"));
	}
	for (uint32_t i = 0; i < TIMED_SAMPLES; i++) {
		samples[i] = (struct html_sample){ i * UINT64_C(500000), 500000, i % 60, i % 16, 1 };
		cells[i % 60].weight += 500000;
		cells[i % 60].samples++;
	}
	while (t.sched.changes.n < MILLION) {
		const uint32_t r = (uint32_t)next_random(&state), thread = r % 60;
		const int32_t cpu = (int32_t)(thread % 16);

		time += 5000 + r % 10000;
		if (t.sched.states.tasks.at[thread].state == SCHED_RUNNING)
			switch_tasks(&t, time, cpu, 1000 + (int32_t)thread, r & 64 ? 1 : 2, 0);
		else if (r & 128)
			wake_task(&t, time, 1000 + (int32_t)((thread + 7) % 60), 1000 + (int32_t)thread);
		else
			switch_tasks(&t, time, cpu, 0, 0, 1000 + (int32_t)thread);
	}
	ret = html_write(b, &profile);
	tracks_free(&t);
	return ret;
}

static int write_empty(struct buf *b)
{
	const char *const losses[] = { "The recorder lost 12 events" };
	const struct html_event event = { .name = "cycles", .unit = "" };
	const struct html_profile profile = {
		.title = "sleep 1", .losses = losses, .nr_losses = 1, .events = &event, .nr_events = 1,
	};

	return html_write(b, &profile);
}

/*
 * 100 samples of a recording beside 200 of an older one. The program is another build in another directory, the library
 * has another name and the same build id; names break out if they are not escaped. keep() is a quarter of either.
 */
static int write_compare(struct buf *b)
{
	static const struct html_frame frames[] = {
		{ "main", "/opt/new/server", HTML_USER, "aa" }, { "keep", "/opt/new/server", HTML_USER, "aa" },
		{ "grow", "/opt/new/server", HTML_USER, "aa" },
		{ "</script><img src=x onerror=alert(1)>", "/opt/new/server", HTML_USER, "aa" },
		{ "shared", "/lib/libnew.so", HTML_USER, "cc" }, { "0x1234", "/opt/new/server", HTML_UNKNOWN, "aa" },
		{ "server", "", HTML_TASK, "" },
	};
	static const struct html_frame old_frames[] = {
		{ "server", "", HTML_TASK, "" }, { "main", "/opt/old/server", HTML_USER, "bb" },
		{ "keep", "/opt/old/server", HTML_USER, "bb" }, { "grow", "/opt/old/server", HTML_USER, "bb" },
		{ "<b>gone</b>", "/opt/old/server", HTML_USER, "bb" }, { "shared", "/lib/libold.so", HTML_USER, "cc" },
		{ "0x1234", "/opt/old/server", HTML_UNKNOWN, "bb" },
	};
	static const struct made_node nodes[] = {
		{ HTML_NO_PARENT, 6, 0, 0 }, { 0, 0, 0, 0 }, { 1, 1, 25000000, 25 }, { 1, 2, 30000000, 30 },
		{ 1, 3, 15000000, 15 }, { 3, 4, 20000000, 20 }, { 1, 5, 10000000, 10 },
	};
	static const struct made_node old_nodes[] = {
		{ HTML_NO_PARENT, 0, 0, 0 }, { 0, 1, 0, 0 }, { 1, 2, 50000000, 50 }, { 1, 3, 20000000, 20 },
		{ 1, 4, 70000000, 70 }, { 3, 5, 40000000, 40 }, { 1, 6, 20000000, 20 },
	};
	static const struct html_task old_tasks[] = { { 2, 2, "server" } };
	static const struct html_task tasks[] = { { 1, 1, "server" } };
	const struct html_info info[] = { { "Host", "<i>old</i>" } };
	const char *const losses[] = { "4 samples lost" };
	const char *const notes[] = { "<img src=x onerror=alert(7)>" };
	struct html_event event = made_event("cpu-clock", "ns", nodes, ARRAY_SIZE(nodes));
	struct html_event old_event = made_event("cpu-clock:u", "ns", old_nodes, ARRAY_SIZE(old_nodes));
	const struct html_profile baseline = {
		.title = "/opt/old/server </script>", .info = info, .nr_info = 1, .losses = losses, .nr_losses = 1,
		.frames = old_frames, .nr_frames = ARRAY_SIZE(old_frames), .events = &old_event, .nr_events = 1,
		.tasks = old_tasks, .nr_tasks = 1,
	};
	const struct html_profile profile = {
		.title = "/opt/new/server", .frames = frames, .nr_frames = ARRAY_SIZE(frames), .events = &event,
		.nr_events = 1, .tasks = tasks, .nr_tasks = 1, .baseline = &baseline,
	};

	old_event.notes = notes;
	old_event.nr_notes = 1;
	return html_write(b, &profile);
}

static int write_long(struct buf *b)
{
	static char name[65536];
	const char *const texts[] = { name };
	const struct html_frame frames[] = { { name, name, HTML_USER }, { name, "", HTML_TASK } };
	const struct html_node nodes[] = { { HTML_NO_PARENT, 1 }, { 0, 0 } };
	const struct html_cell cell = { 0, 1, 1, 1 };
	const struct html_sample sample = { 7, 1, 0, 0, 1 };
	const struct html_task task = { 1, 1, name };
	const struct html_info info = { "Host", name };
	const struct html_lost lost = { 7, 7, 0, name };
	const struct html_event event = { .name = name, .unit = "", .notes = texts, .nr_notes = 1, .nodes = nodes,
					  .nr_nodes = 2, .cells = &cell, .nr_cells = 1, .samples = &sample,
					  .nr_samples = 1 };
	struct html_profile profile = {
		.title = name, .wall_ns = 1, .info = &info, .nr_info = 1, .losses = texts, .nr_losses = 1,
		.frames = frames, .nr_frames = 2, .events = &event, .nr_events = 1, .tasks = &task, .nr_tasks = 1,
		.lost = &lost, .nr_lost = 1, .first_ns = 7, .last_ns = 7,
	};

	const struct html_profile baseline = profile;

	memset(name, 'x', sizeof(name) - 1);
	profile.baseline = &baseline;
	return html_write(b, &profile);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*write)(struct buf *b);
	} kinds[] = {
		{ "hostile", write_hostile },
		{ "idle", write_idle },
		{ "large", write_large },
		{ "timed", write_timed },
		{ "million", write_million },
		{ "empty", write_empty },
		{ "sched", write_sched },
		{ "counters", write_counters },
		{ "switches", write_switches },
		{ "compare", write_compare },
		{ "long", write_long },
	};
	struct buf b = BUF_TO(STDOUT_FILENO, NULL);
	int err = -SONDE_USAGE;

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			err = kinds[i].write(&b);
	if (err == 0)
		err = buf_flush(&b);
	buf_free(&b);
	arena_free(&memory);
	return err < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

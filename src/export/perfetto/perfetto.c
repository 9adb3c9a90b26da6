/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c - samples as PerfSample, tracepoints and runs as FtraceEventBundle, threads as ProcessTree, counts as
 * tracks
 *
 * A file is a concatenation of packets. Each event of samples is a sequence of packets of its own, because a sequence
 * has one time base; the first packet has its defaults. Packets of another machine, or of a guest, have its number.
 * Field numbers: protos/perfetto/trace of Perfetto's sources.
 */
#include "export/perfetto/perfetto.h"

#include <string.h>

#include "base/bytes.h"
#include "base/protobuf.h"
#include "export/events/row_threads.h"
#include "export/perfetto/counter_tracks.h"
#include "export/perfetto/ftrace_events.h"
#include "export/perfetto/interned.h"
#include "export/perfetto/packet.h"
#include "export/perfetto/switches.h"

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_RAW_ID = 5, CLOCK_BOOT_ID = 6, CLOCK_PERF_ID = 10 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { DEFAULTS_PERF = 12, DEFAULTS_CLOCK = 58, PERF_TIMEBASE = 1 };
enum { TIMEBASE_PERIOD = 1, TIMEBASE_FREQUENCY = 2, TIMEBASE_TRACEPOINT = 3, TIMEBASE_NAME = 10 };
enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5, SAMPLE_COUNT = 6,
       SAMPLE_LOST = 17 };

enum { FIRST_SAMPLES = OWN_SEQUENCE + 1, BUNDLE_BYTES = 64 * 1024, PACKETS_BYTES = 256 * 1024, CPUS_MOST = 1 << 16 };

/* The packets of an event's samples on one machine. */
struct packet_sequence {
	uint32_t number;
	bool begun;
	struct interned interned;
	VEC(uint64_t) counts;        /* by CPU: periods so far, which is the time base */
};

/* Tracepoints of a CPU that are not written yet. */
struct ftrace_bundle {
	uint32_t space, cpu;
	struct buf events;           /* fields of an FtraceEventBundle */
	struct cpu_switch last;
	bool lost;
};

struct perfetto {
	struct event_rows *e;
	struct buf packets;          /* whole ones, that are not written yet */
	struct buf data;             /* InternedData of the sample at hand */
	VEC(struct packet_sequence) sequences;
	struct u64map sequence_of;   /* space << 32 | source: index in sequences */
	VEC(struct ftrace_bundle) bundles;
	struct u64map bundle_of;     /* space << 32 | CPU: index in bundles */
	struct row_threads threads;
	struct counter_tracks tracks;
	struct runs runs;
	struct u64map processes;     /* pids that were told: space << 32 | pid */
	uint32_t nr_told;            /* threads that were told */
	uint32_t nr_spaces;          /* machines that were told */
};

static uint64_t clock_id(const struct event_rows *e)
{
	static const struct {
		const char *name;
		uint64_t id;
	} ids[] = {
		{ "realtime", CLOCK_REALTIME_ID }, { "monotonic", CLOCK_MONOTONIC_ID }, { "mono", CLOCK_MONOTONIC_ID },
		{ "monotonic_raw", CLOCK_RAW_ID }, { "mono_raw", CLOCK_RAW_ID }, { "boottime", CLOCK_BOOT_ID },
		{ "boot", CLOCK_BOOT_ID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (strcmp(ids[i].name, event_rows_clock(e)) == 0)
			return ids[i].id;
	return CLOCK_PERF_ID;
}

static void end_packet(struct perfetto *p, size_t m)
{
	pb_end(&p->packets, m);
	if (p->packets.n >= PACKETS_BYTES)
		buf_move(p->e->out, &p->packets);
}

/* ---- what the trace is ---- */

static void put_system(struct perfetto *p, uint32_t space)
{
	const struct meta *meta = &p->e->inputs[p->e->spaces.at[space].host].reader->meta;
	struct buf *b = &p->packets;
	size_t m = packet_begin(b, OWN_SEQUENCE, space), system = pb_begin(b, P_SYSTEM), names = pb_begin(b, 1);

	pb_str(b, 1, "Linux");
	if (meta->osrelease)
		pb_str(b, 3, meta->osrelease);
	if (meta->arch)
		pb_str(b, 4, meta->arch);
	pb_end(b, names);
	pb_end(b, system);
	end_packet(p, m);
}

static void put_clock(struct buf *b, uint64_t id, uint64_t time)
{
	size_t m = pb_begin(b, 1);

	pb_u64(b, 1, id);
	pb_u64(b, 2, time);
	pb_end(b, m);
}

/*
 * Readers need a relation to the boot clock, by which bundles of ftrace are: the clock of the trace is taken for it,
 * so that all events lie on one time line.
 */
static void put_clocks(struct perfetto *p, uint32_t space)
{
	uint64_t own = clock_id(p->e), start = p->e->start, wall = event_rows_wall_time(p->e, start);
	struct buf *b = &p->packets;
	size_t m = packet_begin(b, OWN_SEQUENCE, space), clocks = pb_begin(b, P_CLOCKS);

	put_clock(b, CLOCK_BOOT_ID, start);
	if (own != CLOCK_BOOT_ID)
		put_clock(b, own, start);
	if (wall != SONDE_NONE && own != CLOCK_REALTIME_ID)
		put_clock(b, CLOCK_REALTIME_ID, wall);
	pb_u64(b, 2, CLOCK_BOOT_ID);
	pb_end(b, clocks);
	end_packet(p, m);
}

/* A machine of which nothing has come: all have one clock. */
static void put_machines(struct perfetto *p)
{
	for (; p->nr_spaces < p->e->spaces.n && p->e->start != SONDE_NONE; p->nr_spaces++) {
		if (p->nr_spaces)
			put_system(p, p->nr_spaces);
		put_clocks(p, p->nr_spaces);
	}
}

/* The name says which machine it is, if it is not the first one. */
static void put_process_name(struct perfetto *p, const struct row_thread *t)
{
	struct buf name = BUF_MEMORY;

	buf_str(&name, t->comm);
	if (t->space) {
		buf_str(&name, " (");
		event_rows_space_name(p->e, t->space, &name);
		buf_char(&name, ')');
	}
	buf_char(&name, '\0');
	buf_take_failure(&p->packets, &name);
	pb_str(&p->packets, 3, name.failed ? t->comm : name.p);
	buf_free(&name);
}

/* @t begins a process of which no thread has been told. 0 or -SONDE_NOMEM. */
static int put_process(struct perfetto *p, const struct row_thread *t, int32_t pid)
{
	struct buf *b = &p->packets;
	size_t part;

	if (u64map_set(&p->processes, key_in(t->space, (uint32_t)pid), 1) < 0)
		return err_nomem(p->e->err);
	part = pb_begin(b, 1);
	pb_u64(b, 1, (uint32_t)pid);
	if (pid == t->tid && t->comm) {
		put_process_name(p, t);
		pb_u64(b, 9, 1);
	}
	pb_end(b, part);
	return 0;
}

static int put_thread(struct perfetto *p, const struct row_thread *t, uint64_t time)
{
	struct buf *b = &p->packets;
	int32_t pid = t->pid >= 0 ? t->pid : t->tid;
	size_t m = packet_begin(b, OWN_SEQUENCE, t->space), tree, part;

	pb_u64(b, P_TIME, time == SONDE_NONE ? 0 : time);
	tree = pb_begin(b, P_TREE);
	if ((pid == t->tid || u64map_get(&p->processes, key_in(t->space, (uint32_t)pid)) == U64MAP_NONE) &&
	    put_process(p, t, pid) < 0)
		return -SONDE_NOMEM;
	part = pb_begin(b, 2);
	pb_u64(b, 1, (uint32_t)t->tid);
	pb_u64(b, 3, (uint32_t)pid);
	if (t->comm)
		pb_str(b, 2, t->comm);
	pb_end(b, part);
	pb_end(b, tree);
	end_packet(p, m);
	return 0;
}

/* Tells of threads, and of processes of which none has been told. */
static int put_threads(struct perfetto *p, uint64_t time)
{
	for (; p->nr_told < p->threads.list.n; p->nr_told++)
		if (put_thread(p, &p->threads.list.at[p->nr_told], time) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* ---- samples ---- */

static void put_defaults(struct perfetto *p, const struct event_source *s)
{
	const struct sonde_attr *attr = s->evsel->attr;
	struct buf *b = &p->packets;
	size_t defaults = pb_begin(b, P_DEFAULTS), perf, base, tracepoint;

	pb_u64(b, DEFAULTS_CLOCK, clock_id(p->e));
	perf = pb_begin(b, DEFAULTS_PERF);
	base = pb_begin(b, PERF_TIMEBASE);
	if (attr && attr->sample_period)
		pb_u64(b, attr->flags & SONDE_ATTR_FREQ ? TIMEBASE_FREQUENCY : TIMEBASE_PERIOD, attr->sample_period);
	if (s->is_tracepoint) {
		tracepoint = pb_begin(b, TIMEBASE_TRACEPOINT);
		pb_str(b, 1, s->name);
		pb_end(b, tracepoint);
	}
	pb_str(b, TIMEBASE_NAME, s->name);
	pb_end(b, base);
	pb_end(b, perf);
	pb_end(b, defaults);
}

/* NULL when out of memory. */
static struct packet_sequence *sequence_of(struct perfetto *p, uint32_t space, uint32_t source)
{
	uint32_t i = u64map_get(&p->sequence_of, key_in(space, source));

	if (i != U64MAP_NONE)
		return &p->sequences.at[i];
	i = (uint32_t)p->sequences.n;
	if (vec_push(&p->sequences, ((struct packet_sequence){ .number = FIRST_SAMPLES + i })) < 0 ||
	    u64map_set(&p->sequence_of, key_in(space, source), i) < 0)
		return NULL;
	return &p->sequences.at[i];
}

/* The events that a CPU has counted, with those of the sample; 0 when out of memory. */
static uint64_t count_of(struct packet_sequence *s, const struct event_row *row)
{
	size_t cpu = row->ev->cpu >= 0 && row->ev->cpu < CPUS_MOST ? (size_t)row->ev->cpu : 0;

	while (s->counts.n <= cpu)
		if (vec_push(&s->counts, 0) < 0)
			return 0;
	return s->counts.at[cpu] += row->ev->period;
}

static void put_task(struct buf *b, const struct sonde_event *ev)
{
	if (ev->cpu >= 0)
		pb_u64(b, SAMPLE_CPU, (uint64_t)ev->cpu);
	pb_u64(b, SAMPLE_PID, ev->pid >= 0 ? (uint64_t)ev->pid : 0);
	pb_u64(b, SAMPLE_TID, ev->tid >= 0 ? (uint64_t)ev->tid : 0);
}

/* Readers leave out what needs the state of a sequence that no packet has begun. */
static size_t begin_sample_packet(struct perfetto *p, struct packet_sequence *s, const struct event_row *row)
{
	struct buf *b = &p->packets;
	size_t m = packet_begin(b, s->number, row->space);

	pb_u64(b, P_TIME, row->time == SONDE_NONE ? 0 : row->time);
	pb_u64(b, P_FLAGS, s->begun ? FLAG_NEEDS_STATE : FLAG_CLEARED);
	if (!s->begun && row->source) {
		put_defaults(p, row->source);
		s->begun = true;
	}
	return m;
}

static int put_sample(struct perfetto *p, const struct event_row *row)
{
	struct packet_sequence *s = sequence_of(p, row->space, row->source->number);
	uint32_t stack = event_rows_stack(p->e, row);
	struct buf *b = &p->packets;
	size_t m, sample;

	p->data.n = 0;
	if (!s || stack == UINT32_MAX || (stack && interned_stack(&s->interned, p->e, stack, &p->data) < 0))
		return err_nomem(p->e->err);
	buf_take_failure(b, &p->data);
	m = begin_sample_packet(p, s, row);
	if (p->data.n)
		pb_bytes(b, P_INTERNED, p->data.p, p->data.n);
	sample = pb_begin(b, P_SAMPLE);
	put_task(b, row->ev);
	if (stack)
		pb_u64(b, SAMPLE_STACK, stack);
	pb_u64(b, SAMPLE_MODE, row->ev->cpumode);
	pb_u64(b, SAMPLE_COUNT, count_of(s, row));
	pb_end(b, sample);
	end_packet(p, m);
	return 0;
}

/* ---- tracepoints ---- */

/* NULL when out of memory. */
static struct ftrace_bundle *bundle_of(struct perfetto *p, uint32_t space, int32_t cpu)
{
	uint32_t i = u64map_get(&p->bundle_of, key_in(space, (uint32_t)cpu));

	if (i != U64MAP_NONE)
		return &p->bundles.at[i];
	i = (uint32_t)p->bundles.n;
	if (vec_push(&p->bundles, ((struct ftrace_bundle){ space, (uint32_t)cpu, .events = BUF_MEMORY })) < 0 ||
	    u64map_set(&p->bundle_of, key_in(space, (uint32_t)cpu), i) < 0)
		return NULL;
	return &p->bundles.at[i];
}

static void put_bundle(struct perfetto *p, struct ftrace_bundle *bundle)
{
	struct buf *b = &p->packets;
	size_t m, ftrace;

	if (!bundle->events.n && !bundle->lost)
		return;
	buf_take_failure(b, &bundle->events);
	m = packet_begin(b, OWN_SEQUENCE, bundle->space);
	ftrace = pb_begin(b, P_FTRACE);
	pb_u64(b, BUNDLE_CPU, bundle->cpu);
	buf_put(b, bundle->events.p, bundle->events.n);
	if (bundle->lost)
		pb_u64(b, BUNDLE_LOST, 1);
	pb_end(b, ftrace);
	end_packet(p, m);
	bundle->events.n = 0;
	bundle->lost = false;
}

/* The run that ends by this row, and the one that it may begin. */
static int put_run(struct perfetto *p, const struct event_row *row)
{
	struct ftrace_bundle *bundle;
	struct thread_run run;
	int r = runs_take(&p->runs, p->e, row, &run);

	if (r < 0)
		return err_nomem(p->e->err);
	if (r > 0 && run.cpu >= 0 && run.cpu < CPUS_MOST) {
		bundle = bundle_of(p, row->space, run.cpu);
		if (!bundle)
			return err_nomem(p->e->err);
		cpu_switch_begin_run(&bundle->last, &run, BUNDLE_EVENT, &bundle->events);
		if (p->runs.told.kind != SCHED_SWITCH)
			cpu_switch_end_run(&run, BUNDLE_EVENT, &bundle->events);
	}
	return 0;
}

/*
 * A tracepoint without a time or a CPU has no place in a bundle. Switches that tell no runs (of another input, of a
 * part of the events) are generic events, of which readers make none.
 */
static int put_tracepoint(struct perfetto *p, const struct event_row *row)
{
	int32_t cpu = row->ev->cpu >= 0 ? row->ev->cpu : 0;
	struct ftrace_bundle *bundle = cpu < CPUS_MOST ? bundle_of(p, row->space, cpu) : NULL;
	int r = 0;

	if (cpu >= CPUS_MOST || row->time == SONDE_NONE)
		return 0;
	if (bundle && p->runs.told.kind == SCHED_SWITCH && row->ev->cpu >= 0)
		r = cpu_switch_take(&bundle->last, row, p->runs.told.next, BUNDLE_EVENT, &bundle->events);
	else if (bundle)
		ftrace_event_put(row, BUNDLE_EVENT, &bundle->events);
	if (!bundle || r < 0)
		return err_nomem(p->e->err);
	if (bundle->events.n >= BUNDLE_BYTES || bundle->events.failed)
		put_bundle(p, bundle);
	return row->stack ? put_sample(p, row) : 0;
}

/* ---- losses ---- */

/* Lost samples are a sample without a stack; of tracepoints, their CPU's next bundle says that some are missing. */
static int put_loss(struct perfetto *p, const struct event_row *row)
{
	bool of_ftrace = strcmp(p->e->inputs[row->input].reader->info.format, "trace.dat") == 0 ||
			 (row->source && row->source->is_tracepoint);
	struct buf *b = &p->packets;
	struct ftrace_bundle *bundle;
	struct packet_sequence *s;
	struct sonde_lost loss;
	size_t m, sample;

	if (event_lost(row->ev, &loss) < 0 || loss.lost == SONDE_NONE)
		loss.lost = 0;
	if (of_ftrace && row->ev->cpu >= 0 && row->ev->cpu < CPUS_MOST) {
		bundle = bundle_of(p, row->space, row->ev->cpu);
		if (!bundle)
			return err_nomem(p->e->err);
		put_bundle(p, bundle);
		bundle->lost = true;
	}
	if (of_ftrace || !loss.lost)
		return 0;
	s = sequence_of(p, row->space, row->source ? row->source->number : 0);
	if (!s)
		return err_nomem(p->e->err);
	m = begin_sample_packet(p, s, row);
	sample = pb_begin(b, P_SAMPLE);
	if (row->ev->cpu >= 0)
		pb_u64(b, SAMPLE_CPU, (uint64_t)row->ev->cpu);
	pb_u64(b, SAMPLE_LOST, loss.lost);
	pb_end(b, sample);
	end_packet(p, m);
	return 0;
}

static int put_row(struct perfetto *p, const struct event_row *row)
{
	put_machines(p);
	if (put_run(p, row) < 0)
		return -SONDE_NOMEM;
	if (!row->is_sample)
		return event_row_is_loss(row) ? put_loss(p, row) : 0;
	if (row_threads_of(&p->threads, row) == UINT32_MAX)
		return err_nomem(p->e->err);
	if (put_threads(p, row->time) < 0)
		return -SONDE_NOMEM;
	if (counter_tracks_put(&p->tracks, row, p->e->start, &p->packets) < 0)
		return err_nomem(p->e->err);
	return row->source->is_tracepoint && row->sample.raw.len ? put_tracepoint(p, row) : put_sample(p, row);
}

int export_perfetto(struct event_rows *e)
{
	struct perfetto p = { .e = e, .packets = BUF_MEMORY, .data = BUF_MEMORY };
	const struct event_row *row;
	int r;

	put_system(&p, 0);
	while ((r = event_rows_next(e, &row)) > 0 && !e->out->failed) {
		r = put_row(&p, row);
		if (r < 0)
			break;
	}
	for (size_t i = 0; i < p.bundles.n; i++) {
		cpu_switch_finish(&p.bundles.at[i].last, BUNDLE_EVENT, &p.bundles.at[i].events);
		put_bundle(&p, &p.bundles.at[i]);
		cpu_switch_free(&p.bundles.at[i].last);
		buf_free(&p.bundles.at[i].events);
	}
	buf_take_failure(e->out, &p.packets);
	buf_move(e->out, &p.packets);
	for (size_t i = 0; i < p.sequences.n; i++) {
		interned_free(&p.sequences.at[i].interned);
		vec_free(&p.sequences.at[i].counts);
	}
	vec_free(&p.sequences);
	vec_free(&p.bundles);
	u64map_free(&p.sequence_of);
	u64map_free(&p.bundle_of);
	row_threads_free(&p.threads);
	counter_tracks_free(&p.tracks);
	runs_free(&p.runs);
	u64map_free(&p.processes);
	buf_free(&p.packets);
	buf_free(&p.data);
	return r;
}

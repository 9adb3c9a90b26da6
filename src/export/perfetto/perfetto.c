/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c - samples as PerfSample, tracepoints as FtraceEventBundle, threads as ProcessTree
 *
 * A file is a concatenation of packets. Each event of samples is a sequence of packets of its own, because a sequence
 * has one time base; the first packet has its defaults. Field numbers: protos/perfetto/trace of Perfetto's sources.
 */
#include "export/perfetto/perfetto.h"

#include <string.h>

#include "base/bytes.h"
#include "base/protobuf.h"
#include "export/events/row_threads.h"
#include "export/perfetto/ftrace_events.h"
#include "export/perfetto/interned.h"

enum { PACKET = 1 };
enum { P_FTRACE = 1, P_TREE = 2, P_CLOCKS = 6, P_TIME = 8, P_SEQUENCE = 10, P_INTERNED = 12, P_FLAGS = 13,
       P_SYSTEM = 45, P_CLOCK = 58, P_DEFAULTS = 59, P_SAMPLE = 66 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_RAW_ID = 5, CLOCK_BOOT_ID = 6, CLOCK_PERF_ID = 10 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { DEFAULTS_PERF = 12, DEFAULTS_CLOCK = 58, PERF_TIMEBASE = 1 };
enum { TIMEBASE_PERIOD = 1, TIMEBASE_FREQUENCY = 2, TIMEBASE_TRACEPOINT = 3, TIMEBASE_NAME = 10 };
enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5, SAMPLE_COUNT = 6,
       SAMPLE_LOST = 17 };

enum { OWN_SEQUENCE = 1, FIRST_SAMPLES = 2, BUNDLE_BYTES = 64 * 1024, PACKETS_BYTES = 256 * 1024, CPUS_MOST = 1 << 16 };

/* The packets of an event's samples. */
struct sequence {
	bool begun;
	struct interned interned;
	VEC(uint64_t) counts;        /* by CPU: periods so far, which is the time base */
};

/* Tracepoints of a CPU that are not written yet. */
struct bundle {
	struct buf events;           /* fields of an FtraceEventBundle */
	bool lost;
};

struct perfetto {
	struct event_rows *e;
	struct buf packets;          /* whole ones, that are not written yet */
	struct buf data;             /* InternedData of the sample at hand */
	VEC(struct sequence) sequences;  /* by source */
	VEC(struct bundle) bundles;  /* by CPU */
	struct row_threads threads;
	struct u64map processes;     /* pids that were told */
	uint32_t nr_told;            /* threads that were told */
	bool told_clock;
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

static size_t begin_packet(struct perfetto *p, uint32_t sequence)
{
	size_t m = pb_begin(&p->packets, PACKET);

	pb_u64(&p->packets, P_SEQUENCE, sequence);
	return m;
}

static void end_packet(struct perfetto *p, size_t m)
{
	pb_end(&p->packets, m);
	if (p->packets.n >= PACKETS_BYTES)
		buf_move(p->e->out, &p->packets);
}

/* ---- what the trace is ---- */

static void put_system(struct perfetto *p)
{
	const struct meta *meta = &p->e->reader->meta;
	struct buf *b = &p->packets;
	size_t m = begin_packet(p, OWN_SEQUENCE), system = pb_begin(b, P_SYSTEM), names = pb_begin(b, 1);

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
static void put_clocks(struct perfetto *p)
{
	uint64_t own = clock_id(p->e), start = p->e->start, wall = event_rows_wall_time(p->e, start);
	struct buf *b = &p->packets;
	size_t m = begin_packet(p, OWN_SEQUENCE), clocks = pb_begin(b, P_CLOCKS);

	put_clock(b, CLOCK_BOOT_ID, start);
	if (own != CLOCK_BOOT_ID)
		put_clock(b, own, start);
	if (wall != SONDE_NONE && own != CLOCK_REALTIME_ID)
		put_clock(b, CLOCK_REALTIME_ID, wall);
	pb_u64(b, 2, CLOCK_BOOT_ID);
	pb_end(b, clocks);
	end_packet(p, m);
	p->told_clock = true;
}

/* Tells of threads, and of processes of which none has been told. */
static int put_threads(struct perfetto *p, uint64_t time)
{
	struct buf *b = &p->packets;
	size_t m, tree, part;

	if (p->nr_told == p->threads.list.n)
		return 0;
	m = begin_packet(p, OWN_SEQUENCE);
	pb_u64(b, P_TIME, time == SONDE_NONE ? 0 : time);
	tree = pb_begin(b, P_TREE);
	for (; p->nr_told < p->threads.list.n; p->nr_told++) {
		const struct row_thread *t = &p->threads.list.at[p->nr_told];
		int32_t pid = t->pid >= 0 ? t->pid : t->tid;

		if (pid == t->tid || u64map_get(&p->processes, (uint32_t)pid) == U64MAP_NONE) {
			if (u64map_set(&p->processes, (uint32_t)pid, 1) < 0)
				return err_nomem(p->e->err);
			part = pb_begin(b, 1);
			pb_u64(b, 1, (uint32_t)pid);
			if (pid == t->tid && t->comm) {
				pb_str(b, 3, t->comm);
				pb_u64(b, 9, 1);
			}
			pb_end(b, part);
		}
		part = pb_begin(b, 2);
		pb_u64(b, 1, (uint32_t)t->tid);
		pb_u64(b, 3, (uint32_t)pid);
		if (t->comm)
			pb_str(b, 2, t->comm);
		pb_end(b, part);
	}
	pb_end(b, tree);
	end_packet(p, m);
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
static struct sequence *sequence_of(struct perfetto *p, uint32_t source)
{
	while (p->sequences.n <= source)
		if (vec_push(&p->sequences, ((struct sequence){ 0 })) < 0)
			return NULL;
	return &p->sequences.at[source];
}

/* The events that a CPU has counted, with those of the sample; 0 when out of memory. */
static uint64_t count_of(struct sequence *s, const struct event_row *row)
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

static int put_sample(struct perfetto *p, const struct event_row *row)
{
	struct sequence *s = sequence_of(p, row->source->number);
	uint32_t stack = event_rows_stack(p->e, row);
	struct buf *b = &p->packets;
	size_t m, sample;

	p->data.n = 0;
	if (!s || stack == UINT32_MAX || (stack && interned_stack(&s->interned, p->e, stack, &p->data) < 0))
		return err_nomem(p->e->err);
	buf_take_failure(b, &p->data);
	m = begin_packet(p, FIRST_SAMPLES + row->source->number);
	pb_u64(b, P_TIME, row->time == SONDE_NONE ? 0 : row->time);
	pb_u64(b, P_FLAGS, s->begun ? FLAG_NEEDS_STATE : FLAG_CLEARED);
	if (!s->begun)
		put_defaults(p, row->source);
	s->begun = true;
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

static struct bundle *bundle_of(struct perfetto *p, int32_t cpu)
{
	while (p->bundles.n <= (size_t)cpu)
		if (vec_push(&p->bundles, ((struct bundle){ .events = BUF_MEMORY })) < 0)
			return NULL;
	return &p->bundles.at[cpu];
}

static void put_bundle(struct perfetto *p, uint32_t cpu)
{
	struct bundle *bundle = &p->bundles.at[cpu];
	struct buf *b = &p->packets;
	size_t m, ftrace;

	if (!bundle->events.n && !bundle->lost)
		return;
	buf_take_failure(b, &bundle->events);
	m = begin_packet(p, OWN_SEQUENCE);
	ftrace = pb_begin(b, P_FTRACE);
	pb_u64(b, BUNDLE_CPU, cpu);
	buf_put(b, bundle->events.p, bundle->events.n);
	if (bundle->lost)
		pb_u64(b, BUNDLE_LOST, 1);
	pb_end(b, ftrace);
	end_packet(p, m);
	bundle->events.n = 0;
	bundle->lost = false;
}

/* A tracepoint without a time or a CPU has no place in a bundle. */
static int put_tracepoint(struct perfetto *p, const struct event_row *row)
{
	int32_t cpu = row->ev->cpu >= 0 ? row->ev->cpu : 0;
	struct bundle *bundle = cpu < CPUS_MOST ? bundle_of(p, cpu) : NULL;

	if (cpu >= CPUS_MOST || row->time == SONDE_NONE)
		return 0;
	if (!bundle)
		return err_nomem(p->e->err);
	ftrace_event_put(row, BUNDLE_EVENT, &bundle->events);
	if (bundle->events.n >= BUNDLE_BYTES || bundle->events.failed)
		put_bundle(p, (uint32_t)cpu);
	return row->stack ? put_sample(p, row) : 0;
}

/* ---- losses ---- */

/* Lost samples are a sample without a stack; of tracepoints, their CPU's next bundle says that some are missing. */
static int put_loss(struct perfetto *p, const struct event_row *row)
{
	bool of_ftrace = strcmp(p->e->reader->info.format, "trace.dat") == 0 ||
			 (row->source && row->source->is_tracepoint);
	struct buf *b = &p->packets;
	struct sonde_lost loss;
	size_t m, sample;

	if (event_lost(row->ev, &loss) < 0 || loss.lost == SONDE_NONE)
		loss.lost = 0;
	if (of_ftrace && row->ev->cpu >= 0 && row->ev->cpu < CPUS_MOST) {
		if (!bundle_of(p, row->ev->cpu))
			return err_nomem(p->e->err);
		put_bundle(p, (uint32_t)row->ev->cpu);
		p->bundles.at[row->ev->cpu].lost = true;
	}
	if (of_ftrace || !loss.lost)
		return 0;
	m = begin_packet(p, FIRST_SAMPLES + (row->source ? row->source->number : 0));
	pb_u64(b, P_TIME, row->time == SONDE_NONE ? 0 : row->time);
	pb_u64(b, P_FLAGS, FLAG_NEEDS_STATE);
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
	if (!p->told_clock && p->e->start != SONDE_NONE)
		put_clocks(p);
	if (!row->is_sample)
		return row->ev->kind == SONDE_KIND_LOSS ? put_loss(p, row) : 0;
	if (row_threads_of(&p->threads, row) == UINT32_MAX)
		return err_nomem(p->e->err);
	if (put_threads(p, row->time) < 0)
		return -SONDE_NOMEM;
	return row->source->is_tracepoint && row->sample.raw.len ? put_tracepoint(p, row) : put_sample(p, row);
}

int export_perfetto(struct event_rows *e)
{
	struct perfetto p = { .e = e, .packets = BUF_MEMORY, .data = BUF_MEMORY };
	const struct event_row *row;
	int r;

	put_system(&p);
	while ((r = event_rows_next(e, &row)) > 0 && !e->out->failed) {
		r = put_row(&p, row);
		if (r < 0)
			break;
	}
	for (uint32_t i = 0; i < p.bundles.n; i++) {
		put_bundle(&p, i);
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
	row_threads_free(&p.threads);
	u64map_free(&p.processes);
	buf_free(&p.packets);
	buf_free(&p.data);
	return r;
}

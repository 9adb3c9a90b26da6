/* SPDX-License-Identifier: MIT */
#include "record/perf/off_cpu.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "model/context_markers.h"

#define FINISHED_ROUND 68
#define USER_RECORDS   64        /* types from here on are the recorder's, without a time */

/* They stand after the call chain. */
#define COPIED_FIELDS (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define SAMPLE_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | COPIED_FIELDS)

/* Offsets in a sample of SAMPLE_FIELDS, and in the trailer of the other records. */
enum { MISC_AT = 4, SIZE_AT = 6, ID_AT = 8, IP_AT = 16, PID_AT = 24, TID_AT = 28, TIME_AT = 32, PERIOD_AT = 48,
       NR_AT = 56, CHAIN_AT = 64 };
enum { TRAILER_TID_AT = 4, TRAILER_TIME_AT = 8 };

int off_cpu_event(struct events *list, struct event *e, bool copies_stacks)
{
	const char *filter = arena_strndup(&list->arena, OFF_CPU_FILTER, strlen(OFF_CPU_FILTER));

	e->off_cpu = true;
	e->name = "offcpu-time";
	e->system = e->tracepoint = NULL;  /* no reader needs its format */
	e->callgraph = copies_stacks ? CALLGRAPH_DWARF : CALLGRAPH_FP;
	e->period = 1;
	e->time = 1;
	return filter ? vec_push(&e->filters, filter) : -SONDE_NOMEM;
}

static bool copies_stacks(const struct sonde_attr *a)
{
	return a->sample_type & PERF_SAMPLE_STACK_USER;
}

void off_cpu_narrow(struct sonde_attr *a)
{
	a->sample_type &= SAMPLE_FIELDS;
	a->sample_regs_intr = a->branch_sample_type = 0;
	if (!copies_stacks(a)) {
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
		a->sample_regs_user = 0;
	} else if (a->flags & ATTR_EXCLUDE_CHAIN_USER) {
		a->sample_max_stack = 1;  /* the address of the sample */
	}
	/* The call chain of user space tells who waits. A task goes to sleep in the kernel, always in one function. */
	a->flags |= ATTR_CONTEXT_SWITCH | ATTR_EXCLUDE_CHAIN_KERNEL;
	a->flags &= ~(ATTR_EXCLUDE_CHAIN_USER | SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_USER |
		      SONDE_ATTR_EXCLUDE_HV);
}

/* The copy of the stack tells who waits. The call chain tells the address of the sample only, and is not stored. */
static bool drops_chain(const struct sonde_attr *a)
{
	return copies_stacks(a) && a->sample_max_stack == 1;
}

struct sonde_attr off_cpu_stored_attr(const struct sonde_attr *kernel)
{
	struct sonde_attr a = *kernel;

	if (drops_chain(kernel)) {
		a.flags |= ATTR_EXCLUDE_CHAIN_USER;
		a.sample_max_stack = 0;
	}
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_BPF_OUTPUT;
	a.flags &= ~ATTR_CONTEXT_SWITCH;
	a.flags |= SONDE_ATTR_FREQ;
	a.sample_period = 1;
	return a;
}

void off_cpu_set_attr(struct off_cpu *o, const struct sonde_attr *kernel)
{
	o->copies_stacks = copies_stacks(kernel);
	o->drops_chains = drops_chain(kernel);
}

/* ---- samples ---- */

static uint64_t u64_at(const uint8_t *p, size_t at)
{
	return load_u64(p + at, false);
}

static uint16_t size_of(const uint8_t *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	return h.size;
}

/* The first address of user space in the call chain. A task without any is the kernel's own. */
static void point_to_caller(uint8_t *sample)
{
	uint64_t nr = u64_at(sample, NR_AT);

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t ip = u64_at(sample, CHAIN_AT + 8 * i);

		if (ip >= CONTEXT_MAX)
			continue;
		store_u64(sample + IP_AT, ip, false);
		store_u16(sample + MISC_AT, PERF_RECORD_MISC_USER, false);
		return;
	}
}

static void put_sample(const struct off_cpu *o, uint8_t *sample, uint64_t time, uint64_t ns, struct buf *out)
{
	size_t chain_bytes = 8 * (size_t)u64_at(sample, NR_AT), size = size_of(sample);

	store_u64(sample + TIME_AT, time, false);
	store_u64(sample + PERIOD_AT, ns, false);
	point_to_caller(sample);
	if (o->drops_chains) {
		store_u64(sample + NR_AT, 0, false);
		store_u16(sample + SIZE_AT, (uint16_t)(size - chain_bytes), false);
		buf_put(out, sample, CHAIN_AT);
		buf_put(out, sample + CHAIN_AT + chain_bytes, size - CHAIN_AT - chain_bytes);
	} else {
		buf_put(out, sample, size);
	}
	free(sample);
}

static bool same_stack(const uint8_t *a, const uint8_t *b)
{
	uint16_t size = size_of(a);

	return size == size_of(b) && !memcmp(a + PID_AT, b + PID_AT, TIME_AT - PID_AT) &&
	       !memcmp(a + NR_AT, b + NR_AT, size - NR_AT);
}

/* Takes @sample. */
static int add_up(struct off_cpu *o, uint8_t *sample, uint64_t ns)
{
	uint64_t seed = hash_index_seed(&o->by_stack) ^ load_u32(sample + TID_AT, false);
	uint64_t hash = hash_bytes_seeded(seed, sample + NR_AT, size_of(sample) - (size_t)NR_AT);
	struct off_cpu_sum sum = { sample, ns };
	uint32_t i;

	hash_index_each(&o->by_stack, hash, i)
		if (same_stack(o->sums.at[i].sample, sample)) {
			o->sums.at[i].ns += ns;
			free(sample);
			return 0;
		}
	i = (uint32_t)o->sums.n;
	if (vec_push(&o->sums, sum) < 0) {
		free(sample);
		return -SONDE_NOMEM;
	}
	return hash_index_add(&o->by_stack, hash, i);
}

/* ---- turns, in the order of time ---- */

static int fall_asleep(struct off_cpu *o, const struct off_cpu_turn *t)
{
	uint32_t i = u64map_get(&o->sleeper_of_tid, t->tid);

	if (i != U64MAP_NONE) {
		free(o->sleepers.at[i].sample);  /* the record of its waking was lost */
		o->sleepers.at[i] = *t;
		return 0;
	}
	i = (uint32_t)o->sleepers.n;
	if (vec_push(&o->sleepers, *t) < 0) {
		free(t->sample);
		return -SONDE_NOMEM;
	}
	return u64map_set(&o->sleeper_of_tid, t->tid, i);
}

static int wake(struct off_cpu *o, const struct off_cpu_turn *t, struct buf *out)
{
	uint32_t i = u64map_get(&o->sleeper_of_tid, t->tid);
	struct off_cpu_turn *s = i == U64MAP_NONE ? NULL : &o->sleepers.at[i];
	uint8_t *sample;
	uint64_t ns;

	if (!s || !s->sample)        /* it did not sleep: another task had the CPU */
		return 0;
	sample = s->sample;
	ns = t->time - s->time;
	s->sample = NULL;
	if (ns < o->threshold_ns && !o->copies_stacks)
		return add_up(o, sample, ns);
	put_sample(o, sample, t->time, ns, out);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct off_cpu_turn *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return !x->sample - !y->sample;
}

/* Obeys the turns up to @until. A turn that comes later is not older: see mark_round() in rounds.c. */
static int obey_turns(struct off_cpu *o, uint64_t until, struct buf *out)
{
	size_t n = 0;
	int r = 0;

	if (o->turns.n)
		qsort(o->turns.at, o->turns.n, sizeof(*o->turns.at), by_time);
	for (; r == 0 && n < o->turns.n && o->turns.at[n].time <= until; n++) {
		const struct off_cpu_turn *t = &o->turns.at[n];

		r = t->sample ? fall_asleep(o, t) : wake(o, t, out);
	}
	if (n)
		memmove(o->turns.at, o->turns.at + n, (o->turns.n -= n) * sizeof(*o->turns.at));
	return r;
}

/* ---- records ---- */

static int take_sample(struct off_cpu *o, const uint8_t *p, const struct perf_event_header *h)
{
	struct off_cpu_turn t = { .time = u64_at(p, TIME_AT), .tid = load_u32(p + TID_AT, false) };

	if (h->size < CHAIN_AT || u64_at(p, NR_AT) > (h->size - (size_t)CHAIN_AT) / 8)
		return 0;
	t.sample = malloc(h->size);
	if (!t.sample)
		return -SONDE_NOMEM;
	memcpy(t.sample, p, h->size);
	if (vec_push(&o->turns, t) == 0)
		return 0;
	free(t.sample);
	return -SONDE_NOMEM;
}

static int take_switch(struct off_cpu *o, const uint8_t *trailer, const struct perf_event_header *h)
{
	struct off_cpu_turn t = { .time = u64_at(trailer, TRAILER_TIME_AT),
				  .tid = load_u32(trailer + TRAILER_TID_AT, false) };

	return h->misc & PERF_RECORD_MISC_SWITCH_OUT || !t.tid ? 0 : vec_push(&o->turns, t);
}

static bool is_ours(const struct off_cpu *o, uint64_t id)
{
	return u64map_get(&o->ids, id) != U64MAP_NONE;
}

/* 1: the record goes to the file, 0: it does not, or negative. */
static int take_record(struct off_cpu *o, const uint8_t *p, const struct perf_event_header *h, struct buf *out)
{
	bool has_trailer = h->type < USER_RECORDS && h->size >= sizeof(*h) + o->trailer_bytes;
	const uint8_t *trailer = p + h->size - o->trailer_bytes;
	uint64_t time = 0;
	int r;

	if (h->type == FINISHED_ROUND) {
		r = obey_turns(o, o->newest_before_mark, out);
		o->newest_before_mark = o->newest;
		return r < 0 ? r : 1;
	}
	if (h->type == PERF_RECORD_SAMPLE)
		time = o->sample_time_at && h->size >= o->sample_time_at + 8 ? u64_at(p, o->sample_time_at) : 0;
	else if (has_trailer && o->trailer_bytes >= TRAILER_TIME_AT + 8)
		time = u64_at(trailer, TRAILER_TIME_AT);
	o->newest = time > o->newest ? time : o->newest;
	if (h->type == PERF_RECORD_SAMPLE && h->size >= CHAIN_AT && is_ours(o, u64_at(p, ID_AT)))
		return take_sample(o, p, h);
	if ((h->type == PERF_RECORD_SWITCH || h->type == PERF_RECORD_SWITCH_CPU_WIDE) && has_trailer &&
	    is_ours(o, u64_at(p, h->size - 8u)))
		return take_switch(o, trailer, h);
	return 1;
}

int off_cpu_take(struct off_cpu *o, const uint8_t *p, size_t n, struct buf *out)
{
	const uint8_t *end = p + n;
	struct perf_event_header h;

	for (; (size_t)(end - p) >= sizeof(h); p += h.size) {
		int r;

		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size > end - p)
			break;
		r = take_record(o, p, &h, out);
		if (r < 0)
			return r;
		if (r > 0)
			buf_put(out, p, h.size);
	}
	buf_put(out, p, (size_t)(end - p));
	return out->failed;
}

int off_cpu_end(struct off_cpu *o, struct buf *out)
{
	int r = obey_turns(o, UINT64_MAX, out);

	for (size_t i = 0; i < o->sums.n; i++)
		put_sample(o, o->sums.at[i].sample, o->newest, o->sums.at[i].ns, out);
	vec_free(&o->sums);
	hash_index_free(&o->by_stack);
	return r < 0 ? r : out->failed;
}

void off_cpu_free(struct off_cpu *o)
{
	for (size_t i = 0; i < o->turns.n; i++)
		free(o->turns.at[i].sample);
	for (size_t i = 0; i < o->sleepers.n; i++)
		free(o->sleepers.at[i].sample);
	for (size_t i = 0; i < o->sums.n; i++)
		free(o->sums.at[i].sample);
	vec_free(&o->turns);
	vec_free(&o->sleepers);
	vec_free(&o->sums);
	u64map_free(&o->ids);
	u64map_free(&o->sleeper_of_tid);
	hash_index_free(&o->by_stack);
}

/* SPDX-License-Identifier: MIT */
#include "api/describe/counts.h"

#include "base/bytes.h"
#include "model/context_markers.h"
#include "model/event.h"

#define RECORD_SAMPLE 9
#define SAMPLE_ADDR (UINT64_C(1) << 3)
#define RECORD_CALLCHAIN_DEFERRED 22
#define SAMPLE_READ (UINT64_C(1) << 4)
#define SAMPLE_CALLCHAIN (UINT64_C(1) << 5)
#define SAMPLE_BRANCH_STACK (UINT64_C(1) << 11)
#define SAMPLE_STACK_USER (UINT64_C(1) << 13)
/* what is counted of a sample besides the fields of every event */
#define COUNTED_FIELDS (SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK | SAMPLE_STACK_USER)

/*
 * Counts records as they lie in the file (`data` of a directory): the contents of compressed records are not counted
 * again.
 */
static int add_records(struct counts *c, const struct sonde_event *ev, uint64_t n)
{
	uint32_t i;

	if (ev->unpacked)
		return 0;
	while (c->files.n <= ev->file)
		if (vec_push(&c->files, 0) < 0)
			return -SONDE_NOMEM;
	c->files.at[ev->file] += n;
	if (ev->file)
		return 0;
	i = c->last_type < c->types.n && c->types.at[c->last_type].type == ev->type ? c->last_type :
		u64map_get(&c->type_index, ev->type);
	if (i == U64MAP_NONE) {
		i = (uint32_t)c->types.n;
		if (vec_push(&c->types, ((struct type_count){ .type = ev->type })) < 0 ||
		    u64map_set(&c->type_index, ev->type, i) < 0)
			return -SONDE_NOMEM;
	}
	c->types.at[i].n += n;
	c->last_type = i;
	return 0;
}

static int add_to_evsel(struct counts *c, uint32_t index)
{
	while (c->samples.n <= index)
		if (vec_push(&c->samples, 0) < 0)
			return -SONDE_NOMEM;
	c->samples.at[index]++;
	return 0;
}

/* As perf: once for each count that has grown, for the event of that count. */
static int add_reads(struct counts *c, const struct sonde_event *ev)
{
	struct loaded_event one;
	int r;

	if (!read_samples_take(&c->reads, ev))
		return add_to_evsel(c, ev->evsel->index);
	while ((r = read_samples_next(&c->reads, &one)) > 0)
		if (add_to_evsel(c, one.pub.evsel->index) < 0)
			return -SONDE_NOMEM;
	c->other_samples += c->reads.unknown;
	c->reads.unknown = 0;
	return r;
}

/*
 * Branches recorded as a call stack: n branches are n + 1 addresses. perf counts these. Where the callchain goes into
 * user space, it also counts the chain of its kernel part and the branches.
 */
static void add_branches(struct counts *c, const struct sample *s)
{
	uint64_t n = s->branches.nr;

	c->branch_entries += n;
	if (!s->branches.is_call_stack)
		return;
	c->branch_entries++;
	for (uint64_t i = 0; n > 0 && i < s->callchain.nr; i++) {
		if (u64s_at(&s->callchain, i) == CONTEXT_USER) {
			c->callchain_entries += i + 1 + n + 1;
			break;
		}
	}
}

/* The user part of callchains, which the kernel records on its way back to user space: u64 cookie, u64 nr, ips. */
static void add_deferred_chain(struct counts *c, const struct sonde_trace *t, const struct sonde_event *ev)
{
	bool swap = sonde_trace_info(t)->big_endian != host_is_big_endian();
	uint64_t nr;

	if (ev->raw_size < 24)
		return;
	nr = load_u64(ev->raw + 16, swap);
	if (nr <= (ev->raw_size - 24) / 8)
		c->callchain_entries += nr;
}

static void add_time(struct counts *c, uint64_t time)
{
	if (time == SONDE_NONE) {
		c->without_time++;
		return;
	}
	c->time_min = c->time_min == SONDE_NONE || time < c->time_min ? time : c->time_min;
	c->time_max = c->time_max == SONDE_NONE || time > c->time_max ? time : c->time_max;
}

/* Most samples come in rows from one thread. */
static int add_tid(struct counts *c, int32_t tid)
{
	if (c->any_tid && c->last_tid == tid)
		return 0;
	c->any_tid = true;
	c->last_tid = tid;
	return u64map_set(&c->tids, (uint32_t)tid, 1);
}

int counts_add(struct counts *c, const struct sonde_trace *t, const struct sonde_event *ev)
{
	struct sample s;
	int r = add_records(c, ev, 1);

	if (r == 0 && ev->type == RECORD_CALLCHAIN_DEFERRED)
		add_deferred_chain(c, t, ev);
	if (r < 0 || ev->type != RECORD_SAMPLE)
		return r;
	if (!ev->evsel) {
		c->other_samples++;
		return 0;
	}
	c->sum_ip += ev->ip;
	c->sum_period += ev->period;
	c->sum_addr += ev->addr;
	add_time(c, ev->time);
	if (add_tid(c, ev->tid) < 0)
		return -SONDE_NOMEM;
	if (ev->evsel->attr && !(ev->evsel->attr->sample_type & COUNTED_FIELDS))
		return add_to_evsel(c, ev->evsel->index);
	event_sample(ev, &s);  /* of a cut sample, the remaining fields count */
	c->callchain_entries += s.callchain.nr;
	add_branches(c, &s);
	c->user_stack_bytes += s.user_stack.len;
	if (s.present & SAMPLE_READ)
		return add_reads(c, ev);
	return add_to_evsel(c, ev->evsel->index);
}

/* A head has all that is counted of such a sample. A chain of no entries may be a damaged one. */
static bool is_counted_by_head(const struct sample_head *head)
{
	const struct sonde_attr *attr = head->evsel->attr;
	uint64_t fields = attr ? attr->sample_type & (COUNTED_FIELDS | SAMPLE_ADDR) : COUNTED_FIELDS;

	return fields == 0 || (fields == SAMPLE_CALLCHAIN && head->callchain.nr);
}

static int add_head(struct counts *c, const struct sample_head *head)
{
	c->sum_ip += head->ip;
	c->sum_period += head->period;
	c->callchain_entries += head->callchain.nr;
	add_time(c, head->time);
	if (add_tid(c, head->tid) < 0)
		return -SONDE_NOMEM;
	return add_to_evsel(c, head->evsel->index);
}

int counts_add_heads(struct counts *c, struct single *it, const struct sample_heads *heads)
{
	const struct sonde_event *ev = NULL;
	uint32_t block = 0;
	uint64_t n = 0;              /* heads since ev, whose records are alike */
	int r = 0;

	for (size_t i = 0; i < heads->n && r == 0; i++) {
		const struct sample_head *head = &heads->at[i];

		if (!is_counted_by_head(head)) {
			r = n ? add_records(c, ev, n) : 0;
			ev = NULL;
			n = 0;
			if (r == 0)
				r = counts_add(c, single_trace(it), single_load(it, head));
			continue;
		}
		if (!ev || head->ref->block != block) {
			r = n ? add_records(c, ev, n) : 0;
			n = 0;
			ev = single_load(it, head);
			block = head->ref->block;
		}
		n++;
		if (r == 0)
			r = add_head(c, head);
	}
	return r == 0 && n ? add_records(c, ev, n) : r;
}

void counts_free(struct counts *c)
{
	vec_free(&c->types);
	vec_free(&c->files);
	vec_free(&c->samples);
	u64map_free(&c->type_index);
	u64map_free(&c->tids);
	read_samples_free(&c->reads);
}

/* SPDX-License-Identifier: MIT */
/*
 * merge_events.c - which events of several inputs are the same, and how records tell them apart in one file
 *
 * Readers want one place for the id in all events of a file, one read_format, and a trailer on all records or on none.
 */
#include "perfdata/rewrite/merge_events.h"

#include "perfdata/format/attr.h"
#include "perfdata/rewrite/merge_read.h"

#define EVENTS_MAX 16384             /* of all inputs: each is compared with the others */

static const struct evsel *source_of(const struct merge_input *in, size_t k)
{
	return (const struct evsel *)in->reader->evsels.at[k];
}

static int copy_attrs(struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nr_in; i++)
		n += m->in[i].reader->evsels.n;
	if (n > EVENTS_MAX)
		return err_set(&m->handle->err, SONDE_UNSUPPORTED, SONDE_NONE, "%zu events; up to %d can be merged", n,
			       EVENTS_MAX);
	for (size_t i = 0; i < m->nr_in; i++) {
		struct merge_input *in = &m->in[i];

		in->nr_events = in->reader->evsels.n;
		in->attrs = calloc(in->nr_events, sizeof(*in->attrs));
		in->events = calloc(in->nr_events, sizeof(*in->events));
		if (!in->attrs || !in->events)
			return err_nomem(&m->handle->err);
		for (size_t k = 0; k < in->nr_events; k++) {
			in->attrs[k] = source_of(in, k)->attr;
			if (in->attrs[k].size > ATTR_SIZE_KNOWN)
				ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
					   "{event|events} whose attr has fields that are newer than this version, in "
					   "%s",
					   in->name);
		}
	}
	return 0;
}

/*
 * Attrs of a file are of one size: of those that the inputs have, the smallest that loses nothing. Older readers refuse
 * what is larger.
 */
static void settle_sizes(struct merge *m)
{
	uint32_t size = UINT32_MAX, needed = 0, largest = 0;

	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++) {
			const struct sonde_attr *a = &m->in[i].attrs[k];

			needed = attr_size_needed(a) > needed ? attr_size_needed(a) : needed;
			largest = a->size > largest ? a->size : largest;
		}
	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			if (m->in[i].attrs[k].size >= needed && m->in[i].attrs[k].size < size)
				size = m->in[i].attrs[k].size;
	size = size < UINT32_MAX ? size : largest;
	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			m->in[i].attrs[k].size = size;
}

static void settle_trailers(struct merge *m)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			flags |= m->in[i].attrs[k].flags & SONDE_ATTR_SAMPLE_ID_ALL;
	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			m->in[i].attrs[k].flags |= flags;
}

/* Times were moved to the clock of the first input. */
static void settle_clocks(struct merge *m)
{
	const struct sonde_attr *first = &m->in[0].attrs[0];

	for (size_t i = 1; i < m->nr_in; i++) {
		for (size_t k = 0; m->in[i].aligned && k < m->in[i].nr_events; k++) {
			struct sonde_attr *a = &m->in[i].attrs[k];

			a->flags = (a->flags & ~SONDE_ATTR_USE_CLOCKID) | (first->flags & SONDE_ATTR_USE_CLOCKID);
			a->clockid = first->clockid;
		}
	}
}

/* The struct has no padding. */
static bool is_same_attr(const struct sonde_attr *a, const struct sonde_attr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool is_same_event(const struct merge_input *a, size_t i, const struct merge_input *b, size_t k)
{
	return is_same_attr(&a->attrs[i], &b->attrs[k]) &&
		strcmp(source_of(a, i)->pub.name, source_of(b, k)->pub.name) == 0;
}

/* One event needs no ids; several have them at one place. */
static bool is_told_apart(const struct merge *m)
{
	const struct sonde_attr *first = &m->in[0].attrs[0];
	bool one = true, identifier = true, alike = first->sample_type & SAMPLE_ID;

	for (size_t i = 0; i < m->nr_in; i++) {
		one &= m->in[i].nr_events == 1 && is_same_event(&m->in[0], 0, &m->in[i], 0);
		for (size_t k = 0; k < m->in[i].nr_events; k++) {
			identifier &= (m->in[i].attrs[k].sample_type & SAMPLE_IDENTIFIER) != 0;
			alike &= m->in[i].attrs[k].sample_type == first->sample_type;
		}
	}
	return one || identifier || alike;
}

static void settle_ids(struct merge *m)
{
	if (is_told_apart(m))
		return;
	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			m->in[i].attrs[k].sample_type |= SAMPLE_IDENTIFIER;
}

/* Events of the group that begins with k; groups are rows of neighbours. */
static size_t group_size(const struct merge_input *in, size_t k)
{
	size_t n = 1;

	while (k + n < in->nr_events && source_of(in, k + n)->pub.leader == source_of(in, k)->pub.index)
		n++;
	return n;
}

/* Whether the n events of an input from k on are those of the new file from `at` on. */
static bool is_same_group(const struct merge *m, const struct merge_input *in, size_t k, size_t n, size_t at)
{
	size_t i = (size_t)(in - m->in);

	if (n > m->events.n - at)
		return false;
	for (size_t g = 0; g < n; g++) {
		const struct merged_event *e = &m->events.at[at + g];

		if (e->last_input == i || e->leader != at || !is_same_attr(&e->attr, &in->attrs[k + g]) ||
		    strcmp(e->name, source_of(in, k + g)->pub.name) != 0)
			return false;
	}
	return at + n == m->events.n || m->events.at[at + n].leader != at;
}

static int add_group(struct merge *m, struct merge_input *in, size_t k, size_t n)
{
	size_t at = 0;

	while (at < m->events.n && !is_same_group(m, in, k, n, at))
		at++;
	if (at == m->events.n) {
		for (size_t g = 0; g < n; g++) {
			struct merged_event e = { .attr = in->attrs[k + g],
						  .layout = sample_layout_compile(&in->attrs[k + g]),
						  .name = source_of(in, k + g)->pub.name,
						  .leader = (uint32_t)at };

			if (vec_push(&m->events, e) < 0)
				return err_nomem(&m->handle->err);
		}
	}
	for (size_t g = 0; g < n; g++) {
		m->events.at[at + g].last_input = (size_t)(in - m->in);
		in->events[k + g] = (uint32_t)(at + g);
	}
	return 0;
}

static void find_fresh_id(struct merge *m)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < m->nr_in; i++)
		for (size_t k = 0; k < m->in[i].nr_events; k++)
			for (size_t n = 0; n < source_of(&m->in[i], k)->ids.n; n++)
				if (source_of(&m->in[i], k)->ids.at[n] > newest)
					newest = source_of(&m->in[i], k)->ids.at[n];
	m->fresh_id = newest < UINT64_MAX / 2 ? newest + 1 : 1;
}

static uint64_t fresh_id(struct merge *m)
{
	while (u64map_get(&m->ids, m->fresh_id) != U64MAP_NONE)
		m->fresh_id++;
	return m->fresh_id++;
}

/*
 * Whether an id that is the same event's in an input before is the same one: inputs can be parts of one recording. Not
 * where they are from different machines: counts go on from one sample to the next of an id.
 */
static bool is_same_id(const struct merge *m, const struct merge_input *in, const struct sonde_attr *attr, uint64_t id)
{
	for (const struct merge_input *other = m->in; attr->sample_type & SAMPLE_READ && other < in; other++)
		if (u64map_get(&other->ids, id) != U64MAP_NONE && clocks_hosts_differ(other->reader, in->reader))
			return false;
	return true;
}

/* An id that another event has is a new one here. */
static int add_id(struct merge *m, struct merge_input *in, uint32_t event, uint64_t id)
{
	struct merged_event *e = &m->events.at[event];
	uint32_t owner = u64map_get(&m->ids, id);
	bool stays = owner == U64MAP_NONE || (owner == event && is_same_id(m, in, &e->attr, id));
	uint64_t chosen = stays ? id : fresh_id(m);

	in->plain &= chosen == id;
	if (u64map_set(&in->ids, id, (uint32_t)in->new_ids.n) < 0 || vec_push(&in->new_ids, chosen) < 0)
		return -SONDE_NOMEM;
	if (stays && owner == event)
		return 0;
	return u64map_set(&m->ids, chosen, event) < 0 ? -SONDE_NOMEM : vec_push(&e->ids, chosen);
}

static int add_ids(struct merge *m, struct merge_input *in)
{
	int r = 0;

	for (size_t k = 0; r == 0 && k < in->nr_events; k++) {
		const struct evsel *s = source_of(in, k);

		for (size_t n = 0; r == 0 && n < s->ids.n; n++)
			/* one that two events claim is the first's */
			if (evlist_by_id(&in->file->evlist, s->ids.at[n]) == s)
				r = add_id(m, in, in->events[k], s->ids.at[n]);
	}
	return r;
}

static bool has_ids(const struct sonde_attr *a)
{
	return a->sample_type & (SAMPLE_IDENTIFIER | SAMPLE_ID) ||
		(a->sample_type & SAMPLE_READ && a->read_format & READ_ID);
}

/* Where records carry ids each event has one. */
static int complete_ids(struct merge *m)
{
	for (size_t e = 0; e < m->events.n; e++) {
		struct merged_event *event = &m->events.at[e];
		uint64_t id;

		if (event->ids.n || !has_ids(&event->attr))
			continue;
		id = fresh_id(m);
		if (u64map_set(&m->ids, id, (uint32_t)e) < 0 || vec_push(&event->ids, id) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* Whether the records of an input mean the same in the new file, byte by byte. */
static bool is_plain(const struct merge *m, const struct merge_input *in)
{
	bool plain = in->plain && in->shift == 0 && in->events[0] == 0 &&
		     m->events.at[0].layout.trailer_bytes == source_of(in, 0)->layout.trailer_bytes;

	for (size_t k = 0; plain && k < in->nr_events; k++) {
		const struct evsel *s = source_of(in, k);

		plain = in->attrs[k].sample_type == s->attr.sample_type &&
			in->attrs[k].read_format == s->attr.read_format && (s->ids.n || m->events.n == 1);
	}
	return plain;
}

int merge_events(struct merge *m)
{
	int r = copy_attrs(m);

	if (r < 0)
		return r;
	settle_sizes(m);
	settle_trailers(m);
	settle_clocks(m);
	r = merge_read_format(m);
	if (r < 0)
		return r;
	settle_ids(m);
	find_fresh_id(m);
	for (size_t i = 0; r == 0 && i < m->nr_in; i++)
		for (size_t k = 0, n; r == 0 && k < m->in[i].nr_events; k += n) {
			n = group_size(&m->in[i], k);
			r = add_group(m, &m->in[i], k, n);
		}
	for (size_t i = 0; r == 0 && i < m->nr_in; i++) {
		m->in[i].plain = true;
		r = add_ids(m, &m->in[i]);
	}
	if (r == 0)
		r = complete_ids(m);
	for (size_t i = 0; r == 0 && i < m->nr_in; i++)
		m->in[i].plain = is_plain(m, &m->in[i]);
	return r == -SONDE_NOMEM ? err_nomem(&m->handle->err) : r;
}

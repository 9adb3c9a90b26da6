/* SPDX-License-Identifier: MIT */
/* event.c - from the bytes of a record to an event. */
#include "perfdata/read/event.h"

#include "perfdata/format/record_fields.h"
#include "perfdata/read/perfdata.h"
#include "perfdata/read/sample_head.h"

static int32_t load_i32(const uint8_t *p, bool swap)
{
	return (int32_t)load_u32(p, swap);
}

static void load_sample(const uint8_t *p, const struct sample_layout *l, bool swap, struct sonde_event *ev)
{
	const uint8_t *at = l->sample;

	if (at[AT_IP])
		ev->ip = load_u64(p + at[AT_IP], swap);
	if (at[AT_TID]) {
		ev->pid = load_i32(p + at[AT_TID], swap);
		ev->tid = load_i32(p + at[AT_TID] + 4, swap);
	}
	if (at[AT_TIME])
		ev->time = load_u64(p + at[AT_TIME], swap);
	if (at[AT_ADDR])
		ev->addr = load_u64(p + at[AT_ADDR], swap);
	if (at[AT_CPU])
		ev->cpu = load_i32(p + at[AT_CPU], swap);
	if (at[AT_PERIOD])
		ev->period = load_u64(p + at[AT_PERIOD], swap);
}

static void load_sample_of(const struct evsel *s, const uint8_t *p, uint32_t size, bool swap, struct sonde_event *ev)
{
	if (!(s->attr.flags & SONDE_ATTR_FREQ))
		ev->period = s->attr.sample_period;
	if (size >= s->layout.sample_bytes)
		load_sample(p, &s->layout, swap, ev);
}

/* Records that perf synthesizes end with a trailer of zeros: they are before everything, not on CPU 0. */
static void load_trailer(const uint8_t *end, const struct sample_layout *l, bool swap, struct sonde_event *ev)
{
	const uint8_t *at = l->trailer;

	if (at[AT_TIME])
		ev->time = load_u64(end - at[AT_TIME], swap);
	if (bytes_are_zero(end - l->trailer_bytes, l->trailer_bytes))
		return;
	if (at[AT_TID]) {
		ev->pid = load_i32(end - at[AT_TID], swap);
		ev->tid = load_i32(end - at[AT_TID] + 4, swap);
	}
	if (at[AT_CPU])
		ev->cpu = load_i32(end - at[AT_CPU], swap);
}

/* The task of a record that has no trailer to tell it: from the body. */
static void load_task_of_body(const uint8_t *p, const struct record_header *h, bool swap, struct sonde_event *ev)
{
	switch (h->type) {
	case RECORD_FORK:
	case RECORD_EXIT:
		if (h->size < 24)
			return;
		ev->pid = load_i32(p + 8, swap);
		ev->tid = load_i32(p + 16, swap);
		return;
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_COMM:
	case RECORD_READ:
	case RECORD_NAMESPACES:
	case RECORD_ITRACE_START:
		if (h->size < 16)
			return;
		ev->pid = load_i32(p + 8, swap);
		ev->tid = load_i32(p + 12, swap);
	}
}

static const struct sonde_event no_event = { .time = SONDE_NONE, .pid = -1, .tid = -1, .cpu = -1, .id = SONDE_NONE };

static void load_machine(const struct evlist *evlist, struct sonde_event *ev)
{
	uint32_t i = u64map_get(&evlist->machine_of_id, ev->id);

	if (i == U64MAP_NONE)
		return;
	ev->machine_pid = evlist->machines.at[i].pid;
	ev->vcpu = ev->machine_pid ? evlist->machines.at[i].vcpu : 0;
}

void record_load(struct evlist *evlist, const uint8_t *p, bool swap, struct loaded_event *to)
{
	struct record_header h = record_header(p, swap);
	const struct record_type *type = record_type_find(h.type);
	struct sonde_event *out = &to->pub;
	struct evsel *s;

	memcpy(out, &no_event, sizeof(*out));  /* half the time of setting it to zero */
	out->raw = p;
	out->raw_size = h.size;
	out->type = h.type;
	out->misc = h.misc;
	out->kind = type ? type->kind : SONDE_KIND_OTHER;
	out->cpumode = h.misc & MISC_CPUMODE_MASK;
	to->reader = evlist->reader;
	to->deferred_callchain.nr = 0;
	to->read_by = NULL;
	if (h.type >= RECORD_USER)
		return;
	s = evlist_find(evlist, p, h.size, h.type == RECORD_SAMPLE, swap, &out->id);
	if (!s) {
		load_task_of_body(p, &h, swap, out);
		return;
	}
	out->evsel = &s->pub;
	if (evlist->machines.n)
		load_machine(evlist, out);
	if (h.type == RECORD_SAMPLE) {
		load_sample_of(s, p, h.size, swap, out);
		return;
	}
	if (s->layout.trailer_bytes && h.size >= RECORD_HEADER_BYTES + s->layout.trailer_bytes)
		load_trailer(p + h.size, &s->layout, swap, out);
	if (out->pid == -1 && out->tid == -1)
		load_task_of_body(p, &h, swap, out);
}

void perfdata_load(struct reader *r, const struct record_ref *ref, struct loaded_event *out)
{
	struct perfdata *f = perfdata_of(r);
	const struct block *c = &f->blocks.list.at[ref->block];

	record_load(&f->evlist, ref->p, f->header.swap, out);
	out->pub.raw_size = ref->size;
	out->pub.file_offset = c->unpacked ? c->file_offset : c->file_offset + (uint64_t)(ref->p - c->data);
	out->pub.unpacked = c->unpacked;
	out->pub.file = c->part;
}

static const struct perfdata *file_of(const struct reader *r)
{
	return (const struct perfdata *)r;
}

/*
 * Without counts before it, the chain stands at a fixed place. The members of @chain are stored one by one: a struct
 * that is returned is copied with loads wider than the stores before them, which wait for those stores.
 */
static inline __attribute__((always_inline)) void find_callchain(const struct evsel *s, const uint8_t *p, size_t size,
								 bool swap, struct u64s *chain)
{
	size_t at = s->layout.sample_bytes;
	struct sample decoded;
	uint64_t nr;

	chain->p = NULL;
	chain->nr = 0;
	chain->swap = swap;
	if (!(s->attr.sample_type & SAMPLE_CALLCHAIN))
		return;
	if (s->attr.sample_type & SAMPLE_READ) {
		sample_decode(p, size, &s->attr, swap, &decoded);
		*chain = decoded.callchain;
		return;
	}
	if (size < at + 8)
		return;
	nr = load_u64(p + at, swap);
	chain->p = p + at + 8;
	chain->nr = nr <= (size - at - 8) / 8 ? nr : 0;
}

static inline __attribute__((always_inline)) bool take_head(struct evlist *evlist, const struct record_ref *ref,
							    bool swap, struct sample_head *out)
{
	struct record_header h = record_header(ref->p, swap);
	const struct evsel *s;
	uint64_t id;

	if (h.type != RECORD_SAMPLE)
		return false;
	s = evlist_find(evlist, ref->p, h.size, true, swap, &id);
	if (!sample_has_head(s, &h))
		return false;
	out->ref = ref;
	sample_head_load(s, ref->p, &h, swap, out);
	find_callchain(s, ref->p, h.size, swap, &out->callchain);
	return true;
}

/* Inlined with a constant @swap: the loop has no branches for it. */
static inline __attribute__((always_inline)) size_t take_heads(struct evlist *evlist, const struct record_ref *refs,
							       size_t n, bool swap, struct sample_head *out)
{
	size_t i = 0;

	while (i < n && take_head(evlist, &refs[i], swap, &out[i]))
		i++;
	return i;
}

size_t perfdata_sample_heads(struct reader *r, const struct record_ref *refs, size_t n, struct sample_head *out)
{
	struct perfdata *f = perfdata_of(r);

	if (f->evlist.machines.n)
		return 0;
	return f->header.swap ? take_heads(&f->evlist, refs, n, true, out) :
				take_heads(&f->evlist, refs, n, false, out);
}

void perfdata_load_sample(const struct reader *r, const struct sonde_evsel *evsel, const uint8_t *p, uint32_t size,
			  struct loaded_event *to)
{
	const struct evsel *s = (const struct evsel *)evsel;
	bool swap = file_of(r)->header.swap;
	struct record_header h = record_header(p, swap);
	struct sonde_event *out = &to->pub;

	*out = no_event;
	out->raw = p;
	out->raw_size = size;
	out->type = h.type;
	out->misc = h.misc;
	out->kind = SONDE_KIND_SAMPLE;
	out->cpumode = h.misc & MISC_CPUMODE_MASK;
	out->evsel = evsel;
	to->reader = r;
	to->deferred_callchain.nr = 0;
	to->read_by = NULL;
	load_sample_of(s, p, size, swap, out);
}

struct u64s perfdata_callchain(const struct reader *r, const struct sonde_event *ev)
{
	const struct evsel *s = (const struct evsel *)event_layout(ev);
	struct u64s chain = { .swap = file_of(r)->header.swap };

	if (s && ev->type == RECORD_SAMPLE)
		find_callchain(s, ev->raw, ev->raw_size, chain.swap, &chain);
	return chain;
}

/* They follow the chain. */
struct sonde_bytes perfdata_raw(const struct reader *r, const struct sonde_event *ev)
{
	const struct evsel *s = (const struct evsel *)event_layout(ev);
	bool swap = file_of(r)->header.swap;
	struct sonde_bytes raw = { 0 };
	uint64_t at = s->layout.sample_bytes, nr;

	if (!(s->attr.sample_type & SAMPLE_RAW))
		return raw;
	if (s->attr.sample_type & SAMPLE_CALLCHAIN) {
		nr = ev->raw_size >= at + 8 ? load_u64(ev->raw + at, swap) : SONDE_NONE;
		at += nr > ev->raw_size / 8 ? ev->raw_size : 8 + 8 * nr;
	}
	if (ev->raw_size < at + 4)
		return raw;
	raw.len = load_u32(ev->raw + at, swap);
	if (raw.len > ev->raw_size - at - 4)
		return (struct sonde_bytes){ 0 };
	raw.p = ev->raw + at + 4;
	return raw;
}

int perfdata_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out)
{
	if (ev->type != RECORD_SAMPLE || !ev->evsel)
		return -SONDE_USAGE;
	return sample_decode(ev->raw, ev->raw_size, event_layout(ev)->attr, file_of(r)->header.swap, out);
}

/* Without the trailer. */
static struct record record_of(const struct reader *r, const struct sonde_event *ev)
{
	const struct evsel *s = (const struct evsel *)ev->evsel;
	size_t trailer = s ? s->layout.trailer_bytes : 0;
	struct record rec = { ev->raw, ev->raw_size, ev->type, ev->misc, file_of(r)->header.swap };

	if (ev->raw_size >= RECORD_HEADER_BYTES + trailer)
		rec.size -= trailer;
	return rec;
}

int perfdata_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out)
{
	struct record rec = record_of(r, ev);

	return record_body(&rec, body, out);
}

int perfdata_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx)
{
	struct record rec = record_of(r, ev);

	if (ev->type == RECORD_SAMPLE)
		return -SONDE_USAGE;
	return record_fields(&rec, ev->evsel ? ev->evsel->attr : NULL, fn, ctx);
}

/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/byte_order.h"

#include "perfdata/format/attr.h"
#include "perfdata/rewrite/feature_order.h"
#include "perfdata/rewrite/swapper.h"

/* ---- samples ---- */

static void swap_branch_flags(struct swapper *s)
{
	bool from_big = host_is_big_endian() != s->swap;
	uint8_t *p = swap_skip(s, 8);
	uint64_t v;

	if (!p)
		return;
	v = sample_branch_flags(load_u64(p, s->swap), from_big);
	v = s->swap ? v : bswap_64(v);
	memcpy(p, &v, sizeof(v));
}

static void swap_branches(struct swapper *s, const struct sonde_attr *attr)
{
	uint64_t nr = swap_u64(s);
	uint64_t rest = swap_left(s), counters = attr->branch_sample_type & BRANCH_COUNTERS ? 8 : 0;

	if (nr <= rest / 24 && rest > nr * (24 + counters))  /* hw_idx */
		swap_u64(s);
	for (uint64_t i = 0; i < nr && !s->failed; i++) {
		swap_u64(s);
		swap_u64(s);
		swap_branch_flags(s);
	}
	swap_u64s(s);
}

static void swap_pair(struct swapper *s)
{
	swap_u32(s);
	swap_u32(s);
}

static void swap_span(struct swapper *s, uint64_t bits, const struct sonde_attr *attr)
{
	uint64_t size;

	switch (bits) {
	case SAMPLE_TID:
	case SAMPLE_CPU:
		return swap_pair(s);
	case SAMPLE_RAW:
		swap_u32(s);
		return;
	case SAMPLE_AUX:
		swap_u64(s);
		return;
	case SAMPLE_STACK_USER:
		size = swap_u64(s);
		swap_skip(s, size);
		if (size)
			swap_u64(s);
		return;
	case SAMPLE_BRANCH_STACK:
		swap_branches(s, attr);
		return;
	default:
		swap_u64s(s);
	}
}

static const char *swap_sample(const struct evsel *source, uint8_t *p, size_t n, bool swap)
{
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	size_t nr;
	int r;

	if (!source)
		return "{sample|samples} of an event that is not described, all but their header";
	r = sample_fields(p, n, &source->attr, swap, fields, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct swapper s = { p + fields[i].at, p + fields[i].at + fields[i].bytes, swap, false };

		swap_span(&s, fields[i].bits, &source->attr);
	}
	if (r < 0)
		return "{sample that contradicts itself, from where it does|"
		       "samples that contradict themselves, from where they do}";
	return source->attr.sample_type & ~SAMPLE_KNOWN ? "{field|fields} of samples that {is|are} not known" : NULL;
}

/* ---- records ---- */

static void swap_fields(const struct swapper *record, const struct record_field *f, size_t base)
{
	for (; f && f->name; f++) {
		struct swapper s = *record;
		size_t bytes = record_number_bytes(f->kind);

		swap_skip(&s, base + f->at);
		if (bytes > 1)
			swap_number(&s, bytes);
	}
}

static void swap_array(const struct swapper *record, const struct record_array *a)
{
	size_t n = swap_left(record);

	for (size_t at = a->at; a->size && at < n; at += a->size)
		swap_fields(record, a->fields, at);
}

static void swap_header(struct swapper *s)
{
	swap_u32(s);
	swap_u16(s);
	swap_u16(s);
}

/* The body of a record whose fields record.c knows; @s is after its fixed part then. False for any other. */
static bool swap_body(struct swapper *s, const struct record_header *h, bool has_build_id)
{
	const struct record_type *type = h->type < RECORD_HEADER_MAX ? record_type_find(h->type) : NULL;
	const struct swapper record = *s;

	swap_header(s);
	if (!type || h->type == RECORD_COMPRESSED || h->type == RECORD_COMPRESSED2)
		return false;
	if (h->type == RECORD_HEADER_ATTR || h->type == RECORD_CPU_MAP || h->type == RECORD_SAMPLE)
		return true;  /* see swap_rest(), swap_sample() */
	swap_fields(&record, has_build_id ? type->with_id : type->fields, 0);
	swap_fields(&record, type->later, 0);
	swap_array(&record, &type->array);
	swap_skip(s, type->min_size - RECORD_HEADER_BYTES);
	return true;
}

/* A set of CPUs as it begins with its type. */
static void swap_cpus(struct swapper *s)
{
	uint16_t type = swap_u16(s), nr, long_size;

	switch (type) {
	case 0:
		nr = swap_u16(s);
		for (uint16_t i = 0; i < nr && !s->failed; i++)
			swap_u16(s);
		return;
	case 1:
		nr = swap_u16(s);
		long_size = swap_u16(s);
		swap_skip(s, long_size == 8 ? 4 : 0);
		for (uint16_t i = 0; i < nr && !s->failed; i++)
			swap_number(s, long_size == 8 ? 8 : 4);
		return;
	case 2:
		swap_skip(s, 2);
		swap_u16(s);
		swap_u16(s);
	}
}

static const char *swap_attr_record(struct swapper *s)
{
	uint32_t size = swap_left(s) >= ATTR_SIZE_VER0 ? load_u32(s->p + 4, s->swap) : 0;
	const char *what;
	uint8_t *p;

	size = size ? size : ATTR_SIZE_VER0;
	p = swap_skip(s, size);
	if (!p)
		return "attrs that are cut";
	what = swap_attr(p, size, s->swap);
	swap_u64s(s);
	return what;
}

/* Fields after those that swap_body() knows. */
static const char *swap_rest(struct swapper *s, uint8_t *record, uint32_t type, uint64_t first)
{
	uint32_t format;

	switch (type) {
	case RECORD_HEADER_ATTR:
		return swap_attr_record(s);
	case RECORD_CPU_MAP:
		swap_cpus(s);
		return NULL;
	case RECORD_EVENT_UPDATE:
		if (first == 1)  /* SCALE: a double */
			swap_u64(s);
		else if (first == 3)
			swap_cpus(s);
		return NULL;
	case RECORD_AUXTRACE_ERROR:
		format = swap_left(s) ? load_u32(record + 28, !s->swap) : 0;
		if (format >= 1)
			swap_u64(s);
		swap_skip(s, 64);
		if (format >= 2)
			swap_pair(s);
		return NULL;
	default:
		return NULL;
	}
}

/* A record whose event is not known has the trailer that all events have. */
static void swap_trailer(const struct evsel *source, uint8_t *p, size_t n, bool swap)
{
	static const uint64_t order[] = { SAMPLE_TID,       SAMPLE_TIME, SAMPLE_ID,
					  SAMPLE_STREAM_ID, SAMPLE_CPU,  SAMPLE_IDENTIFIER };
	struct swapper s = { p + n - source->layout.trailer_bytes, p + n, swap, false };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (!(source->attr.sample_type & order[i]))
			continue;
		else if (order[i] == SAMPLE_TID || order[i] == SAMPLE_CPU)
			swap_pair(&s);
		else
			swap_u64(&s);
}

static const struct evsel *source_of(struct evlist *evlist, const uint8_t *p, size_t n, uint32_t type,
					   bool swap)
{
	const struct evsel *s;
	uint64_t id;

	if (type >= RECORD_USER)
		return NULL;
	s = evlist_find(evlist, p, n, type == RECORD_SAMPLE, swap, &id);
	if (!s && type != RECORD_SAMPLE && evlist->reader->evsels.n)
		s = evlist_at(evlist, 0);
	return s;
}

const char *swap_record(struct evlist *evlist, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus)
{
	struct record_header h = record_header(p, swap);
	const struct evsel *source = source_of(evlist, p, n, h.type, swap);
	struct swapper s = { p, p + n, swap, false };
	const char *what = NULL;
	size_t trailer = source && h.type != RECORD_SAMPLE ? source->layout.trailer_bytes : 0;
	uint64_t first = n >= 16 ? load_u64(p + 8, swap) : 0;

	if (h.type == RECORD_SAMPLE)
		what = swap_sample(source, p, n, swap);
	if (trailer && n >= RECORD_HEADER_BYTES + trailer) {
		swap_trailer(source, p, n, swap);
		s.end -= trailer;
	}
	if (!swap_body(&s, &h, record_has_build_id(p, n, &h)))
		return "{record|records} of types that are not known, all but {its|their} header";
	if (h.type == RECORD_HEADER_FEATURE)
		return swap_feature(first < SONDE_FEAT_BITS ? (uint32_t)first : 0, s.p, swap_left(&s), swap, nr_cpus);
	return what ? what : swap_rest(&s, p, h.type, first);
}

/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/record_check.h"

#include <stdio.h>

#include "perfdata/format/attr.h"

/* One record under the eye. */
struct subject {
	const uint8_t *p;
	struct record_header h;
	bool swap;
	uint64_t at;
	size_t body_end;             /* without the trailer */
	const char *name;
	struct findings *f;
};

bool record_is_aligned(const struct record_header *h)
{
	return h->size % 8 == 0 || h->type == RECORD_HEADER_TRACING_DATA || h->type == RECORD_HEADER_BUILD_ID ||
	       h->type == RECORD_HEADER_FEATURE || h->type == RECORD_COMPRESSED ||
	       (h->type == RECORD_COMPRESSED2 && h->size == UINT16_MAX);
}

const char *record_name(uint32_t type, char text[RECORD_NAME_BYTES])
{
	const char *name = sonde_event_type_name(type);

	if (name)
		return name;
	snprintf(text, RECORD_NAME_BYTES, "type %u", type);
	return text;
}

uint64_t record_payload(const uint8_t *p, const struct record_header *h, bool swap)
{
	if (h->type == RECORD_HEADER_TRACING_DATA && h->size >= 12) {
		uint32_t size = load_u32(p + 8, swap);

		return size > h->size - 12U ? size : 0;
	}
	if (h->type == RECORD_AUXTRACE && h->size >= 16)
		return load_u64(p + 8, swap);
	return 0;
}

uint64_t record_time(struct evlist *evlist, const uint8_t *p, bool swap)
{
	struct record_header h = record_header(p, swap);
	bool sample = h.type == RECORD_SAMPLE;
	const struct evsel *s;
	const uint8_t *at;
	uint64_t id;

	if (h.type >= RECORD_USER)
		return SONDE_NONE;
	s = evlist_find(evlist, p, h.size, sample, swap, &id);
	at = s ? evsel_field(s, p, h.size, sample, AT_TIME) : NULL;
	return at ? load_u64(at, swap) : SONDE_NONE;
}

static uint64_t word(const struct subject *s, size_t at)
{
	return load_u64(s->p + at, s->swap);
}

static void check_text(const struct subject *s, size_t at)
{
	if (at && s->body_end >= at && !memchr(s->p + at, 0, s->body_end - at))
		found(s->f, CHECK_RECORD_STRING, s->at + at, s->name, "a NUL before the end of the record",
		      "%zu bytes without one", s->body_end - at);
}

static void check_array(const struct subject *s, const struct record_array *a)
{
	uint64_t count, room;

	if (!a->count_at || s->body_end < a->at)
		return;
	count = word(s, a->count_at);
	room = (s->body_end - a->at) / a->size;
	if (count > room)
		found(s->f, CHECK_RECORD_COUNT, s->at + a->count_at, s->name, "no more than fits into the record",
		      "%" PRIu64 " where %" PRIu64 " fit", count, room);
}

static void check_mapping(const struct subject *s)
{
	uint64_t addr = word(s, 16), len = word(s, 24);

	if (len && addr + (len - 1) < addr)
		found(s->f, CHECK_MAP_WRAPS, s->at + 16, s->name, "an end below 2^64",
		      "0x%" PRIx64 " and 0x%" PRIx64 " bytes", addr, len);
	if (s->h.type == RECORD_MMAP2 && s->h.misc & MISC_MMAP_BUILD_ID && s->p[40] > 20)
		found(s->f, CHECK_RECORD_COUNT, s->at + 40, s->name, "a build id of 20 bytes or less", "%u bytes",
		      s->p[40]);
}

static void check_text_poke(const struct subject *s)
{
	size_t need = 20 + (size_t)load_u16(s->p + 16, s->swap) + load_u16(s->p + 18, s->swap);

	if (need > s->body_end)
		found(s->f, CHECK_RECORD_COUNT, s->at + 16, s->name, "old and new bytes within the record",
		      "%zu bytes where %zu are", need, s->body_end);
}

static void check_cpu_map(const struct subject *s)
{
	uint16_t type = load_u16(s->p + 8, s->swap), nr = load_u16(s->p + 10, s->swap);
	uint64_t need = 16;

	if (type == 0)
		need = 12 + 2 * (uint64_t)nr;
	else if (type == 1 && s->body_end >= 14)
		need = load_u16(s->p + 12, s->swap) == 8 ? 18 + 8 * (uint64_t)nr : 14 + 4 * (uint64_t)nr;
	if (need > s->body_end)
		found(s->f, CHECK_RECORD_COUNT, s->at + 10, s->name, "CPUs within the record",
		      "%" PRIu64 " bytes where %zu are", need, s->body_end);
}

static void check_time_conv(const struct subject *s)
{
	if (word(s, 8) >= 64 || word(s, 16) == 0)
		found(s->f, CHECK_TIME_CONV, s->at + 8, s->name, "a shift below 64, a factor above 0",
		      "%" PRIu64 " and %" PRIu64, word(s, 8), word(s, 16));
}

/*
 * perf of 6.16 splits what is too long and gives pieces a data_size of no use: its readers go by the size of the
 * record.
 */
static void check_compressed2(const struct subject *s)
{
	uint64_t room = s->body_end - 16;

	if (word(s, 8) > room)
		found(s->f, CHECK_RECORD_DATA_SIZE, s->at + 8, s->name, "no more than fits into the record",
		      "%" PRIu64 " where %" PRIu64 " fit", word(s, 8), room);
}

static void check_attr(const struct subject *s)
{
	uint32_t size = load_u32(s->p + 12, s->swap);

	if (size == 0)
		size = ATTR_SIZE_VER0;
	if (size < ATTR_SIZE_VER0 || size > s->h.size - 8U || (s->h.size - 8U - size) % 8 != 0)
		found(s->f, CHECK_RECORD_ATTR, s->at + 12, s->name, "an attr of 64 bytes or more, then ids of 8",
		      "an attr of %u bytes in a record of %u", size, s->h.size);
}

static void check_id_index(const struct subject *s, struct evlist *evlist)
{
	uint64_t nr = word(s, 8);

	for (uint64_t i = 0; evlist->reader->evsels.n && i < nr && 16 + 32 * (i + 1) <= s->body_end; i++)
		if (!evlist_by_id(evlist, word(s, 16 + 32 * i)) && word(s, 16 + 32 * i))
			found(s->f, CHECK_ID_INDEX, s->at + 16 + 32 * i, s->name, "an id of an event", "%" PRIu64,
			      word(s, 16 + 32 * i));
}

static void check_read(const struct subject *s, const struct evsel *source)
{
	const uint8_t *p = s->p + 16;
	struct read_counts r;

	if (source && !read_decode(&p, s->p + s->body_end, source->attr.read_format, s->swap, &r))
		found(s->f, CHECK_RECORD_COUNT, s->at + 16, s->name, "the counts that read_format names", "%zu bytes",
		      s->body_end - 16);
}

static void check_sample(const struct subject *s, const struct evsel *source)
{
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	const struct sonde_attr *attr = &source->attr;
	size_t nr, end;

	if (sample_fields(s->p, s->h.size, attr, s->swap, fields, &nr) < 0) {
		found(s->f, CHECK_SAMPLE_CUT, s->at + (nr ? fields[nr - 1].at + fields[nr - 1].bytes : 8), s->name,
		      "all fields of sample_type within the record", "a record of %u bytes", s->h.size);
		return;
	}
	end = nr ? fields[nr - 1].at + fields[nr - 1].bytes : RECORD_HEADER_BYTES;
	if (end < s->h.size && !(attr->sample_type & ~SAMPLE_KNOWN))
		found(s->f, CHECK_SAMPLE_REST, s->at + end, s->name, "the end of the record", "%zu more bytes",
		      s->h.size - end);
}

/* Which event is it of, and so, where does its body end? */
static struct evsel *check_event(struct subject *s, struct evlist *evlist, const struct record_type *row)
{
	bool sample = s->h.type == RECORD_SAMPLE;
	struct evsel *source;
	size_t fixed = row ? row->min_size : RECORD_HEADER_BYTES;
	uint64_t id;

	source = evlist_find(evlist, s->p, s->h.size, sample, s->swap, &id);
	if (!source) {
		found(s->f, CHECK_RECORD_ID, s->at, s->name, "the id of an event", "%" PRIu64, id);
		return NULL;
	}
	if (!row || !row->trailer)
		return source;
	if (fixed + source->layout.trailer_bytes > s->h.size)
		found(s->f, CHECK_RECORD_TRAILER, s->at, s->name, "a fixed part and a trailer",
		      "%u bytes where %zu are needed", s->h.size, fixed + source->layout.trailer_bytes);
	else
		s->body_end -= source->layout.trailer_bytes;
	return source;
}

void record_check(struct evlist *evlist, const uint8_t *p, const struct record_header *h, bool swap, uint64_t at,
		  struct findings *f)
{
	struct subject s = { .p = p, .h = *h, .swap = swap, .at = at, .f = f };
	const struct record_type *row = record_type_find(s.h.type);
	struct evsel *source = NULL;
	char text[RECORD_NAME_BYTES];

	s.name = record_name(s.h.type, text);
	s.body_end = s.h.size;
	if (!record_is_aligned(h))
		found(f, CHECK_RECORD_ALIGN, at + 6, s.name, "a multiple of 8", "%u", s.h.size);
	if (!row) {
		found(f, CHECK_RECORD_TYPE, at, s.name, "a type that is known", "%u", s.h.type);
		return;
	}
	if (s.h.size < row->min_size) {
		found(f, CHECK_RECORD_SIZE, at + 6, s.name, "its fixed part", "%u bytes where %u are needed", s.h.size,
		      row->min_size);
		return;
	}
	if (s.h.type < RECORD_USER && (s.h.misc & MISC_CPUMODE_MASK) > 5)
		found(f, CHECK_RECORD_CPUMODE, at + 4, s.name, "0 to 5", "%u", s.h.misc & MISC_CPUMODE_MASK);
	if (s.h.type < RECORD_USER && evlist->reader->evsels.n)
		source = check_event(&s, evlist, row);
	check_text(&s, record_text_at(row));
	check_array(&s, &row->array);
	switch (s.h.type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		check_mapping(&s);
		break;
	case RECORD_READ:
		check_read(&s, source);
		break;
	case RECORD_SAMPLE:
		if (source)
			check_sample(&s, source);
		break;
	case RECORD_TEXT_POKE:
		check_text_poke(&s);
		break;
	case RECORD_CPU_MAP:
		check_cpu_map(&s);
		break;
	case RECORD_TIME_CONV:
		check_time_conv(&s);
		break;
	case RECORD_HEADER_ATTR:
		check_attr(&s);
		break;
	case RECORD_COMPRESSED2:
		check_compressed2(&s);
		break;
	case RECORD_ID_INDEX:
		check_id_index(&s, evlist);
		break;
	}
}

bool record_contradicts(struct evlist *evlist, const uint8_t *p, const struct record_header *h, bool swap)
{
	struct findings f = { 0 };
	const struct evsel *source;
	uint64_t id;

	/* nearly all records are samples, of which only the fields can lie */
	if (h->type == RECORD_SAMPLE && h->size % 8 == 0) {
		source = evlist->reader->evsels.n ? evlist_find(evlist, p, h->size, true, swap, &id) : NULL;
		return source && !sample_is_whole(p, h->size, &source->attr, &source->layout, swap);
	}
	record_check(evlist, p, h, swap, 0, &f);
	return !finds_no_error(&f);
}

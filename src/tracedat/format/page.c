/* SPDX-License-Identifier: MIT */
#include "tracedat/format/page.h"

#include "tracedat/format/encode.h"

#define COMMIT_BYTES 0x07ffffffu     /* bits 27-29 have no meaning */
#define COMMIT_STORED 0x40000000u
#define COMMIT_MISSED 0x80000000u

#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP 31

#define DELTA_BITS 27
#define STAMP_BITS 59                /* of an absolute time; those above are the ones of the time before */

static inline bool is_big_endian(bool swap)
{
	return host_is_big_endian() != swap;
}

static inline uint32_t type_of(uint32_t header, bool swap)
{
	return is_big_endian(swap) ? header >> DELTA_BITS : header & 31;
}

static inline uint32_t delta_of(uint32_t header, bool swap)
{
	return is_big_endian(swap) ? header & ((1u << DELTA_BITS) - 1) : header >> 5;
}

struct page_layout dat_page_layout_default(bool big_endian, uint8_t long_size)
{
	return (struct page_layout){ .swap = big_endian != host_is_big_endian(), .long_size = long_size,
				     .commit_at = 8, .data_at = 8u + long_size };
}

/* The number after `key` in [p, end); UINT32_MAX if there is none, or one that no page header has. */
static uint32_t number_behind(const char *p, const char *end, const char *key)
{
	const char *at = memmem(p, (size_t)(end - p), key, strlen(key));
	uint32_t v = 0;

	if (!at)
		return UINT32_MAX;
	for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
		if ((v = v * 10 + (uint32_t)(*at - '0')) > 1u << DELTA_BITS)
			return UINT32_MAX;
	return v;
}

/* offset and size of the field whose declaration ends in `name`, which has its semicolon */
static bool find_field(struct sonde_str text, const char *name, uint32_t *offset, uint32_t *size)
{
	const char *end = text.p + text.len, *at = text.len ? memmem(text.p, text.len, name, strlen(name)) : NULL;
	const char *line_end = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	if (!at)
		return false;
	if (!line_end)
		line_end = end;
	*offset = number_behind(at, line_end, "offset:");
	*size = number_behind(at, line_end, "size:");
	return *offset != UINT32_MAX && *size != UINT32_MAX;
}

bool dat_page_layout_parse(struct page_layout *l, bool big_endian, struct sonde_str text)
{
	uint32_t commit_at, long_size, data_at, size;

	if (!find_field(text, " commit;", &commit_at, &long_size) || !find_field(text, " data;", &data_at, &size))
		return false;
	if (commit_at < 8 || commit_at > 64 || (long_size != 4 && long_size != 8) || data_at < commit_at + long_size ||
	    data_at > 128)
		return false;
	*l = (struct page_layout){ .swap = big_endian != host_is_big_endian(),
				   .long_size = (uint8_t)long_size,
				   .commit_at = (uint8_t)commit_at,
				   .data_at = data_at };
	return true;
}

static uint64_t load_long(const struct page_layout *l, const uint8_t *p)
{
	return l->long_size == 8 ? load_u64(p, l->swap) : load_u32(p, l->swap);
}

/* Bytes of padding or of a long event after its u32 header, 0 if they cannot be right. */
static inline uint64_t long_bytes(const uint8_t *p, uint64_t left, bool swap)
{
	uint64_t len = left >= 8 ? load_u32(p + 4, swap) : 0;

	return len >= 4 && ALIGN_UP(len, 4) <= left - 4 ? len : 0;
}

/* The bits that a time stamp has no room for are those of the time before; when it wrapped in between, one more. */
static uint64_t absolute_time(uint64_t before, uint64_t stamp)
{
	uint64_t low = (UINT64_C(1) << STAMP_BITS) - 1, t = (before & ~low) | stamp;

	return t < before && before - t > low / 2 ? t + low + 1 : t;
}

/* Compiled once for each byte order. */
static inline __attribute__((always_inline)) int step(struct page *page, struct page_event *out, bool swap)
{
	const uint8_t *p = page->p, *end = page->end;
	uint64_t time = page->time, left, len;
	uint32_t header, type;
	int r = 0;

	while ((left = (uint64_t)(end - p)) >= 4) {
		header = load_u32(p, swap);
		type = type_of(header, swap);
		if (type - 1 < TYPE_PADDING - 1) {
			len = type * 4;
			if (len > left - 4)
				goto damaged;
			time += delta_of(header, swap);
			*out = (struct page_event){ p, p + 4, (uint32_t)len };
			p += 4 + len;
			r = 1;
			break;
		}
		if (type == 0) {
			len = long_bytes(p, left, swap);
			if (len == 0)
				goto damaged;
			time += delta_of(header, swap);
			*out = (struct page_event){ p, p + 8, (uint32_t)len - 4 };
			p += 4 + ALIGN_UP(len, 4);
			r = 1;
			break;
		}
		if (type == TYPE_PADDING) {
			if (delta_of(header, swap) == 0) {
				p = end;
				break;
			}
			len = long_bytes(p, left, swap);
			if (len == 0)
				goto damaged;
			time += delta_of(header, swap);
			p += 4 + ALIGN_UP(len, 4);
			continue;
		}
		if (left < 8)
			goto damaged;
		len = delta_of(header, swap) + ((uint64_t)load_u32(p + 4, swap) << DELTA_BITS);
		time = type == TYPE_TIME_EXTEND ? time + len : absolute_time(time, len);
		p += 8;
	}
	page->p = p;
	page->time = time;
	return r;
damaged:
	page->p = p;
	page->end = p;
	page->time = time;
	return -SONDE_CORRUPT;
}

int dat_page_next(struct page *page, struct page_event *out)
{
	return page->swap ? step(page, out, true) : step(page, out, false);
}

/*
 * A page that says that it holds @bytes of events, more than there is @room for: up to where no event can be. Noise is
 * no page: events fill that one, or zeros follow them.
 */
static int open_overfull(struct page *page, const struct page_layout *l, size_t bytes, size_t room, size_t there)
{
	bool counts_header = bytes - room <= l->data_at;
	const uint8_t *begin = page->p, *end = begin + (room < there ? room : there);
	struct page rest = *page;
	struct page_event ev = { begin, begin, 0 };

	rest.end = counts_header && bytes <= there ? begin + bytes : end;
	while (dat_page_next(&rest, &ev) > 0)
		;
	if (rest.p > end && ev.at >= end)  /* only an event that begins in the page reaches beyond it */
		rest.p = end;
	if (!counts_header && rest.p < end && !pages_are_empty(rest.p, (size_t)(end - rest.p)))
		return -SONDE_CORRUPT;
	page->end = rest.p;
	page->overfull = true;
	page->cut = there < room;
	return 0;
}

int dat_page_open(struct page *page, const struct page_layout *l, const uint8_t *p, size_t size, size_t page_size)
{
	uint32_t commit;
	size_t bytes, there, room;

	if (size < l->data_at || page_size < l->data_at)
		return -SONDE_CORRUPT;
	/* 64-bit kernels extend the sign of the flags, an int, over the upper half. */
	commit = (uint32_t)load_long(l, p + l->commit_at);
	bytes = commit & COMMIT_BYTES;
	room = page_size - l->data_at;
	there = size - l->data_at;
	*page = (struct page){ .time = load_u64(p, l->swap), .p = p + l->data_at, .swap = l->swap,
			       .missed = commit & COMMIT_MISSED, .nr_missed = SONDE_NONE };
	if (bytes > room)
		return open_overfull(page, l, bytes, room, there);
	page->cut = there < bytes;
	page->end = page->p + (page->cut ? there : bytes);
	if (page->missed && (commit & COMMIT_STORED) && !page->cut && there - bytes >= l->long_size)
		page->nr_missed = load_long(l, page->end);
	return 0;
}

struct page_event dat_page_event_at(const struct page_layout *l, const uint8_t *at)
{
	uint32_t type = type_of(load_u32(at, l->swap), l->swap);

	if (type)
		return (struct page_event){ at, at + 4, type * 4 };
	return (struct page_event){ at, at + 8, load_u32(at + 4, l->swap) - 4 };
}

int dat_page_measure(const struct page_layout *l, const uint8_t *p, size_t size, size_t page_size,
		     struct page_content *out)
{
	struct page_event ev;
	struct page page;
	const uint8_t *end;
	int r = dat_page_open(&page, l, p, size, page_size);

	if (r < 0)
		return r;
	end = page.end;
	*out = (struct page_content){ .first = page.time, .cut = page.cut,
				     .overfull = page.overfull, .missed = page.missed,
				     .stored = page.nr_missed != SONDE_NONE };
	while ((r = dat_page_next(&page, &ev)) > 0)
		out->events++;
	out->damaged = r < 0 && !page.cut;
	out->good = (uint32_t)((r < 0 ? page.p : end) - p) - l->data_at;
	out->last = page.time;
	return 0;
}

void dat_page_set_commit(const struct page_layout *l, uint8_t *p, uint32_t good, bool missed)
{
	uint32_t commit = good | (missed ? COMMIT_MISSED : 0);

	if (l->long_size == 8)
		store_u64(p + l->commit_at, commit, l->swap);
	else
		store_u32(p + l->commit_at, commit, l->swap);
}

/* The bytes of an event, or of what stands between two, with its header; what it does not use of them is cleared. */
static size_t clear_rounding(const struct page_layout *l, uint8_t *p, uint64_t left)
{
	uint32_t header = load_u32(p, l->swap), type = type_of(header, l->swap);
	uint64_t len;

	if (type == TYPE_PADDING && delta_of(header, l->swap) == 0) {
		memset(p + 4, 0, left - 4);
		return left;
	}
	if (type && type < TYPE_PADDING)
		return 4 + (size_t)type * 4;
	if (type > TYPE_PADDING)
		return 8;
	len = long_bytes(p, left, l->swap);
	if (len == 0)
		return left;
	if (type == TYPE_PADDING)
		memset(p + 8, 0, ALIGN_UP(len, 4) - 4);
	else
		memset(p + 4 + len, 0, ALIGN_UP(len, 4) - len);
	return 4 + (size_t)ALIGN_UP(len, 4);
}

void dat_page_clear_unused(const struct page_layout *l, uint8_t *p, size_t page_size)
{
	uint8_t *at = p + l->data_at, *end, *behind;
	struct page page;

	if (dat_page_open(&page, l, p, page_size, page_size) < 0)
		return;
	end = p + (page.end - p);
	while (end - at >= 4)
		at += clear_rounding(l, at, (uint64_t)(end - at));
	if (at < end)
		memset(at, 0, (size_t)(end - at));
	behind = end + (page.nr_missed != SONDE_NONE ? l->long_size : 0);
	memset(behind, 0, (size_t)(p + page_size - behind));
	memset(p + 8, 0, l->commit_at - 8);
	memset(p + l->commit_at + l->long_size, 0, l->data_at - l->commit_at - l->long_size);
}

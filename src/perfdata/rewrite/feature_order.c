/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/feature_order.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature_layout.h"
#include "perfdata/format/feature_topology.h"
#include "perfdata/rewrite/swapper.h"

static void swap_text(struct swapper *s)
{
	swap_skip(s, swap_u32(s));
}

static void swap_texts(struct swapper *s)
{
	for (uint32_t nr = swap_u32(s); nr && !s->failed; nr--)
		swap_text(s);
}

/* A field of a layout. Returns whether there are bytes with an order of their own. */
static bool swap_field(struct swapper *s, const struct layout_field *f)
{
	uint64_t n = swap_number(s, f->width), nr = 0;
	bool own = f->kind == LAYOUT_BYTES;

	if (f->kind == LAYOUT_TEXT || own)
		swap_skip(s, n);
	else if (f->kind == LAYOUT_BITS)
		nr = words_of_bits(n);
	else if (f->kind == LAYOUT_LIST)
		nr = n;
	for (; nr && !s->failed; nr--) {
		if (f->kind == LAYOUT_BITS)
			swap_u64(s);
		for (const struct layout_field *in = f->fields; in && in->kind != LAYOUT_END && !s->failed; in++)
			own |= swap_field(s, in);
	}
	return own;
}

/* Entries are records but for their type; in the oldest there is a longer build id where others have the pid. */
static bool swap_build_ids(struct swapper *s)
{
	bool old = false;

	for (size_t at = 0; swap_left(s) - at >= 36 && !old;) {
		uint16_t size = load_u16(s->p + at + 6, s->swap);

		old = swap_left(s) - at >= 48 && memcmp(s->p + at + 36, "nel.kallsyms", 12) == 0;
		if (size < 36 || size > swap_left(s) - at)
			break;
		at += size;
	}
	while (swap_left(s) >= 36) {
		struct swapper entry = *s;
		uint16_t size = load_u16(s->p + 6, s->swap);

		if (size < 36 || size > swap_left(s))
			break;
		swap_u32(&entry);
		swap_u16(&entry);
		swap_u16(&entry);
		if (!old)
			swap_u32(&entry);
		s->p += size;
	}
	return false;
}

static bool swap_event_desc(struct swapper *s)
{
	uint32_t nr = swap_u32(s), size = swap_u32(s);

	for (; nr && !s->failed; nr--) {
		uint8_t *p = size >= ATTR_SIZE_VER0 ? swap_skip(s, size) : NULL;
		uint32_t nr_ids;

		if (!p) {
			s->failed = true;
			return false;
		}
		swap_attr(p, size, s->swap);
		nr_ids = swap_u32(s);
		swap_text(s);
		while (nr_ids-- && !s->failed)
			swap_u64(s);
	}
	return false;
}

/* Cores, threads, then two numbers per CPU; dies, and one number per CPU. */
static bool swap_cpu_topology(struct swapper *s)
{
	swap_texts(s);
	swap_texts(s);
	if (!swap_left(s) || s->failed)
		return false;
	for (uint32_t i = 0; i < s->nr_cpus && !s->failed; i++) {
		swap_u32(s);
		swap_u32(s);
	}
	if (swap_left(s)) {
		swap_texts(s);
		while (swap_left(s) && !s->failed)
			swap_u32(s);
	}
	return false;
}

/* Without the count, which simpleperf has not before its entries. */
static bool swap_auxtrace(struct swapper *s)
{
	swap_u64s(s);
	return false;
}

/* The entries hold the kernel's own structures. */
static bool swap_bpf_prog_info(struct swapper *s)
{
	uint32_t nr = swap_u32(s);

	for (uint32_t i = 0; i < nr && !s->failed; i++) {
		uint32_t info = swap_u32(s), data = swap_u32(s);

		swap_u64(s);
		swap_skip(s, (uint64_t)info + data);
	}
	return nr;
}

static bool swap_cpu_domain_info(struct swapper *s)
{
	bool named = swap_u32(s) >= SCHEDSTAT_WITH_NAMES;

	swap_u32(s);
	while (swap_left(s) >= 8 && !s->failed) {
		swap_u32(s);
		for (uint32_t nr = swap_u32(s); nr && !s->failed; nr--) {
			swap_u32(s);
			if (named)
				swap_text(s);
			swap_text(s);
			swap_text(s);
		}
	}
	return false;
}

static const struct {
	uint32_t id;
	bool (*swap)(struct swapper *s);
} coded[] = {
	{ SONDE_FEAT_BUILD_ID, swap_build_ids },
	{ SONDE_FEAT_EVENT_DESC, swap_event_desc },
	{ SONDE_FEAT_CPU_TOPOLOGY, swap_cpu_topology },
	{ SONDE_FEAT_AUXTRACE, swap_auxtrace },
	{ SONDE_FEAT_BPF_PROG_INFO, swap_bpf_prog_info },
	{ SONDE_FEAT_CPU_DOMAIN_INFO, swap_cpu_domain_info },
};

const char *swap_feature(uint32_t id, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus)
{
	const struct feature *row = feature_find(id);
	struct swapper s = { .p = p, .end = p + n, .swap = swap, .nr_cpus = nr_cpus };
	bool own = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(coded) && coded[i].id != id; i++)
		;
	if (n == 0 || (row && row->any_order))
		return NULL;
	if (i < ARRAY_SIZE(coded))
		own = coded[i].swap(&s);
	else if (!row || !row->layout)
		return "header features that are not known";
	else
		for (const struct layout_field *f = row->layout; f->kind != LAYOUT_END && !s.failed; f++)
			own |= swap_field(&s, f);
	if (s.failed)
		return "header features that contradict themselves, from where they do";
	return own ? "descriptions of BPF programs, all but their sizes" : NULL;
}

/* SPDX-License-Identifier: MIT */
#include "export/report/memory_shares.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "export/report/column_rows.h"

enum { CLASS_WIDTH = 7 };

static uint64_t sum_of(const struct hist_entry *row, enum memory_part part, uint32_t class)
{
	return row->memory ? row->memory->of[part][class] : 0;
}

static bool has_class(const struct report_table *t, enum memory_part part, uint32_t class)
{
	return t->memory_classes[part] >> class & 1;
}

/* "  25.0%   0.0%": a figure has the width of a class. */
static void put_part(struct buf *b, const struct report_table *t, const struct hist_entry *row, enum memory_part part)
{
	bool first = true;
	double whole = t->hists.total ? (double)t->hists.total : 1;

	for (uint32_t i = 0; i < MEMORY_CLASSES; i++) {
		double share = 100.0 * (double)sum_of(row, part, i) / whole;

		if (!has_class(t, part, i))
			continue;
		if (t->x->report.separator)
			buf_printf(b, "%s%.1f%%", first ? "" : " ", share);
		else
			buf_printf(b, " %5.1f%%", share);
		first = false;
	}
}

static void put_part_json(struct json *j, const struct report_table *t, const struct hist_entry *row,
			  enum memory_part part, const char *member)
{
	const char *name;

	json_key(j, member);
	json_object(j);
	for (uint32_t i = 0; (name = memory_class_name(part, i)); i++)
		if (has_class(t, part, i))
			json_member_u64(j, name, sum_of(row, part, i));
	json_end(j);
}

#define SHARES(name, part, member) \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b) \
	{ \
		UNUSED(o), UNUSED(p), UNUSED(a), UNUSED(b); \
		return 0; \
	} \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_part(b, t, row, part); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_part_json(j, t, row, part, member); \
	}
SHARES(op, MEMORY_OP, "op_periods")
SHARES(cache, MEMORY_CACHE, "cache_periods")
SHARES(memory, MEMORY_KIND, "memory_periods")
SHARES(dtlb, MEMORY_DTLB, "dtlb_periods")

#define SHARE(name, help, heading) \
	{ WORDS(help, #name, NULL, SONDE_BY_DATA_SRC), .title = heading, FIGURE(name, 0), .put_json = name##_json }

/* By enum memory_part. */
static const struct column_type columns[] = {
	SHARE(op, "shares by operation: load, store, prefetch, ...", "Mem Op"),
	SHARE(cache, "shares by cache: L1, L2, ...", "Cache"),
	SHARE(memory, "shares by kind of memory: RAM, CXL, ...", "Memory"),
	SHARE(dtlb, "shares by answer of the TLB: L1-Hit, Miss, ...", "D-TLB"),
};

_Static_assert(ARRAY_SIZE(columns) == NR_MEMORY_PARTS, "each part has a column");

const struct column_type *memory_share_at(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}

static enum memory_part part_of(const struct column_type *type)
{
	bool is_one = type >= columns && type < columns + NR_MEMORY_PARTS;

	return is_one ? (enum memory_part)(type - columns) : NR_MEMORY_PARTS;
}

static void note_classes(struct report_table *t, const struct hists *hists)
{
	for (size_t i = 0; i < hists->memory.n; i++)
		for (size_t part = 0; part < NR_MEMORY_PARTS; part++)
			for (uint32_t class = 0; class < MEMORY_CLASSES; class++)
				if (hists->memory.at[i]->of[part][class])
					t->memory_classes[part] |= 1u << class;
}

/* The titles of the classes, as wide as their shares. */
static void make_title(struct report_table *t, enum memory_part part)
{
	struct buf title = BUF_MEMORY;

	for (uint32_t i = 0; i < MEMORY_CLASSES; i++) {
		if (!has_class(t, part, i))
			continue;
		if (!t->x->report.separator)
			buf_printf(&title, "%*s", CLASS_WIDTH, memory_class_name(part, i));
		else
			buf_printf(&title, "%s%s", title.n ? " " : "", memory_class_name(part, i));
	}
	snprintf(t->memory_titles[part], sizeof(t->memory_titles[part]), "%.*s", (int)title.n, title.n ? title.p : "");
	buf_free(&title);
}

void memory_shares_prepare(struct report_table *t)
{
	note_classes(t, &t->hists);
	for (size_t i = 0; i < t->nr_members; i++)
		note_classes(t, &t->members[i].hists);
	for (size_t part = 0; part < NR_MEMORY_PARTS; part++)
		make_title(t, (enum memory_part)part);
	for (size_t i = 0; i < t->nr_members; i++)
		memcpy(t->members[i].memory_classes, t->memory_classes, sizeof(t->memory_classes));
}

const char *memory_share_title(const struct report_table *t, const struct column_type *type)
{
	return part_of(type) == NR_MEMORY_PARTS ? NULL : t->memory_titles[part_of(type)];
}

uint32_t memory_share_width(const struct report_table *t, const struct column_type *type)
{
	return (uint32_t)__builtin_popcount(t->memory_classes[part_of(type)]) * CLASS_WIDTH;
}

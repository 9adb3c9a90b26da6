/* SPDX-License-Identifier: MIT */
#include "export/report/data_columns.h"

#include <string.h>

#include "base/bytes.h"
#include "export/report/table.h"

/* Of x86-64. */
enum { CACHE_LINE = 64 };

#ifdef HAVE_CAPSTONE
#define MISSING NULL
#else
#define MISSING "capstone"
#endif

static const struct sonde_profile_detail *detail_of(const struct sonde_profile *p, const struct sonde_profile_cell *c)
{
	return &p->details.list.at[c->detail];
}

static const struct sonde_data_type *type_of(const struct sonde_profile *p, const struct sonde_profile_cell *c)
{
	return sonde_profile_data_type_at(p, detail_of(p, c)->data_type);
}

static const struct sonde_data_type *type_of_row(const struct sonde_profile *p, const struct hist_entry *row)
{
	return type_of(p, &p->cells.at[row->cell]);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t type_of_cell(const struct hists_opts *o, const struct sonde_profile *p,
			     const struct sonde_profile_cell *c)
{
	(void)o;
	return (uintptr_t)type_of(p, c)->name;
}

static int type_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	(void)o;
	return strcmp(type_of_row(p, a)->name, type_of_row(p, b)->name);
}

static void type_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *name = type_of_row(t->x->profile, row)->name;

	buf_text(b, name, strlen(name));
}

static void type_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "type", type_of_row(t->x->profile, row)->name);
}

/* Types, members and offsets of one number are the same. */
static uint64_t typeoff_of_cell(const struct hists_opts *o, const struct sonde_profile *p,
				const struct sonde_profile_cell *c)
{
	(void)o;
	return detail_of(p, c)->data_type;
}

static int typeoff_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	int r = type_first(o, p, a, b);

	return r ? r : order(type_of_row(p, a)->offset, type_of_row(p, b)->offset);
}

/* As perf: an offset of 0 has no prefix. */
static void typeoff_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_data_type *type = type_of_row(t->x->profile, row);
	const char *member = type->member ? type->member : "no field";

	buf_text(b, type->name, strlen(type->name));
	if (!type->is_type)
		return;
	buf_printf(b, " +%#llx (", (unsigned long long)type->offset);
	buf_text(b, member, strlen(member));
	buf_char(b, ')');
}

static void typeoff_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_data_type *type = type_of_row(t->x->profile, row);

	type_json(j, t, row);
	json_member_u64(j, "type_offset", type->offset);
	json_member_text(j, "member", type->member);
}

static uint64_t cache_line(const struct sonde_data_type *type)
{
	return type->offset / CACHE_LINE;
}

static uint64_t typecln_of_cell(const struct hists_opts *o, const struct sonde_profile *p,
				const struct sonde_profile_cell *c)
{
	(void)o;
	return hash_two((uintptr_t)type_of(p, c)->name, cache_line(type_of(p, c)));
}

static int typecln_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	int r = type_first(o, p, a, b);

	return r ? r : order(cache_line(type_of_row(p, a)), cache_line(type_of_row(p, b)));
}

static void typecln_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	type_put(b, t, row);
	buf_str(b, ": cache-line ");
	buf_u64(b, cache_line(type_of_row(t->x->profile, row)));
}

static void typecln_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	type_json(j, t, row);
	json_member_u64(j, "cache_line", cache_line(type_of_row(t->x->profile, row)));
}

static const struct column_type columns[] = {
	{ .what = { "type", NULL, SONDE_BY_DATA_TYPE, MISSING, "the type of the data that the instruction touches" },
	  .title = "Data Type", .key.of_cell = type_of_cell,
	  .order = type_first, .put = type_put, .put_json = type_json },
	{ .what = { "typeoff", NULL, SONDE_BY_DATA_TYPE, MISSING,
		    "the type of the data, and the member at the offset" },
	  .title = "Data Type Offset", .key.of_cell = typeoff_of_cell,
	  .order = typeoff_first, .put = typeoff_put, .put_json = typeoff_json },
	{ .what = { "typecln", NULL, SONDE_BY_DATA_TYPE, MISSING, "the type of the data, and the cache line in it" },
	  .title = "Data Type Cacheline", .key.of_cell = typecln_of_cell,
	  .order = typecln_first, .put = typecln_put, .put_json = typecln_json },
};

const struct column_type *data_column_at(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}

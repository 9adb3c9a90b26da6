/* SPDX-License-Identifier: MIT */
/* column_rows.h - the forms in which tables of columns are written */
#ifndef EXPORT_REPORT_COLUMN_ROWS_H
#define EXPORT_REPORT_COLUMN_ROWS_H

#include "export/report/columns.h"
#include "export/report/table.h"

#define UNUSED(x) ((void)(x))
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * The functions of a key: its number for a sample or a function. Those of a column: the order of two rows, the text,
 * the JSON members.
 */
#define OF_CELL(name) \
	static uint64_t name##_of(const struct hists_opts *o, const struct sonde_profile *p, \
				  const struct sonde_profile_cell *c)
#define OF_FRAME(name) static uint64_t name##_of(const struct stack_tree *f, uint32_t frame)
#define FIRST(name) \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b)
#define PUT(name) static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
#define PUT_JSON(name) \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row)

static inline const struct sonde_profile_cell *cell_of(const struct sonde_profile *p, const struct hist_entry *row)
{
	return &p->cells.at[row->cell];
}

static inline const struct sonde_profile_detail *detail_of(const struct sonde_profile *p,
							    const struct sonde_profile_cell *c)
{
	return &p->details.list.at[c->detail];
}

/* A number of the sample: its key, and the order of its values. */
#define NUMBER_OF_SAMPLE(name, type, value) \
	static type name##_number(const struct sonde_profile *p, const struct sonde_profile_cell *c) \
	{ \
		UNUSED(p); \
		return (type)(value); \
	} \
	static type name##_of_row(const struct sonde_profile *p, const struct hist_entry *row) \
	{ \
		return name##_number(p, cell_of(p, row)); \
	} \
	OF_CELL(name) { UNUSED(o); return (uint64_t)name##_number(p, c); } \
	FIRST(name) { UNUSED(o); return ORDER(name##_of_row(p, a), name##_of_row(p, b)); }

#define WORDS(sentence, ...) .what = { __VA_ARGS__, .help = sentence }
#define FIGURE(name, chars) .figure = true, .right = true, .width = chars, .order = name##_first, .put = name##_put
#define OF_SAMPLES(name) .key.of_cell = name##_of, .order = name##_first, .put = name##_put, .put_json = name##_json
#define OF_FUNCTIONS(name) .key.of_frame = name##_of, .order = name##_first, .put = name##_put, .put_json = name##_json

#endif

/* SPDX-License-Identifier: MIT */
/* column_rows.h - the forms in which tables of columns are written */
#ifndef EXPORT_REPORT_COLUMN_ROWS_H
#define EXPORT_REPORT_COLUMN_ROWS_H

#include "export/report/columns.h"
#include "export/report/table.h"

#define UNUSED(x) ((void)(x))
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

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
	static uint64_t name##_of(const struct hists_opts *o, const struct sonde_profile *p, \
				  const struct sonde_profile_cell *c) \
	{ \
		UNUSED(o); \
		return (uint64_t)name##_number(p, c); \
	} \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b) \
	{ \
		UNUSED(o); \
		return ORDER(name##_of_row(p, a), name##_of_row(p, b)); \
	}

#define WORDS(sentence, ...) .what = { __VA_ARGS__, .help = sentence }
#define FIGURE(name, chars) .figure = true, .right = true, .width = chars, .order = name##_first, .put = name##_put

#endif

/* SPDX-License-Identifier: MIT */
#include "export/report/lines.h"

#include "export/report/text.h"

void report_put_row(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char separator[2] = { t->x->report.separator, 0 };

	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, *separator ? separator : "  ");
		report_put_cell(b, t, i, row);
	}
	buf_char(b, '\n');
}

void report_put_key(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (!t->columns[i].type->figure) {
			t->columns[i].type->put(b, t, row);
			buf_char(b, '\t');
		}
}

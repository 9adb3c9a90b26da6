/* SPDX-License-Identifier: MIT */
#include "table/table_csv.h"

#include <inttypes.h>

#include "base/safe_text.h"

static void put_text(struct buf *out, const char *text)
{
	if (!*text)
		return;
	buf_char(out, '"');
	if (csv_needs_apostrophe(*text))
		buf_char(out, '\'');
	buf_csv(out, text, strlen(text));
	buf_char(out, '"');
}

static void put_value(struct buf *out, const struct sonde_table_value *v)
{
	if (v->kind == SONDE_TABLE_TASK) {
		put_text(out, v->known ? v->text : "");
		if (v->known)
			buf_printf(out, ",%" PRId32 ",", v->tid);
		else
			buf_str(out, ",,");
		if (v->known && v->pid >= 0)
			buf_i64(out, v->pid);
	} else if (!v->known) {
		return;
	} else if (v->kind == SONDE_TABLE_TEXT) {
		put_text(out, v->text);
	} else if (v->kind == SONDE_TABLE_SHARE) {
		buf_printf(out, "%.6f", v->share);
	} else if (v->kind == SONDE_TABLE_REAL) {
		buf_printf(out, "%.6f", v->real);
	} else {
		buf_i64(out, v->number);
	}
}

void table_csv(struct sonde_table *t, struct buf *out)
{
	for (size_t i = 0; i < t->info.columns; i++) {
		const char *name = t->columns[i].name;

		buf_str(out, i ? "," : "");
		buf_str(out, name);
		if (t->columns[i].kind == SONDE_TABLE_TASK)
			buf_printf(out, ",%s_tid,%s_pid", name, name);
	}
	buf_str(out, "\n");
	for (size_t row = 0; row < t->info.rows && !out->failed; row++) {
		for (size_t i = 0; i < t->info.columns; i++) {
			buf_str(out, i ? "," : "");
			put_value(out, table_value(t, row, i));
		}
		buf_str(out, "\n");
	}
}

/* SPDX-License-Identifier: MIT */
#include "export/page/tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_text.h"
#include "export/page/page.h"
#include "table/table_text.h"

static void put_part(struct buf *b, const struct sonde_str *part)
{
	buf_put(b, part->p, part->len);
}

static void put_text(struct buf *b, const char *text)
{
	buf_xml(b, text, strlen(text));
}

static bool is_text(enum sonde_table_kind kind)
{
	return kind == SONDE_TABLE_TEXT || kind == SONDE_TABLE_TASK;
}

void table_page_begin(struct buf *b, const char *title, const char *note)
{
	put_part(b, &analysis_page[0]);
	put_part(b, &analysis_page_policy[0]);
	put_part(b, &analysis_page[1]);
	buf_str(b, "<h1>");
	put_text(b, title);
	buf_str(b, "</h1>\n");
	if (note) {
		buf_str(b, "<p>");
		put_text(b, note);
		buf_str(b, "</p>\n");
	}
}

void table_page_end(struct buf *b)
{
	put_part(b, &analysis_page[2]);
}

static void put_heads(struct buf *b, const struct sonde_table *t)
{
	buf_str(b, "<div class=\"rows\"><table><thead><tr>");
	for (size_t i = 0; i < t->info.columns; i++) {
		const struct sonde_table_column *c = &t->columns[i];

		buf_str(b, is_text(c->kind) ? "<th class=\"text\" title=\"" : "<th title=\"");
		put_text(b, c->help);
		buf_str(b, "\"><button type=\"button\">");
		put_text(b, *c->title ? c->title : c->name);
		buf_str(b, c->kind == SONDE_TABLE_DURATION ? " (ms)" : c->kind == SONDE_TABLE_TIME ? " (s)" :
			   c->kind == SONDE_TABLE_SHARE ? " %" : "");
		buf_str(b, "</button></th>");
	}
	buf_str(b, "</tr></thead>\n<tbody>\n");
}

/* The number by which the column is ordered, and what is shown. */
static void put_number(struct buf *b, const struct sonde_table_value *v)
{
	if (v->kind == SONDE_TABLE_SHARE) {
		buf_printf(b, "<td data-v=\"%.9g\">%.2f", v->share, v->share);
		return;
	}
	if (v->kind == SONDE_TABLE_REAL) {
		buf_printf(b, "<td data-v=\"%.17g\">%.6g", v->real, v->real);
		return;
	}
	buf_printf(b, "<td data-v=\"%" PRId64 "\">", v->number);
	if (v->kind == SONDE_TABLE_DURATION)
		text_duration(b, (uint64_t)v->number, 0);
	else if (v->kind == SONDE_TABLE_TIME)
		text_time(b, (uint64_t)v->number, 0);
	else
		buf_i64(b, v->number);
}

static void put_value(struct buf *b, const struct sonde_table_value *v)
{
	struct buf task = BUF_MEMORY;

	if (!v->known) {
		buf_str(b, is_text(v->kind) ? "<td class=\"text\">" : "<td>");
	} else if (v->kind == SONDE_TABLE_TASK) {
		text_task(&task, v);
		buf_take_failure(b, &task);
		buf_str(b, "<td class=\"text\">");
		buf_xml(b, task.p, task.n);
		buf_free(&task);
	} else if (v->kind == SONDE_TABLE_TEXT) {
		buf_str(b, "<td class=\"text\">");
		put_text(b, v->text);
	} else {
		put_number(b, v);
	}
	buf_str(b, "</td>");
}

void table_page_add(struct buf *b, struct sonde_table *t)
{
	const size_t rows = t->info.rows < TABLES_ROWS_MOST ? t->info.rows : TABLES_ROWS_MOST;

	buf_str(b, "<section><h2>");
	put_text(b, t->info.title);
	buf_str(b, "</h2>\n");
	if (rows < t->info.rows)
		buf_printf(b, "<p>The first %zu of %zu rows</p>\n", rows, t->info.rows);
	buf_str(b, "<input type=\"search\" placeholder=\"Rows with these words\" aria-label=\"Search the rows\">\n");
	put_heads(b, t);
	for (size_t row = 0; row < rows && !b->failed; row++) {
		buf_str(b, "<tr>");
		for (size_t i = 0; i < t->info.columns; i++)
			put_value(b, table_value(t, row, i));
		buf_str(b, "</tr>\n");
	}
	buf_str(b, "</tbody></table></div></section>\n");
}

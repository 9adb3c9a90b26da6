/* SPDX-License-Identifier: MIT */
#include "export/report/trace_columns.h"

#include <string.h>

#include "base/bytes.h"
#include "export/report/column_rows.h"

static const char *value_of(const struct sonde_profile *p, const struct hist_entry *row, size_t column)
{
	return trace_fields_value(&p->trace_fields, detail_of(p, cell_of(p, row))->trace_fields, column);
}

/* Equal values are one text, whose pointer is the key. */
static uint64_t key_of(const struct sonde_profile *p, const struct sonde_profile_cell *c, size_t column)
{
	return (uintptr_t)trace_fields_value(&p->trace_fields, detail_of(p, c)->trace_fields, column);
}

/* The largest number is the first, as mostly with perf, which compares bytes. */
static int order_of(const struct sonde_profile *p, const struct hist_entry *a, const struct hist_entry *b,
		    size_t column)
{
	const char *x = value_of(p, a, column), *y = value_of(p, b, column);

	return x && y ? strverscmp(y, x) : ORDER(!x, !y);
}

static void put_value(struct buf *b, const struct report_table *t, const struct hist_entry *row, size_t column)
{
	const char *value = value_of(t->x->profile, row, column);

	value = value ? value : "N/A";
	buf_text(b, value, strlen(value));
}

static const struct trace_column *column_of(const struct report_table *t, size_t i)
{
	const struct trace_columns *c = trace_fields_columns(&t->x->profile->trace_fields, t->event);

	return c && i < c->n ? &c->at[i] : NULL;
}

static void put_value_json(struct json *j, const struct report_table *t, const struct hist_entry *row, size_t column)
{
	struct buf name = BUF_MEMORY;

	buf_str(&name, "trace.");
	buf_text(&name, column_of(t, column)->field, strlen(column_of(t, column)->field));
	if (column_of(t, column)->raw)
		buf_str(&name, "/raw");
	buf_char(&name, '\0');
	json_member_text(j, name.failed ? "trace." : name.p, value_of(t->x->profile, row, column));
	buf_free(&name);
}

/* The functions of a key are not told which one it is, so each place has its own. */
#define PLACE(n) \
	static uint64_t field##n##_of(const struct hists_opts *o, const struct sonde_profile *p, \
				      const struct sonde_profile_cell *c) \
	{ \
		UNUSED(o); \
		return key_of(p, c, n); \
	} \
	static int field##n##_first(const struct hists_opts *o, const struct sonde_profile *p, \
				    const struct hist_entry *a, const struct hist_entry *b) \
	{ \
		UNUSED(o); \
		return order_of(p, a, b, n); \
	} \
	static void field##n##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_value(b, t, row, n); \
	} \
	static void field##n##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_value_json(j, t, row, n); \
	}
#define ROW(n) \
	{ .what.by = SONDE_BY_TRACE_FIELDS, \
	  .key.of_cell = field##n##_of, .order = field##n##_first, .put = field##n##_put, \
	  .put_json = field##n##_json, .right = true }
#define EACH_PLACE(X, separator) \
	X(0) separator X(1) separator X(2) separator X(3) separator X(4) separator X(5) separator X(6) separator \
	X(7) separator X(8) separator X(9) separator X(10) separator X(11) separator X(12) separator X(13) separator \
	X(14) separator X(15) separator X(16) separator X(17) separator X(18) separator X(19)
#define COMMA ,

EACH_PLACE(PLACE, )

static const struct column_type places[] = { EACH_PLACE(ROW, COMMA) };

_Static_assert(ARRAY_SIZE(places) == TRACE_COLUMNS_MAX, "each column has a place");

const struct column_type *trace_column_at(const struct report_table *t, size_t i)
{
	return column_of(t, i) ? &places[i] : NULL;
}

bool trace_column_is_named(const struct report_table *t, size_t i, const char *word, size_t len)
{
	const char *own = t->x->profile->trace_fields.words.at[column_of(t, i)->word];

	return strlen(own) == len && memcmp(own, word, len) == 0;
}

const char *trace_column_title(const struct report_table *t, const struct column_type *type)
{
	return column_of(t, (size_t)(type - places))->field;
}

uint32_t trace_column_width(const struct report_table *t, const struct column_type *type)
{
	return column_of(t, (size_t)(type - places))->width;
}

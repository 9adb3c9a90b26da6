/* SPDX-License-Identifier: MIT */
#include "export/firefox/marker_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tracefmt/print_fields.h"

#define LARGEST_EXACT (INT64_C(1) << 53)    /* all integers up to here are doubles, which readers have */

enum marker_kind { INTEGER, ADDRESS, TEXT };

static const char *const formats[] = { [INTEGER] = "integer", [ADDRESS] = "string", [TEXT] = "unique-string" };

/* A number of type long is mostly an address or a mask. */
static enum marker_kind kind_of(const struct trace_column *c)
{
	if (c->flags & SONDE_TRACEPOINT_ARRAY)
		return TEXT;
	return c->flags & (SONDE_TRACEPOINT_POINTER | SONDE_TRACEPOINT_LONG) ? ADDRESS : INTEGER;
}

/* Members that every marker has keep their names; a field of such a name gets another one. */
static const char *key_of(const char *field)
{
	static const char *const taken[][2] = { { "type", "type_" }, { "cause", "cause_" }, { "cpu", "cpu_" } };

	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (strcmp(field, taken[i][0]) == 0)
			return taken[i][1];
	return field;
}

static void put_field_schema(struct json *j, const char *key, const char *label, const char *format)
{
	json_object(j);
	json_member_text(j, "key", key);
	json_member_text(j, "label", label);
	json_member_text(j, "format", format);
	json_end(j);
}

void firefox_marker_schema(struct json *j, const struct sonde_profile *p, uint32_t event)
{
	const struct trace_columns *columns = trace_fields_columns(&p->trace_fields, event);

	json_object(j);
	json_member_text(j, "name", p->events.at[event].name);
	json_key(j, "display");
	json_array(j);
	json_text(j, "marker-chart");
	json_text(j, "marker-table");
	json_text(j, "timeline-overview");
	json_end(j);
	json_key(j, "fields");
	json_array(j);
	put_field_schema(j, "cpu", "CPU", formats[INTEGER]);
	for (size_t i = 0; columns && i < columns->n; i++) {
		const struct trace_column *c = &columns->at[i];

		put_field_schema(j, key_of(c->field), c->field, formats[kind_of(c)]);
	}
	json_end(j);
	json_end(j);
}

/* Integers that a double does not have stay texts. */
static void put_integer(struct json *j, const char *text)
{
	int64_t number = strtoll(text, NULL, 10);

	if (number >= -LARGEST_EXACT && number <= LARGEST_EXACT)
		json_i64(j, number);
	else
		json_text(j, text);
}

int firefox_marker_fields(struct json *j, struct firefox_tables *t, const struct sonde_profile_sample *s)
{
	const struct sonde_profile *p = t->p;
	const struct sonde_profile_cell *cell = &p->cells.at[s->cell];
	const struct trace_columns *columns = trace_fields_columns(&p->trace_fields, cell->event);
	uint64_t values = p->details.list.at[cell->detail].trace_fields;

	if (s->cpu != UINT32_MAX)
		json_member_u64(j, "cpu", s->cpu);
	for (size_t i = 0; columns && i < columns->n; i++) {
		const struct trace_column *c = &columns->at[i];
		const char *text = trace_fields_value(&p->trace_fields, values, i);
		uint32_t string;

		if (!text || strcmp(text, TRACEFMT_CUT) == 0)
			continue;
		json_key_text(j, key_of(c->field));
		switch (kind_of(c)) {
		case INTEGER:
			put_integer(j, text);
			break;
		case ADDRESS:
			json_text(j, text);
			break;
		case TEXT:
			string = firefox_tables_string(t, text);
			if (string == UINT32_MAX)
				return -SONDE_NOMEM;
			json_u64(j, string);
			break;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "analyze/tables/trace_fields.h"

#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tracefmt/field.h"
#include "tracefmt/print.h"
#include "tracefmt/print_fields.h"

#define RAW "/raw"

int trace_fields_add(struct trace_fields *t, const char *word)
{
	uint32_t name = strpool_add(&t->names, word, strlen(word));

	if (name == UINT32_MAX || vec_push(&t->words, strpool_get(&t->names, name)) < 0)
		return -SONDE_NOMEM;
	return vec_push(&t->used, false);
}

int trace_fields_init(struct trace_fields *t, const char *const *words, size_t n, bool raw)
{
	int r = 0;

	t->raw = raw;
	t->record = t->value = (struct buf)BUF_MEMORY;
	t->values.width = TRACE_COLUMNS_MAX;
	for (size_t i = 0; i < n && r == 0; i++)
		r = trace_fields_add(t, words[i]);
	return r;
}

void trace_fields_free(struct trace_fields *t)
{
	vec_free(&t->words);
	vec_free(&t->used);
	vec_free(&t->events);
	strpool_free(&t->names);
	strpool_free(&t->texts);
	key_set_free(&t->values);
	buf_free(&t->record);
	buf_free(&t->value);
}

/* ---- columns ---- */

struct field_word {
	struct sonde_str event, field;   /* no event: any */
	bool raw;
};

static bool is_text(struct sonde_str s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

static struct field_word read_word(const char *word)
{
	struct field_word w = { .field = { word, strlen(word) } };
	const char *dot;

	if (w.field.len > strlen(RAW) && strcmp(word + w.field.len - strlen(RAW), RAW) == 0) {
		w.raw = true;
		w.field.len -= strlen(RAW);
	}
	dot = memchr(word, '.', w.field.len);
	if (dot) {
		w.event = (struct sonde_str){ word, (size_t)(dot - word) };
		str_skip(&w.field, w.event.len + 1);
	} else if (is_text(w.field, "trace_fields")) {
		w.field = (struct sonde_str){ "*", 1 };
	}
	return w;
}

/* A name with its system is whole. */
static bool names_event(struct sonde_str name, const struct tracefmt_event *format)
{
	if (name.len && memchr(name.p, ':', name.len))
		return is_text(name, format->full_name);
	return name.len == 0 || memmem(format->full_name, strlen(format->full_name), name.p, name.len);
}

static bool names_field(struct sonde_str name, const struct sonde_tracepoint_field *f)
{
	return is_text(name, "*") ? !(f->flags & SONDE_TRACEPOINT_COMMON) : is_text(name, f->name);
}

/* Room for the name, and for a text of the field's size or a number in hexadecimal, as perf. */
static uint32_t least_width(const struct sonde_tracepoint_field *f)
{
	uint64_t text = f->flags & SONDE_TRACEPOINT_STRING ? f->size : (uint64_t)f->size * 2 + 2;
	uint64_t name = strlen(f->name), width = text > name ? text : name;

	return width < UINT8_MAX ? (uint32_t)width : UINT8_MAX;
}

static int add_column(struct trace_fields *t, struct trace_columns *c, const struct sonde_tracepoint_field *f,
		      uint32_t word, bool raw)
{
	uint32_t name;

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->at[i].field, f->name) == 0 && c->at[i].raw == raw)
			return 0;
	if (c->n == TRACE_COLUMNS_MAX) {
		c->left_out = true;
		return 0;
	}
	name = strpool_add(&t->names, f->name, strlen(f->name));
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	c->at[c->n++] = (struct trace_column){ strpool_get(&t->names, name), word, least_width(f), raw,
						  f->flags };
	return 0;
}

static int add_columns(struct trace_fields *t, struct trace_columns *c, uint32_t word,
		       const struct tracefmt_event *format)
{
	const struct field_word w = read_word(t->words.at[word]);
	int r = 0;

	for (size_t i = 0; names_event(w.event, format) && i < format->nr_fields && r == 0; i++)
		if (names_field(w.field, &format->fields[i])) {
			t->used.at[word] = true;
			r = add_column(t, c, &format->fields[i], word, w.raw || t->raw);
		}
	return r;
}

int trace_fields_note(struct trace_fields *t, uint32_t event, const struct tracefmt_event *format)
{
	int r = 0;

	while (t->events.n <= event)
		if (vec_push(&t->events, ((struct trace_columns){ 0 })) < 0)
			return -SONDE_NOMEM;
	if (t->events.at[event].known)
		return 0;
	t->events.at[event].known = true;
	for (uint32_t i = 0; i < t->words.n && r == 0; i++)
		r = add_columns(t, &t->events.at[event], i, format);
	return r;
}

const struct trace_columns *trace_fields_columns(const struct trace_fields *t, uint32_t event)
{
	return event < t->events.n ? &t->events.at[event] : NULL;
}

bool trace_fields_has(const struct trace_fields *t, const char *word, size_t len)
{
	for (size_t i = 0; i < t->words.n; i++)
		if (t->used.at[i] && is_text((struct sonde_str){ word, len }, t->words.at[i]))
			return true;
	return false;
}

const char *trace_fields_unknown(const struct trace_fields *t)
{
	for (size_t i = 0; i < t->words.n; i++)
		if (!trace_fields_has(t, t->words.at[i], strlen(t->words.at[i])))
			return t->words.at[i];
	return NULL;
}

/* ---- values ---- */

/* The value behind "name=" in the text of a record, as perf: it ends at a blank. */
static bool find_value(struct sonde_str text, const char *name, struct sonde_str *value)
{
	size_t n = strlen(name);

	while (text.len) {
		*value = str_take(&text, ' ');
		if (value->len > n && memcmp(value->p, name, n) == 0 && value->p[n] == '=') {
			str_skip(value, n + 1);
			return true;
		}
	}
	return false;
}

/* The number of a value's text, and 1; 0: there is none. -SONDE_NOMEM */
static int take_value(struct trace_fields *t, const struct trace_column *c, const struct tracefmt_event *format,
		      struct sonde_bytes raw, uint64_t *out)
{
	const struct sonde_tracepoint_field *f = tracefmt_field(format, c->field);
	struct sonde_str value;
	uint32_t number;

	*out = 0;
	if (!f)
		return 0;
	if (c->raw || !find_value((struct sonde_str){ t->record.p, t->record.n }, c->field, &value)) {
		t->value.n = 0;
		tracefmt_print_field(format, f, raw, &t->value);
		value = (struct sonde_str){ t->value.p, t->value.n };
	}
	number = t->value.failed ? UINT32_MAX : strpool_add(&t->texts, value.len ? value.p : "", value.len);
	*out = (uint64_t)number + 1;
	return number == UINT32_MAX ? -SONDE_NOMEM : 0;
}

uint32_t trace_fields_number(struct trace_fields *t, uint32_t event, const struct tracefmt_event *format,
			     struct sonde_bytes raw)
{
	uint64_t values[TRACE_COLUMNS_MAX] = { 0 };
	const struct trace_columns *c;
	uint32_t number;

	if (trace_fields_note(t, event, format) < 0)
		return 0;
	c = &t->events.at[event];
	t->record.n = 0;
	if (c->n && !t->raw)
		tracefmt_print(format, raw, &(struct tracefmt_context){ 0 }, &t->record);
	if (t->record.failed)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		if (take_value(t, &c->at[i], format, raw, &values[i]) < 0)
			return 0;
	number = key_set_number(&t->values, values);
	return number == HASH_INDEX_NONE ? 0 : number + 1;
}

const char *trace_fields_value(const struct trace_fields *t, uint64_t number, size_t column)
{
	uint64_t text = number ? t->values.values.at[(number - 1) * t->values.width + column] : 0;

	return text ? strpool_get(&t->texts, (uint32_t)text - 1) : NULL;
}

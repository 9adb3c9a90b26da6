/* SPDX-License-Identifier: MIT */
/* filter.c - which events a filter is about, and what its expression comes to */
#include "tracefmt/filter/filter.h"

#include <stdlib.h>

#include "base/str.h"
#include "tracefmt/field.h"
#include "tracefmt/filter/node.h"
#include "tracefmt/operator.h"

#define TEXT_MAX 4096  /* of a field, for regular expressions */

/* The text before the colon, between two commas. */
struct filter_pattern {
	regex_t *system, *event;     /* either can be NULL; alone it is `event`, of an event or of a system */
};

struct tracefmt_filter {
	VEC(struct filter_pattern) patterns;
	struct filter_tree tree;
};

/* ---- events ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static int whole_regex(regex_t **out, const char *p, size_t n, struct sonde_error *err)
{
	struct buf text = BUF_MEMORY;
	int r;

	while (n && is_blank(*p))
		p++, n--;
	while (n && is_blank(p[n - 1]))
		n--;
	if (!n)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the name of an event is missing");
	buf_str(&text, "^(");
	buf_put(&text, p, n);
	buf_put(&text, ")$", 3);
	r = text.failed ? err_nomem(err) : filter_regex(out, text.p, err);
	buf_free(&text);
	return r;
}

static int add_pattern(struct tracefmt_filter *f, const char *p, size_t n, struct sonde_error *err)
{
	const char *slash = memchr(p, '/', n);
	struct filter_pattern pattern = { 0 };
	int r = 0;

	if (slash)
		r = whole_regex(&pattern.system, p, (size_t)(slash - p), err);
	if (r == 0)
		r = slash ? whole_regex(&pattern.event, slash + 1, n - (size_t)(slash - p) - 1, err) :
			    whole_regex(&pattern.event, p, n, err);
	if (r == 0 && vec_push(&f->patterns, pattern) == 0)
		return 0;
	filter_regex_free(pattern.system);
	filter_regex_free(pattern.event);
	return r < 0 ? r : err_nomem(err);
}

static int add_patterns(struct tracefmt_filter *f, const char *text, size_t n, struct sonde_error *err)
{
	const char *end = text + n, *comma;
	int r = 0;

	for (; r == 0; text = comma + 1) {
		comma = memchr(text, ',', (size_t)(end - text));
		r = add_pattern(f, text, (size_t)((comma ? comma : end) - text), err);
		if (!comma)
			break;
	}
	return r;
}

int tracefmt_filter_new(struct tracefmt_filter **out, const char *text, struct sonde_error *err)
{
	struct tracefmt_filter *f = calloc(1, sizeof(*f));
	const char *colon = strchr(text, ':');
	int r;

	if (!f)
		return err_nomem(err);
	f->tree.root = FILTER_NONE;
	r = add_patterns(f, text, colon ? (size_t)(colon - text) : strlen(text), err);
	if (r == 0 && colon)
		r = filter_parse(&f->tree, colon + 1, err);
	if (r < 0) {
		tracefmt_filter_free(f);
		return r;
	}
	*out = f;
	return 0;
}

void tracefmt_filter_free(struct tracefmt_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->patterns.n; i++) {
		filter_regex_free(f->patterns.at[i].system);
		filter_regex_free(f->patterns.at[i].event);
	}
	vec_free(&f->patterns);
	filter_tree_free(&f->tree);
	free(f);
}

static bool fits(const regex_t *r, const char *name)
{
	return regexec(r, name, 0, NULL, 0) == 0;
}

bool tracefmt_filter_names(const struct tracefmt_filter *f, const struct tracefmt_event *e)
{
	for (size_t i = 0; i < f->patterns.n; i++) {
		const struct filter_pattern *p = &f->patterns.at[i];

		if (p->system ? fits(p->system, e->system) && fits(p->event, e->name) :
				fits(p->event, e->name) || fits(p->event, e->system))
			return true;
	}
	return false;
}

/* ---- records ---- */

struct filtered_moment {
	struct tracefmt_filter *filter;
	const struct tracefmt_candidate *record;
};

struct value {
	enum { VALUE_MISSING, VALUE_NUMBER, VALUE_STRING } kind;
	uint64_t number;
	bool negative;               /* the number is one below 0 */
	struct sonde_str text;
};

static struct value number(uint64_t v, bool is_signed)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = v, .negative = is_signed && (int64_t)v < 0 };
}

static struct value string(const char *s)
{
	return (struct value){ .kind = VALUE_STRING, .text = { s, strlen(s) } };
}

static struct value field_value(const struct filtered_moment *m, struct filter_node *n)
{
	struct value v = { VALUE_MISSING };

	if (n->of != m->record->event) {
		n->of = m->record->event;
		n->field = tracefmt_field(m->record->event, n->text);
	}
	if (!n->field && strcmp(n->text, "comm") == 0)
		return string(m->record->comm);  /* as the kernel has it, where the event has no such field */
	if (!n->field && strcmp(n->text, "cpu") == 0)
		return number((uint64_t)m->record->cpu, true);
	if (!n->field)
		return v;
	if (n->field->flags & SONDE_TRACEPOINT_STRING)
		v.kind = tracefmt_string(m->record->event, n->field, m->record->raw, &v.text) ? VALUE_STRING :
												VALUE_MISSING;
	else if (tracefmt_u64(m->record->event, n->field, m->record->raw, &v.number))
		v = number(v.number, n->field->flags & SONDE_TRACEPOINT_SIGNED);
	return v;
}

static bool is_true(struct value v)
{
	return v.kind == VALUE_NUMBER ? v.number != 0 : v.kind == VALUE_STRING && v.text.len;
}

/* * any text, ? any character, [a-z] one of these, [!a-z] or [^a-z] none of these. */
static bool in_set(const char **pattern, char c)
{
	const char *p = *pattern + 1, *first;
	bool negated = *p == '!' || *p == '^', found = false;

	p += negated;
	for (first = p; *p && (*p != ']' || p == first); p++)
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found |= c >= p[0] && c <= p[2];
			p += 2;
		} else {
			found |= c == *p;
		}
	*pattern = *p ? p + 1 : p;
	return found != negated;
}

/* A step of pattern and text; the pattern is not at a '*'. */
static bool step(const char **pattern, char c)
{
	const char *p = *pattern;

	if (*p == '[' && strchr(p, ']'))
		return in_set(pattern, c);
	if (*p == '\\' && p[1])
		p++;
	else if (*p == '?')
		c = *p;
	*pattern = p + 1;
	return *p && *p == c;
}

/* In steps of the pattern's length times that of the text. */
static bool is_like(struct sonde_str text, const char *pattern)
{
	const char *p = pattern, *star = NULL;
	size_t i = 0, from = 0;

	while (i < text.len) {
		if (*p == '*') {
			star = ++p;
			from = i;
		} else if (*p && step(&p, text.p[i])) {
			i++;
		} else if (star) {
			p = star;
			i = ++from;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

static bool matches(const regex_t *r, struct sonde_str text)
{
	char copy[TEXT_MAX];
	size_t n = text.len < sizeof(copy) - 1 ? text.len : sizeof(copy) - 1;

	memcpy(copy, text.p, n);
	copy[n] = '\0';
	return fits(r, copy);
}

/* An address as the name of the function that it is in. */
static struct value as_text(const struct filtered_moment *m, struct value v)
{
	uint64_t offset;

	if (v.kind == VALUE_NUMBER)
		v.kind = tracefmt_symbol(m->record->event->set, m->record->boot, v.number, &v.text, &offset) ?
			VALUE_STRING :
			VALUE_MISSING;
	return v;
}

static bool compare_texts(const struct filter_node *n, struct sonde_str a, struct sonde_str b)
{
	bool same = str_equal(a, b);
	int way = str_compare(a, b);

	if (n->op == FILTER_LIKE)
		return is_like(a, n->text);
	if (n->op == FILTER_MATCHES || n->op == FILTER_MATCHES_NOT)
		return matches(n->regex, a) == (n->op == FILTER_MATCHES);
	switch (n->op) {
	case OPERATOR('=', '=', 0):
		return same;
	case OPERATOR('!', '=', 0):
		return !same;
	case OPERATOR('<', 0, 0):
		return way < 0;
	case OPERATOR('<', '=', 0):
		return way <= 0;
	case OPERATOR('>', 0, 0):
		return way > 0;
	default:
		return way >= 0;
	}
}

/* By what the numbers are, whatever their types. */
static bool compare_numbers(uint32_t op, struct value a, struct value b)
{
	bool same = a.number == b.number && a.negative == b.negative;
	bool less = a.negative != b.negative ? a.negative : a.number < b.number;

	switch (op) {
	case OPERATOR('=', '=', 0):
		return same;
	case OPERATOR('!', '=', 0):
		return !same;
	case OPERATOR('<', 0, 0):
		return less;
	case OPERATOR('<', '=', 0):
		return less || same;
	case OPERATOR('>', 0, 0):
		return !less && !same;
	default:
		return !less;
	}
}

static bool compare(const struct filtered_moment *m, const struct filter_node *n, struct value a, struct value b)
{
	if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER)
		return compare_numbers(n->op, a, b);
	a = as_text(m, a);
	b = as_text(m, b);
	return a.kind == VALUE_STRING && b.kind == VALUE_STRING && compare_texts(n, a.text, b.text);
}

static struct value unary(uint32_t op, struct value v)
{
	if (op == OPERATOR('!', 0, 0))
		return number(!is_true(v), false);
	if (v.kind != VALUE_NUMBER)
		return (struct value){ VALUE_MISSING };
	return op == OPERATOR('-', 0, 0) ? number(-v.number, true) : number(~v.number, v.negative);
}

static struct value evaluate(const struct filtered_moment *m, uint32_t index)
{
	struct filter_node *n = &m->filter->tree.nodes.at[index];
	struct value a, b;

	switch (n->kind) {
	case FILTER_NUMBER:
		return number(n->number, false);
	case FILTER_STRING:
		return string(n->text);
	case FILTER_FIELD:
		return field_value(m, n);
	case FILTER_COMM:
		return string(m->record->comm);
	case FILTER_CPU:
		return number((uint64_t)m->record->cpu, true);
	case FILTER_UNARY:
		return unary(n->op, evaluate(m, n->a));
	case FILTER_AND:
		return number(is_true(evaluate(m, n->a)) && is_true(evaluate(m, n->b)), false);
	case FILTER_OR:
		return number(is_true(evaluate(m, n->a)) || is_true(evaluate(m, n->b)), false);
	case FILTER_BINARY:
	case FILTER_COMPARE:
		break;
	}
	a = evaluate(m, n->a);
	b = evaluate(m, n->b);
	if (n->kind == FILTER_COMPARE)
		return number(compare(m, n, a, b), false);
	if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
		return (struct value){ VALUE_MISSING };
	return number(operator_result(n->op, a.number, b.number, a.negative || b.negative),
		      a.negative || b.negative || n->op == OPERATOR('-', 0, 0));
}

bool tracefmt_filter_match(struct tracefmt_filter *f, const struct tracefmt_candidate *record)
{
	const struct filtered_moment m = { f, record };

	return f->tree.root == FILTER_NONE || is_true(evaluate(&m, f->tree.root));
}

/* SPDX-License-Identifier: MIT */
#include "stat/metric_expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

#define DEPTH_MAX 64           /* of brackets */

struct metric_parser {
	const char *p;
	const char *bad;
	const struct metric_env *env;
	int depth;
};

static double parse_if(struct metric_parser *s);

static double fail(struct metric_parser *s)
{
	if (!s->bad)
		s->bad = s->p;
	return NAN;
}

static void skip_blanks(struct metric_parser *s)
{
	while (is_space(*s->p))
		s->p++;
}

static bool take(struct metric_parser *s, char c)
{
	skip_blanks(s);
	if (*s->p != c)
		return false;
	s->p++;
	return true;
}

static bool is_name(char c)
{
	return is_alnum(c) || (c && strchr("_.:@?", c));
}

/* A word that is not the beginning of a longer name. */
static bool take_word(struct metric_parser *s, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(s);
	if (strncmp(s->p, word, n) != 0 || is_name(s->p[n]))
		return false;
	s->p += n;
	return true;
}

/* Without its escapes. */
static bool take_name(struct metric_parser *s, char out[METRIC_NAME_BYTES])
{
	size_t n = 0;

	while (is_name(*s->p) || (*s->p == '\\' && s->p[1])) {
		char c = *s->p;

		if (c == '\\')
			c = *++s->p;
		else if (c == '@')
			c = '/';
		s->p++;
		if (n + 1 >= METRIC_NAME_BYTES)
			return false;
		out[n++] = c;
	}
	out[n] = '\0';
	return n > 0;
}

static double parse_two(struct metric_parser *s, const char *name)
{
	double a = parse_if(s), b;

	if (!take(s, ','))
		return fail(s);
	b = parse_if(s);
	if (!take(s, ')'))
		return fail(s);
	if (!strcmp(name, "d_ratio"))
		return b == 0 ? 0 : a / b;
	if (isnan(a) || isnan(b))
		return NAN;
	return !strcmp(name, "min") ? fmin(a, b) : fmax(a, b);
}

static double parse_of_event(struct metric_parser *s, const char *name)
{
	char event[METRIC_NAME_BYTES];
	double v;

	skip_blanks(s);
	if (!take_name(s, event) || !take(s, ')'))
		return fail(s);
	v = s->env->has(s->env->ctx, event);
	/* source_count: sonde has a row for each unit, so that one counter is behind a count */
	return !strcmp(name, "strcmp_cpuid_str") ? 0 : v;
}

static double parse_name(struct metric_parser *s)
{
	static const char *const of_two[] = { "min", "max", "d_ratio" };
	static const char *const of_event[] = { "has_event", "source_count", "strcmp_cpuid_str" };
	char name[METRIC_NAME_BYTES];

	if (!take_name(s, name))
		return fail(s);
	for (size_t i = 0; i < sizeof(of_two) / sizeof(of_two[0]); i++)
		if (!strcmp(name, of_two[i]) && take(s, '('))
			return parse_two(s, name);
	for (size_t i = 0; i < sizeof(of_event) / sizeof(of_event[0]); i++)
		if (!strcmp(name, of_event[i]) && take(s, '('))
			return parse_of_event(s, name);
	return s->env->value(s->env->ctx, name);
}

static double parse_literal(struct metric_parser *s)
{
	char name[METRIC_NAME_BYTES];

	s->p++;
	if (!take_name(s, name))
		return fail(s);
	return s->env->literal(s->env->ctx, name);
}

static double parse_primary(struct metric_parser *s)
{
	double v;
	char *end;

	skip_blanks(s);
	if (s->bad || s->depth >= DEPTH_MAX)
		return fail(s);
	if (*s->p == '#')
		return parse_literal(s);
	if (is_digit(*s->p) || (*s->p == '.' && is_digit(s->p[1]))) {
		v = strtod(s->p, &end);
		s->p = end;
		return v;
	}
	s->depth++;
	if (take(s, '-')) {
		v = -parse_primary(s);
	} else if (take(s, '(')) {
		v = parse_if(s);
		if (!take(s, ')'))
			v = fail(s);
	} else {
		v = parse_name(s);
	}
	s->depth--;
	return v;
}

static double parse_product(struct metric_parser *s)
{
	double a = parse_primary(s), b;

	for (;;) {
		if (take(s, '*')) {
			a *= parse_primary(s);
		} else if (take(s, '/')) {
			b = parse_primary(s);
			a = b == 0 ? NAN : a / b;
		} else if (take(s, '%')) {
			b = parse_primary(s);
			a = b == 0 ? NAN : fmod(a, b);
		} else {
			return a;
		}
	}
}

static double parse_sum(struct metric_parser *s)
{
	double a = parse_product(s);

	for (;;) {
		if (take(s, '+'))
			a += parse_product(s);
		else if (take(s, '-'))
			a -= parse_product(s);
		else
			return a;
	}
}

static double parse_comparison(struct metric_parser *s)
{
	double a = parse_sum(s), b;

	for (;;) {
		bool less = take(s, '<');

		if (!less && !take(s, '>'))
			return a;
		b = parse_sum(s);
		a = isnan(a) || isnan(b) ? NAN : less ? a < b : a > b;
	}
}

static double bits(double a, double b, char op)
{
	long long x, y;

	if (isnan(a) || isnan(b) || fabs(a) > 1e15 || fabs(b) > 1e15)
		return NAN;
	x = (long long)a;
	y = (long long)b;
	return (double)(op == '&' ? x & y : op == '|' ? x | y : x ^ y);
}

static double parse_bits(struct metric_parser *s)
{
	double a = parse_comparison(s);

	for (;;) {
		char op = take(s, '&') ? '&' : take(s, '|') ? '|' : take(s, '^') ? '^' : '\0';

		if (!op)
			return a;
		a = bits(a, parse_comparison(s), op);
	}
}

static double parse_if(struct metric_parser *s)
{
	double a = parse_bits(s), condition, other;

	if (!take_word(s, "if"))
		return a;
	if (s->depth >= DEPTH_MAX)
		return fail(s);
	s->depth++;
	condition = parse_bits(s);
	if (!take_word(s, "else"))
		return fail(s);
	other = parse_if(s);
	s->depth--;
	return isnan(condition) ? NAN : condition != 0 ? a : other;
}

bool metric_eval(const char *expr, const struct metric_env *env, double *out, const char **bad)
{
	struct metric_parser s = { .p = expr, .env = env };
	double v = parse_if(&s);

	skip_blanks(&s);
	if (*s.p)
		fail(&s);
	*bad = s.bad;
	if (s.bad)
		return false;
	*out = v;
	return true;
}

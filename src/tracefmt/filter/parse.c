/* SPDX-License-Identifier: MIT */
/* filter_parse.c - from the text of a filter's expression to its tree */
#include "tracefmt/filter/node.h"

#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "tracefmt/operator.h"

#define MAX_DEPTH 200
#define MAX_NODES 4096

struct parser {
	struct filter_tree *tree;
	const char *p;
	enum token_kind kind;        /* the current token */
	uint32_t op;
	uint64_t number;
	struct sonde_str text;
	unsigned depth;
	struct sonde_error *err;
	int failed;                  /* the first reason */
};

static uint32_t fail(struct parser *x, const char *what)
{
	if (!x->failed)
		x->failed = err_set(x->err, SONDE_USAGE, SONDE_NONE, "%s at '%.40s'", what,
				    x->kind == TOKEN_END ? "the end" : x->text.p);
	return FILTER_NONE;
}

static bool is_name(char c)
{
	return c == '_' || is_alnum(c);
}

static size_t operator_length(const char *p)
{
	static const char *const two[] = { "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "=~", "!~" };

	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (p[0] == two[i][0] && p[1] == two[i][1])
			return 2;
	return strchr("<>!~&|^+-*/%()", *p) ? 1 : 0;
}

static void read_number(struct parser *x)
{
	char *end;

	errno = 0;
	x->number = strtoull(x->p, &end, 0);
	x->kind = errno || is_name(*end) ? TOKEN_BAD : TOKEN_NUMBER;
	x->p = end;
}

static void next(struct parser *x)
{
	size_t n;

	while (*x->p == ' ' || *x->p == '\t' || *x->p == '\n')
		x->p++;
	x->text = (struct sonde_str){ x->p, 0 };
	if (!*x->p) {
		x->kind = TOKEN_END;
	} else if (*x->p == '"' || *x->p == '\'') {
		const char *end = strchr(x->p + 1, *x->p);

		x->kind = end ? TOKEN_STRING : TOKEN_BAD;
		if (end) {
			x->text = (struct sonde_str){ x->p + 1, (size_t)(end - x->p) - 1 };
			x->p = end + 1;
		}
	} else if (is_digit(*x->p)) {
		read_number(x);
	} else if (is_name(*x->p)) {
		for (n = 1; is_name(x->p[n]); n++)
			;
		x->kind = TOKEN_NAME;
		x->text.len = n;
		x->p += n;
	} else {
		n = operator_length(x->p);
		x->kind = n ? TOKEN_OPERATOR : TOKEN_BAD;
		x->op = OPERATOR(x->p[0], n == 2 ? x->p[1] : 0, 0);
		x->p += n;
	}
}

static bool at(const struct parser *x, uint32_t op)
{
	return x->kind == TOKEN_OPERATOR && x->op == op;
}

static uint32_t add(struct parser *x, struct filter_node n)
{
	if (x->failed)
		return FILTER_NONE;
	if (x->tree->nodes.n >= MAX_NODES)
		return fail(x, "the filter is too long");
	if (vec_push(&x->tree->nodes, n) < 0) {
		x->failed = err_nomem(x->err);
		return FILTER_NONE;
	}
	return (uint32_t)(x->tree->nodes.n - 1);
}

static const char *copy(struct parser *x)
{
	const char *s = arena_strndup(&x->tree->arena, x->text.p, x->text.len);

	if (!s && !x->failed)
		x->failed = err_nomem(x->err);
	return s;
}

static uint32_t parse_or(struct parser *x);

static uint32_t parse_name(struct parser *x)
{
	const char *name = copy(x);
	enum filter_kind kind = FILTER_FIELD;

	if (!name)
		return FILTER_NONE;
	if (strcmp(name, "COMM") == 0 || strcmp(name, "common_comm") == 0)
		kind = FILTER_COMM;
	else if (strcmp(name, "CPU") == 0 || strcmp(name, "common_cpu") == 0)
		kind = FILTER_CPU;
	next(x);
	return add(x, (struct filter_node){ .kind = kind, .text = name });
}

static uint32_t parse_primary(struct parser *x)
{
	struct filter_node n = { .kind = FILTER_NUMBER, .number = x->number };
	uint32_t inner;

	switch (x->kind) {
	case TOKEN_NAME:
		return parse_name(x);
	case TOKEN_STRING:
		n = (struct filter_node){ .kind = FILTER_STRING, .text = copy(x) };
		/* fall through */
	case TOKEN_NUMBER:
		next(x);
		return add(x, n);
	default:
		break;
	}
	if (!at(x, OPERATOR('(', 0, 0)))
		return fail(x, "a field, a number or a string is missing");
	next(x);
	inner = parse_or(x);
	if (!x->failed && !at(x, OPERATOR(')', 0, 0)))
		return fail(x, "')' is missing");
	next(x);
	return inner;
}

static uint32_t parse_unary(struct parser *x)
{
	uint32_t op = x->op, a;

	if (!at(x, OPERATOR('!', 0, 0)) && !at(x, OPERATOR('-', 0, 0)) && !at(x, OPERATOR('~', 0, 0)))
		return parse_primary(x);
	if (++x->depth > MAX_DEPTH)
		return fail(x, "the filter is nested too deeply");
	next(x);
	a = parse_unary(x);
	x->depth--;
	return add(x, (struct filter_node){ .kind = FILTER_UNARY, .op = op, .a = a, .b = FILTER_NONE });
}

/* How strongly an operator of numbers binds, 0: it is none. Unlike in C, all of them bind more
 * strongly than comparisons. */
static int strength(const struct parser *x)
{
	int rank = x->kind == TOKEN_OPERATOR ? operator_rank(x->op) : 0;

	return rank <= OPERATOR_LOGICAL || rank == OPERATOR_EQUAL || rank == OPERATOR_LESS ? 0 : rank;
}

static uint32_t parse_number(struct parser *x, int least)
{
	uint32_t a = parse_unary(x), op, b;
	int s;

	while (!x->failed && (s = strength(x)) >= least && s) {
		op = x->op;
		next(x);
		b = parse_number(x, s + 1);
		a = add(x, (struct filter_node){ .kind = FILTER_BINARY, .op = op, .a = a, .b = b });
	}
	return a;
}

static bool at_comparison(const struct parser *x)
{
	static const uint32_t ops[] = {
		OPERATOR('=', '=', 0), OPERATOR('!', '=', 0), OPERATOR('<', 0, 0),
		OPERATOR('<', '=', 0), OPERATOR('>', 0, 0),   OPERATOR('>', '=', 0),
		FILTER_LIKE,           FILTER_MATCHES,        FILTER_MATCHES_NOT,
	};

	for (size_t i = 0; x->kind == TOKEN_OPERATOR && i < sizeof(ops) / sizeof(*ops); i++)
		if (x->op == ops[i])
			return true;
	return false;
}

/* The operand after ~, =~ and !~ is a string. */
static int take_pattern(struct parser *x, struct filter_node *n)
{
	bool regex = n->op == FILTER_MATCHES || n->op == FILTER_MATCHES_NOT;

	if (!regex && n->op != FILTER_LIKE)
		return 0;
	if (x->failed || x->tree->nodes.at[n->b].kind != FILTER_STRING) {
		fail(x, "a string is missing");
		return x->failed;
	}
	n->text = x->tree->nodes.at[n->b].text;
	if (regex)
		x->failed = filter_regex(&n->regex, n->text, x->err);
	return x->failed;
}

static uint32_t parse_comparison(struct parser *x)
{
	struct filter_node n = { .kind = FILTER_COMPARE };
	uint32_t added;

	n.a = parse_number(x, 1);
	if (x->failed || !at_comparison(x))
		return n.a;
	n.op = x->op;
	next(x);
	n.b = parse_number(x, 1);
	if (take_pattern(x, &n) < 0)
		return FILTER_NONE;
	added = add(x, n);
	if (added == FILTER_NONE)
		filter_regex_free(n.regex);
	return added;
}

static uint32_t parse_and(struct parser *x)
{
	uint32_t a = parse_comparison(x), b;

	while (!x->failed && at(x, OPERATOR('&', '&', 0))) {
		next(x);
		b = parse_comparison(x);
		a = add(x, (struct filter_node){ .kind = FILTER_AND, .a = a, .b = b });
	}
	return a;
}

static uint32_t parse_or(struct parser *x)
{
	uint32_t a, b;

	if (++x->depth > MAX_DEPTH)
		return fail(x, "the filter is nested too deeply");
	a = parse_and(x);
	while (!x->failed && at(x, OPERATOR('|', '|', 0))) {
		next(x);
		b = parse_and(x);
		a = add(x, (struct filter_node){ .kind = FILTER_OR, .a = a, .b = b });
	}
	x->depth--;
	return a;
}

int filter_parse(struct filter_tree *t, const char *text, struct sonde_error *err)
{
	struct parser x = { .tree = t, .p = text, .err = err };

	next(&x);
	t->root = parse_or(&x);
	if (!x.failed && x.kind != TOKEN_END)
		fail(&x, "there is more than an expression");
	return x.failed;
}

void filter_tree_free(struct filter_tree *t)
{
	for (size_t i = 0; i < t->nodes.n; i++)
		filter_regex_free(t->nodes.at[i].regex);
	vec_free(&t->nodes);
	arena_free(&t->arena);
}

int filter_regex(regex_t **out, const char *text, struct sonde_error *err)
{
	regex_t *r = malloc(sizeof(*r));
	char why[128];
	int e;

	if (!r)
		return err_nomem(err);
	e = regcomp(r, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (e == 0) {
		*out = r;
		return 0;
	}
	regerror(e, r, why, sizeof(why));
	free(r);
	return err_set(err, SONDE_USAGE, SONDE_NONE, "'%.60s' is no regular expression: %s", text, why);
}

void filter_regex_free(regex_t *r)
{
	if (!r)
		return;
	regfree(r);
	free(r);
}

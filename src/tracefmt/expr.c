/* SPDX-License-Identifier: MIT */
/*
 * expr.c - C expressions over the fields of a record
 *
 * Descent into parentheses is limited to NODE_DEPTH_MAX, and so is that of trees.
 */
#include "tracefmt/expr.h"

#include "base/str.h"
#include "tracefmt/operator.h"

uint32_t expr_unexpected(struct exprs *x, const char *wanted)
{
	const struct token *t = &x->lexer.token;

	if (x->lexer.no_memory)
		return node_fail(x, "out of memory");
	if (t->kind == TOKEN_END)
		return node_fail(x, "the print format ends where %s should be", wanted);
	return node_fail(x, "\"%.*s\" where %s should be", (int)(t->text.len < 40 ? t->text.len : 40),
			 t->text.p ? t->text.p : "", wanted);
}

bool expr_at(const struct exprs *x, uint32_t op)
{
	return x->lexer.token.kind == TOKEN_OPERATOR && x->lexer.token.op == op;
}

bool expr_take(struct exprs *x, uint32_t op)
{
	if (!expr_at(x, op))
		return false;
	lexer_next(&x->lexer);
	return true;
}

bool expr_expect(struct exprs *x, char c)
{
	char wanted[] = { '\'', c, '\'', '\0' };

	if (expr_take(x, OPERATOR((uint8_t)c, 0, 0)))
		return true;
	expr_unexpected(x, wanted);
	return false;
}

/* REC has been read: "->name" or ".name" follows. */
static uint32_t parse_member(struct exprs *x)
{
	static const char dynamic[] = "__data_loc_";
	const struct sonde_tracepoint_field *f;
	struct sonde_str name = x->lexer.token.text;

	if (x->lexer.token.kind != TOKEN_NAME)
		return expr_unexpected(x, "a field name");
	/* kernels before 2.6.33 name the word of a dynamic field in full */
	if (name.len > sizeof(dynamic) - 1 && memcmp(name.p, dynamic, sizeof(dynamic) - 1) == 0) {
		f = node_find_field(
			x, (struct sonde_str){ name.p + sizeof(dynamic) - 1, name.len - (sizeof(dynamic) - 1) });
		lexer_next(&x->lexer);
		return !f ?
			NO_NODE :
			node_add(x,
				 (struct node){ .kind = NODE_FIELD, .value = VALUE_INT, .field = f, .size = 4, LEAF });
	}
	f = node_find_field(x, name);
	lexer_next(&x->lexer);
	return f ? node_field(x, f) : NO_NODE;
}

/* At the word after '(': whether a type name in parentheses stands here, and then which. Ends after the ')'. */
bool expr_take_type(struct exprs *x, struct ctype *type)
{
	struct lexer before = x->lexer;
	const char *start = before.token.text.p;
	unsigned words = 0, nested = 0;
	bool known = false, stars = false;

	for (; x->lexer.token.kind == TOKEN_NAME || expr_at(x, OPERATOR('*', 0, 0)) || nested ||
	       expr_at(x, OPERATOR('(', 0, 0)); lexer_next(&x->lexer)) {
		const struct token *t = &x->lexer.token;

		if (t->kind == TOKEN_END || t->kind == TOKEN_BAD)
			break;
		if (t->kind == TOKEN_NAME && !nested) {
			known |= ctype_word(t->text);
			words++;
		} else if (expr_at(x, OPERATOR('*', 0, 0)) && !nested) {
			stars = true;
		} else if (expr_at(x, OPERATOR('(', 0, 0))) {
			if (!known)   /* only __attribute__((...)) and typeof(...) have parentheses */
				break;
			nested++;
		} else if (expr_at(x, OPERATOR(')', 0, 0))) {
			nested--;
		}
	}
	if (words && expr_at(x, OPERATOR(')', 0, 0)) && !nested) {
		const char *end = x->lexer.token.text.p;

		lexer_next(&x->lexer);
		/* an unknown word is a type if a value follows it: "(xfs_ino_t)REC->ino", but "(FOO) + 1" is a sum */
		if (known || (words == 1 && (stars || x->lexer.token.kind == TOKEN_NAME ||
					     x->lexer.token.kind == TOKEN_NUMBER || expr_at(x, OPERATOR('(', 0, 0))))) {
			*type = ctype_parse((struct sonde_str){ start, (size_t)(end - start) }, x->event->long_size);
			return true;
		}
	}
	x->lexer = before;
	return false;
}

/* "type name = value;" gives a value another name. Whether it is one; the value has been parsed then, or has failed. */
static bool parse_local(struct exprs *x, bool *failed)
{
	struct lexer before = x->lexer;
	struct local local = { .node = NO_NODE };
	const char *start = before.token.text.p;
	struct ctype type;

	for (; x->lexer.token.kind == TOKEN_NAME || expr_at(x, OPERATOR('*', 0, 0)); lexer_next(&x->lexer))
		local.name = x->lexer.token.text;
	if (!local.name.p || local.name.p == start || !expr_at(x, OPERATOR('=', 0, 0))) {
		x->lexer = before;
		return false;
	}
	type = ctype_parse((struct sonde_str){ start, (size_t)(local.name.p - start) }, x->event->long_size);
	lexer_next(&x->lexer);
	local.node = expr_parse(x);
	if (node_is_int(x, local.node) && type.size && !type.is_pointer)
		local.node = node_convert(x, local.node, type.size, type.is_signed);
	*failed = local.node == NO_NODE || !expr_expect(x, ';');
	if (!*failed && vec_push(&x->locals, local) < 0) {
		node_fail(x, "out of memory");
		*failed = true;
	}
	return true;
}

/* Inside ({ ... }): variables and the value of the last statement, as min() and max() of the kernel become. */
static uint32_t parse_statements(struct exprs *x)
{
	bool failed = false;
	uint32_t a;

	while (x->lexer.token.kind == TOKEN_NAME && parse_local(x, &failed))
		if (failed)
			return NO_NODE;
	a = expr_parse(x);
	return a != NO_NODE && expr_expect(x, ';') ? a : NO_NODE;
}

static uint32_t parse_cast_or_parentheses(struct exprs *x);

/* Names that are constants in every kernel, and that some formats leave as names. vmemmap and vmemmap_base are
 * none, but they are only used to make a struct page's address of a page frame number: that number is printed
 * instead, as others do. */
static const struct constant {
	const char *name;
	int value;
} constants[] = {
	{ "vmemmap", 0 },
	{ "vmemmap_base", 0 },
	{ "NULL", 0 },
	{ "false", 0 },
	{ "true", 1 },
	{ "HI_SOFTIRQ", 0 },
	{ "TIMER_SOFTIRQ", 1 },
	{ "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 },
	{ "IRQ_POLL_SOFTIRQ", 5 },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
};

static uint32_t parse_name(struct exprs *x)
{
	struct sonde_str name = x->lexer.token.text;

	lexer_next(&x->lexer);
	if (str_is(name, "REC"))
		return node_add(x, (struct node){ .kind = NODE_RECORD, .value = VALUE_BYTES, .size = 1, LEAF });
	if (expr_take(x, OPERATOR('(', 0, 0)))
		return x->call(x, name);
	for (size_t i = x->locals.n; i-- > 0;)
		if (str_equal(x->locals.at[i].name, name))
			return x->locals.at[i].node;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strlen(constants[i].name) == name.len && memcmp(constants[i].name, name.p, name.len) == 0)
			return node_number(x, (uint64_t)constants[i].value, 4, true);
	if (x->in_names) {
		x->unknown = true;
		return node_number(x, 0, 4, true);
	}
	x->needs_kernel = true;
	return node_fail(x, "the value of \"%.*s\" is not known", (int)(name.len < 60 ? name.len : 60), name.p);
}

static uint32_t parse_string(struct exprs *x)
{
	struct node n = { .kind = NODE_STRING, .value = VALUE_TEXT, LEAF };

	if (!expr_take_string(x, &n.text))
		return NO_NODE;
	return node_add(x, n);
}

bool expr_take_string(struct exprs *x, struct sonde_str *out)
{
	struct sonde_str first = x->lexer.token.text;
	size_t total = first.len;
	struct lexer start = x->lexer;
	char *joined;

	if (x->lexer.token.kind != TOKEN_STRING) {
		expr_unexpected(x, "a string");
		return false;
	}
	for (lexer_next(&x->lexer); x->lexer.token.kind == TOKEN_STRING; lexer_next(&x->lexer))
		total += x->lexer.token.text.len;
	*out = first;
	if (total == first.len)
		return true;
	joined = arena_alloc(x->lexer.arena, total);
	if (!joined) {
		node_fail(x, "out of memory");
		return false;
	}
	*out = (struct sonde_str){ joined, total };
	for (; start.token.kind == TOKEN_STRING; lexer_next(&start)) {
		memcpy(joined, start.token.text.p, start.token.text.len);
		joined += start.token.text.len;
	}
	return !start.no_memory;
}

static uint32_t parse_primary(struct exprs *x)
{
	struct token t = x->lexer.token;

	switch (t.kind) {
	case TOKEN_NUMBER:
		lexer_next(&x->lexer);
		return node_number(x, t.number, t.size, t.is_signed);
	case TOKEN_STRING:
		return parse_string(x);
	case TOKEN_NAME:
		return parse_name(x);
	default:
		if (expr_take(x, OPERATOR('(', 0, 0)))
			return parse_cast_or_parentheses(x);
		return expr_unexpected(x, "a value");
	}
}

static uint32_t parse_postfix(struct exprs *x)
{
	uint32_t a = parse_primary(x), index;

	while (a != NO_NODE) {
		if (expr_take(x, OPERATOR('[', 0, 0))) {
			index = expr_parse(x);
			if (index == NO_NODE || !expr_expect(x, ']'))
				return NO_NODE;
			a = node_element(x, a, index);
		} else if (x->nodes.at[a].kind == NODE_RECORD && expr_take(x, OPERATOR('-', '>', 0))) {
			a = parse_member(x);
		} else if (expr_at(x, OPERATOR('.', 0, 0)) || expr_at(x, OPERATOR('-', '>', 0))) {
			return node_fail(x, "members of structures are not described");
		} else {
			break;
		}
	}
	return a;
}

static uint32_t parse_unary(struct exprs *x)
{
	uint32_t op = x->lexer.token.kind == TOKEN_OPERATOR ? x->lexer.token.op : 0, a;

	switch (op) {
	case OPERATOR('-', 0, 0): case OPERATOR('+', 0, 0): case OPERATOR('~', 0, 0): case OPERATOR('!', 0, 0):
	case OPERATOR('*', 0, 0): case OPERATOR('&', 0, 0):
		break;
	default:
		return parse_postfix(x);
	}
	if (++x->depth > NODE_DEPTH_MAX)
		return node_fail(x, "nested too deeply");
	lexer_next(&x->lexer);
	a = parse_unary(x);
	x->depth--;
	if (a == NO_NODE)
		return NO_NODE;
	if (op == OPERATOR('*', 0, 0))
		return node_element(x, a, node_number(x, 0, 4, true));
	if (op == OPERATOR('&', 0, 0))
		return node_address(x, a);
	return node_unary(x, op, a);
}

/* Behind '(': a cast with what it applies to; ((type *)REC)->field; or an expression in parentheses. */
static uint32_t parse_cast_or_parentheses(struct exprs *x)
{
	struct ctype type;
	uint32_t a;

	if (++x->depth > NODE_DEPTH_MAX)
		return node_fail(x, "nested too deeply");
	if (expr_take(x, OPERATOR('{', 0, 0))) {
		a = parse_statements(x);
		if (a != NO_NODE && (!expr_expect(x, '}') || !expr_expect(x, ')')))
			a = NO_NODE;
	} else if (x->lexer.token.kind == TOKEN_NAME && expr_take_type(x, &type)) {
		a = node_cast(x, type, parse_unary(x));
	} else {
		a = expr_parse(x);
		if (a != NO_NODE && !expr_expect(x, ')'))
			a = NO_NODE;
	}
	x->depth--;
	return a;
}

static uint32_t parse_binary(struct exprs *x, int lowest)
{
	uint32_t a = parse_unary(x), b;

	while (a != NO_NODE) {
		struct token t = x->lexer.token;
		int rank = t.kind == TOKEN_OPERATOR ? operator_rank(t.op) : 0;

		if (rank == 0 || rank < lowest)
			break;
		lexer_next(&x->lexer);
		b = parse_binary(x, rank + 1);
		a = b == NO_NODE ? NO_NODE : node_binary(x, t.op, a, b);
	}
	return a;
}

uint32_t expr_parse(struct exprs *x)
{
	uint32_t a, b, c;

	if (++x->depth > NODE_DEPTH_MAX)
		return node_fail(x, "nested too deeply");
	a = parse_binary(x, 1);
	if (a != NO_NODE && expr_take(x, OPERATOR('?', 0, 0))) {
		if (expr_at(x, OPERATOR(':', 0, 0)))   /* a ?: c */
			b = a;
		else
			b = expr_parse(x);
		if (b == NO_NODE || !expr_expect(x, ':'))
			return NO_NODE;
		c = expr_parse(x);
		a = c == NO_NODE ? NO_NODE : node_cond(x, a, b, c);
	}
	x->depth--;
	return a;
}

/* SPDX-License-Identifier: MIT */
/*
 * expr.c - C expressions over the fields of a record
 *
 * Types follow C: small integers become int, the wider or unsigned operand decides. Arithmetic on constants is done
 * here, so that what remains constant is a NODE_NUMBER. Descent into parentheses and trees is limited to MAX_DEPTH.
 */
#include "tracefmt/expr.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "tracefmt/call.h"
#include "tracefmt/ctype.h"

#define MAX_DEPTH 200

uint32_t expr_fail(struct exprs *x, const char *fmt, ...)
{
	va_list ap;

	if (!x->reason[0]) {
		va_start(ap, fmt);
		vsnprintf(x->reason, sizeof(x->reason), fmt, ap);
		va_end(ap);
	}
	return NO_NODE;
}

uint32_t expr_unexpected(struct exprs *x, const char *wanted)
{
	const struct token *t = &x->lexer.token;

	if (x->lexer.no_memory)
		return expr_fail(x, "out of memory");
	if (t->kind == TOKEN_END)
		return expr_fail(x, "the print format ends where %s should be", wanted);
	return expr_fail(x, "\"%.*s\" where %s should be", (int)(t->text.len < 40 ? t->text.len : 40),
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

static unsigned depth_of(const struct exprs *x, uint32_t n)
{
	return n == NO_NODE ? 0 : x->nodes.at[n].depth;
}

uint32_t expr_add(struct exprs *x, struct node n)
{
	unsigned a = depth_of(x, n.a), b = depth_of(x, n.b), c = depth_of(x, n.c);
	unsigned depth = 1 + (a > b ? (a > c ? a : c) : (b > c ? b : c));

	if (depth > MAX_DEPTH)
		return expr_fail(x, "nested too deeply");
	n.depth = (uint16_t)depth;
	if (vec_push(&x->nodes, n) < 0)
		return expr_fail(x, "out of memory");
	return (uint32_t)(x->nodes.n - 1);
}

uint32_t expr_number(struct exprs *x, uint64_t v, uint8_t size, bool is_signed)
{
	return expr_add(x, (struct node){ .kind = NODE_NUMBER, .value = VALUE_INT, .size = size, .is_signed = is_signed,
					  .number = v, LEAF });
}

const struct sonde_tracepoint_field *expr_field(struct exprs *x, struct sonde_str name)
{
	const struct tracefmt_event *e = x->event;

	for (size_t i = 0; i < e->nr_fields; i++)
		if (strlen(e->fields[i].name) == name.len && memcmp(e->fields[i].name, name.p, name.len) == 0)
			return &e->fields[i];
	expr_fail(x, "no field \"%.*s\"", (int)(name.len < 60 ? name.len : 60), name.p);
	return NULL;
}

uint32_t expr_bytes(struct exprs *x, const struct sonde_tracepoint_field *f)
{
	return expr_add(x, (struct node){ .kind = NODE_BYTES, .value = VALUE_BYTES, .field = f,
					  .size = (uint8_t)(f->elem_size <= 8 ? f->elem_size : 1),
					  .is_signed = f->flags & SONDE_TRACEPOINT_SIGNED, LEAF });
}

static uint32_t field_value(struct exprs *x, const struct sonde_tracepoint_field *f)
{
	bool is_int = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

	if (f->flags & SONDE_TRACEPOINT_ARRAY || !is_int)
		return expr_bytes(x, f);
	return expr_add(x,
			(struct node){ .kind = NODE_FIELD,
				       .value = VALUE_INT,
				       .field = f,
				       .size = (uint8_t)f->size,
				       .is_signed = f->flags & SONDE_TRACEPOINT_SIGNED,
				       .is_pointer = f->flags & SONDE_TRACEPOINT_POINTER,
				       LEAF });
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
		f = expr_field(x, (struct sonde_str){ name.p + sizeof(dynamic) - 1, name.len - (sizeof(dynamic) - 1) });
		lexer_next(&x->lexer);
		return !f ?
			NO_NODE :
			expr_add(x,
				 (struct node){ .kind = NODE_FIELD, .value = VALUE_INT, .field = f, .size = 4, LEAF });
	}
	f = expr_field(x, name);
	lexer_next(&x->lexer);
	return f ? field_value(x, f) : NO_NODE;
}

static bool is_int(const struct exprs *x, uint32_t n)
{
	return n != NO_NODE && x->nodes.at[n].value == VALUE_INT;
}

static uint32_t want_int(struct exprs *x, uint32_t n)
{
	if (n != NO_NODE && !is_int(x, n))
		return expr_fail(x, "a number is needed where there is text or an array");
	return n;
}

/* n as an integer of another type */
uint32_t expr_convert(struct exprs *x, uint32_t n, uint8_t size, bool is_signed)
{
	struct node *a = &x->nodes.at[n];

	if (a->size == size && a->is_signed == is_signed)
		return n;
	if (a->kind == NODE_NUMBER)
		return expr_number(x, expr_narrow(a->number, size, is_signed), size, is_signed);
	return expr_add(x,
			(struct node){ .kind = NODE_CAST,
				       .value = VALUE_INT,
				       .size = size,
				       .is_signed = is_signed,
				       .a = n,
				       .b = NO_NODE,
				       .c = NO_NODE });
}

static uint32_t promote(struct exprs *x, uint32_t n)
{
	return x->nodes.at[n].size < 4 ? expr_convert(x, n, 4, true) : n;
}

uint64_t expr_binary(uint32_t op, uint64_t a, uint64_t b, bool is_signed)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OPERATOR('+', 0, 0): return a + b;
	case OPERATOR('-', 0, 0): return a - b;
	case OPERATOR('*', 0, 0): return a * b;
	case OPERATOR('/', 0, 0):
		if (b == 0 || (is_signed && sb == -1))
			return b ? -a : 0;
		return is_signed ? (uint64_t)(sa / sb) : a / b;
	case OPERATOR('%', 0, 0):
		if (b == 0 || (is_signed && sb == -1))
			return 0;
		return is_signed ? (uint64_t)(sa % sb) : a % b;
	case OPERATOR('&', 0, 0): return a & b;
	case OPERATOR('|', 0, 0): return a | b;
	case OPERATOR('^', 0, 0): return a ^ b;
	case OPERATOR('<', '<', 0): return a << (b & 63);
	case OPERATOR('>', '>', 0): return is_signed ? (uint64_t)(sa >> (b & 63)) : a >> (b & 63);
	case OPERATOR('=', '=', 0): return a == b;
	case OPERATOR('!', '=', 0): return a != b;
	case OPERATOR('<', 0, 0): return is_signed ? sa < sb : a < b;
	case OPERATOR('>', 0, 0): return is_signed ? sa > sb : a > b;
	case OPERATOR('<', '=', 0): return is_signed ? sa <= sb : a <= b;
	case OPERATOR('>', '=', 0): return is_signed ? sa >= sb : a >= b;
	case OPERATOR('&', '&', 0): return a && b;
	case OPERATOR('|', '|', 0): return a || b;
	default: return 0;
	}
}

static int precedence(const struct token *t)
{
	if (t->kind != TOKEN_OPERATOR)
		return 0;
	switch (t->op) {
	case OPERATOR('*', 0, 0): case OPERATOR('/', 0, 0): case OPERATOR('%', 0, 0): return 10;
	case OPERATOR('+', 0, 0): case OPERATOR('-', 0, 0): return 9;
	case OPERATOR('<', '<', 0): case OPERATOR('>', '>', 0): return 8;
	case OPERATOR('<', 0, 0):
	case OPERATOR('>', 0, 0):
	case OPERATOR('<', '=', 0):
	case OPERATOR('>', '=', 0):
		return 7;
	case OPERATOR('=', '=', 0): case OPERATOR('!', '=', 0): return 6;
	case OPERATOR('&', 0, 0): return 5;
	case OPERATOR('^', 0, 0): return 4;
	case OPERATOR('|', 0, 0): return 3;
	case OPERATOR('&', '&', 0): return 2;
	case OPERATOR('|', '|', 0): return 1;
	default: return 0;
	}
}

/* Brings both operands to the type that C computes in. */
static bool balance(struct exprs *x, uint32_t *a, uint32_t *b)
{
	const struct node *na, *nb;
	uint8_t size;
	bool is_signed;

	*a = promote(x, *a);
	*b = *a == NO_NODE ? NO_NODE : promote(x, *b);
	if (*b == NO_NODE)
		return false;
	na = &x->nodes.at[*a];
	nb = &x->nodes.at[*b];
	size = na->size > nb->size ? na->size : nb->size;
	is_signed = (na->is_signed || na->size < size) && (nb->is_signed || nb->size < size);
	*a = expr_convert(x, *a, size, is_signed);
	*b = *a == NO_NODE ? NO_NODE : expr_convert(x, *b, size, is_signed);
	return *b != NO_NODE;
}

static uint32_t advance(struct exprs *x, uint32_t bytes, uint32_t by)
{
	struct node n = x->nodes.at[bytes];

	if (want_int(x, by) == NO_NODE)
		return NO_NODE;
	n.kind = NODE_ADVANCE;
	n.a = bytes;
	n.b = by;
	n.c = NO_NODE;
	return expr_add(x, n);
}

static uint32_t make_binary(struct exprs *x, uint32_t op, uint32_t a, uint32_t b)
{
	bool logical = precedence(&(struct token){ .kind = TOKEN_OPERATOR, .op = op }) <= 2;
	int rank = precedence(&(struct token){ .kind = TOKEN_OPERATOR, .op = op });
	struct node n = {
		.kind = NODE_BINARY, .value = VALUE_INT, .op = op, .c = NO_NODE, .size = 4, .is_signed = true
	};
	const struct node *na, *nb;

	if (op == OPERATOR('+', 0, 0) && x->nodes.at[a].value == VALUE_BYTES)
		return advance(x, a, b);
	if (want_int(x, a) == NO_NODE || want_int(x, b) == NO_NODE)
		return NO_NODE;
	if (rank == 8) {
		a = promote(x, a);
		b = a == NO_NODE ? NO_NODE : promote(x, b);
		if (b == NO_NODE)
			return NO_NODE;
	} else if (!logical && !balance(x, &a, &b)) {
		return NO_NODE;
	}
	na = &x->nodes.at[a];
	nb = &x->nodes.at[b];
	if (rank >= 8 || (rank >= 3 && rank <= 5)) {
		n.size = na->size;
		n.is_signed = na->is_signed;
	}
	n.number = na->is_signed;   /* comparisons need the sign of their operands, the result's is another */
	if (na->kind == NODE_NUMBER && nb->kind == NODE_NUMBER)
		return expr_number(
			x, expr_narrow(expr_binary(op, na->number, nb->number, na->is_signed), n.size, n.is_signed),
			n.size, n.is_signed);
	n.a = a;
	n.b = b;
	return expr_add(x, n);
}

static uint32_t make_unary(struct exprs *x, uint32_t op, uint32_t a)
{
	const struct node *na;
	uint64_t v;

	a = want_int(x, a);
	if (a == NO_NODE)
		return NO_NODE;
	if (op == OPERATOR('!', 0, 0)) {
		na = &x->nodes.at[a];
		if (na->kind == NODE_NUMBER)
			return expr_number(x, !na->number, 4, true);
		return expr_add(x,
				(struct node){ .kind = NODE_UNARY,
					       .value = VALUE_INT,
					       .op = op,
					       .size = 4,
					       .is_signed = true,
					       .a = a,
					       .b = NO_NODE,
					       .c = NO_NODE });
	}
	a = promote(x, a);
	if (a == NO_NODE || op == OPERATOR('+', 0, 0))
		return a;
	na = &x->nodes.at[a];
	if (na->kind == NODE_NUMBER) {
		v = op == OPERATOR('-', 0, 0) ? -na->number : ~na->number;
		return expr_number(x, expr_narrow(v, na->size, na->is_signed), na->size, na->is_signed);
	}
	return expr_add(x, (struct node){ .kind = NODE_UNARY, .value = VALUE_INT, .op = op, .size = na->size,
					  .is_signed = na->is_signed, .a = a, .b = NO_NODE, .c = NO_NODE });
}

static uint32_t element(struct exprs *x, uint32_t bytes, uint32_t index)
{
	struct node n;

	if (bytes == NO_NODE || want_int(x, index) == NO_NODE)
		return NO_NODE;
	n = x->nodes.at[bytes];
	if (n.value != VALUE_BYTES || n.kind == NODE_RECORD)
		return expr_fail(x, "what is at an address in the kernel is not in the record");
	if (n.size != 1 && n.size != 2 && n.size != 4 && n.size != 8)
		return expr_fail(x, "an element of %u bytes is no number", n.size);
	return expr_add(x,
			(struct node){ .kind = NODE_ELEMENT,
				       .value = VALUE_INT,
				       .size = n.size,
				       .is_signed = n.is_signed,
				       .a = bytes,
				       .b = index,
				       .c = NO_NODE });
}

/* &REC->field, &REC->array[2] */
static uint32_t address_of(struct exprs *x, uint32_t a)
{
	struct node n;

	if (a == NO_NODE)
		return NO_NODE;
	n = x->nodes.at[a];
	if (n.kind == NODE_FIELD)
		return expr_bytes(x, n.field);
	if (n.kind == NODE_ELEMENT)
		return advance(x, n.a, n.b);
	if (n.value == VALUE_BYTES)
		return a;
	return expr_fail(x, "the address of something that is no field");
}

/* At the word after '(': whether a type name in parentheses stands here, and then which. Ends behind the ')'. */
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

static uint32_t make_cast(struct exprs *x, struct ctype type, uint32_t a)
{
	struct node n;

	if (a == NO_NODE)
		return NO_NODE;
	n = x->nodes.at[a];
	if (n.value == VALUE_TEXT || n.kind == NODE_RECORD)
		return a;
	if (n.value == VALUE_BYTES) {
		if (!type.is_pointer)   /* its address is not known, only what is there */
			return a;
		n.kind = NODE_CAST;
		n.size = type.size ? type.size : 1;
		n.is_signed = type.is_signed;
		n.a = a;
		n.b = n.c = NO_NODE;
		return expr_add(x, n);
	}
	if (type.is_pointer)
		return expr_convert(x, a, x->event->long_size, false);
	return type.size ? expr_convert(x, a, type.size, type.is_signed) : a;
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
	if (is_int(x, local.node) && type.size && !type.is_pointer)
		local.node = expr_convert(x, local.node, type.size, type.is_signed);
	*failed = local.node == NO_NODE || !expr_expect(x, ';');
	if (!*failed && vec_push(&x->locals, local) < 0) {
		expr_fail(x, "out of memory");
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

/* Names that are constants in every kernel, and that some formats leave as names. vmemmap and vmemmap_base are none, but they
 * are only used to make a struct page's address of a page frame number: that number is printed instead, as others do. */
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
		return expr_add(x, (struct node){ .kind = NODE_RECORD, .value = VALUE_BYTES, .size = 1, LEAF });
	if (expr_take(x, OPERATOR('(', 0, 0)))
		return call_parse(x, name);
	for (size_t i = x->locals.n; i-- > 0;)
		if (str_equal(x->locals.at[i].name, name))
			return x->locals.at[i].node;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strlen(constants[i].name) == name.len && memcmp(constants[i].name, name.p, name.len) == 0)
			return expr_number(x, (uint64_t)constants[i].value, 4, true);
	if (x->in_names) {
		x->unknown = true;
		return expr_number(x, 0, 4, true);
	}
	return expr_fail(x, "the value of \"%.*s\" is not known", (int)(name.len < 60 ? name.len : 60), name.p);
}

static uint32_t parse_string(struct exprs *x)
{
	struct node n = { .kind = NODE_STRING, .value = VALUE_TEXT, LEAF };

	if (!expr_take_string(x, &n.text))
		return NO_NODE;
	return expr_add(x, n);
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
		expr_fail(x, "out of memory");
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
		return expr_number(x, t.number, t.size, t.is_signed);
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
			a = element(x, a, index);
		} else if (x->nodes.at[a].kind == NODE_RECORD && expr_take(x, OPERATOR('-', '>', 0))) {
			a = parse_member(x);
		} else if (expr_at(x, OPERATOR('.', 0, 0)) || expr_at(x, OPERATOR('-', '>', 0))) {
			return expr_fail(x, "members of structures are not described");
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
	if (++x->depth > MAX_DEPTH)
		return expr_fail(x, "nested too deeply");
	lexer_next(&x->lexer);
	a = parse_unary(x);
	x->depth--;
	if (a == NO_NODE)
		return NO_NODE;
	if (op == OPERATOR('*', 0, 0))
		return element(x, a, expr_number(x, 0, 4, true));
	if (op == OPERATOR('&', 0, 0))
		return address_of(x, a);
	return make_unary(x, op, a);
}

/* Behind '(': a cast with what it applies to; ((type *)REC)->field; or an expression in parentheses. */
static uint32_t parse_cast_or_parentheses(struct exprs *x)
{
	struct ctype type;
	uint32_t a;

	if (++x->depth > MAX_DEPTH)
		return expr_fail(x, "nested too deeply");
	if (expr_take(x, OPERATOR('{', 0, 0))) {
		a = parse_statements(x);
		if (a != NO_NODE && (!expr_expect(x, '}') || !expr_expect(x, ')')))
			a = NO_NODE;
	} else if (x->lexer.token.kind == TOKEN_NAME && expr_take_type(x, &type)) {
		a = make_cast(x, type, parse_unary(x));
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
		int rank = precedence(&t);

		if (rank == 0 || rank < lowest)
			break;
		lexer_next(&x->lexer);
		b = parse_binary(x, rank + 1);
		a = b == NO_NODE ? NO_NODE : make_binary(x, t.op, a, b);
	}
	return a;
}

static uint32_t make_cond(struct exprs *x, uint32_t a, uint32_t b, uint32_t c)
{
	struct node n = { .kind = NODE_COND };

	if (want_int(x, a) == NO_NODE)
		return NO_NODE;
	if (x->nodes.at[a].kind == NODE_NUMBER)
		return x->nodes.at[a].number ? b : c;
	if (is_int(x, b) && is_int(x, c) && !balance(x, &b, &c))
		return NO_NODE;
	n.value = x->nodes.at[b].value == x->nodes.at[c].value ? x->nodes.at[b].value : VALUE_TEXT;
	n.size = x->nodes.at[b].size;
	n.is_signed = x->nodes.at[b].is_signed;
	n.is_pointer = x->nodes.at[b].is_pointer;
	n.a = a;
	n.b = b;
	n.c = c;
	return expr_add(x, n);
}

uint32_t expr_parse(struct exprs *x)
{
	uint32_t a, b, c;

	if (++x->depth > MAX_DEPTH)
		return expr_fail(x, "nested too deeply");
	a = parse_binary(x, 1);
	if (a != NO_NODE && expr_take(x, OPERATOR('?', 0, 0))) {
		if (expr_at(x, OPERATOR(':', 0, 0)))   /* a ?: c */
			b = a;
		else
			b = expr_parse(x);
		if (b == NO_NODE || !expr_expect(x, ':'))
			return NO_NODE;
		c = expr_parse(x);
		a = c == NO_NODE ? NO_NODE : make_cond(x, a, b, c);
	}
	x->depth--;
	return a;
}

/* SPDX-License-Identifier: MIT */
/*
 * node.c - the nodes of an expression, with the types that C gives them
 *
 * Small integers become int, the wider or unsigned operand decides. Arithmetic on constants is done here, so that what
 * remains constant is a NODE_NUMBER.
 */
#include "tracefmt/node.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "tracefmt/operator.h"

uint32_t node_fail(struct exprs *x, const char *fmt, ...)
{
	va_list ap;

	if (!x->reason[0]) {
		va_start(ap, fmt);
		vsnprintf(x->reason, sizeof(x->reason), fmt, ap);
		va_end(ap);
	}
	return NO_NODE;
}

static unsigned depth_of(const struct exprs *x, uint32_t n)
{
	return n == NO_NODE ? 0 : x->nodes.at[n].depth;
}

uint32_t node_add(struct exprs *x, struct node n)
{
	unsigned a = depth_of(x, n.a), b = depth_of(x, n.b), c = depth_of(x, n.c);
	unsigned depth = 1 + (a > b ? (a > c ? a : c) : (b > c ? b : c));

	if (depth > NODE_DEPTH_MAX)
		return node_fail(x, "nested too deeply");
	n.depth = (uint16_t)depth;
	if (vec_push(&x->nodes, n) < 0)
		return node_fail(x, "out of memory");
	return (uint32_t)(x->nodes.n - 1);
}

uint32_t node_number(struct exprs *x, uint64_t v, uint8_t size, bool is_signed)
{
	return node_add(x, (struct node){ .kind = NODE_NUMBER, .value = VALUE_INT, .size = size, .is_signed = is_signed,
					  .number = v, LEAF });
}

const struct sonde_tracepoint_field *node_find_field(struct exprs *x, struct sonde_str name)
{
	const struct tracefmt_event *e = x->event;

	for (size_t i = 0; i < e->nr_fields; i++)
		if (strlen(e->fields[i].name) == name.len && memcmp(e->fields[i].name, name.p, name.len) == 0)
			return &e->fields[i];
	node_fail(x, "no field \"%.*s\"", (int)(name.len < 60 ? name.len : 60), name.p);
	return NULL;
}

uint32_t node_bytes(struct exprs *x, const struct sonde_tracepoint_field *f)
{
	return node_add(x, (struct node){ .kind = NODE_BYTES, .value = VALUE_BYTES, .field = f,
					  .size = (uint8_t)(f->elem_size <= 8 ? f->elem_size : 1),
					  .is_signed = f->flags & SONDE_TRACEPOINT_SIGNED, LEAF });
}

uint32_t node_field(struct exprs *x, const struct sonde_tracepoint_field *f)
{
	bool is_int = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

	if (f->flags & SONDE_TRACEPOINT_ARRAY || !is_int)
		return node_bytes(x, f);
	return node_add(x,
			(struct node){ .kind = NODE_FIELD,
				       .value = VALUE_INT,
				       .field = f,
				       .size = (uint8_t)f->size,
				       .is_signed = f->flags & SONDE_TRACEPOINT_SIGNED,
				       .is_pointer = f->flags & SONDE_TRACEPOINT_POINTER,
				       LEAF });
}

bool node_is_int(const struct exprs *x, uint32_t n)
{
	return n != NO_NODE && x->nodes.at[n].value == VALUE_INT;
}

static uint32_t want_int(struct exprs *x, uint32_t n)
{
	if (n != NO_NODE && !node_is_int(x, n))
		return node_fail(x, "a number is needed where there is text or an array");
	return n;
}

/* n as an integer of another type */
uint32_t node_convert(struct exprs *x, uint32_t n, uint8_t size, bool is_signed)
{
	struct node *a = &x->nodes.at[n];

	if (a->size == size && a->is_signed == is_signed)
		return n;
	if (a->kind == NODE_NUMBER)
		return node_number(x, narrow_integer(a->number, size, is_signed), size, is_signed);
	return node_add(x,
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
	return x->nodes.at[n].size < 4 ? node_convert(x, n, 4, true) : n;
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
	*a = node_convert(x, *a, size, is_signed);
	*b = *a == NO_NODE ? NO_NODE : node_convert(x, *b, size, is_signed);
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
	return node_add(x, n);
}

uint32_t node_binary(struct exprs *x, uint32_t op, uint32_t a, uint32_t b)
{
	int rank = operator_rank(op);
	bool logical = rank <= OPERATOR_LOGICAL;
	struct node n = {
		.kind = NODE_BINARY, .value = VALUE_INT, .op = op, .c = NO_NODE, .size = 4, .is_signed = true
	};
	const struct node *na, *nb;

	if (op == OPERATOR('+', 0, 0) && x->nodes.at[a].value == VALUE_BYTES)
		return advance(x, a, b);
	if (want_int(x, a) == NO_NODE || want_int(x, b) == NO_NODE)
		return NO_NODE;
	if (rank == OPERATOR_SHIFT) {
		a = promote(x, a);
		b = a == NO_NODE ? NO_NODE : promote(x, b);
		if (b == NO_NODE)
			return NO_NODE;
	} else if (!logical && !balance(x, &a, &b)) {
		return NO_NODE;
	}
	na = &x->nodes.at[a];
	nb = &x->nodes.at[b];
	if (rank >= OPERATOR_SHIFT || (rank >= 3 && rank <= 5)) {
		n.size = na->size;
		n.is_signed = na->is_signed;
	}
	n.number = na->is_signed;   /* comparisons need the sign of their operands, the result's is another */
	if (na->kind == NODE_NUMBER && nb->kind == NODE_NUMBER)
		return node_number(x,
				   narrow_integer(operator_result(op, na->number, nb->number, na->is_signed), n.size,
						  n.is_signed),
				   n.size, n.is_signed);
	n.a = a;
	n.b = b;
	return node_add(x, n);
}

uint32_t node_unary(struct exprs *x, uint32_t op, uint32_t a)
{
	const struct node *na;
	uint64_t v;

	a = want_int(x, a);
	if (a == NO_NODE)
		return NO_NODE;
	if (op == OPERATOR('!', 0, 0)) {
		na = &x->nodes.at[a];
		if (na->kind == NODE_NUMBER)
			return node_number(x, !na->number, 4, true);
		return node_add(x,
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
		return node_number(x, narrow_integer(v, na->size, na->is_signed), na->size, na->is_signed);
	}
	return node_add(x, (struct node){ .kind = NODE_UNARY, .value = VALUE_INT, .op = op, .size = na->size,
					  .is_signed = na->is_signed, .a = a, .b = NO_NODE, .c = NO_NODE });
}

uint32_t node_element(struct exprs *x, uint32_t bytes, uint32_t index)
{
	struct node n;

	if (bytes == NO_NODE || want_int(x, index) == NO_NODE)
		return NO_NODE;
	n = x->nodes.at[bytes];
	if (n.value != VALUE_BYTES || n.kind == NODE_RECORD)
		return node_fail(x, "what is at an address in the kernel is not in the record");
	if (n.size != 1 && n.size != 2 && n.size != 4 && n.size != 8)
		return node_fail(x, "an element of %u bytes is no number", n.size);
	return node_add(x,
			(struct node){ .kind = NODE_ELEMENT,
				       .value = VALUE_INT,
				       .size = n.size,
				       .is_signed = n.is_signed,
				       .a = bytes,
				       .b = index,
				       .c = NO_NODE });
}

/* &REC->field, &REC->array[2] */
uint32_t node_address(struct exprs *x, uint32_t a)
{
	struct node n;

	if (a == NO_NODE)
		return NO_NODE;
	n = x->nodes.at[a];
	if (n.kind == NODE_FIELD)
		return node_bytes(x, n.field);
	if (n.kind == NODE_ELEMENT)
		return advance(x, n.a, n.b);
	if (n.value == VALUE_BYTES)
		return a;
	return node_fail(x, "the address of something that is no field");
}

uint32_t node_cast(struct exprs *x, struct ctype type, uint32_t a)
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
		return node_add(x, n);
	}
	if (type.is_pointer)
		return node_convert(x, a, x->event->long_size, false);
	return type.size ? node_convert(x, a, type.size, type.is_signed) : a;
}

uint32_t node_cond(struct exprs *x, uint32_t a, uint32_t b, uint32_t c)
{
	struct node n = { .kind = NODE_COND };

	if (want_int(x, a) == NO_NODE)
		return NO_NODE;
	if (x->nodes.at[a].kind == NODE_NUMBER)
		return x->nodes.at[a].number ? b : c;
	if (node_is_int(x, b) && node_is_int(x, c) && !balance(x, &b, &c))
		return NO_NODE;
	n.value = x->nodes.at[b].value == x->nodes.at[c].value ? x->nodes.at[b].value : VALUE_TEXT;
	n.size = x->nodes.at[b].size;
	n.is_signed = x->nodes.at[b].is_signed;
	n.is_pointer = x->nodes.at[b].is_pointer;
	n.a = a;
	n.b = b;
	n.c = c;
	return node_add(x, n);
}

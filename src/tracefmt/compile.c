/* SPDX-License-Identifier: MIT */
/* compile.c - the conversions of a print format and the trees of their arguments become steps */
#include "tracefmt/program.h"

#include "base/ascii.h"
#include "tracefmt/call.h"
#include "tracefmt/conversion.h"

#define MAX_PRINT_FMT (256u << 10)     /* forty times the longest of a kernel */

struct compiler {
	struct exprs x;
	struct arena *arena;         /* for the program */
	VEC(struct step) steps;
	VEC(char) literals;
	VEC(struct conversion) conversions;
	VEC(struct extension) extensions;
	VEC(struct program_call) calls;
	size_t barrier;              /* a jump leads to this step: it cannot be joined with the one before */
	unsigned stack;
	struct sonde_str format;
	size_t at;                   /* in format */
};

static bool fail_memory(struct compiler *c)
{
	node_fail(&c->x, "out of memory");
	return false;
}

/* Parts of an expression that are used twice become steps twice: no more of them than such a text can need. */
static bool step(struct compiler *c, struct step s)
{
	if (c->steps.n > 4 * c->x.event->print_fmt.len) {
		node_fail(&c->x, "the print format is too long");
		return false;
	}
	return vec_push(&c->steps, s) == 0 || fail_memory(c);
}

static bool push(struct compiler *c, struct step s)
{
	if (++c->stack > PROGRAM_STACK) {
		node_fail(&c->x, "too many values at once");
		return false;
	}
	return step(c, s);
}

static bool pop(struct compiler *c, unsigned n, struct step s)
{
	c->stack -= n;
	return step(c, s);
}

/* The place of a jump that is still to be told where it leads. */
static bool jump(struct compiler *c, uint8_t op, size_t *place)
{
	*place = c->steps.n;
	return step(c, (struct step){ .op = op });
}

static void land(struct compiler *c, size_t place)
{
	c->steps.at[place].a = (uint32_t)c->steps.n;
	c->barrier = c->steps.n;
}

static bool literal(struct compiler *c, const char *s, size_t n)
{
	struct step *last = c->steps.n > c->barrier ? &c->steps.at[c->steps.n - 1] : NULL;
	size_t start = c->literals.n;

	if (n == 0)
		return true;
	if (vec_reserve(&c->literals, n) < 0)
		return fail_memory(c);
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)s[i];

		c->literals.at[c->literals.n++] = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ? '.' :
														  s[i];
	}
	if (last && last->op == OP_LITERAL && last->a + last->v == start) {
		last->v += n;
		return true;
	}
	if (last && last->op >= OP_DECIMAL && last->op <= OP_FIELD_HEX && !last->nr_after && n <= SEQ_PADDING) {
		last->after = (uint32_t)start;
		last->nr_after = (uint8_t)n;
		return true;
	}
	return step(c, (struct step){ .op = OP_LITERAL, .a = (uint32_t)start, .v = n });
}

static bool value(struct compiler *c, uint32_t number);

static bool bytes_of_field(struct compiler *c, const struct sonde_tracepoint_field *f)
{
	if (f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC))
		return push(c, (struct step){ .op = OP_DYNAMIC, .size = f->size == 2 ? 2 : 4, .a = f->offset,
					      .v = f->flags & SONDE_TRACEPOINT_REL_LOC ? 1 : 0 });
	return push(c, (struct step){ .op = OP_BYTES, .a = f->offset, .v = f->size });
}

static bool conditional(struct compiler *c, const struct node *n, bool (*branch)(struct compiler *c, uint32_t number))
{
	size_t otherwise, end;
	unsigned stack;

	if (!value(c, n->a))
		return false;
	c->stack--;
	stack = c->stack;
	if (!jump(c, OP_JUMP_ZERO, &otherwise) || !branch(c, n->b) || !jump(c, OP_JUMP, &end))
		return false;
	c->stack = stack;
	land(c, otherwise);
	if (!branch(c, n->c))
		return false;
	land(c, end);
	return true;
}

static bool unary(struct compiler *c, const struct node *n)
{
	uint8_t op = n->op == '-' ? OP_NEGATE : n->op == '~' ? OP_INVERT : OP_NOT;

	return value(c, n->a) && step(c, (struct step){ .op = op, .size = n->size, .is_signed = n->is_signed });
}

/* Whether a node is an integer at a fixed place of the record: a field, or an element of an array. */
static bool has_place(const struct compiler *c, const struct node *n, uint32_t *offset)
{
	const struct node *array = n->kind == NODE_ELEMENT ? &c->x.nodes.at[n->a] : NULL,
			  *index = array ? &c->x.nodes.at[n->b] : NULL;

	if (n->kind == NODE_FIELD) {
		*offset = n->field->offset;
		return true;
	}
	if (n->kind == NODE_CAST && n->value == VALUE_INT && c->x.nodes.at[n->a].value == VALUE_INT &&
	    c->x.nodes.at[n->a].size == n->size)
		return has_place(c, &c->x.nodes.at[n->a], offset);
	if (!array || array->kind != NODE_BYTES || index->kind != NODE_NUMBER || !n->size ||
	    array->field->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC) ||
	    index->number >= array->field->size / n->size)
		return false;
	*offset = array->field->offset + (uint32_t)index->number * n->size;
	return true;
}

/* Steps that leave the value of a node on the stack. */
static bool value(struct compiler *c, uint32_t number)
{
	struct node n = c->x.nodes.at[number];
	struct step s = { .size = n.size, .is_signed = n.is_signed };

	if (has_place(c, &n, &s.a)) {
		s.op = OP_FIELD;
		return push(c, s);
	}
	switch (n.kind) {
	case NODE_NUMBER:
		return push(c, (struct step){ .op = OP_NUMBER, .v = n.number });
	case NODE_BYTES:
		return bytes_of_field(c, n.field);
	case NODE_LENGTH:
		return push(c, (struct step){ .op = OP_LENGTH, .a = n.field->offset });
	case NODE_UNARY:
		return unary(c, &n);
	case NODE_BINARY:
		s.op = OP_BINARY;
		s.a = n.op;
		s.v = n.number;
		return value(c, n.a) && value(c, n.b) && pop(c, 1, s);
	case NODE_COND:
		if (n.value == VALUE_TEXT)
			break;
		return conditional(c, &n, value);
	case NODE_CAST:
		s.op = OP_CAST;
		return value(c, n.a) && (n.value == VALUE_BYTES || step(c, s));
	case NODE_ELEMENT:
		s.op = OP_ELEMENT;
		return value(c, n.a) && value(c, n.b) && pop(c, 1, s);
	case NODE_ADVANCE:
		s.op = OP_ADVANCE;
		return value(c, n.a) && value(c, n.b) && pop(c, 1, s);
	case NODE_SWAP:
		s.op = OP_SWAP;
		return value(c, n.a) && step(c, s);
	default:
		break;
	}
	node_fail(&c->x, "text where a number is needed");
	return false;
}

static bool call_text(struct compiler *c, const struct node *n)
{
	struct program_call p = { .call = n->call, .names = n->names, .nr_names = n->nr_names, .number = n->number };
	uint32_t arguments[3] = { n->a, n->b, n->c };
	const struct node *bytes = &c->x.nodes.at[n->a];
	struct step s = { .op = OP_CALL, .size = bytes->size, .is_signed = bytes->is_signed };
	unsigned popped = 0;

	for (int i = 0; i < 3; i++)
		if (arguments[i] != NO_NODE) {
			if (!value(c, arguments[i]))
				return false;
			popped++;
		}
	s.a = (uint32_t)c->calls.n;
	p.text.p = arena_strndup(c->arena, n->text.p, n->text.len);
	p.text.len = n->text.len;
	if (!p.text.p || vec_push(&c->calls, p) < 0)
		return fail_memory(c);
	return pop(c, popped, s);
}

/* Steps that print a node as %s does. */
static bool text(struct compiler *c, uint32_t number)
{
	struct node n = c->x.nodes.at[number];

	if (n.kind == NODE_STRING)
		return literal(c, n.text.p, n.text.len);
	if (n.kind == NODE_CALL)
		return call_text(c, &n);
	if (n.kind == NODE_COND)
		return conditional(c, &n, text);
	if (n.kind == NODE_BYTES && !(n.field->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC)))
		return step(c, (struct step){ .op = OP_FIELD_TEXT, .a = n.field->offset, .v = n.field->size });
	return value(c, number) &&
	       pop(c, 1, (struct step){ .op = n.value == VALUE_BYTES ? OP_TEXT : OP_CONSTANT });
}

/* The next argument, NO_NODE with a reason if there is none. */
static uint32_t argument(struct compiler *c)
{
	if (!expr_take(&c->x, OPERATOR(',', 0, 0)))
		return expr_unexpected(&c->x, "an argument");
	return expr_parse(&c->x);
}

/* Steps over an argument, up to the comma after it. */
static void skip_argument(struct lexer *l)
{
	unsigned nested = 0;

	for (; l->token.kind != TOKEN_END && l->token.kind != TOKEN_BAD; lexer_next(l)) {
		uint32_t op = l->token.kind == TOKEN_OPERATOR ? l->token.op : 0;

		if (op == OPERATOR('(', 0, 0) || op == OPERATOR('[', 0, 0) || op == OPERATOR('{', 0, 0))
			nested++;
		else if (nested &&
			 (op == OPERATOR(')', 0, 0) || op == OPERATOR(']', 0, 0) || op == OPERATOR('}', 0, 0)))
			nested--;
		else if (!nested && op == OPERATOR(',', 0, 0))
			return;
	}
}

/* As above; one that needs a variable of the kernel, as mem_map on 32-bit Arm, is the text "?": the
 * others can be printed. */
static uint32_t argument_or_mark(struct compiler *c)
{
	struct exprs before = c->x;
	uint32_t a = argument(c);

	if (a != NO_NODE || !c->x.needs_kernel)
		return a;
	c->x.lexer = before.lexer;
	c->x.depth = before.depth;
	c->x.in_names = before.in_names;
	c->x.needs_kernel = false;
	c->x.reason[0] = '\0';
	lexer_next(&c->x.lexer);  /* the comma */
	skip_argument(&c->x.lexer);
	return node_add(
		&c->x,
		(struct node){ .kind = NODE_STRING, .value = VALUE_TEXT, .text = { "?", 1 }, .number = 1, LEAF });
}

/* The mark of an argument that cannot be computed takes no conversion but that of text. */
static bool is_mark(const struct compiler *c, uint32_t a)
{
	return c->x.nodes.at[a].kind == NODE_STRING && c->x.nodes.at[a].number;
}

static bool star_argument(struct compiler *c, uint8_t op)
{
	uint32_t a = argument(c);

	if (a == NO_NODE)
		return false;
	if (c->x.nodes.at[a].value != VALUE_INT) {
		node_fail(&c->x, "the argument of a '*' is no number");
		return false;
	}
	return value(c, a) && pop(c, 1, (struct step){ .op = op });
}

static char peek(const struct compiler *c)
{
	return c->at < c->format.len ? c->format.p[c->at] : '\0';
}

/* The digits that a conversion gives at least, if that is all it asks for; 0: it has other flags. */
static unsigned least_digits(const struct conversion *v)
{
	if (v->left || v->plus || v->blank || v->alternate || v->star_width || v->star_precision || v->precision >= 0)
		return 0;
	if (v->width == 0)
		return 1;
	/* %08lx, as arguments of system calls have it */
	return v->letter == 'x' && v->zero && v->width <= 16 ? (unsigned)v->width : 0;
}

/* Integers without flags, width and precision; those straight from a field are one step. */
static bool simple_integer(struct compiler *c, const struct conversion *v, unsigned digits, uint32_t a)
{
	const struct node *n = &c->x.nodes.at[a];
	uint8_t op = v->letter == 'x' ? OP_HEX : v->letter == 'u' ? OP_UNSIGNED : OP_DECIMAL;
	bool is_signed = op == OP_DECIMAL;
	uint32_t offset;

	/* the field as it is must be what the conversion makes of it */
	if (has_place(c, n, &offset) && (n->size == v->size || (n->size < v->size && (!n->is_signed || is_signed))))
		return step(c, (struct step){ .op = (uint8_t)(op - OP_DECIMAL + OP_FIELD_DECIMAL), .size = n->size,
					      .is_signed = n->size == v->size ? is_signed : n->is_signed,
					      .a = offset, .v = digits });
	return value(c, a) && pop(c, 1, (struct step){ .op = op, .size = v->size, .is_signed = is_signed,
						       .v = digits });
}

static bool integer(struct compiler *c, const struct conversion *v, uint32_t a)
{
	unsigned digits = least_digits(v);
	uint32_t number = (uint32_t)c->conversions.n;

	if (c->x.nodes.at[a].value != VALUE_INT) {
		node_fail(&c->x, "text or an array for %%%c", v->letter);
		return false;
	}
	if (digits && strchr("diux", v->letter))
		return simple_integer(c, v, digits, a);
	if (vec_push(&c->conversions, *v) < 0)
		return fail_memory(c);
	return value(c, a) && pop(c, 1, (struct step){ .op = OP_INTEGER, .a = number });
}

/* `print` between OP_MARK and OP_FIT if the conversion has a width or a precision */
static bool fitted(struct compiler *c, const struct conversion *v, uint32_t a,
		   bool (*print)(struct compiler *c, uint32_t a))
{
	uint32_t number = (uint32_t)c->conversions.n;

	if (!v->width && v->precision < 0 && !v->star_width && !v->star_precision)
		return print(c, a);
	if (vec_push(&c->conversions, *v) < 0)
		return fail_memory(c);
	c->barrier = c->steps.n + 1;
	return step(c, (struct step){ .op = OP_MARK }) && print(c, a) &&
		step(c, (struct step){ .op = OP_FIT, .a = number });
}

static bool plain_pointer(struct compiler *c, uint32_t a)
{
	return value(c, a) && pop(c, 1, (struct step){ .op = OP_POINTER });
}

static bool symbol(struct compiler *c, uint32_t a)
{
	return value(c, a) && pop(c, 1, (struct step){ .op = OP_SYMBOL, .v = 0 });
}

static bool symbol_offset(struct compiler *c, uint32_t a)
{
	return value(c, a) && pop(c, 1, (struct step){ .op = OP_SYMBOL, .v = 1 });
}

/* Letters of %p whose bytes are looked at, and not the pointer. */
static bool has_extension(const char *letters)
{
	return strchr("MmIiUhb", letters[0]) && letters[0];
}

/* The letters after %p: all that are letters or digits belong to it, known or not. */
static bool pointer(struct compiler *c, struct conversion *v)
{
	struct extension x = { .star_width = v->star_width, .width = v->width };
	size_t n = 0;
	uint32_t a;

	for (; is_alnum(peek(c)); c->at++)
		if (n < sizeof(x.letters) - 1)
			x.letters[n++] = peek(c);
	a = argument_or_mark(c);
	if (a == NO_NODE)
		return false;
	if (is_mark(c, a))
		return fitted(c, v, a, text);
	if (c->x.nodes.at[a].value == VALUE_BYTES && has_extension(x.letters)) {
		if (vec_push(&c->extensions, x) < 0)
			return fail_memory(c);
		return value(c, a) && pop(c, 1, (struct step){ .op = OP_EXTENSION, .size = c->x.nodes.at[a].size,
							       .a = (uint32_t)(c->extensions.n - 1) });
	}
	if (c->x.nodes.at[a].value != VALUE_INT) {
		node_fail(&c->x, "the address of something in the record for %%p%s", x.letters);
		return false;
	}
	switch (x.letters[0]) {
	case 'S': case 'F': case 'B':
		return fitted(c, v, a, symbol_offset);
	case 's': case 'f':
		if (x.letters[1] != 'w')   /* %pfw is a firmware node */
			return fitted(c, v, a, symbol);
	}
	return fitted(c, v, a, plain_pointer);
}

static bool conversion(struct compiler *c)
{
	struct conversion v = conversion_parse(c->format, &c->at, c->x.event->long_size);
	uint32_t a;

	if (v.letter == '%')
		return literal(c, "%", 1);
	if ((v.star_width && !star_argument(c, OP_SET_WIDTH)) ||
	    (v.star_precision && !star_argument(c, OP_SET_PRECISION)))
		return false;
	if (v.letter == 'p')
		return pointer(c, &v);
	if (!v.letter || !strchr("diuxXocs", v.letter)) {
		node_fail(&c->x, "unknown conversion %%%c", is_print(v.letter) ? v.letter : '?');
		return false;
	}
	a = argument_or_mark(c);
	if (a == NO_NODE)
		return false;
	return v.letter == 's' || is_mark(c, a) ? fitted(c, &v, a, text) : integer(c, &v, a);
}

static bool whole_format(struct compiler *c)
{
	size_t start;

	if (c->x.event->print_fmt.len > MAX_PRINT_FMT) {
		node_fail(&c->x, "the print format is longer than %u KB", MAX_PRINT_FMT >> 10);
		return false;
	}
	lexer_next(&c->x.lexer);
	if (!expr_take_string(&c->x, &c->format))
		return false;
	while (c->at < c->format.len) {
		for (start = c->at; c->at < c->format.len && c->format.p[c->at] != '%';)
			c->at++;
		if (!literal(c, c->format.p + start, c->at - start))
			return false;
		if (c->at == c->format.len)
			break;
		c->at++;
		if (!conversion(c))
			return false;
	}
	/* arguments that no conversion takes are as good as not there */
	return step(c, (struct step){ .op = OP_END });
}

#define KEEP(v) arena_memdup(c->arena, (v).at, (v).n * sizeof(*(v).at))

/* The names follow the literals, and both have what seq_put_padded() may read after them. */
static bool keep_text(struct compiler *c, struct tracefmt_program *p)
{
	struct value_name *names = KEEP(c->x.names);
	size_t n = c->literals.n, at = n;
	char *text;

	for (size_t i = 0; i < c->x.names.n; i++)
		n += c->x.names.at[i].name.len;
	text = arena_alloc(c->arena, n + SEQ_PADDING);
	if (!names || !text)
		return false;
	if (at)
		memcpy(text, c->literals.at, at);
	for (size_t i = 0; i < c->x.names.n; i++) {
		memcpy(text + at, names[i].name.p, names[i].name.len);
		names[i].name.p = text + at;
		at += names[i].name.len;
	}
	p->literals = text;
	p->names = names;
	return true;
}

/* Integers are digits, and the steps before OP_LITERAL print nothing. */
static bool is_ascii(const struct compiler *c)
{
	for (size_t i = 0; i < c->steps.n; i++)
		if (c->steps.at[i].op > OP_FIELD_HEX)
			return false;
	for (size_t i = 0; i < c->literals.n; i++)
		if ((uint8_t)c->literals.at[i] >= 0x80)
			return false;
	return true;
}

static int keep(struct compiler *c, const struct tracefmt_program **out)
{
	struct tracefmt_program *p = arena_alloc(c->arena, sizeof(*p));

	if (!p || !keep_text(c, p))
		return -SONDE_NOMEM;
	p->nr_steps = c->steps.n;
	p->is_ascii = is_ascii(c);
	p->steps = KEEP(c->steps);
	p->conversions = KEEP(c->conversions);
	p->extensions = KEEP(c->extensions);
	p->calls = KEEP(c->calls);
	p->nr_calls = c->calls.n;
	if (!p->steps || !p->conversions || !p->extensions || !p->calls)
		return -SONDE_NOMEM;
	*out = p;
	return 0;
}

int program_compile(const struct tracefmt_event *e, struct arena *arena, const struct tracefmt_program **program,
		    const char **unprintable)
{
	struct arena scratch = { 0 };
	struct compiler c = {
		.arena = arena,
		.x = { .event = e,
		       .call = call_parse,
		       .lexer = { .p = e->print_fmt.p,
				  .end = e->print_fmt.p + e->print_fmt.len,
				  .long_size = e->long_size,
				  .arena = &scratch } },
	};
	int r = 0;

	if (whole_format(&c)) {
		r = keep(&c, program);
	} else {
		*unprintable = arena_strndup(arena, c.x.reason, strlen(c.x.reason));
		r = *unprintable ? 0 : -SONDE_NOMEM;
	}
	vec_free(&c.steps);
	vec_free(&c.literals);
	vec_free(&c.conversions);
	vec_free(&c.extensions);
	vec_free(&c.calls);
	vec_free(&c.x.nodes);
	vec_free(&c.x.names);
	vec_free(&c.x.locals);
	arena_free(&scratch);
	return r;
}

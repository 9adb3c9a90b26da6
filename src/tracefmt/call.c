/* SPDX-License-Identifier: MIT */
/*
 * call.c - the functions that may be called in a print format
 *
 * Each is a row of `functions`: how its arguments are read and what node they become.
 */
#include "tracefmt/call.h"

#include "tracefmt/node.h"
#include "tracefmt/operator.h"

struct call_function {
	const char *name;
	uint32_t (*parse)(struct exprs *x, const struct call_function *f);
	uint8_t call;                /* enum call */
	uint8_t size;                /* of a number */
	uint64_t number;             /* see each parse function */
};

static bool comma(struct exprs *x)
{
	return expr_expect(x, ',');
}

static uint32_t int_argument(struct exprs *x)
{
	uint32_t a = expr_parse(x);

	if (a != NO_NODE && x->nodes.at[a].value != VALUE_INT)
		return node_fail(x, "a number is needed as an argument");
	return a;
}

static uint32_t bytes_argument(struct exprs *x)
{
	uint32_t a = expr_parse(x);

	if (a != NO_NODE && (x->nodes.at[a].value != VALUE_BYTES || x->nodes.at[a].kind == NODE_RECORD))
		return node_fail(x, "an array of the record is needed as an argument");
	return a;
}

static uint32_t text_node(struct exprs *x, const struct call_function *f, struct node n)
{
	n.kind = NODE_CALL;
	n.call = f->call;
	n.value = VALUE_TEXT;
	return node_add(x, n);
}

/* The name of a field, as __get_str(name) has it. */
static const struct sonde_tracepoint_field *field_argument(struct exprs *x)
{
	struct sonde_str name = x->lexer.token.text;

	if (x->lexer.token.kind != TOKEN_NAME) {
		expr_unexpected(x, "a field name");
		return NULL;
	}
	lexer_next(&x->lexer);
	return node_find_field(x, name);
}

/* Entries {value, "name"} up to the closing parenthesis. The empty list "{ }" occurs. Kernels leave some enumerators as
 * names, whose values only they know: such entries are left out, what they stand for is printed as a number. */
static bool names_argument(struct exprs *x, struct node *n)
{
	struct value_name v;
	bool ended = false;          /* the kernel stops at an entry without name, as in { -1, NULL } */
	uint32_t a;

	n->names = (uint32_t)x->names.n;
	while (!expr_at(x, OPERATOR(')', 0, 0))) {
		if (!expr_expect(x, '{'))
			return false;
		if (!expr_at(x, OPERATOR('}', 0, 0))) {
			x->in_names = true;
			x->unknown = false;
			a = expr_parse(x);
			x->in_names = false;
			if (a == NO_NODE || !comma(x))
				return false;
			if (x->nodes.at[a].kind != NODE_NUMBER) {
				node_fail(x, "the value of a name is not constant");
				return false;
			}
			v.value = x->nodes.at[a].number;
			if (x->lexer.token.kind != TOKEN_STRING) {
				ended = true;
				if (int_argument(x) == NO_NODE)
					return false;
			} else if (!expr_take_string(x, &v.name)) {
				return false;
			}
			if (!x->unknown && !ended && vec_push(&x->names, v) < 0) {
				node_fail(x, "out of memory");
				return false;
			}
		}
		expr_take(x, OPERATOR(',', 0, 0));
		if (!expr_expect(x, '}'))
			return false;
		if (!expr_take(x, OPERATOR(',', 0, 0)))
			break;
	}
	n->nr_names = (uint32_t)(x->names.n - n->names);
	return true;
}

/* The kernel takes an unsigned long unless number is 1, for the 64-bit variants. */
static uint32_t as_mask(struct exprs *x, uint32_t a, const struct call_function *f)
{
	return a == NO_NODE ? NO_NODE : node_convert(x, a, f->number ? 8 : x->event->long_size, false);
}

static void narrow_names(struct exprs *x, const struct node *n, const struct call_function *f)
{
	for (uint32_t i = 0; i < n->nr_names; i++) {
		uint64_t *v = &x->names.at[n->names + i].value;

		*v = narrow_integer(*v, f->number ? 8 : x->event->long_size, false);
	}
}

static uint32_t parse_flags(struct exprs *x, const struct call_function *f)
{
	struct node n = { .b = NO_NODE, .c = NO_NODE };

	n.a = as_mask(x, int_argument(x), f);
	if (n.a == NO_NODE || !comma(x) || !expr_take_string(x, &n.text))
		return NO_NODE;
	if (expr_take(x, OPERATOR(',', 0, 0)) && !names_argument(x, &n))
		return NO_NODE;
	narrow_names(x, &n, f);
	return text_node(x, f, n);
}

static uint32_t parse_symbolic(struct exprs *x, const struct call_function *f)
{
	struct node n = { .b = NO_NODE, .c = NO_NODE };

	n.a = as_mask(x, int_argument(x), f);
	if (n.a == NO_NODE || (expr_take(x, OPERATOR(',', 0, 0)) && !names_argument(x, &n)))
		return NO_NODE;
	narrow_names(x, &n, f);
	return text_node(x, f, n);
}

/* number: what stands between the bytes */
static uint32_t parse_hex(struct exprs *x, const struct call_function *f)
{
	struct node n = { .c = NO_NODE, .number = f->number };

	n.a = bytes_argument(x);
	if (n.a == NO_NODE || !comma(x))
		return NO_NODE;
	n.b = int_argument(x);
	return n.b == NO_NODE ? NO_NODE : text_node(x, f, n);
}

/* (number) */
static uint32_t parse_number_text(struct exprs *x, const struct call_function *f)
{
	struct node n = { .a = int_argument(x), .b = NO_NODE, .c = NO_NODE };

	return n.a == NO_NODE ? NO_NODE : text_node(x, f, n);
}

/* scsi_trace_parse_cdb(p, command, bytes of it); p is what the kernel prints to */
static uint32_t parse_scsi(struct exprs *x, const struct call_function *f)
{
	if (x->lexer.token.kind != TOKEN_NAME)
		return expr_unexpected(x, "a name");
	lexer_next(&x->lexer);
	return comma(x) ? parse_hex(x, f) : NO_NODE;
}

static uint32_t parse_array(struct exprs *x, const struct call_function *f)
{
	struct node n = { 0 };

	n.a = bytes_argument(x);
	if (n.a == NO_NODE || !comma(x))
		return NO_NODE;
	n.b = int_argument(x);
	if (n.b == NO_NODE || !comma(x))
		return NO_NODE;
	n.c = int_argument(x);
	return n.c == NO_NODE ? NO_NODE : text_node(x, f, n);
}

static uint32_t length_of(struct exprs *x, const struct sonde_tracepoint_field *field)
{
	return node_add(x, (struct node){ .kind = NODE_LENGTH, .value = VALUE_INT, .size = 4, .field = field, LEAF });
}

static uint32_t parse_dynamic_array(struct exprs *x, const struct call_function *f)
{
	const struct sonde_tracepoint_field *field = field_argument(x);
	struct node n = { 0 };

	if (!field || !comma(x))
		return NO_NODE;
	n.c = int_argument(x);
	n.a = n.c == NO_NODE ? NO_NODE : node_bytes(x, field);
	n.b = n.a == NO_NODE ? NO_NODE :
			       length_of(x, field); /* more than there are elements: the bytes end the array */
	return n.b == NO_NODE ? NO_NODE : text_node(x, f, n);
}

/* (prefix, kind of prefix, row size, group size, bytes, length, ascii): all but the bytes and their length constant */
static uint32_t parse_hex_dump(struct exprs *x, const struct call_function *f)
{
	struct node n = { .c = NO_NODE };
	uint64_t number[4] = { 0 };
	uint32_t a;

	if (!expr_take_string(x, &n.text))
		return NO_NODE;
	for (int i = 0; i < 4; i++) {
		if (!comma(x))
			return NO_NODE;
		if (i == 3) {
			n.a = bytes_argument(x);
			if (n.a == NO_NODE || !comma(x))
				return NO_NODE;
			n.b = int_argument(x);
			if (n.b == NO_NODE || !comma(x))
				return NO_NODE;
		}
		a = int_argument(x);
		if (a == NO_NODE)
			return NO_NODE;
		if (x->nodes.at[a].kind != NODE_NUMBER)
			return node_fail(x, "an argument of __print_hex_dump is not constant");
		number[i] = x->nodes.at[a].number & 0xff;
	}
	n.number = number[1] | number[2] << 8 | number[3] << 16 | number[0] << 24;
	return text_node(x, f, n);
}

static uint32_t parse_field_text(struct exprs *x, const struct call_function *f)
{
	const struct sonde_tracepoint_field *field = field_argument(x);
	struct node n = { .b = NO_NODE, .c = NO_NODE };

	n.a = field ? node_bytes(x, field) : NO_NODE;
	return n.a == NO_NODE ? NO_NODE : text_node(x, f, n);
}

static uint32_t parse_field_bytes(struct exprs *x, const struct call_function *f)
{
	const struct sonde_tracepoint_field *field = field_argument(x);

	(void)f;
	return field ? node_bytes(x, field) : NO_NODE;
}

static uint32_t parse_field_length(struct exprs *x, const struct call_function *f)
{
	const struct sonde_tracepoint_field *field = field_argument(x);

	(void)f;
	return field ? length_of(x, field) : NO_NODE;
}

static uint32_t parse_sizeof(struct exprs *x, const struct call_function *f)
{
	uint64_t size = 0;
	struct lexer before = x->lexer;
	struct ctype type;
	uint32_t a;

	(void)f;
	if (x->lexer.token.kind == TOKEN_NAME && expr_take_type(x, &type)) {
		size = type.is_pointer ? x->event->long_size : type.size;
		x->lexer = before;   /* the caller takes the ')' */
		while (!expr_at(x, OPERATOR(')', 0, 0)))
			lexer_next(&x->lexer);
	} else {
		a = expr_parse(x);
		if (a == NO_NODE)
			return NO_NODE;
		size = x->nodes.at[a].size;
		if (x->nodes.at[a].value == VALUE_BYTES && x->nodes.at[a].kind == NODE_BYTES)
			size = x->nodes.at[a].field->size;
		else if (x->nodes.at[a].value == VALUE_TEXT)
			size = x->nodes.at[a].text.len + 1;
	}
	return size ? node_number(x, size, x->event->long_size, false) : node_fail(x, "sizeof of an unknown type");
}

/* __builtin_expect(x, y): x */
static uint32_t parse_first(struct exprs *x, const struct call_function *f)
{
	uint32_t a = expr_parse(x), b;

	(void)f;
	while (a != NO_NODE && expr_take(x, OPERATOR(',', 0, 0))) {
		b = expr_parse(x);
		if (b == NO_NODE)
			return NO_NODE;
	}
	return a;
}

/* Bytes from the order that number names ('b' big, 'l' little) to the recorder's. */
static uint32_t from_byte_order(struct exprs *x, const struct call_function *f, uint32_t a)
{
	bool big = x->event->swap != host_is_big_endian();

	a = a == NO_NODE ? NO_NODE : node_convert(x, a, f->size, false);
	if (a == NO_NODE || big == (f->number == 'b'))
		return a;
	return node_add(x, (struct node){ .kind = NODE_SWAP, .value = VALUE_INT, .size = f->size, .a = a, .b = NO_NODE,
					  .c = NO_NODE });
}

static uint32_t parse_byte_order(struct exprs *x, const struct call_function *f)
{
	return from_byte_order(x, f, int_argument(x));
}

/* The same of the number at an address. */
static uint32_t parse_byte_order_at(struct exprs *x, const struct call_function *f)
{
	uint32_t a = bytes_argument(x), first = a == NO_NODE ? NO_NODE : node_number(x, 0, 4, true);

	if (first == NO_NODE)
		return NO_NODE;
	return from_byte_order(x, f,
			       node_add(x,
					(struct node){ .kind = NODE_ELEMENT,
						       .value = VALUE_INT,
						       .size = f->size,
						       .a = a,
						       .b = first,
						       .c = NO_NODE }));
}

static uint32_t nanoseconds(struct exprs *x, uint32_t a, uint32_t op)
{
	uint32_t billion = a == NO_NODE ? NO_NODE : node_number(x, 1000000000, 8, false);

	a = billion == NO_NODE ? NO_NODE : node_convert(x, a, 8, false);
	if (a == NO_NODE)
		return NO_NODE;
	return node_add(x,
			(struct node){ .kind = NODE_BINARY,
				       .value = VALUE_INT,
				       .op = op,
				       .size = 8,
				       .a = a,
				       .b = billion,
				       .c = NO_NODE });
}

/* number: the operator that gives the seconds, or what is left of them */
static uint32_t parse_nanoseconds(struct exprs *x, const struct call_function *f)
{
	return nanoseconds(x, int_argument(x), (uint32_t)f->number);
}

static const struct call_function functions[] = {
	{ "__print_flags", parse_flags, CALL_FLAGS, 0, 0 },
	{ "__print_flags_u64", parse_flags, CALL_FLAGS, 0, 1 },
	{ "__print_symbolic", parse_symbolic, CALL_SYMBOLIC, 0, 0 },
	{ "__print_symbolic_u64", parse_symbolic, CALL_SYMBOLIC, 0, 1 },
	{ "__print_hex", parse_hex, CALL_HEX, 0, ' ' },
	{ "__print_hex_str", parse_hex, CALL_HEX, 0, 0 },
	{ "__print_array", parse_array, CALL_ARRAY, 0, 0 },
	{ "__print_dynamic_array", parse_dynamic_array, CALL_ARRAY, 0, 0 },
	{ "__print_hex_dump", parse_hex_dump, CALL_HEX_DUMP, 0, 0 },
	{ "__print_ns_to_secs", parse_nanoseconds, 0, 0, '/' },
	{ "__print_ns_without_secs", parse_nanoseconds, 0, 0, '%' },
	{ "__get_str", parse_field_bytes, 0, 0, 0 },
	{ "__get_rel_str", parse_field_bytes, 0, 0, 0 },
	{ "__get_dynamic_array", parse_field_bytes, 0, 0, 0 },
	{ "__get_rel_dynamic_array", parse_field_bytes, 0, 0, 0 },
	{ "__get_dynamic_array_len", parse_field_length, 0, 0, 0 },
	{ "__get_rel_dynamic_array_len", parse_field_length, 0, 0, 0 },
	{ "__get_bitmask", parse_field_text, CALL_BITMASK, 0, 0 },
	{ "__get_rel_bitmask", parse_field_text, CALL_BITMASK, 0, 0 },
	{ "__get_cpumask", parse_field_text, CALL_CPULIST, 0, 0 },
	{ "__get_rel_cpumask", parse_field_text, CALL_CPULIST, 0, 0 },
	{ "__get_sockaddr", parse_field_text, CALL_SOCKADDR, 0, 0 },
	{ "__get_rel_sockaddr", parse_field_text, CALL_SOCKADDR, 0, 0 },
	{ "__get_sockaddr_rel", parse_field_text, CALL_SOCKADDR, 0, 0 },
	/* How many jiffies are a second is not recorded: they are printed as they are, which is what trace-cmd does. */
	{ "jiffies_to_msecs", parse_first, 0, 0, 0 },
	{ "jbd2_dev_to_name", parse_number_text, CALL_DEVICE, 0, 0 },
	{ "xen_hypercall_name", parse_number_text, CALL_HYPERCALL, 0, 0 },
	{ "scsi_trace_parse_cdb", parse_scsi, CALL_SCSI, 0, 0 },
	{ "sizeof", parse_sizeof, 0, 0, 0 },
	{ "__builtin_expect", parse_first, 0, 0, 0 },
	{ "likely", parse_first, 0, 0, 0 },
	{ "unlikely", parse_first, 0, 0, 0 },
	{ "ntohs", parse_byte_order, 0, 2, 'b' }, { "htons", parse_byte_order, 0, 2, 'b' },
	{ "ntohl", parse_byte_order, 0, 4, 'b' }, { "htonl", parse_byte_order, 0, 4, 'b' },
	{ "be16_to_cpu", parse_byte_order, 0, 2, 'b' }, { "cpu_to_be16", parse_byte_order, 0, 2, 'b' },
	{ "be32_to_cpu", parse_byte_order, 0, 4, 'b' }, { "cpu_to_be32", parse_byte_order, 0, 4, 'b' },
	{ "be64_to_cpu", parse_byte_order, 0, 8, 'b' }, { "cpu_to_be64", parse_byte_order, 0, 8, 'b' },
	{ "le16_to_cpu", parse_byte_order, 0, 2, 'l' }, { "cpu_to_le16", parse_byte_order, 0, 2, 'l' },
	{ "le32_to_cpu", parse_byte_order, 0, 4, 'l' }, { "cpu_to_le32", parse_byte_order, 0, 4, 'l' },
	{ "le64_to_cpu", parse_byte_order, 0, 8, 'l' }, { "cpu_to_le64", parse_byte_order, 0, 8, 'l' },
	{ "le16_to_cpup", parse_byte_order_at, 0, 2, 'l' },
	{ "__le16_to_cpup", parse_byte_order_at, 0, 2, 'l' },
	{ "le32_to_cpup", parse_byte_order_at, 0, 4, 'l' },
	{ "__le32_to_cpup", parse_byte_order_at, 0, 4, 'l' },
	{ "le64_to_cpup", parse_byte_order_at, 0, 8, 'l' },
	{ "__le64_to_cpup", parse_byte_order_at, 0, 8, 'l' },
	{ "be16_to_cpup", parse_byte_order_at, 0, 2, 'b' },
	{ "__be16_to_cpup", parse_byte_order_at, 0, 2, 'b' },
	{ "be32_to_cpup", parse_byte_order_at, 0, 4, 'b' },
	{ "__be32_to_cpup", parse_byte_order_at, 0, 4, 'b' },
	{ "be64_to_cpup", parse_byte_order_at, 0, 8, 'b' },
	{ "__be64_to_cpup", parse_byte_order_at, 0, 8, 'b' },
};

uint32_t call_parse(struct exprs *x, struct sonde_str name)
{
	uint32_t a;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strlen(functions[i].name) != name.len || memcmp(functions[i].name, name.p, name.len) != 0)
			continue;
		a = functions[i].parse(x, &functions[i]);
		return a != NO_NODE && expr_expect(x, ')') ? a : NO_NODE;
	}
	return node_fail(x, "%.*s() is a function of the kernel", (int)(name.len < 60 ? name.len : 60), name.p);
}

/* SPDX-License-Identifier: MIT */
/* print.c - runs the program of an event over the raw bytes of a record */
#include <string.h>

#include "base/text.h"
#include "tracefmt/context.h"
#include "tracefmt/hypercall.h"
#include "tracefmt/operator.h"
#include "tracefmt/pointer.h"
#include "tracefmt/print.h"
#include "tracefmt/print_fields.h"
#include "tracefmt/scsi.h"
#include "tracefmt/text.h"

/* Limits for one record: names that are compared, bits that are looked at. */
#define MAX_EFFORT (4u << 20)

/* An integer, or bytes of the record: v is their offset then. Which of them, the compiler knew. */
struct print_value {
	uint64_t v;
	uint64_t len;
};

struct print_machine {
	const struct tracefmt_event *event;
	const struct tracefmt_program *program;
	const struct tracefmt_context *context;
	struct sonde_bytes raw;
	struct seq_buf out;
	uint32_t effort;             /* that may still be made */
	bool lines;                  /* messages keep their line breaks */
	char *mark;
	int32_t width, precision;    /* of the next '*' */
	struct print_value *top;     /* the next free place of the stack */
	struct print_value stack[PROGRAM_STACK];
};

/* Bytes beyond the record read as 0. */
static inline uint64_t field(const struct print_machine *m, const struct step *s)
{
	if (s->a > m->raw.len || s->size > m->raw.len - s->a)
		return 0;
	return load_integer(m->raw.p + s->a, s->size, s->is_signed, m->event->swap);
}

static struct print_value clamp(const struct print_machine *m, uint64_t offset, uint64_t len)
{
	if (offset > m->raw.len)
		return (struct print_value){ m->raw.len, 0 };
	return (struct print_value){ offset, len < m->raw.len - offset ? len : m->raw.len - offset };
}

static struct print_value dynamic(const struct print_machine *m, const struct step *s)
{
	uint64_t word = field(m, &(struct step){ .a = s->a, .size = s->size });
	uint64_t base = s->v ? (uint64_t)s->a + s->size : 0;

	return clamp(m, base + (word & 0xffff), s->size == 4 ? word >> 16 : UINT64_MAX);
}

static struct sonde_bytes bytes(const struct print_machine *m, struct print_value v)
{
	return (struct sonde_bytes){ m->raw.p + v.v, v.len };
}

static void advance(struct print_value *v, uint64_t index, uint8_t size)
{
	uint64_t skip = index > v->len / size ? v->len : index * size;

	v->v += skip;
	v->len -= skip;
}

static uint64_t element(const struct print_machine *m, struct print_value v, uint64_t index, const struct step *s)
{
	if (index >= v.len / s->size)
		return 0;
	return load_integer(m->raw.p + v.v + index * s->size, s->size, s->is_signed, m->event->swap);
}

static uint64_t swap_bytes(uint64_t v, uint8_t size)
{
	return size == 2 ? bswap_16((uint16_t)v) : size == 4 ? bswap_32((uint32_t)v) : bswap_64(v);
}

static int32_t to_width(uint64_t v)
{
	int32_t w = (int32_t)v;

	return w > TRACEFMT_TEXT_MAX ? TRACEFMT_TEXT_MAX : w < -TRACEFMT_TEXT_MAX ? -TRACEFMT_TEXT_MAX : w;
}

static void print_hex_number(struct seq_buf *o, uint64_t v)
{
	seq_put(o, "0x", 2);
	seq_hex(o, v);
}

static void print_symbol(struct print_machine *m, uint64_t address, bool with_offset)
{
	const struct tracefmt_context *c = m->context;
	struct sonde_str name;
	uint64_t offset;

	if (!context_symbol(m->event, c, address, &name, &offset)) {
		print_hex_number(&m->out, address);
		return;
	}
	seq_text(&m->out, (const uint8_t *)name.p, name.len);
	if (with_offset) {
		seq_char(&m->out, '+');
		print_hex_number(&m->out, offset);
	}
}

static void print_constant(struct print_machine *m, uint64_t address)
{
	const char *s = context_constant(m->event, m->context, address);

	if (s)
		seq_text(&m->out, (const uint8_t *)s, strlen(s));
	else
		seq_hex(&m->out, address);
}

static void print_pointer(struct seq_buf *o, uint64_t v)
{
	if (v)
		print_hex_number(o, v);
	else
		seq_put(o, "(nil)", 5);
}

static void print_extension(struct print_machine *m, const struct extension *x, struct print_value v)
{
	uint64_t count = x->star_width ? (m->width > 0 ? (uint64_t)m->width : 0) : (uint64_t)x->width;
	struct bitmap_layout layout = { m->event->swap, m->event->long_size };
	bool big_endian = m->event->swap != host_is_big_endian();
	struct sonde_bytes b = bytes(m, v);

	switch (x->letters[0]) {
	case 'M': case 'm':
		pointer_mac(&m->out, b, x->letters);
		break;
	case 'I': case 'i':
		pointer_ip(&m->out, b, x->letters[0] == 'i', x->letters + 1, big_endian);
		break;
	case 'U':
		pointer_uuid(&m->out, b, x->letters[1]);
		break;
	case 'h':
		if (count > 64)
			count = 64;   /* the kernel prints no more */
		b.len = count < b.len ? count : b.len;
		pointer_hex(&m->out, b,
			    x->letters[1] == 'C'         ? ":" :
				    x->letters[1] == 'D' ? "-" :
				    x->letters[1] == 'N' ? "" :
							   " ");
		break;
	default:
		if (x->letters[1] == 'l')
			pointer_bitlist(&m->out, b, count, layout);
		else
			pointer_bitmap(&m->out, b, count, layout);
	}
}

/* Whether n more steps may be made; if not, nothing more is printed. */
static bool afford(struct print_machine *m, uint64_t n)
{
	if (n <= m->effort) {
		m->effort -= (uint32_t)n;
		return true;
	}
	m->effort = 0;
	return false;
}

static void print_flags(struct print_machine *m, const struct program_call *c, uint64_t v)
{
	const struct value_name *names = m->program->names + c->names;
	bool first = true;

	for (uint32_t i = 0; i < c->nr_names && v; i++) {
		if (!names[i].value || (v & names[i].value) != names[i].value)
			continue;
		if (!first)
			seq_put(&m->out, c->text.p, c->text.len);
		first = false;
		seq_put_padded(&m->out, names[i].name.p, names[i].name.len);
		v &= ~names[i].value;
	}
	if (!v)
		return;
	if (!first)
		seq_put(&m->out, c->text.p, c->text.len);
	print_hex_number(&m->out, v);
}

static void print_symbolic(struct print_machine *m, const struct program_call *c, uint64_t v)
{
	const struct value_name *names = m->program->names + c->names;

	for (uint32_t i = 0; i < c->nr_names; i++)
		if (names[i].value == v) {
			seq_put_padded(&m->out, names[i].name.p, names[i].name.len);
			return;
		}
	print_hex_number(&m->out, v);
}

static void print_array(struct print_machine *m, struct print_value v, uint64_t count, uint64_t size)
{
	seq_char(&m->out, '{');
	if (size == 1 || size == 2 || size == 4 || size == 8) {
		if (count > v.len / size)
			count = v.len / size;
		for (uint64_t i = 0; i < count && m->out.p < m->out.end; i++) {
			if (i)
				seq_char(&m->out, ',');
			print_hex_number(&m->out,
					 load_integer(m->raw.p + v.v + i * size, size, false, m->event->swap));
		}
	}
	seq_char(&m->out, '}');
}

static void print_call(struct print_machine *m, const struct program_call *c)
{
	struct bitmap_layout layout = { m->event->swap, m->event->long_size };
	const char separator[2] = { (char)c->number, '\0' };
	struct sonde_bytes b;
	const char *name;

	switch (c->call) {
	case CALL_FLAGS:
		m->top--;
		if (afford(m, c->nr_names))
			print_flags(m, c, m->top->v);
		break;
	case CALL_SYMBOLIC:
		m->top--;
		if (afford(m, c->nr_names))
			print_symbolic(m, c, m->top->v);
		break;
	case CALL_ARRAY:
		m->top -= 3;
		print_array(m, m->top[0], m->top[1].v, m->top[2].v);
		break;
	case CALL_DEVICE:
		m->top--;
		seq_decimal(&m->out, (uint32_t)m->top->v >> 20);
		seq_char(&m->out, ':');
		seq_decimal(&m->out, m->top->v & 0xfffff);
		break;
	case CALL_HYPERCALL:
		name = hypercall_name((--m->top)->v);
		seq_put(&m->out, name, strlen(name));
		break;
	case CALL_HEX:
	case CALL_SCSI:
	case CALL_HEX_DUMP:
		m->top -= 2;
		b = bytes(m, m->top[0]);
		b.len = m->top[1].v < b.len ? m->top[1].v : b.len;
		if (c->call == CALL_SCSI)
			scsi_print_command(&m->out, b);
		else if (c->call == CALL_HEX)
			pointer_hex(&m->out, b, separator);
		else
			pointer_hex_dump(&m->out, b,
					 &(struct hex_dump){ .prefix = c->text,
							     .row = (uint8_t)c->number,
							     .group = (uint8_t)(c->number >> 8),
							     .ascii = c->number >> 16 & 0xff,
							     .kind = (uint8_t)(c->number >> 24),
							     .swap = m->event->swap });
		break;
	default:
		b = bytes(m, *--m->top);
		if (!afford(m, 8 * b.len))
			return;
		if (c->call == CALL_BITMASK)
			pointer_bitmap(&m->out, b, 8 * b.len, layout);
		else if (c->call == CALL_CPULIST)
			pointer_bitlist(&m->out, b, 8 * b.len, layout);
		else
			pointer_ip(&m->out, b, false, "Spc", m->event->swap != host_is_big_endian());
	}
}

/* A line break that ends a string which ends the text is the caller's to print. */
static void print_text(struct print_machine *m, struct print_value v, const struct step *next)
{
	size_t n = strnlen((const char *)m->raw.p + v.v, v.len);

	if (m->lines) {
		seq_lines(&m->out, m->raw.p + v.v, n);
		return;
	}
	while (next->op == OP_JUMP)
		next = m->program->steps + next->a;
	if (n && next->op == OP_END && m->raw.p[v.v + n - 1] == '\n')
		n--;
	if (afford(m, n / 16))
		seq_text(&m->out, m->raw.p + v.v, n);
}

/* Steps that compute; their values stay on the stack. */
static void compute(struct print_machine *m, const struct step *s)
{
	struct print_value *top = m->top;

	switch (s->op) {
	case OP_BYTES:
		*m->top++ = clamp(m, s->a, s->v ? s->v : UINT64_MAX);
		break;
	case OP_DYNAMIC:
		*m->top++ = dynamic(m, s);
		break;
	case OP_LENGTH:
		(m->top++)->v = field(m, &(struct step){ .a = s->a, .size = 4 }) >> 16;
		break;
	case OP_NEGATE:
		top[-1].v = narrow_integer(-top[-1].v, s->size, s->is_signed);
		break;
	case OP_INVERT:
		top[-1].v = narrow_integer(~top[-1].v, s->size, s->is_signed);
		break;
	case OP_NOT:
		top[-1].v = !top[-1].v;
		break;
	case OP_BINARY:
		top[-2].v = narrow_integer(operator_result(s->a, top[-2].v, top[-1].v, s->v), s->size, s->is_signed);
		m->top--;
		break;
	case OP_CAST:
		top[-1].v = narrow_integer(top[-1].v, s->size, s->is_signed);
		break;
	case OP_ELEMENT:
		top[-2].v = element(m, top[-2], top[-1].v, s);
		m->top--;
		break;
	case OP_ADVANCE:
		advance(&top[-2], top[-1].v, s->size ? s->size : 1);
		m->top--;
		break;
	case OP_SWAP:
		top[-1].v = swap_bytes(top[-1].v, s->size);
		break;
	case OP_SET_WIDTH:
		m->width = to_width((--m->top)->v);
		break;
	case OP_SET_PRECISION:
		m->precision = to_width((--m->top)->v);
		break;
	}
}

static void convert(struct print_machine *m, const struct step *s)
{
	const struct conversion *c = m->program->conversions + s->a;
	int32_t width = c->star_width ? m->width : c->width,
		precision = c->star_precision ? m->precision : c->precision;

	if (s->op == OP_INTEGER)
		seq_integer(&m->out, c, width, precision, (--m->top)->v);
	else
		seq_fit(&m->out, m->mark, c, width, precision);
}

/* The literal after an integer. */
static inline void print_after(struct print_machine *m, const struct step *s)
{
	if (s->nr_after)
		seq_put_padded(&m->out, m->program->literals + s->after, s->nr_after);
}

static void run(struct print_machine *m)
{
	const struct tracefmt_program *p = m->program;
	const struct step *s = p->steps;
	struct print_value v;

	for (;; s++) {
		switch (s->op) {
		case OP_END:
			return;
		case OP_LITERAL:
			seq_put_padded(&m->out, p->literals + s->a, s->v);
			break;
		case OP_FIELD_DECIMAL:
			seq_signed(&m->out, (int64_t)field(m, s));
			print_after(m, s);
			break;
		case OP_FIELD_UNSIGNED:
			seq_decimal(&m->out, field(m, s));
			print_after(m, s);
			break;
		case OP_FIELD_HEX:
			seq_hex_zero(&m->out, field(m, s), (unsigned)s->v);
			print_after(m, s);
			break;
		case OP_FIELD_TEXT:
			print_text(m, clamp(m, s->a, s->v ? s->v : UINT64_MAX), s + 1);
			break;
		case OP_TEXT:
			v = *--m->top;
			print_text(m, v, s + 1);
			break;
		case OP_NUMBER:
			(m->top++)->v = s->v;
			break;
		case OP_FIELD:
			(m->top++)->v = field(m, s);
			break;
		case OP_JUMP_ZERO:
			if (!(--m->top)->v)
				s = p->steps + s->a - 1;
			break;
		case OP_JUMP:
			s = p->steps + s->a - 1;
			break;
		case OP_DECIMAL:
			seq_signed(&m->out, (int64_t)narrow_integer((--m->top)->v, s->size, true));
			print_after(m, s);
			break;
		case OP_UNSIGNED:
			seq_decimal(&m->out, narrow_integer((--m->top)->v, s->size, false));
			print_after(m, s);
			break;
		case OP_HEX:
			seq_hex_zero(&m->out, narrow_integer((--m->top)->v, s->size, false), (unsigned)s->v);
			print_after(m, s);
			break;
		case OP_INTEGER:
		case OP_FIT:
			convert(m, s);
			break;
		case OP_MARK:
			m->mark = m->out.p;
			break;
		case OP_CONSTANT:
			print_constant(m, (--m->top)->v);
			break;
		case OP_POINTER:
			print_pointer(&m->out, (--m->top)->v);
			break;
		case OP_SYMBOL:
			print_symbol(m, (--m->top)->v, s->v);
			break;
		case OP_EXTENSION:
			v = *--m->top;
			if (afford(m, 8 * v.len))
				print_extension(m, p->extensions + s->a, v);
			break;
		case OP_CALL:
			print_call(m, p->calls + s->a);
			break;
		default:
			compute(m, s);
		}
	}
}

static bool uses_printer(const struct tracefmt_text *text, const struct tracefmt_context *ctx)
{
	return text->printer && (text->printer->when == PRINTER_ALWAYS || (ctx && ctx->style == TRACEFMT_TRACE_CMD));
}

static bool run_printer(struct print_machine *m, const struct tracefmt_text *text)
{
	const struct printing p = { .event = m->event,
				    .program = m->program,
				    .fields = text->fields,
				    .context = m->context,
				    .raw = m->raw,
				    .out = &m->out };

	return text->printer->print(&p);
}

/* trace-cmd takes one line break from the end, and leaves what else a message ends in. */
static void drop_line_breaks(struct print_machine *m, const char *start)
{
	bool one = m->context && m->context->style == TRACEFMT_TRACE_CMD;

	while (m->out.p > start && m->out.p[-1] == '\n') {
		m->out.p--;
		if (one)
			break;
	}
}

void tracefmt_print(const struct tracefmt_event *e, struct sonde_bytes raw, const struct tracefmt_context *ctx,
		    struct buf *out)
{
	static const char too_long[] = " [cut: the print format runs too long]";
	const struct tracefmt_text *text = text_of(e);
	char *start = text ? buf_room(out, TRACEFMT_TEXT_MAX + sizeof(too_long)) : NULL;
	struct print_machine m;
	bool whole;

	if (!start)
		return;
	m.event = e;
	m.program = text->program;
	m.context = ctx;
	m.raw = raw.p ? raw : (struct sonde_bytes){ (const uint8_t *)"", 0 };
	m.out = (struct seq_buf){ start, start + TRACEFMT_TEXT_MAX };
	m.effort = MAX_EFFORT;
	m.lines = e->is_tracer;
	m.mark = start;
	m.width = m.precision = 0;
	m.top = m.stack;
	whole = uses_printer(text, ctx) && run_printer(&m, text);
	if (!whole && m.program)
		run(&m);
	drop_line_breaks(&m, start);
	if (whole || !m.program || !m.program->is_ascii)
		text_clean_wide(start, (size_t)(m.out.p - start));
	out->n += (size_t)(m.out.p - start);
	if (!whole && !m.program) {
		buf_str(out, "[FAILED TO PARSE]");
		tracefmt_print_fields(e, raw, out);
	}
	if (m.effort == 0)
		buf_str(out, too_long);
}

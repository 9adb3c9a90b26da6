/* SPDX-License-Identifier: MIT */
/*
 * bprint.c - bprint of trace_printk(): the address of a format, and the arguments as words
 *
 * Arguments lie one after the other in the order of the conversions, as vbin_printf() of the kernel packs them:
 * integers in their own size, aligned to it but never to more than 4; strings with their NUL; what a %p prints already
 * as text if it looks at what is behind the pointer.
 */
#include "base/ascii.h"
#include "base/bytes.h"
#include "tracefmt/context.h"
#include "tracefmt/conversion.h"
#include "tracefmt/plugin/plugins.h"
#include "tracefmt/print.h"

enum { IP, FMT, BUF };
enum { RAW_ID, RAW_BUF };

/* From a field on to the end of the record, however the field is declared. */
static struct sonde_bytes rest(const struct printing *p, unsigned i)
{
	size_t at = p->fields[i]->offset < p->raw.len ? p->fields[i]->offset : p->raw.len;

	return (struct sonde_bytes){ p->raw.p + at, p->raw.len - at };
}

struct arguments {
	const struct printing *p;
	const uint8_t *start, *at, *end;
	bool cut;                    /* the record ended */
};

static uint64_t take(struct arguments *a, uint8_t size, bool is_signed)
{
	size_t align = size < 4 ? size : 4;
	const uint8_t *at = a->start + ALIGN_UP((size_t)(a->at - a->start), align);
	bool swap = a->p->event->swap;

	if (at > a->end || a->end - at < size) {
		a->cut = true;
		return 0;
	}
	a->at = at + size;
	return load_integer(at, size, is_signed, swap);
}

static struct sonde_bytes take_string(struct arguments *a)
{
	size_t left = (size_t)(a->end - a->at), n = strnlen((const char *)a->at, left);
	struct sonde_bytes s = { a->at, n };

	a->cut |= left == 0;
	a->at += n < left ? n + 1 : left;
	return s;
}

static void print_text(struct arguments *a, const struct conversion *v, struct sonde_bytes s)
{
	char *start = a->p->out->p;

	if (v->precision >= 0 && s.len > (size_t)v->precision)
		s.len = (size_t)v->precision;
	seq_lines(a->p->out, s.p, s.len);
	seq_fit(a->p->out, start, v, v->width, -1);
}

static void print_address(struct arguments *a, const struct conversion *v, const char *letters)
{
	uint64_t address = take(a, a->p->event->long_size, false), offset;
	struct seq_buf *out = a->p->out;
	char *start = out->p;
	struct sonde_str name;

	if (strchr("sSfFB", letters[0]) && letters[0] &&
	    context_symbol(a->p->event, a->p->context, address, &name, &offset)) {
		seq_text(out, (const uint8_t *)name.p, name.len);
		if (letters[0] != 's' && letters[0] != 'f') {
			seq_put(out, "+0x", 3);
			seq_hex(out, offset);
		}
	} else {
		seq_put(out, "0x", 2);
		seq_hex(out, address);
	}
	seq_fit(out, start, v, v->width, -1);
}

/* Kernels before 4.16 recorded the pointer, whatever was printed of it. */
static bool is_text(const struct arguments *a)
{
	return a->at < a->end && is_print((char)*a->at);
}

static void print_pointer(struct arguments *a, const struct conversion *v, struct sonde_str format, size_t *at)
{
	char letters[2] = { *at < format.len ? format.p[*at] : '\0', '\0' };
	bool plain = !is_alnum(letters[0]) || strchr("SsxKe", letters[0]);

	while (*at < format.len && is_alnum(format.p[*at]))
		++*at;
	if (!plain && is_text(a))
		print_text(a, v, take_string(a));
	else
		print_address(a, v, letters);
}

static void print_conversion(struct arguments *a, struct sonde_str format, size_t *at)
{
	struct conversion v = conversion_parse(format, at, a->p->event->long_size);

	if (v.star_width)
		v.width = (int32_t)take(a, 4, true);
	if (v.star_precision)
		v.precision = (int32_t)take(a, 4, true);
	if (v.width > TRACEFMT_TEXT_MAX || v.width < -TRACEFMT_TEXT_MAX)
		v.width = 0;
	switch (v.letter) {
	case 'd': case 'i': case 'u': case 'x': case 'X': case 'o':
		seq_integer(a->p->out, &v, v.width, v.precision, take(a, v.size, v.letter == 'd' || v.letter == 'i'));
		break;
	case 'c':
		seq_integer(a->p->out, &v, v.width, v.precision, take(a, 1, false));
		break;
	case 's':
		print_text(a, &v, take_string(a));
		break;
	case 'p':
		print_pointer(a, &v, format, at);
		break;
	default:
		seq_char(a->p->out, v.letter ? v.letter : '%');
	}
}

static void print_message(struct arguments *a, struct sonde_str format)
{
	size_t at = 0, start;

	while (at < format.len && !a->cut && a->p->out->p < a->p->out->end) {
		for (start = at; at < format.len && format.p[at] != '%';)
			at++;
		seq_lines(a->p->out, (const uint8_t *)format.p + start, at - start);
		if (at == format.len)
			break;
		at++;
		print_conversion(a, format, &at);
	}
	if (a->cut)
		printing_str(a->p, " (cut)");
}

bool print_bprint(const struct printing *p)
{
	uint64_t address = printing_u64(p, FMT);
	const char *format = context_constant(p->event, p->context, address);
	struct sonde_bytes b = rest(p, BUF);

	printing_function(p, printing_u64(p, IP));
	seq_put(p->out, ": ", 2);
	if (!format) {
		printing_str(p, "(NO FORMAT FOUND at ");
		seq_hex(p->out, address);
		seq_char(p->out, ')');
	} else {
		print_message(&(struct arguments){ .p = p, .start = b.p, .at = b.p, .end = b.p + b.len },
			      (struct sonde_str){ format, strlen(format) });
	}
	return true;
}

bool print_raw_data(const struct printing *p)
{
	struct sonde_bytes b = rest(p, RAW_BUF);

	seq_put(p->out, "# ", 2);
	seq_hex(p->out, (uint32_t)printing_u64(p, RAW_ID));
	for (size_t i = 0; i < b.len && p->out->p < p->out->end; i++) {
		seq_char(p->out, ' ');
		seq_byte(p->out, b.p[i]);
	}
	return true;
}

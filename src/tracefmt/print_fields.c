/* SPDX-License-Identifier: MIT */
/* print_fields.c - fields of a record: the value of one, and all as " name=value" */
#include "base/ascii.h"
#include "tracefmt/field.h"
#include "tracefmt/print_fields.h"
#include "tracefmt/tracefmt.h"

static bool is_printable(struct sonde_bytes b)
{
	size_t n = strnlen((const char *)b.p, b.len);

	for (size_t i = 0; i < n; i++)
		if (!is_print((char)b.p[i]) && !is_space((char)b.p[i]))
			return false;
	return true;
}

static void put_array(struct sonde_bytes b, struct buf *out)
{
	buf_str(out, "ARRAY[");
	for (size_t i = 0; i < b.len; i++) {
		if (i)
			buf_put(out, ", ", 2);
		buf_hex_zero(out, b.p[i], 2);
	}
	buf_char(out, ']');
}

static void put_number(const struct sonde_tracepoint_field *f, uint64_t v, struct buf *out)
{
	if (f->flags & SONDE_TRACEPOINT_POINTER ||
	    (f->flags & SONDE_TRACEPOINT_LONG && (!(f->flags & SONDE_TRACEPOINT_SIGNED) || f->size == 4))) {
		buf_put(out, "0x", 2);
		buf_hex(out, f->size == 4 ? (uint32_t)v : v);
	} else if (f->flags & SONDE_TRACEPOINT_SIGNED) {
		if (f->size == 2 && v < 10)
			buf_char(out, ' ');
		buf_i64(out, (int64_t)v);
	} else {
		buf_u64(out, v);
	}
}

void tracefmt_print_field(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f,
			  struct sonde_bytes raw, struct buf *out)
{
	struct sonde_bytes b;
	uint64_t v;

	if (!(f->flags & SONDE_TRACEPOINT_ARRAY) && tracefmt_u64(e, f, raw, &v))
		put_number(f, v, out);
	else if (!tracefmt_bytes(e, f, raw, &b))
		buf_str(out, TRACEFMT_CUT);
	else if (f->flags & SONDE_TRACEPOINT_STRING && is_printable(b))
		buf_text(out, (const char *)b.p, strnlen((const char *)b.p, b.len));
	else
		put_array(b, out);
}

void tracefmt_print_fields(const struct tracefmt_event *e, struct sonde_bytes raw, struct buf *out)
{
	for (size_t i = 0; i < e->nr_fields; i++) {
		if (e->fields[i].flags & SONDE_TRACEPOINT_COMMON)
			continue;
		buf_char(out, ' ');
		buf_str(out, e->fields[i].name);
		buf_char(out, '=');
		tracefmt_print_field(e, &e->fields[i], raw, out);
	}
}

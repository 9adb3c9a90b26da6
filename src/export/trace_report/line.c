/* SPDX-License-Identifier: MIT */
#include "export/trace_report/line.h"

#include "base/digits.h"
#include "tracefmt/field.h"
#include "tracefmt/print.h"
#include "tracefmt/print_fields.h"

#define HEAD_BYTES 192                 /* of all columns but the names of task, buffer and event */
#define NSEC UINT64_C(1000000000)
#define USEC UINT64_C(1000000)

enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_LAZY = 0x02 /* lazy need-resched; before Linux 6.13: the state of interrupts is unknown */,
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
};

static char *put_literal(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

/* Puts a ready column. */
static inline char *put_column(char *p, const char *s, size_t n)
{
	memcpy(p, s, REPORT_COPY);
	if (n > REPORT_COPY)
		memcpy(p + REPORT_COPY, s + REPORT_COPY, n - REPORT_COPY);
	return p + n;
}

/* Right-aligns @v in @width columns or more; @end: 10 to the power of @width */
static inline char *put_right(char *p, uint64_t v, int width, uint64_t end)
{
	if (v >= end)
		return digits_put_decimal(p, v);
	memset(p, ' ', (size_t)width);
	digits_decimal(p + width, v);
	return p + width;
}

/* Puts @first, then @v with leading zeros; @end: 10 to the power of the number of digits, greater than @v */
static inline char *put_zeros(char *p, char first, uint64_t v, int digits, uint64_t end)
{
	digits_decimal(p + 1 + digits, end + v);  /* its first digit is a 1, which @first replaces */
	*p = first;
	return p + 1 + digits;
}

static char nibble(uint8_t v)
{
	return ".123456789abcdef"[v & 15];
}

static char *put_depth(char *p, const struct report_look *look, const struct sonde_tracepoint_field *f,
		       struct sonde_bytes record)
{
	uint64_t v = 0;

	tracefmt_u64(look->format, f, record, &v);
	if ((int64_t)v >= 0)
		return digits_put_decimal(p, v);
	*p = '.';
	return p + 1;
}

void report_style_set_flags(struct report_style *style)
{
	for (unsigned flags = 0; flags < 32; flags++) {
		bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ, lazy = flags & FLAG_LAZY;
		char *p = style->flags[flags];

		p[0] = flags & FLAG_IRQS_OFF ? 'd' : lazy && style->old ? 'X' : '.';
		p[1] = flags & FLAG_NEED_RESCHED ? 'N' : lazy && !style->old ? 'L' : '.';
		p[2] = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	}
}

static inline uint8_t byte_at(struct sonde_bytes record, uint32_t at)
{
	return at < record.len ? record.p[at] : 0;
}

static char *put_flags(char *p, const struct report_style *style, const struct report_look *look,
		       struct sonde_bytes record)
{
	uint8_t count = byte_at(record, look->count_at);

	memcpy(p, style->flags[byte_at(record, look->flags_at) & 31], 3);
	p[3] = nibble(count);
	p[4] = nibble(count >> 4);
	p += 5;
	if (look->migrate_disable)
		p = put_depth(p, look, look->migrate_disable, record);
	if (look->lock_depth)
		p = put_depth(p, look, look->lock_depth, record);
	return p;
}

static uint64_t in_usec(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static char *put_time(char *p, const struct report_style *style, bool integer, uint64_t time)
{
	if (integer)
		return put_right(p, time, 12, UINT64_C(1000000000000));
	*p++ = ' ';
	if (style->ns) {
		p = put_right(p, time / NSEC, 5, 100000);
		return put_zeros(p, '.', time % NSEC, 9, NSEC);
	}
	time = in_usec(time);
	p = put_right(p, time / USEC, 5, 100000);
	*p++ = '.';
	return digits_put_six(p, (uint32_t)(time % USEC));
}

/* In eight columns: "(+97)   ", the difference of the shown times */
static char *put_since(char *p, const struct report_style *style, const struct report_line *line)
{
	char *from = ++p;

	p[-1] = ' ';
	if (line->before) {
		p = put_literal(p, "(+", 2);
		p = digits_put_decimal(
			p, style->ns ? line->time - line->before : in_usec(line->time) - in_usec(line->before));
		*p++ = ')';
	}
	while (p < from + 8)
		*p++ = ' ';
	return p;
}

static char *put_columns(char *p, const struct report_style *style, const struct report_line *line,
			 struct sonde_bytes record)
{
	const struct report_look *look = line->look;
	uint32_t cpu = (uint32_t)line->cpu;

	p = put_column(p, line->task->text, line->task->len);
	*p++ = ' ';
	if (style->latency) {
		p = put_right(p, cpu, 3, 1000);
	} else {
		*p = '[';
		p = cpu < 1000 ? put_zeros(p, '[', cpu, 3, 1000) : digits_put_decimal(p + 1, cpu);
		*p++ = ']';
	}
	if (style->raw && (style->latency || !style->old)) {
		p = put_literal(p, "-0x", 3);
		p = digits_put_hex(p, byte_at(record, look->flags_at));
	} else if (style->latency || !style->old) {
		if (!style->latency)
			*p++ = ' ';
		p = put_flags(p, style, look, record);
	}
	p = put_time(p, style, look->integer_time, line->time);
	*p++ = ':';
	if (style->ts_diff)
		p = put_since(p, style, line);
	return put_column(p, look->name.p, look->name.len);
}

static void put_gap(struct buf *out, const struct report_line *line)
{
	buf_str(out, "CPU:");
	buf_u64(out, (uint32_t)line->cpu);
	buf_str(out, " [");
	if (line->lost != SONDE_NONE) {
		buf_u64(out, line->lost);
		buf_char(out, ' ');
	}
	buf_str(out, "EVENTS DROPPED]\n");
}

/* Puts a text with its tabs. */
static void put_text(struct buf *out, const char *s, size_t len)
{
	for (const char *end = s + len, *tab; s < end; s = tab + 1) {
		tab = memchr(s, '\t', (size_t)(end - s));
		if (!tab)
			tab = end;
		buf_text(out, s, (size_t)(tab - s));
		if (tab < end)
			buf_char(out, '\t');
	}
}

static void put_event(const struct report_style *style, const struct report_line *line, const uint8_t *p,
		      struct buf *out)
{
	const struct report_look *look = line->look;
	const struct tracefmt_context context = { .style = TRACEFMT_TRACE_CMD,
						  .leaf = { p + line->size, line->leaf_size },
						  .depth = line->depth,
						  .time = line->time,
						  .boot = look->boot };
	struct sonde_bytes record = { p, line->size };
	char *to = buf_room(out, HEAD_BYTES + line->task->len + look->name.len);

	if (!to)
		return;
	out->n += (size_t)(put_columns(to, style, line, record) - to);
	if (style->raw)
		tracefmt_print_fields(look->format, record, out);
	else
		tracefmt_print(look->format, record, &context, out);
	buf_char(out, '\n');
}

void report_line_put(const struct report_style *style, const struct report_line *line, const uint8_t *record,
		     struct buf *out)
{
	const struct sonde_str *prefix = &line->look->prefix;

	if (line->kind != REPORT_TEXT && prefix->len)
		buf_put(out, prefix->p, prefix->len);
	if (line->gap)
		put_gap(out, line);
	switch (line->kind) {
	case REPORT_EVENT:
		put_event(style, line, record, out);
		break;
	case REPORT_UNKNOWN:
		/* once for each column that trace-cmd would take from the format */
		buf_str(out,
			style->old ? "[UNKNOWN EVENT][UNKNOWN EVENT]" :
				     "[UNKNOWN EVENT][UNKNOWN EVENT][UNKNOWN EVENT]");
		buf_str(out, " (NULL):               [UNKNOWN EVENT]\n");
		break;
	case REPORT_TEXT:
		put_text(out, (const char *)record, line->size);
		buf_char(out, '\n');
		break;
	case REPORT_GAP:
		break;
	}
}

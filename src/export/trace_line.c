/* SPDX-License-Identifier: MIT */
#include "export/trace_line.h"

#include "base/digits.h"

#define HEAD_BYTES 192                 /* of all columns but those of a task, a buffer and an event's name */
#define NSEC 1000000000u

enum {
	FLAG_IRQS_OFF = 0x01, FLAG_LAZY = 0x02 /* before 6.13: irqs cannot be told */, FLAG_NEED_RESCHED = 0x04, FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
};

static uint64_t field_of(const struct report_look *look, const struct sonde_tracepoint_field *f, struct sonde_bytes record)
{
	uint64_t v;

	return f && tracefmt_u64(look->format, f, record, &v) ? v : 0;
}

static char nibble(uint64_t v)
{
	return v & 15 ? "0123456789abcdef"[v & 15] : '.';
}

static char *put_depth(char *p, int64_t v)
{
	if (v < 0) {
		*p = '.';
		return p + 1;
	}
	return digits_put_decimal(p, (uint64_t)v);
}

static char *put_flags(char *p, const struct report_style *style, const struct report_look *look, struct sonde_bytes record)
{
	uint64_t flags = field_of(look, look->flags, record), count = field_of(look, look->preempt_count, record);
	bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ, lazy = flags & FLAG_LAZY;

	p[0] = flags & FLAG_IRQS_OFF ? 'd' : lazy && style->old ? 'X' : '.';
	p[1] = flags & FLAG_NEED_RESCHED ? 'N' : lazy && !style->old ? 'L' : '.';
	p[2] = hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
	p[3] = nibble(count);
	p[4] = nibble(count >> 4);
	p += 5;
	if (look->migrate_disable)
		p = put_depth(p, (int64_t)field_of(look, look->migrate_disable, record));
	if (look->lock_depth)
		p = put_depth(p, (int64_t)field_of(look, look->lock_depth, record));
	return p;
}

static char *put_literal(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

/* Right-aligned; DIGITS_MAX bytes have to be free. */
static char *put_right(char *p, uint64_t v, int width)
{
	char scratch[DIGITS_MAX], *digits = digits_decimal(scratch + DIGITS_MAX, v);
	int n = (int)(scratch + DIGITS_MAX - digits);

	for (; n < width; width--)
		*p++ = ' ';
	return put_literal(p, digits, (size_t)n);
}

static char *put_zeros(char *p, uint64_t v, int digits)
{
	char scratch[DIGITS_MAX], *end = scratch + sizeof(scratch);

	memset(scratch, '0', sizeof(scratch));
	digits_decimal(end, v);
	return put_literal(p, end - digits, (size_t)digits);
}

static char *put_time(char *p, const struct report_style *style, uint64_t time)
{
	if (style->integer_time)
		return put_right(p, time, 12);
	*p++ = ' ';
	if (style->ns) {
		p = put_right(p, time / NSEC, 5);
		*p++ = '.';
		return put_zeros(p, time % NSEC, 9);
	}
	time = (time + 500) / 1000;
	p = put_right(p, time / 1000000, 5);
	*p++ = '.';
	return put_zeros(p, time % 1000000, 6);
}

/* In eight places: "(+97)   " */
static char *put_since(char *p, const struct report_style *style, uint64_t since)
{
	char *from = ++p;

	p[-1] = ' ';
	if (since != SONDE_NONE) {
		p = put_literal(p, "(+", 2);
		p = digits_put_decimal(p, style->ns ? since : (since + 500) / 1000);
		*p++ = ')';
	}
	while (p < from + 8)
		*p++ = ' ';
	return p;
}

static char *put_columns(char *p, const struct report_style *style, const struct report_line *line, struct sonde_bytes record)
{
	const struct report_look *look = line->look;

	p = put_literal(p, line->task->text, line->task->len);
	*p++ = ' ';
	if (style->latency) {
		p = put_right(p, (uint32_t)line->cpu, 3);
		p = put_flags(p, style, look, record);
	} else {
		*p++ = '[';
		p = line->cpu < 1000 ? put_zeros(p, (uint32_t)line->cpu, 3) : put_right(p, (uint32_t)line->cpu, 0);
		*p++ = ']';
		if (!style->old && style->raw) {
			p = put_literal(p, "-0x", 3);
			p = digits_put_hex(p, field_of(look, look->flags, record));
		} else if (!style->old) {
			*p++ = ' ';
			p = put_flags(p, style, look, record);
		}
	}
	p = put_time(p, style, line->time);
	*p++ = ':';
	if (style->ts_diff)
		p = put_since(p, style, line->since);
	return put_literal(p, look->name.p, look->name.len);
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

/* With its tabs. */
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

static void put_event(const struct report_style *style, const struct report_line *line, const uint8_t *p, struct buf *out)
{
	const struct report_look *look = line->look;
	struct sonde_bytes record = { p, line->size };
	char *to = buf_room(out, HEAD_BYTES + line->task->len + look->name.len);

	if (!to)
		return;
	out->n += (size_t)(put_columns(to, style, line, record) - to);
	if (style->raw)
		tracefmt_print_fields(look->format, record, out);
	else
		tracefmt_print(look->format, record, NULL, out);
	buf_char(out, '\n');
}

void report_line_put(const struct report_style *style, const struct report_line *line, const uint8_t *record, struct buf *out)
{
	const struct sonde_str *prefix = line->look ? &line->look->prefix : &style->no_prefix;

	if (line->kind != REPORT_TEXT)
		buf_put(out, prefix->p, prefix->len);
	if (line->gap)
		put_gap(out, line);
	switch (line->kind) {
	case REPORT_EVENT:
		put_event(style, line, record, out);
		break;
	case REPORT_UNKNOWN:
		/* once for each column that trace-cmd would have taken from the format */
		buf_str(out, style->old ? "[UNKNOWN EVENT][UNKNOWN EVENT]" : "[UNKNOWN EVENT][UNKNOWN EVENT][UNKNOWN EVENT]");
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

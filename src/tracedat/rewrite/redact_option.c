/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/redact_option.h"

#include "base/ascii.h"
#include "base/put.h"
#include "base/str.h"
#include "tracedat/format/clock.h"
#include "tracedat/format/option.h"
#include "tracefmt/redact/format.h"

#define LEAVE_OUT 1

/* Writes what is to be shown of an option: 0, LEAVE_OUT, -SONDE_NOMEM. */
typedef int (*option_fn)(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out);

static struct sonde_str text_of(struct sonde_bytes data)
{
	return (struct sonde_str){ (const char *)data.p, data.len ? strnlen((const char *)data.p, data.len) : 0 };
}

static void put_text(struct buf *out, struct sonde_str text)
{
	buf_put(out, text.p, text.len);
	buf_char(out, '\0');
}

static int put_other(struct dat_redact *r, enum name_class class, struct sonde_str name, struct buf *out)
{
	char other[PSEUDONYM_BYTES];

	if (pseudonym_keeps(class, name.p, name.len)) {
		buf_put(out, name.p, name.len);
		return 0;
	}
	if (pseudonym_of(&r->names, class, name.p, name.len, other) < 0)
		return -SONDE_NOMEM;
	buf_str(out, other);
	return 0;
}

const char *dat_redact_buffer(struct dat_redact *r, const char *name, size_t len)
{
	char other[PSEUDONYM_BYTES];

	if (len == 0)
		return "";
	if (pseudonym_of(&r->names, NAME_BUFFER, name, len, other) < 0)
		return NULL;
	return arena_strndup(&r->w->in.arena, other, strlen(other));
}

/* A text of the kernel or of the tool, up to its NUL. */
static int keep_text(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	(void)r;
	(void)id;
	put_text(out, text_of(data));
	return 0;
}

/* A number as text, up to what is none. */
static int keep_digits(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_str text = text_of(data);
	size_t n = 0;

	(void)r;
	(void)id;
	while (n < text.len && (is_xdigit(text.p[n]) || strchr("xX+-", text.p[n])))
		n++;
	put_text(out, (struct sonde_str){ text.p, n });
	return 0;
}

/* The first @n bytes; no reader takes those behind. */
static int keep_first(struct sonde_bytes data, size_t n, struct buf *out)
{
	buf_put(out, data.p, data.len < n ? data.len : n);
	return 0;
}

static int keep_u32(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	(void)r;
	(void)id;
	return keep_first(data, 4, out);
}

static int keep_u64(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	(void)r;
	(void)id;
	return keep_first(data, 8, out);
}

/* Factor, shift, and an offset that readers do not use. */
static int keep_tsc2nsec(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	(void)r;
	(void)id;
	return keep_first(data, 16, out);
}

/* Numbers, as many as the option says that it has. */
static int keep_time_shift(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };
	struct cursor c = cur_new(data.p, data.len, 0, r->w->in.swap, &why);
	struct dat_clock clock = { 0 };
	int e = dat_clock_take_option(&clock, id, &c, &r->w->in.arena);

	if (e == -SONDE_NOMEM)
		return e;
	if (e < 0 || !cur_ok(&c))
		return LEAVE_OUT;
	buf_put(out, data.p, (size_t)(c.p - data.p));
	return 0;
}

/* Whether a line of CPUSTAT is one that the kernel or a recorder writes: a known name and a number. */
static bool is_statistic(struct sonde_str line)
{
	static const char *const known[] = {
		"CPU: ", "entries: ", "overrun: ", "commit overrun: ", "bytes: ", "oldest event ts: ", "now ts: ",
		"dropped events: ", "read events: ", DAT_UNWRITTEN
	};

	if (line.len + 1 == strlen(DAT_UNFINISHED) && memcmp(line.p, DAT_UNFINISHED, line.len) == 0)
		return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct sonde_str rest = line;

		if (!str_skip_prefix(&rest, known[i]))
			continue;
		while (rest.len && (is_digit(*rest.p) || *rest.p == '.' || *rest.p == ' ' || *rest.p == '-'))
			str_skip(&rest, 1);
		return rest.len == 0;
	}
	return line.len == 0;
}

static int change_cpustat(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_str text = text_of(data), line, name;
	const char *other;

	(void)id;
	while (text.len) {
		const char *end = text.p + text.len;

		line = name = str_take(&text, '\n');
		if (str_skip_prefix(&name, "Buffer: ")) {
			other = dat_redact_buffer(r, name.p, name.len);
			if (!other)
				return -SONDE_NOMEM;
			buf_printf(out, "Buffer: %s", other);
		} else if (is_statistic(line)) {
			buf_put(out, line.p, line.len);
		} else {
			continue;
		}
		if (line.p + line.len < end)
			buf_char(out, '\n');
	}
	buf_char(out, '\0');
	return 0;
}

/* System, host, release, machine. */
static int change_uname(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_str rest = text_of(data), system = str_take(&rest, ' '), host = str_take(&rest, ' ');
	int e = 0;

	(void)id;
	buf_put(out, system.p, system.len);
	if (host.len) {
		buf_char(out, ' ');
		e = put_other(r, NAME_HOST, host, out);
	}
	if (rest.len) {
		buf_char(out, ' ');
		buf_put(out, rest.p, rest.len);
	}
	buf_char(out, '\0');
	return e;
}

/* Pairs of events with their fields. */
static int change_hook(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	return redact_names_probe(&r->names, text_of(data)) ? LEAVE_OUT : keep_text(r, id, data, out);
}

/* "PID LINES PATH", then "START END PATH" for each line. */
static int change_procmaps(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_str text = text_of(data);
	int e = 0;

	(void)id;
	while (text.len && e == 0) {
		struct sonde_str line = str_take(&text, '\n');
		uint64_t first, second;

		if (!str_take_hex(&line, &first) || !str_skip_prefix(&line, " ") || !str_take_hex(&line, &second))
			continue;
		str_skip_prefix(&line, " ");
		buf_printf(out, "%llx %llx ", (unsigned long long)first, (unsigned long long)second);
		e = put_other(r, NAME_PATH, line, out);
		buf_char(out, '\n');
	}
	buf_char(out, '\0');
	return e;
}

/* Name, trace id, and the thread of each virtual CPU. */
static int change_guest(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct cursor c = cur_new(data.p, data.len, 0, r->w->in.swap, NULL);
	struct sonde_str name = cur_strz(&c);
	const uint8_t *numbers = c.p;
	uint32_t nr;
	int e;

	(void)id;
	cur_u64(&c);
	nr = cur_u32(&c);
	cur_take(&c, (uint64_t)nr * 8);
	if (!cur_ok(&c))
		return LEAVE_OUT;
	e = put_other(r, NAME_HOST, name, out);
	buf_char(out, '\0');
	buf_put(out, numbers, (size_t)(c.p - numbers));
	return e;
}

/* "BUFFER:" and where the kernel and its modules were. */
static int change_last_boot(struct dat_redact *r, uint16_t id, struct sonde_bytes data, struct buf *out)
{
	struct sonde_str rest = text_of(data), name = str_take(&rest, ':');
	const char *other = dat_redact_buffer(r, name.p, name.len);

	(void)id;
	if (!other)
		return -SONDE_NOMEM;
	buf_printf(out, "%s:", other);
	put_text(out, rest);
	return 0;
}

/* An option without a row is left out. Those that point to a section are written anew. */
static const option_fn rows[] = {
	[DAT_OPTION_DATE] = keep_digits,
	[DAT_OPTION_CPUSTAT] = change_cpustat,
	[DAT_OPTION_TRACECLOCK] = keep_text,
	[DAT_OPTION_UNAME] = change_uname,
	[DAT_OPTION_HOOK] = change_hook,
	[DAT_OPTION_OFFSET] = keep_digits,
	[DAT_OPTION_CPUCOUNT] = keep_u32,
	[DAT_OPTION_VERSION] = keep_text,
	[DAT_OPTION_PROCMAPS] = change_procmaps,
	[DAT_OPTION_TRACEID] = keep_u64,
	[DAT_OPTION_TIME_SHIFT] = keep_time_shift,
	[DAT_OPTION_GUEST] = change_guest,
	[DAT_OPTION_TSC2NSEC] = keep_tsc2nsec,
	[DAT_OPTION_LAST_BOOT_INFO] = change_last_boot,
};

static int change_item(struct dat_redact *r, struct dat_item *item)
{
	option_fn change = item->id < sizeof(rows) / sizeof(rows[0]) ? rows[item->id] : NULL;
	struct buf out = BUF_MEMORY;
	int e;

	if (item->id == SECTION_BUFFER || dat_option_points(item->id))
		return 0;
	if (item->data.len == 0)
		return change ? 0 : LEAVE_OUT;
	e = change ? change(r, item->id, item->data, &out) : LEAVE_OUT;
	if (e == 0) {
		item->data.len = out.n;
		item->data.p = out.failed ? NULL : arena_memdup(&r->w->in.arena, out.p, out.n ? out.n : 1);
		e = item->data.p ? 0 : -SONDE_NOMEM;
	}
	buf_free(&out);
	return e;
}

int dat_redact_options(struct dat_redact *r)
{
	for (size_t i = 0; i < r->w->in.parts.n; i++) {
		struct dat_part *part = &r->w->in.parts.at[i];
		size_t n = 0;

		for (size_t k = 0; k < part->items.n; k++) {
			struct dat_item item = part->items.at[k];
			int e = change_item(r, &item);

			if (e < 0)
				return err_nomem(&r->w->handle->err);
			if (e == 0)
				part->items.at[n++] = item;
			else
				dat_rewrite_lose(r->w, SONDE_LOSS_UNSUPPORTED, 1, item.at, -1,
						 "{option|options} that may hold names");
		}
		part->items.n = n;
	}
	return 0;
}

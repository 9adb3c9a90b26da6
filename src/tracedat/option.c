/* SPDX-License-Identifier: MIT */
#include "tracedat/option.h"

#include "base/str.h"
#include "tracedat/cpustat.h"

#define OPTION_BUFFER 3

static char *copy(struct tracedat *f, struct sonde_str s)
{
	return arena_strndup(&f->base.arena, s.p, s.len);
}

static struct sonde_str rest_text(struct cursor *c)
{
	return cur_str(c, cur_left(c));
}

/* A number as the recorder wrote it: decimal, or hexadecimal behind 0x, perhaps negative. */
static bool parse_number(struct sonde_str s, uint64_t *out)
{
	bool negative = s.len && *s.p == '-';
	size_t i = negative;
	unsigned base = 10;
	uint64_t v = 0;

	if (s.len > i + 2 && s.p[i] == '0' && (s.p[i + 1] | 0x20) == 'x') {
		base = 16;
		i += 2;
	}
	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		char c = s.p[i];
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ?
				 (unsigned)((c | 0x20) - 'a' + 10) : 16;

		if (digit >= base)
			return false;
		v = v * base + digit;
	}
	*out = negative ? -v : v;
	return true;
}

static int bad_text(struct cursor *c, const char *what)
{
	return err_set(c->err, SONDE_CORRUPT, c->at, "%s", what);
}

/* Microseconds. */
static int take_date(struct tracedat *f, struct cursor *c)
{
	uint64_t us;

	if (!parse_number(rest_text(c), &us))
		return bad_text(c, "the date is no number");
	f->clock.date = us * 1000;
	f->clock.adjusts = true;
	return 0;
}

static int take_offset(struct tracedat *f, struct cursor *c)
{
	uint64_t ns;

	if (!parse_number(rest_text(c), &ns))
		return bad_text(c, "the time offset is no number");
	f->clock.offset = ns;
	f->clock.adjusts = true;
	return 0;
}

/* "[local] global counter": the one in brackets. */
static int take_traceclock(struct tracedat *f, struct cursor *c)
{
	struct sonde_str text = rest_text(c);
	const char *open = text.len ? memchr(text.p, '[', text.len) : NULL;
	const char *close = open ? memchr(open, ']', text.len - (size_t)(open - text.p)) : NULL;

	f->has_clock = true;
	if (!close)
		return 0;
	f->base.meta.trace_clock = copy(f, (struct sonde_str){ open + 1, (size_t)(close - open - 1) });
	return f->base.meta.trace_clock ? 0 : -SONDE_NOMEM;
}

/* <sysname> <nodename> <release> <machine> */
static int take_uname(struct tracedat *f, struct cursor *c)
{
	struct sonde_str text = rest_text(c);
	struct sonde_meta *m = &f->base.meta;

	str_take(&text, ' ');
	m->hostname = copy(f, str_take(&text, ' '));
	m->osrelease = copy(f, str_take(&text, ' '));
	m->arch = copy(f, str_take(&text, ' '));
	return m->hostname && m->osrelease && m->arch ? 0 : -SONDE_NOMEM;
}

static int take_version(struct tracedat *f, struct cursor *c)
{
	f->base.meta.version = copy(f, rest_text(c));
	return f->base.meta.version ? 0 : -SONDE_NOMEM;
}

/* trace-cmd writes it in the order of its own machine, which need not be that of the file. */
static int take_cpucount(struct tracedat *f, struct cursor *c)
{
	uint32_t n = cur_u32(c);

	if (n > 65536 && bswap_32(n) <= 65536)
		n = bswap_32(n);
	if (n > f->nr_cpus)
		f->nr_cpus = n;
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

static int take_traceid(struct tracedat *f, struct cursor *c)
{
	f->base.meta.trace_id = cur_u64(c);
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

static int take_time_shift(struct tracedat *f, struct cursor *c)
{
	return dat_clock_decode_shift(&f->clock, c, &f->base.arena);
}

/* The offset that follows is not used: since 2021 trace-cmd does not add it. */
static int take_tsc2nsec(struct tracedat *f, struct cursor *c)
{
	uint32_t mult = cur_u32(c), shift = cur_u32(c);

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	if (shift > 63 || mult == 0)
		return err_set(c->err, SONDE_CORRUPT, c->at - 8, "ticks * %u >> %u cannot be nanoseconds", mult, shift);
	f->clock.mult = mult;
	f->clock.shift = shift;
	f->clock.ticks = f->clock.adjusts = true;
	return 0;
}

/* Version 6: where the CPU table of an instance is, and its name. */
static int take_flat_buffer(struct tracedat *f, struct cursor *c)
{
	uint64_t at = cur_u64(c);
	struct sonde_buffer b = { .page_size = f->header.page_size };

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	b.name = copy(f, rest_text(c));
	if (!b.name)
		return -SONDE_NOMEM;
	while (f->v6_buffers.n <= f->buffers.n)
		if (vec_push(&f->v6_buffers, 0) < 0)
			return -SONDE_NOMEM;
	f->v6_buffers.at[f->buffers.n] = at;
	return buffer_add(f, &b, c->err);
}

static int take_buffer(struct tracedat *f, struct cursor *c)
{
	return f->header.version == 6 ? take_flat_buffer(f, c) : buffer_decode(f, c, c->err);
}

/* INSTANCE:TEXT */
static int take_last_boot(struct tracedat *f, struct cursor *c)
{
	struct sonde_str text = rest_text(c);
	const char *colon = text.len ? memchr(text.p, ':', text.len) : NULL;
	char *name;
	int r;

	if (!colon)
		return bad_text(c, "it does not say which buffer it is for");
	name = strndup(text.p, (size_t)(colon - text.p));
	if (!name)
		return -SONDE_NOMEM;
	text.len -= (size_t)(colon + 1 - text.p);
	text.p = colon + 1;
	text.len = strnlen(text.p, text.len);
	r = tracefmt_add_last_boot(f->formats, name, text);
	free(name);
	return r;
}

static int take_buffer_text(struct tracedat *f, struct cursor *c)
{
	return buffer_decode_text(f, c, c->err);
}

static void show_u32(struct buf *out, struct cursor *c)
{
	buf_u64(out, cur_u32(c));
}

static void show_offset(struct buf *out, struct cursor *c)
{
	buf_printf(out, "section at 0x%" PRIx64, cur_u64(c));
}

static void show_traceid(struct buf *out, struct cursor *c)
{
	buf_printf(out, "0x%016" PRIx64, cur_u64(c));
}

static void show_buffer(struct buf *out, struct cursor *c)
{
	uint64_t at = cur_u64(c);
	struct sonde_str name = cur_left(c) ? rest_text(c) : (struct sonde_str){ "", 0 };

	buf_printf(out, "at 0x%" PRIx64 ", \"", at);
	buf_text(out, name.p, name.len);
	buf_char(out, '"');
}

/* The samples themselves are many. */
static void show_time_shift(struct buf *out, struct cursor *c)
{
	uint64_t peer = cur_u64(c);
	uint32_t flags = cur_u32(c), cpus = cur_u32(c);

	buf_printf(out, "clock of the trace 0x%016" PRIx64 "%s, samples of %u CPUs", peer,
		   flags & 1 ? ", interpolated" : "", cpus);
}

static void show_guest(struct buf *out, struct cursor *c)
{
	struct sonde_str name = cur_strz(c);
	uint64_t id = cur_u64(c);
	uint32_t n = cur_u32(c);

	buf_text(out, name.p, name.len);
	buf_printf(out, ", trace 0x%016" PRIx64 ", virtual CPU=thread", id);
	for (uint32_t i = 0; i < n && cur_left(c) >= 8; i++) {
		uint32_t vcpu = cur_u32(c);

		buf_printf(out, " %u=%u", vcpu, cur_u32(c));
	}
}

static void show_tsc2nsec(struct buf *out, struct cursor *c)
{
	uint32_t mult = cur_u32(c), shift = cur_u32(c);

	buf_printf(out, "ns = ticks * %u >> %u", mult, shift);
}

#define POINTER(name_) { .name = (name_), .show = show_offset, .version_7 = true }

static const struct dat_option options[] = {
	[DAT_OPTION_DATE] = { "DATE", take_date },
	[DAT_OPTION_CPUSTAT] = { "CPUSTAT", cpustat_take },
	[OPTION_BUFFER] = { "BUFFER", take_buffer, show_buffer },
	[DAT_OPTION_TRACECLOCK] = { "TRACECLOCK", take_traceclock },
	[5] = { "UNAME", take_uname },
	[6] = { "HOOK" },
	[DAT_OPTION_OFFSET] = { "OFFSET", take_offset },
	[DAT_OPTION_CPUCOUNT] = { "CPUCOUNT", take_cpucount, show_u32 },
	[9] = { "VERSION", take_version },
	[10] = { "PROCMAPS" },
	[DAT_OPTION_TRACEID] = { "TRACEID", take_traceid, show_traceid },
	[DAT_OPTION_TIME_SHIFT] = { "TIME_SHIFT", take_time_shift, show_time_shift },
	[13] = { "GUEST", NULL, show_guest },
	[DAT_OPTION_TSC2NSEC] = { "TSC2NSEC", take_tsc2nsec, show_tsc2nsec },
	[SECTION_HEADER_INFO] = POINTER("HEADER_INFO"),
	[SECTION_FTRACE_FORMATS] = POINTER("FTRACE_EVENTS"),
	[SECTION_EVENT_FORMATS] = POINTER("EVENT_FORMATS"),
	[SECTION_KALLSYMS] = POINTER("KALLSYMS"),
	[SECTION_PRINTK] = POINTER("PRINTK"),
	[SECTION_CMDLINES] = POINTER("CMDLINES"),
	[SECTION_BUFFER_TEXT] = { "BUFFER_TEXT", take_buffer_text, show_buffer, true },
	[SECTION_BTF] = POINTER("BTF_FILE"),
	[24] = { "LAST_BOOT_INFO", take_last_boot },
	[SECTION_MODULES] = POINTER("MODULES_FILE"),
};

const struct dat_option *dat_option_find(uint32_t id)
{
	return id < ARRAY_SIZE(options) && options[id].name ? &options[id] : NULL;
}

const char *sonde_option_name(uint32_t id)
{
	const struct dat_option *row = dat_option_find(id);

	return row ? row->name : NULL;
}

static int keep(struct tracedat *f, uint32_t id, const struct cursor *c, const struct bytes *b, struct sonde_error *err)
{
	const struct dat_option *row = dat_option_find(id);
	struct sonde_option o = { .id = id, .file_offset = b->packed ? b->at : c->at, .data = { c->p, cur_left(c) } };
	struct cursor body = *c;
	struct buf text = BUF_MEMORY;
	struct sonde_str s;

	body.err = NULL;
	if (row && row->show) {
		row->show(&text, &body);
		o.text = text.failed ? NULL : arena_strndup(&f->base.arena, text.p ? text.p : "", text.n);
		buf_free(&text);
	} else if (row) {
		s = rest_text(&body);
		o.text = copy(f, s);
	}
	if (row && !o.text)
		return err_nomem(err);
	if (!b->stays) {
		o.data.p = arena_memdup(&f->base.arena, o.data.p, o.data.len ? o.data.len : 1);
		if (!o.data.p)
			return err_nomem(err);
	}
	return vec_push(&f->options, o) < 0 ? err_nomem(err) : 0;
}

static int take(struct tracedat *f, uint32_t id, struct cursor c, struct sonde_error *err)
{
	const struct dat_option *row = dat_option_find(id);
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	uint64_t at = c.at;
	int r = 0;

	if (!row || (row->version_7 && f->header.version < 7))
		return 0;
	c.err = &failure;
	if (row->take) {
		r = row->take(f, &c);
	} else if (row->show == show_offset) {
		f->section_at[id] = cur_u64(&c);
		r = cur_ok(&c) ? 0 : -SONDE_TRUNCATED;
	}
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, at, SONDE_NONE, -1, "option %s not read: %s", row->name,
			   failure.text);
	return 0;
}

/* u16 id, u32 size, data; the end is u16 0 alone in version 6, an option of 8 bytes in version 7. */
int option_read_list(struct tracedat *f, const struct bytes *b, struct cursor *c, uint64_t *next, struct sonde_error *err)
{
	bool flat = f->header.version == 6;
	int r = 0;

	*next = 0;
	c->err = NULL;
	while (r == 0) {
		uint16_t id = cur_u16(c);
		struct cursor body;

		if (cur_ok(c) && id == OPTION_DONE && flat)
			return 0;
		body = cur_sub(c, cur_u32(c));
		if (!cur_ok(c)) {
			ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, c->at, SONDE_NONE, -1,
				   "lists of options that end without an end mark");
			f->damaged = true;
			return 0;
		}
		if (id == OPTION_DONE) {
			*next = cur_u64(&body);
			return 0;
		}
		r = keep(f, id, &body, b, err);
		if (r == 0)
			r = take(f, id, body, err);
	}
	return r;
}

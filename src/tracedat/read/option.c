/* SPDX-License-Identifier: MIT */
/* option.c - what the options of a trace.dat mean for its reader */
#include "base/str.h"
#include "tracedat/format/option.h"
#include "tracedat/read/cpustat.h"

static char *copy(struct tracedat *f, struct sonde_str s)
{
	return arena_strndup(&f->base.arena, s.p, s.len);
}

static struct sonde_str rest_text(struct cursor *c)
{
	return cur_str(c, cur_left(c));
}

static int bad_text(struct cursor *c, const char *what)
{
	return err_set(c->err, SONDE_CORRUPT, c->at, "%s", what);
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

/* By id. Each returns 0, -SONDE_TRUNCATED, -SONDE_CORRUPT with c->err set, -SONDE_NOMEM. */
static int (*const takes[])(struct tracedat *f, struct cursor *c) = {
	[DAT_OPTION_CPUSTAT] = cpustat_take,
	[DAT_OPTION_BUFFER] = take_buffer,
	[DAT_OPTION_TRACECLOCK] = take_traceclock,
	[DAT_OPTION_UNAME] = take_uname,
	[DAT_OPTION_CPUCOUNT] = take_cpucount,
	[DAT_OPTION_VERSION] = take_version,
	[DAT_OPTION_TRACEID] = take_traceid,
	[SECTION_BUFFER_TEXT] = take_buffer_text,
	[DAT_OPTION_LAST_BOOT_INFO] = take_last_boot,
};

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
	if (dat_clock_has_option(id)) {
		r = dat_clock_take_option(&f->clock, id, &c, &f->base.arena);
	} else if (id < ARRAY_SIZE(takes) && takes[id]) {
		r = takes[id](f, &c);
	} else if (row->show == dat_show_section) {
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

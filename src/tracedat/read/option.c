/* SPDX-License-Identifier: MIT */
/* option.c - what the options of a trace.dat mean for its reader */
#include "base/str.h"
#include "tracedat/format/option.h"
#include "tracedat/read/cpustat.h"
#include "tracedat/read/option.h"

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
	struct meta *m = &f->base.meta;

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

static int take_cpucount(struct tracedat *f, struct cursor *c)
{
	uint32_t n = dat_option_cpus(DAT_OPTION_CPUCOUNT, (struct sonde_bytes){ c->p, cur_left(c) }, c->swap);

	f->nr_cpus = n > f->nr_cpus ? n : f->nr_cpus;
	cur_take(c, sizeof(n));
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

static int take_traceid(struct tracedat *f, struct cursor *c)
{
	f->base.meta.trace_id = cur_u64(c);
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
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

/* By id. Each returns 0, -SONDE_TRUNCATED, -SONDE_CORRUPT with c->err set, -SONDE_NOMEM. */
static int (*const takes[])(struct tracedat *f, struct cursor *c) = {
	[DAT_OPTION_CPUSTAT] = dat_cpustat_take,
	[DAT_OPTION_TRACECLOCK] = take_traceclock,
	[DAT_OPTION_UNAME] = take_uname,
	[DAT_OPTION_CPUCOUNT] = take_cpucount,
	[DAT_OPTION_VERSION] = take_version,
	[DAT_OPTION_TRACEID] = take_traceid,
	[DAT_OPTION_LAST_BOOT_INFO] = take_last_boot,
};

/* The value is kept as text, and as it lies in the file. */
static int keep(struct tracedat *f, const struct dat_item *item, struct cursor body, struct sonde_error *err)
{
	const struct dat_option *row = dat_option_find(item->id);
	struct sonde_option o = { .id = item->id, .file_offset = item->at, .data = item->data };
	struct buf text = BUF_MEMORY;

	if (row && row->show) {
		row->show(&text, &body);
		o.text = text.failed ? NULL : arena_strndup(&f->base.arena, text.p ? text.p : "", text.n);
		buf_free(&text);
	} else if (row) {
		o.text = copy(f, rest_text(&body));
	}
	if (row && !o.text)
		return err_nomem(err);
	return vec_push(&f->options, o) < 0 ? err_nomem(err) : 0;
}

static int take(struct tracedat *f, const struct dat_item *item, struct cursor c, struct sonde_error *err)
{
	const struct dat_option *row = dat_option_find(item->id);
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r = 0;

	if (!row || (row->version_7 && f->header.version < 7))
		return 0;
	c.err = &failure;
	if (dat_clock_has_option(item->id))
		r = dat_clock_take_option(&f->clock, item->id, &c, &f->base.arena);
	else if (item->id < ARRAY_SIZE(takes) && takes[item->id])
		r = takes[item->id](f, &c);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, item->at, SONDE_NONE, -1, "option %s not read: %s",
			   row->name, failure.text);
	return 0;
}

int dat_option_take(struct tracedat *f, const struct dat_item *item, struct sonde_error *err)
{
	const struct cursor c = cur_new(item->data.p, item->data.len, item->at, f->header.swap, NULL);
	int r = keep(f, item, c, err);

	return r < 0 ? r : take(f, item, c, err);
}

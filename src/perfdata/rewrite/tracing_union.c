/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/tracing_union.h"

#include "base/cursor.h"
#include "base/put.h"
#include "base/str.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/format_list.h"

#define MAGIC_BYTES 10
#define FORMATS_MAX 16384            /* of one blob: lists of systems are looked for in all of them */

struct format {
	struct sonde_str system;
	struct sonde_bytes text;
	bool ftrace;                 /* in the list before the systems */
	bool written;
};

struct tracing {
	struct cursor c;
	struct sonde_bytes head;     /* up to the first list */
	VEC(struct format) formats;
	bool by_system;              /* the list at hand is that behind the one of ftrace */
	struct sonde_bytes kallsyms, printk, cmdlines;
	bool has_cmdlines;
};

static struct sonde_bytes take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = cur_take(c, n);

	return (struct sonde_bytes){ p, p ? n : 0 };
}

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct tracing *t = ctx;
	const struct format *last = t->formats.n ? &t->formats.at[t->formats.n - 1] : NULL;
	struct format f = { .text = { (const uint8_t *)text.p, text.len }, .ftrace = !t->by_system };

	(void)at;
	/* names can be long, and their formats many */
	f.system = last && last->system.p == system ? last->system : (struct sonde_str){ system, strlen(system) };
	if (t->formats.n >= FORMATS_MAX)
		return err_set(t->c.err, SONDE_UNSUPPORTED, SONDE_NONE, "more than %d tracepoints", FORMATS_MAX);
	return vec_push(&t->formats, f);
}

static int read_tracing(struct tracing *t, struct sonde_bytes blob, struct sonde_error *err)
{
	struct cursor *c = &t->c;
	struct sonde_str version;
	int r;

	*t = (struct tracing){ .c = cur_new(blob.p, blob.len, SONDE_NONE, false, err) };
	cur_take(c, MAGIC_BYTES);
	version = cur_strz(c);
	t->has_cmdlines = !(version.len >= 3 && version.p[2] < '6');
	c->swap = (cur_u8(c) != 0) != host_is_big_endian();
	cur_take(c, 1 + 4);
	for (int i = 0; i < 2; i++) {
		cur_strz(c);
		cur_take(c, cur_u64(c));
	}
	t->head = (struct sonde_bytes){ blob.p, (size_t)(c->p - blob.p) };
	r = format_list_read(c, "ftrace", take_format, t);
	t->by_system = true;
	if (r == 0)
		r = format_list_read_systems(c, take_format, t);
	t->kallsyms = take(c, cur_u32(c));
	t->printk = take(c, cur_u32(c));
	if (t->has_cmdlines && cur_left(c) >= 8)
		t->cmdlines = take(c, cur_u64(c));
	if (r < 0)
		return r == -SONDE_NOMEM ? err_nomem(err) : r;
	return cur_ok(c) ? 0 : -SONDE_CORRUPT;
}

/* The number of a tracepoint; SONDE_NONE if its text has none. */
static uint64_t number_of(const struct format *f)
{
	const char *p = (const char *)f->text.p, *end = p + f->text.len, *at = memmem(p, f->text.len, "\nID: ", 5);
	uint64_t n = 0;

	if (!at)
		return SONDE_NONE;
	for (at += 5; at < end && *at >= '0' && *at <= '9' && n < UINT32_MAX; at++)
		n = 10 * n + (uint64_t)(*at - '0');
	return n;
}

static bool is_same(const struct format *a, const struct format *b)
{
	return a->ftrace == b->ftrace && str_equal(a->system, b->system) && a->text.len == b->text.len &&
	       memcmp(a->text.p, b->text.p, a->text.len) == 0;
}

/* The entries of b that a does not have. */
static int add_formats(struct tracing *a, const struct tracing *b, struct sonde_error *err)
{
	struct u64map by_number = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->formats.n; i++)
		r = u64map_set(&by_number, number_of(&a->formats.at[i]), (uint32_t)i);
	for (size_t i = 0; r == 0 && i < b->formats.n; i++) {
		uint64_t number = number_of(&b->formats.at[i]);
		uint32_t at = u64map_get(&by_number, number);

		if (at == U64MAP_NONE)
			r = vec_push(&a->formats, b->formats.at[i]);
		else if (!is_same(&a->formats.at[at], &b->formats.at[i]))
			r = err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
				    "tracepoint %" PRIu64 " is another one, or has other fields, than in "
				    "the inputs before: they are of different kernels",
				    number);
	}
	u64map_free(&by_number);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

/* The formats of the same list as the one at `first`. */
static void put_formats(struct buf *out, struct tracing *t, size_t first)
{
	const struct format like = t->formats.at[first];
	uint32_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = first; i < t->formats.n; i++) {
			struct format *f = &t->formats.at[i];

			if (f->ftrace != like.ftrace || !str_equal(f->system, like.system))
				continue;
			n += pass == 0;
			if (pass == 0)
				continue;
			put_u64(out, f->text.len, t->c.swap);
			buf_put(out, f->text.p, f->text.len);
			f->written = true;
		}
		if (pass == 0)
			put_u32(out, n, t->c.swap);
	}
}

static void put_ftrace(struct buf *out, struct tracing *t)
{
	for (size_t i = 0; i < t->formats.n; i++) {
		if (t->formats.at[i].ftrace) {
			put_formats(out, t, i);
			return;
		}
	}
	put_u32(out, 0, t->c.swap);
}

static void put_systems(struct buf *out, struct tracing *t)
{
	struct buf lists = BUF_MEMORY;
	uint32_t nr = 0;

	for (size_t i = 0; i < t->formats.n; i++) {
		const struct format *f = &t->formats.at[i];

		if (f->written || f->ftrace)
			continue;
		buf_put(&lists, f->system.p, f->system.len);
		buf_char(&lists, '\0');
		put_formats(&lists, t, i);
		nr++;
	}
	put_u32(out, nr, t->c.swap);
	buf_put(out, lists.p, lists.n);
	out->failed = lists.failed ? lists.failed : out->failed;
	buf_free(&lists);
}

static struct sonde_bytes either(struct sonde_bytes a, struct sonde_bytes b)
{
	return a.len ? a : b;
}

static void put_tracing(struct buf *out, struct tracing *a, const struct tracing *b)
{
	struct sonde_bytes kallsyms = either(a->kallsyms, b->kallsyms), printk = either(a->printk, b->printk);

	buf_put(out, a->head.p, a->head.len);
	put_ftrace(out, a);
	put_systems(out, a);
	put_u32(out, (uint32_t)kallsyms.len, a->c.swap);
	buf_put(out, kallsyms.p, kallsyms.len);
	put_u32(out, (uint32_t)printk.len, a->c.swap);
	buf_put(out, printk.p, printk.len);
	if (!a->has_cmdlines)
		return;
	put_u64(out, either(a->cmdlines, b->cmdlines).len, a->c.swap);
	buf_put(out, either(a->cmdlines, b->cmdlines).p, either(a->cmdlines, b->cmdlines).len);
}

int tracing_union(struct buf *out, struct sonde_bytes a, struct sonde_bytes b, struct sonde_error *err)
{
	struct tracing ta, tb = { 0 };
	int r = read_tracing(&ta, a, err);

	if (r == 0)
		r = read_tracing(&tb, b, err);
	if (r == 0 && (ta.head.len != tb.head.len || memcmp(ta.head.p, tb.head.p, ta.head.len) != 0))
		r = err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "the tracepoints are of another kind of kernel");
	if (r == 0)
		r = add_formats(&ta, &tb, err);
	if (r == 0) {
		put_tracing(out, &ta, &tb);
		r = out->failed;
	}
	vec_free(&ta.formats);
	vec_free(&tb.formats);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/tracing_union.h"

#include "base/cursor.h"
#include "base/put.h"
#include "base/str.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/format_list.h"

#define MAGIC_BYTES 10

struct format {
	const char *system;
	struct sonde_str text;
	bool ftrace;                 /* in the list before the systems */
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

	(void)at;
	return vec_push(&t->formats, ((struct format){ system, text, !t->by_system }));
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
	r = format_list_read(c, FTRACE_SYSTEM, take_format, t);
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
	const char *end = f->text.p + f->text.len, *at = memmem(f->text.p, f->text.len, "\nID: ", 5);
	uint64_t n = 0;

	if (!at)
		return SONDE_NONE;
	for (at += 5; at < end && *at >= '0' && *at <= '9' && n < UINT32_MAX; at++)
		n = 10 * n + (uint64_t)(*at - '0');
	return n;
}

static bool is_same(const struct format *a, const struct format *b)
{
	return a->ftrace == b->ftrace && strcmp(a->system, b->system) == 0 && str_equal(a->text, b->text);
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

static int put_formats(struct buf *out, const struct tracing *t)
{
	struct format_lists ftrace = { 0 }, systems = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->formats.n; i++) {
		const struct format *f = &t->formats.at[i];

		r = format_lists_add(f->ftrace ? &ftrace : &systems, f->system, f->text);
	}
	format_lists_put(&ftrace, FTRACE_SYSTEM, t->c.swap, out);
	format_lists_put_systems(&systems, NULL, t->c.swap, out);
	format_lists_free(&ftrace);
	format_lists_free(&systems);
	return r;
}

static struct sonde_bytes either(struct sonde_bytes a, struct sonde_bytes b)
{
	return a.len ? a : b;
}

static int put_tracing(struct buf *out, const struct tracing *a, const struct tracing *b)
{
	struct sonde_bytes kallsyms = either(a->kallsyms, b->kallsyms), printk = either(a->printk, b->printk);
	int r;

	buf_put(out, a->head.p, a->head.len);
	r = put_formats(out, a);
	put_u32(out, (uint32_t)kallsyms.len, a->c.swap);
	buf_put(out, kallsyms.p, kallsyms.len);
	put_u32(out, (uint32_t)printk.len, a->c.swap);
	buf_put(out, printk.p, printk.len);
	if (a->has_cmdlines) {
		put_u64(out, either(a->cmdlines, b->cmdlines).len, a->c.swap);
		buf_put(out, either(a->cmdlines, b->cmdlines).p, either(a->cmdlines, b->cmdlines).len);
	}
	return r < 0 ? r : out->failed;
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
	if (r == 0 && put_tracing(out, &ta, &tb) < 0)
		r = err_nomem(err);
	vec_free(&ta.formats);
	vec_free(&tb.formats);
	return r;
}

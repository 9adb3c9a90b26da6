/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/tracing_union.h"

#include "base/cursor.h"
#include "base/put.h"
#include "base/str.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/blob.h"


struct format {
	const char *system;
	struct sonde_str text;
	bool ftrace;                 /* in the list before the systems */
};

struct tracing {
	struct tracing_blob blob;
	struct sonde_bytes head;     /* up to the first list */
	bool swap;
	VEC(struct format) formats;
};

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct tracing *t = ctx;

	(void)at;
	return vec_push(&t->formats, ((struct format){ system, text, !t->blob.by_system }));
}

static int read_tracing(struct tracing *t, struct sonde_bytes bytes, struct sonde_error *err)
{
	struct cursor c = cur_new(bytes.p, bytes.len, SONDE_NONE, false, err);
	int r;

	*t = (struct tracing){ .swap = false };
	r = tracing_blob_head(&c, &t->blob);
	if (r < 0)
		return r;
	t->swap = c.swap;
	t->head = (struct sonde_bytes){ bytes.p, (size_t)(c.p - bytes.p) };
	r = tracing_blob_rest(&c, &t->blob, take_format, t);
	t->head.len += t->blob.formats_at;
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
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
	format_lists_put(&ftrace, FTRACE_SYSTEM, t->swap, out);
	format_lists_put_systems(&systems, NULL, t->swap, out);
	format_lists_free(&ftrace);
	format_lists_free(&systems);
	return r;
}

static struct sonde_str either(struct sonde_str a, struct sonde_str b)
{
	return a.len ? a : b;
}

static int put_tracing(struct buf *out, const struct tracing *a, const struct tracing *b)
{
	const struct sonde_str kallsyms = either(a->blob.kallsyms, b->blob.kallsyms),
			       printk = either(a->blob.printk, b->blob.printk),
			       cmdlines = either(a->blob.cmdlines, b->blob.cmdlines);
	int r;

	buf_put(out, a->head.p, a->head.len);
	r = put_formats(out, a);
	put_u32(out, (uint32_t)kallsyms.len, a->swap);
	buf_put(out, kallsyms.p, kallsyms.len);
	put_u32(out, (uint32_t)printk.len, a->swap);
	buf_put(out, printk.p, printk.len);
	if (a->blob.has_cmdlines) {
		put_u64(out, cmdlines.len, a->swap);
		buf_put(out, cmdlines.p, cmdlines.len);
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

/* SPDX-License-Identifier: MIT */
/*
 * blob.c - the "tracing data" of a perf.data
 *
 * Integers are in the byte order that the third item names; nothing is padded.
 *	u8[3] 0x17 0x08 0x44, "tracing"; version "0.6\0"; u8 big endian; u8 size of long; u32 page size
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	formats of system "ftrace", formats by system: see format_list.h
 *	u32 size, kallsyms; u32 size, printk_formats; since version 0.6: u64 size, saved_cmdlines
 */
#include "base/cursor.h"
#include "base/str.h"
#include "tracefmt/blob.h"
#include "tracefmt/format_set.h"

static const uint8_t magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* As far as it goes. */
static struct sonde_str take_text(struct cursor *c, uint64_t size)
{
	uint64_t n = size < cur_left(c) ? size : cur_left(c);
	const uint8_t *p = cur_take(c, n);

	if (n < size)
		cur_short(c, size);
	return (struct sonde_str){ p ? (const char *)p : "", p ? n : 0 };
}

static int keep(struct tracefmt *t, struct sonde_str text, struct sonde_str *to, struct sonde_error *err)
{
	char *p = text.len ? arena_strndup(&t->arena, text.p, text.len) : NULL;

	if (text.len && !p)
		return err_nomem(err);
	*to = (struct sonde_str){ p ? p : "", text.len };
	return 0;
}

static int take_header_file(struct cursor *c, const char *name, struct sonde_str *to)
{
	uint64_t at = c->at;
	struct sonde_str found = cur_strz(c);

	if (cur_ok(c) && !str_is(found, name))
		return err_set(c->err, SONDE_CORRUPT, at, "no \"%s\" in the tracing data", name);
	*to = take_text(c, cur_u64(c));
	return 0;
}

int tracing_blob_head(struct cursor *c, struct tracing_blob *out)
{
	uint64_t begin = c->at;
	const uint8_t *start = cur_take(c, sizeof(magic));
	struct sonde_str version;

	*out = (struct tracing_blob){ 0 };
	if (start && memcmp(start, magic, sizeof(magic)) != 0)
		return err_set(c->err, SONDE_CORRUPT, begin, "tracing data without its magic");
	version = cur_strz(c);
	out->has_cmdlines = !(version.len >= 3 && version.p[0] == '0' && version.p[1] == '.' && version.p[2] < '6');
	out->big_endian = cur_u8(c) == 1;
	if (cur_ok(c) && c->p[-1] > 1)
		return err_set(c->err, SONDE_CORRUPT, c->at - 1, "tracing data of byte order %u", c->p[-1]);
	out->long_size = cur_u8(c);
	if (cur_ok(c) && out->long_size != 4 && out->long_size != 8)
		return err_set(c->err, SONDE_CORRUPT, c->at - 1, "tracing data of %u-byte long", out->long_size);
	c->swap = out->big_endian != host_is_big_endian();
	out->page_size = cur_u32(c);
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

int tracing_blob_rest(struct cursor *c, struct tracing_blob *out, format_list_fn fn, void *ctx)
{
	const uint8_t *begin = c->p;
	int r = take_header_file(c, "header_page", &out->header_page);

	if (r == 0)
		r = take_header_file(c, "header_event", &out->header_event);
	out->formats_at = (size_t)(c->p - begin);
	if (r == 0)
		r = format_list_read(c, FTRACE_SYSTEM, fn, ctx);
	out->by_system = true;
	if (r == 0)
		r = format_list_read_systems(c, fn, ctx);
	if (r != 0)
		return r;
	out->kallsyms = take_text(c, cur_u32(c));
	out->printk = take_text(c, cur_u32(c));
	if (out->has_cmdlines && cur_left(c))
		out->cmdlines = take_text(c, cur_u64(c));
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

/* Who takes the formats of a blob. */
struct taker {
	struct tracefmt *t;
	struct sonde_error *err;
	int first;                   /* the first failure: a format that cannot be parsed costs itself only */
};

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct taker *k = ctx;
	struct sonde_error e = { 0 };
	int r = tracefmt_add_format(k->t, system, text, &e);

	if (r == -SONDE_NOMEM)
		return err_nomem(k->err);
	if (r < 0 && k->first == 0)
		k->first = err_set(k->err, SONDE_CORRUPT, at - FORMAT_SIZE_BYTES, "event of system %s: %s", system,
				   e.text);
	return 0;
}

int tracefmt_open(struct sonde_bytes bytes, uint64_t file_offset, struct tracefmt **out, struct sonde_error *err)
{
	struct cursor c = cur_new(bytes.p, bytes.len, file_offset, false, err);
	struct taker k = { NULL, err, 0 };
	struct tracing_blob b;
	struct tracefmt *t;
	int r = tracing_blob_head(&c, &b), damage;

	*out = NULL;
	if (r < 0)
		return r;
	k.t = t = tracefmt_new(b.big_endian, b.long_size);
	if (!t)
		return err_nomem(err);
	damage = tracing_blob_rest(&c, &b, take_format, &k);
	r = damage == -SONDE_NOMEM ? damage : keep(t, b.kallsyms, &t->kallsyms, err);
	if (r == 0 && (tracefmt_add_printk(t, b.printk) < 0 || tracefmt_add_cmdlines(t, b.cmdlines) < 0))
		r = err_nomem(err);
	if (r < 0) {
		tracefmt_free(t);
		return r;
	}
	*out = t;
	return damage ? damage : k.first;
}

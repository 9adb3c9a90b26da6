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
#include "tracefmt/format_list.h"
#include "tracefmt/format_set.h"

static const uint8_t magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

static struct sonde_str take_text(struct cursor *c, uint64_t size)
{
	const uint8_t *p = cur_take(c, size);

	return (struct sonde_str){ p ? (const char *)p : "", p ? size : 0 };
}

static int keep(struct tracefmt *t, struct sonde_str text, struct sonde_str *to, struct sonde_error *err)
{
	char *p = text.len ? arena_strndup(&t->arena, text.p, text.len) : NULL;

	if (text.len && !p)
		return err_nomem(err);
	*to = (struct sonde_str){ p ? p : "", text.len };
	return 0;
}

static int read_header_files(struct cursor *c)
{
	struct sonde_str name;
	uint64_t at = c->at;

	name = cur_strz(c);
	if (cur_ok(c) && !str_is(name, "header_page"))
		return err_set(c->err, SONDE_CORRUPT, at, "no \"header_page\" in the tracing data");
	cur_take(c, cur_u64(c));
	at = c->at;
	name = cur_strz(c);
	if (cur_ok(c) && !str_is(name, "header_event"))
		return err_set(c->err, SONDE_CORRUPT, at, "no \"header_event\" in the tracing data");
	cur_take(c, cur_u64(c));
	return 0;
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

static int read_all(struct tracefmt *t, struct cursor *c, bool cmdlines)
{
	struct taker k = { t, c->err, 0 };
	int r;

	cur_u32(c);  /* the page size of the recorder's machine */
	r = read_header_files(c);
	if (r == 0)
		r = format_list_read(c, "ftrace", take_format, &k);
	if (r == 0)
		r = format_list_read_systems(c, take_format, &k);
	if (r == 0)
		r = keep(t, take_text(c, cur_u32(c)), &t->kallsyms, c->err);
	if (r == 0 && tracefmt_add_printk(t, take_text(c, cur_u32(c))) < 0)
		r = err_nomem(c->err);
	if (r == 0 && cmdlines && cur_left(c) && tracefmt_add_cmdlines(t, take_text(c, cur_u64(c))) < 0)
		r = err_nomem(c->err);
	if (r < 0)
		return r;
	return cur_ok(c) ? k.first : -SONDE_TRUNCATED;
}

/* "0.6" and newer end in the command names; "0.5" does not. */
static bool has_cmdlines(struct sonde_str version)
{
	return !(version.len >= 3 && version.p[0] == '0' && version.p[1] == '.' && version.p[2] < '6');
}

int tracefmt_open(struct sonde_bytes blob, uint64_t file_offset, struct tracefmt **out, struct sonde_error *err)
{
	struct cursor c = cur_new(blob.p, blob.len, file_offset, false, err);
	const uint8_t *start = cur_take(&c, sizeof(magic));
	struct sonde_str version;
	uint8_t big_endian, long_size;
	struct tracefmt *t;
	int r;

	*out = NULL;
	if (start && memcmp(start, magic, sizeof(magic)) != 0)
		return err_set(err, SONDE_CORRUPT, file_offset, "tracing data without its magic");
	version = cur_strz(&c);
	big_endian = cur_u8(&c);
	long_size = cur_u8(&c);
	if (!cur_ok(&c))
		return -SONDE_TRUNCATED;
	if (big_endian > 1 || (long_size != 4 && long_size != 8))
		return err_set(err, SONDE_CORRUPT, c.at - 2, "tracing data of byte order %u and %u-byte long",
			       big_endian, long_size);
	t = tracefmt_new(big_endian, long_size);
	if (!t)
		return err_nomem(err);
	c.swap = big_endian != host_is_big_endian();
	r = read_all(t, &c, has_cmdlines(version));
	if (r == -SONDE_NOMEM) {
		tracefmt_free(t);
		return r;
	}
	*out = t;
	return r;
}

/* SPDX-License-Identifier: MIT */
/*
 * blob.c - the "tracing data" of a perf.data
 *
 * Integers are in the byte order that the third item names; nothing is padded.
 *	u8[3] 0x17 0x08 0x44, "tracing"; version "0.6\0"; u8 big endian; u8 size of long; u32 page size
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	u32 count, [count] { u64 size, format text }                      events of system "ftrace"
 *	u32 count, [count] { system "\0", u32 count, [count] { u64 size, format text } }
 *	u32 size, kallsyms; u32 size, printk_formats; since version 0.6: u64 size, saved_cmdlines
 */
#include "base/cursor.h"
#include "base/str.h"
#include "tracefmt/blob.h"
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

/* Formats that cannot be parsed cost themselves only: the first of them is kept in *first. */
static int read_formats(struct tracefmt *t, struct cursor *c, const char *system, int *first)
{
	uint32_t count = cur_u32(c);
	struct sonde_error e = { 0 };
	int r;

	for (uint32_t i = 0; i < count && cur_ok(c); i++) {
		uint64_t at = c->at;
		struct sonde_str text = take_text(c, cur_u64(c));

		if (!cur_ok(c))
			break;
		err_clear(&e);
		r = tracefmt_add_format(t, system, text, &e);
		if (r == -SONDE_NOMEM)
			return err_nomem(c->err);
		if (r < 0 && *first == 0)
			*first = err_set(c->err, SONDE_CORRUPT, at, "event of system %s: %s", system, e.text);
	}
	return 0;
}

static int read_systems(struct tracefmt *t, struct cursor *c, int *first)
{
	uint32_t count = cur_u32(c);
	int r = 0;

	for (uint32_t i = 0; i < count && cur_ok(c) && r == 0; i++) {
		struct sonde_str system = cur_strz(c);
		char *name = cur_ok(c) ? arena_strndup(&t->arena, system.p, system.len) : NULL;

		if (cur_ok(c) && !name)
			return err_nomem(c->err);
		if (name)
			r = read_formats(t, c, name, first);
	}
	return r;
}

static int read_all(struct tracefmt *t, struct cursor *c, bool cmdlines)
{
	int r, first = 0;

	cur_u32(c);  /* the page size of the recorder's machine */
	r = read_header_files(c);
	if (r == 0)
		r = read_formats(t, c, "ftrace", &first);
	if (r == 0)
		r = read_systems(t, c, &first);
	if (r == 0)
		r = keep(t, take_text(c, cur_u32(c)), &t->kallsyms, c->err);
	if (r == 0 && tracefmt_add_printk(t, take_text(c, cur_u32(c))) < 0)
		r = err_nomem(c->err);
	if (r == 0 && cmdlines && cur_left(c) && tracefmt_add_cmdlines(t, take_text(c, cur_u64(c))) < 0)
		r = err_nomem(c->err);
	if (r < 0)
		return r;
	return cur_ok(c) ? first : -SONDE_TRUNCATED;
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

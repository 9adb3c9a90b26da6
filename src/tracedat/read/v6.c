/* SPDX-License-Identifier: MIT */
/*
 * v6.c - version 6: everything one behind the other
 *
 *	the metadata blocks; u32 CPUs; perhaps "options  \0" and a list of them; then either
 *	"latency  \0" and text up to the end, or
 *	"flyrecord\0", [CPUs] { u64 offset, u64 size }, if there is an option TRACECLOCK u64 size and text, pages
 * A buffer of an instance has a "flyrecord\0" part of its own where its option says.
 */
#include "tracedat/read/tracedat.h"

#define MARKER_BYTES 10
#define MAX_CLOCK_BYTES 4096
#define MAX_CPUS 65536
#define FIRST_BYTES (UINT64_C(1) << 20)
#define MAX_METADATA_BYTES (UINT64_C(1) << 28)

static bool is_marker(const uint8_t *p, const char *name)
{
	return p && memcmp(p, name, MARKER_BYTES) == 0;
}

static void lose(struct tracedat *f, enum sonde_loss_kind kind, uint64_t at, const char *text)
{
	ledger_add(&f->base.ledger, kind, 1, at, SONDE_NONE, -1, "%s", text);
}

/* "[local]", or the text of trace_clock with the brackets somewhere; early writers damaged it. */
static char *read_clock(struct tracedat *f, struct cursor *c)
{
	struct cursor ahead = *c;
	uint64_t n = cur_u64(&ahead);
	struct sonde_str text;
	const char *open, *close;

	ahead.err = NULL;
	if (n > MAX_CLOCK_BYTES)
		return arena_strndup(&f->base.arena, "local", 5);
	text = cur_str(&ahead, n);
	*c = ahead;
	open = text.len ? memchr(text.p, '[', text.len) : NULL;
	close = open ? memchr(open, ']', text.len - (size_t)(open - text.p)) : NULL;
	return close ? arena_strndup(&f->base.arena, open + 1, (size_t)(close - open - 1)) : arena_strndup(&f->base.arena, "local", 5);
}

static int read_table(struct tracedat *f, struct cursor *c, uint32_t nr, struct sonde_buffer *b)
{
	struct cursor table = cur_sub(c, (uint64_t)nr * 16);

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	b->cpus = arena_calloc(&f->base.arena, nr ? nr : 1, sizeof(*b->cpus));
	if (!b->cpus)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct sonde_cpu_pages cpu = { .cpu = i };

		cpu.file_offset = cur_u64(&table);
		cpu.size = cur_u64(&table);
		if (cpu.size)
			b->cpus[b->nr_cpus++] = cpu;
	}
	return 0;
}

static bool looks_like_clock(const struct cursor *c)
{
	return cur_left(c) >= 8 && load_u64(c->p, c->swap) <= MAX_CLOCK_BYTES;
}

/* The part behind a "flyrecord\0". */
static int read_flyrecord(struct tracedat *f, struct cursor *c, uint32_t nr_cpus, struct sonde_buffer *b, struct sonde_error *err)
{
	struct cursor other = *c;
	uint32_t nr = f->nr_cpus;
	uint64_t at = c->at;
	int r;

	c->err = NULL;
	/* CPUCOUNT is for all tables if it is larger, but not every writer knew that. */
	if (f->has_clock && nr > nr_cpus && cur_left(c) / 16 >= nr) {
		other.p += (size_t)nr * 16;
		if (!looks_like_clock(&other))
			nr = nr_cpus;
	}
	r = read_table(f, c, nr, b);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0) {
		lose(f, SONDE_LOSS_TRUNCATED, at, "tables of where the pages of the CPUs are end too early");
		return 0;
	}
	if (f->has_clock) {
		b->clock = read_clock(f, c);
		if (!b->clock)
			return err_nomem(err);
	}
	return 0;
}

static int read_instances(struct tracedat *f, uint32_t nr_cpus, struct sonde_error *err)
{
	uint32_t nr = nr_cpus > f->nr_cpus ? nr_cpus : f->nr_cpus;
	int r = 0;

	for (size_t i = 1; i < f->v6_buffers.n && r == 0; i++) {  /* 0 is the top buffer */
		uint64_t at = f->v6_buffers.at[i];
		struct bytes b;
		struct cursor c;

		if (at < f->header.end || at > f->input.size) {
			lose(f, SONDE_LOSS_TRUNCATED, SONDE_NONE, "buffers of instances whose place in the file is not known");
			continue;
		}
		r = bytes_read(f, at, MARKER_BYTES + nr * UINT64_C(16) + 8 + MAX_CLOCK_BYTES, &b, err);
		if (r < 0)
			return r;
		c = bytes_cursor(f, &b, NULL);
		if (!is_marker(cur_take(&c, MARKER_BYTES), "flyrecord"))
			lose(f, SONDE_LOSS_CORRUPT, at, "buffers of instances are not where their options say");
		else
			r = read_flyrecord(f, &c, nr_cpus, &f->buffers.at[i], err);
		bytes_free(&b);
	}
	return r;
}

/* A recorder that was killed leaves empty tables, and perhaps pages behind them. */
static int read_unfinished(struct tracedat *f, uint64_t from, struct sonde_error *err)
{
	for (size_t i = 0; i < f->buffers.n; i++)
		if (f->buffers.at[i].nr_cpus)
			return 0;
	return salvage_pages(f, from, f->input.size, false, err);
}

static int read_data(struct tracedat *f, const struct bytes *b, struct cursor *c, struct sonde_error *err)
{
	uint32_t nr_cpus = cur_u32(c);
	uint64_t next, at;
	const uint8_t *marker;
	int r = 0;

	if (cur_ok(c) && nr_cpus > MAX_CPUS) {
		lose(f, SONDE_LOSS_CORRUPT, c->at - 4, "the number of CPUs cannot be right: no pages can be found");
		return 0;
	}
	f->nr_cpus = nr_cpus;
	at = c->at;
	marker = cur_take(c, MARKER_BYTES);
	if (is_marker(marker, "options  ")) {
		r = option_read_list(f, b, c, &next, err);
		if (r < 0)
			return r;
		at = c->at;
		marker = cur_take(c, MARKER_BYTES);
	}
	if (is_marker(marker, "latency  "))
		return buffer_add_text(f, c->at, f->input.size - c->at, false, err);
	if (!is_marker(marker, "flyrecord")) {
		lose(f, cur_ok(c) ? SONDE_LOSS_CORRUPT : SONDE_LOSS_TRUNCATED, at, "no mark where the data of the buffers should begin");
		return 0;
	}
	r = read_flyrecord(f, c, nr_cpus, &f->buffers.at[0], err);
	if (r == 0)
		r = read_instances(f, nr_cpus, err);
	return r < 0 ? r : read_unfinished(f, c->at, err);
}

/* Passes over what follows a length of so many bytes. */
static void skip_text(struct cursor *c, uint64_t n)
{
	cur_take(c, n);
}

static void skip_formats(struct cursor *c)
{
	for (uint32_t i = cur_u32(c); i > 0 && cur_ok(c); i--)
		skip_text(c, cur_u64(c));
}

/* Whether the metadata, up to the tables of the top buffer, ends within these bytes. */
static bool is_whole(struct cursor c)
{
	uint32_t nr_cpus;
	const uint8_t *marker;

	for (int i = 0; i < 2; i++) {
		cur_strz(&c);
		skip_text(&c, cur_u64(&c));
	}
	skip_formats(&c);
	for (uint32_t i = cur_u32(&c); i > 0 && cur_ok(&c); i--) {
		cur_strz(&c);
		skip_formats(&c);
	}
	skip_text(&c, cur_u32(&c));
	skip_text(&c, cur_u32(&c));
	skip_text(&c, cur_u64(&c));
	nr_cpus = cur_u32(&c);
	marker = cur_take(&c, MARKER_BYTES);
	if (is_marker(marker, "options  ")) {
		while (cur_ok(&c) && cur_u16(&c))
			skip_text(&c, cur_u32(&c));
		cur_take(&c, MARKER_BYTES);
	}
	cur_take(&c, (nr_cpus < MAX_CPUS ? nr_cpus : MAX_CPUS) * UINT64_C(16) + 8 + MAX_CLOCK_BYTES);
	return cur_ok(&c);
}

/* The metadata has no length of its own: more is read until it ends in what is there. */
static int read_whole(struct tracedat *f, struct bytes *out, struct sonde_error *err)
{
	uint64_t n = f->input.fd < 0 ? f->input.size : FIRST_BYTES;
	int r;

	for (;;) {
		r = bytes_read(f, f->header.end, n, out, err);
		if (r < 0 || out->n < n || n >= MAX_METADATA_BYTES || is_whole(bytes_cursor(f, out, NULL)))
			return r;
		bytes_free(out);
		n *= 4;
	}
}

static int read_blocks(struct tracedat *f, const struct bytes *b, struct sonde_error *err)
{
	static const enum section_id blocks[] = { SECTION_HEADER_INFO, SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS,
						  SECTION_KALLSYMS, SECTION_PRINTK, SECTION_CMDLINES };
	struct cursor c = bytes_cursor(f, b, NULL);
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(blocks) && r == 0; i++) {
		r = metadata_read(f, blocks[i], b, &c, err);
		if (!cur_ok(&c))
			return r;  /* metadata_read() has said so: nothing can be found behind a block that is cut */
	}
	return r < 0 ? r : read_data(f, b, &c, err);
}

int flat_read(struct tracedat *f, struct sonde_error *err)
{
	struct sonde_buffer top = { .name = "", .page_size = f->header.page_size };
	struct bytes b;
	int r = buffer_add(f, &top, err);

	if (r == 0)
		r = read_whole(f, &b, err);
	if (r < 0)
		return r;
	r = read_blocks(f, &b, err);
	bytes_free(&b);
	return r;
}

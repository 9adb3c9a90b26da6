/* SPDX-License-Identifier: MIT */
#include "tracedat/read/tracedat.h"

#include "tracedat/read/cpustat.h"

#define HEAD_BYTES 4096              /* more than the first bytes with their two names can have */

static void tracedat_free(struct reader *r)
{
	struct tracedat *f = tracedat_of(r);

	for (size_t i = 0; i < f->pieces.n; i++)
		free(f->pieces.at[i].owned);
	vec_free(&f->pieces);
	vec_free(&f->free_pieces);
	vec_free(&f->texts);
	vec_free(&f->buffers);
	vec_free(&f->options);
	cpustat_free(&f->cpustats);
	vec_free(&f->sections);
	vec_free(&f->orphans);
	vec_free(&f->v6_buffers);
	vec_free(&f->regions);
	vec_free(&f->first_source);
	vec_free(&f->base.sources);
	u64map_free(&f->visited);
	free(f->format_by_id);
	tracefmt_free(f->formats);
	decoder_free(&f->decoder);
	ledger_free(&f->base.ledger);
	arena_free(&f->base.arena);
	input_close(&f->input);
	free(f);
}

static void set_clock(struct reader *r, const struct sonde_open_opts *opts)
{
	struct dat_clock *clock = &tracedat_of(r)->clock;

	r->raw_stamps = opts->raw_stamps;
	if (opts->raw_stamps) {
		clock->adjusts = false;
		return;
	}
	if (opts->no_date)
		clock->date = 0;
	clock->ticks_per_second = opts->stamps_per_second;
	clock->offset += (uint64_t)opts->offset_ns;
	clock->moved = opts->offset_ns;
	clock->adjusts = clock->adjusts || opts->stamps_per_second || opts->offset_ns;
}

/* The times of files of one session are by one clock, and so are those that are by the wall clock; those of a guest have been moved to its
 * host's. Whoever moves one of them knows. */
bool tracedat_align(const struct reader *r, const struct reader *first, int64_t *shift)
{
	const struct tracedat *a = (const struct tracedat *)first, *b = (const struct tracedat *)r;
	uint64_t id = first->meta.trace_id;

	*shift = 0;
	return r == first || a->clock.moved || b->clock.moved || (id && r->meta.trace_id == id) || (a->clock.date && b->clock.date) || a->clock.nr_shifts || b->clock.nr_shifts;
}

static const struct reader_ops ops = {
	.walk_new = tracedat_walk_new,
	.walk_new_by_time = tracedat_walk_new_by_time,
	.walk_narrow = tracedat_walk_narrow,
	.walk_free = tracedat_walk_free,
	.walk_next = tracedat_walk_next,
	.walk_passed = tracedat_walk_passed,
	.pin = tracedat_pin,
	.unpin = tracedat_unpin,
	.load = tracedat_load,
	.callchain = tracedat_callchain,
	.sample = tracedat_sample,
	.body = tracedat_body,
	.fields = tracedat_fields,
	.set_clock = set_clock,
	.align = tracedat_align,
	.free = tracedat_free,
};

/* The sections that hold metadata, in the order in which they need each other. */
static int read_metadata_sections(struct tracedat *f, struct sonde_error *err)
{
	static const enum section_id ids[] = { SECTION_HEADER_INFO, SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS,
					       SECTION_PRINTK, SECTION_CMDLINES, SECTION_MODULES };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ids) && r == 0; i++) {
		struct sonde_error failure = { .file_offset = SONDE_NONE };
		uint64_t at = f->section_at[ids[i]];
		struct dat_section s;
		struct bytes bytes;
		struct cursor c;

		if (at == 0 || (ids[i] == SECTION_MODULES && !tracefmt_has_boots(f->formats)))
			continue;
		if (section_header(f, at, &s) < 0 || s.id != ids[i]) {
			ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, at, SONDE_NONE, -1,
				   "sections that options point to are not there");
			continue;
		}
		r = section_read(f, &s, &bytes, &failure);
		if (r == 0) {
			c = bytes_cursor(f, &bytes, NULL);
			r = metadata_read(f, ids[i], &bytes, &c, err);
			bytes_free(&bytes);
		} else if (r == -SONDE_NOMEM) {
			return err_nomem(err);
		} else {
			ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, at, SONDE_NONE, -1, "section not read: %s", failure.text);
			r = 0;
		}
	}
	return r;
}

static int read_sections(struct tracedat *f, struct sonde_error *err)
{
	int r = section_follow_options(f, err);

	if (r == 0)
		r = section_list(f, err);
	if (r == 0)
		r = read_metadata_sections(f, err);
	for (size_t i = 0; i < f->orphans.n && r == 0; i++) {
		const struct dat_section *s = &f->orphans.at[i];

		r = salvage_pages(f, s->payload, s->payload + s->size, s->flags & SECTION_COMPRESSED, err);
	}
	return r;
}

static int find_codec(struct tracedat *f, struct sonde_error *err)
{
	struct sonde_meta *m = &f->base.meta;

	m->compression = arena_strndup(&f->base.arena, f->header.compression.p, f->header.compression.len);
	m->compression_version = arena_strndup(&f->base.arena, f->header.compression_version.p, f->header.compression_version.len);
	if (!m->compression || !m->compression_version)
		return err_nomem(err);
	if (strcmp(m->compression, "none") != 0)
		f->codec = codec_find(m->compression);
	return 0;
}

static void publish(struct tracedat *f)
{
	struct sonde_meta *m = &f->base.meta;

	m->buffers = f->buffers.at;
	m->nr_buffers = f->buffers.n;
	m->options = f->options.at;
	m->nr_options = f->options.n;
	m->sections = f->sections.at;
	m->nr_sections = f->sections.n;
	m->nr_cpus_available = f->nr_cpus;
	f->base.formats = f->formats;
	f->base.info.long_size = f->layout.long_size;
}

static int read_all(struct tracedat *f, struct sonde_error *err)
{
	int r;

	f->budget = tracedat_budget(f);
	f->layout = page_layout_default(f->header.big_endian, f->header.long_size);
	f->formats = tracefmt_new(f->header.big_endian, f->header.long_size);
	if (!f->formats)
		return err_nomem(err);
	r = f->header.version == 6 ? flat_read(f, err) : read_sections(f, err);
	kallsyms_offer(f);
	if (r == 0)
		r = buffer_make_regions(f, err);
	if (r == 0)
		r = metadata_make_sources(f, err);
	if (r == 0)
		publish(f);
	return r;
}

static int tracedat_open(struct input *in, struct reader **out, struct sonde_error *err)
{
	struct tracedat *f = calloc(1, sizeof(*f));
	struct bytes head;
	int r;

	if (!f) {
		input_close(in);
		return err_nomem(err);
	}
	f->base.ops = &ops;
	f->input = *in;
	f->cmdlines = PIECE_NONE;
	r = bytes_read(f, 0, HEAD_BYTES, &head, err);
	if (r == 0) {
		r = dat_header_decode(head.p, head.n, &f->header, err);
		if (r == 0)
			r = find_codec(f, err);
		bytes_free(&head);
	}
	if (r == 0) {
		f->base.info = (struct sonde_trace_info){
			.format = "trace.dat", .path = in->path, .mode = SONDE_MODE_FILE, .version = f->header.version,
			.big_endian = f->header.big_endian, .size_bytes = f->input.size,
		};
		r = read_all(f, err);
	}
	if (r < 0) {
		tracedat_free(&f->base);
		return r;
	}
	ledger_mark_lasting(&f->base.ledger);
	*out = &f->base;
	return 0;
}

/* Where things are is said at the end, and by offsets. */
static bool tracedat_can_stream(const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return false;
}

const struct input_format tracedat_format = {
	.name = "trace.dat", .probe = dat_header_probe, .can_stream = tracedat_can_stream, .open = tracedat_open,
};

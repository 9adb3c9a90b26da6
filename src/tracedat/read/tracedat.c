/* SPDX-License-Identifier: MIT */
#include "tracedat/read/tracedat.h"

#include "tracedat/read/cpustat.h"
#include "tracedat/read/event.h"
#include "tracedat/read/kallsyms.h"
#include "tracedat/read/losses.h"
#include "tracedat/read/metadata.h"
#include "tracedat/read/parts.h"
#include "tracedat/read/walk.h"
#include "tracedat/scan/layout.h"

static void tracedat_free(struct reader *r)
{
	struct tracedat *f = dat_of(r);

	for (size_t i = 0; i < f->blocks.n; i++) {
		free(f->blocks.at[i]->owned);
		free(f->blocks.at[i]);
	}
	vec_free(&f->blocks);
	vec_free(&f->free_blocks);
	vec_free(&f->texts);
	vec_free(&f->buffers);
	vec_free(&f->options);
	dat_cpustat_free(&f->cpustats);
	vec_free(&f->sections);
	vec_free(&f->extents);
	vec_free(&f->first_evsel);
	vec_free(&f->base.evsels);
	free(f->format_by_id);
	tracefmt_free(f->formats);
	dat_file_free(&f->file);
	ledger_free(&f->base.ledger);
	arena_free(&f->base.arena);
	input_close(&f->input);
	free(f);
}

static void set_clock(struct reader *r, const struct sonde_open_opts *opts)
{
	struct dat_clock *clock = &dat_of(r)->clock;

	r->raw_stamps = opts->raw_stamps;
	if (opts->raw_stamps) {
		clock->adjusts = false;
		return;
	}
	if (opts->no_date)
		clock->date = 0;
	clock->ticks_per_second = opts->stamps_per_second;
	clock->adjusts = clock->adjusts || opts->stamps_per_second;
}

static void tell_clock(const struct reader *r, struct clock_facts *out)
{
	const struct dat_clock *clock = &((const struct tracedat *)r)->clock;

	out->has_wall = clock->date && clock->adjusts;  /* dates are part of the times then */
	out->name = out->has_wall ? "realtime" : clock->ticks && clock->adjusts ? "tsc2nsec" : r->meta.trace_clock;
	out->session = clock->nr_shifts ? clock->host_id : r->meta.trace_id;
	out->is_guest = clock->nr_shifts;
}

static const struct reader_ops ops = {
	.walk_new = dat_walk_new,
	.walk_new_by_time = dat_walk_new_by_time,
	.walk_narrow = dat_walk_narrow,
	.walk_free = dat_walk_free,
	.walk_next = dat_walk_next,
	.walk_passed = dat_walk_passed,
	.pin = dat_pin,
	.unpin = dat_unpin,
	.load = dat_load,
	.callchain = dat_callchain,
	.user_callchain = dat_user_callchain,
	.is_lone_stack = dat_is_lone_stack,
	.sample = dat_sample,
	.body = dat_body,
	.fields = dat_fields,
	.set_clock = set_clock,
	.clock = tell_clock,
	.free = tracedat_free,
};

static int name_compression(struct tracedat *f, struct sonde_error *err)
{
	struct meta *m = &f->base.meta;

	m->compression = arena_strndup(&f->base.arena, f->header.compression.p, f->header.compression.len);
	m->compression_version = arena_strndup(&f->base.arena, f->header.compression_version.p,
					       f->header.compression_version.len);
	return m->compression && m->compression_version ? 0 : err_nomem(err);
}

static void publish(struct tracedat *f)
{
	struct meta *m = &f->base.meta;

	m->buffers = f->buffers.at;
	m->nr_buffers = f->buffers.n;
	m->options = f->options.at;
	m->nr_options = f->options.n;
	m->sections = f->sections.at;
	m->nr_sections = f->sections.n;
	m->nr_cpus_available = f->nr_cpus;
	f->base.info.long_size = f->layout.long_size;
}

static int read_parts(struct tracedat *f, struct sonde_error *err)
{
	int r;

	f->formats = tracefmt_new(f->header.big_endian, f->header.long_size);
	if (!f->formats)
		return err_nomem(err);
	f->layout = f->file.layout;
	r = dat_parts_take(f, err);
	dat_kallsyms_offer(f);
	if (r == 0)
		r = dat_extents_make_all(f, err);
	if (r == 0)
		r = dat_metadata_make_evsels(f, err);
	if (r == 0)
		publish(f);
	return r;
}

static int read_file(struct tracedat *f, struct image *im, struct sonde_error *err)
{
	struct findings found = { .fn = dat_losses_take, .ctx = &f->base.ledger };
	int r = dat_layout_read(&f->file, im, &found, DAT_SHALLOW, err);

	f->header = f->file.header;
	if (r == 0)
		r = name_compression(f, err);
	if (r < 0)
		return r;
	f->base.info = (struct sonde_trace_info){
		.format = "trace.dat", .path = f->input.path, .mode = SONDE_MODE_FILE, .version = f->header.version,
		.big_endian = f->header.big_endian, .size_bytes = f->input.size,
	};
	r = read_parts(f, err);
	return r < 0 ? r : image_failed(im, err);
}

static int tracedat_open(struct input *in, struct reader **out, struct sonde_error *err)
{
	struct tracedat *f = calloc(1, sizeof(*f));
	struct image im;
	int r;

	if (!f) {
		input_close(in);
		return err_nomem(err);
	}
	f->base.ops = &ops;
	f->input = *in;
	f->cmdlines = BLOCK_NONE;
	r = image_of_input(&im, &f->input, err);
	if (r == 0) {
		r = read_file(f, &im, err);
		image_close(&im);
		f->file.image = NULL;
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

const struct input_format dat_format = {
	.name = "trace.dat", .probe = dat_header_probe, .can_stream = tracedat_can_stream, .open = tracedat_open,
};

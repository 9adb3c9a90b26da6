/* SPDX-License-Identifier: MIT */
#include "perfdata/read/perfdata.h"
#include "perfdata/read/auxtrace.h"
#include "perfdata/read/clock_align.h"
#include "perfdata/read/event.h"
#include "perfdata/read/first_records.h"
#include "perfdata/read/look_ahead.h"
#include "perfdata/read/losses.h"
#include "perfdata/read/metadata.h"
#include "perfdata/read/parts.h"
#include "perfdata/read/walk.h"

static void perfdata_free(struct reader *r)
{
	struct perfdata *f = perfdata_of(r);

	perfdata_walk_free(f->stream_walk);
	worker_free(f->base.worker);
	evlist_free(&f->evlist);
	id_recovery_free(&f->recovered_ids.run);
	vec_free(&f->recovered_ids.updates);
	perfdata_close_directory(f);
	free(f->aux);
	blocks_free(&f->blocks);
	vec_free(&f->build_ids);
	ledger_free(&f->base.ledger);
	arena_free(&f->base.arena);
	input_close(&f->input);
	free(f);
}

static const struct reader_ops ops = {
	.walk_new = perfdata_walk_new,
	.walk_part = perfdata_walk_part,
	.first_records = perfdata_first_records,
	.walk_free = perfdata_walk_free,
	.walk_next = perfdata_walk_next,
	.walk_ahead = perfdata_walk_ahead,
	.walk_take_ahead = perfdata_walk_take_ahead,
	.walk_passed = perfdata_walk_passed,
	.held = perfdata_held,
	.pin = perfdata_pin,
	.unpin = perfdata_unpin,
	.load = perfdata_load,
	.sample_heads = perfdata_sample_heads,
	.load_sample = perfdata_load_sample,
	.callchain = perfdata_callchain,
	.raw = perfdata_raw,
	.sample = perfdata_sample,
	.body = perfdata_body,
	.auxtrace = perfdata_auxtrace,
	.fields = perfdata_fields,
	.clock = perfdata_clock,
	.free = perfdata_free,
};

/* The reader takes over all that the layout has found. */
static void take_over(struct perfdata *f, struct layout *l)
{
	f->header = l->header;
	f->base.meta = l->meta;
	f->base.arena = l->holder.arena;
	memcpy(&f->base.evsels, &l->holder.evsels, sizeof(f->base.evsels));
	f->evlist = l->evlist;
	f->evlist.reader = &f->base;
	l->evlist = (struct evlist){ .reader = &l->holder };
	memset(&l->holder, 0, sizeof(l->holder));
}

/* A size of the records that does not fit is cut to what is there. */
static int place_data(struct perfdata *f, const struct layout *l, struct sonde_error *err)
{
	const struct section *data = &l->header.data;
	uint64_t size = f->input.size;

	if (data->offset > size)
		return err_set(err, SONDE_TRUNCATED, 40,
			       "the records begin at 0x%" PRIx64 ", but the file ends at 0x%" PRIx64, data->offset,
			       size);
	if (!layout_has_entries(&l->header) && (l->header.attrs.size ||
						l->header.attr_size < ATTR_SIZE_VER0 + sizeof(struct section)))
		return err_set(err, SONDE_CORRUPT, 16, "attr size is %" PRIu64 ", expected 80 to %d",
			       l->header.attr_size, ATTR_ENTRY_MAX);
	if (l->data.size == 0 && data->size == 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, 48, SONDE_NONE, -1,
			   "recording was never finished: its recorder was killed before it wrote a record");
	f->unfinished = l->unfinished;
	f->features_finished = true;
	f->base.info.data_offset = l->data.offset;
	f->base.info.data_size = l->data.size;
	return perfdata_name_evsels(f) < 0 ? err_nomem(err) : 0;
}

/* The header, and the sections of a file. */
static int read_layout(struct perfdata *f, struct sonde_error *err)
{
	struct layout l = { 0 };
	struct losses losses = { &f->base.ledger, &l };
	struct findings found = { .fn = perfdata_losses_take, .ctx = &losses };
	struct image im;
	int r = image_of_input(&im, &f->input, err);

	if (r < 0)
		return r;
	im.size = f->input.size;
	r = layout_read(&l, &im, &found, err);
	take_over(f, &l);
	if (r == 0 && !f->header.pipe)
		r = place_data(f, &l, err);
	layout_free(&l);
	image_close(&im);
	return r;
}

/* The end of a file can be looked at before all of it is read. */
static int look_at_end(struct perfdata *f, struct sonde_error *err)
{
	struct image im;
	int r = image_of_input(&im, &f->input, err);

	if (r < 0)
		return r;
	im.size = f->input.size;
	if (stream_mark_is_missing(&f->mark, &im, f->header.swap))
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, SONDE_NONE, SONDE_NONE, -1, STREAM_UNFINISHED);
	image_close(&im);
	return 0;
}

static int open_pipe(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;
	int r;

	info->data_offset = PERFDATA_PIPE_HEADER_BYTES;
	info->data_size = f->input.stream ? SONDE_NONE : f->input.size - PERFDATA_PIPE_HEADER_BYTES;
	r = perfdata_read_ahead(f, err);
	return r == 0 && !f->input.stream ? look_at_end(f, err) : r;
}

static int perfdata_open(struct input *in, struct reader **out, struct sonde_error *err)
{
	struct perfdata *f = calloc(1, sizeof(*f));
	struct sonde_trace_info *info;
	int r;

	if (!f) {
		input_close(in);
		return err_nomem(err);
	}
	info = &f->base.info;
	f->base.ops = &ops;
	f->input = *in;
	f->evlist.reader = &f->base;
	blocks_init(&f->blocks, in->stream || in->dir_fd >= 0 ? SONDE_NONE : in->size);
	r = in->stream ? header_decode(in->head, in->nr_head, &f->header, err) : read_layout(f, err);
	if (r < 0)
		goto fail;
	info->format = "perf.data";
	info->path = in->path;
	info->mode = f->header.pipe ? SONDE_MODE_PIPE : SONDE_MODE_FILE;
	info->version = f->header.version;
	info->big_endian = host_is_big_endian() != f->header.swap;
	info->size_bytes = in->size;
	r = f->header.pipe ? open_pipe(f, err) : 0;
	if (r < 0)
		goto fail;
	f->base.nr_bytes = f->base.info.data_size;
	if (in->dir_fd >= 0) {
		r = perfdata_open_directory(f, err);
		if (r < 0)
			goto fail;
	}
	r = perfdata_find_ids(f, err);
	if (r < 0)
		goto fail;
	ledger_mark_lasting(&f->base.ledger);
	*out = &f->base;
	return 0;
fail:
	perfdata_free(&f->base);
	return r;
}

static bool perfdata_can_stream(const uint8_t *p, size_t n)
{
	struct header h;

	return header_decode(p, n, &h, NULL) == 0 && h.pipe;
}

const struct input_format perfdata_format = {
	.name = "perf.data", .probe = header_probe, .can_stream = perfdata_can_stream, .open = perfdata_open,
};

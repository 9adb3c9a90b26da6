/* SPDX-License-Identifier: MIT */
#include "perfdata/read/perfdata.h"
#include "perfdata/read/ahead.h"
#include "perfdata/read/align.h"
#include "perfdata/read/auxtrace.h"
#include "perfdata/read/event.h"
#include "perfdata/read/first_records.h"
#include "perfdata/read/metadata.h"
#include "perfdata/read/parts.h"
#include "perfdata/read/walk.h"

static void perfdata_free(struct reader *r)
{
	struct perfdata *f = perfdata_of(r);

	perfdata_walk_free(f->stream_walk);
	worker_free(f->base.worker);
	sources_free(&f->sources);
	id_recovery_free(&f->lost_ids.run);
	vec_free(&f->lost_ids.updates);
	perfdata_close_directory(f);
	free(f->aux);
	chunks_free(&f->chunks);
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
	.callchain = perfdata_callchain,
	.sample = perfdata_sample,
	.body = perfdata_body,
	.auxtrace = perfdata_auxtrace,
	.fields = perfdata_fields,
	.align = perfdata_align,
	.free = perfdata_free,
};

/* Where the records of a file are; a size that does not fit is cut to what is there. */
static int place_data(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;
	const struct section *data = &f->header.data;
	uint64_t size = f->input.size, left;

	if (data->offset > size)
		return err_set(err, SONDE_TRUNCATED, 40, "the records begin at 0x%" PRIx64 ", but the file ends at 0x%" PRIx64,
			       data->offset, size);
	left = size - data->offset;
	f->unfinished = data->size == 0 && left > 0;
	info->data_offset = data->offset;
	info->data_size = f->unfinished || data->size > left ? left : data->size;
	if (f->unfinished)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, 48, SONDE_NONE, -1,
			   "recording was never finished: header features are missing, records are read up to the end of the file");
	else if (data->size == 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, 48, SONDE_NONE, -1,
			   "recording was never finished: its recorder was killed before it wrote a record");
	else if (data->size > left)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, data->size - left, size, SONDE_NONE, -1,
			   "bytes of records are missing: the file was cut");
	return 0;
}

static int read_header(struct perfdata *f, struct sonde_error *err)
{
	const struct input *in = &f->input;
	uint8_t head[PERFDATA_HEADER_BYTES];
	int64_t n;

	if (in->stream)
		return header_decode(in->head, in->nr_head, &f->header, err);
	if (in->fd < 0)
		return header_decode(in->map.data, in->map.size, &f->header, err);
	n = input_read(in->fd, 0, head, sizeof(head), err);
	return n < 0 ? (int)n : header_decode(head, (size_t)n, &f->header, err);
}

static int open_pipe(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;

	info->data_offset = PERFDATA_PIPE_HEADER_BYTES;
	info->data_size = f->input.stream ? SONDE_NONE : f->input.size - PERFDATA_PIPE_HEADER_BYTES;
	return perfdata_read_ahead(f, err);
}

static int open_file(struct perfdata *f, struct sonde_error *err)
{
	int r = place_data(f, err);

	if (r == 0)
		r = perfdata_read_sections(f, err);
	if (r == 0 && (header_has(&f->header, SONDE_FEAT_UNFINISHED) || header_is_torn(&f->header)))
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, FEATURES_AT, SONDE_NONE, -1,
			   "recording was never finished (killed, or still recording): build ids, the times of the first and the last sample "
			   "and up to half a second of records are missing");
	return r;
}

static int perfdata_open(struct input *in, struct reader **out, struct sonde_error *err)
{
	struct perfdata *f = calloc(1, sizeof(*f));
	int r;

	if (!f) {
		input_close(in);
		return err_nomem(err);
	}
	f->base.ops = &ops;
	f->input = *in;
	f->sources.reader = &f->base;
	r = read_header(f, err);
	if (r < 0)
		goto fail;
	f->base.info = (struct sonde_trace_info){
		.format = "perf.data", .path = in->path, .mode = f->header.pipe ? SONDE_MODE_PIPE : SONDE_MODE_FILE,
		.version = f->header.version, .big_endian = host_is_big_endian() != f->header.swap, .size_bytes = in->size,
	};
	r = f->header.pipe ? open_pipe(f, err) : open_file(f, err);
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

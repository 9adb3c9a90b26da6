/* SPDX-License-Identifier: MIT */
#include <sonde/perf_writer.h>

#include <stdlib.h>

#include "api/trace/meta.h"
#include "api/write/feature_list.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "base/vec.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/scan/record_check.h"
#include "perfdata/scan/resync.h"
#include "perfdata/write/compose.h"
#include "perfdata/write/record_encode.h"

struct sonde_perf_writer {
	struct sonde_error err;      /* of the last call */
	struct sonde_error failure;  /* the first of an open writer: every further call fails with it */
	struct output to;
	struct output_dir dir;       /* fd -1: none */
	uint64_t payload_left;       /* bytes that belong to the last record */
	uint32_t payload_file;
	struct compose *compose;     /* NULL: not open */
	uint32_t attr_size;          /* the attr_size of the options; 0: that of the largest attr */
	bool swap, begun, finished, has_names, has_event_desc;
	struct buf record;           /* a record made from a struct */
	VEC(struct event_desc) descs;  /* names and ids are owned */
};

struct sonde_perf_writer *sonde_perf_writer_new(void)
{
	struct sonde_perf_writer *w = calloc(1, sizeof(*w));

	if (w) {
		err_clear(&w->err);
		err_clear(&w->failure);
		w->to.buf.fd = -1;
		w->dir.fd = -1;
		w->record = BUF_MEMORY;
	}
	return w;
}

void sonde_perf_writer_free(struct sonde_perf_writer *w)
{
	if (!w)
		return;
	compose_free(w->compose);
	output_close(&w->to);
	output_dir_close(&w->dir);
	for (size_t i = 0; i < w->descs.n; i++) {
		free((char *)(uintptr_t)w->descs.at[i].name);
		free((uint64_t *)(uintptr_t)w->descs.at[i].ids);
	}
	vec_free(&w->descs);
	buf_free(&w->record);
	free(w);
}

const struct sonde_error *sonde_perf_writer_error(const struct sonde_perf_writer *w)
{
	return &w->err;
}

static int open_output(struct sonde_perf_writer *w, const char *path, bool directory)
{
	int r;

	if (!directory)
		return output_open(&w->to, path, NULL, &w->err);
	r = output_dir_open(&w->dir, path, &w->err);
	return r < 0 ? r : output_open_in(&w->to, &w->dir, "data", &w->err);
}

int sonde_perf_writer_open(struct sonde_perf_writer *w, const char *path, const struct sonde_perf_writer_opts *opts)
{
	enum sonde_rewrite_endian endian = OPT(opts, endian, SONDE_ENDIAN_SAME);
	enum sonde_rewrite_form form = OPT(opts, form, SONDE_FORM_FILE);
	enum sonde_compression compression = OPT(opts, compression, SONDE_COMPRESSION_NONE);
	uint32_t level = OPT(opts, level, 0);
	struct compose_opts how = { .pipe = form == SONDE_FORM_PIPE, .attr_size = OPT(opts, attr_size, 0),
				    .aligned = OPT(opts, aligned, false), .names = true };
	int r;

	err_clear(&w->err);
	if (w->compose)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer has been opened before");
	r = OPTS_CHECK(sonde_perf_writer_opts, opts, &w->err);
	if (r < 0)
		return r;
	if (compression == SONDE_COMPRESSION_ZLIB)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "a perf.data is compressed with zstd, not with zlib");
	if (compression == SONDE_COMPRESSION_ZSTD)
		how.level = level ? level : 1;
	how.swap = endian != SONDE_ENDIAN_SAME && (endian == SONDE_ENDIAN_BIG) != host_is_big_endian();
	w->swap = how.swap;
	w->attr_size = how.attr_size;
	r = open_output(w, path, form == SONDE_FORM_DIRECTORY);
	how.dir = form == SONDE_FORM_DIRECTORY ? &w->dir : NULL;
	if (r == 0)
		w->compose = compose_new(&w->to, &how, NULL, NULL);
	if (w->compose)
		return 0;
	output_close(&w->to);
	output_dir_close(&w->dir);
	return r < 0 ? r : err_nomem(&w->err);
}

/* Ends a call on an open writer: a file that lacks the call's data must not be finished. */
static int note(struct sonde_perf_writer *w, int r)
{
	if (r == -SONDE_NOMEM)
		err_nomem(&w->err);  /* the rooms below return this code without a text */
	if (r < 0 && w->compose)
		w->failure = w->err;
	return r;
}

/* Begins every call but open: needs an open writer that has not failed. */
static int check_state(struct sonde_perf_writer *w, bool may_have_begun)
{
	w->err = w->failure;
	if (w->err.code)
		return -(int)w->err.code;
	if (!w->compose || w->finished)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer is not open");
	if (w->begun && !may_have_begun)
		return note(w,
			    err_set(&w->err, SONDE_USAGE, SONDE_NONE,
				    "events and features come before the first record"));
	return 0;
}

/* Fills in a size that is 0. An attr too short for its fields would be read as another one. */
static int settle_attr_size(struct sonde_perf_writer *w, struct sonde_attr *attr)
{
	uint32_t needed = attr_size_needed(attr), size;

	if (!attr->size)
		attr->size = needed;
	size = w->attr_size ? w->attr_size : attr->size;
	if (size < ATTR_SIZE_VER0 || size % 8)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "an attr has 64 bytes or more, a multiple of 8, not %u", size);
	if (size < needed)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "an attr of %u bytes lacks fields that are set: %u are needed", size, needed);
	return 0;
}

int sonde_perf_writer_add_event(struct sonde_perf_writer *w, const struct sonde_attr *attr, size_t size,
				const char *name, const uint64_t *ids, size_t nr_ids)
{
	struct event_desc d = { .nr_ids = nr_ids };
	char *name_copy;
	uint64_t *ids_copy;
	int r = check_state(w, false);

	if (r < 0)
		return r;
	r = opts_take(&d.attr, sizeof(d.attr), attr, size, "struct sonde_attr", &w->err);
	if (r == 0)
		r = settle_attr_size(w, &d.attr);
	if (r < 0)
		return note(w, r);
	name_copy = strdup(name ? name : "");
	ids_copy = malloc((nr_ids + 1) * sizeof(*ids));
	if (ids_copy && nr_ids)
		memcpy(ids_copy, ids, nr_ids * sizeof(*ids));
	d.name = name_copy;
	d.ids = ids_copy;
	if (!name_copy || !ids_copy || vec_push(&w->descs, d) < 0) {
		free(name_copy);
		free(ids_copy);
		return note(w, -SONDE_NOMEM);
	}
	w->has_names |= name != NULL;
	return note(w, compose_event(w->compose, &d.attr, NULL, 0, ids, nr_ids));
}

int sonde_perf_writer_set_feature(struct sonde_perf_writer *w, uint32_t feature, const void *payload, size_t n)
{
	int r = check_state(w, false);

	if (r < 0)
		return r;
	if (feature == 0 || feature >= SONDE_FEAT_BITS)
		return note(w, err_set(&w->err, SONDE_USAGE, SONDE_NONE, "there is no feature %u", feature));
	w->has_event_desc |= feature == SONDE_FEAT_EVENT_DESC;
	return note(w, compose_feature(w->compose, feature, payload, n));
}

/* Sets a feature that @meta has. */
static int encode_feature(struct sonde_perf_writer *w, uint32_t id, const struct meta *meta)
{
	struct buf b = BUF_MEMORY;
	int r = feature_encode(&b, id, w->swap, meta);

	if (r == 0)
		r = sonde_perf_writer_set_feature(w, id, b.p, b.n);
	buf_free(&b);
	return r == -SONDE_MISSING ? 0 : r;
}

static int encode_features(struct sonde_perf_writer *w, const struct meta *meta, bool all)
{
	int r = 0;

	for (uint32_t id = 1; r == 0 && id < SONDE_FEAT_BITS; id++) {
		/* the writer sets features about the file itself */
		if (!feature_has(meta, id) || id == SONDE_FEAT_AUXTRACE || id == SONDE_FEAT_DIR_FORMAT ||
		    (id == SONDE_FEAT_COMPRESSED && meta->compressed.type) || (!all && !feature_is_scalar(id)))
			continue;
		r = encode_feature(w, id, meta);
	}
	return r;
}

int sonde_perf_writer_set_meta(struct sonde_perf_writer *w, const struct sonde_meta *meta)
{
	struct meta known = { 0 };
	int r = check_state(w, false);

	if (r == 0)
		r = OPTS_TAKE(sonde_meta, (struct sonde_meta *)&known, meta, &w->err);
	if (r == 0)
		r = encode_features(w, &known, false);
	return note(w, r);
}

int sonde_perf_writer_copy_meta(struct sonde_perf_writer *w, const struct sonde_trace *t)
{
	int r = check_state(w, false);

	if (r == 0)
		r = encode_features(w, trace_meta(t), true);
	return note(w, r);
}

int sonde_perf_writer_set_list(struct sonde_perf_writer *w, uint32_t feature, const void *items, size_t nr, size_t size)
{
	struct meta meta = { 0 };
	void *list = NULL;
	int r = check_state(w, false);

	if (r == 0)
		r = feature_list_take(feature, items, nr, size, &meta, &list, &w->err);
	if (r == 0)
		r = encode_feature(w, feature, &meta);
	free(list);
	return note(w, r);
}

/* Makes EVENT_DESC from the names of the events. */
static int describe_events(struct sonde_perf_writer *w)
{
	struct meta meta = { .event_descs = w->descs.at, .nr_event_descs = w->descs.n };
	struct buf b = BUF_MEMORY;
	int r;

	if (!w->has_names || w->has_event_desc)
		return 0;
	feature_set(&meta, SONDE_FEAT_EVENT_DESC);
	r = feature_encode(&b, SONDE_FEAT_EVENT_DESC, w->swap, &meta);
	if (r == 0)
		r = compose_feature(w->compose, SONDE_FEAT_EVENT_DESC, b.p, b.n);
	buf_free(&b);
	return note(w, r);
}

static int begin(struct sonde_perf_writer *w)
{
	int r = check_state(w, true);

	if (r < 0 || w->begun)
		return r;
	if (w->descs.n == 0)
		return note(w, err_set(&w->err, SONDE_USAGE, SONDE_NONE, "a trace needs an event"));
	r = describe_events(w);
	w->begun = true;
	return note(w, r < 0 ? r : compose_begin(w->compose, &w->err));
}

/*
 * Takes one record, or some of the bytes that belong to the last one. Returns the number of bytes taken, or negative.
 */
static int64_t write_some(struct sonde_perf_writer *w, uint32_t file, const uint8_t *p, size_t n)
{
	size_t part = n < w->payload_left ? n : (size_t)w->payload_left;
	struct record_header h;
	int r;

	if (part) {
		if (file != w->payload_file)
			return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "the payload of a record is in the file of the record");
		w->payload_left -= part;
		r = compose_payload(w->compose, file, p, part);
		return r < 0 ? r : (int64_t)part;
	}
	h = n >= RECORD_HEADER_BYTES ? record_header(p, w->swap) : (struct record_header){ 0 };
	if (!record_may_begin(&h) || h.size > n)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "records come whole: type %u of %u bytes, with %zu left", h.type, h.size, n);
	if (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2)
		return h.size;
	w->payload_left = record_payload(p, &h, w->swap);
	w->payload_file = file;
	r = compose_record(w->compose, file, p, h.size);
	return r < 0 ? r : h.size;
}

int sonde_perf_writer_write_to(struct sonde_perf_writer *w, uint32_t file, const void *records, size_t n)
{
	const uint8_t *p = records;
	int64_t r = begin(w);

	if (r == 0 && file && (w->dir.fd < 0 || file >= COMPOSE_PARTS_MAX))
		return note(w,
			    err_set(&w->err, SONDE_USAGE, SONDE_NONE, "the output has no file %u", file));
	while (r >= 0 && n) {
		r = write_some(w, file, p, n);
		if (r > 0) {
			p += r;
			n -= (size_t)r;
		}
	}
	return r < 0 ? note(w, (int)r) : 0;
}

int sonde_perf_writer_write(struct sonde_perf_writer *w, const void *records, size_t n)
{
	return sonde_perf_writer_write_to(w, 0, records, n);
}

/* ---- records from structs ---- */

/* A record to be encoded: its body and its layout. */
struct record_encoding {
	struct sonde_perf_record rec;
	struct record_layout layout;
	union {
		struct sonde_sample sample;
		struct sonde_mmap mmap;
		struct sonde_comm comm;
		struct sonde_task task;
	} body;
};

static int encoding_begin(struct sonde_perf_writer *w, struct record_encoding *e, const struct sonde_perf_record *rec,
			  const void *body, size_t size, size_t body_size)
{
	int r = begin(w);

	*e = (struct record_encoding){ .rec.sz = sizeof(e->rec) };
	w->record.n = 0;
	if (r == 0 && rec)
		r = OPTS_TAKE(sonde_perf_record, &e->rec, rec, &w->err);
	if (r == 0)
		r = opts_take(&e->body, body_size, body, size, "the struct of a body", &w->err);
	if (r == 0 && e->rec.event >= w->descs.n)
		r = err_set(&w->err, SONDE_USAGE, SONDE_NONE, "there is no event %u", e->rec.event);
	if (r == 0) {
		const struct event_desc *d = &w->descs.at[e->rec.event];

		e->layout = (struct record_layout){ &d->attr, d->nr_ids ? d->ids[0] : 0, w->swap };
	}
	return r;
}

static int encoding_end(struct sonde_perf_writer *w, const struct record_encoding *e, int r)
{
	if (r == 0)
		r = sonde_perf_writer_write_to(w, e->rec.file, w->record.p, w->record.n);
	return note(w, r);
}

int sonde_perf_writer_sample(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
			     const struct sonde_sample *sample, size_t size)
{
	struct record_encoding e;
	int r = encoding_begin(w, &e, rec, sample, size, sizeof(*sample));

	return encoding_end(w, &e,
			    r < 0 ? r : record_encode_sample(&w->record, &e.layout, &e.rec, &e.body.sample, &w->err));
}

int sonde_perf_writer_mmap(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
			   const struct sonde_mmap *mmap, size_t size)
{
	struct record_encoding e;
	int r = encoding_begin(w, &e, rec, mmap, size, sizeof(*mmap));

	return encoding_end(w, &e,
			    r < 0 ? r : record_encode_mmap(&w->record, &e.layout, &e.rec, &e.body.mmap, &w->err));
}

int sonde_perf_writer_comm(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
			   const struct sonde_comm *comm, size_t size)
{
	struct record_encoding e;
	int r = encoding_begin(w, &e, rec, comm, size, sizeof(*comm));

	return encoding_end(w, &e,
			    r < 0 ? r : record_encode_comm(&w->record, &e.layout, &e.rec, &e.body.comm, &w->err));
}

static int write_task(struct sonde_perf_writer *w, const struct sonde_perf_record *rec, bool exits,
		      const struct sonde_task *task, size_t size)
{
	struct record_encoding e;
	int r = encoding_begin(w, &e, rec, task, size, sizeof(*task));

	if (r == 0)
		r = record_encode_task(&w->record, &e.layout, &e.rec, exits, &e.body.task, &w->err);
	return encoding_end(w, &e, r);
}

int sonde_perf_writer_fork(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
			   const struct sonde_task *task, size_t size)
{
	return write_task(w, rec, false, task, size);
}

int sonde_perf_writer_exit(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
			   const struct sonde_task *task, size_t size)
{
	return write_task(w, rec, true, task, size);
}

int sonde_perf_writer_finish(struct sonde_perf_writer *w)
{
	int r = begin(w);

	if (r == 0 && w->payload_left)
		r = err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			    "%" PRIu64 " bytes that follow the last record are missing", w->payload_left);
	if (r == 0)
		r = compose_finish(w->compose, &w->err);
	if (r == 0)
		r = output_finish(&w->to, &w->err);
	if (r == 0 && w->dir.fd >= 0)
		r = output_dir_finish(&w->dir, &w->err);
	w->finished = r == 0;
	return note(w, r);
}

/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite.h"

#include "perfdata/attr.h"
#include "perfdata/feature.h"

void rewrite_lose(struct rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, const char *what)
{
	ledger_add(&w->handle->ledger, kind, count, at, SONDE_NONE, -1, "%s", what);
}

static void lose_part(void *ctx, uint64_t count, const char *what)
{
	rewrite_lose(ctx, SONDE_LOSS_UNSUPPORTED, count, SONDE_NONE, what);
}

int rewrite_open(struct rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out)
{
	*w = (struct rewrite){ .handle = handle, .image = *im, .to.buf.fd = -1 };
	return output_open(&w->to, out, &w->image, &handle->err);
}

/* Zeros between the feature table and the first payload: perf sets them aside for features that then fail. */
static uint64_t slack_of(const struct layout *l)
{
	uint64_t end = l->header.data.offset + l->header.data.size, first = SONDE_NONE;

	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		end += header_has(&l->header, id) ? sizeof(struct section) : 0;
		if (l->has[id] && l->features[id].offset < first)
			first = l->features[id].offset;
	}
	return first != SONDE_NONE && first > end && first - end <= 4096 ? first - end : 0;
}

static int collect_record(struct rewrite *w, const struct scanned *r)
{
	bool swap = w->in.header.swap;
	struct section s = { r->at + 16, r->h.size - 16U };
	uint64_t id;
	int failed = 0;

	switch (r->h.type) {
	case RECORD_HEADER_ATTR:
		failed = layout_add_attr_record(&w->in, r->p, r->at, NULL);
		break;
	case RECORD_HEADER_FEATURE:
		id = r->h.size > 16 ? load_u64(r->p + 8, swap) : SONDE_FEAT_BITS;
		if (id < SONDE_FEAT_BITS)
			failed = layout_take_feature(&w->in, (uint32_t)id, s, NULL, &w->handle->err);
		break;
	case RECORD_HEADER_TRACING_DATA:
		s = (struct section){ r->at + r->h.size, r->payload };
		if (r->payload)
			failed = layout_take_feature(&w->in, SONDE_FEAT_TRACING_DATA, s, NULL, &w->handle->err);
		break;
	}
	if (failed == -SONDE_NOMEM)
		return err_nomem(&w->handle->err);
	return failed == -SONDE_SYSTEM ? failed : 0;
}

int rewrite_collect(struct rewrite *w)
{
	struct scan s = { &w->image, &w->in.sources, w->in.header.swap, w->in.data.offset, w->in.data.offset + w->in.data.size };
	enum scan_step step = SCAN_END;
	struct scanned r;
	int failed = 0;

	w->opts = (struct compose_opts){ .pipe = w->in.header.pipe, .swap = w->in.header.swap, .version1 = w->in.header.version == 1,
					 .slack = w->in.header.pipe ? 0 : slack_of(&w->in) };
	if (!w->in.header.pipe)
		return 0;
	while (failed == 0 && (step = scan_next(&s, &r)) != SCAN_END)
		failed = step == SCAN_RECORD ? collect_record(w, &r) : 0;
	if (failed == 0)
		feature_finish(w->in.header.swap, &w->in.meta, &w->in.holder.arena, NULL);
	return failed;
}

/* Bytes of an attr beyond those that struct sonde_attr has a place for. */
static int add_event(struct rewrite *w, size_t i)
{
	const struct perf_source *source = sources_at(&w->in.sources, i);
	struct section attr = w->in.events.at[i].attr;
	uint64_t tail = attr.size > ATTR_SIZE_KNOWN ? attr.size - ATTR_SIZE_KNOWN : 0;
	const uint8_t *p = tail ? image_view(&w->image, attr.offset + ATTR_SIZE_KNOWN, (size_t)tail) : NULL;

	VEC(uint64_t) ids = { 0 };
	int r = 0;

	/* an id that two events claim stays with the first, as for readers */
	for (size_t k = 0; r == 0 && k < source->ids.n; k++)
		if (sources_by_id(&w->in.sources, source->ids.at[k]) == source)
			r = vec_push(&ids, source->ids.at[k]);
	if (r == 0)
		r = compose_event(w->out, &source->attr, p, p ? (size_t)tail : 0, ids.at, ids.n);
	vec_free(&ids);
	return r;
}

/* What a change makes of a feature: a verdict, or negative. */
static int change_feature(struct rewrite *w, uint32_t id)
{
	struct buf b = BUF_MEMORY;
	int verdict = w->change_feature(w, id, &b);

	if (verdict == PASSING_ANEW && (b.failed || compose_feature(w->out, id, b.p, b.n) < 0))
		verdict = -SONDE_NOMEM;
	buf_free(&b);
	return verdict;
}

/* Features whose content depends on the form are made anew, the others keep their bytes. */
static int add_feature(struct rewrite *w, uint32_t id)
{
	bool anew = w->opts.swap != w->in.header.swap || (w->events_changed && id == SONDE_FEAT_EVENT_DESC);
	const char *name = sonde_feature_name(id);
	struct buf b = BUF_MEMORY;
	uint8_t *raw;
	int r;

	if (id == SONDE_FEAT_AUXTRACE)  /* an index of places in the old file */
		return 0;
	if (id == SONDE_FEAT_DIR_FORMAT)  /* so was the old one */
		return 0;
	if (id == SONDE_FEAT_COMPRESSED && w->in.meta.compressed.type && !w->keep_packed)  /* perf stat has one of zeros */
		return 0;
	r = w->change_feature ? change_feature(w, id) : PASSING_KEEP;
	if (r != PASSING_KEEP)
		return r < 0 ? r : 0;
	if (w->opts.swap != w->in.header.swap && !feature_find(id)) {
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, w->in.features[id].offset,
			     "header features of which nothing is known, so that their byte order cannot be changed");
		return 0;
	}
	if (anew && feature_has(&w->in.meta, id)) {
		r = feature_encode(&b, id, w->opts.swap, &w->in.meta);
		if (r == 0)
			r = compose_feature(w->out, id, b.p, b.n);
		buf_free(&b);
		return r;
	}
	if (w->opts.swap != w->in.header.swap) {
		ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, w->in.features[id].offset, SONDE_NONE, -1,
			   "header features that cannot be read: %s", name ? name : "unknown");
		return 0;
	}
	raw = image_copy(&w->image, w->in.features[id].offset, w->in.features[id].size);
	r = raw ? compose_feature(w->out, id, raw, w->in.features[id].size) : -SONDE_NOMEM;
	free(raw);
	return r;
}

/* These are made from the parts; those of the input would be there twice. */
static bool is_remade(const struct rewrite *w, uint32_t type)
{
	return w->in.header.pipe &&
	       (type == RECORD_HEADER_ATTR || type == RECORD_HEADER_FEATURE || type == RECORD_HEADER_TRACING_DATA);
}

static int put_payload(struct rewrite *w, const struct passing *record)
{
	if (!record->payload)
		return output_copy(&w->to, record->image, record->from->at + record->from->h.size, record->nr_payload, &w->handle->err);
	return compose_records(w->out, record->payload, record->nr_payload);
}

static int pass_record(struct rewrite *w, const struct fed *fed)
{
	const struct scanned *from = &fed->record;
	struct passing record = { from, fed->part, fed->part_number, from->p, from->h.size, fed->image, fed->payload, from->payload };
	int verdict;

	w->handle->counts.read++;
	/* rounds are those of `data` alone: what comes from the other files is not in them */
	if (from->h.type == RECORD_FINISHED_ROUND && w->in_parts) {
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, from->at, "marks of rounds, which do not hold for several files in one");
		return 0;
	}
	if (is_remade(w, from->h.type)) {
		w->handle->counts.written += from->h.type != RECORD_HEADER_FEATURE || from->h.size > 16;  /* no end mark */
		return 0;
	}
	verdict = w->change ? w->change(w, &record) : PASSING_KEEP;
	if (verdict <= 0)
		return verdict;
	if (from->h.type == RECORD_AUXTRACE &&
	    vec_push(&w->auxtrace, ((struct sonde_auxtrace_index){ compose_at(w->out), record.n })) < 0)
		return err_nomem(&w->handle->err);
	w->handle->counts.written++;
	if (compose_records(w->out, record.p, record.n) < 0)
		return w->to.buf.failed;
	return record.nr_payload ? put_payload(w, &record) : 0;
}

static void lose_bytes(struct rewrite *w, const struct fed *fed)
{
	static const char *const whats[] = { [SCAN_GARBAGE] = "bytes that are no records",
					     [SCAN_CUT] = "bytes of a record that is cut by the end" };
	const char *what = fed->damage ? fed->damage : whats[fed->step];

	ledger_add(&w->handle->ledger, fed->step == SCAN_CUT ? SONDE_LOSS_TRUNCATED : SONDE_LOSS_CORRUPT, fed->record.bytes,
		   fed->record.at, SONDE_NONE, -1, fed->part ? "%s (in %s)" : "%s", what, fed->part);
}

static int pass_records(struct rewrite *w)
{
	struct feed feed;
	struct fed fed = { .step = SCAN_RECORD };
	int failed = feed_open(&feed, &w->in, w->image.dir_fd, !w->keep_packed, &w->handle->err);

	w->in_parts = failed == 0 && feed.numbers.n;
	while (failed == 0 && (failed = feed_next(&feed, &fed)) == 0 && fed.step != SCAN_END) {
		if (fed.step == SCAN_RECORD)
			failed = pass_record(w, &fed);
		else if (fed.step != SCAN_ZEROS)  /* nothing was ever there */
			lose_bytes(w, &fed);
	}
	feed_close(&feed);
	return failed;
}

/* The index of AUXTRACE records, with their new places. */
static int add_auxtrace_index(struct rewrite *w)
{
	struct sonde_meta meta = { .auxtrace = w->auxtrace.at, .nr_auxtrace = w->auxtrace.n };
	struct buf b = BUF_MEMORY;
	int r;

	if (w->opts.pipe || w->auxtrace.n == 0)
		return 0;
	feature_set(&meta, SONDE_FEAT_AUXTRACE);
	r = feature_encode(&b, SONDE_FEAT_AUXTRACE, w->opts.swap, &meta);
	if (r == 0)
		r = compose_feature(w->out, SONDE_FEAT_AUXTRACE, b.p, b.n);
	buf_free(&b);
	return r;
}

int rewrite_run(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;
	int r = 0;

	w->out = compose_new(&w->to, &w->opts, lose_part, w);
	if (!w->out)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < w->in.events.n; i++)
		r = add_event(w, i);
	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS; id++)
		r = w->in.has[id] ? add_feature(w, id) : 0;
	if (r < 0)
		return err_nomem(err);
	r = compose_begin(w->out, err);
	if (r == 0)
		r = pass_records(w);
	if (r == 0 && add_auxtrace_index(w) < 0)
		r = err_nomem(err);
	if (r == 0 && w->late_features)
		r = w->late_features(w);
	if (r == 0)
		r = compose_finish(w->out, err);
	if (r == 0 && w->verify) {
		r = buf_flush(&w->to.buf);
		if (r == 0)
			r = w->verify(w);
	}
	return r < 0 ? r : output_finish(&w->to, err);
}

void rewrite_close(struct rewrite *w)
{
	compose_free(w->out);
	output_close(&w->to);
	vec_free(&w->auxtrace);
	layout_free(&w->in);
	image_close(&w->image);
}

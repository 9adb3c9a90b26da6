/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/rewrite.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/record_body.h"
#include "perfdata/read/losses.h"
#include "perfdata/rewrite/byte_order.h"
#include "perfdata/rewrite/feature_order.h"

void rewrite_lose(struct rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, const char *what)
{
	ledger_add(&w->handle->ledger, kind, count, at, SONDE_NONE, -1, "%s", what);
}

static void lose_part(void *ctx, uint64_t count, const char *what)
{
	rewrite_lose(ctx, SONDE_LOSS_UNSUPPORTED, count, SONDE_NONE, what);
}

int rewrite_open(struct rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out,
		 enum sonde_rewrite_form to)
{
	int r;

	*w = (struct rewrite){ .handle = handle, .image = *im, .to.buf.fd = -1, .dir.fd = -1 };
	if (to != SONDE_FORM_DIRECTORY && !(to == SONDE_FORM_SAME && im->dir_fd >= 0))
		return output_open(&w->to, out, &w->image, &handle->err);
	r = output_dir_open(&w->dir, out, &handle->err);
	return r < 0 ? r : output_open_in(&w->to, &w->dir, "data", &handle->err);
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
	int failed = layout_take_record(&w->in, r->p, &r->h, r->at, r->payload, NULL, &w->handle->err);

	if (failed == -SONDE_NOMEM)
		return err_nomem(&w->handle->err);
	return failed == -SONDE_SYSTEM ? failed : 0;
}

/* How the input is compressed; 0: not at all. */
static uint32_t packed_level(const struct meta *meta)
{
	if (meta->compressed.type != COMPRESSED_ZSTD)
		return 0;
	return meta->compressed.level ? meta->compressed.level : 1;
}

int rewrite_collect(struct rewrite *w)
{
	struct image_scan s = image_scan(&w->image, &w->in.evlist, w->in.header.swap, w->in.data.offset,
					 w->in.data.offset + w->in.data.size);
	enum scan_step step = SCAN_END;
	struct scanned r;
	int failed = 0;

	w->in_parts = w->image.dir_fd >= 0 && directory_may_have_parts(&w->in.meta);
	w->opts = (struct compose_opts){ .pipe = w->in.header.pipe,
					 .swap = w->in.header.swap,
					 .version1 = w->in.header.version == 1,
					 .slack = w->in.header.pipe ? 0 : slack_of(&w->in),
					 .names = !w->in.header.pipe };
	if (!w->in.header.pipe) {
		w->opts.level = packed_level(&w->in.meta);
		return 0;
	}
	while (failed == 0 && (step = image_scan_next(&s, &r)) != SCAN_END)
		failed = step == SCAN_RECORD ? collect_record(w, &r) : 0;
	if (failed == 0)
		feature_finish(w->in.header.swap, &w->in.meta, &w->in.holder.arena, NULL);
	w->opts.level = packed_level(&w->in.meta);
	return failed;
}

int rewrite_refuse(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;

	if (w->in.unfinished)
		return err_set(err, SONDE_CORRUPT, 48, "the recorder was killed; 'sonde repair' comes first");
	if (w->in.events.n == 0)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "describes no event");
	for (size_t i = 1; i < w->in.events.n; i++)
		if (!layout_events_agree(&w->in, 0, i))
			return err_set(err, SONDE_CORRUPT, w->in.events.at[i].attr.offset,
				       "has an event that disagrees with the first where a record has its id; 'sonde "
				       "repair' comes first");
	return 0;
}

void rewrite_lose_end(struct rewrite *w)
{
	const struct layout *l = &w->in;

	if (l->mark.unfinished)
		rewrite_lose(w, SONDE_LOSS_TRUNCATED, 1, l->mark.began_at, STREAM_UNFINISHED);
	if (!l->header.pipe && l->header.data.size > l->data.size)
		rewrite_lose(w, SONDE_LOSS_TRUNCATED, l->header.data.size - l->data.size, l->image->size,
			     LAYOUT_DATA_CUT);
}

bool rewrite_can_read_feature(struct rewrite *w, uint32_t id)
{
	const struct layout *l = &w->in;
	const struct feature *row = feature_find(id);
	struct meta meta = { .nr_cpus_available = l->meta.nr_cpus_available,
				   .nr_cpus_online = l->meta.nr_cpus_online };
	struct arena arena = { 0 };
	uint8_t *p;
	int r;

	if (!feature_has(&l->meta, id) || l->features[id].size > FEATURE_BYTES_MAX)
		return false;
	p = image_copy(&w->image, l->features[id].offset, l->features[id].size);
	if (row && row->needs)
		feature_set(&meta, row->needs);
	r = p ? feature_decode(id, p, l->features[id].size, 0, l->header.swap, &meta, &arena, NULL) : -SONDE_NOMEM;
	arena_free(&arena);
	free(p);
	return r == 0;
}

void rewrite_lose_features(struct rewrite *w)
{
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		const char *name = sonde_feature_name(id);

		if (!w->in.has[id] && header_has(&w->in.header, id) && !w->in.header.pipe)
			rewrite_lose(w, SONDE_LOSS_FEATURE, 1, w->in.features[id].offset,
				     "header {feature|features} that {lies|lie} outside the file");
		if (!w->in.has[id] || rewrite_can_read_feature(w, id))
			continue;
		ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, w->in.features[id].offset, SONDE_NONE, -1,
			   "header {feature|features} that cannot be read: %s", name ? name : "unknown");
		w->in.has[id] = false;
	}
}

bool rewrite_contradicts(struct rewrite *w, const struct scanned *from)
{
	char text[RECORD_NAME_BYTES];

	if (!record_contradicts(&w->in.evlist, from->p, &from->h, w->in.header.swap))
		return false;
	ledger_add(&w->handle->ledger, SONDE_LOSS_CORRUPT, 1, from->at, SONDE_NONE, -1, REWRITE_CONTRADICTS,
		   record_name(from->h.type, text));
	return true;
}

static bool may_stay(enum check_rule damage)
{
	return damage == CHECK_RECORD_GARBAGE || damage == CHECK_RECORD_UNWRITTEN;
}

int rewrite_packed_are_sound(struct rewrite *w)
{
	struct record_source source;
	struct record_step got;
	bool sound = true;
	int r = record_source_open(&source, &w->in, w->image.dir_fd, true, &w->handle->err);

	while (r == 0 && sound && (r = record_source_next(&source, &got)) == 0 && got.step != SCAN_END) {
		if (got.expanded && got.step == SCAN_RECORD)
			sound = !record_contradicts(&w->in.evlist, got.record.p, &got.record.h, w->in.header.swap);
		sound = sound && (got.step == SCAN_RECORD || (!got.expanded && may_stay(got.record.rule)));
	}
	record_source_close(&source);
	return r < 0 ? r : sound;
}

bool rewrite_mapping(struct rewrite *w, const uint8_t *p, const struct record_header *h, struct sonde_mmap *out)
{
	struct record rec = { p, h->size, h->type, h->misc, w->in.header.swap };
	const struct evsel *source;
	size_t trailer;
	uint64_t id;

	if (h->type != RECORD_MMAP && h->type != RECORD_MMAP2)
		return false;
	source = evlist_find(&w->in.evlist, p, h->size, false, rec.swap, &id);
	trailer = source ? source->layout.trailer_bytes : 0;
	rec.size -= trailer < rec.size ? trailer : 0;
	return record_body(&rec, BODY_MMAP, out) == 0;
}

bool rewrite_changes_order(const struct rewrite *w)
{
	return w->opts.swap != w->in.header.swap;
}

/* An event with the bytes of its attr for which struct sonde_attr has no field. */
static int add_event(struct rewrite *w, size_t i)
{
	const struct evsel *source = evlist_at(&w->in.evlist, i);
	struct section attr = w->in.events.at[i].attr;
	uint64_t tail = attr.size > ATTR_SIZE_KNOWN ? attr.size - ATTR_SIZE_KNOWN : 0;
	const uint8_t *p = tail ? image_view(&w->image, attr.offset + ATTR_SIZE_KNOWN, (size_t)tail) : NULL;

	VEC(uint64_t) ids = { 0 };
	int r = 0;

	/* an id that two events claim stays with the first, as for readers */
	for (size_t k = 0; r == 0 && k < source->ids.n; k++)
		if (evlist_by_id(&w->in.evlist, source->ids.at[k]) == source)
			r = vec_push(&ids, source->ids.at[k]);
	if (r == 0)
		r = compose_event(w->out, &source->attr, p, p ? (size_t)tail : 0, ids.at, ids.n);
	if (p && rewrite_changes_order(w))
		for (uint64_t k = 0; k < tail; k++)
			if (p[k]) {
				rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, attr.offset,
					     REWRITE_STAYS "{field|fields} of attrs that {is|are} not known");
				break;
			}
	vec_free(&ids);
	return r;
}

/* Lets the change decide about a feature: a verdict, or negative. */
static int change_feature(struct rewrite *w, uint32_t id)
{
	struct buf b = BUF_MEMORY;
	int verdict = w->change_feature(w, id, &b);

	if (verdict == REWRITE_ANEW && (b.failed || compose_feature(w->out, id, b.p, b.n) < 0))
		verdict = -SONDE_NOMEM;
	buf_free(&b);
	return verdict;
}

static int add_feature(struct rewrite *w, uint32_t id)
{
	const char *stays;
	uint8_t *raw;
	int r;

	if (id == SONDE_FEAT_AUXTRACE && !w->keep_damage)  /* an index of places in the old file */
		return 0;
	if (id == SONDE_FEAT_DIR_FORMAT && w->dir.fd < 0)
		return 0;
	/* perf stat has one of zeros */
	if (id == SONDE_FEAT_COMPRESSED && w->in.meta.compressed.type && !w->keep_packed && !w->same_chunks)
		return 0;
	r = w->change_feature ? change_feature(w, id) : REWRITE_KEEP;
	if (r != REWRITE_KEEP)
		return r < 0 ? r : 0;
	/* its content depends on the attrs */
	if (w->events_changed && id == SONDE_FEAT_EVENT_DESC && feature_has(&w->in.meta, id))
		return compose_fields(w->out, id, &w->in.meta);
	raw = image_copy(&w->image, w->in.features[id].offset, w->in.features[id].size);
	if (!raw)
		return image_failed(&w->image, &w->handle->err) < 0 ? -SONDE_SYSTEM : -SONDE_NOMEM;
	stays = rewrite_changes_order(w) ?
		swap_feature(id, raw, w->in.features[id].size, w->in.header.swap, w->in.meta.nr_cpus_available) :
		NULL;
	if (stays)
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, w->in.features[id].offset, SONDE_NONE, -1,
			   REWRITE_STAYS "%s", stays);
	r = compose_feature(w->out, id, raw, w->in.features[id].size);
	free(raw);
	return r;
}

/* These are made from the parts; those of the input would be there twice. */
static bool is_remade(const struct rewrite *w, uint32_t type)
{
	return w->in.header.pipe && !w->as_it_is &&
	       (type == RECORD_HEADER_ATTR || type == RECORD_HEADER_FEATURE || type == RECORD_HEADER_TRACING_DATA);
}

/*
 * Which file of a directory a record belongs to: that of its CPU, or the first, if it is a sample or says that some
 * were lost; records of tasks and of the recording are in `data`. A record without a time stays there too: only its
 * place says what it comes after. A few files take all: each has a buffer.
 */
#define CPU_FILES_MAX 64

static int part_of(struct rewrite *w, const struct record_step *got, size_t *part)
{
	const struct record_type *type = record_type_find(got->record.h.type);
	bool sample = got->record.h.type == RECORD_SAMPLE, swap = w->in.header.swap;
	const struct evsel *s;
	const uint8_t *p = got->record.p, *at;
	uint32_t cpu, number;
	uint64_t id;

	*part = w->image.dir_fd >= 0 && w->dir.fd >= 0 ? got->part_number : 0;
	if (w->dir.fd < 0 || w->image.dir_fd >= 0 || !type || got->record.h.type >= RECORD_USER ||
	    (type->kind != SONDE_KIND_SAMPLE && type->kind != SONDE_KIND_LOSS))
		return 0;
	s = evlist_find(&w->in.evlist, p, got->record.h.size, sample, swap, &id);
	if (!s || !evsel_field(s, p, got->record.h.size, sample, AT_TIME))
		return 0;
	*part = 1;
	at = evsel_field(s, p, got->record.h.size, sample, AT_CPU);
	if (!at)
		return 0;
	cpu = load_u32(at, swap);
	number = u64map_get(&w->cpus, cpu);
	if (number == U64MAP_NONE) {
		number = 1 + (uint32_t)(w->nr_cpus++ % CPU_FILES_MAX);
		if (u64map_set(&w->cpus, cpu, number) < 0)
			return err_nomem(&w->handle->err);
	}
	*part = number;
	return 0;
}

/* The record in the other byte order, or as it is. */
static int turn(struct rewrite *w, struct rewrite_record *record)
{
	bool changes = rewrite_changes_order(w), swap = w->in.header.swap;
	bool packed = record->from->h.type == RECORD_COMPRESSED || record->from->h.type == RECORD_COMPRESSED2;
	uint32_t nr_cpus = w->in.meta.nr_cpus_available;
	const char *stays;

	if (!changes && (!w->rebuild || packed))
		return 0;
	if (packed)
		return err_set(&w->handle->err, SONDE_UNSUPPORTED, record->from->at,
			       "has compressed records that no feature tells of: without them (--no-compress) the byte "
			       "order can be changed");
	if (!w->scratch && !(w->scratch = malloc(REWRITE_SCRATCH)))
		return err_nomem(&w->handle->err);
	memcpy(w->scratch, record->p, record->n);
	stays = swap_record(&w->in.evlist, w->scratch, record->n, swap, nr_cpus);
	if (!changes)
		swap_record(&w->in.evlist, w->scratch, record->n, !swap, nr_cpus);
	else if (stays)
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, record->from->at, SONDE_NONE, -1,
			   REWRITE_STAYS "%s", stays);
	record->p = w->scratch;
	return 0;
}

static int put_record(struct rewrite *w, const struct rewrite_record *record, size_t part, bool plain)
{
	int r;

	w->handle->counts.written++;
	r = plain ? compose_plain(w->out, part, record->p, record->n) :
		    compose_record(w->out, part, record->p, record->n);
	if (r < 0 || !record->nr_payload)
		return r;
	if (record->from->h.type == RECORD_AUXTRACE && part == 0 &&
	    vec_push(&w->auxtrace, ((struct sonde_auxtrace_index){ compose_at(w->out) - record->n, record->n })) < 0)
		return err_nomem(&w->handle->err);
	return compose_payload_copy(w->out, part, record->image, record->from->at + record->from->h.size,
				    record->nr_payload, &w->handle->err);
}

/*
 * Rounds are those of one file: they do not hold once its records are in several, or come together with those of
 * others.
 */
static bool is_wrong_round(const struct rewrite *w, uint32_t type)
{
	return type == RECORD_FINISHED_ROUND && (w->dir.fd >= 0 ? w->image.dir_fd < 0 : w->in_parts);
}

static int pass_record(struct rewrite *w, const struct record_step *got)
{
	const struct scanned *from = &got->record;
	struct rewrite_record record = { from,         got->part,  got->part_number, from->p,
					 from->h.size, got->image, from->payload };
	int verdict = REWRITE_KEEP, r;
	size_t part;

	w->handle->counts.read++;
	if (is_wrong_round(w, from->h.type)) {
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, from->at,
			     "{mark|marks} of rounds, which {holds|hold} only where all records are in one file");
		return 0;
	}
	if (is_remade(w, from->h.type)) {
		/* no end mark */
		w->handle->counts.written += from->h.type != RECORD_HEADER_FEATURE || from->h.size > 16;
		return 0;
	}
	if (!w->keep_damage && rewrite_contradicts(w, from))
		return 0;
	if (w->change)
		verdict = w->change(w, &record);
	if (verdict <= 0)
		return verdict;
	r = part_of(w, got, &part);
	if (r == 0)
		r = turn(w, &record);
	return r < 0 ? r : put_record(w, &record, part, w->same_chunks && !got->expanded);
}

/* Bytes that are no records. */
static int pass_damage(struct rewrite *w, const struct record_step *got)
{
	struct scanned r = got->record;

	if (got->expanded)
		r.h = (struct record_header){ 0 };  /* at that place is a compressed record */
	if (r.rule != CHECK_RECORD_UNWRITTEN)  /* nothing was ever there */
		losses_add_damage(&w->handle->ledger, &r, got->part);
	if (!w->keep_damage || got->expanded)
		return 0;
	return compose_payload_copy(w->out, w->dir.fd >= 0 ? got->part_number : 0, got->image, r.at, r.bytes,
				    &w->handle->err);
}

int rewrite_records(struct rewrite *w)
{
	struct record_source source;
	struct record_step got = { .step = SCAN_RECORD };
	int failed = record_source_open(&source, &w->in, w->image.dir_fd, !w->keep_packed, &w->handle->err);

	while (failed == 0 && (failed = record_source_next(&source, &got)) == 0 && got.step != SCAN_END) {
		failed = got.step == SCAN_RECORD ? pass_record(w, &got) : pass_damage(w, &got);
		for (size_t i = 0; failed == 0 && w->same_chunks && i < got.nr_ends; i++)
			failed = compose_pack(w->out, w->dir.fd >= 0 ? got.part_number : 0, got.ends[i]);
	}
	record_source_close(&source);
	return failed;
}

/* The index of AUXTRACE records, with their new places. */
static int add_auxtrace_index(struct rewrite *w)
{
	struct meta meta = { .auxtrace = w->auxtrace.at, .nr_auxtrace = w->auxtrace.n };

	if (w->opts.pipe || w->auxtrace.n == 0)
		return 0;
	return compose_fields(w->out, SONDE_FEAT_AUXTRACE, &meta);
}

int rewrite_finish(struct rewrite *w)
{
	int r = image_shrunk(&w->image, &w->handle->err);

	if (r == 0)
		r = output_finish(&w->to, &w->handle->err);
	return r < 0 || w->dir.fd < 0 ? r : output_dir_finish(&w->dir, &w->handle->err);
}

int rewrite_run(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;
	int r = 0;

	w->opts.dir = w->dir.fd >= 0 ? &w->dir : NULL;
	if (w->keep_packed)
		w->opts.level = 0;
	w->out = compose_new(&w->to, &w->opts, lose_part, w);
	if (!w->out)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < w->in.events.n; i++)
		r = add_event(w, i);
	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS; id++)
		r = w->in.has[id] ? add_feature(w, id) : 0;
	if (r < 0)
		return r == -SONDE_NOMEM ? err_nomem(err) : r;
	r = compose_begin(w->out, err);
	if (r == 0)
		r = rewrite_records(w);
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
	return r < 0 ? r : rewrite_finish(w);
}

void rewrite_close(struct rewrite *w)
{
	compose_free(w->out);
	output_close(&w->to);
	output_dir_close(&w->dir);
	vec_free(&w->auxtrace);
	u64map_free(&w->cpus);
	free(w->scratch);
	layout_free(&w->in);
	image_close(&w->image);
}

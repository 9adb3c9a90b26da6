/* SPDX-License-Identifier: MIT */
#include "perfdata/write/compose.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/put.h"
#include "base/vec.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/header.h"
#include "perfdata/format/part_name.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"
#include "perfdata/format/stream_record.h"
#include "perfdata/write/part_writer.h"

struct composed_event {
	struct sonde_attr attr;
	uint8_t *tail;
	size_t nr_tail;
	uint64_t *ids;
	size_t nr_ids;
};

struct payload {
	uint8_t *p;                  /* NULL: the feature is not there */
	size_t n;
};

struct compose {
	struct output *to;
	struct part_writer *writers;          /* writers[0] is `data` */
	size_t nr_writers;
	struct packing packing;
	struct sonde_error *err;     /* since compose_begin() */
	struct compose_opts opts;
	compose_lost_fn lost;
	void *ctx;
	uint32_t attr_size;
	VEC(struct composed_event) events;
	struct payload features[SONDE_FEAT_BITS];
	struct header head;
};

struct compose *compose_new(struct output *to, const struct compose_opts *opts, compose_lost_fn lost, void *ctx)
{
	struct compose *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->to = to;
	c->opts = *opts;
	c->packing = (struct packing){ .level = opts->level, .swap = opts->swap, .aligned = opts->aligned };
	c->lost = lost;
	c->ctx = ctx;
	c->nr_writers = opts->dir ? 1 + COMPOSE_PARTS_MAX : 1;
	c->writers = calloc(c->nr_writers, sizeof(*c->writers));
	if (!c->writers) {
		free(c);
		return NULL;
	}
	for (size_t i = 0; i < c->nr_writers; i++)
		c->writers[i].own.buf.fd = -1;
	c->writers[0].to = to;
	return c;
}

void compose_free(struct compose *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->events.n; i++) {
		free(c->events.at[i].tail);
		free(c->events.at[i].ids);
	}
	vec_free(&c->events);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		free(c->features[id].p);
	for (size_t i = 0; i < c->nr_writers; i++)
		part_writer_free(&c->writers[i]);
	free(c->writers);
	free(c);
}

static void *copy_of(const void *p, size_t n)
{
	void *copy = malloc(n + 1);  /* also of nothing: NULL stands for a failure */

	if (copy && n)
		memcpy(copy, p, n);
	return copy;
}

int compose_event(struct compose *c, const struct sonde_attr *attr, const uint8_t *tail, size_t nr_tail,
		  const uint64_t *ids, size_t nr_ids)
{
	struct composed_event e = { .attr = *attr, .nr_tail = nr_tail, .nr_ids = nr_ids };

	e.tail = copy_of(tail, nr_tail);
	e.ids = copy_of(ids, nr_ids * sizeof(*ids));
	if (!e.tail || !e.ids || vec_push(&c->events, e) < 0) {
		free(e.tail);
		free(e.ids);
		return -SONDE_NOMEM;
	}
	return 0;
}

static void no_feature(struct compose *c, uint32_t id)
{
	free(c->features[id].p);
	c->features[id] = (struct payload){ NULL, 0 };
}

int compose_feature(struct compose *c, uint32_t id, const void *payload, size_t n)
{
	uint8_t *copy = copy_of(payload, n);

	if (!copy)
		return -SONDE_NOMEM;
	no_feature(c, id);
	c->features[id] = (struct payload){ copy, n };
	return 0;
}

int compose_fields(struct compose *c, uint32_t id, struct meta *meta)
{
	struct buf b = BUF_MEMORY;
	int r;

	feature_set(meta, id);
	r = feature_encode(&b, id, c->opts.swap, meta);
	if (r == 0)
		r = compose_feature(c, id, b.p, b.n);
	buf_free(&b);
	return r;
}

static void put_word(struct compose *c, uint64_t v)
{
	put_u64(&c->to->buf, v, c->opts.swap);
}

static void put_attr(struct compose *c, const struct composed_event *e)
{
	struct sonde_attr attr = e->attr;
	struct buf b = BUF_MEMORY;

	attr.size = c->attr_size;  /* readers step by it: all entries are alike */
	attr_encode(&b, &attr, c->opts.swap);
	if (b.failed == 0) {
		if (b.n > ATTR_SIZE_KNOWN)
			memcpy(b.p + ATTR_SIZE_KNOWN, e->tail,
			       e->nr_tail < b.n - ATTR_SIZE_KNOWN ? e->nr_tail : b.n - ATTR_SIZE_KNOWN);
		buf_put(&c->to->buf, b.p, b.n);
	} else {
		c->to->buf.failed = b.failed;
	}
	buf_free(&b);
}

/* Sizes of attrs differ where they came from different recorders; those of a file must not. */
static void settle_attr_size(struct compose *c)
{
	c->attr_size = c->opts.attr_size;
	for (size_t i = 0; !c->opts.attr_size && i < c->events.n; i++)
		if (c->events.at[i].attr.size > c->attr_size)
			c->attr_size = c->events.at[i].attr.size;
	if (c->attr_size < ATTR_SIZE_VER0)
		c->attr_size = ATTR_SIZE_VER0;
}

static void put_header(struct compose *c)
{
	c->head.pipe = c->opts.pipe;
	c->head.swap = c->opts.swap;
	c->head.version = c->opts.version1 ? 1 : 2;
	c->head.attr_size = c->attr_size + sizeof(struct section);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		if (c->head.data.size && c->features[id].p)
			c->head.features[id / 64] |= UINT64_C(1) << (id % 64);
	header_encode(&c->to->buf, &c->head);
}

static void begin_file(struct compose *c)
{
	uint64_t ids_at = PERFDATA_HEADER_BYTES, nr_ids = 0;

	for (size_t i = 0; i < c->events.n; i++)
		nr_ids += c->events.at[i].nr_ids;
	c->head.attrs = (struct section){ ids_at + 8 * nr_ids, c->events.n * (c->attr_size + sizeof(struct section)) };
	c->head.data.offset = c->head.attrs.offset + c->head.attrs.size;
	put_header(c);
	for (size_t i = 0; i < c->events.n; i++)
		for (size_t k = 0; k < c->events.at[i].nr_ids; k++)
			put_word(c, c->events.at[i].ids[k]);
	for (size_t i = 0; i < c->events.n; i++) {
		put_attr(c, &c->events.at[i]);
		put_word(c, ids_at);
		put_word(c, 8 * c->events.at[i].nr_ids);
		ids_at += 8 * c->events.at[i].nr_ids;
	}
}

static void put_attr_record(struct compose *c, const struct composed_event *e)
{
	size_t room = (RECORD_BYTES_MAX - RECORD_HEADER_BYTES - c->attr_size) / 8,
	       nr = e->nr_ids < room ? e->nr_ids : room;

	if (nr < e->nr_ids && c->lost)
		c->lost(c->ctx, e->nr_ids - nr, "ids of an event that has more than a record can hold");
	stream_put_header(&c->to->buf, RECORD_HEADER_ATTR, RECORD_HEADER_BYTES + c->attr_size + 8 * nr, c->opts.swap);
	put_attr(c, e);
	for (size_t k = 0; k < nr; k++)
		put_word(c, e->ids[k]);
}

/* Entries of BUILD_ID are records but for their type and for the sizes, which are padded here. */
static void put_build_ids(struct compose *c, const struct payload *f)
{
	for (size_t at = 0; at + 36 <= f->n;) {
		uint16_t size = load_u16(f->p + at + 6, c->opts.swap), padded;

		if (size < 36 || size > f->n - at || size > RECORD_BYTES_MAX)
			return;
		padded = (uint16_t)ALIGN_UP((unsigned)size, 8U);
		put_u32(&c->to->buf, RECORD_HEADER_BUILD_ID, c->opts.swap);
		put_u16(&c->to->buf, load_u16(f->p + at + 4, c->opts.swap), c->opts.swap);
		put_u16(&c->to->buf, padded, c->opts.swap);
		buf_put(&c->to->buf, f->p + at + 8, size - 8U);
		buf_pad(&c->to->buf, 0, (size_t)(padded - size));
		at += size;
	}
}

static void put_feature_record(struct compose *c, uint32_t id)
{
	const struct payload *f = &c->features[id];
	const char *name = sonde_feature_name(id);
	char text[96];

	if (id == SONDE_FEAT_BUILD_ID) {
		put_build_ids(c, f);
	} else if (!stream_put_feature(&c->to->buf, id, f->p, f->n, c->opts.swap) && c->lost) {
		snprintf(text, sizeof(text), "header features that have no place in a stream: %s",
			 name ? name : "unknown");
		c->lost(c->ctx, 1, text);
	}
}

/* perf makes them up of the attrs where there are none. */
static int put_event_names(struct compose *c)
{
	const struct payload *f = &c->features[SONDE_FEAT_EVENT_DESC];
	struct arena arena = { 0 };
	struct meta meta = { 0 };
	int r = feature_decode(SONDE_FEAT_EVENT_DESC, f->p, f->n, 0, c->opts.swap, &meta, &arena, NULL);

	for (size_t i = 0; r == 0 && i < meta.nr_event_descs; i++) {
		const struct event_desc *d = &meta.event_descs[i];

		if (d->name[0] && d->nr_ids)
			stream_put_event_name(&c->to->buf, d->ids[0], d->name, c->opts.swap);
	}
	arena_free(&arena);
	return r == -SONDE_NOMEM ? r : 0;  /* what cannot be decoded is carried as it is */
}

static int begin_pipe(struct compose *c)
{
	put_header(c);
	if (c->opts.bare)
		return 0;
	for (size_t i = 0; i < c->events.n; i++)
		put_attr_record(c, &c->events.at[i]);
	/* No end mark: each version of perf takes another number for it, and warns of those of the others. */
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		if (c->features[id].p)
			put_feature_record(c, id);
	return c->opts.names && c->features[SONDE_FEAT_EVENT_DESC].p ? put_event_names(c) : 0;
}

/* The feature COMPRESSED. How much became of how much is known at the end only, which is too late for a stream. */
static int add_compressed(struct compose *c)
{
	struct meta meta = {
		.compressed = { .type = COMPRESSED_ZSTD, .level = c->opts.level, .mmap_len = PART_GATHER_BYTES }
	};

	if (!c->opts.level || c->opts.packed_as_told)
		return 0;
	if (c->packing.nr_packed)
		meta.compressed.ratio = (uint32_t)((c->packing.nr_plain + c->packing.nr_packed / 2) /
						   c->packing.nr_packed);
	return compose_fields(c, SONDE_FEAT_COMPRESSED, &meta);
}

static int add_dir_format(struct compose *c)
{
	struct meta meta = { .dir_version = DIR_FORMAT_PARTS };

	if (!c->opts.dir || c->features[SONDE_FEAT_DIR_FORMAT].p)
		return 0;
	return compose_fields(c, SONDE_FEAT_DIR_FORMAT, &meta);
}

int compose_begin(struct compose *c, struct sonde_error *err)
{
	if (!c->opts.pipe && !output_can_seek(c->to))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "only a stream can be written to the standard output");
	c->err = err;
	if (add_dir_format(c) < 0 || add_compressed(c) < 0)
		return err_nomem(err);
	settle_attr_size(c);
	if (c->attr_size > RECORD_BYTES_MAX / 2)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "attrs of %u bytes", c->attr_size);
	if (!c->opts.pipe)
		begin_file(c);
	else if (begin_pipe(c) < 0)
		return err_nomem(err);
	return c->to->buf.failed;
}

uint64_t compose_at(const struct compose *c)
{
	return output_at(c->to);
}

/* The file of a part, made when its first record comes. */
static struct part_writer *writer_of(struct compose *c, size_t part)
{
	struct part_writer *l = c->writers + part;
	char name[32];

	if (part < c->nr_writers && l->to)
		return l;
	if (part >= c->nr_writers) {
		err_set(c->err, SONDE_UNSUPPORTED, SONDE_NONE, "a directory with a file data.%zu", part - 1);
		return NULL;
	}
	snprintf(name, sizeof(name), "data.%zu", part - 1);
	if (output_open_in(&l->own, c->opts.dir, name, c->err) < 0)
		return NULL;
	l->to = &l->own;
	return l;
}

int compose_plain(struct compose *c, size_t part, const void *p, size_t n)
{
	struct part_writer *l = writer_of(c, part);

	return l ? part_writer_plain(l, &c->packing, p, n, c->err) : -(int)c->err->code;
}

int compose_record(struct compose *c, size_t part, const void *p, size_t n)
{
	struct part_writer *l = writer_of(c, part);

	return l ? part_writer_record(l, &c->packing, p, n, c->err) : -(int)c->err->code;
}

int compose_pack(struct compose *c, size_t part, size_t n)
{
	struct part_writer *l = writer_of(c, part);

	return l ? part_writer_pack(l, &c->packing, n, c->err) : -(int)c->err->code;
}

int compose_payload(struct compose *c, size_t part, const void *p, size_t n)
{
	struct part_writer *l = writer_of(c, part);

	if (!l)
		return -(int)c->err->code;
	buf_put(&l->to->buf, p, n);
	return l->to->buf.failed;
}

int compose_payload_copy(struct compose *c, size_t part, struct image *im, uint64_t at, uint64_t n,
			 struct sonde_error *err)
{
	struct part_writer *l = writer_of(c, part);

	return l ? output_copy(l->to, im, at, n, err) : -(int)c->err->code;
}

static void put_features(struct compose *c)
{
	uint64_t at, table = c->opts.slack;

	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		table += c->features[id].p ? sizeof(struct section) : 0;
	at = compose_at(c) + table;
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		if (!c->features[id].p)
			continue;
		put_word(c, at);
		put_word(c, c->features[id].n);
		at += c->features[id].n;
	}
	buf_pad(&c->to->buf, 0, c->opts.slack);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		buf_put(&c->to->buf, c->features[id].p, c->features[id].n);
}

void compose_begin_records(struct compose *c, struct sonde_error *err)
{
	c->err = err;
}

int compose_finish_records(struct compose *c, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->nr_writers; i++)
		r = c->writers[i].to ? part_writer_pack(&c->writers[i], &c->packing, 0, c->err) : 0;
	for (size_t i = 1; r == 0 && i < c->nr_writers; i++)
		r = c->writers[i].to ? output_finish(c->writers[i].to, err) : 0;
	return r;
}

int compose_finish(struct compose *c, struct sonde_error *err)
{
	struct output head = { .buf = BUF_MEMORY }, *to = c->to;
	int r = compose_finish_records(c, err);

	if (r < 0 || c->opts.pipe || to->buf.failed)
		return r < 0 ? r : to->buf.failed;
	if (add_compressed(c) < 0)
		return err_nomem(err);
	if (c->opts.dir && !writer_of(c, 1))  /* perf refuses a directory without any */
		return -(int)err->code;
	if (c->opts.dir && compose_at(c) == c->head.data.offset)  /* all records are in the other files */
		stream_put_header(&c->to->buf, RECORD_FINISHED_ROUND, RECORD_HEADER_BYTES, c->opts.swap);
	c->head.data.size = compose_at(c) - c->head.data.offset;
	/* without records there are no features: a reader takes such a file for one whose recorder was killed */
	if (c->head.data.size)
		put_features(c);
	c->to = &head;
	put_header(c);
	c->to = to;
	r = head.buf.failed ? head.buf.failed : output_patch(to, head.buf.p, head.buf.n, 0, err);
	buf_free(&head.buf);
	return r < 0 ? r : to->buf.failed;
}

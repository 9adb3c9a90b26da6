/* SPDX-License-Identifier: MIT */
/*
 * feature.h - the header features of a perf.data: one table, one row per feature (feature.c)
 *
 * The same payload bytes lie after the feature table of a file and in the HEADER_FEATURE records of a pipe. Layout of
 * each: docs/formats/perf-data-features.md, tools/perf/util/header.c.
 */
#ifndef PERFDATA_FORMAT_FEATURE_H
#define PERFDATA_FORMAT_FEATURE_H

#include "model/meta.h"

#include "base/arena.h"
#include "base/cursor.h"
#include "base/json.h"

struct layout_field;

/* Where encoders put their bytes, and in which byte order. */
struct encoder {
	struct buf *out;
	bool swap;                   /* the target's order is not the host's */
};

struct feature {
	uint32_t id;
	const char *name;
	const struct layout_field *layout;  /* see feature_layout.h; the functions below do what a table cannot */
	/*
	 * Payload to fields of meta, which are changed only when 0 is returned (but see CPU_TOPOLOGY). NULL without a
	 * layout: presence or the raw bytes are all there is to know.
	 */
	int (*decode)(struct cursor *c, struct meta *meta, struct arena *a);
	/* 0 or -SONDE_*. NULL without a layout: the raw payload, if there is one, is copied. */
	int (*encode)(struct encoder *e, const struct meta *meta);
	/* One value; docs/info-json.md. NULL without a layout: {"bytes": n} */
	void (*json)(struct json *j, const struct meta *meta);
	/*
	 * Lines in the words of `perf report --header-only`, each beginning with "# ". NULL: the label and the text of
	 * the layout, or the label alone; perf shows nothing of a feature without a label either.
	 */
	void (*print)(struct buf *out, const struct meta *meta);
	const char *label;
	uint32_t needs;              /* a feature that must be known before this one can be decoded; 0: none */
	bool pipe;                   /* perf sends it as HEADER_FEATURE in pipe mode */
	bool full_only;              /* long: perf prints it with -I only */
	bool any_order;              /* its bytes are the same in either byte order */
};

/**
 * feature_decode - take in one feature
 * @id: any number; unknown ones are only kept in meta->raw
 * @p: @n bytes that live as long as @a: a pipe reader copies them into the arena first
 * @file_offset: of @p, for messages
 * @meta: starts zeroed; its arrays and texts are placed in @a
 *
 * The payload is added to meta->raw. Once it is decoded (or needs no decoding) the bit in meta->features is set. A
 * feature that needs another one (CPU_TOPOLOGY needs NRCPUS) waits for it without an error, see feature_finish().
 * When the same feature comes again, the later one counts.
 * Returns 0, or the failure of this feature (-SONDE_TRUNCATED, -SONDE_CORRUPT, -SONDE_NOMEM; the text of @err begins
 * with the feature's name); @meta can be used and further features decoded in any case.
 */
int feature_decode(uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset, bool swap, struct meta *meta,
		   struct arena *a, struct sonde_error *err);

/**
 * feature_finish - call when all features were decoded (in a pipe: at the end mark)
 * Features that still wait for another one that never came are decoded as far as possible, and the first of them is
 * reported: -SONDE_MISSING. May be called again when more features came.
 */
int feature_finish(bool swap, struct meta *meta, struct arena *a, struct sonde_error *err);

/**
 * feature_encode - append the payload of feature @id to @out
 * @swap: the target's byte order is not the host's
 * Features without fields in @meta (TRACING_DATA, unknown ones) are copied from meta->raw.
 * Returns 0, -SONDE_MISSING if @meta says nothing about it, -SONDE_NOMEM.
 */
int feature_encode(struct buf *out, uint32_t id, bool swap, const struct meta *meta);

/* The content of feature @id, which @meta has: as text, and as one JSON value. */
void feature_print(struct buf *out, uint32_t id, bool full, const struct meta *meta);
void feature_json(struct json *j, uint32_t id, const struct meta *meta);

/* Whether @meta has feature @id (decoded). */
static inline bool feature_has(const struct meta *meta, uint32_t id)
{
	return id < SONDE_FEAT_BITS && meta->features[id / 64] >> (id % 64) & 1;
}

static inline void feature_set(struct meta *meta, uint32_t id)
{
	meta->features[id / 64] |= UINT64_C(1) << (id % 64);
}

/* The last payload of feature @id in meta->raw, or NULL. */
const struct sonde_raw_feature *feature_raw(const struct meta *meta, uint32_t id);

/* The row of @id or NULL; all rows in ascending order of id. */
const struct feature *feature_find(uint32_t id);
const struct feature *feature_table(size_t *nr);

#endif

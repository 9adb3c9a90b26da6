/* SPDX-License-Identifier: MIT */
/* feature_payload.h - the primitives that the payloads of features are made of */
#ifndef PERFDATA_FORMAT_FEATURE_PAYLOAD_H
#define PERFDATA_FORMAT_FEATURE_PAYLOAD_H

#include "base/put.h"
#include "perfdata/format/feature.h"

/*
 * A number of things, each at least min_bytes long in the file; fails the cursor and gives 0 if they cannot be there.
 * The result may size an allocation.
 */
static inline uint64_t feat_count(struct cursor *c, uint64_t n, uint64_t min_bytes)
{
	if (n > cur_left(c) / min_bytes) {
		uint64_t need;

		cur_short(c, __builtin_mul_overflow(n, min_bytes, &need) ? UINT64_MAX : need);
		return 0;
	}
	return n;
}

#define FEAT_STR_MIN 4               /* bytes of an empty string: its length */
#define FEAT_STR_ALIGN 64

/* A text that was taken from the cursor, copied; NULL after failing the cursor, also when out of memory. */
const char *feat_copy(struct cursor *c, struct arena *a, struct sonde_str s);

/* A string of the payload, as above. */
const char *feat_str(struct cursor *c, struct arena *a);

/* u32 count and that many strings. 0 or negative. */
int feat_str_list(struct cursor *c, struct arena *a, const char ***out, size_t *nr);

/* The result of a decoder at its end: 0, or why the cursor failed. */
int feat_status(struct cursor *c);

/* A zeroed array; NULL fails the cursor with -SONDE_NOMEM. For 0 elements it is not NULL either. */
void *feat_array(struct cursor *c, struct arena *a, uint64_t n, size_t size);

static inline void enc_u16(struct encoder *e, uint16_t v)
{
	put_u16(e->out, v, e->swap);
}

static inline void enc_u32(struct encoder *e, uint32_t v)
{
	put_u32(e->out, v, e->swap);
}

static inline void enc_u64(struct encoder *e, uint64_t v)
{
	put_u64(e->out, v, e->swap);
}

void enc_str(struct encoder *e, const char *s);
void enc_str_list(struct encoder *e, const char *const *s, size_t nr);

/* "# label : text" */
void print_text(struct buf *out, const char *label, const char *text);

/* Text of the trace inside a line. */
void print_str(struct buf *out, const char *s);

/* The functions that a row of feature.c names. */
#define FEATURE_PRINT(name) void name##_print(struct buf *out, const struct meta *meta)
#define FEATURE_JSON(name) void name##_json(struct json *j, const struct meta *meta)
#define FEATURE_CODEC(name)                                                                  \
	int name##_decode(struct cursor *c, struct meta *meta, struct arena *a);       \
	int name##_encode(struct encoder *e, const struct meta *meta);                 \
	FEATURE_JSON(name)

#endif

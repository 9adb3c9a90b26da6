/* SPDX-License-Identifier: MIT */
/*
 * feature_layout.h - the payload of a feature as a table of its fields, in the order of the file
 *
 * One table reads the payload into struct meta, writes it again, shows it as JSON and finds the numbers whose
 * byte order is to change.
 */
#ifndef PERFDATA_FORMAT_FEATURE_LAYOUT_H
#define PERFDATA_FORMAT_FEATURE_LAYOUT_H

#include <stddef.h>

#include "perfdata/format/feature_payload.h"

enum layout_kind {
	LAYOUT_END,
	LAYOUT_NUMBER,
	LAYOUT_VERSION,              /* 1, the only one that is known; not in memory */
	LAYOUT_TEXT,                 /* const char * */
	LAYOUT_BYTES,                /* a number counts them; in an order of their own: struct sonde_bytes */
	LAYOUT_BITS,                 /* a number counts them; words: const uint64_t * */
	LAYOUT_LIST,                 /* of structs; a number counts them */
};

struct layout_field {
	uint8_t kind;                /* enum layout_kind */
	uint8_t width;               /* bytes of the number in the file, 4 or 8 */
	uint16_t at;                 /* of the member, from the start of the struct */
	uint16_t nr_at;              /* of the member with the number of elements */
	uint16_t size;               /* of an element of a list in memory */
	const char *key;             /* in JSON; NULL: the value is this field alone */
	const struct layout_field *fields;  /* of an element of a list, up to LAYOUT_END */
	const uint8_t *shown;        /* numbers of `fields` in the order of JSON; NULL: the order of the file */
};

#define LAYOUT(...) (const struct layout_field[]){ __VA_ARGS__, { .kind = LAYOUT_END } }

#define NUMBER(type, member, name)                                                                         \
	{ .kind = LAYOUT_NUMBER, .width = sizeof(((type *)0)->member), .at = offsetof(type, member), .key = name }
#define TEXT(type, member, name) { .kind = LAYOUT_TEXT, .width = 4, .at = offsetof(type, member), .key = name }
#define BYTES(type, member, name) { .kind = LAYOUT_BYTES, .width = 4, .at = offsetof(type, member), .key = name }
#define LIST(width_, type, member, name, fields_, ...)                                                     \
	{ .kind = LAYOUT_LIST, .width = width_, .at = offsetof(type, member), .nr_at = offsetof(type, nr_##member), \
	  .size = sizeof(*((type *)0)->member), .key = name, .fields = fields_, __VA_ARGS__ }

/* As the functions of struct feature. The fields of @meta change only when 0 is returned. */
int layout_decode(const struct layout_field *fields, struct cursor *c, struct meta *meta, struct arena *a);
int layout_encode(const struct layout_field *fields, struct encoder *e, const struct meta *meta);
void layout_json(const struct layout_field *fields, struct json *j, const struct meta *meta);

/* The text of a feature that is one text. */
const char *layout_text(const struct layout_field *fields, const struct meta *meta);

static inline uint64_t words_of_bits(uint64_t bits)
{
	return bits / 64 + (bits % 64 != 0);
}

#endif

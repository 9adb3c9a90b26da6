/* SPDX-License-Identifier: MIT */
/* attr.h - struct perf_event_attr as it lies in a file, of any size and byte order. */
#ifndef PERFDATA_FORMAT_ATTR_H
#define PERFDATA_FORMAT_ATTR_H

#include <sonde/event.h>

#include "base/buf.h"
#include "base/cursor.h"

#define ATTR_SIZE_VER0 64   /* the oldest; a size of 0 stands for it */
#define ATTR_SIZE_KNOWN 144 /* VER9: up to config4 */
#define ATTR_ENTRY_MAX 65536 /* an attr and where its ids lie */

/**
 * attr_decode - read an attr of @bytes bytes; fields beyond them read as 0, bytes beyond struct sonde_attr are skipped
 * @bytes: room in the file, which may be more or less than the size field inside says
 * Layout: struct perf_event_attr in <linux/perf_event.h>. Returns 0 or -SONDE_TRUNCATED.
 */
int attr_decode(struct cursor *c, uint64_t bytes, struct sonde_attr *out);

/** attr_encode - append @attr, attr->size bytes of it (what is longer than ours is zero) */
void attr_encode(struct buf *out, const struct sonde_attr *attr, bool swap);

/* The size of the oldest attr that has every field of @attr that is not 0; @attr->size is not looked at. */
uint32_t attr_size_needed(const struct sonde_attr *attr);

/* All the bytes that are known, to the struct and back: every bit of them. */
void attr_load(const uint8_t p[ATTR_SIZE_KNOWN], bool swap, struct sonde_attr *out);
void attr_store(uint8_t p[ATTR_SIZE_KNOWN], const struct sonde_attr *attr, bool swap);

#define ATTR_PRECISE_IP_BIT 15      /* a flag of two bits */

/* How a field of an attr is shown, unless it is 0. */
enum attr_shown {
	ATTR_HIDDEN,
	ATTR_DEC, ATTR_HEX,
	ATTR_SIG_DATA,               /* decimal in texts, hex where it is shown raw */
	ATTR_BITS,                   /* names of bits */
	ATTR_FLAGS,
	ATTR_CLOCK,                  /* a number with a sign */
};

struct attr_bit { uint8_t nr; const char *name; };

/* A field of struct perf_event_attr. */
struct attr_field {
	uint8_t at, size;            /* in the file */
	uint16_t to;                 /* in struct sonde_attr */
	uint8_t shown;               /* enum attr_shown */
	const char *name, *text, *key;  /* of the member; in `perf evlist -v`; in JSON */
	bool always;                 /* in JSON also when 0 */
	uint8_t nr_bits;
	const struct attr_bit *bits;  /* in perf's order, not that of the numbers: texts are compared */
};

/* All fields in the order of the struct, one after the other. */
const struct attr_field *attr_fields(size_t *nr);
uint64_t attr_value(const struct sonde_attr *attr, const struct attr_field *f);

/*
 * The flags word of a big-endian recorder (big) read with its byte order, as the little-endian bit numbers, and back.
 */
uint64_t attr_flags_normal(uint64_t native, bool big);
uint64_t attr_flags_native(uint64_t flags, bool big);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * file.h - the parts of a trace.dat in the order in which they lie there
 *
 * For those who look at the file itself or write a new one; who wants its events uses the reader (read/). scan/ finds
 * the parts of an image, rewrite/ changes them, write/ writes them. What points from one part to another is kept as the
 * number of the part, so that parts may grow, move, come and go.
 */
#ifndef TRACEDAT_FORMAT_FILE_H
#define TRACEDAT_FORMAT_FILE_H

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "codec/codec.h"
#include "io/image.h"
#include "tracedat/format/header.h"
#include "tracedat/format/ids.h"
#include "tracedat/format/page.h"

#define DAT_NONE SIZE_MAX            /* no part, no buffer */
#define NO_DESCRIPTION UINT32_MAX
#define DAT_CHUNK_PAGES 10           /* pages of a chunk, as trace-cmd writes them */

/* Bytes that lie in the image (p is NULL) or in memory that lives as long as the file. */
struct dat_bytes {
	const uint8_t *p;
	uint64_t at, n;
};

enum dat_part_kind {
	DAT_PART_SECTION,            /* metadata, strings, and what is not known */
	DAT_PART_OPTIONS,            /* version 6: after the number of CPUs */
	DAT_PART_BUFFER,             /* the pages of a buffer; version 6: after their table */
	DAT_PART_TEXT,               /* the text of a latency tracer */
	DAT_PART_RAW,                /* bytes that belong to nothing */
};

struct dat_item {                    /* an option */
	uint16_t id;
	uint64_t at;                 /* of its data in the image; of the part, if that is compressed */
	struct sonde_bytes data;     /* as it was; what it says of offsets is written anew */
	size_t part;                 /* it points to this one; DAT_NONE */
	size_t buffer;               /* it describes this one; DAT_NONE */
};

struct dat_part {
	enum dat_part_kind kind;
	uint16_t id;
	uint32_t description;
	uint64_t at;                 /* in the image; SONDE_NONE: it is new */
	struct dat_bytes bytes;      /* of a section, text or raw part: the payload */
	bool packed;                 /* the payload is compressed: u32, u32, packed bytes; of a text a list of chunks */
	size_t buffer;
	VEC(struct dat_item) items;
	bool has_options;            /* version 6: the number of CPUs is followed by a list */
	bool ended;                  /* the list has its end mark */
	bool reached;                /* the lists before it lead to it */
	size_t next;                 /* the part with the options that follow these; DAT_NONE */
	bool cut;                    /* it reaches past the end of the image */
	bool lost;                   /* nothing of it can be read: no new file has it */
	uint64_t new_at;             /* where it was written */
};

struct dat_file;
struct dat_extent;
struct page_writer;

/* Writes the pages of an extent that are not simply those of the image: 0 or negative. */
typedef int (*dat_fill_fn)(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent,
			   struct page_writer *to);

/* The pages of one CPU in a buffer. */
struct dat_extent {
	uint32_t cpu;
	struct dat_bytes bytes;      /* pages, or a list of chunks */
	/* pages that follow, elsewhere in the image, of a file that a recorder grew (join.h) */
	const struct dat_bytes *more;        size_t nr_more;
	struct dat_bytes gap;        /* the bytes before them, unless they are the zeros up to the next page */
	uint64_t table_at, table_n;  /* as the table says, true or not */
	uint32_t size_short;         /* by how much the table says less than there is */
	uint64_t stated;             /* where the table says that nothing is; SONDE_NONE: where it would be */
	struct dat_file *from;       /* the file whose image has the bytes; NULL: this one */
	uint64_t new_at, new_n;
};

struct dat_buffer {
	const char *name, *clock;
	uint32_t page_size;
	bool packed;                 /* the extents are lists of chunks */
	VEC(struct dat_extent) extents;  /* as the table has them */
	VEC(size_t) order;           /* in which they lie in the file; empty: that of the table */
	struct dat_bytes clock_text; /* version 6: as it stands after the table */
	bool has_clock_text;
	struct dat_bytes rest;       /* after the last extent, up to the next part */
	struct sonde_bytes tail;     /* of its option, after the table */
	uint64_t new_table;          /* version 6: where the table was written */
	dat_fill_fn fill;            /* NULL: the extents are copied */
	void *ctx;
};

struct dat_file {
	struct image *image;         /* not owned; NULL: everything is in memory */
	struct dat_header header;
	bool swap;
	struct page_layout layout;
	bool has_layout;             /* header_page has been read */
	const struct codec *codec;   /* of the image; NULL: none, or not known */
	struct decoder decoder;
	uint64_t budget;             /* bytes that may still be decompressed */
	uint32_t nr_cpus;            /* version 6: as the file says; of all tables */
	VEC(struct dat_part) parts;
	VEC(struct dat_buffer) buffers;
	struct u64map part_at;       /* by offset */
	size_t first_options;        /* version 7; DAT_NONE */
	bool keeps_gaps;             /* nothing has been changed: gaps are written as they were */
	bool sound;                  /* every byte has its part */
	bool scattered;              /* a recorder that was killed left extents in the sections of other buffers */
	bool shallow;                /* set before the parts are read: lists of chunks are not looked into */
	bool lacks_options;          /* a list of options is cut, damaged or missing */
	bool packed_options;         /* lists of options were compressed, which they never are when written */
	struct arena arena;
};

/* A part or an option that belongs to no other. @at: SONDE_NONE: it is new. */
static inline struct dat_part dat_part_new(enum dat_part_kind kind, uint16_t id, uint64_t at)
{
	return (struct dat_part){ .kind = kind, .id = id, .at = at, .description = NO_DESCRIPTION, .buffer = DAT_NONE,
				  .next = DAT_NONE };
}

static inline struct dat_item dat_item_new(uint16_t id, const void *data, size_t n)
{
	return (struct dat_item){ .id = id, .data = { data, n }, .part = DAT_NONE, .buffer = DAT_NONE };
}

/* One of the six kinds of metadata that both versions have. */
static inline bool dat_part_is_metadata(const struct dat_part *part)
{
	return part->kind == DAT_PART_SECTION && part->id >= SECTION_HEADER_INFO && part->id <= SECTION_CMDLINES;
}

/* How much of a file of this size may be decompressed: it stays in proportion. */
static inline uint64_t dat_unpack_limit(uint64_t file_bytes)
{
	return (UINT64_C(64) << 20) + file_bytes * 1024;
}

void dat_file_init(struct dat_file *f, struct image *im);
void dat_file_free(struct dat_file *f);

/* A new part at the end, number *out: 0 or -SONDE_NOMEM. */
int dat_file_add(struct dat_file *f, struct dat_part part, size_t *out);
int dat_file_add_buffer(struct dat_file *f, struct dat_buffer b, size_t *out);

/* A section with bytes that are copied; empty metadata if @p is NULL. */
int dat_file_add_bytes(struct dat_file *f, uint16_t id, const void *p, size_t n, size_t *out);

/* The first part of this kind or section id; NULL. */
struct dat_part *dat_file_section(struct dat_file *f, uint16_t id);

/* Whether an extent of the buffer, or of any buffer, has pages. */
bool dat_buffer_has_pages(const struct dat_buffer *b);
bool dat_file_has_pages(const struct dat_file *f);

/* The number of CPUs that a list of options states; 0: none. */
uint32_t dat_part_cpus(const struct dat_part *options, bool swap);

/* The first option of this id in any part; NULL. */
struct dat_item *dat_file_option(struct dat_file *f, uint16_t id);

/* The part with the option by which a recorder of sonde says that it has not finished the file, and its
 * number there; NULL. */
struct dat_part *dat_file_unfinished(struct dat_file *f, size_t *item);

/* n bytes of an image as a view or a copy in *owned, which is to be freed; NULL with @err set. */
const uint8_t *dat_bytes_get(struct dat_file *f, const struct dat_bytes *b, uint8_t **owned, struct sonde_error *err);

/* The payload of a section or text, decompressed if need be, to be freed: 0, -SONDE_CORRUPT, -SONDE_NOMEM, ... */
int dat_part_load(struct dat_file *f, const struct dat_part *part, uint8_t **out, size_t *n, struct sonde_error *err);
/* The same, but what was decompressed before it failed is there, to be freed. */
int dat_part_load_some(struct dat_file *f, const struct dat_part *part, uint8_t **out, size_t *n,
		       struct sonde_error *err);

/* Decompresses n bytes to exactly @size bytes. */
int dat_unpack(struct dat_file *f, const uint8_t *p, size_t n, uint8_t *out, size_t size, struct sonde_error *err);

#endif

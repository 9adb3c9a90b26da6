/* SPDX-License-Identifier: MIT */
/*
 * column.h - a column of an Arrow table that grows row by row, and becomes an array of the C data interface
 *
 *	struct arrow_column pid = ARROW_COLUMN("pid", ARROW_I32);
 *	arrow_put_int(&pid, 17);
 *	arrow_put_null(&pid);
 *	arrow_column_take(&pid, &array);     two rows, whose memory is the array's now; the column is empty again
 *
 * Running out of memory is remembered: puts return nothing, arrow_column_take() fails.
 */
#ifndef EXPORT_ARROW_COLUMN_H
#define EXPORT_ARROW_COLUMN_H

#include <sonde/arrow.h>

#include "base/buf.h"
#include "base/u64map.h"

enum arrow_kind {
	ARROW_I32,
	ARROW_U32,
	ARROW_I64,
	ARROW_U64,
	ARROW_F64,                   /* put as an integer of its bits */
	ARROW_BOOL,
	ARROW_TEXT,
	ARROW_BYTES,
	ARROW_WORD,                  /* text that comes again: numbers of words in a dictionary of the batch */
	ARROW_LIST,                  /* of the only child */
	ARROW_STRUCT,                /* of the children */
};

/* The different texts of a column of words. */
struct arrow_words {
	struct buf text, ends;       /* ends: int32, the first one is 0 */
	struct hash_index index;     /* by text */
	struct u64map keys;          /* number of the word of a key */
	uint32_t n;
};

struct arrow_column {
	const char *name;            /* lives as long as the column */
	enum arrow_kind kind;
	struct arrow_column *children;
	size_t nr_children;
	/* the rows so far */
	uint64_t n, nr_nulls;
	struct buf valid;            /* a bit for each row, once there is a null */
	struct buf ends;             /* of texts, bytes and lists: int32, the first one is 0 */
	struct buf values;
	struct arrow_words words;
};

#define ARROW_COLUMN(name_, kind_) \
	((struct arrow_column){ .name = (name_), .kind = (kind_), .valid = BUF_MEMORY, .ends = BUF_MEMORY, \
				.values = BUF_MEMORY, .words = { .text = BUF_MEMORY, .ends = BUF_MEMORY } })

/* Frees the rows of a column and of its children, not the children themselves. */
void arrow_column_free(struct arrow_column *c);

/* A row each: of a list its end, after its elements were put into the child; of a struct that of its children. */
void arrow_put_null(struct arrow_column *c);    /* a struct's children get a null, too; a list is empty */
void arrow_put_int(struct arrow_column *c, uint64_t v);      /* any number, BOOL too; higher bits are dropped */
void arrow_put_int_if(struct arrow_column *c, bool known, uint64_t v);  /* else a null */
void arrow_put_text(struct arrow_column *c, const char *s, size_t len);  /* TEXT, BYTES, WORD */
void arrow_end_row(struct arrow_column *c);     /* LIST, STRUCT */

/* A WORD by a number of the caller's, which stands for the same text until the batch ends. */
void arrow_put_word(struct arrow_column *c, uint64_t key, const char *s);

/* Bytes that the rows so far take, with those of the children. */
uint64_t arrow_column_bytes(const struct arrow_column *c);

/*
 * The rows as an array, which owns their memory; the column has none then. 0, -SONDE_NOMEM, or -SONDE_UNSUPPORTED if
 * texts or lists have too many elements for offsets of 32 bits.
 */
int arrow_column_take(struct arrow_column *c, struct ArrowArray *out);

/* The type of a column; @clock: the value of "clock" in its metadata, or NULL. 0 or -SONDE_NOMEM. */
int arrow_column_schema(const struct arrow_column *c, const char *clock, struct ArrowSchema *out);

#endif

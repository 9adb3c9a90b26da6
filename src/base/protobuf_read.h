/* SPDX-License-Identifier: MIT */
/*
 * protobuf_read.h - the fields of a message of Protocol Buffers, one after the other
 *
 *	while ((r = pb_next(&c, &f)) > 0)
 *		if (f.number == 2)
 *			take_sample(f.body);
 *
 * A message within a message is its `body`, a cursor of its own. protobuf.h writes them.
 */
#ifndef BASE_PROTOBUF_READ_H
#define BASE_PROTOBUF_READ_H

#include "base/cursor.h"

struct pb_field {
	uint32_t number;
	uint8_t wire;                /* 0 a varint, 1 eight bytes, 2 a body, 5 four bytes */
	uint64_t value;              /* of 0, 1 and 5 */
	struct cursor body;          /* of 2 */
	uint64_t at;                 /* its offset in the file */
};

/* 1, 0 at the end of the message, negative on failure: the cursor has failed then. */
int pb_next(struct cursor *c, struct pb_field *f);

/*
 * The next number of a repeated field, packed or not. Call it until it returns 0; negative on failure. The field holds
 * how far it has come.
 */
int pb_next_number(struct pb_field *f, uint64_t *out);

/* The body as text. A view. */
static inline struct sonde_str pb_string(const struct pb_field *f)
{
	return f->wire == 2 ? (struct sonde_str){ (const char *)f->body.p, (size_t)cur_left(&f->body) } :
			      (struct sonde_str){ "", 0 };
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * index_builder.h - an index while it is put together
 *
 *	struct index_builder b = { 0 };
 *	index_builder_add(&b, &piece);          in the order of the units
 *	index_builder_seal(&b, identity, &bytes, &size);
 *	index_builder_free(&b);
 */
#ifndef SYMBOL_DWARF_INDEX_BUILDER_H
#define SYMBOL_DWARF_INDEX_BUILDER_H

#include "symbol/dwarf/index_piece.h"

struct index_builder {
	struct index_piece all;      /* of all units; the strings of a function are still numbers of its unit */
	VEC(struct index_unit) units;
	VEC(uint32_t) unit_of;       /* of each function */
	VEC(uint32_t) strings;       /* numbers in all.strings: those of the units, one unit after the other */
};

/* Takes what the piece has; it is empty afterwards. 0 or -SONDE_NOMEM. */
int index_builder_add(struct index_builder *b, struct index_piece *p);

/*
 * The bytes of the index, malloced. identity: of the files that it is made of. 0, -SONDE_NOMEM, or -SONDE_UNSUPPORTED:
 * numbers of 32 bits are not enough.
 */
int index_builder_seal(struct index_builder *b, const uint64_t identity[2], uint8_t **bytes, size_t *size);

void index_builder_free(struct index_builder *b);

#endif

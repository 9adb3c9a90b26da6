/* SPDX-License-Identifier: MIT */
/*
 * index_format.h - the bytes of an index
 *
 * A header and tables of 32-bit numbers, in the order of struct index_header, then encoded bytes, then texts that end
 * with a NUL each. Addresses are relative to the lowest one, `base`. All numbers are in the byte order of the host.
 *
 * A function's inlined functions are at `at` of the encoded bytes, in preorder: LEB128 numbers, none of them signed.
 *	bytes of all nodes together
 *	node: number of ranges; of each range the distance from the end of the one before it (of the first: from the
 *	      first start of the parent) and its length; bytes of the rest of the node; name, file, line and column of
 *	      the call; nodes of the functions that were inlined into this one
 *
 * Lines are in blocks of some rows, so that one is found in a sorted table and decoded alone:
 *	number of rows after the first; file, line and column of the first
 *	row: distance from the address before it << 2, and what follows (enum row_kind)
 *
 * Names and files are numbers of their unit, from 1; 0 stands for none.
 */
#ifndef SYMBOL_DWARF_INDEX_FORMAT_H
#define SYMBOL_DWARF_INDEX_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"

/* Changes with the layout and with the rules by which frames are chosen. Reads differently in another byte order. */
#define INDEX_MAGIC UINT64_C(0x0001736e6c647373)

#define INDEX_NO_OWNER UINT32_MAX    /* nothing is known of these addresses */
#define INDEX_NO_NODES UINT32_MAX    /* `at` of a function without inlined ones */

enum row_kind {
	ROW_LINE,                    /* difference of the line (zigzag) */
	ROW_COLUMN,                  /* the same, column */
	ROW_FILE,                    /* the same, column, file */
	ROW_END,                     /* nothing: no row holds from here on */
};

struct index_header {
	uint64_t magic;
	uint64_t hash;               /* of all that follows */
	uint64_t size;
	uint64_t identity[2];        /* of the files that it is made of */
	uint64_t base;
	uint32_t nr_starts;          /* starts, then the function that has the addresses from each of them */
	uint32_t nr_functions;
	uint32_t nr_units;
	uint32_t nr_blocks;
	uint32_t nr_strings;
	uint32_t nr_bytes;
	uint32_t text_size;
	uint32_t zero;
};

struct index_function { uint32_t start, name, unit, at; };  /* name: in the texts */
struct index_unit { uint32_t first_string, first_block; };
struct index_block { uint32_t start, at; };

/* The size that the numbers of a header say. */
static inline uint64_t index_size(const struct index_header *h)
{
	return sizeof(*h) + 2 * (uint64_t)h->nr_starts * sizeof(uint32_t) +
	       (uint64_t)h->nr_functions * sizeof(struct index_function) +
	       (uint64_t)h->nr_units * sizeof(struct index_unit) + (uint64_t)h->nr_blocks * sizeof(struct index_block) +
	       (uint64_t)h->nr_strings * sizeof(uint32_t) + h->nr_bytes + h->text_size;
}

static inline uint64_t index_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 35;
}

/*
 * Of the bytes after the member `hash`: shows damage, not malice. Four sums at once, because each step waits for the
 * one before it.
 */
static inline uint64_t index_hash(const uint8_t *bytes, size_t size)
{
	size_t at = offsetof(struct index_header, size);
	uint64_t h[4] = { 1, 2, 3, 4 }, word;

	for (; size - at >= 32; at += 32)
		for (int i = 0; i < 4; i++)
			h[i] = index_mix(h[i], load_u64(bytes + at + 8 * i, false));
	for (; at < size; at++)
		h[0] = index_mix(h[0], bytes[at]);
	word = index_mix(index_mix(h[0], h[1]), h[2]);
	return hash_u64(index_mix(word, h[3]));
}

#endif

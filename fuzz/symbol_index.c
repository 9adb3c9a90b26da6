/* SPDX-License-Identifier: MIT */
/* Any bytes as an index from disk, whose hash is made to fit: every address that it knows. */
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESSES_MAX = 256 };

static void use(const struct index *x)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < x->header.nr_starts && i < ADDRESSES_MAX; i++)
		for (uint64_t k = 0; k < 40; k += 13) {
			struct index_answer a;

			index_find(x, x->header.base + x->starts[i] + k, &a);
			for (size_t f = 0; f < a.n; f++) {
				sum += a.frames[f].function ? strlen(a.frames[f].function) : 0;
				sum += a.frames[f].file ? strlen(a.frames[f].file) : 0;
			}
		}
	if (sum == UINT64_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct index_header h;
	struct index x;
	uint8_t *copy;

	if (size < sizeof(h))
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	memcpy(&h, data, sizeof(h));
	h.magic = INDEX_MAGIC;
	h.size = size;
	/* the texts have the bytes that the tables leave */
	h.text_size = 0;
	if (index_size(&h) < size)
		h.text_size = (uint32_t)(size - index_size(&h));
	copy[size - 1] = 0;
	memcpy(copy, &h, sizeof(h));
	h.hash = index_hash(copy, size);
	memcpy(copy, &h, sizeof(h));
	if (index_open(&x, copy, size))
		use(&x);
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* sorted.h - binary search in an array that is sorted by a member of its elements, such as a start address. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of elements whose member, a uint64_t, is at most x: the last of them is at[number - 1]. */
#define sorted_nr_at_most(at, n, member, x) \
	sorted_keys_at_most((at), (n), sizeof(*(at)), offsetof(__typeof__(*(at)), member), (x))

static inline size_t sorted_keys_at_most(const void *at, size_t n, size_t size, size_t offset, uint64_t x)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t key;

		memcpy(&key, (const char *)at + middle * size + offset, sizeof(key));
		if (key <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif

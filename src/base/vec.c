/* SPDX-License-Identifier: MIT */
#include "base/vec.h"

#include <stdint.h>

#include "base/err.h"

int vec_grow(void **at, size_t *cap, size_t n, size_t extra, size_t size)
{
	size_t need, bytes;
	void *p;

	if (extra <= *cap - n)
		return 0;
	if (__builtin_add_overflow(n, extra, &need))
		return -SONDE_NOMEM;
	if (need < *cap + *cap / 2)
		need = *cap + *cap / 2;
	if (need < 8)
		need = 8;
	if (__builtin_mul_overflow(need, size, &bytes))
		return -SONDE_NOMEM;
	p = realloc(*at, bytes);
	if (!p)
		return -SONDE_NOMEM;
	*at = p;
	*cap = need;
	return 0;
}

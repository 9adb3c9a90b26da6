/* SPDX-License-Identifier: MIT */
#include "cli/rows/folds.h"

#include <sonde/types.h>

#include <stdlib.h>
#include <string.h>

uint64_t folds_number(uint64_t above, const char *name)
{
	uint64_t h = above ^ 0xcbf29ce484222325;  /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h * 31 + 1;
}

/* The index of the first number that is not smaller. */
static size_t find(const struct folds *f, uint64_t number)
{
	size_t from = 0, to = f->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (f->at[middle] < number)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool folds_has(const struct folds *f, uint64_t number)
{
	size_t i = find(f, number);

	return i < f->n && f->at[i] == number;
}

int folds_toggle(struct folds *f, uint64_t number)
{
	size_t i = find(f, number), cap = f->cap ? 2 * f->cap : 64;
	uint64_t *more;

	if (i < f->n && f->at[i] == number) {
		f->n--;
		memmove(f->at + i, f->at + i + 1, (f->n - i) * sizeof(*f->at));
		return 0;
	}
	if (f->n == f->cap) {
		more = realloc(f->at, cap * sizeof(*more));
		if (!more)
			return -SONDE_NOMEM;
		f->at = more;
		f->cap = cap;
	}
	memmove(f->at + i + 1, f->at + i, (f->n - i) * sizeof(*f->at));
	f->at[i] = number;
	f->n++;
	return 0;
}

int folds_copy(struct folds *to, const struct folds *from)
{
	*to = (struct folds){ .at = malloc((from->n + 1) * sizeof(*to->at)), .n = from->n, .cap = from->n + 1 };
	if (!to->at)
		return -SONDE_NOMEM;
	if (from->n)
		memcpy(to->at, from->at, from->n * sizeof(*to->at));
	return 0;
}

void folds_free(struct folds *f)
{
	free(f->at);
	*f = (struct folds){ 0 };
}

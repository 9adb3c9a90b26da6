/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/address_ranges.h"

#include "base/err.h"
#include "base/sorted.h"

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct range *)a)->start, y = ((const struct range *)b)->start;

	return (x > y) - (x < y);
}

void ranges_sort(struct ranges *r)
{
	size_t n = 0;

	if (r->list.n)
		qsort(r->list.at, r->list.n, sizeof(*r->list.at), by_start);
	for (size_t i = 0; i < r->list.n; i++) {
		struct range *before = n ? &r->list.at[n - 1] : NULL, one = r->list.at[i];

		if (!before || one.start > before->last)
			r->list.at[n++] = one;
		else if (one.last > before->last)
			before->last = one.last;
	}
	r->list.n = r->nr_sorted = n;
}

int ranges_add(struct ranges *r, uint64_t start, uint64_t len)
{
	uint64_t last = len > UINT64_MAX - start ? UINT64_MAX : start + len - 1;

	if (len == 0)
		return 0;
	if (r->list.n >= 1024 && r->list.n >= 2 * r->nr_sorted)  /* most processes map the same */
		ranges_sort(r);
	return vec_push(&r->list, ((struct range){ start, last }));
}

bool ranges_have(const struct ranges *r, uint64_t addr)
{
	size_t n = sorted_nr_at_most(r->list.at, r->list.n, start, addr);

	return n && addr <= r->list.at[n - 1].last;
}

void ranges_free(struct ranges *r)
{
	vec_free(&r->list);
	r->nr_sorted = 0;
}

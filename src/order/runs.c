/* SPDX-License-Identifier: MIT */
#include "order/runs.h"

#include <string.h>

/* The end of the run that begins at i. */
static size_t run_end(const struct record_ref *refs, size_t i, size_t n)
{
	for (i++; i < n && refs[i - 1].time <= refs[i].time; i++)
		;
	return i;
}

/* Equal times: a comes first. If b lies at the end of `to`, it is read before it is overwritten. */
static void merge(const struct record_ref *a, size_t nr_a, const struct record_ref *b, size_t nr_b,
		  struct record_ref *to)
{
	const struct record_ref *end_a = a + nr_a, *end_b = b + nr_b;

	while (a < end_a && b < end_b)
		*to++ = b->time < a->time ? *b++ : *a++;
	memcpy(to, a, (size_t)(end_a - a) * sizeof(*to));
	to += end_a - a;
	if (to != b)
		memcpy(to, b, (size_t)(end_b - b) * sizeof(*to));
}

/* Sorts n references; the cost is n times the logarithm of the number of runs. */
static void merge_runs(struct record_ref *refs, struct record_ref *scratch, size_t n)
{
	struct record_ref *from = refs, *to = scratch, *swap;
	size_t runs, at, mid, end;

	do {
		runs = 0;
		for (at = 0; at < n; at = end, runs++) {
			mid = run_end(from, at, n);
			end = mid < n ? run_end(from, mid, n) : mid;
			if (runs == 0 && end == n && mid == n)
				break;  /* one run: sorted */
			merge(from + at, mid - at, from + mid, end - mid, to + at);
		}
		if (runs) {
			swap = from;
			from = to;
			to = swap;
		}
	} while (runs > 1);
	if (from != refs)
		memcpy(refs, from, n * sizeof(*refs));
}

size_t runs_not_newer(const struct record_ref *refs, size_t n, uint64_t until)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (refs[mid].time <= until)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

void runs_merge_tail(struct record_ref *refs, struct record_ref *scratch, size_t sorted, size_t n)
{
	size_t keep, moved;

	if (sorted == n)
		return;
	merge_runs(refs + sorted, scratch, n - sorted);
	keep = runs_not_newer(refs, sorted, refs[sorted].time);
	moved = sorted - keep;
	memcpy(scratch, refs + keep, moved * sizeof(*refs));
	merge(scratch, moved, refs + sorted, n - sorted, refs + keep);
}

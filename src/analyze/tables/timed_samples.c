/* SPDX-License-Identifier: MIT */
#include "analyze/tables/timed_samples.h"

int timed_samples_add(struct timed_samples *t, const struct sonde_profile_sample *s)
{
	if (t->most && t->list.n == t->most) {
		timed_samples_free(t);
		t->on = false;
		t->given_up = true;
		return 0;
	}
	t->mixed |= t->list.n && s->time < t->list.at[t->list.n - 1].time;
	return vec_push(&t->list, *s);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By all members: qsort() may swap equal ones, which must not be seen. */
static int compare_samples(const void *va, const void *vb)
{
	const struct sonde_profile_sample *a = va, *b = vb;
	int r = compare(a->time, b->time);

	r = r ? r : compare(a->cell, b->cell);
	r = r ? r : compare(a->cpu, b->cpu);
	return r ? r : compare(a->period, b->period);
}

void timed_samples_sort(struct timed_samples *t)
{
	if (t->mixed)
		qsort(t->list.at, t->list.n, sizeof(*t->list.at), compare_samples);
	t->mixed = false;
}

void timed_samples_free(struct timed_samples *t)
{
	vec_free(&t->list);
}

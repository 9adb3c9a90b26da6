/* SPDX-License-Identifier: MIT */
#include "export/page/timed.h"

#include <stdlib.h>

#include "base/u64map.h"

int html_timed_gather(struct html_timed *t, const struct sonde_profile *p, const uint32_t *cell_of)
{
	const struct sonde_profile_sample *list = p->timed.list.at;
	size_t n = p->timed.list.n, nr_events = p->events.n, kept = 0;

	*t = (struct html_timed){ .first = calloc(nr_events + 2, sizeof(*t->first)) };
	if (!t->first)
		return -SONDE_NOMEM;
	/* counted two places further on, so that the entries are where they belong once all have been placed */
	for (size_t i = 0; i < n; i++)
		if (list[i].time != SONDE_NONE && cell_of[list[i].cell] != UINT32_MAX) {
			t->first[p->cells.at[list[i].cell].event + 2]++;
			t->first_ns = kept ? t->first_ns : list[i].time;
			t->last_ns = list[i].time;
			kept++;
		}
	for (size_t i = 2; i < nr_events + 2; i++)
		t->first[i] += t->first[i - 1];
	t->samples = malloc((kept + 1) * sizeof(*t->samples));
	if (!t->samples)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sonde_profile_sample *s = &list[i];

		if (s->time != SONDE_NONE && cell_of[s->cell] != UINT32_MAX)
			t->samples[t->first[p->cells.at[s->cell].event + 1]++] = (struct html_sample){
				.time = s->time,
				.weight = s->period,
				.cell = cell_of[s->cell],
				.cpu = s->cpu < HTML_MOST_CPUS ? s->cpu : UINT32_MAX,
				.count = 1,
			};
	}
	return 0;
}

/* Merges in spans of that length into @to, which may be @samples; how many are left, SIZE_MAX when out of memory. */
static size_t merge_spans(const struct html_sample *samples, size_t n, uint64_t span_ns, struct html_sample *to)
{
	size_t left = 0, span_begin = 0;
	struct u64map known = { 0 };
	uint64_t span = 0;

	for (size_t i = 0; i < n; i++) {
		const struct html_sample s = samples[i];
		uint64_t key = (uint64_t)s.cell << 32 | s.cpu;
		uint32_t at;

		if (i == 0 || s.time / span_ns != span) {
			span = s.time / span_ns;
			span_begin = left;
			u64map_free(&known);
		}
		at = u64map_get(&known, key);
		if (at != U64MAP_NONE) {
			to[span_begin + at].weight += s.weight;
			to[span_begin + at].count += s.count;
			continue;
		}
		if (u64map_set(&known, key, (uint32_t)(left - span_begin)) < 0) {
			u64map_free(&known);
			return SIZE_MAX;
		}
		to[left++] = s;
	}
	u64map_free(&known);
	return left;
}

size_t html_timed_merge(struct html_sample *samples, size_t n, size_t most, uint64_t *span_ns)
{
	uint64_t length = n ? samples[n - 1].time - samples[0].time : 0;

	*span_ns = 0;
	while (n > most && *span_ns <= length) {
		*span_ns = *span_ns ? *span_ns * 2 : (length >> 16) + 1;
		n = merge_spans(samples, n, *span_ns, samples);  /* a span is two of those before */
		if (n == SIZE_MAX)
			break;
	}
	return n;
}

void html_timed_free(struct html_timed *t)
{
	free(t->samples);
	free(t->first);
	*t = (struct html_timed){ 0 };
}

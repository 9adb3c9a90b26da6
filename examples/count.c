/* SPDX-License-Identifier: MIT */
/* count.c - count the samples of each event: count [FILE] */
#include <sonde/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct sonde_query query = { .sz = sizeof(query), .samples_only = true };
	struct sonde_trace *t = sonde_trace_new();
	uint64_t *counts = NULL;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	size_t n = 0;
	int r = -1;

	if (!t)
		return 1;
	if (sonde_trace_open(t, path, NULL) < 0) {
		fprintf(stderr, "%s: %s\n", path, sonde_trace_error(t)->text);
		sonde_trace_free(t);
		return 1;
	}
	it = sonde_iter_new(t, &query);
	while (it && (r = sonde_iter_next(it, &ev)) > 0) {
		if (!ev->evsel)
			continue;
		if (ev->evsel->index >= n) {  /* a stream tells its events as it goes */
			size_t more = sonde_trace_evsel_count(t);

			counts = realloc(counts, more * sizeof(*counts));
			if (!counts)
				abort();
			while (n < more)
				counts[n++] = 0;
		}
		counts[ev->evsel->index]++;
	}
	if (it && r < 0)
		fprintf(stderr, "%s: %s\n", path, sonde_iter_error(it)->text);
	for (size_t i = 0; i < n; i++)
		printf("%10" PRIu64 " %s\n", counts[i], sonde_trace_evsel_at(t, i)->name);
	free(counts);
	sonde_iter_free(it);
	sonde_trace_free(t);
	return r < 0;
}

/* SPDX-License-Identifier: MIT */
/* several.c - print the events of several traces, as of a host and its guest, in one order of time: several FILE... */
#include <sonde/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int print_events(struct sonde_trace *const *traces, size_t nr)
{
	struct sonde_query query = { .sz = sizeof(query), .samples_only = true };
	struct sonde_iter *it = sonde_iter_new_several(traces, nr, &query, NULL);
	const struct sonde_event *ev;
	int r = -1;

	while (it && (r = sonde_iter_next(it, &ev)) > 0)
		printf("%" PRIu64 ".%09" PRIu64 " %s [%03d] %s\n", ev->time / 1000000000, ev->time % 1000000000,
		       sonde_trace_info(traces[sonde_iter_trace(it)])->path, ev->cpu,
		       ev->evsel ? ev->evsel->name : "?");
	if (it && r < 0)
		fprintf(stderr, "%s\n", sonde_iter_error(it)->text);
	sonde_iter_free(it);
	for (size_t i = 0; i < nr; i++) {
		const struct sonde_loss *loss;

		/* the ledger also says when a clock cannot be compared with the clock of the first trace */
		for (size_t k = 0; (loss = sonde_trace_loss_at(traces[i], k)); k++)
			fprintf(stderr, "%s: %" PRIu64 " %s\n", sonde_trace_info(traces[i])->path, loss->count,
				loss->text);
	}
	return r < 0;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? (size_t)argc - 1 : 0;
	struct sonde_trace **traces = calloc(nr + 1, sizeof(*traces));
	int status = 0;

	for (size_t i = 0; traces && i < nr; i++) {
		traces[i] = sonde_trace_new();
		if (traces[i] && sonde_trace_open(traces[i], argv[i + 1], NULL) == 0)
			continue;
		fprintf(stderr, "%s: %s\n", argv[i + 1],
			traces[i] ? sonde_trace_error(traces[i])->text : sonde_strerror(SONDE_NOMEM));
		status = 1;
	}
	if (traces && status == 0)
		status = print_events(traces, nr);
	for (size_t i = 0; traces && i < nr; i++)
		sonde_trace_free(traces[i]);
	free(traces);
	return status;
}

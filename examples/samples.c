/* SPDX-License-Identifier: MIT */
/* samples.c - one line a sample, in the order of time: who, where, when: samples [FILE] */
#include <sonde/symbol.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_tasks *tasks = NULL;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	int r;

	if (!t)
		return 1;
	r = sonde_trace_open(t, path, NULL);
	it = r < 0 ? NULL : sonde_iter_new(t, &query);
	tasks = it ? sonde_tasks_new(t) : NULL;
	while (tasks && (r = sonde_iter_next(it, &ev)) > 0) {
		const char *comm;

		sonde_tasks_apply(tasks, ev);  /* names come and go in time */
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		comm = sonde_tasks_comm_of(tasks, ev);
		printf("%-16s %7d/%-7d [%03d] ", comm ? comm : "?", ev->pid, ev->tid, ev->cpu);
		if (ev->time != SONDE_NONE)
			printf("%" PRIu64 ".%09" PRIu64 ": ", ev->time / 1000000000, ev->time % 1000000000);
		printf("%s %" PRIu64 " ip %" PRIx64 "\n", ev->evsel ? ev->evsel->name : "?", ev->period, ev->ip);
	}
	if (r < 0)
		fprintf(stderr, "%s: %s\n", path, sonde_trace_error(t)->text);
	sonde_tasks_free(tasks);
	sonde_iter_free(it);
	sonde_trace_free(t);
	return r < 0;
}

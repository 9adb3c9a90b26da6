/* SPDX-License-Identifier: MIT */
/* functions.c - print the functions with the most samples: functions [FILE] */
#include <sonde/symbol.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

struct function {
	const char *name;
	size_t samples;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static int by_samples(const void *a, const void *b)
{
	size_t x = ((const struct function *)a)->samples, y = ((const struct function *)b)->samples;

	return (x < y) - (x > y);
}

/* Merges equal names; returns the number of names that are left. */
static size_t merge(struct function *f, size_t n)
{
	size_t kept = 0;

	qsort(f, n, sizeof(*f), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(f[kept - 1].name, f[i].name))
			f[kept - 1].samples++;
		else
			f[kept++] = f[i];
	}
	qsort(f, kept, sizeof(*f), by_samples);
	return kept;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_tasks *tasks = NULL;
	struct sonde_symbols *symbols = sonde_symbols_new(NULL);
	struct function *functions = NULL;
	struct sonde_iter *it = NULL;
	const struct sonde_event *ev;
	size_t n = 0, kept;
	int r = -1;

	if (t && (r = sonde_trace_open(t, path, NULL)) < 0)
		fprintf(stderr, "%s: %s\n", path, sonde_trace_error(t)->text);
	if (r == 0 && symbols) {
		it = sonde_iter_new(t, &query);
		tasks = sonde_tasks_new(t);
	}
	while (it && tasks && (r = sonde_iter_next(it, &ev)) > 0) {
		const struct sonde_frame *frame;

		sonde_tasks_apply(tasks, ev);
		if (ev->kind != SONDE_KIND_SAMPLE ||
		    sonde_symbols_resolve_of(symbols, tasks, ev, ev->cpumode, ev->ip, &frame) < 0)
			continue;
		if ((n & (n - 1)) == 0)  /* doubles at each power of two */
			functions = realloc(functions, (n ? n * 2 : 1) * sizeof(*functions));
		if (!functions)
			abort();
		functions[n++] = (struct function){ frame->symbol ? frame->symbol : "[unknown]", 1 };
	}
	kept = n ? merge(functions, n) : 0;
	for (size_t i = 0; i < kept && i < SHOWN; i++)
		printf("%6.2f%%  %s\n", 100.0 * (double)functions[i].samples / (double)n, functions[i].name);
	free(functions);
	sonde_iter_free(it);
	sonde_tasks_free(tasks);
	sonde_symbols_free(symbols);
	sonde_trace_free(t);
	return r < 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * chain_of FILE - the task and the stack of each sample by the library's functions for them, as JSON: time, tid, comm,
 * name of the event, functions from the innermost on; null: not known
 */
#include <stdio.h>

#include <sonde/symbol.h>

static void put_text(const char *text)
{
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < ' ' || *p == '"' || *p == '\\')
			printf("\\u%04x", *p);
		else
			putchar(*p);
	putchar('"');
}

static void put_number(int known, unsigned long long number)
{
	if (known)
		printf("%llu", number);
	else
		printf("null");
	printf(", ");
}

/* The functions of the call chain; without one that of the address. */
static int put_stack(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev)
{
	int n = sonde_symbols_chain_of(symbols, tasks, ev, 0);
	const struct sonde_sample *sample;
	const struct sonde_frame *frame;

	printf("[");
	for (int i = 0; i < n; i++) {
		if (i)
			printf(", ");
		put_text(sonde_symbols_chain_at(symbols, (size_t)i)->symbol);
	}
	if (n == 0 && sonde_event_sample(ev, &sample) != -SONDE_USAGE && sample->present & 1 &&
	    sonde_symbols_resolve_of(symbols, tasks, ev, ev->cpumode, ev->ip, &frame) == 0)
		put_text(frame->symbol);
	printf("]]\n");
	return n;
}

static int put_sample(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev)
{
	printf("[");
	put_number(ev->time != SONDE_NONE, ev->time);
	put_number(ev->tid >= 0, (unsigned long long)ev->tid);
	put_text(sonde_tasks_comm_of(tasks, ev));
	printf(", ");
	put_text(ev->evsel->name);
	printf(", ");
	return put_stack(symbols, tasks, ev);
}

int main(int argc, char **argv)
{
	const struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME };
	struct sonde_trace *trace = sonde_trace_new();
	struct sonde_symbols *symbols = sonde_symbols_new(NULL);
	struct sonde_tasks *tasks;
	const struct sonde_event *ev;
	struct sonde_iter *it;
	int r = 0;

	if (argc != 2 || !trace || !symbols || sonde_trace_open(trace, argv[1], NULL) < 0)
		return 2;
	tasks = sonde_tasks_new(trace);
	it = sonde_iter_new(trace, &by_time);
	while (r >= 0 && sonde_iter_next(it, &ev) > 0) {
		r = sonde_tasks_apply(tasks, ev);
		if (r >= 0 && ev->kind == SONDE_KIND_SAMPLE && ev->evsel)
			r = put_sample(symbols, tasks, ev);
	}
	sonde_iter_free(it);
	sonde_symbols_free(symbols);
	sonde_tasks_free(tasks);
	sonde_trace_free(trace);
	return r < 0;
}

/* SPDX-License-Identifier: MIT */
/* cut.c - a trace of either format: parts of it by time, CPU and number, which can be read and have no more samples
 * than a cut of all has */
#include <sonde/cut.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char in[40], out[40];

/* The times of the events in the middle and three quarters on, which need not be in order. */
static struct sonde_query middle_of(uint64_t events)
{
	struct sonde_query query = { .sz = sizeof(query) };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_iter *it = t && sonde_trace_open(t, in, NULL) == 0 ? sonde_iter_new(t, NULL) : NULL;
	const struct sonde_event *ev;

	for (uint64_t n = 0; it && sonde_iter_next(it, &ev) > 0; n++) {
		if (n == events / 2 && ev->time != SONDE_NONE)
			query.time_min = ev->time;
		if (n == events / 2 + events / 4 && ev->time != SONDE_NONE)
			query.time_max = ev->time;
	}
	sonde_iter_free(it);
	sonde_trace_free(t);
	return query;
}

/* The samples in a cut; no more than @most. */
static uint64_t cut(const struct sonde_cut_opts *opts, uint64_t most)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct consumed part = { .samples = 0 };

	if (w && sonde_cut(w, in, out, opts) == 0) {
		part = consume_path(out, SONDE_ORDER_FILE);
		if (part.opened < 0 || part.samples > most)
			abort();
		unlink(out);
	} else if (access(out, F_OK) == 0) {
		abort();  /* a failed run leaves nothing */
	}
	sonde_rewrite_free(w);
	return part.samples;
}

static bool write_input(const uint8_t *data, size_t size)
{
	FILE *f = fopen(in, "w");
	bool whole = f && fwrite(data, 1, size, f) == size;

	return f && fclose(f) == 0 && whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int32_t cpu = 0;
	struct sonde_query by_time, by_cpu = { .sz = sizeof(by_cpu), .cpus = &cpu, .nr_cpus = 1 };
	uint64_t all;

	snprintf(in, sizeof(in), "/tmp/sonde-fuzz-cut.%d", (int)getpid());
	snprintf(out, sizeof(out), "/tmp/sonde-fuzz-cut-part.%d", (int)getpid());
	if (!write_input(data, size))
		return 0;
	by_time = middle_of(consume_path(in, SONDE_ORDER_FILE).events);
	all = cut(&(struct sonde_cut_opts){ .sz = sizeof(struct sonde_cut_opts) }, UINT64_MAX);
	cut(&(struct sonde_cut_opts){ .sz = sizeof(struct sonde_cut_opts), .query = &by_time }, all);
	cut(&(struct sonde_cut_opts){ .sz = sizeof(struct sonde_cut_opts),
				      .query = &by_cpu,
				      .drop = SONDE_DROP_CALLCHAIN },
	    all);
	cut(&(struct sonde_cut_opts){ .sz = sizeof(struct sonde_cut_opts), .max_pages = 1, .max_events = 10 }, all);
	unlink(in);
	return 0;
}

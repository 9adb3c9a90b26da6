/* SPDX-License-Identifier: MIT */
/*
 * tracedat_read.c - a trace.dat after its magic and version (6 if the first byte is even): described as JSON and as
 * text, and read in both orders, which must agree on what there is; what a query of a span of time gives is a part of
 * that
 */
#include <sonde/describe.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consume.h"
#include "tracedat_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe(const void *file, size_t size, bool json)
{
	struct sonde_describe_opts opts = { .sz = sizeof(opts), .json = json, .count = json };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_output to = { .sz = sizeof(to), .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };

	if (t && to.fd >= 0 && sonde_trace_open_memory(t, file, size, "fuzz", NULL) == 0)
		sonde_trace_describe(t, &to, &opts, NULL);
	close(to.fd);
	sonde_trace_free(t);
}

/* From the time of the event in the middle to that of the last one: no more samples than there are. */
static void read_span(const void *file, size_t size, uint64_t events)
{
	struct sonde_query query = { .sz = sizeof(query) };
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_event *ev;
	uint64_t n = 0;

	if (!t || sonde_trace_open_memory(t, file, size, "fuzz", NULL) < 0) {
		sonde_trace_free(t);
		return;
	}
	for (int pass = 0; pass < 2; pass++) {
		struct sonde_iter *it = sonde_iter_new(t, pass ? &query : NULL);

		for (n = 0; it && sonde_iter_next(it, &ev) > 0; n++) {
			if (pass)
				continue;
			query.time_max = ev->time;
			if (n == events / 2)
				query.time_min = ev->time;
		}
		sonde_iter_free(it);
	}
	if (n > events)
		abort();
	sonde_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct consumed by_file, by_time;
	size_t n;
	uint8_t *file = tracedat_file(data, size, &n);

	if (!file)
		return 0;
	describe(file, n, true);
	describe(file, n, false);
	by_file = consume_trace(file, n, SONDE_ORDER_FILE);
	by_time = consume_trace(file, n, SONDE_ORDER_TIME);
	read_span(file, n, by_file.events);
	free(file);
	if (by_file.opened != by_time.opened || by_file.events != by_time.events ||
	    by_file.raw_bytes != by_time.raw_bytes)
		abort();
	return 0;
}

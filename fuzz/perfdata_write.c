/* SPDX-License-Identifier: MIT */
/*
 * perfdata_write.c - the writer's round trip: what was read is written, as a file or a stream, and read again
 *
 * All records of a recording that breaks no rule come back, byte by byte. The last byte of the input chooses the form.
 */
#include <sonde/check.h>
#include <sonde/perf_writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consume.h"

enum {
	TYPE_ATTR = 64, TYPE_TRACING_DATA = 66, TYPE_EVENT_UPDATE = 78, TYPE_FEATURE = 80, TYPE_COMPRESSED = 81,
	TYPE_COMPRESSED2 = 83,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name of an event, in either byte order. */
static bool is_name(const struct sonde_event *ev)
{
	return ev->type == TYPE_EVENT_UPDATE && ev->raw_size >= 16 && (ev->raw[8] == 2 || ev->raw[15] == 2);
}

/* Records that a writer makes anew, or that hold others, which are written by themselves. */
static bool is_remade(const struct sonde_event *ev)
{
	return is_name(ev) || (ev->type >= TYPE_ATTR && ev->type <= TYPE_TRACING_DATA + 1) ||
		ev->type == TYPE_FEATURE || ev->type == TYPE_COMPRESSED || ev->type == TYPE_COMPRESSED2;
}

static uint64_t add_up(uint64_t sum, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* A sum over all records, which are also written if there is a writer. */
static uint64_t pass_records(struct sonde_trace *t, struct sonde_perf_writer *w)
{
	struct sonde_iter *it = sonde_iter_new(t, NULL);
	const struct sonde_auxtrace *aux;
	const struct sonde_event *ev;
	uint64_t sum = 1;

	while (it && sonde_iter_next(it, &ev) > 0) {
		if (is_remade(ev))
			continue;
		sum = add_up(sum, ev->raw, ev->raw_size);
		if (w)
			sonde_perf_writer_write(w, ev->raw, ev->raw_size);
		if (sonde_event_auxtrace(ev, &aux) == 0) {
			sum = add_up(sum, aux->payload.p, aux->payload.len);
			if (w)
				sonde_perf_writer_write(w, aux->payload.p, aux->payload.len);
		}
	}
	sonde_iter_free(it);
	return sum;
}

static int write_again(struct sonde_trace *t, const char *path, bool pipe, uint64_t *sum)
{
	struct sonde_perf_writer_opts opts = { .sz = sizeof(opts),
					       .form = pipe ? SONDE_FORM_PIPE : SONDE_FORM_FILE,
					       .endian = sonde_trace_info(t)->big_endian ? SONDE_ENDIAN_BIG :
											   SONDE_ENDIAN_LITTLE };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	int r = sonde_perf_writer_open(w, path, &opts);

	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(t, i);

		sonde_perf_writer_add_event(w, s->attr, sizeof(*s->attr), s->name, s->ids, s->nr_ids);
	}
	sonde_perf_writer_copy_meta(w, t);
	*sum = pass_records(t, w);
	r = r < 0 ? r : sonde_perf_writer_finish(w);
	sonde_perf_writer_free(w);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_trace *t = sonde_trace_new(), *again;
	char path[64];
	uint64_t sum;

	if (size < 1)
		goto out;
	snprintf(path, sizeof(path), "/tmp/sonde-fuzz-write.%d", (int)getpid());
	if (sonde_trace_open_memory(t, data, size, "memory", NULL) < 0 || sonde_trace_evsel_count(t) == 0 ||
	    strcmp(sonde_trace_info(t)->format, "perf.data") != 0 ||
	    write_again(t, path, data[size - 1] & 1, &sum) < 0)
		goto out;
	sonde_check_memory(data, size, NULL, &found, NULL);
	again = sonde_trace_new();
	if (sonde_trace_open(again, path, NULL) < 0 ||
	    (pass_records(again, NULL) != sum &&
	     found.severities[SONDE_SEVERITY_ERROR] + found.severities[SONDE_SEVERITY_WARNING] == 0))
		abort();
	sonde_trace_free(again);
	unlink(path);
out:
	sonde_trace_free(t);
	return 0;
}

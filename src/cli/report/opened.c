/* SPDX-License-Identifier: MIT */
#include "cli/report/opened.h"

#include <sonde/describe.h>

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/ledger.h"
#include "cli/memory.h"
#include "cli/report/event_switch.h"

static int add_trace(struct sonde_profile *p, const struct sonde_query *chosen, struct sonde_trace *t, const char *path)
{
	struct sonde_query query = *chosen;
	int e = sonde_trace_open(t, path, open_options());

	if (e == 0)
		e = select_within(t, &query);
	if (e < 0)
		return e;
	return event_switch_is_used() ? event_switch_add(p, t, &query) : sonde_profile_add(p, t, &query);
}

int opened_add(struct opened *o, struct sonde_profile *p, const struct sonde_query *query, const char *const *paths,
	       size_t n)
{
	int status = 0;

	o->traces = calloc(n + 1, sizeof(*o->traces));
	for (; o->traces && o->n < n; o->n++) {
		struct sonde_trace *t = o->traces[o->n] = sonde_trace_new();

		if (!t)
			break;
		if (add_trace(p, query, t, paths[o->n]) < 0) {
			status |= say_error(paths[o->n], sonde_trace_error(t));
			o->out_of_memory |= sonde_trace_error(t)->code == SONDE_NOMEM;
		}
	}
	if (o->n < n) {
		o->out_of_memory = true;
		return say_out_of_memory();
	}
	return status;
}

const char *opened_add_again(struct opened *o, struct sonde_profile *p, const struct sonde_query *query,
			     const struct opened *first)
{
	o->traces = calloc(first->n + 1, sizeof(*o->traces));
	while (o->traces && o->n < first->n) {
		const struct sonde_trace_info *info = sonde_trace_info(first->traces[o->n]);
		struct sonde_trace *t = o->traces[o->n++] = sonde_trace_new();
		int e = t ? 0 : -SONDE_NOMEM;

		if (t && info)
			e = add_trace(p, query, t, info->path);
		if (e == -SONDE_NOMEM || e == -SONDE_STOPPED)
			return e == -SONDE_NOMEM ? "out of memory" : "stopped: the samples are those of before";
	}
	return o->traces ? NULL : "out of memory";
}

bool opened_can_be_read_again(const struct opened *o)
{
	struct stat st;

	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(o->traces[i]);

		if (info && (stat(info->path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
			return false;
	}
	return true;
}

bool opened_have_addresses(const struct opened *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(o->traces[i]);

		if (!info || strcmp(info->format, "trace.dat") != 0)
			return true;
	}
	return false;
}

bool opened_have_field(const struct opened *o, uint64_t sample_type)
{
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < sonde_trace_evsel_count(o->traces[i]); k++) {
			const struct sonde_attr *attr = sonde_trace_evsel_at(o->traces[i], k)->attr;

			if (attr && attr->sample_type & sample_type)
				return true;
		}
	return false;
}

void opened_print_lost(const struct opened *o)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_loss *loss;

		for (size_t k = 0; (loss = sonde_trace_loss_at(o->traces[i], k)); k++)
			if (loss->kind == SONDE_LOSS_RECORDER || loss->kind == SONDE_LOSS_SAMPLES)
				lost += loss->count;
	}
	printf("#\n# Total Lost Samples: %" PRIu64 "\n#\n", lost);
	fflush(stdout);
}

static int append_text(void *ctx, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, ctx) == n ? 0 : -1;
}

char *opened_describe(const struct opened *o)
{
	const struct sonde_describe_opts opts = { .sz = sizeof(opts), .header = true };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct sonde_output out = { .sz = sizeof(out), .write = append_text, .ctx = to };

	for (size_t i = 0; to && i < o->n; i++) {
		const char *path = sonde_trace_info(o->traces[i]) ? sonde_trace_info(o->traces[i])->path : "";

		fprintf(to, "%s%s\n\n", i ? "\n" : "", path);
		if (sonde_trace_loss_count(o->traces[i]))
			fprintf(to, "Losses:\n");
		else
			fprintf(to, "Nothing was lost.\n");
		ledger_append(to, o->traces[i]);
		fputc('\n', to);
		sonde_trace_describe(o->traces[i], &out, &opts, NULL);
	}
	if (to && fclose(to) != 0) {
		free(text);
		return NULL;
	}
	return to ? text : NULL;
}

void opened_close(struct opened *o)
{
	for (size_t i = 0; i < o->n; i++)
		sonde_trace_free(o->traces[i]);
	free(o->traces);
}

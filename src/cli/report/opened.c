/* SPDX-License-Identifier: MIT */
#include "cli/report/opened.h"

#include <sonde/describe.h>

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/report/event_switch.h"

static int add_trace(struct sonde_profile *p, const struct sonde_query *query, struct sonde_trace *t)
{
	if (sonde_trace_profile_format(t))
		return sonde_profile_import(p, t, query);
	return event_switch_is_used() ? event_switch_add(p, t, query) : sonde_profile_add(p, t, query);
}

static bool has_samples(const struct opened_input *o, size_t i)
{
	return session_has(&o->session, i) || session_has_profile(&o->session, i);
}

int opened_add(struct opened_input *o, struct sonde_profile *p, const struct sonde_query *chosen,
	       const char *const *paths, size_t n)
{
	struct sonde_query query = *chosen;
	size_t failed = 0;
	int status;

	o->takes_profiles = true;
	status = session_open(&o->session, paths, n);
	if (o->out_of_memory)
		return status;
	if (select_within_all(o->traces, o->n, &query, &failed) < 0) {
		o->out_of_memory = sonde_trace_error(o->traces[failed])->code == SONDE_NOMEM;
		return say_error(paths[failed], sonde_trace_error(o->traces[failed]));
	}
	for (size_t i = 0; i < n; i++)
		if (has_samples(o, i) && add_trace(p, &query, o->traces[i]) < 0) {
			status |= say_error(paths[i], sonde_trace_error(o->traces[i]));
			o->out_of_memory |= sonde_trace_error(o->traces[i])->code == SONDE_NOMEM;
		}
	return status;
}

/* Opens the traces of @first, with the same times. */
static int open_again(struct opened_input *o, const struct opened_input *first)
{
	o->takes_profiles = first->takes_profiles;
	o->traces = calloc(first->n + 1, sizeof(*o->traces));
	while (o->traces && o->n < first->n) {
		const char *path = sonde_trace_info(first->traces[o->n])->path;
		struct sonde_trace *t = sonde_trace_new();

		if (!t)
			return -SONDE_NOMEM;
		o->traces[o->n++] = t;
		if (*path && sonde_trace_open(t, path, open_options()) == -SONDE_NOMEM)
			return -SONDE_NOMEM;
	}
	session_align(&o->session);
	return o->traces ? 0 : -SONDE_NOMEM;
}

const char *opened_add_again(struct opened_input *o, struct sonde_profile *p, const struct sonde_query *chosen,
			     const struct opened_input *first)
{
	struct sonde_query query = *chosen;
	size_t failed = 0;
	int e = open_again(o, first);

	if (e == 0)
		e = select_within_all(o->traces, o->n, &query, &failed);
	for (size_t i = 0; i < o->n && e != -SONDE_NOMEM && e != -SONDE_STOPPED; i++)
		if (has_samples(o, i))
			e = add_trace(p, &query, o->traces[i]);
	return e == -SONDE_NOMEM ? "out of memory" :
	       e == -SONDE_STOPPED ? "stopped: the samples are those of before" : NULL;
}

bool opened_can_be_read_again(const struct opened_input *o)
{
	struct stat st;

	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(o->traces[i]);

		if (info && (stat(info->path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
			return false;
	}
	return true;
}

bool opened_have_any(const struct opened_input *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (has_samples(o, i))
			return true;
	return false;
}

bool opened_have_addresses(const struct opened_input *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(o->traces[i]);

		if (!info || strcmp(info->format, "trace.dat") != 0)
			return true;
	}
	return false;
}

bool opened_have_field(const struct opened_input *o, uint64_t sample_type)
{
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < sonde_trace_evsel_count(o->traces[i]); k++) {
			const struct sonde_attr *attr = sonde_trace_evsel_at(o->traces[i], k)->attr;

			if (attr && attr->sample_type & sample_type)
				return true;
		}
	return false;
}

void opened_print_lost(const struct opened_input *o)
{
	uint64_t lost = 0;
	bool known = o->n == 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_loss *loss;

		known |= !session_has_profile(&o->session, i);

		for (size_t k = 0; (loss = sonde_trace_loss_at(o->traces[i], k)); k++)
			if (loss->kind == SONDE_LOSS_RECORDER || loss->kind == SONDE_LOSS_SAMPLES)
				lost += loss->count;
	}
	if (known)               /* other tools do not say it */
		printf("#\n# Total Lost Samples: %" PRIu64 "\n#\n", lost);
	fflush(stdout);
}

static int append_text(void *ctx, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, ctx) == n ? 0 : -1;
}

char *opened_describe(const struct opened_input *o)
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

void opened_close(struct opened_input *o)
{
	session_close(&o->session);
}

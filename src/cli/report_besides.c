/* SPDX-License-Identifier: MIT */
/* report_besides.c - the output of report beside its table, or instead of it */
#include <sonde/describe.h>
#include <sonde/text.h>

#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/ledger.h"
#include "cli/memory.h"
#include "cli/report.h"

bool report_is_instead(const struct report_besides *b)
{
	return b->header_only || b->stats || b->tasks || b->mmaps || b->dump;
}

static int write_one(struct sonde_trace *t, const struct report_besides *b, bool header,
		     const struct sonde_query *query, struct sonde_error *err)
{
	const struct sonde_describe_opts opts = { .sz = sizeof(opts), .full = b->full, .header = true };
	const struct sonde_dump_opts dump = { .sz = sizeof(dump), .query = query };

	if (header)
		return sonde_trace_describe(t, NULL, &opts, err);
	if (b->dump)
		return sonde_dump(t, NULL, &dump, err);
	if (b->stats)
		return sonde_summary(t, SONDE_SUMMARY_STATS, NULL, query, err);
	if (b->mmaps)
		return sonde_summary(t, SONDE_SUMMARY_MMAPS, NULL, query, err);
	return sonde_summary(t, b->tasks ? SONDE_SUMMARY_TASKS : SONDE_SUMMARY_THREADS, NULL, query, err);
}

static int show_one(const char *path, const struct report_besides *b, bool header, const struct sonde_query *query)
{
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_error err = { .sz = sizeof(err) };
	int status;

	if (!t)
		return say_out_of_memory();
	if (sonde_trace_open(t, path, open_options()) < 0)
		status = say_error(path, sonde_trace_error(t));
	else if (write_one(t, b, header, query, &err) < 0)
		status = say_error(path, &err);
	else
		status = report_is_instead(b) && !header ? ledger_print(t) : 0;  /* else the report prints it */
	sonde_trace_free(t);
	return status;
}

static int show(const struct report_besides *b, bool header, const struct sonde_query *query, const char *const *paths,
		size_t n)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(paths[i], "-") == 0 && !report_is_instead(b))
			return say_usage("the standard input can be read once: %s takes a file",
					 header ? "--header" : "-T");
		status |= show_one(paths[i], b, header, query);
	}
	return status;
}

int report_before(const struct report_besides *b, const struct sonde_query *query, const char *const *paths, size_t n)
{
	bool instead = report_is_instead(b);

	if (instead && !b->header_only)
		return show(b, false, query, paths, n);
	return b->header || b->header_only ? show(b, true, query, paths, n) : 0;
}

int report_after(const struct report_besides *b, const struct sonde_query *query, const char *const *paths, size_t n)
{
	return b->threads ? show(b, false, query, paths, n) : 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/report/extras.h"

/* report_extras.c - the output of report beside its table, or instead of it */
#include <sonde/describe.h>
#include <sonde/text.h>

#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/session.h"

bool report_extras_only(const struct report_extras *e)
{
	return e->header_only || e->stats || e->tasks || e->mmaps || e->dump;
}

static int write_one(struct sonde_trace *t, const struct report_extras *e, bool header,
		     const struct sonde_query *query, struct sonde_error *err)
{
	const struct sonde_describe_opts opts = { .sz = sizeof(opts), .full = e->full, .header = true };
	const struct sonde_dump_opts dump = { .sz = sizeof(dump), .query = query, .layout = SONDE_DUMP_PERF };

	if (header)
		return sonde_trace_describe(t, NULL, &opts, err);
	if (e->dump)
		return sonde_dump(t, NULL, &dump, err);
	if (e->stats)
		return sonde_summary(t, SONDE_SUMMARY_STATS, NULL, query, err);
	if (e->mmaps)
		return sonde_summary(t, SONDE_SUMMARY_MMAPS, NULL, query, err);
	return sonde_summary(t, e->tasks ? SONDE_SUMMARY_TASKS : SONDE_SUMMARY_THREADS, NULL, query, err);
}

static int show_one(struct sonde_trace *t, const struct report_extras *e, bool header, const struct sonde_query *query)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int r = 0;

	if (e->header && !header && report_extras_only(e))
		r = write_one(t, e, true, query, &err);
	if (r == 0)
		r = write_one(t, e, header, query, &err);
	if (r < 0)
		return say_error(sonde_trace_info(t)->path, &err);
	return report_extras_only(e) && !header ? ledger_print(t) : 0;  /* else the report prints it */
}

static int show(const struct report_extras *e, bool header, const struct sonde_query *query, const char *const *paths,
		size_t n)
{
	struct session session = { 0 };
	int status = 0;

	for (size_t i = 0; i < n && !session.out_of_memory; i++) {
		if (strcmp(paths[i], "-") == 0 && !report_extras_only(e)) {
			status = say_usage("the standard input can be read once: %s takes a file",
					   header ? "--header" : "-T");
			break;
		}
		status |= session_add(&session, paths[i], open_options());
	}
	if (header)
		session_align(&session);
	for (size_t i = 0; i < session.n && !(status & 2); i++)
		if (session_has(&session, i))
			status |= show_one(session.traces[i], e, header, query);
	session_close(&session);
	return status;
}

int report_extras_before(const struct report_extras *e, const struct sonde_query *query, const char *const *paths,
			 size_t n)
{
	bool instead = report_extras_only(e);

	if (instead && !e->header_only)
		return show(e, false, query, paths, n);
	return e->header || e->header_only ? show(e, true, query, paths, n) : 0;
}

int report_extras_after(const struct report_extras *e, const struct sonde_query *query, const char *const *paths,
			size_t n)
{
	return e->threads ? show(e, false, query, paths, n) : 0;
}

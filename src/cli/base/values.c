/* SPDX-License-Identifier: MIT */
#include "cli/base/values.h"

#include <sonde/catalog.h>
#include <sonde/ftrace_recorder.h>
#include <sonde/perf_recorder.h>
#include <sonde/report.h>
#include <sonde/text.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

#define INSTANCES "/sys/kernel/tracing/instances"

void give_columns(const char *trace, take_value take, void *ctx)
{
	const struct sonde_report_column *column;

	(void)trace;
	for (size_t i = 0; (column = sonde_report_column_at(i)); i++) {
		take(ctx, column->name, column->help);
		if (column->other_name)
			take(ctx, column->other_name, column->help);
	}
}

void give_trace_events(const char *trace, take_value take, void *ctx)
{
	struct sonde_trace *t = strcmp(trace, "-") ? sonde_trace_new() : NULL;

	if (t && sonde_trace_open(t, trace, open_options()) == 0)
		for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
			take(ctx, sonde_trace_evsel_at(t, i)->name, NULL);
	sonde_trace_free(t);
}

/* Names of this machine's tracefs. */
static void give_known(enum sonde_ftrace_kind kind, take_value take, void *ctx)
{
	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
	const char *const *known = t ? sonde_ftrace_recorder_known(t, kind) : NULL;

	for (; known && *known; known++)
		take(ctx, *known, NULL);
	sonde_ftrace_recorder_free(t);
}

void give_events(const char *trace, take_value take, void *ctx)
{
	const struct sonde_catalog_opts opts = { .sz = sizeof(opts) };
	struct sonde_catalog *c = sonde_catalog_new();

	(void)trace;
	if (c && sonde_catalog_open(c, &opts) == 0)
		for (size_t i = 0; i < sonde_catalog_count(c); i++) {
			const struct sonde_catalog_event *e = sonde_catalog_at(c, i);

			if (e->kind != SONDE_CATALOG_RAW && e->kind != SONDE_CATALOG_BREAKPOINT)
				take(ctx, e->name, e->description);
			if (e->kind == SONDE_CATALOG_PMU && e->alias)
				take(ctx, e->alias, NULL);
		}
	sonde_catalog_free(c);
}

void give_branch_filters(const char *trace, take_value take, void *ctx)
{
	const char *name;

	(void)trace;
	for (size_t i = 0; (name = sonde_branch_filter_at(i)); i++)
		take(ctx, name, NULL);
}

void give_tracers(const char *trace, take_value take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_TRACERS, take, ctx);
}

void give_trace_clocks(const char *trace, take_value take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_CLOCKS, take, ctx);
}

void give_trace_options(const char *trace, take_value take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_OPTIONS, take, ctx);
}

void give_instances(const char *trace, take_value take, void *ctx)
{
	DIR *d = opendir(INSTANCES);
	struct dirent *e;

	(void)trace;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			take(ctx, e->d_name, NULL);
	if (d)
		closedir(d);
}

void give_pids(const char *trace, take_value take, void *ctx)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	(void)trace;
	while (d && (e = readdir(d))) {
		char path[300], comm[64] = "";
		FILE *f;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (f) {
			if (!fgets(comm, sizeof(comm), f))
				comm[0] = '\0';
			fclose(f);
		}
		comm[strcspn(comm, "\n")] = '\0';
		take(ctx, e->d_name, comm);
	}
	if (d)
		closedir(d);
}

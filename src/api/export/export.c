/* SPDX-License-Identifier: MIT */
/* export.c - a profile in the format of another tool */
#include <sonde/export.h>

#include <stdlib.h>
#include <string.h>

#include "api/base/error.h"
#include "api/base/file_output.h"
#include "api/base/text_output.h"
#include "api/export/export_events.h"
#include "api/export/recorded.h"
#include "base/bytes.h"
#include "export/autofdo/autofdo.h"
#include "export/bolt/bolt.h"
#include "export/callgrind/callgrind.h"
#include "export/firefox/firefox.h"
#include "export/fleet/clickhouse.h"
#include "export/fleet/data_set.h"
#include "export/fleet/known.h"
#include "export/folded/folded.h"
#include "export/llvm/llvm.h"
#include "export/otlp/otlp.h"
#include "export/page/content.h"
#include "export/pprof/pprof.h"
#include "export/report/json.h"
#include "export/report/report.h"
#include "export/speedscope/speedscope.h"
#include "export/svg/svg.h"

static const struct {
	struct sonde_export_format pub;
	int (*write)(struct export *x);
} formats[] = {
	{ { .name = "autofdo", .one_event = true, .by = SONDE_BY_SYMBOL_OFFSET, .branches = true,
	    .help = "branches or samples of one program, for create_llvm_prof --profiler=text" }, export_autofdo },
	{ { .name = "bolt", .one_event = true, .by = SONDE_BY_SYMBOL_OFFSET, .branches = true,
	    .help = "the same as fdata, for llvm-bolt -data" }, export_bolt },
	{ { .name = "callgrind", .one_event = true, .by = SONDE_BY_SRCLINE,
	    .help = "costs by function, line and call, for KCachegrind and callgrind_annotate" }, export_callgrind },
	{ { .name = "clickhouse", .binary = true, .windows = true, .directory = true,
	    .by = SONDE_BY_TIME | SONDE_BY_CGROUP,
	    .help = "tables of a fleet in RowBinary, for ClickHouse: docs/fleet.md" }, export_clickhouse },
	{ { .name = "firefox", .one_event = true, .timed = true, .takes_timed = true, .by = SONDE_BY_TRACE_FIELDS,
	    .help = "processed profile for profiler.firefox.com: threads and tracepoints by time" }, export_firefox },
	{ { .name = "folded", .one_event = true,
	    .help = "one line a stack and its count, for flame graphs: comm;outer;...;inner 42" }, export_folded },
	{ { .name = "html", .takes_timed = true,
	    .help = "one page: a time axis, a flame graph, a table of functions; needs no network" }, export_html },
	{ { .name = "json", .help = "the report for programs: docs/report-json.md" }, export_json },
	{ { .name = "llvm", .one_event = true, .by = SONDE_BY_SRCLINE | SONDE_BY_SYMBOL_OFFSET, .branches = true,
	    .help = "branches or samples of one program by line, for clang -fprofile-sample-use" }, export_llvm },
	{ { .name = "otlp", .binary = true, .timed = true,
	    .help = "ProfilesData of OpenTelemetry, protocol 1.11 (not stable yet)" }, export_otlp },
	{ { .name = "parquet", .binary = true, .windows = true, .directory = true,
	    .by = SONDE_BY_TIME | SONDE_BY_CGROUP,
	    .help = "adds to the Parquet files of a fleet in a directory: docs/fleet.md" }, export_parquet },
	{ { .name = "pprof", .binary = true, .help = "profile.proto, compressed, for pprof and what reads it" },
	  export_pprof },
	{ { .name = "report", .help = "a table of functions, with call trees, as perf report --stdio shows it" },
	  export_report },
	{ { .name = "speedscope", .timed = true, .help = "stacks of each thread by time, for speedscope.app" },
	  export_speedscope },
	{ { .name = "svg", .one_event = true, .help = "a flame graph as a picture, without scripts" }, export_svg },
};

const struct sonde_export_format *sonde_export_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? &formats[i].pub : export_events_format_at(i - ARRAY_SIZE(formats));
}

/* 0, or -SONDE_USAGE if the profile or the place of the output does not fit the format. */
static int check_format(const struct sonde_export_format *format, const struct export *x)
{
	if (format->timed && !x->profile->timed.on)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE,
			       "the format '%s' needs a profile with timed samples", format->name);
	if (format->windows && (x->profile->kept.by & format->by) != format->by)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE,
			       "the format '%s' needs a profile by time and control group", format->name);
	if (format->directory && !x->fleet.table && !x->dir)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE,
			       "the format '%s' is a directory, which needs a path", format->name);
	return 0;
}

/* @dir: of a format that is a directory; else NULL */
static int export_to(const struct sonde_profile *p, const char *format, const struct sonde_output *to, const char *dir,
		     const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct export x = { .profile = p, .out = &out, .dir = dir, .err = err };
	int r = export_take_opts(&x, opts), failed;

	if (r < 0)
		return r;
	if (p->out_of_memory || (x.page.baseline && x.page.baseline->out_of_memory))
		return err_nomem(err);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].pub.name, format) != 0)
			continue;
		r = check_format(&formats[i].pub, &x);
		if (r == 0)
			r = recorded_find(&x);
		if (r == 0)
			r = export_cells(&x);
		if (r == 0)
			r = formats[i].write(&x);
		event_cells_free(&x.cells);
		recorded_free(&x);
		if (r >= 0 && (symbols_out_of_memory(p->symbols) ||  /* while a name was made */
			       (x.page.baseline && symbols_out_of_memory(x.page.baseline->symbols))))
			r = -SONDE_NOMEM;
		if (r == -SONDE_NOMEM)
			err_nomem(err);
		failed = r < 0 ? 0 : buf_flush(&out);
		buf_free(&out);
		return failed < 0 ? failed : r;
	}
	return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no format '%s'", format);
}

int sonde_export(const struct sonde_profile *p, const char *format, const struct sonde_output *to,
		 const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_to(p, format, to, NULL, opts, &own));
}

/* The arguments of export_to(). */
struct request {
	const struct sonde_profile *profile;
	const char *format;
	const struct sonde_export_opts *opts;
};

static int write_export(void *ctx, const struct sonde_output *to, struct sonde_error *err)
{
	const struct request *r = ctx;

	return export_to(r->profile, r->format, to, NULL, r->opts, err);
}

/* NULL if there is none of that name. */
static const struct sonde_export_format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(formats[i].pub.name, name) == 0)
			return &formats[i].pub;
	return NULL;
}

static int export_file(const struct sonde_profile *p, const char *format, const char *path,
		       const struct sonde_export_opts *opts, struct sonde_error *err)
{
	const struct sonde_export_format *known = find_format(format);
	const struct sonde_page_opts *page = OPT(opts, page, NULL);
	const struct sonde_fleet_opts *fleet = OPT(opts, fleet, NULL);
	const struct sonde_profile *baseline = OPT(page, baseline, NULL);
	struct request request = { p, format, opts };
	VEC(struct file_id) inputs = { 0 };
	int r = 0;

	err_clear(err);
	if (known && known->directory && !OPT(fleet, table, NULL) && strcmp(path, "-") != 0)
		return export_to(p, format, NULL, path, opts, err);
	for (size_t i = 0; i < p->inputs.n && r == 0; i++)
		r = vec_push(&inputs, p->inputs.at[i]);
	for (size_t i = 0; baseline && i < baseline->inputs.n && r == 0; i++)
		r = vec_push(&inputs, baseline->inputs.at[i]);
	r = r < 0 ? err_nomem(err) : file_output_write(path, inputs.at, inputs.n, write_export, &request, err);
	vec_free(&inputs);
	return r;
}

int sonde_export_file(const struct sonde_profile *p, const char *format, const char *path,
		      const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_file(p, format, path, opts, &own));
}

struct sonde_export_known *sonde_export_known_new(void)
{
	return calloc(1, sizeof(struct sonde_export_known));
}

void sonde_export_known_free(struct sonde_export_known *known)
{
	if (known)
		u64map_free(&known->ids);
	free(known);
}

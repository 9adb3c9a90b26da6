/* SPDX-License-Identifier: MIT */
/* export.c - a profile in the format of another tool */
#include <sonde/export.h>

#include <string.h>

#include "api/error.h"
#include "api/export_events.h"
#include "api/file_output.h"
#include "api/text_output.h"
#include "api/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/autofdo/autofdo.h"
#include "export/bolt/bolt.h"
#include "export/callgrind/callgrind.h"
#include "export/firefox/firefox.h"
#include "export/folded/folded.h"
#include "export/llvm/llvm.h"
#include "export/otlp/otlp.h"
#include "export/page/trees.h"
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
	{ { .name = "firefox", .one_event = true, .timed = true,
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

static int export_to(const struct sonde_profile *p, const char *format, const struct sonde_output *to,
		     const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct export x = { .profile = p, .out = &out, .err = err };
	int r = OPTS_TAKE(sonde_export_opts, &x.opts, opts, err), failed;

	if (r < 0)
		return r;
	if (p->out_of_memory)
		return err_nomem(err);
	x.recorded.at_s = x.opts.recorded_s;
	if (x.opts.trace && x.opts.trace->reader) {
		x.recorded.meta = &x.opts.trace->reader->meta;
		x.recorded.losses = &x.opts.trace->reader->ledger;
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].pub.name, format) != 0)
			continue;
		if (formats[i].pub.timed && !p->timed.on)
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "the format '%s' needs a profile with timed samples", format);
		r = export_cells(&x);
		if (r == 0)
			r = formats[i].write(&x);
		event_cells_free(&x.cells);
		if (r >= 0 && symbols_out_of_memory(p->symbols))  /* while a name was made */
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
	WITH_ERROR(err, own, export_to(p, format, to, opts, &own));
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

	return export_to(r->profile, r->format, to, r->opts, err);
}

static int export_file(const struct sonde_profile *p, const char *format, const char *path,
		       const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct request r = { p, format, opts };

	err_clear(err);
	return file_output_write(path, p->inputs.at, p->inputs.n, write_export, &r, err);
}

int sonde_export_file(const struct sonde_profile *p, const char *format, const char *path,
		      const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_file(p, format, path, opts, &own));
}

/* SPDX-License-Identifier: MIT */
/* export.c - a profile in the format of another tool */
#include <sonde/export.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/error.h"
#include "api/text_output.h"
#include "api/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/folded/folded.h"
#include "export/page/trees.h"
#include "export/report/json.h"
#include "export/report/report.h"
#include "io/output.h"

static const struct {
	struct sonde_export_format pub;
	int (*write)(struct export *x);
} formats[] = {
	{ { "folded", "one line a stack and its count, for flame graphs: comm;outer;...;inner 42" }, export_folded },
	{ { "html", "one page: a flame graph beside the table of functions, needs no network" }, export_html },
	{ { "json", "the report for programs: docs/report-json.md" }, export_json },
	{ { "report", "a table of functions, with call trees, as perf report --stdio shows it" }, export_report },
};

const struct sonde_export_format *sonde_export_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? &formats[i].pub : NULL;
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

/* "-", or /dev/stdout, which can be a regular file. */
static bool is_standard_output(const char *path)
{
	struct stat st, out;

	return strcmp(path, "-") == 0 ||
		(stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 && st.st_dev == out.st_dev &&
		 st.st_ino == out.st_ino);
}

/* A FIFO or a device, such as >(COMMAND) of a shell: it is written directly, without a temporary file. */
static bool is_passage(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

static int export_to_passage(const struct sonde_profile *p, const char *format, const char *path,
			     const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct sonde_output to = { .sz = sizeof(to), .fd = open(path, O_WRONLY | O_CLOEXEC) };
	int r;

	if (to.fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	r = export_to(p, format, &to, opts, err);
	close(to.fd);
	return r;
}

static int export_file(const struct sonde_profile *p, const char *format, const char *path,
		       const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct sonde_output to = { .sz = sizeof(to) };
	struct output o;
	int r, failed;

	err_clear(err);
	if (is_standard_output(path))
		return export_to(p, format, NULL, opts, err);
	if (is_passage(path))
		return export_to_passage(p, format, path, opts, err);
	r = output_open_shared(&o, path, p->inputs.at, p->inputs.n, err);
	if (r < 0)
		return r;
	to.fd = o.buf.fd;
	r = export_to(p, format, &to, opts, err);
	failed = r < 0 ? 0 : output_finish(&o, err);
	output_close(&o);
	return failed < 0 ? failed : r;
}

int sonde_export_file(const struct sonde_profile *p, const char *format, const char *path,
		      const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_file(p, format, path, opts, &own));
}

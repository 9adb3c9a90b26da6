/* SPDX-License-Identifier: MIT */
#include <sonde/cut.h>
#include <sonde/merge.h>

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/base/query.h"
#include "api/convert/left_files.h"
#include "api/convert/to_chains.h"
#include "api/convert/to_perfdata.h"
#include "api/convert/to_tracedat.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "perfdata/rewrite/rewriter.h"
#include "record/host/build_id.h"
#include "record/perf/running_kernel.h"
#include "tracedat/rewrite/rewrite.h"
#include "tracedat/rewrite/rewriter.h"

#define HEAD_BYTES 128               /* enough to recognise a damaged file, too */

/* Formats that can be rewritten; to add one, add its row. */
static const struct rewriter *const rewriters[] = { &perfdata_rewriter, &dat_rewriter };

/* The format of an image. An unknown format is taken for a perf.data, whose header repair can rebuild. */
static const struct rewriter *rewriter_of(struct image *im)
{
	size_t n;
	const uint8_t *p = image_view_some(im, 0, HEAD_BYTES, &n);

	for (size_t i = 0; p && i < ARRAY_SIZE(rewriters); i++)
		if (rewriters[i]->probe(p, n))
			return rewriters[i];
	return &perfdata_rewriter;
}

struct sonde_rewrite *sonde_rewrite_new(void)
{
	static const struct build_id_finder finder = { build_id_of_file, build_id_of_kernel, build_id_of_module,
						       build_id_of_vdso };
	static const struct running_kernel kernel = { running_kernel_address, running_kernel_formats };
	struct sonde_rewrite *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	err_clear(&w->err);
	w->build_ids = &finder;
	w->kernel = &kernel;
	return w;
}

void sonde_rewrite_free(struct sonde_rewrite *w)
{
	if (w)
		ledger_free(&w->ledger);
	free(w);
}

/* Clears the results of the last run. */
static void begin(struct sonde_rewrite *w)
{
	err_clear(&w->err);
	ledger_free(&w->ledger);
	w->ledger = (struct ledger){ 0 };
	w->counts = (struct sonde_rewrite_counts){ 0 };
}

const struct sonde_error *sonde_rewrite_error(const struct sonde_rewrite *w)
{
	return &w->err;
}

size_t sonde_rewrite_loss_count(const struct sonde_rewrite *w)
{
	return w->ledger.rows.n;
}

const struct sonde_loss *sonde_rewrite_loss_at(const struct sonde_rewrite *w, size_t i)
{
	return i < w->ledger.rows.n ? &w->ledger.rows.at[i] : NULL;
}

const struct sonde_rewrite_counts *sonde_rewrite_counts(const struct sonde_rewrite *w)
{
	return &w->counts;
}

void sonde_rewrite_set_progress(struct sonde_rewrite *w, void (*progress)(void *ctx, double share), void *ctx)
{
	w->progress = (struct image_progress){ progress, ctx };
}

static int open_image(struct sonde_rewrite *w, const char *path, struct image *im)
{
	int r = image_open(im, path, &w->err);

	im->progress = w->progress;
	return r;
}

/* Closes the image and reports the end of the progress; returns @r. */
static int end(const struct sonde_rewrite *w, int r)
{
	if (w->progress.fn)
		w->progress.fn(w->progress.ctx, 1);
	return r;
}

/* Copies bytes that are no trace, as the caller wants, but adds a loss for it. */
static void tell_if_unreadable(struct sonde_rewrite *w, const char *out)
{
	struct sonde_trace *t = strcmp(out, "-") ? sonde_trace_new() : NULL;
	const char *why = NULL;

	if (t && sonde_trace_open(t, out, NULL) < 0)
		why = sonde_trace_error(t)->text;
	else if (t && sonde_trace_evsel_count(t) == 0 && strcmp(sonde_trace_info(t)->format, "perf.data") == 0)
		why = "it describes no event";  /* a trace.dat of a latency tracer needs no formats */
	if (why)
		ledger_add(&w->ledger, SONDE_LOSS_CORRUPT, 1, SONDE_NONE, SONDE_NONE, -1,
			   "file that cannot be opened, copied as it is: %s", why);
	sonde_trace_free(t);
}

static int convert_image(struct sonde_rewrite *w, struct image *im, const char *in, const char *out,
			 const struct sonde_convert_opts *opts)
{
	const struct rewriter *rewriter = rewriter_of(im);

	if (opts->unwind && rewriter != &perfdata_rewriter) {
		image_close(im);
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "is no perf.data: it has no copies of stacks");
	}
	if (opts->redact && ((rewriter == &perfdata_rewriter && opts->version) ||
			     (rewriter == &dat_rewriter && opts->to != SONDE_FORM_SAME))) {
		image_close(im);
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "is redacted in the format that it has: the new file can be converted then");
	}
	if (opts->unwind)
		return convert_to_chains(w, im, in, out, opts);
	if (rewriter == &perfdata_rewriter && opts->version)
		return cross_to_tracedat(w, im, in, out, opts);
	if (rewriter == &dat_rewriter && opts->to != SONDE_FORM_SAME)
		return cross_to_perfdata(w, im, in, out, opts);
	return rewriter->convert(w, im, out, opts);
}

int sonde_convert(struct sonde_rewrite *w, const char *in, const char *out, const struct sonde_convert_opts *opts)
{
	const struct sonde_convert_opts all = { .to = OPT(opts, to, SONDE_FORM_SAME),
						.endian = OPT(opts, endian, SONDE_ENDIAN_SAME),
						.attr_size = OPT(opts, attr_size, 0),
						.version = OPT(opts, version, 0),
						.compression = OPT(opts, compression, SONDE_COMPRESSION_SAME),
						.level = OPT(opts, level, 0),
						.pack = OPT(opts, pack, false),
						.redact = OPT(opts, redact, false),
						.aligned = OPT(opts, aligned, false),
						.rebuild = OPT(opts, rebuild, false),
						.unwind = OPT(opts, unwind, false),
						.symbols = OPT(opts, symbols, NULL),
						.build_ids = OPT(opts, build_ids, SONDE_BUILD_IDS_SAME) };
	struct image im;
	int r;

	begin(w);
	r = OPTS_CHECK(sonde_convert_opts, opts, &w->err);
	if (r == 0)
		r = OPTS_CHECK(sonde_symbols_opts, all.symbols, &w->err);
	if (r == 0)
		r = open_image(w, in, &im);
	if (r == 0)
		r = convert_image(w, &im, in, out, &all);
	if (r == 0)
		tell_if_unreadable(w, out);
	return end(w, r);
}

int sonde_cut(struct sonde_rewrite *w, const char *in, const char *out, const struct sonde_cut_opts *opts)
{
	const struct sonde_query query = query_by_time(OPT(opts, query, NULL));
	const struct sonde_cut_opts all = { .query = &query,
					    .comms = OPT(opts, comms, NULL),
					    .nr_comms = OPT(opts, nr_comms, 0),
					    .drop = OPT(opts, drop, 0),
					    .buffers = OPT(opts, buffers, NULL),
					    .nr_buffers = OPT(opts, nr_buffers, 0),
					    .max_events = OPT(opts, max_events, 0),
					    .max_pages = OPT(opts, max_pages, 0) };
	const struct rewriter *rewriter;
	struct image im;
	int r;

	begin(w);
	r = OPTS_CHECK(sonde_cut_opts, opts, &w->err);
	if (r == 0)
		r = OPTS_CHECK(sonde_query, OPT(opts, query, NULL), &w->err);
	if (r == 0)
		r = open_image(w, in, &im);
	if (r < 0)
		return r;
	rewriter = rewriter_of(&im);
	if (rewriter != &dat_rewriter && (all.nr_buffers || all.max_events || all.max_pages)) {
		image_close(&im);
		return err_set(&w->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "only a trace.dat has buffers and pages, and is cut by numbers of events");
	}
	if (rewriter->cut)
		return end(w, rewriter->cut(w, &im, out, &all));
	image_close(&im);
	return err_set(&w->err, SONDE_UNSUPPORTED, SONDE_NONE, "traces of this format cannot be cut");
}

void sonde_rewrite_set_drop_tracepoints(struct sonde_rewrite *w, bool drop)
{
	w->drop_tracepoints = drop;
}

int sonde_repair(struct sonde_rewrite *w, const char *in, const char *out)
{
	struct buf made = BUF_MEMORY;
	struct image im;
	int r, dangling = 0;

	begin(w);
	r = image_open(&im, in, &w->err);
	for (size_t i = 0; r < 0 && dangling == 0 && i < ARRAY_SIZE(rewriters); i++)
		if (rewriters[i]->open_dangling)
			dangling = rewriters[i]->open_dangling(w, in, &im);
	if (r < 0 && dangling == 0 && access(in, F_OK) < 0)
		dangling = left_files_open(w, in, &made, &im);
	im.progress = w->progress;
	if (r == 0 || dangling > 0)
		r = end(w, rewriter_of(&im)->repair(w, &im, out));
	else if (dangling < 0)
		r = dangling;
	buf_free(&made);
	return r;
}

int sonde_repair_memory(struct sonde_rewrite *w, const void *data, size_t size, const char *out)
{
	struct image im;

	begin(w);
	image_memory(&im, data, size);
	return rewriter_of(&im)->repair(w, &im, out);
}

static int open_traces(struct sonde_rewrite *w, const char *const *paths, struct sonde_trace **traces,
		       struct reader **readers, size_t nr, uint64_t max_memory)
{
	const struct sonde_open_opts opts = { .sz = sizeof(opts), .max_memory = max_memory / nr };

	for (size_t i = 0; i < nr; i++) {
		traces[i] = sonde_trace_new();
		if (!traces[i])
			return err_nomem(&w->err);
		if (sonde_trace_open(traces[i], paths[i], &opts) < 0) {
			const struct sonde_error *e = sonde_trace_error(traces[i]);

			return err_set(&w->err, e->code, e->file_offset, "%s: %s", paths[i], e->text);
		}
		readers[i] = traces[i]->reader;
		if (strcmp(readers[i]->info.format, readers[0]->info.format) != 0)
			return err_set(&w->err, SONDE_UNSUPPORTED, SONDE_NONE, "%s: is a %s, and %s is a %s", paths[i],
				       readers[i]->info.format, paths[0], readers[0]->info.format);
	}
	return 0;
}

static int merge_readers(struct sonde_rewrite *w, struct reader *const *readers, size_t nr, const char *out,
			 const struct sonde_merge_opts *opts)
{
	for (size_t i = 0; i < ARRAY_SIZE(rewriters); i++)
		if (rewriters[i]->merge && strcmp(rewriters[i]->merges, readers[0]->info.format) == 0)
			return rewriters[i]->merge(w, readers, nr, out, opts);
	return err_set(&w->err, SONDE_UNSUPPORTED, SONDE_NONE, "%s: a %s cannot be merged", readers[0]->info.path,
		       readers[0]->info.format);
}

int sonde_merge(struct sonde_rewrite *w, const char *const *in, size_t nr, const char *out,
		const struct sonde_merge_opts *opts)
{
	const struct sonde_merge_opts all = { .offsets_ns = OPT(opts, offsets_ns, NULL),
					      .nr_offsets = OPT(opts, nr_offsets, 0),
					      .max_memory = OPT(opts, max_memory, 0) };
	struct sonde_trace **traces = calloc(nr, sizeof(*traces));
	struct reader **readers = calloc(nr, sizeof(*readers));
	int r = 0;

	begin(w);
	r = OPTS_CHECK(sonde_merge_opts, opts, &w->err);
	if (r < 0)
		;
	else if (nr == 0)
		r = err_set(&w->err, SONDE_USAGE, SONDE_NONE, "there is no input");
	else if (!traces || !readers)
		r = err_nomem(&w->err);
	if (r == 0)
		r = open_traces(w, in, traces, readers, nr, all.max_memory);
	if (r == 0)
		r = end(w, merge_readers(w, readers, nr, out, &all));
	for (size_t i = 0; traces && i < nr; i++)
		sonde_trace_free(traces[i]);
	free(traces);
	free(readers);
	return r;
}

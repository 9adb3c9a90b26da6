/* SPDX-License-Identifier: MIT */
/* bundle.c - recordings with a bundle: writing, looking into one */
#include <sonde/bundle.h>
#include <sonde/rewrite.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/needs/needed_members.h"
#include "api/base/error.h"
#include "api/trace/meta.h"
#include "api/trace/single.h"
#include "api/trace/symbol.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "base/path.h"
#include "io/output.h"

/* Reads the samples, and adds their needs. */
static int collect(struct bundle_needs *n, struct sonde_trace *t, struct symbols *symbols)
{
	const struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME };
	struct single *it = single_new(t, &by_time);
	const struct sonde_event *ev;
	int r = it ? symbols_carry(symbols, trace_meta(t), t->path) : -SONDE_NOMEM;

	if (r == 0) {
		while ((r = single_next(it, &ev)) > 0) {
			r = bundle_needs_event(n, ev, trace_meta(t));
			if (r < 0)
				break;
		}
	}
	single_free(it);
	return r < 0 ? r : bundle_needs_finish(n);
}

static int write_file(const struct bundle_needs *n, const char *from, const char *to, struct sonde_error *err)
{
	struct bundle_writer w;
	struct image recording;
	struct output out;
	int r = image_open(&recording, from, err);

	if (r < 0)
		return r;
	r = output_open(&out, to, &recording, err);
	if (r < 0) {
		image_close(&recording);
		return r;
	}
	r = bundle_writer_begin(&w, &out, &recording, err);
	if (r == 0)
		r = needed_members_write(n, &w, err);
	if (r == 0)
		r = bundle_writer_end(&w, err);
	if (r == 0)
		r = output_finish(&out, err);
	bundle_writer_free(&w);
	output_close(&out);
	image_close(&recording);
	return r;
}

static int convert_to_file(const char *from, const char *to, struct sonde_error *err)
{
	const struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_FILE };
	struct sonde_rewrite *w = sonde_rewrite_new();
	int r = w ? sonde_convert(w, from, to, &opts) : err_nomem(err);

	if (w && r < 0)
		*err = *sonde_rewrite_error(w);
	sonde_rewrite_free(w);
	return r;
}

/* The bundle of a directory begins with the file that `convert` makes of it, in a directory without a lasting name. */
static int write_directory(const struct bundle_needs *n, const char *from, const char *to, struct sonde_error *err)
{
	char path[PATH_MAX];
	struct output_dir dir;
	struct output file;
	int r;

	if (!path_print(path, "%s.recording", to))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the name of the output is too long");
	r = output_dir_open(&dir, path, err);
	if (r < 0)
		return r;
	r = output_open_in(&file, &dir, "data", err);
	if (r == 0)
		output_close(&file);
	if (r == 0)
		r = output_dir_show(&dir, err);
	if (r == 0 && !path_print(path, "%s/data", dir.growing))
		r = err_set(err, SONDE_USAGE, SONDE_NONE, "the name of the output is too long");
	if (r == 0)
		r = convert_to_file(from, path, err);
	if (r == 0)
		r = write_file(n, path, to, err);
	output_dir_close(&dir);
	return r;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int check_input(const char *from, struct sonde_error *err)
{
	struct stat st;

	if (stat(from, &st) < 0)
		return err_sys(err, errno, "cannot open");
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "is no file: a stream cannot have a bundle");
	return 0;
}

static int write_bundle(const char *from, const char *to, const struct sonde_bundle_opts *opts,
			struct sonde_error *err)
{
	int r = OPTS_CHECK(sonde_bundle_opts, opts, err);
	struct sonde_trace *t = NULL;
	struct symbols *symbols = NULL;
	struct source_lines *lines = NULL;
	struct bundle_needs n = { 0 };

	if (r == 0)
		r = OPTS_CHECK(sonde_symbols_opts, OPT(opts, symbols, NULL), err);
	if (r == 0)
		r = check_input(from, err);
	if (r < 0)
		return r;
	t = sonde_trace_new();
	symbols = symbols_from_opts(OPT(opts, symbols, NULL));
	lines = symbols ? source_lines_new(symbols) : NULL;
	if (!t || !lines || bundle_needs_init(&n, symbols, lines) < 0)
		r = -SONDE_NOMEM;
	n.code = OPT(opts, code, false);
	n.source = OPT(opts, source, false);
	n.source_dirs = OPT(opts, source_dirs, NULL);
	n.nr_source_dirs = OPT(opts, nr_source_dirs, 0);
	if (r == 0)
		r = sonde_trace_open(t, from, NULL);
	if (r == 0)
		r = collect(&n, t, symbols);
	if (r == -SONDE_NOMEM)
		err_nomem(err);
	else if (r < 0)
		*err = *sonde_trace_error(t);
	if (r == 0)
		r = is_directory(from) ? write_directory(&n, from, to, err) : write_file(&n, from, to, err);
	bundle_needs_free(&n);
	source_lines_free(lines);
	symbols_free(symbols);
	sonde_trace_free(t);
	return r;
}

int sonde_bundle_write(const char *from, const char *to, const struct sonde_bundle_opts *opts,
		       struct sonde_error *err)
{
	WITH_ERROR(err, own, write_bundle(from, to, opts, &own));
}

static int strip(const char *from, const char *to, struct sonde_error *err)
{
	struct image recording;
	struct output out;
	int r = is_directory(from) ? err_set(err, SONDE_USAGE, SONDE_NONE, "is a directory, which has no bundle") :
				     check_input(from, err);

	if (r == 0)
		r = image_open(&recording, from, err);
	if (r < 0)
		return r;
	r = output_open(&out, to, &recording, err);
	if (r == 0) {
		r = output_copy(&out, &recording, 0, recording.size, err);
		if (r == 0)
			r = output_finish(&out, err);
		output_close(&out);
	}
	image_close(&recording);
	return r;
}

int sonde_bundle_strip(const char *from, const char *to, struct sonde_error *err)
{
	WITH_ERROR(err, own, strip(from, to, &own));
}

struct sonde_bundle {
	struct bundle *bundle;       /* NULL: none is open */
	struct sonde_bundle_member member;  /* that was handed out last */
	struct sonde_error err;
};

struct sonde_bundle *sonde_bundle_new(void)
{
	struct sonde_bundle *b = calloc(1, sizeof(*b));

	if (b)
		err_clear(&b->err);
	return b;
}

void sonde_bundle_free(struct sonde_bundle *b)
{
	if (b)
		bundle_free(b->bundle);
	free(b);
}

const struct sonde_error *sonde_bundle_error(const struct sonde_bundle *b)
{
	return &b->err;
}

int sonde_bundle_open(struct sonde_bundle *b, const char *path)
{
	int r;

	err_clear(&b->err);
	bundle_free(b->bundle);
	r = bundle_open(&b->bundle, path, &b->err);
	return r == 0 ? err_set(&b->err, SONDE_MISSING, SONDE_NONE, "has no bundle") : r < 0 ? r : 0;
}

uint64_t sonde_bundle_recording(const struct sonde_bundle *b)
{
	return b->bundle ? bundle_recording(b->bundle) : 0;
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[BUNDLE_SYMBOLS] = "symbols", [BUNDLE_FUNCTIONS] = "functions", [BUNDLE_LINES] = "lines",
		[BUNDLE_ELF] = "elf", [BUNDLE_DEBUG_ELF] = "debug elf", [BUNDLE_FILE] = "file",
		[BUNDLE_SOURCE] = "source",
	};

	return kind && kind < ARRAY_SIZE(names) ? names[kind] : "unknown";
}

const struct sonde_bundle_member *sonde_bundle_member_at(struct sonde_bundle *b, size_t i)
{
	const struct bundle_member *m = b->bundle ? bundle_at(b->bundle, i) : NULL;

	if (!m)
		return NULL;
	b->member = (struct sonde_bundle_member){ .kind = kind_name(m->key.kind), .name = m->key.name,
						  .build_id = m->key.build_id, .build_id_size = m->key.build_id_size,
						  .size = m->size, .raw_size = m->raw_size };
	return &b->member;
}

int sonde_bundle_verify(struct sonde_bundle *b)
{
	const struct bundle_member *m;
	int r = 0;

	err_clear(&b->err);
	for (size_t i = 0; r == 0 && b->bundle && (m = bundle_at(b->bundle, i)); i++)
		r = bundle_check(b->bundle, m, &b->err);
	return r;
}

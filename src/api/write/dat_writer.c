/* SPDX-License-Identifier: MIT */
#include <sonde/dat_writer.h>

#include <stdlib.h>

#include "base/bytes.h"
#include "base/opts.h"
#include "tracedat/write/writer.h"

struct sonde_dat_writer {
	struct sonde_error err;      /* of the last call */
	struct sonde_error failure;  /* the first of an open writer: every further call fails with it */
	struct output to;
	struct dat_writer *w;        /* NULL: not open */
	bool finished;
};

struct sonde_dat_writer *sonde_dat_writer_new(void)
{
	struct sonde_dat_writer *w = calloc(1, sizeof(*w));

	if (w) {
		err_clear(&w->err);
		err_clear(&w->failure);
		w->to.buf.fd = -1;
	}
	return w;
}

void sonde_dat_writer_free(struct sonde_dat_writer *w)
{
	if (!w)
		return;
	dat_writer_free(w->w);
	output_close(&w->to);
	free(w);
}

const struct sonde_error *sonde_dat_writer_error(const struct sonde_dat_writer *w)
{
	return &w->err;
}

int sonde_dat_writer_open(struct sonde_dat_writer *w, const char *path, const struct sonde_dat_writer_opts *opts)
{
	const struct sonde_dat_writer_opts all = {
		.version = OPT(opts, version, 0) ? opts->version : 7,
		.compression = OPT(opts, compression, SONDE_COMPRESSION_NONE), .level = OPT(opts, level, 0),
		.endian = OPT(opts, endian, SONDE_ENDIAN_SAME),
		.long_size = OPT(opts, long_size, 0) ? opts->long_size : 8,
		.page_size = OPT(opts, page_size, 0) ? opts->page_size : 4096,
		.clock = OPT(opts, clock, NULL) ? opts->clock : "local",
	};
	int r;

	err_clear(&w->err);
	if (w->w)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer has been opened before");
	r = OPTS_CHECK(sonde_dat_writer_opts, opts, &w->err);
	if (r < 0)
		return r;
	if ((all.version != 6 && all.version != 7) || (all.long_size != 4 && all.long_size != 8) ||
	    (unsigned)all.compression > SONDE_COMPRESSION_ZSTD || (unsigned)all.endian > SONDE_ENDIAN_BIG ||
	    all.page_size < 128 || all.page_size > 16 << 20 || (all.page_size & (all.page_size - 1)))
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE,
			       "no trace.dat has such a version, size of long or page, or compression");
	if (all.version == 6 && all.compression > SONDE_COMPRESSION_NONE)
		return err_set(&w->err, SONDE_USAGE, SONDE_NONE, "version 6 has no compression");
	r = output_open(&w->to, path, NULL, &w->err);
	if (r < 0)
		return r;
	if (!output_can_seek(&w->to))
		r = err_set(&w->err, SONDE_UNSUPPORTED, SONDE_NONE, "a trace.dat cannot be written to a pipe");
	else if (!(w->w = dat_writer_new(&all)))
		r = err_nomem(&w->err);
	if (r < 0)
		output_close(&w->to);
	return r;
}

/* Begins every call but open: needs an open writer that has not failed. */
static int check_state(struct sonde_dat_writer *w)
{
	w->err = w->failure;
	if (w->err.code)
		return -(int)w->err.code;
	return w->w && !w->finished ? 0 : err_set(&w->err, SONDE_USAGE, SONDE_NONE, "this writer is not open");
}

/* Ends a call on an open writer: a file that lacks the call's data must not be finished. */
static int note(struct sonde_dat_writer *w, int r)
{
	if (r < 0 && w->w)
		w->failure = w->err;
	return r;
}

int sonde_dat_writer_set_text(struct sonde_dat_writer *w, enum sonde_dat_text which, const char *text, size_t n)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_set_text(w->w, which, text, n, &w->err));
}

int sonde_dat_writer_add_format(struct sonde_dat_writer *w, const char *system, const char *text, size_t n)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_add_format(w->w, system, text, n, &w->err));
}

int sonde_dat_writer_add_option(struct sonde_dat_writer *w, uint16_t id, const void *data, size_t n)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_add_option(w->w, id, data, n, &w->err));
}

int sonde_dat_writer_add_buffer(struct sonde_dat_writer *w, const char *name, const char *clock, uint32_t page_size)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_add_buffer(w->w, name, clock, page_size, &w->err));
}

int sonde_dat_writer_write(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t time, const void *event,
			   size_t n)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_write(w->w, buffer, cpu, time, event, n, &w->err));
}

int sonde_dat_writer_lost(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t count)
{
	int r = check_state(w);

	return r < 0 ? r : note(w, dat_writer_lost(w->w, buffer, cpu, count, &w->err));
}

size_t sonde_dat_writer_max_event(const struct sonde_dat_writer *w, uint32_t buffer)
{
	return w->w ? dat_writer_max_event(w->w, buffer) : 0;
}

int sonde_dat_writer_finish(struct sonde_dat_writer *w)
{
	int r = check_state(w);

	if (r == 0)
		r = dat_writer_finish(w->w, &w->to, &w->err);
	if (r == 0)
		r = output_finish(&w->to, &w->err);
	w->finished = r == 0;
	return note(w, r);
}

/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/convert.h"
#include "codec/zlib.h"
#include "codec/zstd.h"
#include "tracedat/rewrite/redact.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/rewrite/repair_pages.h"
#include "tracedat/rewrite/rewrite.h"

/* Refuses options of convert that a trace.dat does not have. */
static int refuse(const struct dat_rewrite *w, const struct sonde_convert_opts *opts)
{
	struct sonde_error *err = &w->handle->err;
	bool big = opts->endian == SONDE_ENDIAN_BIG;

	if (opts->to == SONDE_FORM_PIPE || opts->to == SONDE_FORM_DIRECTORY)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "a trace.dat has no form for pipes");
	if (opts->build_ids != SONDE_BUILD_IDS_SAME)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "only a perf.data can be given build ids");
	if (opts->attr_size)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "a trace.dat has no attrs");
	if (opts->endian != SONDE_ENDIAN_SAME && big != w->in.header.big_endian)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "the byte order cannot be changed, because the events in the pages have their kernel's");
	if (opts->version && opts->version != 6 && opts->version != 7)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the version is 6 or 7");
	return 0;
}

/* The compression of the new file; true if it differs from the old file's. */
static bool choose_compression(const struct dat_rewrite *w, const struct sonde_convert_opts *opts, uint32_t version,
			       struct compose_how *how)
{
	static const struct codec *const codecs[] = {
		[SONDE_COMPRESSION_ZLIB] = &codec_zlib, [SONDE_COMPRESSION_ZSTD] = &codec_zstd
	};

	*how = dat_compose_same(&w->in);
	how->level = opts->level;
	if (opts->compression == SONDE_COMPRESSION_NONE || version == 6)
		how->codec = NULL;
	else if (opts->compression != SONDE_COMPRESSION_SAME)
		how->codec = codecs[opts->compression];
	else if (opts->pack && !how->codec)
		how->codec = &codec_zstd;
	how->repack = how->codec != w->in.codec || (how->codec && opts->pack);
	return how->repack;
}

/* Everything is taken apart and put together again, so that nothing stays that was not looked at. */
static int redact(struct dat_rewrite *w, uint32_t version, struct compose_how *how)
{
	struct dat_redact redact;
	int r = dat_redact_begin(&redact, w);

	how->repack = true;
	if (r == 0)
		r = dat_version_convert(&w->in, version, &w->handle->ledger, &w->handle->err);
	if (r == 0)
		r = dat_rewrite_finish(w, &w->in, how);
	dat_redact_end(&redact);
	return r;
}

static int convert(struct dat_rewrite *w, const struct sonde_convert_opts *opts)
{
	struct sonde_error *err = &w->handle->err;
	struct compose_how how;
	uint32_t version;
	bool repack;
	int r = dat_layout_read(&w->in, &w->image, NULL, DAT_DEEP, err);

	if (r == 0)
		r = refuse(w, opts);
	if (r < 0)
		return r;
	version = opts->version ? opts->version : w->in.header.version;
	if (version == 6 && (opts->pack || opts->compression > SONDE_COMPRESSION_NONE))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "version 6 has no compression");
	repack = choose_compression(w, opts, version, &how);
	if (opts->redact)
		return redact(w, version, &how);
	if (version == w->in.header.version && !repack) {
		if (w->in.sound && !w->in.packed_options && !w->in.scattered)
			return dat_rewrite_finish(w, &w->in, &how);
		/* copied byte by byte, including unknown parts */
		r = output_copy(&w->to, &w->image, 0, w->image.size, err);
		if (r == 0)
			r = image_shrunk(&w->image, err);
		return r < 0 ? r : output_finish(&w->to, err);
	}
	if (!w->in.sound)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "is cut or damaged; 'sonde repair' comes first");
	w->in.keeps_gaps = false;
	r = dat_mend_sections(w);
	if (r == 0)
		r = dat_repair_pages(w);
	if (r == 0 && version != w->in.header.version)
		r = dat_version_convert(&w->in, version, &w->handle->ledger, err);
	return r < 0 ? r : dat_rewrite_finish(w, &w->in, &how);
}

int dat_convert(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_convert_opts *opts)
{
	struct dat_rewrite w;
	int r = dat_rewrite_open(&w, handle, im, out);

	if (r == 0)
		r = convert(&w, opts);
	dat_rewrite_close(&w);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/convert.h"

#include "perfdata/format/attr.h"
#include "perfdata/rewrite/inject.h"
#include "perfdata/rewrite/section_rewrite.h"
#include "perfdata/scan/directory.h"

/* Fields that a shorter attr has no room for, and the samples that cannot be read without them. */
static const struct attr_end {
	uint32_t end;                /* the field is there if the attr has so many bytes */
	const char *name;
	uint64_t needed_by;          /* bits of sample_type */
} attr_ends[] = {
	{ 72, "config2", 0 },
	{ 80, "branch_sample_type", SAMPLE_BRANCH_STACK },
	{ 88, "sample_regs_user", SAMPLE_REGS_USER },
	{ 92, "sample_stack_user", 0 },
	{ 96, "clockid", 0 },
	{ 104, "sample_regs_intr", SAMPLE_REGS_INTR },
	{ 108, "aux_watermark", 0 },
	{ 110, "sample_max_stack", 0 },
	{ 116, "aux_sample_size", 0 },
	{ 120, "aux_action", 0 },
	{ 128, "sig_data", 0 },
	{ 136, "config3", 0 },
	{ 144, "config4", 0 },
};

static uint64_t field_of(const struct sonde_attr *a, uint32_t end)
{
	switch (end) {
	case 72: return a->config2;
	case 80: return a->branch_sample_type;
	case 88: return a->sample_regs_user;
	case 92: return a->sample_stack_user;
	case 96: return a->flags & SONDE_ATTR_USE_CLOCKID ? (uint32_t)a->clockid + UINT64_C(1) : 0;
	case 104: return a->sample_regs_intr;
	case 108: return a->aux_watermark;
	case 110: return a->sample_max_stack;
	case 116: return a->aux_sample_size;
	case 120: return a->aux_action;
	case 128: return a->sig_data;
	case 136: return a->config3;
	default: return a->config4;
	}
}

static int shorten_attr(struct rewrite *w, struct sonde_attr *attr, uint64_t at, uint32_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_ends); i++) {
		const struct attr_end *e = &attr_ends[i];

		if (e->end <= size || !field_of(attr, e->end))
			continue;
		if (attr->sample_type & e->needed_by)
			return err_set(&w->handle->err, SONDE_UNSUPPORTED, at,
				       "samples cannot be read without %s, which an attr of %u "
				       "bytes does not have: expected %u or more",
				       e->name, size, e->end);
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, at, SONDE_NONE, -1,
			   "{event|events} whose attr has %s, for which attrs of %u bytes have no place", e->name,
			   size);
	}
	attr->size = size;
	return 0;
}

static int change_attr_size(struct rewrite *w, uint32_t size)
{
	int r = 0;

	if (size < ATTR_SIZE_VER0 || size > 4096 || size % 8)
		return err_set(&w->handle->err, SONDE_USAGE, SONDE_NONE,
			       "an attr has 64 to 4096 bytes, and whole words of 8");
	for (size_t i = 0; r == 0 && i < w->in.events.n; i++)
		r = shorten_attr(w, &evlist_at(&w->in.evlist, i)->attr, w->in.events.at[i].attr.offset, size);
	for (size_t i = 0; i < w->in.meta.nr_event_descs; i++)
		w->in.meta.event_descs[i].attr.size = size;
	w->events_changed = true;
	w->opts.attr_size = size;
	return r;
}

static int copy_image(struct rewrite *w)
{
	return output_copy(&w->to, &w->image, 0, w->image.size, &w->handle->err);
}

/* The files of a directory but for `data`, whatever they are. */
static int copy_beside(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;
	struct directory_names names = { 0 };
	int r = directory_list(w->image.dir_fd, &names, err);

	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct output to = { .buf.fd = -1 };
		struct image im;

		r = image_open_at(&im, w->image.dir_fd, names.at[i], err);
		if (r < 0)
			break;
		r = output_open_in(&to, &w->dir, names.at[i], err);
		if (r == 0)
			r = output_copy(&to, &im, 0, im.size, err);
		if (r == 0)
			r = image_shrunk(&im, err);
		if (r == 0)
			r = output_finish(&to, err);
		output_close(&to);
		image_close(&im);
	}
	if (r == 0 && names.nr_directories)
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, names.nr_directories, SONDE_NONE,
			     "{directory|directories} beside the recording, which {is|are} not copied");
	directory_names_free(&names);
	return r;
}

/* A copy byte by byte: bytes that cannot be understood are carried all the same. */
static int copy(struct rewrite *w)
{
	int r = copy_image(w);

	if (r == 0 && w->dir.fd >= 0)
		r = copy_beside(w);
	return r < 0 ? r : rewrite_finish(w);
}

static enum sonde_rewrite_form form_of(const struct rewrite *w)
{
	return w->image.dir_fd >= 0 ? SONDE_FORM_DIRECTORY : w->in.header.pipe ? SONDE_FORM_PIPE : SONDE_FORM_FILE;
}

static bool changes_form(const struct rewrite *w, const struct sonde_convert_opts *opts)
{
	return opts->to != SONDE_FORM_SAME && opts->to != form_of(w);
}

static bool changes_endian(const struct rewrite *w, const struct sonde_convert_opts *opts)
{
	bool big = host_is_big_endian() != w->in.header.swap;

	return opts->endian != SONDE_ENDIAN_SAME && (opts->endian == SONDE_ENDIAN_BIG) != big;
}

/* Changes of the content, not only of its form. */
struct content_changes {
	struct inject *inject;       /* NULL: no build ids are added */
	struct redact *redact;       /* NULL: names stay */
};

static int change_record(struct rewrite *w, struct rewrite_record *record)
{
	struct content_changes *c = w->ctx;
	int r = c->inject ? inject_record(c->inject, record) : 0;

	if (r < 0)
		return r;
	return c->redact ? redact_record(c->redact, record) : REWRITE_KEEP;
}

static int change_feature(struct rewrite *w, uint32_t id, struct buf *out)
{
	struct content_changes *c = w->ctx;

	return c->redact ? redact_feature(c->redact, id, out) : REWRITE_KEEP;
}

static int add_late_features(struct rewrite *w)
{
	struct content_changes *c = w->ctx;

	return c->inject ? inject_feature(c->inject) : 0;
}

static int verify(struct rewrite *w)
{
	struct content_changes *c = w->ctx;

	return c->redact ? redact_check(c->redact) : 0;
}

static int change_content(struct rewrite *w, const struct sonde_convert_opts *opts)
{
	struct content_changes c = { NULL, NULL };
	int r = 0;

	w->change = change_record;
	w->change_feature = change_feature;
	w->late_features = add_late_features;
	w->verify = verify;
	w->ctx = &c;
	w->keep_packed = false;
	if (opts->build_ids != SONDE_BUILD_IDS_SAME)
		r = inject_begin(&c.inject, w, opts->build_ids == SONDE_BUILD_IDS_MMAP2);
	if (r == 0 && opts->redact)  /* second: the other one needs the names as they are */
		r = redact_begin(&c.redact, w);
	if (c.inject)
		inject_redacted(c.inject, c.redact);
	if (r == 0)
		r = rewrite_run(w);
	inject_end(c.inject);
	redact_end(c.redact);
	return r;
}

static bool changes_content(const struct sonde_convert_opts *opts)
{
	return opts->redact || opts->build_ids != SONDE_BUILD_IDS_SAME;
}

/* Whether compressed records have to be opened, and then how new ones are made. */
static int choose_packing(struct rewrite *w, const struct sonde_convert_opts *opts, bool form, bool endian)
{
	bool joined = form && w->in_parts;  /* each file of a directory has a stream of its own */
	bool zstd = opts->pack || opts->aligned || opts->compression == SONDE_COMPRESSION_ZSTD;
	bool same = opts->compression == SONDE_COMPRESSION_SAME && !zstd;
	int r;

	if (opts->compression == SONDE_COMPRESSION_ZLIB)
		return err_set(&w->handle->err, SONDE_USAGE, SONDE_NONE,
			       "a perf.data is compressed with zstd, not with zlib");
	w->keep_packed = same && !joined && !endian && !(form && opts->to == SONDE_FORM_DIRECTORY);
	if (opts->compression == SONDE_COMPRESSION_NONE)
		w->opts.level = 0;
	else if (zstd)
		w->opts.level = opts->level ? opts->level : 1;
	w->opts.aligned = opts->aligned;
	if (!w->keep_packed || w->in.meta.compressed.type > COMPRESSED_ZSTD)
		return 0;
	/* one that cannot be decompressed ends every reader: the others are written anew then */
	r = w->in.meta.compressed.type ? rewrite_packed_are_sound(w) : 0;
	w->keep_packed = r > 0;
	return r < 0 ? r : 0;
}

/* The type of its compressed records; 0: there are none, although the feature is there. */
static uint32_t packed_type(struct rewrite *w)
{
	struct record_source source;
	struct record_step got = { .step = SCAN_RECORD };
	uint32_t type = 0;

	if (record_source_open(&source, &w->in, w->image.dir_fd, false, NULL) == 0)
		while (!type && record_source_next(&source, &got) == 0 && got.step != SCAN_END)
			if (got.step == SCAN_RECORD &&
			    (got.record.h.type == RECORD_COMPRESSED || got.record.h.type == RECORD_COMPRESSED2))
				type = got.record.h.type;
	record_source_close(&source);
	return type;
}

/*
 * Only the byte order changes, or nothing at all. Compressed records have to be opened for the first; what comes out of
 * each is compressed again by itself, so that the way back can lead to the first bytes.
 */
static int convert_in_place(struct rewrite *w, bool endian)
{
	uint32_t packed = endian && w->opts.level ? packed_type(w) : 0;

	if (!w->in.header.pipe && !packed)
		return rewrite_in_place(w);
	w->as_it_is = w->keep_damage = w->opts.bare = w->in.header.pipe;
	w->keep_packed = !packed;
	w->same_chunks = w->opts.packed_as_told = packed;
	w->opts.aligned = packed == RECORD_COMPRESSED2;
	return rewrite_run(w);
}


static int convert(struct rewrite *w, const struct sonde_convert_opts *opts)
{
	int r = layout_read(&w->in, &w->image, NULL, &w->handle->err);
	bool form, endian, in_place;

	if (r < 0)
		return r;
	if (opts->version)
		return err_set(&w->handle->err, SONDE_USAGE, SONDE_NONE, "only a trace.dat is of version 6 or 7");
	form = changes_form(w, opts);
	endian = changes_endian(w, opts);
	in_place = !form && !opts->attr_size && !changes_content(opts) && opts->compression == SONDE_COMPRESSION_SAME &&
		!opts->pack && !opts->aligned;
	if (in_place && !endian && !opts->rebuild)
		return copy(w);
	r = rewrite_collect(w);
	if (r < 0)
		return r;
	w->opts.swap ^= endian;
	w->rebuild = opts->rebuild;
	if (in_place)
		return convert_in_place(w, endian);
	r = rewrite_refuse(w);
	if (r < 0)
		return r;
	rewrite_lose_features(w);
	rewrite_lose_end(w);
	w->opts.pipe = opts->to == SONDE_FORM_SAME ? w->in.header.pipe : opts->to == SONDE_FORM_PIPE;
	if (form)
		w->opts.slack = 0;
	r = choose_packing(w, opts, form, endian);
	if (r == 0 && opts->redact && w->dir.fd >= 0)
		r = err_set(&w->handle->err, SONDE_UNSUPPORTED, SONDE_NONE,
			    "what is redacted is written as one file: --to file");
	if (r == 0 && opts->attr_size)
		r = change_attr_size(w, opts->attr_size);
	if (r < 0)
		return r;
	return changes_content(opts) ? change_content(w, opts) : rewrite_run(w);
}

int perfdata_convert(struct sonde_rewrite *handle, struct image *im, const char *out,
		     const struct sonde_convert_opts *opts)
{
	struct rewrite w;
	int r = rewrite_open(&w, handle, im, out, opts->to);

	if (r == 0)
		r = convert(&w, opts);
	rewrite_close(&w);
	return r;
}

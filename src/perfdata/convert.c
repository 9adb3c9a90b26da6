/* SPDX-License-Identifier: MIT */
#include "perfdata/convert.h"

#include "perfdata/attr.h"
#include "perfdata/inject.h"
#include "perfdata/repair.h"

/* What an attr loses when it ends before a field, and whether samples cannot be read without it. */
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
			return err_set(&w->handle->err, SONDE_UNSUPPORTED, at, "samples cannot be read without %s, which an attr of %u "
				       "bytes does not have: expected %u or more", e->name, size, e->end);
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, at, SONDE_NONE, -1,
			   "events whose attr has %s, for which attrs of %u bytes have no place", e->name, size);
	}
	attr->size = size;
	return 0;
}

static int change_attr_size(struct rewrite *w, uint32_t size)
{
	int r = 0;

	if (size < ATTR_SIZE_VER0 || size > 4096 || size % 8)
		return err_set(&w->handle->err, SONDE_USAGE, SONDE_NONE, "an attr has 64 to 4096 bytes, and whole words of 8");
	for (size_t i = 0; r == 0 && i < w->in.events.n; i++)
		r = shorten_attr(w, &sources_at(&w->in.sources, i)->attr, w->in.events.at[i].attr.offset, size);
	for (size_t i = 0; i < w->in.meta.nr_event_descs; i++)
		w->in.meta.event_descs[i].attr.size = size;
	w->events_changed = true;
	w->opts.attr_size = size;
	return r;
}

/* As it is, byte by byte: what cannot be understood is carried all the same. */
static int copy_image(struct rewrite *w)
{
	int r = output_copy(&w->to, &w->image, 0, w->image.size, &w->handle->err);

	return r < 0 ? r : output_finish(&w->to, &w->handle->err);
}

static bool changes_form(const struct rewrite *w, const struct sonde_convert_opts *opts)
{
	return opts->to != SONDE_FORM_SAME && (w->image.dir_fd >= 0 || (opts->to == SONDE_FORM_PIPE) != w->in.header.pipe);
}

static bool changes_endian(const struct rewrite *w, const struct sonde_convert_opts *opts)
{
	bool big = host_is_big_endian() != w->in.header.swap;

	return opts->endian != SONDE_ENDIAN_SAME && (opts->endian == SONDE_ENDIAN_BIG) != big;
}

/* What is done to the content besides its form. */
struct changes {
	struct inject *inject;       /* NULL: no build ids are added */
	struct redact *redact;       /* NULL: names stay */
};

static int change_record(struct rewrite *w, struct passing *record)
{
	struct changes *c = w->ctx;
	int r = c->inject ? inject_record(c->inject, record) : 0;

	if (r < 0)
		return r;
	return c->redact ? redact_record(c->redact, record) : PASSING_KEEP;
}

static int change_feature(struct rewrite *w, uint32_t id, struct buf *out)
{
	struct changes *c = w->ctx;

	return c->redact ? redact_feature(c->redact, id, out) : PASSING_KEEP;
}

static int add_late_features(struct rewrite *w)
{
	struct changes *c = w->ctx;

	return c->inject ? inject_feature(c->inject) : 0;
}

static int verify(struct rewrite *w)
{
	struct changes *c = w->ctx;

	return c->redact ? redact_check(c->redact) : 0;
}

static int change_content(struct rewrite *w, const struct sonde_convert_opts *opts)
{
	struct changes c = { NULL, NULL };
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

static int convert(struct rewrite *w, const struct sonde_convert_opts *opts)
{
	int r = layout_read(&w->in, &w->image, NULL, &w->handle->err);
	bool form, endian;

	if (r < 0)
		return r;
	form = changes_form(w, opts);
	endian = changes_endian(w, opts);
	if (!form && w->image.dir_fd >= 0)
		return err_set(&w->handle->err, SONDE_UNSUPPORTED, SONDE_NONE, "is a directory: --to says what it is to become");
	if (!form && !endian && !opts->attr_size && !changes_content(opts))
		return copy_image(w);
	if (w->in.unfinished)
		return err_set(&w->handle->err, SONDE_CORRUPT, 48, "the recorder was killed; 'sonde repair' comes first");
	r = rewrite_collect(w);
	if (r < 0)
		return r;
	if (w->in.events.n == 0)
		return err_set(&w->handle->err, SONDE_CORRUPT, SONDE_NONE, "describes no event");
	w->opts.pipe = opts->to == SONDE_FORM_SAME ? w->in.header.pipe : opts->to == SONDE_FORM_PIPE;
	w->keep_packed = w->image.dir_fd < 0;  /* each file of a directory has a compressed stream of its own */
	if (form)
		w->opts.slack = 0;
	if (endian)
		return err_set(&w->handle->err, SONDE_UNSUPPORTED, SONDE_NONE, "the byte order cannot be changed yet");
	if (opts->attr_size)
		r = change_attr_size(w, opts->attr_size);
	if (r < 0)
		return r;
	return changes_content(opts) ? change_content(w, opts) : rewrite_run(w);
}

int perfdata_convert(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_convert_opts *opts)
{
	struct rewrite w;
	int r = rewrite_open(&w, handle, im, out);

	if (r == 0)
		r = convert(&w, opts);
	rewrite_close(&w);
	return r;
}

const struct rewriter perfdata_rewriter = {
	.probe = header_probe, .convert = perfdata_convert, .repair = perfdata_repair,
};

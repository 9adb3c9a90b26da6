/* SPDX-License-Identifier: MIT */
/*
 * The registers and the copy of the stack leave each sample; the callers that they give go into its callchain. All
 * other records stay as they are, in order of time. Branches that are a call stack stay where they alone are the
 * callers; beside a copy they would hide those that it gives.
 */
#include "api/convert/to_chains.h"

#include <sonde/perf_writer.h>

#include <stdlib.h>
#include <string.h>

#include "api/convert/cross.h"
#include "api/trace/meta.h"
#include "api/trace/symbol.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"
#include "resolve/chain.h"
#include "resolve/moment.h"

/* exclude_callchain_user: the chains have a user part now */
#define ATTR_EXCLUDE_CALLCHAIN_USER SONDE_ATTR_BIT(22)

/* More frames than the kernel ever records, less than a record holds. */
enum { FRAMES_MOST = 2048 };

struct converting {
	struct sonde_rewrite *handle;
	struct sonde_trace *trace;
	struct sonde_perf_writer *to;
	struct symbols *symbols;
	struct unwind_images *images;
	struct chain_finder chains;
	struct moment moment;
	bool swap;                   /* the file's byte order is not the host's */
	uint8_t *record;             /* of RECORD_BYTES_MAX */
};

static int fail(struct converting *c, int r)
{
	if (r < 0)
		c->handle->err = *sonde_perf_writer_error(c->to);
	return r;
}

static bool has_copy(const struct sonde_attr *attr)
{
	uint64_t needed = SAMPLE_REGS_USER | SAMPLE_STACK_USER;

	return (attr->sample_type & needed) == needed;
}

static bool has_calls(const struct sonde_attr *attr)
{
	return attr->sample_type & SAMPLE_BRANCH_STACK && attr->branch_sample_type & BRANCH_CALL_STACK;
}

/* Whether samples have everything for a callchain. */
static bool has_stack(const struct sonde_attr *attr)
{
	return attr->sample_type & SAMPLE_CALLCHAIN && (has_copy(attr) || has_calls(attr));
}

/* The fields that the callchain replaces. */
static uint64_t replaced_fields(const struct sonde_attr *attr)
{
	if (!has_stack(attr) || !has_copy(attr))
		return 0;
	return SAMPLE_REGS_USER | SAMPLE_STACK_USER | (has_calls(attr) ? SAMPLE_BRANCH_STACK : 0);
}

static void drop_stack(struct sonde_attr *attr)
{
	uint64_t replaced = replaced_fields(attr);

	if (has_stack(attr))
		attr->flags &= ~ATTR_EXCLUDE_CALLCHAIN_USER;
	attr->sample_type &= ~replaced;
	if (replaced & SAMPLE_STACK_USER) {
		attr->sample_regs_user = 0;
		attr->sample_stack_user = 0;
	}
	if (replaced & SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = 0;
}

/* ---- records ---- */

static void put_u64(struct converting *c, size_t *at, uint64_t v)
{
	store_u64(c->record + *at, v, c->swap);
	*at += 8;
}

/* As many entries of a chain as the record has room for. */
static void put_chain(struct converting *c, size_t *at, const struct u64s *chain, size_t behind)
{
	uint64_t room = (RECORD_BYTES_MAX - *at - behind) / 8 - 1, nr = chain->nr < room ? chain->nr : room;

	put_u64(c, at, nr);
	for (uint64_t i = 0; i < nr; i++)
		put_u64(c, at, u64s_at(chain, i));
}

static int write_sample(struct converting *c, const struct sonde_event *ev, const struct u64s *chain)
{
	uint64_t replaced = replaced_fields(ev->evsel->attr);
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	size_t nr, at = RECORD_HEADER_BYTES, behind = 0;

	if (sample_fields(ev->raw, ev->raw_size, ev->evsel->attr, c->swap, fields, &nr) < 0) {
		cross_lose(c->handle, ev, "{sample|samples} whose lengths are wrong");
		return 0;
	}
	memcpy(c->record, ev->raw, RECORD_HEADER_BYTES);
	for (size_t i = nr; i-- && fields[i].bits != SAMPLE_CALLCHAIN;)
		behind += fields[i].bits & replaced ? 0 : fields[i].bytes;
	for (size_t i = 0; i < nr; i++) {
		const struct sample_field *f = &fields[i];

		if (f->bits == SAMPLE_CALLCHAIN) {
			put_chain(c, &at, chain, behind);
		} else if (!(f->bits & replaced)) {
			memcpy(c->record + at, ev->raw + f->at, f->bytes);
			at += f->bytes;
		}
	}
	store_u16(c->record + 6, (uint16_t)at, c->swap);
	c->handle->counts.written++;
	return fail(c, sonde_perf_writer_write(c->to, c->record, at));
}

static int take_sample(struct converting *c, const struct sonde_event *ev)
{
	struct callchain chain;
	struct sample s;

	if (moment_advance(&c->moment, ev) < 0)
		return err_nomem(&c->handle->err);
	event_sample(ev, &s);
	if (chain_of(&c->chains, ev, &s, moment_task_of(&c->moment, ev)->roots.user, FRAMES_MOST, &chain) < 0)
		return err_nomem(&c->handle->err);
	return write_sample(c, ev, &chain.ips);
}

/* Records that the writer makes itself, of the features and for its own order. */
static bool is_of_file(uint32_t type)
{
	return (type >= RECORD_HEADER_ATTR && type <= RECORD_FINISHED_ROUND) || type == RECORD_HEADER_FEATURE ||
	       type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

static int take_event(void *ctx, const struct sonde_event *ev)
{
	struct converting *c = ctx;

	if (ev->kind == SONDE_KIND_SAMPLE && ev->evsel && has_stack(ev->evsel->attr))
		return take_sample(c, ev);
	if (ev->kind != SONDE_KIND_SAMPLE && moment_apply(&c->moment, ev, trace_meta(c->trace)) < 0)
		return err_nomem(&c->handle->err);
	if (is_of_file(ev->type))
		return 0;
	if (ev->type >= RECORD_AUXTRACE_INFO && ev->type <= RECORD_AUXTRACE_ERROR) {
		cross_lose(c->handle, ev, "{record|records} of hardware trace");
		return 0;
	}
	c->handle->counts.written++;
	return fail(c, sonde_perf_writer_write(c->to, ev->raw, ev->raw_size));
}

/* ---- header ---- */

static int add_events(struct converting *c)
{
	bool any = false, any_branches = false;
	int r = 0;

	for (size_t i = 0; i < sonde_trace_evsel_count(c->trace) && r == 0; i++) {
		const struct sonde_evsel *evsel = sonde_trace_evsel_at(c->trace, i);
		struct sonde_attr attr = *evsel->attr;

		any |= has_stack(&attr);
		drop_stack(&attr);
		any_branches |= attr.sample_type & SAMPLE_BRANCH_STACK;
		r = fail(c, sonde_perf_writer_add_event(c->to, &attr, sizeof(attr), evsel->name, evsel->ids,
							 evsel->nr_ids));
	}
	if (!any_branches)
		c->trace->reader->meta.features[SONDE_FEAT_BRANCH_STACK / 64] &=
			~(UINT64_C(1) << SONDE_FEAT_BRANCH_STACK % 64);
	if (r == 0 && !any)
		return err_set(&c->handle->err, SONDE_MISSING, SONDE_NONE,
			       "has no copies of stacks: it was recorded without --call-graph dwarf or lbr");
	return r;
}

static int begin(struct converting *c, const char *out, const struct sonde_convert_opts *opts)
{
	struct meta *meta = &c->trace->reader->meta;
	bool big = sonde_trace_info(c->trace)->big_endian,
	     piped = sonde_trace_info(c->trace)->mode == SONDE_MODE_PIPE;
	enum sonde_rewrite_form form = opts->to ? opts->to : piped ? SONDE_FORM_PIPE : SONDE_FORM_FILE;
	const struct sonde_perf_writer_opts how = { .sz = sizeof(how),
						    .form = form,
						    .endian = big ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE,
						    .attr_size = opts->attr_size,
						    .compression = opts->compression,
						    .level = opts->level,
						    .aligned = opts->aligned };
	int r = fail(c, sonde_perf_writer_open(c->to, out, &how));

	c->swap = big != host_is_big_endian();
	if (r == 0)
		r = add_events(c);
	for (size_t i = 0; i < meta->nr_event_descs; i++)
		drop_stack(&meta->event_descs[i].attr);
	return r == 0 ? fail(c, sonde_perf_writer_copy_meta(c->to, c->trace)) : r;
}

static int prepare(struct converting *c, const struct sonde_convert_opts *opts)
{
	c->trace = sonde_trace_new();
	c->to = sonde_perf_writer_new();
	c->record = malloc(RECORD_BYTES_MAX);
	c->symbols = symbols_from_opts(opts->symbols);
	c->images = c->symbols ? unwind_images_new(c->symbols) : NULL;
	c->chains.unwinder.images = c->images;
	if (!c->trace || !c->to || !c->record || !c->images || moment_init(&c->moment, symbols_jit(c->symbols)) < 0)
		return err_nomem(&c->handle->err);
	return 0;
}

int convert_to_chains(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts)
{
	struct converting c = { .handle = handle };
	int r = prepare(&c, opts);

	if (r == 0)
		r = cross_open(c.trace, im, in, &handle->err);
	if (r == 0 && symbols_carry(c.symbols, trace_meta(c.trace), in) < 0)
		r = err_nomem(&handle->err);
	if (r == 0)
		r = begin(&c, out, opts);
	if (r == 0)
		r = cross_walk(handle, c.trace, take_event, &c);
	if (r == 0)
		r = fail(&c, sonde_perf_writer_finish(c.to));
	sonde_perf_writer_free(c.to);
	sonde_trace_free(c.trace);
	moment_free(&c.moment);
	chain_finder_free(&c.chains);
	unwind_images_free(c.images);
	symbols_free(c.symbols);
	free(c.record);
	image_close(im);
	return r;
}

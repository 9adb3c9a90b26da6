/* SPDX-License-Identifier: MIT */
/* to_tracedat.c - the tracepoints of a perf.data as a trace.dat. */
#include "api/convert/to_tracedat.h"

#include <sonde/dat_writer.h>
#include <sonde/tracepoint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/convert/cross.h"
#include "api/trace/trace.h"
#include "base/strpool.h"
#include "base/u64map.h"
#include "tracedat/format/ids.h"
#include "tracefmt/blob.h"

#define PERF_TYPE_TRACEPOINT 2
#define CPUS_MAX 65536

struct task_name {
	int32_t tid;
	uint32_t name;
};

struct dat_crossing {
	struct sonde_rewrite *handle;
	struct sonde_trace *trace;
	struct sonde_dat_writer *to;
	int failed;                  /* the result of the last format; the formats end with the first failure */
	struct sonde_str blob_cmdlines;  /* a view of the tracing data */
	VEC(struct task_name) names;
	struct u64map name_of;       /* by thread: index in names */
	struct strpool pool;
	uint64_t last;               /* time of the previous event */
};

static int fail(struct dat_crossing *c, int r)
{
	if (r < 0)
		c->handle->err = *sonde_dat_writer_error(c->to);
	return r;
}

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct dat_crossing *c = ctx;

	(void)at;
	c->failed = fail(c, sonde_dat_writer_add_format(c->to, system, text.p, text.len));
	return c->failed;
}

/* A damaged blob gives all that comes before the damage. */
static int take_blob(struct dat_crossing *c, struct cursor *at, struct tracing_blob *b)
{
	const struct { enum sonde_dat_text which; const struct sonde_str *text; } texts[] = {
		{ SONDE_DAT_HEADER_PAGE, &b->header_page }, { SONDE_DAT_HEADER_EVENT, &b->header_event },
		{ SONDE_DAT_KALLSYMS, &b->kallsyms }, { SONDE_DAT_PRINTK, &b->printk },
	};
	int r;

	tracing_blob_rest(at, b, take_format, c);
	r = c->failed;
	for (size_t i = 0; i < ARRAY_SIZE(texts) && r == 0; i++)
		if (texts[i].text->len)
			r = fail(c, sonde_dat_writer_set_text(c->to, texts[i].which, texts[i].text->p,
							      texts[i].text->len));
	if (b->cmdlines.len)
		c->blob_cmdlines = b->cmdlines;
	return r;
}

/* The tracefs name of the clock of the samples. */
static const char *clock_of(const struct sonde_trace *t)
{
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		const struct sonde_attr *attr = sonde_trace_evsel_at(t, i)->attr;

		if (attr->type != PERF_TYPE_TRACEPOINT || !(attr->flags & SONDE_ATTR_USE_CLOCKID))
			continue;
		switch (attr->clockid) {
		case CLOCK_MONOTONIC: return "mono";
		case CLOCK_MONOTONIC_RAW: return "mono_raw";
		case CLOCK_BOOTTIME: return "boot";
		case CLOCK_TAI: return "tai";
		}
	}
	return "perf";
}

static const struct sonde_raw_feature *tracing_data(const struct sonde_trace *t)
{
	const struct sonde_raw_feature *raw;

	for (size_t i = 0; (raw = sonde_trace_raw_feature_at(t, i)); i++)
		if (raw->id == SONDE_FEAT_TRACING_DATA)
			return raw;
	return NULL;
}

/* <sysname> <nodename> <release> <machine>, if the recording knows all of them. */
static int take_machine(struct dat_crossing *c)
{
	const struct meta *m = &c->trace->reader->meta;
	char text[512];
	int n;

	if (!m->hostname || !m->osrelease || !m->arch)
		return 0;
	n = snprintf(text, sizeof(text), "Linux %s %s %s", m->hostname, m->osrelease, m->arch);
	if (n >= (int)sizeof(text) || !*m->hostname || strpbrk(m->hostname, " \n"))
		return 0;
	return fail(c, sonde_dat_writer_add_option(c->to, DAT_OPTION_UNAME, text, (size_t)n + 1));
}

static int begin(struct dat_crossing *c, const char *out, const struct sonde_convert_opts *opts)
{
	const struct sonde_raw_feature *blob = tracing_data(c->trace);
	struct sonde_dat_writer_opts how = { .sz = sizeof(how),
					     .version = opts->version,
					     .compression = opts->compression,
					     .level = opts->level,
					     .clock = clock_of(c->trace) };
	struct tracing_blob b;
	struct cursor at;
	int r;

	if (blob)
		at = cur_new(blob->payload.p, blob->payload.len, 0, false, NULL);
	if (!blob || tracing_blob_head(&at, &b) < 0)
		return err_set(&c->handle->err, SONDE_MISSING, SONDE_NONE,
			       "has no tracing data: no tracepoint is described");
	if (opts->pack && opts->compression == SONDE_COMPRESSION_SAME)
		how.compression = SONDE_COMPRESSION_ZSTD;
	how.endian = b.big_endian ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE;
	how.long_size = b.long_size;
	how.page_size = b.page_size;
	r = fail(c, sonde_dat_writer_open(c->to, out, &how));
	r = r < 0 ? r : take_machine(c);
	return r < 0 ? r : take_blob(c, &at, &b);
}

static int take_name(struct dat_crossing *c, const struct sonde_event *ev)
{
	struct sonde_comm comm;
	struct task_name name;
	uint32_t i;

	if (event_comm(ev, &comm) < 0)
		return 0;
	name = (struct task_name){ comm.tid, strpool_add(&c->pool, comm.comm.p, comm.comm.len) };
	if (name.name == UINT32_MAX)
		return err_nomem(&c->handle->err);
	i = u64map_get(&c->name_of, (uint32_t)comm.tid);
	if (i != U64MAP_NONE) {
		c->names.at[i] = name;
		return 0;
	}
	if (u64map_set(&c->name_of, (uint32_t)comm.tid, (uint32_t)c->names.n) < 0 || vec_push(&c->names, name) < 0)
		return err_nomem(&c->handle->err);
	return 0;
}

static int take_sample(struct dat_crossing *c, const struct sonde_event *ev)
{
	struct sample s;

	c->handle->counts.read++;
	if (!ev->evsel || ev->evsel->attr->type != PERF_TYPE_TRACEPOINT) {
		cross_lose(c->handle, ev, "{sample|samples} of events that are no tracepoints");
		return 0;
	}
	if (event_sample(ev, &s) < 0 || s.raw.len == 0 || ev->time == SONDE_NONE) {
		cross_lose(c->handle, ev, "{sample|samples} without fields or time");
		return 0;
	}
	if (ev->time < c->last) {
		cross_lose(c->handle, ev, "{sample|samples} that {comes|come} too late for {its|their} time");
		return 0;
	}
	if (s.raw.len > sonde_dat_writer_max_event(c->to, 0)) {
		cross_lose(c->handle, ev, "{sample|samples} that {is|are} larger than a page");
		return 0;
	}
	if (s.callchain.nr)
		cross_lose(c->handle, ev, "{callchain|callchains} of samples");
	if (ev->cpu < 0)
		cross_lose(c->handle, ev,
			   "{sample|samples} without {its|their} CPU, which {is|are} taken for those of CPU 0");
	if (ev->cpu >= CPUS_MAX) {
		cross_lose(c->handle, ev, "{sample|samples} of a CPU that no machine has");
		return 0;
	}
	c->last = ev->time;
	c->handle->counts.written++;
	return fail(
		c, sonde_dat_writer_write(c->to, 0, ev->cpu < 0 ? 0 : (uint32_t)ev->cpu, ev->time, s.raw.p, s.raw.len));
}

static int take_event(void *ctx, const struct sonde_event *ev)
{
	struct dat_crossing *c = ctx;
	struct sonde_lost lost;
	char what[80];
	const char *name;

	if (ev->kind == SONDE_KIND_SAMPLE)
		return take_sample(c, ev);
	if (event_lost(ev, &lost) == 0 && ev->cpu < CPUS_MAX)
		return fail(c, sonde_dat_writer_lost(c->to, 0, ev->cpu < 0 ? 0 : (uint32_t)ev->cpu, lost.lost));
	if (sonde_event_type_name(ev->type) && strcmp(sonde_event_type_name(ev->type), "COMM") == 0)
		return take_name(c, ev);
	if (ev->kind == SONDE_KIND_META)
		return 0;
	name = sonde_event_type_name(ev->type);
	snprintf(what, sizeof(what), "%s records", name ? name : "unknown");
	cross_lose(c->handle, ev, what);
	return 0;
}

/* Names of tasks are read first: they are valid from the first event on. */
static int put_names(struct dat_crossing *c)
{
	struct buf b = BUF_MEMORY;
	int r;

	for (size_t i = 0; i < c->names.n; i++)
		buf_printf(&b, "%d %s\n", c->names.at[i].tid, strpool_get(&c->pool, c->names.at[i].name));
	buf_put(&b, c->blob_cmdlines.p, c->blob_cmdlines.len);
	r = b.failed ? err_nomem(&c->handle->err) :
	    fail(c, sonde_dat_writer_set_text(c->to, SONDE_DAT_CMDLINES, b.p ? b.p : "", b.n));
	buf_free(&b);
	return r;
}

int cross_to_tracedat(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts)
{
	struct dat_crossing c = {
		.handle = handle, .trace = sonde_trace_new(), .to = sonde_dat_writer_new(), .blob_cmdlines = { "", 0 }
	};
	int r = c.trace && c.to ? cross_open(c.trace, im, in, &handle->err) : err_nomem(&handle->err);

	if (r == 0)
		r = begin(&c, out, opts);
	if (r == 0)
		r = cross_walk(handle, c.trace, take_event, &c);
	if (r == 0)
		r = put_names(&c);
	if (r == 0)
		r = fail(&c, sonde_dat_writer_finish(c.to));
	sonde_dat_writer_free(c.to);
	sonde_trace_free(c.trace);
	vec_free(&c.names);
	u64map_free(&c.name_of);
	strpool_free(&c.pool);
	image_close(im);
	return r;
}

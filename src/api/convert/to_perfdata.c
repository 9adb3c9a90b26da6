/* SPDX-License-Identifier: MIT */
/* to_perfdata.c - the events of a trace.dat as samples of tracepoints in a perf.data */
#include "api/convert/to_perfdata.h"

#include <sonde/perf_writer.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/convert/cross.h"
#include "api/trace/trace.h"
#include "perfdata/format/record.h"
#include "symbol/list/kallsyms.h"
#include "tracedat/rewrite/tracing_data.h"
#include "tracefmt/blob.h"

#define ROUND_RECORDS 16384
#define ATTR_BYTES 96                /* up to clockid: the oldest readers know this size */
#define TRAILER_BYTES 32             /* pid, tid; time; cpu; identifier */

struct crossing {
	struct sonde_rewrite *handle;
	struct sonde_trace *trace;
	struct sonde_perf_writer *to;
	bool swap;
	uint64_t *samples;           /* by index of the evsel */
	uint64_t first_id;           /* of any event, for records that belong to none */
	uint8_t *record;
	size_t n;                    /* its length in bytes */
	uint64_t in_round;
	uint64_t kernel, kernel_end; /* addresses of the kernel; 0: not known */
};

static int fail(struct crossing *c, int r)
{
	if (r < 0)
		c->handle->err = *sonde_perf_writer_error(c->to);
	return r;
}

/* ---- a record, in the byte order of the file ---- */

static void put(struct crossing *c, const void *p, size_t n)
{
	memcpy(c->record + c->n, p, n);
	c->n += n;
}

static void put_u32(struct crossing *c, uint32_t v)
{
	v = c->swap ? bswap_32(v) : v;
	put(c, &v, sizeof(v));
}

static void put_u64(struct crossing *c, uint64_t v)
{
	v = c->swap ? bswap_64(v) : v;
	put(c, &v, sizeof(v));
}

static void start(struct crossing *c, uint32_t type, uint16_t misc)
{
	uint16_t half[2] = { misc, 0 };

	c->n = 0;
	put_u32(c, type);
	store_u16(&half[0], misc, c->swap);
	put(c, half, sizeof(half));
}

static void put_trailer(struct crossing *c, const struct sonde_event *ev)
{
	bool synthesized = ev->time == 0;

	put_u32(c, synthesized ? 0 : (uint32_t)ev->pid);
	put_u32(c, synthesized ? 0 : (uint32_t)ev->tid);
	put_u64(c, ev->time);
	put_u32(c, synthesized || ev->cpu < 0 ? 0 : (uint32_t)ev->cpu);
	put_u32(c, 0);
	put_u64(c, synthesized ? 0 : c->first_id);
}

static int finish(struct crossing *c)
{
	store_u16(c->record + 6, (uint16_t)c->n, c->swap);
	c->handle->counts.written++;
	return fail(c, sonde_perf_writer_write(c->to, c->record, c->n));
}

/* ---- events ---- */

static uint64_t id_of(const struct sonde_evsel *evsel)
{
	return evsel->index + UINT64_C(1);
}

static int put_sample(struct crossing *c, const struct sonde_event *ev)
{
	uint32_t padded = (uint32_t)ALIGN_UP(ev->raw_size + 4U, 8U) - 4;

	if (!ev->evsel) {
		cross_lose(c->handle, ev, "{event|events} that no format describes");
		return 0;
	}
	if (padded > RECORD_BYTES_MAX - 64) {
		cross_lose(c->handle, ev, "{event|events} that {is|are} larger than a record can be");
		return 0;
	}
	start(c, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	put_u64(c, id_of(ev->evsel));
	put_u64(c, 0);  /* ip */
	put_u32(c, (uint32_t)ev->pid);
	put_u32(c, (uint32_t)ev->tid);
	put_u64(c, ev->time);
	put_u32(c, (uint32_t)ev->cpu);
	put_u32(c, 0);
	put_u64(c, 1);  /* period */
	put_u32(c, padded);
	put(c, ev->raw, ev->raw_size);
	memset(c->record + c->n, 0, padded - ev->raw_size);
	c->n += padded - ev->raw_size;
	return finish(c);
}

static int put_comm(struct crossing *c, const struct sonde_event *ev)
{
	struct sonde_comm comm;
	size_t n, padded;

	if (event_comm(ev, &comm) < 0)
		return 0;
	n = comm.comm.len < 256 ? comm.comm.len : 256;
	padded = ALIGN_UP(n + 1, (size_t)8);
	start(c, PERF_RECORD_COMM, 0);
	put_u32(c, (uint32_t)comm.pid);
	put_u32(c, (uint32_t)comm.tid);
	put(c, comm.comm.p, n);
	memset(c->record + c->n, 0, padded - n);
	c->n += padded - n;
	put_trailer(c, ev);
	return finish(c);
}

static int put_lost(struct crossing *c, const struct sonde_event *ev, const struct sonde_lost *lost)
{
	start(c, PERF_RECORD_LOST, 0);
	put_u64(c, c->first_id);
	put_u64(c, lost->lost == SONDE_NONE ? 1 : lost->lost);
	put_trailer(c, ev);
	return finish(c);
}

/* A mapping of the kernel: without it perf warns that kernel addresses are restricted. */
static int put_kernel(struct crossing *c)
{
	static const char name[24] = "[kernel.kallsyms]_text";
	const struct sonde_event first = { .time = 0 };

	if (c->kernel >= c->kernel_end)
		return 0;
	start(c, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	put_u32(c, UINT32_MAX);
	put_u32(c, 0);
	put_u64(c, c->kernel);
	put_u64(c, c->kernel_end - c->kernel);
	put_u64(c, c->kernel);
	put(c, name, sizeof(name));
	put_trailer(c, &first);
	return finish(c);
}

/* Writes a round mark: everything is in order, so readers need not hold events back. */
static int put_round(struct crossing *c)
{
	if (++c->in_round < ROUND_RECORDS)
		return 0;
	c->in_round = 0;
	start(c, RECORD_FINISHED_ROUND, 0);
	return finish(c);
}

static int take_event(void *ctx, const struct sonde_event *ev)
{
	struct crossing *c = ctx;
	struct sonde_lost lost;
	int r = 0;

	c->handle->counts.read++;
	if (ev->kind == SONDE_KIND_SAMPLE)
		r = put_sample(c, ev);
	else if (ev->type == PERF_RECORD_COMM)
		r = put_comm(c, ev);
	else if (event_lost(ev, &lost) == 0)
		r = put_lost(c, ev, &lost);
	else
		cross_lose(c->handle, ev, "{line|lines} of a latency tracer");
	return r == 0 ? put_round(c) : r;
}

/* ---- metadata ---- */

/* Only events that happened are added: a recording has the formats of all events of a kernel. */
static int count_event(void *ctx, const struct sonde_event *ev)
{
	struct crossing *c = ctx;

	if (ev->kind == SONDE_KIND_SAMPLE && ev->evsel) {
		c->samples[ev->evsel->index]++;
		if (ev->evsel->buffer && ev->evsel->buffer[0])
			cross_lose(c->handle, ev, "{name|names} of instances: their events are among the others");
	}
	return 0;
}

static void set_clock(struct sonde_attr *attr, const char *name)
{
	static const struct {
		const char *name;
		int32_t clock;
	} clocks[] = { { "mono", CLOCK_MONOTONIC },
		       { "mono_raw", CLOCK_MONOTONIC_RAW },
		       { "boot", CLOCK_BOOTTIME },
		       { "tai", CLOCK_TAI } };

	for (size_t i = 0; name && i < ARRAY_SIZE(clocks); i++)
		if (strcmp(name, clocks[i].name) == 0) {
			attr->flags |= SONDE_ATTR_USE_CLOCKID;
			attr->clockid = clocks[i].clock;
		}
}

static int add_events(struct crossing *c)
{
	struct sonde_attr attr = { .type = PERF_TYPE_TRACEPOINT,
				   .size = ATTR_BYTES,
				   .sample_period = 1,
				   .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
				   .flags = SONDE_ATTR_SAMPLE_ID_ALL };
	int r = 0;

	set_clock(&attr, sonde_trace_meta(c->trace)->trace_clock);
	for (size_t i = 0; r == 0 && i < sonde_trace_evsel_count(c->trace); i++) {
		const struct sonde_evsel *evsel = sonde_trace_evsel_at(c->trace, i);
		uint64_t id = id_of(evsel);

		if (!c->samples[i])
			continue;
		c->first_id = c->first_id ? c->first_id : id;
		attr.config = evsel->ids[0];
		r = fail(c, sonde_perf_writer_add_event(c->to, &attr, sizeof(attr), evsel->name, &id, 1));
	}
	if (r == 0 && !c->first_id)
		return err_set(&c->handle->err, SONDE_MISSING, SONDE_NONE, "has no event that could be a sample");
	return r;
}

/* Host and kernel, from the options of the trace.dat. */
static int add_meta(struct crossing *c)
{
	const struct sonde_meta *from = sonde_trace_meta(c->trace);
	struct sonde_meta meta = { .sz = sizeof(meta),
				   .hostname = from->hostname,
				   .osrelease = from->osrelease,
				   .arch = from->arch,
				   .nr_cpus_available = from->nr_cpus_available,
				   .nr_cpus_online = from->nr_cpus_available };

	meta.features[0] = (uint64_t)(meta.hostname != NULL) << SONDE_FEAT_HOSTNAME |
		(uint64_t)(meta.osrelease != NULL) << SONDE_FEAT_OSRELEASE |
		(uint64_t)(meta.arch != NULL) << SONDE_FEAT_ARCH |
		(uint64_t)(meta.nr_cpus_available != 0) << SONDE_FEAT_NRCPUS;
	return fail(c, sonde_perf_writer_set_meta(c->to, &meta));
}

static int find_kernel(struct crossing *c, struct sonde_str symbols)
{
	struct kallsyms k;

	if (kallsyms_open(&k, symbols.p, symbols.len) < 0)
		return err_nomem(&c->handle->err);
	if (!kallsyms_value(&k, "_text", &c->kernel) || !kallsyms_value(&k, "_etext", &c->kernel_end))
		c->kernel_end = 0;
	kallsyms_close(&k);
	return 0;
}

static int put_tracing_data(struct crossing *c, struct image *im)
{
	struct dat_event_ids used = { 0 };
	struct tracing_blob made;
	struct cursor at;
	struct buf blob = BUF_MEMORY;
	int r;

	for (size_t i = 0; i < sonde_trace_evsel_count(c->trace); i++) {
		uint64_t id = sonde_trace_evsel_at(c->trace, i)->ids[0];

		if (c->samples[i] && id <= UINT16_MAX)
			used.bits[id / 8] = (uint8_t)(used.bits[id / 8] | 1u << id % 8);
	}
	r = dat_tracing_data_make(im, &used, &blob, &c->handle->err);
	if (r == 0)
		r = fail(c, sonde_perf_writer_set_feature(c->to, SONDE_FEAT_TRACING_DATA, blob.p, blob.n));
	at = cur_new((const uint8_t *)blob.p, blob.n, 0, false, NULL);
	if (r == 0 && tracing_blob_head(&at, &made) == 0) {
		tracing_blob_rest(&at, &made, NULL, NULL);
		r = made.kallsyms.len ? find_kernel(c, made.kallsyms) : 0;
	}
	buf_free(&blob);
	return r;
}

static int begin(struct crossing *c, struct image *im, const char *out, const struct sonde_convert_opts *opts)
{
	bool big = sonde_trace_info(c->trace)->big_endian;
	const struct sonde_perf_writer_opts how = { .sz = sizeof(how),
						    .form = opts->to,
						    .endian = big ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE,
						    .attr_size = opts->attr_size };
	int r = cross_walk(c->handle, c->trace, count_event, c);

	c->swap = big != host_is_big_endian();
	if (r == 0)
		r = fail(c, sonde_perf_writer_open(c->to, out, &how));
	if (r == 0)
		r = add_events(c);
	if (r == 0)
		r = add_meta(c);
	if (r == 0)
		r = put_tracing_data(c, im);
	return r == 0 ? put_kernel(c) : r;
}

int cross_to_perfdata(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts)
{
	struct crossing c = { .handle = handle,
			      .trace = sonde_trace_new(),
			      .to = sonde_perf_writer_new(),
			      .record = malloc(RECORD_BYTES_MAX + 8) };
	int r = c.trace && c.to && c.record ? cross_open(c.trace, im, in, &handle->err) : err_nomem(&handle->err);

	if (r == 0) {
		c.samples = calloc(sonde_trace_evsel_count(c.trace) + 1, sizeof(*c.samples));
		r = c.samples ? begin(&c, im, out, opts) : err_nomem(&handle->err);
	}
	if (r == 0)
		r = cross_walk(handle, c.trace, take_event, &c);
	if (r == 0)
		r = fail(&c, sonde_perf_writer_finish(c.to));
	sonde_perf_writer_free(c.to);
	sonde_trace_free(c.trace);
	free(c.samples);
	free(c.record);
	image_close(im);
	return r;
}

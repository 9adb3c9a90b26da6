/* SPDX-License-Identifier: MIT */
#include "record/perf/describe.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "record/host/build_id.h"
#include "record/host/host.h"
#include "record/perf/tracing_data.h"

/* The ids of one event, in the order of its threads and CPUs. */
static int list_ids(struct sonde_perf_recorder *r, size_t event, struct sonde_evsel *s)
{
	size_t from = counters_cell(&r->counters, event, 0, 0), to = counters_cell(&r->counters, event + 1, 0, 0);
	uint64_t *ids = arena_calloc(&r->arena, to - from, sizeof(*ids));

	if (!ids)
		return -SONDE_NOMEM;
	for (size_t cell = from; cell < to; cell++)
		if (r->counters.fds[cell] >= 0)
			ids[s->nr_ids++] = r->counters.ids[cell];
	s->ids = ids;
	return 0;
}

static int describe_events(struct sonde_perf_recorder *r)
{
	size_t n = r->events.n;
	struct event_desc *descs = arena_calloc(&r->arena, n, sizeof(*descs));
	struct sonde_attr *attrs = arena_calloc(&r->arena, n, sizeof(*attrs));

	r->evsels = arena_calloc(&r->arena, n, sizeof(*r->evsels));
	if (!descs || !attrs || !r->evsels)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &r->events.at[i];
		struct sonde_evsel *s = &r->evsels[i];

		attrs[i] = e->off_cpu ? off_cpu_stored_attr(&e->attr) : e->attr;
		*s = (struct sonde_evsel){ .index = (uint32_t)i, .name = e->name, .attr = &attrs[i], .unit = e->unit,
					    .scale = e->scale, .leader = e->leader };
		if (list_ids(r, i, s) < 0)
			return -SONDE_NOMEM;
		descs[i] = (struct event_desc){
			.attr = attrs[i], .name = e->name, .ids = s->ids, .nr_ids = s->nr_ids
		};
	}
	r->meta.event_descs = descs;
	r->meta.nr_event_descs = n;
	meta_has(&r->meta, SONDE_FEAT_EVENT_DESC);
	return 0;
}

static int describe_groups(struct sonde_perf_recorder *r)
{
	struct sonde_group_desc *groups = arena_calloc(&r->arena, r->events.n, sizeof(*groups));
	size_t nr = 0;

	if (!groups)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < r->events.n; i++) {
		const struct event *e = &r->events.at[i];

		if (e->leader == i && e->group)
			groups[nr++] = (struct sonde_group_desc){ *e->group ? e->group : "{anon_group}", (uint32_t)i,
								  1 };
		else if (e->leader != i)
			groups[nr - 1].nr_members++;
	}
	r->meta.groups = groups;
	r->meta.nr_groups = nr;
	if (nr)
		meta_has(&r->meta, SONDE_FEAT_GROUP_DESC);
	return 0;
}

static int describe_cmdline(struct sonde_perf_recorder *r)
{
	const struct sonde_perf_recorder_opts *o = &r->opts;
	const char **words = arena_calloc(&r->arena, o->file.nr_cmdline, sizeof(*words));

	if (!words)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < o->file.nr_cmdline; i++)
		if (!(words[i] = arena_strndup(&r->arena, o->file.cmdline[i], strlen(o->file.cmdline[i]))))
			return -SONDE_NOMEM;
	r->meta.cmdline = words;
	r->meta.nr_cmdline = o->file.nr_cmdline;
	if (o->file.nr_cmdline)
		meta_has(&r->meta, SONDE_FEAT_CMDLINE);
	return 0;
}

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) < 0 ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The wall clock and the clock of the time stamps at one moment, so that readers can print dates. */
static void describe_clock(struct sonde_perf_recorder *r)
{
	struct meta *m = &r->meta;
	struct timespec t;

	if (r->opts.clock != SONDE_CLOCK_ID || clock_getres(r->opts.clock_id, &t) < 0)
		return;
	m->clockid_res_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	m->clock_data.clockid = (uint32_t)r->opts.clock_id;
	m->clock_data.tod_ns = nanoseconds(CLOCK_REALTIME);
	m->clock_data.clockid_ns = nanoseconds(r->opts.clock_id);
	meta_has(m, SONDE_FEAT_CLOCKID);
	meta_has(m, SONDE_FEAT_CLOCK_DATA);
}

static int describe_tracepoints(struct sonde_perf_recorder *r)
{
	struct sonde_raw_feature *raw = arena_calloc(&r->arena, 1, sizeof(*raw));
	struct buf blob = BUF_MEMORY;
	bool any = false;
	int e;

	for (size_t i = 0; i < r->events.n; i++)
		any |= r->events.at[i].system != NULL;
	if (!any)
		return 0;
	blob.err = &r->err;
	e = tracing_data_make(&blob, &r->events, r->roots.tracefs, &r->err);
	if (e == 0 && raw) {
		*raw = (struct sonde_raw_feature){ .id = SONDE_FEAT_TRACING_DATA, .file_offset = SONDE_NONE };
		raw->payload.p = arena_memdup(&r->arena, blob.p, blob.n);
		raw->payload.len = blob.n;
		if (!raw->payload.p)
			e = err_nomem(&r->err);
		r->meta.raw = raw;
		r->meta.nr_raw = 1;
		meta_has(&r->meta, SONDE_FEAT_TRACING_DATA);
	}
	buf_free(&blob);
	return e;
}

int describe_start(struct sonde_perf_recorder *r)
{
	int e;

	host_describe(&r->meta, &r->arena, r->roots.sysfs, "/proc");
	describe_clock(r);
	if (r->opts.file.readers) {       /* records are in data.0, data.1 ..., too */
		r->meta.dir_version = 1;
		meta_has(&r->meta, SONDE_FEAT_DIR_FORMAT);
	}
	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			meta_has(&r->meta, SONDE_FEAT_BRANCH_STACK);
	if (describe_events(r) < 0 || describe_groups(r) < 0 || describe_cmdline(r) < 0)
		return err_nomem(&r->err);
	e = describe_tracepoints(r);
	return e < 0 ? e : 0;
}

/* The size of a build id in @out: the recorded one, else that of the file as it is now. */
static uint8_t binary_build_id(const struct record_stats_binary *b, uint8_t out[BUILD_ID_MAX])
{
	if (b->build_id_size) {
		memcpy(out, b->build_id, b->build_id_size);
		return b->build_id_size;
	}
	return strcmp(b->name, "[vdso]") ? build_id_of_file(b->name, out) : build_id_of_vdso(out);
}

static int describe_build_ids(struct sonde_perf_recorder *r, struct meta *out)
{
	struct sonde_build_id *list = arena_calloc(&r->arena, r->record_stats.binaries.n + 1, sizeof(*list));
	size_t nr = 0;

	if (!list)
		return err_nomem(&r->err);
	list[nr] = (struct sonde_build_id){ .pid = -1, .cpumode = PERF_RECORD_MISC_KERNEL, .sized = true,
					    .filename = "[kernel.kallsyms]" };
	list[nr].size = build_id_of_kernel(list[nr].id);
	nr += list[nr].size > 0;
	for (size_t i = 0; i < r->record_stats.binaries.n; i++) {
		const struct record_stats_binary *b = &r->record_stats.binaries.at[i];

		list[nr] = (struct sonde_build_id){ .pid = -1, .cpumode = PERF_RECORD_MISC_USER, .sized = true,
						    .filename = b->name };
		list[nr].size = binary_build_id(b, list[nr].id);
		nr += list[nr].size > 0;
	}
	out->build_ids = list;
	out->nr_build_ids = nr;
	if (nr)
		meta_has(out, SONDE_FEAT_BUILD_ID);
	return 0;
}

int describe_bpf_programs(struct sonde_perf_recorder *r, struct meta *out)
{
	struct bpf_programs *b = &r->bpf;

	if (!r->opts.side.no_bpf_events && bpf_programs_gather(b) < 0)
		return err_nomem(&r->err);
	out->bpf_progs = b->progs.at;
	out->nr_bpf_progs = b->progs.n;
	out->btfs = b->btfs.at;
	out->nr_btfs = b->btfs.n;
	meta_set(out, SONDE_FEAT_BPF_PROG_INFO, b->progs.n > 0);
	meta_set(out, SONDE_FEAT_BPF_BTF, b->btfs.n > 0);
	return 0;
}

int describe_end(struct sonde_perf_recorder *r, struct meta *out)
{
	int e;

	if (r->record_stats.time_first <= r->record_stats.time_last) {
		out->sample_time_first = r->record_stats.time_first;
		out->sample_time_last = r->record_stats.time_last;
		meta_has(out, SONDE_FEAT_SAMPLE_TIME);
	}
	/* Programs that were loaded meanwhile, too. */
	e = describe_bpf_programs(r, out);
	return e < 0 || r->opts.file.no_build_ids ? e : describe_build_ids(r, out);
}

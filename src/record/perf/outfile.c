/* SPDX-License-Identifier: MIT */
#include "record/perf/outfile.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/host/binary_cache.h"
#include "record/host/host.h"
#include "record/perf/describe.h"
#include "record/perf/event_attr.h"
#include "record/perf/losses.h"
#include "record/perf/preamble.h"

#define FINISHED_ROUND 68
#define NAME_BYTES     4096
#define LIVE_BYTES     (UINT64_C(64) << 20)  /* of records that wait for the program's function */

/* Offset of the time in samples, if it is the same for all events. */
static size_t time_offset(const struct events *list)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	uint64_t type = list->at[0].attr.sample_type & (before | PERF_SAMPLE_TIME);

	for (size_t i = 1; i < list->n; i++)
		if ((list->at[i].attr.sample_type & (before | PERF_SAMPLE_TIME)) != type)
			return 0;
	return type & PERF_SAMPLE_TIME ? 8 + 8 * (size_t)__builtin_popcountll(type & before) : 0;
}

static int prepare_record_stats(struct sonde_perf_recorder *r, struct record_stats *t)
{
	t->time_at = time_offset(&r->events);
	t->time_first = UINT64_MAX;
	t->nr_rings = 2 * r->rings.nr;
	t->binaries_wanted = !r->opts.file.no_build_ids;
	t->lost_by_ring = calloc(t->nr_rings, sizeof(*t->lost_by_ring));
	if (!t->lost_by_ring)
		return err_nomem(&r->err);
	for (size_t e = 0; e < r->events.n; e++)
		for (size_t th = 0; th < r->target.tids.n; th++)
			for (size_t n = 0; n < r->target.cpus.n; n++) {
				size_t cell = counters_cell(&r->counters, e, th, n);

				if (r->counters.fds[cell] >= 0 &&
				    u64map_set(&t->ring_of_id, r->counters.ids[cell],
					       (uint32_t)ring_set_index(&r->rings, e, th, n)) < 0)
					return err_nomem(&r->err);
			}
	return 0;
}

static int prepare_off_cpu(struct sonde_perf_recorder *r)
{
	const struct sonde_attr *first = &r->events.at[0].attr;
	struct off_cpu *o = &r->off_cpu;

	o->threshold_ns = r->opts.off_cpu_threshold_ns ? r->opts.off_cpu_threshold_ns : OFF_CPU_THRESHOLD_NS;
	o->sample_time_at = r->record_stats.time_at;
	o->trailer_bytes = attr_trailer_bytes(first);
	for (size_t i = 0; i < r->events.n; i++) {
		if (!r->events.at[i].off_cpu)
			continue;
		off_cpu_set_attr(o, &r->events.at[i].attr);
		for (size_t k = 0; k < r->evsels[i].nr_ids; k++)
			if (u64map_set(&o->ids, r->evsels[i].ids[k], 0) < 0)
				return err_nomem(&r->err);
	}
	return 0;
}

int outfile_mark(struct sonde_perf_recorder *r)
{
	const struct perf_event_header h = { .type = FINISHED_ROUND, .size = sizeof(h) };

	return write_queue_put(&r->queue, &h, sizeof(h));
}

/* The threads of opts.readers, each with a file beside `data`. The memory of one queue is for all of them. */
static int start_readers(struct sonde_perf_recorder *r, recorder_sink make_sink)
{
	const struct cpus *recorded = r->target.measured.n ? &r->target.measured : &r->target.cpus;
	struct reader_plan plan = { 0 };
	uint64_t share;
	int e;

	if (r->rings.by_thread)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "readers have the rings of CPUs: a ring of a thread has none");
	e = reader_plan_parse(&plan, r->opts.file.readers, recorded, r->roots.sysfs, &r->err);
	if (e == 0)
		e = readers_prepare(&r->readers, &plan, &r->rings, r->stop_fd, &r->err);
	share = write_queue_share(&r->queue, plan.n + 1);
	vec_free(&plan);
	for (size_t i = 0; e == 0 && i < r->readers.nr; i++) {
		struct ring_reader *one = &r->readers.at[i];
		char path[NAME_BYTES];

		if (snprintf(path, sizeof(path), "%s.%zu", r->outdir.data, i) >= (int)sizeof(path))
			return err_sys(&r->err, ENAMETOOLONG, "cannot write %.80s...", path);
		if ((e = prepare_record_stats(r, &one->record_stats)) < 0 ||
		    (e = make_sink(&r->opts, path, &one->sink, &r->err)) < 0 ||
		    (e = reader_start(one, share, &r->err)) < 0)
			return e;
	}
	return e;
}

int outfile_open(struct sonde_perf_recorder *r, recorder_sink make_sink)
{
	int e = prepare_record_stats(r, &r->record_stats);

	if (e < 0 || (e = describe_start(r)) < 0)
		return e;
	if (r->opts.switching.switch_output) {
		const char *path = r->opts.output ? r->opts.output : "perf.data";

		r->outfile.path = arena_strndup(&r->arena, path, strlen(path));
		r->outfile.make_sink = make_sink;
		if (!r->outfile.path)
			return err_nomem(&r->err);
	}
	if (r->opts.file.kcore || r->opts.file.readers) {
		e = outdir_make(&r->outdir, r->opts.output ? r->opts.output : "perf.data",
				r->opts.file.kcore ? r->procfs : NULL, &r->arena, &r->err);
		if (e < 0)
			return e;
		r->opts.output = r->outdir.data;
	}
	e = make_sink(&r->opts, NULL, &r->sink, &r->err);
	if (e < 0 || (e = write_queue_start(&r->queue, r->sink, &r->record_stats, r->rings.bytes, &r->err)) < 0)
		return e;
	if (r->opts.file.binary_cache) {
		r->binary_cache = binary_cache_new(r->opts.file.binary_cache, &r->err);
		if (!r->binary_cache)
			return -(int)r->err.code;
		r->queue.map_ids.cache = r->binary_cache;
	}
	if (r->live)
		write_queue_limit(&r->queue, LIVE_BYTES);
	else if (r->opts.rings.queue_bytes)
		write_queue_limit(&r->queue, r->opts.rings.queue_bytes);
	if (r->opts.file.readers && (e = start_readers(r, make_sink)) < 0)
		return e;
	if (!r->opts.off_cpu)
		return 0;
	r->queue.off_cpu = &r->off_cpu;
	return prepare_off_cpu(r);
}

static int start_sink(struct sonde_perf_recorder *r)
{
	int e;

	bpf_programs_free(&r->bpf);  /* those of the file before */
	e = describe_bpf_programs(r, &r->meta);
	return e < 0 ? e : r->sink->ops->start(r->sink, r->evsels, r->events.n, &r->meta, &r->err);
}

int outfile_start(struct sonde_perf_recorder *r)
{
	int e = start_sink(r);

	/* Readers take a file without records for a failed recording: write one at once. */
	if (e == 0 && ((e = outfile_mark(r)) < 0 || (e = write_queue_flush(&r->queue)) < 0))
		e = write_queue_finish(&r->queue, &r->err);
	return e;
}

/* ---- the tasks that exist ---- */

static int pause_synthesis(void *ctx)
{
	struct sonde_perf_recorder *r = ctx;
	ssize_t n = ring_set_drain(&r->rings, &r->queue, true);

	return n < 0 ? (int)n : write_queue_flush(&r->queue);
}

static bool synth_wanted(const struct sonde_perf_recorder *r, enum sonde_synth what)
{
	return !r->opts.side.synth || r->opts.side.synth & what;
}

int outfile_describe(struct sonde_perf_recorder *r)
{
	const struct sonde_attr *first = &r->events.at[0].attr, *last = &r->events.at[r->events.n - 1].attr;
	struct synth s = {
		.queue = &r->queue,
		/* The id 0 stands for the first event. */
		.trailer_bytes = attr_trailer_bytes(first),
		.data_maps = last->flags & ATTR_MMAP_DATA,
		.no_tasks = !synth_wanted(r, SONDE_SYNTH_TASKS), .no_maps = !synth_wanted(r, SONDE_SYNTH_MAPS),
		.namespaces = last->flags & ATTR_NAMESPACES, .pause = pause_synthesis, .ctx = r,
	};
	bool hidden = false;
	int e = preamble_put(r);

	if (e == 0)
		e = synth_kernel(&s, &hidden);
	if (e == 0)
		e = synth_bpf_programs(&s, &r->bpf);
	if (e == 0 && r->opts.side.all_cgroups && synth_wanted(r, SONDE_SYNTH_CGROUPS)) {
		e = synth_cgroups(&s);
		if (e == -SONDE_MISSING) {
			messenger_say(&r->messenger,
				      "existing control groups will have no names: no cgroup file system is "
				      "mounted");
			e = 0;
		}
	}
	if (hidden && !(first->flags & SONDE_ATTR_EXCLUDE_KERNEL))
		messenger_say(
			&r->messenger,
			"kernel.kptr_restrict hides the addresses of the kernel: its functions will have no names");
	/* A command that waits for its exec has no mappings yet. */
	if (e == 0 && !(s.no_tasks && s.no_maps) &&
	    (r->target.system_wide || r->opts.target.nr_pids || r->opts.target.nr_tids || r->opts.target.of_user ||
	     r->child.started))
		e = synth_tasks(&s, &r->target.pids, r->outfile.nr_switched > 0);
	return e < 0 ? e : preamble_end(r);
}

/* ---- the end of a file ---- */

/* The readers have ended: their counts go to those of the file. */
static void add_readers(struct sonde_perf_recorder *r)
{
	struct record_stats *t = &r->record_stats;

	for (size_t i = 0; i < r->readers.nr; i++) {
		const struct ring_reader *one = &r->readers.at[i];
		const struct record_stats *o = &one->record_stats;

		t->samples += o->samples;
		t->lost += o->lost;
		t->throttled += o->throttled;
		t->time_first = o->time_first < t->time_first ? o->time_first : t->time_first;
		t->time_last = o->time_last > t->time_last ? o->time_last : t->time_last;
		for (size_t k = 0; k < o->nr_rings; k++)
			t->lost_by_ring[k] += o->lost_by_ring[k];
		r->stats.bytes += one->sink ? one->sink->bytes : 0;
		r->stats.wakeups += one->wakeups;
	}
}

/* Counts of the file at hand go to those of the recording. */
static void add_counts(struct sonde_perf_recorder *r)
{
	r->stats.samples += r->record_stats.samples;
	r->stats.lost += r->record_stats.lost;
	r->stats.throttled += r->record_stats.throttled;
	r->stats.bytes += r->sink->bytes;
}

static int finish_sink(struct sonde_perf_recorder *r, bool unfinished)
{
	struct meta meta = { 0 };
	int e = describe_end(r, &meta);

	if (unfinished)              /* the last records are missing, and the file says so */
		meta_has(&meta, SONDE_FEAT_UNFINISHED);
	if (e == 0)
		e = r->sink->ops->finish(r->sink, &meta, &r->err);
	add_counts(r);
	return e;
}

/* "perf.data.2026112210213912": perf's name. Two files of the same hundredth of a second get different ones. */
static int stamped_name(char out[NAME_BYTES], const char *path)
{
	struct timespec now;
	char date[32];
	struct tm tm;
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	do {
		localtime_r(&now.tv_sec, &tm);
		strftime(date, sizeof(date), "%Y%m%d%H%M%S", &tm);
		n = snprintf(out, NAME_BYTES, "%s.%s%02ld", path, date, now.tv_nsec / 10000000);
		now.tv_nsec += 10000000;
		now.tv_sec += now.tv_nsec / 1000000000;
		now.tv_nsec %= 1000000000;
	} while (n < NAME_BYTES && access(out, F_OK) == 0);
	return n < NAME_BYTES ? 0 : -ENAMETOOLONG;
}

/* Keeps the newest files only. */
static int forget_oldest(struct sonde_perf_recorder *r, const char *name)
{
	struct outfile *o = &r->outfile;
	char *copy;

	if (!r->opts.switching.switch_max_files)
		return 0;
	copy = strdup(name);
	if (!copy || vec_push(&o->files, copy) < 0) {
		free(copy);
		return err_nomem(&r->err);
	}
	if (o->files.n <= r->opts.switching.switch_max_files)
		return 0;
	unlink(o->files.at[0]);
	free(o->files.at[0]);
	memmove(o->files.at, o->files.at + 1, --o->files.n * sizeof(*o->files.at));
	return 0;
}

/* The finished file gets its name. */
static int put_away(struct sonde_perf_recorder *r)
{
	char name[NAME_BYTES];
	int e = stamped_name(name, r->outfile.path);

	if (e == 0 && rename(r->outfile.path, name) < 0)
		e = -errno;
	if (e < 0)
		return err_sys(&r->err, -e, "cannot rename %s", r->outfile.path);
	r->outfile.nr_switched++;
	if (r->opts.calls.switched)
		r->opts.calls.switched(r->opts.calls.ctx, name);
	return forget_oldest(r, name);
}

int outfile_switch(struct sonde_perf_recorder *r)
{
	struct sonde_perf_recorder_opts opts = r->opts;
	int e = r->opts.side.tail_synthesis ? outfile_describe(r) : 0;

	opts.output = r->outfile.path;
	if (e < 0 || (e = write_queue_wait(&r->queue)) < 0 || (e = write_queue_end_file(&r->queue, &r->err)) < 0 ||
	    (e = finish_sink(r, false)) < 0)
		return e;
	r->sink->ops->free(r->sink);
	r->sink = NULL;
	if ((e = put_away(r)) < 0 || (e = r->outfile.make_sink(&opts, NULL, &r->sink, &r->err)) < 0)
		return e;
	record_stats_restart(&r->record_stats);
	write_queue_redirect(&r->queue, r->sink);
	r->outfile.began_at = write_queue_bytes(&r->queue);
	if ((e = start_sink(r)) < 0 || (e = outfile_mark(r)) < 0)
		return e;
	return r->opts.side.tail_synthesis ? 0 : outfile_describe(r);
}

uint64_t outfile_bytes(struct sonde_perf_recorder *r)
{
	return write_queue_bytes(&r->queue) - r->outfile.began_at + readers_bytes(&r->readers);
}

static void finish_copies(struct sonde_perf_recorder *r)
{
	struct sonde_error err = { 0 };
	size_t n = binary_cache_finish(r->binary_cache, &err);

	if (n)
		messenger_say(&r->messenger, "%zu %s not copied: %s", n, n == 1 ? "binary was" : "binaries were",
			      err.text);
}

/* Their names are lost with the container, unless somebody keeps them. Of several files the first one says so. */
static void tell_hidden(struct sonde_perf_recorder *r, struct map_ids_lost *hidden)
{
	const char *name = hidden->first ? hidden->first : "";

	if (hidden->nr == 1)
		messenger_say(&r->messenger, "%s is in a container or was deleted: --buildid-cache keeps a copy for "
			      "its names", name);
	else if (hidden->nr)
		messenger_say(&r->messenger, "%zu binaries are in containers or were deleted, such as %s: "
			      "--buildid-cache keeps copies for their names", hidden->nr, name);
	hidden->nr = 0;
}

static void tell_gone(struct sonde_perf_recorder *r, struct map_ids_lost *gone)
{
	const char *name = gone->first ? gone->first : "";

	if (gone->nr == 1)
		messenger_say(&r->messenger, "%s was gone before it could be read: its functions have no names", name);
	else if (gone->nr)
		messenger_say(&r->messenger, "%zu binaries were gone before they could be read, such as %s: their "
			      "functions have no names", gone->nr, name);
	gone->nr = 0;
}

int outfile_finish(struct sonde_perf_recorder *r)
{
	int e = readers_finish(&r->readers, &r->err), late = write_queue_finish(&r->queue, &r->err);

	finish_copies(r);
	tell_hidden(r, &r->queue.map_ids.hidden);
	tell_gone(r, &r->queue.map_ids.gone);
	e = e < 0 ? e : late;
	add_readers(r);
	if (!r->sink)                /* the next file could not be made */
		return e < 0 ? e : -(int)r->err.code;
	if (e == 0)
		e = write_queue_end_file(&r->queue, &r->err);
	if (e == 0)
		e = losses_account(r);
	late = finish_sink(r, e < 0);
	if (late == 0 && r->opts.switching.switch_output)
		late = put_away(r);
	return e < 0 ? e : late;
}

void outfile_forget(struct sonde_perf_recorder *r)
{
	for (size_t i = 0; i < r->outfile.files.n; i++)
		free(r->outfile.files.at[i]);
	vec_free(&r->outfile.files);
}

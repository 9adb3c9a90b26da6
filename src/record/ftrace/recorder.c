/* SPDX-License-Identifier: MIT */
#include "record/ftrace/recorder.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/opts.h"
#include "base/thread.h"

#define TICK_MS 500                  /* nothing waits longer to be in the file */
#define WORKERS_MAX 16
#define TURN_BYTES (4u << 20)        /* from one CPU before the others have their turn */

/* A thread that empties the rings of some CPUs. */
struct ftrace_worker {
	struct sonde_ftrace_recorder *t;
	size_t first;                /* its readers: first, first + nr_workers, ... */
	struct page_carrier carrier; /* of all of them */
	pthread_t thread;
	bool started;
	struct sonde_error err;
};

/* ---- opening ---- */

struct ftrace_instance *ftrace_current(struct sonde_ftrace_recorder *t)
{
	if (t->instances.n == 0 && vec_push(&t->instances, ((struct ftrace_instance){ .name = "" })) < 0)
		return NULL;
	return &t->instances.at[t->instances.n - 1];
}

int ftrace_check_opts(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts)
{
	struct sonde_error *err = &t->err;

	if (t->opened)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the recorder was opened before");
	t->opened = true;
	if (t->stop_fd < 0 || t->end_fd < 0 || t->failed_fd < 0)
		return err_set(err, SONDE_SYSTEM, SONDE_NONE, "cannot make an eventfd");
	if (OPTS_CHECK(sonde_ftrace_recorder_opts, opts, err) < 0)
		return -SONDE_USAGE;
	memcpy(&t->opts, opts, opts->sz < sizeof(t->opts) ? opts->sz : sizeof(t->opts));
	t->messenger = (struct messenger){ t->opts.message, t->opts.ctx };
	if (!t->opts.file_version)
		t->opts.file_version = 7;
	if (!t->opts.output)
		t->opts.output = "trace.dat";
	if (t->opts.file_version != 6 && t->opts.file_version != 7)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no version %u of trace.dat, but 6 and 7",
			       t->opts.file_version);
	if (!t->tracefs)
		return err_set(err, SONDE_MISSING, SONDE_NONE, TRACEFS_NOT_MOUNTED);
	return 0;
}

int ftrace_open_readers(struct sonde_ftrace_recorder *t)
{
	size_t n = 0, failed = 0;
	int last = 0;

	for (size_t i = 0; i < t->instances.n; i++)
		n += t->instances.at[i].cpus.n;
	t->readers = calloc(n ? n : 1, sizeof(*t->readers));
	if (!t->readers)
		return err_nomem(&t->err);
	for (size_t i = 0; i < t->instances.n; i++)
		for (size_t c = 0; c < t->instances.at[i].cpus.n; c++) {
			const struct ftrace_instance *in = &t->instances.at[i];
			struct buffer_reader *r = &t->readers[t->nr_readers];
			int e;

			*r = PAGE_READER_NONE;
			r->sink = t->sink;
			r->buffer = i;
			r->cpu_index = c;
			r->page_size = in->page_size;
			e = page_reader_open(r, in->dir, in->cpus.at[c], t->opts.reader);
			if (e == 0) {
				t->nr_readers++;
				continue;
			}
			page_reader_close(r);
			last = e;
			if (failed++ == 0)
				messenger_say(&t->messenger, "the ring buffer of CPU %d cannot be read: %s",
					      in->cpus.at[c], strerror(-e));
		}
	if (t->nr_readers == 0)
		return err_sys(&t->err, -last, "no ring buffer can be read%s",
			       t->opts.reader == SONDE_FTRACE_MAPPED ? " as mapped memory" : "");
	t->stats.nr_cpus = (uint32_t)t->nr_readers;
	return 0;
}

/* The threads that are to be followed; none: everybody. */
static int find_tasks(struct sonde_ftrace_recorder *t, struct cpus *tids)
{
	const struct sonde_ftrace_recorder_opts *o = &t->opts;

	if (o->all_cpus)
		return 0;
	if (t->child.pid > 0 && !o->nr_pids && vec_push(tids, (int32_t)t->child.pid) < 0)
		return err_nomem(&t->err);
	for (size_t i = 0; i < o->nr_pids; i++) {
		struct names all = { 0 };
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/task", o->pids[i]);
		if (sysfile_list(&t->arena, path, &all) < 0)
			return err_set(&t->err, SONDE_MISSING, SONDE_NONE, "there is no process %d", o->pids[i]);
		for (size_t k = 0; k < all.n; k++)
			if (vec_push(tids, (int32_t)strtol(all.at[k], NULL, 10)) < 0)
				return err_nomem(&t->err);
		vec_free(&all);
	}
	return 0;
}

static int start_child(struct sonde_ftrace_recorder *t)
{
	const char *const *argv = t->opts.command;

	if (!argv)
		return 0;
	if (!argv[0])
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "the command is empty");
	t->command_name = arena_strndup(&t->arena, argv[0], strlen(argv[0]));
	return t->command_name ? child_prepare(&t->child, argv, false, &t->err) : err_nomem(&t->err);
}

static int configure(struct sonde_ftrace_recorder *t)
{
	struct cpus tids = { 0 };
	int e = find_tasks(t, &tids);

	for (size_t i = 0; i < t->instances.n && e == 0; i++) {
		e = ftrace_instance_create(&t->instances.at[i], &t->arena, t->tracefs, &t->err);
		if (e == 0)
			e = ftrace_instance_configure(&t->instances.at[i], &t->opts, &tids, &t->messenger, &t->err);
	}
	vec_free(&tids);
	return e;
}

/* A ring of each CPU, and a pipe of each thread. */
static size_t files_needed(const struct sonde_ftrace_recorder *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->instances.n; i++)
		n += t->instances.at[i].cpus.n;
	return n + 2 * WORKERS_MAX;
}

static int begin_file(struct sonde_ftrace_recorder *t, ftrace_sink make_sink, bool all_events)
{
	struct ftrace_meta *meta = &t->meta;
	int e = ftrace_meta_make(meta, t->instances.at, t->instances.n, t->tracefs, all_events, &t->messenger, &t->err);

	if (e < 0)
		return e;
	if (names_start(&t->names, "/sys", files_needed(t)) < 0)
		return err_nomem(&t->err);
	if (t->names.too_many)
		messenger_say(&t->messenger, "tasks that are there for a moment only may have no name: "
			      "for those %zu files would have to be open (ulimit -n)", t->names.too_many);
	meta->names = BUF_MEMORY;
	names_text(&t->names, &meta->names);
	t->names.fresh.n = 0;
	if (meta->names.failed)
		return err_nomem(&t->err);
	meta->page.cmdlines = (struct sonde_str){ meta->names.p, meta->names.n };
	e = make_sink(t->opts.output, (int)t->opts.file_version, t->opts.compression, &t->sink, &t->err);
	return e < 0 ? e : t->sink->ops->start(t->sink, &meta->page, &t->err);
}

static int open_all(struct sonde_ftrace_recorder *t, ftrace_sink make_sink)
{
	int e;

	if (!ftrace_current(t))
		return err_nomem(&t->err);
	for (size_t i = 0; i < t->instances.n; i++)
		t->stats.nr_events += (uint32_t)t->instances.at[i].events.n;
	for (size_t i = 0; i < t->instances.n; i++)
		if (!t->stats.nr_events && !t->instances.at[i].tracer)
			return err_set(&t->err, SONDE_USAGE, SONDE_NONE,
				       "nothing is to be recorded: name events or a tracer");
	/* instances first: they may use the probes */
	ftrace_remove_leftovers(t->tracefs, &t->messenger);
	probe_remove_leftovers(t->tracefs, &t->messenger);
	e = start_child(t);
	/* each CPU needs some files, and there may be 512 of them */
	if (e == 0 && t->opts.more_files)
		t->opts.more_files(t->opts.ctx);
	if (e == 0)
		e = configure(t);
	if (e == 0)
		e = begin_file(t, make_sink, false);
	if (e == 0)
		e = ftrace_open_readers(t);
	t->stats.buffer_kb = t->instances.at[0].buffer_kb;
	return e;
}

static void remove_instances(struct sonde_ftrace_recorder *t)
{
	for (size_t i = 0; i < t->nr_readers; i++)
		page_reader_close(&t->readers[i]);
	t->nr_readers = 0;
	for (size_t i = 0; i < t->instances.n; i++)
		ftrace_instance_remove(&t->instances.at[i], &t->messenger);
}

/* Nothing was recorded: the old file is back, and the new one is gone. */
static void give_up(struct sonde_ftrace_recorder *t)
{
	child_finish(&t->child);
	remove_instances(t);
	if (t->sink)
		t->sink->ops->discard(t->sink);
}

int ftrace_recorder_open(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts,
			 ftrace_sink make_sink)
{
	int e = ftrace_check_opts(t, opts);

	if (e == 0)
		e = open_all(t, make_sink);
	if (e < 0)
		give_up(t);
	t->ready = e == 0;
	return e;
}

/* ---- the threads ---- */

/* The kernel wakes a poll once a buffer is as full as its buffer_percent says. */
static int wait_for_pages(struct ftrace_worker *w, struct pollfd *fds, nfds_t nr)
{
	int r = poll(fds, nr, atomic_load(&w->t->ending) ? 0 : TICK_MS);

	return r < 0 && errno != EINTR ? err_sys(&w->err, errno, "cannot wait for the ring buffers") : r;
}

static int work(struct ftrace_worker *w, struct pollfd *fds, nfds_t nr)
{
	struct sonde_ftrace_recorder *t = w->t;
	bool tail = false;

	while (1) {
		bool ending = atomic_load(&t->ending);
		uint64_t moved = 0;
		int ready;

		for (size_t i = w->first; i < t->nr_readers; i += t->nr_workers) {
			ssize_t n = page_reader_take(&t->readers[i], tail || ending, TURN_BYTES, &w->err);

			if (n < 0)
				return (int)n;
			moved += (uint64_t)n;
		}
		if (moved && !tail)
			continue;
		if (ending && !moved)
			return 0;
		ready = wait_for_pages(w, fds, nr);
		if (ready < 0 && w->err.code)
			return ready;
		tail = ready == 0;   /* quiet for a while: what has not filled a page is taken too */
	}
}

static void *run_worker(void *arg)
{
	struct ftrace_worker *w = arg;
	struct sonde_ftrace_recorder *t = w->t;
	struct pollfd *fds = calloc(t->nr_readers + 1, sizeof(*fds));
	nfds_t nr = 0;

	if (t->opts.realtime_priority) {
		struct sched_param p = { .sched_priority = (int)t->opts.realtime_priority };

		pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	}
	if (fds) {
		for (size_t i = w->first; i < t->nr_readers; i += t->nr_workers)
			fds[nr++] = (struct pollfd){ .fd = t->readers[i].fd, .events = POLLIN };
		fds[nr++] = (struct pollfd){ .fd = t->end_fd, .events = POLLIN };
	}
	if (!fds || work(w, fds, nr) < 0) {
		if (!fds)
			err_nomem(&w->err);
		atomic_store(&t->failed, true);
		fd_wake(t->failed_fd);
	}
	free(fds);
	return NULL;
}

int ftrace_open_carrier(struct sonde_ftrace_recorder *t, struct page_carrier *c)
{
	uint32_t max_page = 0;

	*c = PAGE_CARRIER_NONE;
	for (size_t i = 0; i < t->instances.n; i++)
		if (max_page < t->instances.at[i].page_size)
			max_page = t->instances.at[i].page_size;
	if (page_carrier_open(c, max_page,
			      t->opts.reader != SONDE_FTRACE_MAPPED && t->opts.reader != SONDE_FTRACE_READ) < 0)
		return err_nomem(&t->err);
	return 0;
}

static int start_workers(struct sonde_ftrace_recorder *t)
{
	size_t n = t->nr_readers < WORKERS_MAX ? t->nr_readers : WORKERS_MAX;

	t->workers = calloc(n, sizeof(*t->workers));
	if (!t->workers)
		return err_nomem(&t->err);
	while (t->nr_workers < n)
		t->workers[t->nr_workers++].carrier = PAGE_CARRIER_NONE;
	for (size_t i = 0; i < n; i++) {
		struct ftrace_worker *w = &t->workers[i];
		int e;

		w->t = t;
		w->first = i;
		w->err.file_offset = SONDE_NONE;
		e = ftrace_open_carrier(t, &w->carrier);
		if (e < 0)
			return e;
		for (size_t k = i; k < t->nr_readers; k += n)
			t->readers[k].by = &w->carrier;
		e = thread_begin(&w->thread, run_worker, w);
		if (e)
			return err_sys(&t->err, e, "cannot start a thread");
		w->started = true;
	}
	return 0;
}

static int end_workers(struct sonde_ftrace_recorder *t)
{
	int e = 0;

	atomic_store(&t->ending, true);
	fd_wake(t->end_fd);
	for (size_t i = 0; i < t->nr_workers; i++) {
		struct ftrace_worker *w = &t->workers[i];

		if (w->started)
			pthread_join(w->thread, NULL);
		w->started = false;
		page_carrier_close(&w->carrier);
		if (w->err.code && !e) {
			if (!t->err.code)
				t->err = w->err;
			e = -(int)w->err.code;
		}
	}
	return e;
}

/* ---- running ---- */

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Its own system calls would make the recorder record its recording. */
static void leave_out_self(struct sonde_ftrace_recorder *t)
{
	struct names tids = { 0 };

	if (t->opts.include_self || (!t->opts.all_cpus && (t->opts.command || t->opts.nr_pids)))
		return;              /* it is others that are followed */
	if (sysfile_list(&t->arena, "/proc/self/task", &tids) == 0)
		for (size_t i = 0; i < t->instances.n; i++)
			ftrace_instance_leave_out(&t->instances.at[i], &tids);
	vec_free(&tids);
}

static int switch_on(struct sonde_ftrace_recorder *t, bool on)
{
	int e = 0;

	for (size_t i = 0; i < t->instances.n; i++) {
		int r = tracefs_write(t->instances.at[i].dir, "tracing_on", on ? "1" : "0", false);

		if (r < 0 && e == 0)
			e = err_sys(&t->err, -r, "cannot switch the tracing %s", on ? "on" : "off");
	}
	return e;
}

static int note_names(struct sonde_ftrace_recorder *t)
{
	struct thread_names *n = &t->names;
	int e = 0;

	if (names_poll(n) < 0)
		return err_nomem(&t->err);
	if (n->fresh.n)
		e = t->sink->ops->names(t->sink, (struct sonde_str){ n->fresh.p, n->fresh.n }, &t->err);
	n->fresh.n = 0;
	return e;
}

static void tell_progress(struct sonde_ftrace_recorder *t, uint64_t now, uint64_t *told_at)
{
	if (!t->opts.progress || now < *told_at + TICK_MS)
		return;
	*told_at = now;
	t->opts.progress(t->opts.ctx, __atomic_load_n(&t->sink->bytes, __ATOMIC_RELAXED));
}

static int wait_until_end(struct sonde_ftrace_recorder *t)
{
	struct pollfd fds[] = { { .fd = t->stop_fd, .events = POLLIN }, { .fd = t->failed_fd, .events = POLLIN },
				{ .fd = t->child.pidfd, .events = POLLIN } };
	uint64_t now = now_ms(), told_at = now, end = t->opts.duration_ms ? now + t->opts.duration_ms : UINT64_MAX;
	int e = 0, wait_ms;

	while (e == 0) {
		tell_progress(t, now, &told_at);
		e = note_names(t);
		if (t->opts.max_bytes && __atomic_load_n(&t->sink->bytes, __ATOMIC_RELAXED) >= t->opts.max_bytes)
			t->stats.full = true;
		now = now_ms();
		if (t->stats.full || atomic_load(&t->stopping) || atomic_load(&t->failed) || child_ended(&t->child) ||
		    now >= end)
			break;
		/* a limit is looked at more often: the disk may be fast */
		wait_ms = t->opts.max_bytes ? TICK_MS / 20 : TICK_MS;
		if (end - now < TICK_MS)
			wait_ms = (int)(end - now);
		if (poll(fds, ARRAY_SIZE(fds), wait_ms) < 0 &&
		    errno != EINTR)
			e = err_sys(&t->err, errno, "cannot wait");
	}
	return e;
}

static int finish_names(struct sonde_ftrace_recorder *t)
{
	struct buf saved = BUF_MEMORY;
	int e;

	if (tracefs_read(&saved, t->tracefs, "saved_cmdlines") < 0)
		saved.n = 0;
	buf_char(&saved, '\0');
	e = saved.failed ? -SONDE_NOMEM : names_complete(&t->names, (struct sonde_str){ saved.p, saved.n - 1 });
	buf_free(&saved);
	t->meta.names.n = 0;
	names_text(&t->names, &t->meta.names);
	t->meta.page.cmdlines = (struct sonde_str){ t->meta.names.p, t->meta.names.n };
	return e < 0 || t->meta.names.failed ? err_nomem(&t->err) : 0;
}

/* Always done, whatever went wrong before: what could be written is to be of use. */
static int finish(struct sonde_ftrace_recorder *t)
{
	bool failed = atomic_load(&t->failed);
	int e = ftrace_meta_finish(&t->meta, t->instances.at, t->instances.n, failed, &t->stats, &t->err), late;

	late = finish_names(t);
	if (late == 0)
		late = t->sink->ops->finish(t->sink, &t->meta.page, &t->err);
	t->stats.bytes = t->sink->bytes;
	t->stats.unwritten = t->sink->missing;
	t->stats.reader = t->readers[0].how;
	return e < 0 ? e : late;
}

int ftrace_recorder_start(struct sonde_ftrace_recorder *t)
{
	int e;

	if (!t->ready || t->started)
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
	t->started = true;
	e = start_workers(t);
	leave_out_self(t);
	return e < 0 ? e : switch_on(t, true);
}

int ftrace_recorder_run(struct sonde_ftrace_recorder *t)
{
	int e = 0, late;

	if (!t->ready)
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
	if (!t->started)
		e = ftrace_recorder_start(t);
	else
		leave_out_self(t);   /* this thread may be a new one */
	t->ready = false;
	if (e == 0)
		tell_progress(t, now_ms(), &(uint64_t){ 0 });
	if (e == 0 && t->child.pid > 0)
		e = child_start(&t->child, t->command_name, &t->err);
	if (e == 0)
		e = wait_until_end(t);
	late = switch_on(t, false);
	e = e < 0 ? e : late;
	late = end_workers(t);
	e = e < 0 ? e : late;
	if (e < 0 && t->child.pid > 0 && !t->child.started) {
		give_up(t);
		return e;
	}
	t->ran = true;
	late = finish(t);
	e = e < 0 ? e : late;
	remove_instances(t);
	child_finish(&t->child);
	t->stats.wait_status = t->child.pid > 0 ? t->child.status : -1;
	return e;
}

void ftrace_recorder_release(struct sonde_ftrace_recorder *t)
{
	end_workers(t);              /* of a recorder that was started and never run */
	if (!t->ran)
		give_up(t);
	for (size_t i = 0; i < t->instances.n; i++)
		ftrace_instance_free(&t->instances.at[i]);
	vec_free(&t->instances);
	for (size_t i = 0; i < t->probes.n; i++)
		probe_remove(&t->probes.at[i], t->tracefs);
	vec_free(&t->probes);
	if (t->sink)
		t->sink->ops->free(t->sink);
	free(t->readers);
	free(t->workers);
	names_free(&t->names);
	ftrace_meta_free(&t->meta);
	arena_free(&t->arena);
	for (int i = 0; i < 3; i++) {
		int fd = (int[]){ t->stop_fd, t->end_fd, t->failed_fd }[i];

		if (fd >= 0)
			close(fd);
	}
}

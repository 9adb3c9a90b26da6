/* SPDX-License-Identifier: MIT */
/*
 * self_profile.c - a program profiles itself
 *
 * The threads whose CPU time is sampled inherit that to the threads that they start. So one thread, which is left out,
 * starts all others of the library: that of the recorder's queue, and the one that decodes.
 */
#include <sonde/self_profile.h>

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sonde/export.h>
#include <sonde/perf_recorder.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/record/live.h"
#include "base/opts.h"
#include "base/thread.h"
#include "base/vec.h"
#include "record/perf/recorder.h"

#define FREQ_HZ     1000
#define MAX_FREQ_HZ 1000000

struct sonde_self_profile {
	struct sonde_self_profile_opts opts;
	struct sonde_error err;
	struct sonde_perf_recorder *recorder;
	struct live *live;
	struct sonde_profile *profile;
	VEC(int32_t) tids;           /* to sample */
	pthread_t thread;
	bool running;                /* the thread has to be joined */
	pthread_mutex_t lock;        /* of `begun` */
	pthread_cond_t changed;
	bool begun;                  /* or failed */
};

static void begin(struct sonde_self_profile *p)
{
	pthread_mutex_lock(&p->lock);
	p->begun = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Called by the recorder when it has begun. */
static void recording(void *ctx, uint64_t bytes)
{
	(void)bytes;
	begin(ctx);
}

static int gather(void *ctx, struct live *l)
{
	struct sonde_self_profile *p = ctx;

	return sonde_profile_add(p->profile, live_trace(l), NULL);
}

/* The threads of this process but the calling one. */
static int other_threads(struct sonde_self_profile *p)
{
	DIR *dir = opendir("/proc/self/task");
	int32_t own = (int32_t)syscall(SYS_gettid);
	const struct dirent *d;
	int e = 0;

	if (!dir)
		return err_sys(&p->err, errno, "cannot read /proc/self/task");
	while (e == 0 && (d = readdir(dir))) {
		int32_t tid = (int32_t)strtol(d->d_name, NULL, 10);

		if (tid > 0 && tid != own && vec_push(&p->tids, tid) < 0)
			e = err_nomem(&p->err);
	}
	closedir(dir);
	return e;
}

static int record(struct sonde_self_profile *p)
{
	const uint64_t freq_hz = p->opts.freq_hz ? p->opts.freq_hz : FREQ_HZ;
	const struct sonde_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = UINT64_C(1000000000) / freq_hz,
		.flags = p->opts.kernel ? 0 : SONDE_ATTR_EXCLUDE_KERNEL,
	};
	const struct sonde_perf_recorder_opts opts = {
		.sz = sizeof(opts), .target.tids = p->tids.at, .target.nr_tids = p->tids.n, .target.inherit = true,
		.file.to_fd = true, .file.output_fd = live_fd(p->live),
		.stack.callgraph = p->opts.no_callchains ? SONDE_CALLGRAPH_NONE : SONDE_CALLGRAPH_FP,
		.calls.progress = recording, .calls.ctx = p,
	};
	struct sonde_perf_recorder *r = p->recorder;
	int e = sonde_perf_recorder_add_attr(r, &attr, p->opts.kernel ? "task-clock" : "task-clock:u");

	if (e == 0)
		e = sonde_perf_recorder_open(r, &opts);
	if (e == 0)
		e = sonde_perf_recorder_run(r);
	if (e < 0)
		p->err = *sonde_perf_recorder_error(r);
	return e;
}

static void *run(void *ctx)
{
	struct sonde_self_profile *p = ctx;

	if (other_threads(p) == 0 && live_new(gather, p, &p->live, &p->err) == 0) {
		if (record(p) < 0)
			live_cancel(p->live);
		recorder_close_output(p->recorder);
		live_finish(p->live, &p->err);
	}
	begin(p);
	return NULL;
}

struct sonde_self_profile *sonde_self_profile_start(const struct sonde_self_profile_opts *opts)
{
	struct sonde_self_profile *p = calloc(1, sizeof(*p));
	struct sonde_profile_opts profile = { .sz = sizeof(profile) };
	int e;

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	err_clear(&p->err);
	if (OPTS_TAKE(sonde_self_profile_opts, &p->opts, opts, &p->err) < 0)
		return p;
	if (p->opts.freq_hz > MAX_FREQ_HZ) {
		err_set(&p->err, SONDE_USAGE, SONDE_NONE, "freq_hz is larger than %d", MAX_FREQ_HZ);
		return p;
	}
	profile.mode = p->opts.no_callchains ? SONDE_PROFILE_FUNCTIONS : SONDE_PROFILE_STACKS;
	p->profile = sonde_profile_new(&profile);
	p->recorder = sonde_perf_recorder_new();
	if (!p->profile || !p->recorder) {
		sonde_self_profile_free(p);
		return NULL;
	}
	e = thread_begin(&p->thread, run, p);
	if (e != 0) {
		err_sys(&p->err, e, "cannot start a thread");
		return p;
	}
	p->running = true;
	pthread_mutex_lock(&p->lock);
	while (!p->begun)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return p;
}

int sonde_self_profile_stop(struct sonde_self_profile *p)
{
	if (p->running) {
		sonde_perf_recorder_stop(p->recorder);
		pthread_join(p->thread, NULL);
		p->running = false;
	}
	return -(int)p->err.code;
}

const struct sonde_profile *sonde_self_profile_get(struct sonde_self_profile *p)
{
	return sonde_self_profile_stop(p) < 0 ? NULL : p->profile;
}

int sonde_self_profile_print(struct sonde_self_profile *p, const struct sonde_output *to)
{
	const struct sonde_report_opts report = { .sz = sizeof(report), .sort = "sym" };
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	int e = sonde_self_profile_stop(p);

	return e < 0 ? e : sonde_export(p->profile, "report", to, &opts, &p->err);
}

const struct sonde_error *sonde_self_profile_error(const struct sonde_self_profile *p)
{
	return &p->err;
}

void sonde_self_profile_free(struct sonde_self_profile *p)
{
	if (!p)
		return;
	sonde_self_profile_stop(p);
	sonde_perf_recorder_free(p->recorder);
	sonde_profile_free(p->profile);
	live_free(p->live);
	vec_free(&p->tids);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(p);
}

/* SPDX-License-Identifier: MIT */
#include "cli/top/live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/record/perf_requests.h"
#include "cli/screen/stop.h"

enum { CPUMODE_KERNEL = 1, CPUMODE_USER = 2, CPUMODE_GUEST_KERNEL = 4, CPUMODE_GUEST_USER = 5 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void tell_end(struct top_live *l, int status, const struct sonde_error *err)
{
	const uint64_t one = 1;
	ssize_t n;

	pthread_mutex_lock(&l->lock);
	l->ended = true;
	if (status < 0 && l->status == 0) {
		l->status = status;
		l->err = *err;
	}
	pthread_mutex_unlock(&l->lock);
	n = write(l->wake_fd, &one, sizeof(one));
	(void)n;                     /* the counter is full: it is awake already */
}

/* ---- the thread that gathers ---- */

static void count_lost(struct top_live *l)
{
	const struct sonde_loss *loss;
	uint64_t lost = 0;

	for (size_t i = 0; (loss = sonde_trace_loss_at(l->trace, i)); i++)
		if (loss->kind == SONDE_LOSS_RECORDER || loss->kind == SONDE_LOSS_SAMPLES)
			lost += loss->count;
	l->counts.lost += lost - l->lost_total;
	l->lost_total = lost;
}

/* Whether the profile gets the sample. Samples that nobody sees are counted all the same, as in perf. */
static bool take_sample(struct top_live *l, const struct sonde_event *ev)
{
	bool kernel = ev->cpumode == CPUMODE_KERNEL || ev->cpumode == CPUMODE_GUEST_KERNEL,
	     user = ev->cpumode == CPUMODE_USER || ev->cpumode == CPUMODE_GUEST_USER;

	if (l->paused)
		return false;
	if (ev->time != SONDE_NONE && ev->time + l->drop_after_ns < now_ns()) {
		l->counts.dropped++;
		l->dropped_total++;
		return false;
	}
	l->counts.samples++;
	l->counts.kernel += kernel;
	l->counts.user += user;
	l->counts.exact += (ev->misc & PERF_RECORD_MISC_EXACT_IP) != 0;
	return !(kernel && l->hide_kernel) && !(user && l->hide_user);
}

static int gather_event(struct top_live *l, const struct sonde_event *ev)
{
	int r = 0;

	if (stop_caught())
		return -SONDE_STOPPED;       /* nobody will see the samples that are on their way */
	pthread_mutex_lock(&l->lock);
	if (ev->kind == SONDE_KIND_LOSS)
		count_lost(l);
	if (ev->kind != SONDE_KIND_SAMPLE || take_sample(l, ev))
		r = sonde_profile_feed(l->profile, l->trace, ev);
	pthread_mutex_unlock(&l->lock);
	return r;
}

static int gather_all(struct top_live *l)
{
	const struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME,
					      .split_reads = true };
	struct sonde_iter *it = sonde_iter_new(l->trace, &by_time);
	const struct sonde_event *ev;
	int r = it ? 0 : -SONDE_NOMEM;

	if (r == 0) {
		pthread_mutex_lock(&l->lock);
		r = sonde_profile_begin(l->profile, l->trace);
		pthread_mutex_unlock(&l->lock);
	}
	while (r == 0 && (r = sonde_iter_next(it, &ev)) > 0)
		r = gather_event(l, ev);
	sonde_iter_free(it);
	return r;
}

static void *gather(void *arg)
{
	struct top_live *l = arg;
	char rest[4096];
	int r = sonde_trace_open_fd(l->trace, l->ends[0], "-", NULL);

	if (r == 0)
		r = gather_all(l);
	if (r == -SONDE_STOPPED)
		r = 0;
	tell_end(l, r, sonde_trace_error(l->trace)->code ? sonde_trace_error(l->trace) :
							   sonde_profile_error(l->profile));
	while (read(l->ends[0], rest, sizeof(rest)) > 0)  /* else the recorder would wait for room in the pipe */
		;
	return NULL;
}

/* ---- the thread that records ---- */

static void *run_recorder(void *arg)
{
	struct top_live *l = arg;
	int r = sonde_perf_recorder_run(l->recorder);

	tell_end(l, r, sonde_perf_recorder_error(l->recorder));
	return NULL;
}

/* ---- the caller's thread ---- */

static int make(struct top_live *l, struct sonde_profile *profile)
{
	l->profile = profile;
	l->wake_fd = l->ends[0] = l->ends[1] = -1;
	pthread_mutex_init(&l->lock, NULL);
	l->recorder = sonde_perf_recorder_new();
	l->trace = sonde_trace_new();
	if (!l->recorder || !l->trace || !profile)
		return say_out_of_memory();
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->wake_fd < 0 || pipe2(l->ends, O_CLOEXEC) < 0) {
		say("cannot make a pipe: %s", strerror(errno));
		return 1;
	}
	return 0;
}

/* Signals are the main thread's: they end its wait for a key. */
static int start_thread(pthread_t *thread, void *(*run)(void *), struct top_live *l, bool *has)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(thread, NULL, run, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	*has = e == 0;
	if (e)
		say("cannot start a thread: %s", strerror(e));
	return e ? 1 : 0;
}

int top_live_start(struct top_live *l, struct sonde_profile *profile, struct sonde_perf_recorder_opts *opts)
{
	int status = make(l, profile);

	if (status == 0)
		status = perf_requests_take(l->recorder);
	/* before the recorder is opened: descriptions of tracepoints are larger than a pipe */
	if (status == 0)
		status = start_thread(&l->gathering, gather, l, &l->has_gathering);
	if (status)
		return status;
	opts->file.to_fd = true;
	opts->file.output_fd = l->ends[1];
	if (sonde_perf_recorder_open(l->recorder, opts) < 0)
		return say_error(NULL, sonde_perf_recorder_error(l->recorder));
	return start_thread(&l->recording, run_recorder, l, &l->has_recording);
}

struct live_counts top_live_take_counts(struct top_live *l)
{
	struct live_counts counts = l->counts;

	l->counts = (struct live_counts){ 0 };
	return counts;
}

void top_live_stop(struct top_live *l)
{
	if (l->has_recording) {
		sonde_perf_recorder_stop(l->recorder);
		pthread_join(l->recording, NULL);
	}
	sonde_perf_recorder_free(l->recorder);  /* it has the other copy of the pipe's end */
	if (l->ends[1] >= 0)
		close(l->ends[1]);
	if (l->has_gathering)
		pthread_join(l->gathering, NULL);
	l->has_recording = l->has_gathering = false;
	l->recorder = NULL;
	l->ends[1] = -1;
}

void top_live_free(struct top_live *l)
{
	top_live_stop(l);
	sonde_profile_free(l->profile);
	sonde_trace_free(l->trace);
	if (l->ends[0] >= 0)
		close(l->ends[0]);
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	pthread_mutex_destroy(&l->lock);
}

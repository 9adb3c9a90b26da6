/* SPDX-License-Identifier: MIT */
#include "api/record/live.h"

#include <errno.h>
#include <fcntl.h>
#include <sonde/symbol.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/trace/trace.h"
#include "base/thread.h"

struct live {
	int fds[2];                  /* -1: closed */
	live_reader read;
	void *ctx;
	struct sonde_trace *trace;
	pthread_t thread;
	bool running;
	atomic_bool cancelled;
	int result;                  /* what follows: of the thread, until it has ended */
	struct sonde_error err;
};

/* The writer must neither block nor get SIGPIPE. */
static void empty(int fd)
{
	char bytes[65536];
	ssize_t n;

	do
		n = read(fd, bytes, sizeof(bytes));
	while (n > 0 || (n < 0 && errno == EINTR));
}

static void *decode(void *arg)
{
	struct live *l = arg;

	l->result = sonde_trace_open_fd(l->trace, l->fds[0], "the running recording", NULL);
	if (l->result == 0 && !atomic_load(&l->cancelled))
		l->result = l->read(l->ctx, l);
	if (l->result < 0)
		l->err = l->trace->err;
	empty(l->fds[0]);
	return NULL;
}

int live_new(live_reader read, void *ctx, struct live **out, struct sonde_error *err)
{
	struct live *l = calloc(1, sizeof(*l));
	int e = 0;

	if (!l)
		return err_nomem(err);
	l->fds[0] = l->fds[1] = -1;
	l->read = read;
	l->ctx = ctx;
	l->trace = sonde_trace_new();
	if (!l->trace)
		e = err_nomem(err);
	else if (pipe2(l->fds, O_CLOEXEC) < 0)
		e = err_sys(err, errno, "cannot make a pipe");
	*out = l;                    /* the reader may ask for it */
	if (e == 0 && (e = thread_begin(&l->thread, decode, l)) != 0)
		e = err_sys(err, e, "cannot start a thread");
	l->running = e == 0;
	if (e == 0)
		return 0;
	live_free(l);
	*out = NULL;
	return e;
}

int live_fd(const struct live *l)
{
	return l->fds[1];
}

void live_cancel(struct live *l)
{
	if (l)
		atomic_store(&l->cancelled, true);
}

int live_finish(struct live *l, struct sonde_error *err)
{
	if (!l)
		return 0;
	if (l->running) {
		close(l->fds[1]);
		l->fds[1] = -1;
		pthread_join(l->thread, NULL);
		l->running = false;
	}
	if (atomic_load(&l->cancelled))
		return 0;
	if (l->err.code && !err->code)
		*err = l->err;
	return l->result;
}

struct sonde_trace *live_trace(const struct live *l)
{
	return l->trace;
}

void live_free(struct live *l)
{
	struct sonde_error ignored = { 0 };

	if (!l)
		return;
	live_finish(l, &ignored);
	sonde_trace_free(l->trace);
	for (int i = 0; i < 2; i++)
		if (l->fds[i] >= 0)
			close(l->fds[i]);
	free(l);
}

static int deliver_all(const struct live *l, struct sonde_iter *it, const struct sonde_perf_recorder_opts *o,
		       const struct sonde_live *live, struct sonde_tasks *tasks)
{
	const struct sonde_event *ev;
	int r;

	while ((r = sonde_iter_next(it, &ev)) > 0 && !atomic_load(&l->cancelled)) {
		if (tasks && (r = sonde_tasks_apply(tasks, ev)) < 0)
			return err_nomem(&l->trace->err);
		if (ev->kind != SONDE_KIND_META && (r = o->calls.event(o->calls.ctx, ev, live)) != 0)
			return r;
	}
	return r < 0 ? r : 0;
}

int live_deliver(struct live *l, const struct sonde_perf_recorder_opts *o)
{
	struct sonde_trace *t = l->trace;
	const struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME };
	struct sonde_tasks *tasks = o->calls.symbols ? sonde_tasks_new(t) : NULL;
	struct sonde_symbols *symbols = o->calls.symbols ? sonde_symbols_new(NULL) : NULL;
	struct sonde_iter *it = sonde_iter_new(t, &by_time);
	const struct sonde_live live = { .trace = t, .tasks = tasks, .symbols = symbols };
	int r = it && (!o->calls.symbols || (tasks && symbols)) ? deliver_all(l, it, o, &live, tasks) :
			err_nomem(&t->err);

	sonde_iter_free(it);
	sonde_symbols_free(symbols);
	sonde_tasks_free(tasks);
	return r;
}

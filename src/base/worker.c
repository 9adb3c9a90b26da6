/* SPDX-License-Identifier: MIT */
#include "base/worker.h"

#include <stdlib.h>

#include "base/thread.h"

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first, **last;   /* that nobody has begun */
	bool busy;                   /* one is being done */
	bool ending;
	bool has_thread;
	pthread_t thread;
};

/* Does the oldest job. Called and returns with the lock held. */
static void do_one(struct worker *w)
{
	struct job *j = w->first;

	w->first = j->next;
	if (!w->first)
		w->last = &w->first;
	w->busy = true;
	pthread_mutex_unlock(&w->lock);
	j->run(j);
	pthread_mutex_lock(&w->lock);
	w->busy = false;
	__atomic_store_n(&j->done, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&w->lock);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_lock(&w->lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	while (w->first || !w->ending) {
		if (w->first && !w->busy)
			do_one(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct worker *worker_new(void)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (thread_nr_cpus() < 2)
		return w;
	w->has_thread = thread_begin(&w->thread, work, w) == 0;
	return w;
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->changed);
	while (w->first && !w->has_thread)
		do_one(w);
	pthread_mutex_unlock(&w->lock);
	if (w->has_thread)
		pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void worker_give(struct worker *w, struct job *j)
{
	j->next = NULL;
	j->given = true;
	j->done = false;
	pthread_mutex_lock(&w->lock);
	*w->last = j;
	w->last = &j->next;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_broadcast(&w->changed);  /* the lock is free for the thread that wakes up */
}

void worker_wait(struct worker *w, struct job *j)
{
	if (!j->given)
		return;
	pthread_mutex_lock(&w->lock);
	while (!j->done) {
		if (w->first && !w->busy)
			do_one(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	j->given = false;
}

void worker_settle(struct worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	while (w->first || w->busy) {
		if (w->busy)
			pthread_cond_wait(&w->changed, &w->lock);
		else
			do_one(w);
	}
	pthread_mutex_unlock(&w->lock);
}

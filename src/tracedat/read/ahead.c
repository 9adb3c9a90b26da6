/* SPDX-License-Identifier: MIT */
#include "tracedat/read/ahead.h"

#include <stdlib.h>

#include "base/thread.h"

/* The oldest job that waits; NULL. The lock is held. */
static struct ahead_job *oldest(struct ahead *a)
{
	struct ahead_job *job = NULL;

	for (size_t i = 0; i < AHEAD_JOBS; i++)
		if (a->jobs[i].state == JOB_WAITING && (!job || a->jobs[i].number < job->number))
			job = &a->jobs[i];
	return job;
}

static void *work(void *arg)
{
	struct ahead *a = arg;
	struct ahead_job *job;

	pthread_mutex_lock(&a->lock);
	while (!a->ending) {
		job = oldest(a);
		if (!job) {
			pthread_cond_wait(&a->more, &a->lock);
			continue;
		}
		job->state = JOB_RUNNING;
		pthread_mutex_unlock(&a->lock);
		job->result = decoder_unpack(&a->decoder, job->p, job->packed, job->out, job->size, NULL);
		pthread_mutex_lock(&a->lock);
		job->state = JOB_DONE;
		if (a->waits)
			pthread_cond_signal(&a->done);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

bool dat_ahead_start(struct ahead *a, const struct codec *codec)
{
	if (a->started || a->off)
		return a->started;
	a->off = true;
	if (thread_nr_cpus() < 2 || decoder_init(&a->decoder, codec, NULL) < 0)
		return false;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->more, NULL);
	pthread_cond_init(&a->done, NULL);
	a->started = thread_begin(&a->thread, work, a) == 0;
	return a->started;
}

static bool grow(struct ahead *a, uint8_t **p, size_t *cap, size_t n)
{
	if (n <= *cap)
		return true;
	if (a->bytes - *cap + n > AHEAD_BYTES)
		return false;
	free(*p);
	*p = malloc(n);
	a->bytes -= *cap;
	*cap = *p ? n : 0;
	a->bytes += *cap;
	return *p;
}

struct ahead_job *dat_ahead_room(struct ahead *a, size_t in, size_t out)
{
	struct ahead_job *job = NULL;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < AHEAD_JOBS && !job; i++)
		if (a->jobs[i].state == JOB_FREE)
			job = &a->jobs[i];
	if (job && !(grow(a, &job->in, &job->in_cap, in) && grow(a, &job->out, &job->out_cap, out)))
		job = NULL;
	if (job)
		job->state = JOB_DONE;  /* the caller's, until it is submitted */
	pthread_mutex_unlock(&a->lock);
	return job;
}

void dat_ahead_submit(struct ahead *a, struct ahead_job *const *jobs, size_t n)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < n; i++) {
		jobs[i]->number = a->next_number++;
		jobs[i]->state = JOB_WAITING;
	}
	if (n)
		pthread_cond_signal(&a->more);
	pthread_mutex_unlock(&a->lock);
}

void dat_ahead_wait(struct ahead *a, struct ahead_job *job)
{
	pthread_mutex_lock(&a->lock);
	if (job->state == JOB_WAITING) {
		job->state = JOB_RUNNING;
	} else {
		a->waits = true;
		while (job->state == JOB_RUNNING)
			pthread_cond_wait(&a->done, &a->lock);
		a->waits = false;
	}
	pthread_mutex_unlock(&a->lock);
}

void dat_ahead_release(struct ahead *a, struct ahead_job *job, uint8_t *out, size_t cap)
{
	pthread_mutex_lock(&a->lock);
	a->bytes -= job->out_cap;
	if (a->bytes + cap > AHEAD_BYTES) {
		free(out);
		out = NULL;
	}
	job->out = out;
	job->out_cap = out ? cap : 0;
	a->bytes += job->out_cap;
	job->state = JOB_FREE;
	pthread_mutex_unlock(&a->lock);
}

void dat_ahead_end(struct ahead *a)
{
	if (a->started) {
		pthread_mutex_lock(&a->lock);
		a->ending = true;
		pthread_cond_signal(&a->more);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
		pthread_cond_destroy(&a->done);
		pthread_cond_destroy(&a->more);
		pthread_mutex_destroy(&a->lock);
	}
	decoder_free(&a->decoder);
	for (size_t i = 0; i < AHEAD_JOBS; i++) {
		free(a->jobs[i].in);
		free(a->jobs[i].out);
	}
}

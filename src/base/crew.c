/* SPDX-License-Identifier: MIT */
#include "base/crew.h"

#include <stdlib.h>

#include "base/thread.h"

struct crew_member {
	struct crew *crew;
	unsigned number;
	pthread_t thread;
};

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct crew_job *first, **last;  /* not finished, in the order in which they were given */
	bool finishing;              /* the first one */
	bool ending;
	unsigned nr_members;         /* with the giver, which is number 0 */
	struct crew_member members[CREW_MOST];
};

/* Finishes the first job. Called and returns with the lock held. */
static void finish_first(struct crew *c)
{
	struct crew_job *j = c->first;

	c->finishing = true;
	j->state = CREW_FINISHING;
	pthread_mutex_unlock(&c->lock);
	j->finish(j);
	pthread_mutex_lock(&c->lock);
	c->first = j->next;
	if (!c->first)
		c->last = &c->first;
	j->state = CREW_IDLE;
	c->finishing = false;
	pthread_cond_broadcast(&c->changed);
}

static void prepare(struct crew *c, struct crew_job *j, unsigned member)
{
	j->state = CREW_PREPARING;
	pthread_mutex_unlock(&c->lock);
	j->prepare(j, member);
	pthread_mutex_lock(&c->lock);
	j->state = CREW_PREPARED;
	if (j == c->first)           /* else nothing can be done that could not be done before */
		pthread_cond_broadcast(&c->changed);
}

/* Does one part of a job, the oldest first. False if there is none to do. The lock is held, but for the work itself. */
static bool do_one(struct crew *c, unsigned member)
{
	struct crew_job *j = c->first;

	if (j && j->state == CREW_PREPARED && !c->finishing) {
		finish_first(c);
		return true;
	}
	while (j && j->state != CREW_GIVEN)
		j = j->next;
	if (j)
		prepare(c, j, member);
	return j != NULL;
}

static void *run(void *arg)
{
	struct crew_member *m = arg;
	struct crew *c = m->crew;

	pthread_mutex_lock(&c->lock);
	while (c->first || !c->ending)
		if (!do_one(c, m->number))
			pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct crew *crew_new(unsigned members)
{
	struct crew *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->last = &c->first;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	for (c->nr_members = 1; c->nr_members < members && c->nr_members < CREW_MOST; c->nr_members++) {
		struct crew_member *m = &c->members[c->nr_members];

		*m = (struct crew_member){ .crew = c, .number = c->nr_members };
		if (thread_begin(&m->thread, run, m) != 0)
			break;
	}
	return c;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_broadcast(&c->changed);
	while (c->first)
		if (!do_one(c, 0))
			pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 1; i < c->nr_members; i++)
		pthread_join(c->members[i].thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned crew_members(const struct crew *c)
{
	return c->nr_members;
}

void crew_give(struct crew *c, struct crew_job *j)
{
	j->next = NULL;
	pthread_mutex_lock(&c->lock);
	j->state = CREW_GIVEN;
	*c->last = j;
	c->last = &j->next;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void crew_wait(struct crew *c, struct crew_job *j)
{
	pthread_mutex_lock(&c->lock);
	while (j->state != CREW_IDLE)
		if (!do_one(c, 0))
			pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

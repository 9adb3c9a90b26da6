/* SPDX-License-Identifier: MIT */
/*
 * moment.h - the task of an event at its time: its name and its address spaces
 *
 *	records of the side band ---> moment_apply() --->  tasks, maps, binaries     (threads/tasks.h)
 *	samples                  ---> moment_advance() -+     |
 *	                              moment_task()    <------+---> name, roots of the maps
 *
 * Every event of a walk flows in, in order of time. A task flows out, as it is at the last event that flowed in. Most
 * samples are of a thread that had one lately, so tasks that were looked up are kept until a record changes something:
 * no user of this room keeps tasks of its own. Names and roots stay valid as long as the moment lives, also where the
 * tasks go on, so that other threads may work with them later; a struct moment_task itself is gone with the next
 * look-up. A task without a name is never given one here: ":TID" and "<...>" are words of output formats. Numbers are
 * never those of another machine: a guest, and each of several recordings, has its own.
 */
#ifndef RESOLVE_MOMENT_H
#define RESOLVE_MOMENT_H

#include "model/meta.h"
#include "threads/maps_history.h"
#include "threads/tasks.h"

enum { MOMENT_TASKS = 64 };

#define MOMENT_UNNUMBERED UINT32_MAX

/* A thread as it was looked up. The fields of the fast path come first: they are one line of the CPU's cache. */
struct moment_task {
	int32_t machine, pid, tid;
	uint32_t version;            /* of the moment, at the look-up; 0: this is none */
	uint32_t number;             /* of whoever asks, who sets it after a look-up; MOMENT_UNNUMBERED until then */
	struct task_roots roots;
	const char *comm;            /* NULL: no record named it */
};

struct moment {
	struct tasks tasks;
	uint32_t version;            /* of the tasks of the recording at hand: no two states have the same one */
	uint32_t newest;             /* version of all recordings */
	VEC(uint32_t) versions;      /* of the other recordings; 0: has none yet */
	struct maps_history *history;    /* notes how maps change; borrowed; NULL: nobody asks */
	struct moment_task known[MOMENT_TASKS];  /* looked up lately, by the low bits of the tid */
};

/* @jit: reads jitdumps, or NULL: see symbols_jit(). 0 or -SONDE_NOMEM; moment_free() in any case. */
int moment_init(struct moment *m, struct jit_source *jit);
void moment_free(struct moment *m);

/* The events that follow are of that recording, which is 0 at first: see tasks_turn_to(). 0 or -SONDE_NOMEM. */
int moment_turn_to(struct moment *m, uint32_t recording);

/* Everything is forgotten but names and binaries: another trace follows. 0 or -SONDE_NOMEM. */
int moment_restart(struct moment *m);

/* The tasks have changed by another way than the functions below. */
static inline void moment_changed(struct moment *m)
{
	m->version = ++m->newest;
}

/*
 * Takes in a record that is no sample. @meta: of its recording, which may have gained build ids: binaries get them, so
 * nobody may be reading binaries meanwhile if there are some (moment_has_news()). 0 or -SONDE_NOMEM.
 */
int moment_apply(struct moment *m, const struct sonde_event *ev, const struct meta *meta);

/* Whether moment_apply() would change binaries that other threads may be reading. */
static inline bool moment_has_news(const struct moment *m, const struct meta *meta)
{
	return meta->nr_build_ids != m->tasks.binaries.nr_noted;
}

/* Takes in a sample: code that its process has made until now is mapped. 0 or -SONDE_NOMEM. */
static inline int moment_advance(struct moment *m, const struct sonde_event *ev)
{
	int r = tasks_advance(&m->tasks, ev);

	if (r > 0)
		moment_changed(m);
	return r < 0 ? r : 0;
}

/* moment_task() where the thread is not at hand. */
struct moment_task *moment_look_up(struct moment *m, int32_t machine, int32_t pid, int32_t tid);

/* Where a thread would be at hand. */
static inline struct moment_task *moment_slot(struct moment *m, int32_t tid)
{
	return &m->known[(uint32_t)tid % MOMENT_TASKS];
}

static inline bool moment_is_at_hand(const struct moment *m, const struct moment_task *t, int32_t machine, int32_t pid,
				     int32_t tid)
{
	return t->version == m->version && t->pid == pid && t->tid == tid && t->machine == machine;
}

/* A thread now, known or not: valid until the next call. @machine: sonde_event.machine_pid, 0 for the host. */
static inline struct moment_task *moment_task(struct moment *m, int32_t machine, int32_t pid, int32_t tid)
{
	struct moment_task *t = moment_slot(m, tid);

	return moment_is_at_hand(m, t, machine, pid, tid) ? t : moment_look_up(m, machine, pid, tid);
}

/* The thread of an event now. */
static inline struct moment_task *moment_task_of(struct moment *m, const struct sonde_event *ev)
{
	return moment_task(m, ev->machine_pid, ev->pid, ev->tid);
}

#endif

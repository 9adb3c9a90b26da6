/* SPDX-License-Identifier: MIT */
/*
 * states.h - when tasks run, wait for a CPU and sleep, and who woke them
 *
 *	struct sched_event  --->  sched_states_take()  --->  struct sched_step: the changes of states that it made
 *
 * Every view asks this machine: the page, the exports, SQL and the analyses. What flows out is never more than what
 * was recorded. A run whose begin was not recorded begins where the task was first seen, and says so (`exact`). A state
 * that spans a loss is ended as SCHED_CUT. A task whose switches were not recorded (scope.h) has no states. Of several
 * wakeups of one sleep the first one counts. A number that comes back after its task has ended is another task.
 */
#ifndef SCHED_STATES_H
#define SCHED_STATES_H

#include "base/strpool.h"
#include "base/u64map.h"
#include "sched/sched_event.h"
#include "sched/scope.h"

enum sched_state {
	SCHED_UNKNOWN,
	SCHED_RUNNING,
	SCHED_RUNNABLE,              /* woken, or new: it waits for a CPU */
	SCHED_SLEEPING,
	SCHED_BLOCKED,               /* uninterruptible (D): for a disk, a lock of the kernel, ... */
	SCHED_PREEMPTED,             /* it left its CPU and would have gone on; or it gave the CPU away */
	SCHED_DEAD,
};

/* How a state ended. Only whole ones belong into statistics. */
enum sched_end {
	SCHED_WHOLE,
	SCHED_BEGUN_BEFORE,          /* its begin was not recorded: it took longer */
	SCHED_CUT,                   /* events were lost meanwhile */
};

#define SCHED_NO_TASK UINT32_MAX

struct sched_task {
	int32_t pid, tid;            /* pid -1: not known */
	uint32_t comm;               /* in sched_states.comms: its last name; 0: none is known */
	int32_t prio;                /* -1: not known, or deadline */
	int32_t cpu;                 /* where it runs or ran last; -1: not known */
	uint8_t state;
	bool exact;                  /* `since` is when the state began; else it was first seen then */
	bool followed;               /* it was seen to leave a CPU, or to come by a record of its own */
	const char *letter;          /* prev_state_text() of its last leaving; NULL: it was not seen to leave */
	uint64_t since;              /* the begin of its state */
	uint64_t out;                /* when it left a CPU last; SONDE_NONE: that was not seen */
	uint64_t ready;              /* since when it waited for a CPU after `out`; SONDE_NONE: not known */
	uint32_t waker;              /* of the wakeup that ended its last sleep; SCHED_NO_TASK: idle CPU, unknown */
	uint32_t losses;             /* of its CPU if it runs, else of all, when its state began */
	uint64_t early_wakeup;       /* while it was still running; SONDE_NONE: none */
	uint32_t early_waker;
};

struct sched_change {
	uint32_t task;
	int32_t cpu;                 /* where it runs or ran; -1: not known, or of a wakeup */
	uint64_t since, time;        /* the state `from` had this time */
	uint8_t from, to;            /* enum sched_state */
	uint8_t end;                 /* enum sched_end: of `from` */
};

enum { SCHED_CHANGES_MOST = 6 };

/* The effect of an event. Tasks are numbers in sched_states.tasks. */
struct sched_step {
	uint32_t nr;
	struct sched_change changes[SCHED_CHANGES_MOST];
	uint32_t prev, next;         /* of a switch; SCHED_NO_TASK: the idle task, one without states, or no switch */
	uint32_t waker, woken;       /* of a wakeup that ended a sleep; SCHED_NO_TASK: none */
};

struct sched_cpu {
	bool known;                  /* who runs; `running` SCHED_NO_TASK: the idle task */
	uint32_t running;
	uint64_t since;              /* its last switch; SONDE_NONE: none since the begin, or since a loss */
	uint32_t losses;
};

/* Of one machine; begins as {0}. */
struct sched_states {
	const struct sched_scope *scope;     /* borrowed; NULL: all switches were recorded */
	bool some;                   /* switches may be those of some tasks: see sched_states_of_some() */
	bool idle_left;              /* the idle task was seen to leave a CPU */
	uint64_t switches, unseen;   /* tracepoints; of them: of a task that was not seen to come to its CPU before */
	bool has_switches;
	bool has_records;            /* SWITCH records of single tasks */
	bool other_numbers;          /* samples have the numbers of another pid namespace than tracepoints */
	uint32_t losses;             /* on any CPU */
	uint64_t backwards;          /* times before the begin of the state that they end: taken as that begin */
	VEC(struct sched_task) tasks;
	VEC(struct sched_cpu) cpus;
	struct u64map by_tid;
	struct strpool comms;
};

/* Takes in an event; events come in order of time. 0 or -SONDE_NOMEM. */
int sched_states_take(struct sched_states *s, const struct sched_event *e, struct sched_step *step);

/*
 * The number of a task, which is made if it is new; SCHED_NO_TASK when out of memory. @pid: -1 if not known; @comm: its
 * name now, empty if not known.
 */
uint32_t sched_states_task(struct sched_states *s, int32_t pid, int32_t tid, struct sonde_str comm);

/* A task has this name now. 0 or -SONDE_NOMEM. */
int sched_states_name(struct sched_states *s, uint32_t task, struct sonde_str comm);

/*
 * Whether the switches so far are those of some tasks only: others come to a CPU, and are never seen to leave it. An
 * attr that is inherited may be of a command or of all tasks (perf's -a sets the flag, too). What tells then: a switch
 * is an event of the task that leaves, so those of the idle task are in a recording of all tasks only; and in that,
 * the tasks that leave were seen to come.
 */
bool sched_states_of_some(const struct sched_states *s);

/* A trace ends: the next one begins with states that are not known, and is of all tasks again. */
void sched_states_end_trace(struct sched_states *s);

void sched_states_free(struct sched_states *s);

/* The last name of a task; "" if none is known. */
static inline const char *sched_task_comm(const struct sched_states *s, const struct sched_task *t)
{
	return t->comm ? strpool_get(&s->comms, t->comm) : "";
}

#endif

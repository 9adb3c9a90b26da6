/* SPDX-License-Identifier: MIT */
/**
 * counter.h - count the kernel's performance events without recording them
 *
 *	struct sonde_counter *c = sonde_counter_new();
 *
 *	if (sonde_counter_add_event(c, "task-clock,page-faults") < 0 || sonde_counter_open(c, NULL) < 0)
 *		puts(sonde_counter_error(c)->text);
 *	sonde_counter_enable(c);
 *	free(malloc(1 << 20));
 *	sonde_counter_disable(c);
 *	if (sonde_counter_read(c) == 0)
 *		for (size_t i = 0; i < sonde_counter_count(c); i++)
 *			printf("%" PRIu64 " %s\n", sonde_counter_value(c, i)->scaled,
 *			       sonde_counter_event_at(c, i)->name);
 *	sonde_counter_free(c);
 *
 * A counter has events and a target. Each event is opened once for each thread and CPU of the target: these are its
 * cells. perf_event_open(2) explains the words.
 */
#ifndef SONDE_COUNTER_H
#define SONDE_COUNTER_H

#include <sonde/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_counter;

/**
 * attr->type of an event that the kernel does not count, such as duration_time. It has a refusal, and the program
 * measures it by itself: attr->config is 1 for wall time, 2 for user time and 3 for system time, all in ns; larger
 * numbers stand for properties of the machine such as num_cpus. These events are in no group.
 */
#define SONDE_COUNTER_TYPE_TOOL UINT32_C(0xfffffffe)

/** As leader: the event is in no group. */
#define SONDE_COUNTER_ALONE SIZE_MAX

/**
 * The target, and how to count. Without command, pids, tids, CPUs and cgroups the calling thread is counted, with the
 * tasks that it makes later. Pointers need to live until sonde_counter_open() returns.
 */
struct sonde_counter_opts {
	size_t sz;
	const char *const *command;     /* argv, ends with NULL; waits for sonde_counter_start() */
	const int32_t *pids;            size_t nr_pids;
	const int32_t *tids;            size_t nr_tids;
	bool all_cpus;
	const char *cpus;               /* "0-3,8": count on these only */
	bool no_inherit;                /* leave out tasks that are made later */
	bool inherit_stat;              /* exact counts of each task; slower to switch between tasks */
	bool running;                   /* count from now on, or from the command's exec on, not from _enable() on */
	bool user_only, kernel_only;    /* for events without modifiers of their own */
	/* Count as much as possible: events that cannot be counted have a refusal, and where the kernel may not be
	 * counted, user space is. Otherwise the first refusal fails the call. */
	bool best_effort;
	bool user_reads;                /* map the pages for sonde_counter_read_self() */
	bool rings;                     /* map a small ring for each event that samples, for sonde_counter_wait() */
	bool no_group_read;             /* read the members of groups one by one */
	bool lost;                      /* read how many samples were lost, too; before Linux 6.0 none are told */
	/* Called when the process may open no more files: it may raise the limit and return true. The library changes
	 * no limits. */
	bool (*more_files)(void *ctx);
	void *ctx;
	bool skip_ended;                /* of pids and tids: those that there are no longer are left out */
};

/** An event of a counter: a view that lives as long as the counter. */
struct sonde_counter_event {
	const char *name;               /* as written; ":u" is added where only user space could be counted */
	const struct sonde_attr *attr;  /* complete once the counter is open */
	const char *unit;               /* of a PMU's event; NULL if none */
	double scale;                   /* of counts in that unit; 1.0 if none */
	size_t leader;                  /* index of the group's leader, its own index if alone */
	const char *cgroup;             /* as given to sonde_counter_set_cgroup(); NULL: none */
	bool system_wide;               /* belongs to CPUs, not to tasks */
	bool in_group;
	/* why the event is not counted; NULL if it is */
	const char *refusal;
	const char *group_name;         /* "" if the group has none; NULL outside groups */
	bool percore;                   /* the term percore: the counts of a core's CPUs belong together */
};

/** The count and times of an event, or of one of its cells. */
struct sonde_counter_value {
	uint64_t raw;                   /* as counted */
	uint64_t scaled;                /* raw * time_enabled / time_running: for an event that shared its counter */
	uint64_t time_enabled;          /* ns */
	uint64_t time_running;          /* ns; 0: not counted */
	uint64_t id;                    /* of a cell, else SONDE_NONE */
	int32_t tid, cpu;               /* of a cell; -1: any */
	int fd;                         /* of a cell; -1: the task ended before it could be opened */
	uint64_t lost;                  /* samples for which there was no room in a ring; with the option `lost` */
};

/** The result of sonde_counter_read_self(). */
struct sonde_counter_reading {
	size_t sz;
	uint64_t value;                 /* not scaled */
	uint64_t time_enabled, time_running;  /* ns */
	bool by_page;                   /* true: without a system call */
};

/** The command of a counter. */
struct sonde_counter_command {
	int32_t pid;
	int fd;                         /* for poll(2): readable when it has ended; -1 before Linux 5.3 */
	bool ended;
	int wait_status;                /* as wait(2) gives it; -1 while it runs */
	uint64_t user_ns, system_ns;    /* CPU time, with that of its children */
	uint64_t start_ns, end_ns;      /* of CLOCK_MONOTONIC */
};

/** sonde_counter_new - NULL only when out of memory */
SONDE_API struct sonde_counter *sonde_counter_new(void);

/** sonde_counter_free - close the events and free the handle; NULL is accepted. A command that runs gets SIGTERM. */
SONDE_API void sonde_counter_free(struct sonde_counter *c);

/**
 * sonde_counter_add_event - count the events of @text, a list as for perf stat -e
 * "{instructions,cycles}" is a group: its events count at the same moments, or none does.
 */
SONDE_API int sonde_counter_add_event(struct sonde_counter *c, const char *text);

/**
 * sonde_counter_add_event_file - let events be named as a vendor names them
 * @path: a JSON file of perf's pmu-events or of Intel's perfmon, or a directory of such files
 * Before the events are added.
 */
SONDE_API int sonde_counter_add_event_file(struct sonde_counter *c, const char *path);

/** sonde_counter_add_pfm_events - count events by the names of libpfm4: as sonde_perf_recorder_add_pfm_events() */
SONDE_API int sonde_counter_add_pfm_events(struct sonde_counter *c, const char *text);

/**
 * sonde_counter_add_attr - count an event that is described by its attr
 * @attr: is copied; attr.size may be 0
 * @size: sizeof(*attr) in the program's build
 * @name: NULL: "type:config"
 * @leader: index of the group's leader, or SONDE_COUNTER_ALONE
 * The library sets inherit, disabled, enable_on_exec and read_format, and leaves the rest as it is.
 */
SONDE_API int sonde_counter_add_attr(struct sonde_counter *c, const struct sonde_attr *attr, size_t size,
				     const char *name, size_t leader);

/**
 * sonde_counter_add_filter - count the tracepoints of the last _add_event() only if this expression is true
 * @text: a filter expression of the kernel: "prev_pid == 1"
 */
SONDE_API int sonde_counter_add_filter(struct sonde_counter *c, const char *text);

/**
 * sonde_counter_set_pmu - count events that several PMUs have on one of them only
 * @pmu: its name; "core" for "cpu_core": one kind of the CPUs of a hybrid machine
 * Before the events are added. An event that names its PMU is counted there. -SONDE_MISSING if there is no such PMU.
 */
SONDE_API int sonde_counter_set_pmu(struct sonde_counter *c, const char *pmu);

/**
 * sonde_counter_set_cgroup - count an event for the tasks of a control group
 * @path: below the mounted hierarchy, or the whole path of the directory; needs CPUs as target
 * -SONDE_MISSING if there is no such group.
 */
SONDE_API int sonde_counter_set_cgroup(struct sonde_counter *c, size_t event, const char *path);

/**
 * sonde_counter_open - open every event for every thread and CPU of the target
 * The error names the event, the reason, and what to change.
 */
SONDE_API int sonde_counter_open(struct sonde_counter *c, const struct sonde_counter_opts *opts);

/** sonde_counter_count - the number of events */
SONDE_API size_t sonde_counter_count(const struct sonde_counter *c);

/** sonde_counter_event_at - the i-th event; NULL beyond the last */
SONDE_API const struct sonde_counter_event *sonde_counter_event_at(const struct sonde_counter *c, size_t i);

/** sonde_counter_enable - begin or resume counting */
SONDE_API int sonde_counter_enable(struct sonde_counter *c);

/** sonde_counter_disable - pause counting */
SONDE_API int sonde_counter_disable(struct sonde_counter *c);

/** sonde_counter_reset - set counts and times to 0 */
SONDE_API int sonde_counter_reset(struct sonde_counter *c);

/**
 * sonde_counter_refresh - enable an event that samples for @overflows more overflows; the last of them disables it
 * Its signal says POLL_IN before the last overflow, and POLL_HUP then.
 */
SONDE_API int sonde_counter_refresh(struct sonde_counter *c, size_t event, int overflows);

/** sonde_counter_set_period - change the period (or frequency) of an event that samples */
SONDE_API int sonde_counter_set_period(struct sonde_counter *c, size_t event, uint64_t period);

/**
 * sonde_counter_set_signal - send a signal to a thread at each overflow of an event that samples
 * @signo: for example SIGRTMIN; si_fd of its siginfo is the fd of the cell, si_code POLL_IN or POLL_HUP
 * @tid: 0: the calling thread
 */
SONDE_API int sonde_counter_set_signal(struct sonde_counter *c, size_t event, int signo, int32_t tid);

/**
 * sonde_counter_wait - wait for an overflow of an event that samples; needs the option rings
 * @timeout_ms: -1: none
 * Returns 1 after an overflow, 0 after the time or a signal, -SONDE_MISSING if its tasks have ended.
 */
SONDE_API int sonde_counter_wait(struct sonde_counter *c, size_t event, int timeout_ms);

/** sonde_counter_read - read all cells, for sonde_counter_value() and sonde_counter_cell_at() */
SONDE_API int sonde_counter_read(struct sonde_counter *c);

/** sonde_counter_value - sums over the cells of an event, as read last; NULL if there is no such event */
SONDE_API const struct sonde_counter_value *sonde_counter_value(const struct sonde_counter *c, size_t event);

/** sonde_counter_cell_count - the number of pairs of thread and CPU that count an event; 0: it has a refusal */
SONDE_API size_t sonde_counter_cell_count(const struct sonde_counter *c, size_t event);

/** sonde_counter_cell_at - the i-th cell of an event, as read last; NULL beyond the last */
SONDE_API const struct sonde_counter_value *sonde_counter_cell_at(const struct sonde_counter *c, size_t event,
								  size_t i);

/**
 * sonde_counter_read_self - read an event of the calling thread, without a system call where that is possible
 * The option user_reads maps the page of the event, by which a program reads the hardware counter itself. Otherwise,
 * and for software events, this is a read(2) of the event's first cell.
 */
SONDE_API int sonde_counter_read_self(struct sonde_counter *c, size_t event, struct sonde_counter_reading *out);

/** sonde_counter_start - start the command */
SONDE_API int sonde_counter_start(struct sonde_counter *c);

/** sonde_counter_command - the current state of the command; NULL if there is none */
SONDE_API const struct sonde_counter_command *sonde_counter_command(struct sonde_counter *c);

/** sonde_counter_wait_command - wait until the command has ended: 1, or 0 after @timeout_ms (-1: none) or a signal */
SONDE_API int sonde_counter_wait_command(struct sonde_counter *c, int timeout_ms);

/** sonde_counter_task_enable - begin or resume counting all events that the calling thread has opened: prctl(2) */
SONDE_API int sonde_counter_task_enable(void);

/** sonde_counter_task_disable - pause all events that the calling thread has opened */
SONDE_API int sonde_counter_task_disable(void);

/** sonde_counter_error - why the last call on @c failed; never NULL, lives as long as @c */
SONDE_API const struct sonde_error *sonde_counter_error(const struct sonde_counter *c);

#ifdef __cplusplus
}
#endif
#endif

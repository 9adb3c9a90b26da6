/* SPDX-License-Identifier: MIT */
/* instance.h - a tracing instance: a directory of tracefs with a ring buffer, events and settings of its own. */
#ifndef RECORD_FTRACE_INSTANCE_H
#define RECORD_FTRACE_INSTANCE_H

#include <sonde/ftrace_recorder.h>

#include "base/buf.h"
#include "record/host/messenger.h"
#include "record/host/sysfile.h"
#include "record/host/tracefs.h"

struct ftrace_event {
	const char *system, *name;
	struct names filters, triggers;
};

/* A file of the instance and what is written there. */
struct ftrace_setting {
	const char *file, *value;
};

/* A file of an instance that is not ours, and what it said. */
struct ftrace_undo {
	char *file, *text;
};

/* Ticks of the processor, and clock that trace-cmd calls them by if readers show them as seconds. */
#define CLOCK_TICKS "x86-tsc"
#define CLOCK_TICKS_AS_NS "tsc2nsec"

struct ftrace_instance {
	const char *name;            /* in the recording; "" for the recorder's own, and for the main buffer */
	const char *dir;
	bool created;
	VEC(struct ftrace_undo) undo; /* of one that was there before */
	VEC(struct ftrace_event) events;
	size_t first_of_last_add;    /* of events: those that filters and triggers are for */
	struct names options;
	VEC(struct ftrace_setting) settings;
	const char *tracer;

	char clock[32];              /* of the kernel, or CLOCK_TICKS_AS_NS */
	uint32_t page_size;
	uint64_t buffer_kb;
	struct cpus cpus;            /* that are read */
	int32_t nr_cpus;             /* of the machine */
};

/* Removes instances of recorders that were killed. */
void ftrace_remove_leftovers(const char *tracefs, const struct messenger *m);

/* Makes the directory of the recorder's own instance, or that of a named one if it is not there. */
int ftrace_instance_create(struct ftrace_instance *in, struct arena *a, const char *tracefs, struct sonde_error *err);

/**
 * ftrace_instance_configure - everything but the switch: clock, buffers, CPUs, tasks, tracer, events
 * @tids: threads to be followed; none: everybody
 * An event that is missing but not asked for is a message.
 */
int ftrace_instance_configure(struct ftrace_instance *in, const struct sonde_ftrace_recorder_opts *opts,
			      const struct cpus *tids, const struct messenger *m, struct sonde_error *err);

/* Reads clock, pages and CPUs, which changes nothing. @cpus: only these; NULL: all */
int ftrace_instance_look(struct ftrace_instance *in, const char *cpus, struct sonde_error *err);

/* Leaves these threads out. */
void ftrace_instance_leave_out(struct ftrace_instance *in, const struct names *tids);

/* Removed if it was created, else as it was. */
void ftrace_instance_remove(struct ftrace_instance *in, const struct messenger *m);
void ftrace_instance_free(struct ftrace_instance *in);

#endif

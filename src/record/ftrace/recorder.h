/* SPDX-License-Identifier: MIT */
/* recorder.h - from options to a finished trace.dat; what include/sonde/ftrace_recorder.h hides. */
#ifndef RECORD_FTRACE_RECORDER_H
#define RECORD_FTRACE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>

#include "record/ftrace/meta.h"
#include "record/ftrace/names.h"
#include "record/ftrace/reader.h"
#include "record/host/child.h"
#include "record/host/probe.h"

struct sonde_ftrace_recorder {
	struct sonde_ftrace_recorder_opts opts;
	struct sonde_error err;
	struct sonde_ftrace_recorder_stats stats;
	struct messenger messenger;
	const char *tracefs;         /* NULL: not mounted */
	struct arena arena;

	VEC(struct probe) probes;    /* added for this recording, in tracefs */
	VEC(struct ftrace_instance) instances;  /* the first is our own, unless only named ones are asked for */
	struct child child;
	const char *command_name;    /* in arena */
	struct ftrace_meta meta;
	struct thread_names names;
	struct page_sink *sink;

	struct buffer_reader *readers; /* of the CPUs of all instances */
	size_t nr_readers;
	struct ftrace_worker *workers;
	size_t nr_workers;
	int stop_fd;                 /* eventfds: somebody wants the recording to end; */
	int end_fd;                  /* it ends; */
	int failed_fd;               /* a thread cannot go on */
	atomic_bool stopping, ending, failed;
	bool opened, ready, started, ran;  /* ready: can be started; ran: the file is of use */
};

/* Makes the file once it is certain that something can be recorded. */
typedef int (*ftrace_sink)(const char *path, int version, enum sonde_compression compression, struct page_sink **out,
			   struct sonde_error *err);

/* The instance that is added to: the last, or our own if there is none yet. NULL when out of memory. */
struct ftrace_instance *ftrace_current(struct sonde_ftrace_recorder *t);
int ftrace_check_opts(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts);
/* Opens the rings of all instances; @how of the first is the stats'. */
int ftrace_open_readers(struct sonde_ftrace_recorder *t);
/* For any of the readers. */
int ftrace_open_carrier(struct sonde_ftrace_recorder *t, struct page_carrier *c);

int ftrace_recorder_open(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts,
			 ftrace_sink make_sink);
int ftrace_recorder_start(struct sonde_ftrace_recorder *t);
int ftrace_recorder_run(struct sonde_ftrace_recorder *t);
void ftrace_recorder_release(struct sonde_ftrace_recorder *t);

#endif

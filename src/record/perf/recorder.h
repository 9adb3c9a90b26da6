/* SPDX-License-Identifier: MIT */
/* recorder.h - a recording of perf's events, from the options to the finished file */
#ifndef RECORD_PERF_RECORDER_H
#define RECORD_PERF_RECORDER_H

#include <sonde/perf_recorder.h>
#include <stdatomic.h>

#include "record/event/vendor_events.h"
#include "record/host/child.h"
#include "record/perf/bpf_loads.h"
#include "record/perf/control.h"
#include "record/perf/counters.h"
#include "record/perf/outdir.h"
#include "record/perf/readers.h"
#include "record/perf/ring_set.h"
#include "record/perf/synth.h"
#include "record/perf/trigger.h"

/*
 * Makes the sink, once it is certain that something can be recorded. @part: for records alone, in a file beside `data`
 * of a directory; NULL: for the recording as the options say
 */
typedef int (*recorder_sink)(const struct sonde_perf_recorder_opts *opts, const char *part, struct sink **out,
			     struct sonde_error *err);

/* The files that were written before the one at hand; see outfile.h. */
struct outfile {
	const char *path;            /* NULL: the output is not switched */
	recorder_sink make_sink;
	uint64_t began_at;           /* of write_queue_bytes(): when the file at hand began */
	uint64_t nr_switched;
	VEC(char *) files;           /* names of the newest ones, if only some are kept */
};

struct aux_kind;

/* A hardware trace; see aux_plan.h. */
struct aux_settings {
	const struct aux_kind *kind; /* NULL: none is recorded */
	uint64_t bytes;              /* of the area of each ring */
	bool snapshot;               /* the newest part is copied on demand, */
	bool at_end;                 /* and at the end; */
	bool sampled;                /* or the kernel puts it into samples */
};

struct live;

struct sonde_perf_recorder {
	struct sonde_perf_recorder_opts opts;
	struct sonde_error err;
	struct sonde_perf_recorder_stats stats;
	struct messenger messenger;
	struct event_roots roots;
	struct vendor_events vendor;
	struct events events;
	size_t next_cgroup;          /* of events: the one that the next control group is for */
	size_t first_of_last_add;    /* of events: where the last list began, for filters */

	struct target target;
	struct child child;
	const char *command_name;    /* in arena: the words of the options may be gone when it starts */
	struct counters counters;
	struct ring_set rings;
	struct readers readers;      /* with opts.readers */
	struct write_queue queue;
	struct record_stats record_stats;
	struct off_cpu off_cpu;      /* with opts.off_cpu */
	struct aux_settings aux;
	struct sink *sink;
	struct outfile outfile;
	struct outdir outdir;        /* with opts.kcore or opts.readers */
	struct binary_cache *binary_cache;  /* with opts.binary_cache */
	const char *procfs;          /* "/proc": where the memory of the kernel is */
	struct control control;
	struct trigger trigger;      /* switches the output */
	struct bpf_loads bpf_loads;  /* unless opts.no_bpf_events */
	struct live *live;           /* of the room api: the output is decoded meanwhile; else NULL */
	const struct sonde_perf_window *windows;  /* in arena: opts.nr_windows of them */

	struct arena arena;          /* of what follows */
	struct meta meta;
	struct bpf_programs bpf;     /* of the file at hand */
	struct sonde_evsel *evsels;

	int stop_fd;                 /* eventfd, so that poll wakes up */
	atomic_bool stopping, snapshot_wanted;
	bool opened, ready, ran;     /* ready: can be run; ran: the file is of use */
};

int recorder_open(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts, recorder_sink make_sink);

/* Makes the attrs that recorder_open() would open, and opens nothing. */
int recorder_plan(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts);

int recorder_run(struct sonde_perf_recorder *r);

/* After recorder_run(): a reader at the other end of a pipe gets to the end. */
void recorder_close_output(struct sonde_perf_recorder *r);
void recorder_release(struct sonde_perf_recorder *r);

#endif

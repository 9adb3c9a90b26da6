/* SPDX-License-Identifier: MIT */
/**
 * ftrace_recorder.h - record the kernel's trace events through tracefs, into a trace.dat
 *
 *	const char *const argv[] = { "ls", NULL };
 *	struct sonde_ftrace_recorder_opts opts = { .sz = sizeof(opts), .output = "trace.dat", .command = argv };
 *	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
 *
 *	if (sonde_ftrace_recorder_add_event(t, "sched:*") < 0 || sonde_ftrace_recorder_open(t, &opts) < 0 ||
 *	    sonde_ftrace_recorder_run(t) < 0)
 *		puts(sonde_ftrace_recorder_error(t)->text);
 *	else
 *		printf("%" PRIu64 " events\n", sonde_ftrace_recorder_stats(t)->events);
 *	sonde_ftrace_recorder_free(t);
 *
 * The recorder works in a tracing instance of its own and removes it in the end, so that nobody else's tracing is
 * disturbed. Instances that a killed recorder left behind are removed by the next one. The file is valid from
 * sonde_ftrace_recorder_open() on and stays so. Needs a mounted tracefs and permission to write there.
 */
#ifndef SONDE_FTRACE_RECORDER_H
#define SONDE_FTRACE_RECORDER_H

#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_ftrace_recorder;

/** The way in which the pages of the ring buffers are read. */
enum sonde_ftrace_reader {
	SONDE_FTRACE_AUTO,     /* splice where the file system permits it, else read: the fastest way */
	SONDE_FTRACE_MAPPED,   /* the ring buffer is mapped (Linux 6.10) */
	SONDE_FTRACE_SPLICE,   /* pages are moved to the file by splice(2) */
	SONDE_FTRACE_READ,     /* read(2) and write(2): works everywhere */
};

/**
 * Fields left 0 are the defaults. Pointers need to live until sonde_ftrace_recorder_open() or
 * sonde_ftrace_recorder_extract() returns.
 */
struct sonde_ftrace_recorder_opts {
	size_t sz;
	const char *output;             /* "trace.dat" if NULL */
	uint32_t file_version;          /* 6 or 7; 0: 7 */

	/* The target: the command and its children, pids and their children, or, without either or with all_cpus, every
	 * task. */
	const char *const *command;     /* argv, ends with NULL; started by the recorder, with its PATH */
	const int32_t *pids;            size_t nr_pids;
	bool all_cpus;
	bool no_inherit;                /* leave out tasks that are started later */
	const char *cpus;               /* only these: "0-3,8" */

	/* One of tracefs's trace_clock, or tsc2nsec: ticks of the processor (x86-tsc) that are shown as seconds; NULL:
	 * local. */
	const char *clock;
	uint64_t buffer_kb;             /* of the ring buffer of each CPU; 0: chosen by memory and number of CPUs */
	uint32_t subbuf_kb;             /* of its pages; 0: the kernel's size */
	bool stacktrace;                /* the kernel's stack with each event */
	enum sonde_ftrace_reader reader;
	uint32_t realtime_priority;     /* of the threads that empty the buffers: SCHED_FIFO; 0: not */

	uint64_t duration_ms;           /* stop after this time; 0: no limit */
	uint64_t max_bytes;             /* stop when the file reaches this size; 0: no limit */

	/* A message for the user while the recording goes on; called by the thread that calls the recorder. */
	void (*message)(void *ctx, const char *text);
	void *ctx;

	/* Called when the recording has begun and about twice a second, with the size of the file, by the thread that
	 * runs the recorder. */
	void (*progress)(void *ctx, uint64_t bytes);

	bool include_self;              /* record the recorder's own threads too */
	/* as in struct sonde_perf_recorder_opts; called once, when the command has been started */
	bool (*more_files)(void *ctx);

	/* of a file of version 7, compressed while it is recorded; SONDE_COMPRESSION_SAME: zstd */
	enum sonde_compression compression;
};

/** Counts of the recording; complete when sonde_ftrace_recorder_run() has returned. */
struct sonde_ftrace_recorder_stats {
	uint64_t bytes;                 /* of the file */
	uint64_t events;                /* events that were read, as the kernel counts them */
	uint64_t lost;                  /* events that were overwritten or dropped before they could be read */
	uint32_t lost_cpus;             /* buffers of CPUs that lost events */
	uint64_t buffer_kb;             /* of the ring buffer of each CPU */
	uint32_t nr_events, nr_cpus;    /* kinds of events that are enabled; CPUs that are read */
	int wait_status;                /* of the command, as wait(2) gives it; -1 if there was none or it still ran */
	bool full;                      /* max_bytes ended the recording */
	enum sonde_ftrace_reader reader;  /* the way in which the pages were read */
	uint64_t unwritten;             /* events for which the file has no room; the file says so too */
};

/** sonde_ftrace_recorder_new - NULL only when out of memory */
SONDE_API struct sonde_ftrace_recorder *sonde_ftrace_recorder_new(void);

/** sonde_ftrace_recorder_free - end what is not finished and free the handle; NULL is accepted */
SONDE_API void sonde_ftrace_recorder_free(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_set_tracefs - use the tracefs at @dir, for a container that has the host's files elsewhere
 * Call it before anything is added. Without it /sys/kernel/tracing is tried, then the place below debugfs. Returns
 * 0 or -SONDE_MISSING.
 */
SONDE_API int sonde_ftrace_recorder_set_tracefs(struct sonde_ftrace_recorder *t, const char *dir);

/**
 * sonde_ftrace_recorder_add_instance - record in the tracing instance @name; the next calls add to it
 * An instance that exists already is used, and gets its settings back in the end. Any other is made, and removed in the
 * end. "" is the recorder's own instance, and for sonde_ftrace_recorder_extract() the main buffer.
 */
SONDE_API int sonde_ftrace_recorder_add_instance(struct sonde_ftrace_recorder *t, const char *name);

/**
 * sonde_ftrace_recorder_add_event - record the events that @text names
 * @text: "SYSTEM:EVENT", "SYSTEM", "EVENT" with shell wildcards, or "all"; or a probe, which is added to the kernel and
 * removed by sonde_ftrace_recorder_free(): "uprobe:FILE:FUNCTION[+OFFSET][%return] [ARGUMENT...]", "probe:FUNCTION..."
 * Returns the number of events, or -SONDE_MISSING; of a probe also -SONDE_DENIED or -SONDE_UNSUPPORTED.
 */
SONDE_API int sonde_ftrace_recorder_add_event(struct sonde_ftrace_recorder *t, const char *text);

/** sonde_ftrace_recorder_count_events - the number of events that @text names; changes nothing, cannot fail */
SONDE_API size_t sonde_ftrace_recorder_count_events(struct sonde_ftrace_recorder *t, const char *text);

/** Kinds of names that tracefs has. */
enum sonde_ftrace_kind {
	SONDE_FTRACE_SYSTEMS, SONDE_FTRACE_EVENTS,  /* "sched"; "sched:sched_switch" */
	SONDE_FTRACE_TRACERS, SONDE_FTRACE_CLOCKS, SONDE_FTRACE_OPTIONS,
};

/**
 * sonde_ftrace_recorder_known - the names that tracefs knows, sorted or in its order
 * The array ends with NULL and lives as long as @t. It is empty if tracefs cannot be read, and NULL only when out of
 * memory.
 */
SONDE_API const char *const *sonde_ftrace_recorder_known(struct sonde_ftrace_recorder *t, enum sonde_ftrace_kind kind);

/**
 * sonde_ftrace_recorder_add_filter - filter the events that were added last
 * @text: a filter expression of the kernel: "prev_pid == 1"
 */
SONDE_API int sonde_ftrace_recorder_add_filter(struct sonde_ftrace_recorder *t, const char *text);

/**
 * sonde_ftrace_recorder_add_trigger - let the events that were added last trigger something
 * @text: a trigger of the kernel: "stacktrace if prev_pid == 1"
 */
SONDE_API int sonde_ftrace_recorder_add_trigger(struct sonde_ftrace_recorder *t, const char *text);

/** sonde_ftrace_recorder_set_tracer - use a tracer beside the events, as "function"; kernels have different ones */
SONDE_API int sonde_ftrace_recorder_set_tracer(struct sonde_ftrace_recorder *t, const char *name);

/** sonde_ftrace_recorder_add_option - switch one of tracefs's options/ on: "stacktrace", or off: "nooverwrite" */
SONDE_API int sonde_ftrace_recorder_add_option(struct sonde_ftrace_recorder *t, const char *name);

/**
 * sonde_ftrace_recorder_set - write @value to another file of the instance: "set_ftrace_filter", "vfs_*"
 * Values after the first one for the same file are appended.
 */
SONDE_API int sonde_ftrace_recorder_set(struct sonde_ftrace_recorder *t, const char *file, const char *value);

/**
 * sonde_ftrace_recorder_open - prepare the instances and the file; the command waits for sonde_ftrace_recorder_run()
 * An existing output file is renamed to NAME.old, but a file that another recorder still writes is left alone, and the
 * call fails. If nothing was recorded, because this call or the start of the command fails, or because the recorder is
 * freed without having run, the new file is removed and the old one gets its name back.
 */
SONDE_API int sonde_ftrace_recorder_open(struct sonde_ftrace_recorder *t,
					 const struct sonde_ftrace_recorder_opts *opts);

/** sonde_ftrace_recorder_start - switch tracing on already, before sonde_ftrace_recorder_run() */
SONDE_API int sonde_ftrace_recorder_start(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_run - record until the command exits, the time is over, max_bytes is reached, or
 * sonde_ftrace_recorder_stop() is called. Finishes the file and removes the instances in any case. Returns 0, or the
 * code of the first failure.
 */
SONDE_API int sonde_ftrace_recorder_run(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_stop - end sonde_ftrace_recorder_run()
 * May be called by a signal handler or another thread, also before the recorder runs.
 */
SONDE_API void sonde_ftrace_recorder_stop(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_extract - write the events that the ring buffers hold already
 * Reads the instances that were added, or, if there are none, the main buffer. The events are taken out of the buffers;
 * tracing goes on. @opts: only output, file_version, cpus, reader, message and ctx are used.
 */
SONDE_API int sonde_ftrace_recorder_extract(struct sonde_ftrace_recorder *t,
					    const struct sonde_ftrace_recorder_opts *opts);

/** sonde_ftrace_recorder_stats - a view that lives as long as @t; not to be read while another thread runs it */
SONDE_API const struct sonde_ftrace_recorder_stats *sonde_ftrace_recorder_stats(const struct sonde_ftrace_recorder *t);

/** sonde_ftrace_recorder_error - why the last call on @t failed; never NULL, lives as long as @t */
SONDE_API const struct sonde_error *sonde_ftrace_recorder_error(const struct sonde_ftrace_recorder *t);

#ifdef __cplusplus
}
#endif
#endif

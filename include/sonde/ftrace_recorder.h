/* SPDX-License-Identifier: MIT */
/**
 * ftrace_recorder.h - record the kernel's trace events through tracefs, into a trace.dat
 *
 *	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
 *	const char *const argv[] = { "ls", NULL };
 *	struct sonde_ftrace_recorder_opts opts = { .sz = sizeof(opts), .output = "trace.dat", .command = argv };
 *	if (sonde_ftrace_recorder_add_event(t, "sched:*") >= 0 && sonde_ftrace_recorder_open(t, &opts) == 0 && sonde_ftrace_recorder_run(t) == 0)
 *		printf("%" PRIu64 " events\n", sonde_ftrace_recorder_stats(t)->events);
 *	sonde_ftrace_recorder_free(t);
 *
 * It works in a tracing instance of its own, which is removed in the end, so that nobody else's tracing is disturbed. What
 * a recorder that was killed has left is removed by the next one. The file is valid from sonde_ftrace_recorder_open() on and stays so.
 * Needs a mounted tracefs and permission to write there.
 */
#ifndef SONDE_FTRACE_RECORDER_H
#define SONDE_FTRACE_RECORDER_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_ftrace_recorder;

/** How the pages of the ring buffers are read. */
enum sonde_ftrace_reader {
	SONDE_FTRACE_AUTO,     /* splice where the file system permits it, else read: what takes the least time */
	SONDE_FTRACE_MAPPED,   /* the ring buffer is mapped (Linux 6.10) */
	SONDE_FTRACE_SPLICE,   /* pages are moved to the file by splice(2) */
	SONDE_FTRACE_READ,     /* read(2) and write(2): works everywhere */
};

/** Fields left 0 are the defaults. Pointers need to live until sonde_ftrace_recorder_open() or sonde_ftrace_recorder_extract() returns. */
struct sonde_ftrace_recorder_opts {
	size_t sz;
	const char *output;             /* "trace.dat" if NULL */
	uint32_t file_version;          /* 6 or 7; 0: 7 */

	/* Whom: the command with what it starts, pids with theirs, or, without either or with all_cpus, everybody. */
	const char *const *command;     /* argv, ends with NULL; started by the recorder, with its PATH */
	const int32_t *pids;            size_t nr_pids;
	bool all_cpus;
	bool no_inherit;                /* leave out tasks that come later */
	const char *cpus;               /* only these: "0-3,8" */

	const char *clock;              /* one of tracefs's trace_clock; NULL: local */
	uint64_t buffer_kb;             /* of the ring buffer of each CPU; 0: chosen by memory and number of CPUs */
	uint32_t subbuf_kb;             /* of its pages; 0: what the kernel has */
	bool stacktrace;                /* the kernel's stack with each event */
	enum sonde_ftrace_reader reader;
	uint32_t realtime_priority;     /* of the threads that empty the buffers: SCHED_FIFO; 0: not */

	uint64_t duration_ms;           /* end after so long; 0: no limit */
	uint64_t max_bytes;             /* end when the file is as large; 0: no limit */

	/* Something the user should know while the recording goes on; from the thread that calls sonde_ftrace_recorder_*(). */
	void (*message)(void *ctx, const char *text);
	void *ctx;

	/* The recording has begun, and about twice a second how many bytes there are; from the thread that runs it. */
	void (*progress)(void *ctx, uint64_t bytes);

	bool include_self;              /* record the recorder's own threads too */
	bool (*more_files)(
		void *ctx); /* as in struct sonde_perf_recorder_opts; called once, when the command has been started */
};

/** Counts; complete when sonde_ftrace_recorder_run() has returned. */
struct sonde_ftrace_recorder_stats {
	uint64_t bytes;                 /* of the file */
	uint64_t events;                /* that were read, by the kernel's own count */
	uint64_t lost;                  /* that were overwritten or dropped before they could be read */
	uint32_t lost_cpus;             /* buffers of CPUs that lost some */
	uint64_t buffer_kb;             /* of the ring buffer of each CPU */
	uint32_t nr_events, nr_cpus;    /* kinds of events that are enabled; CPUs that are read */
	int wait_status;                /* of the command, as wait(2) gives it; -1 if there was none or it still ran */
	bool full;                      /* max_bytes ended the recording */
	enum sonde_ftrace_reader reader;  /* how the pages were read in the end */
	uint64_t unwritten;             /* events that the file has no room for; the file says so too */
};

/** sonde_ftrace_recorder_new - NULL only when out of memory */
SONDE_API struct sonde_ftrace_recorder *sonde_ftrace_recorder_new(void);
SONDE_API void sonde_ftrace_recorder_free(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_set_tracefs - tracefs is mounted at @dir, as in a container that sees the host's files somewhere
 * Before anything is added. Without it /sys/kernel/tracing is tried, then the place below debugfs. Returns 0 or -SONDE_MISSING.
 */
SONDE_API int sonde_ftrace_recorder_set_tracefs(struct sonde_ftrace_recorder *t, const char *dir);

/**
 * sonde_ftrace_recorder_add_instance - what is added from now on belongs to the tracing instance @name
 * One that exists already is used and stays: in the end its settings are what they were. Another one is made and removed in the end.
 * "" is the recorder's own, and for sonde_ftrace_recorder_extract() the main buffer.
 */
SONDE_API int sonde_ftrace_recorder_add_instance(struct sonde_ftrace_recorder *t, const char *name);

/**
 * sonde_ftrace_recorder_add_event - record the events that @text names
 * "SYSTEM:EVENT", "SYSTEM", "EVENT" with shell wildcards, or "all". Returns how many events that are, or -SONDE_MISSING.
 */
SONDE_API int sonde_ftrace_recorder_add_event(struct sonde_ftrace_recorder *t, const char *text);

/** sonde_ftrace_recorder_count_events - how many events sonde_ftrace_recorder_add_event() would add; nothing is changed, no error is set */
SONDE_API size_t sonde_ftrace_recorder_count_events(struct sonde_ftrace_recorder *t, const char *text);

/** What a recorder can be asked for by name. */
enum sonde_ftrace_kind {
	SONDE_FTRACE_SYSTEMS, SONDE_FTRACE_EVENTS,  /* "sched"; "sched:sched_switch" */
	SONDE_FTRACE_TRACERS, SONDE_FTRACE_CLOCKS, SONDE_FTRACE_OPTIONS,
};

/**
 * sonde_ftrace_recorder_known - the names that tracefs knows, sorted or in its order
 * Ends with NULL and lives as long as @t; empty where tracefs cannot be read. NULL only when out of memory.
 */
SONDE_API const char *const *sonde_ftrace_recorder_known(struct sonde_ftrace_recorder *t, enum sonde_ftrace_kind kind);

/** sonde_ftrace_recorder_add_filter - a kernel filter expression for the events that were added last: "prev_pid == 1" */
SONDE_API int sonde_ftrace_recorder_add_filter(struct sonde_ftrace_recorder *t, const char *text);

/** sonde_ftrace_recorder_add_trigger - what the events that were added last trigger: "stacktrace if prev_pid == 1" */
SONDE_API int sonde_ftrace_recorder_add_trigger(struct sonde_ftrace_recorder *t, const char *text);

/** sonde_ftrace_recorder_set_tracer - a tracer beside the events, as "function"; not every kernel permits every one */
SONDE_API int sonde_ftrace_recorder_set_tracer(struct sonde_ftrace_recorder *t, const char *name);

/** sonde_ftrace_recorder_add_option - one of tracefs's options/ is switched on: "stacktrace", or off: "nooverwrite" */
SONDE_API int sonde_ftrace_recorder_add_option(struct sonde_ftrace_recorder *t, const char *name);

/** sonde_ftrace_recorder_set - another file of the instance is written: "set_ftrace_filter", "vfs_*"; several of one file are appended */
SONDE_API int sonde_ftrace_recorder_set(struct sonde_ftrace_recorder *t, const char *file, const char *value);

/**
 * sonde_ftrace_recorder_open - prepare the instances, begin the file; a command is started, but waits for sonde_ftrace_recorder_run()
 * An existing output file is renamed to NAME.old; one that another recorder still writes is left alone, and this fails. When nothing
 * was recorded, because this or the start of the command fails, or because the recorder is freed without having run, the new file is
 * removed and the old one has its name again.
 */
SONDE_API int sonde_ftrace_recorder_open(struct sonde_ftrace_recorder *t,
					 const struct sonde_ftrace_recorder_opts *opts);

/** sonde_ftrace_recorder_start - switch the tracing on already; sonde_ftrace_recorder_run() then goes on from there */
SONDE_API int sonde_ftrace_recorder_start(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_run - record until the command ends, the time is over, max_bytes is reached, or sonde_ftrace_recorder_stop()
 * Finishes the file and removes the instances in any case. Returns 0, or the first failure.
 */
SONDE_API int sonde_ftrace_recorder_run(struct sonde_ftrace_recorder *t);

/** sonde_ftrace_recorder_stop - end sonde_ftrace_recorder_run(); may be called from a signal handler or another thread, also before it */
SONDE_API void sonde_ftrace_recorder_stop(struct sonde_ftrace_recorder *t);

/**
 * sonde_ftrace_recorder_extract - write what is in the ring buffers already
 * From the instances that were added, or, if none was, the main buffer. What is written is taken out of them; they are not
 * stopped. Of @opts only output, file_version, cpus, reader, message and ctx are used.
 */
SONDE_API int sonde_ftrace_recorder_extract(struct sonde_ftrace_recorder *t,
					    const struct sonde_ftrace_recorder_opts *opts);

/** sonde_ftrace_recorder_stats - a view that lives as long as @t; not to be read while another thread runs it */
SONDE_API const struct sonde_ftrace_recorder_stats *sonde_ftrace_recorder_stats(const struct sonde_ftrace_recorder *t);
/** sonde_ftrace_recorder_error - why the last call failed; a view that lives as long as @t */
SONDE_API const struct sonde_error *sonde_ftrace_recorder_error(const struct sonde_ftrace_recorder *t);

#ifdef __cplusplus
}
#endif
#endif

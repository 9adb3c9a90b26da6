/* SPDX-License-Identifier: MIT */
/**
 * perf_recorder.h - record the kernel's performance events into a perf.data
 *
 *	const char *const argv[] = { "ls", NULL };
 *	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .output = "perf.data",
 *						 .target = { .command = argv } };
 *	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
 *
 *	if (sonde_perf_recorder_add_event(r, "cpu-clock") < 0 || sonde_perf_recorder_open(r, &opts) < 0 ||
 *	    sonde_perf_recorder_run(r) < 0)
 *		puts(sonde_perf_recorder_error(r)->text);
 *	else
 *		printf("%" PRIu64 " samples\n", sonde_perf_recorder_stats(r)->samples);
 *	sonde_perf_recorder_free(r);
 *
 * The file is valid from sonde_perf_recorder_open() on and stays so: records that were flushed can be read even when
 * the recorder is killed. Needs Linux 4.1 or newer.
 *
 * With sonde_perf_recorder_opts.calls.event, the events come to a function of the program instead:
 *
 *	const char *const argv[] = { "ls", NULL };
 *	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .target = { .command = argv },
 *						 .calls = { .event = show, .symbols = true } };
 *	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
 *
 *	if (sonde_perf_recorder_add_event(r, "cpu-clock") < 0 || sonde_perf_recorder_open(r, &opts) < 0 ||
 *	    sonde_perf_recorder_run(r) < 0)
 *		puts(sonde_perf_recorder_error(r)->text);
 *	sonde_perf_recorder_free(r);
 *
 * `show` gets all that it needs to name the function:
 *	static int show(void *ctx, const struct sonde_event *ev, const struct sonde_live *live)
 *	{
 *		const struct sonde_frame *f;
 *		if (ev->kind == SONDE_KIND_SAMPLE &&
 *		    sonde_symbols_resolve_of(live->symbols, live->tasks, ev, ev->cpumode, ev->ip, &f) == 0)
 *			printf("%d %s\n", ev->tid, f->symbol ? f->symbol : "?");
 *		return 0;
 *	}
 */
#ifndef SONDE_PERF_RECORDER_H
#define SONDE_PERF_RECORDER_H

#include <sonde/event.h>
#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_perf_recorder;

enum sonde_callgraph {
	SONDE_CALLGRAPH_NONE,
	SONDE_CALLGRAPH_FP,        /* frame pointers, walked by the kernel */
	SONDE_CALLGRAPH_DWARF,     /* registers and a copy of the stack's top with each sample */
	SONDE_CALLGRAPH_LBR,       /* the processor's branch records */
};

enum sonde_perf_recorder_clock { SONDE_CLOCK_DEFAULT = 0, SONDE_CLOCK_ID = 1 };

/** Records that describe the state of the machine before the recording began. */
enum sonde_synth {
	SONDE_SYNTH_NONE = 1 << 0,      /* the kernel and its modules only */
	SONDE_SYNTH_TASKS = 1 << 1,
	SONDE_SYNTH_MAPS = 1 << 2,      /* mappings of processes */
	SONDE_SYNTH_CGROUPS = 1 << 3,   /* with all_cgroups */
};

/** Milliseconds after the recording has begun. */
struct sonde_perf_window {
	uint64_t from_ms;
	uint64_t to_ms;                 /* 0, in the last window only: to the end */
};

struct sonde_trace;
struct sonde_tasks;
struct sonde_symbols;

/** The surroundings of an event that comes while the recording goes on. */
struct sonde_live {
	struct sonde_trace *trace;      /* evlist, metadata and losses so far; it can neither be iterated nor freed */
	const struct sonde_tasks *tasks;  /* at the time of the event; NULL without symbols of the calls */
	struct sonde_symbols *symbols;  /* the same */
};

enum sonde_affinity { SONDE_AFFINITY_NONE, SONDE_AFFINITY_CPU, SONDE_AFFINITY_NODE };

/*
 * The options of a recorder, in groups. A group keeps its members: later options come at the end of
 * struct sonde_perf_recorder_opts.
 */

/**
 * The tasks and CPUs that are measured: one of command, pids, tids, of_user, all_cpus/cpus. A command beside one of the
 * others sets the duration of the recording.
 */
struct sonde_record_target {
	const char *const *command;     /* argv, ends with NULL; started by the recorder, with its PATH */
	const int32_t *pids;            size_t nr_pids;
	const int32_t *tids;            size_t nr_tids;
	bool all_cpus;
	const char *cpus;               /* "0-3,8" */
	bool of_user;                   /* the tasks that uid has at the start, with the command, and their children */
	uint32_t uid;
	bool no_inherit;                /* leave out tasks that come later */
	bool inherit;                   /* with tids: also the tasks that these start; else it is so by itself */
	bool per_thread;                /* one ring per thread instead of one per CPU */
};

/** The frequency or period of events that have none of their own; at most one of freq_hz, freq_max and period. */
struct sonde_record_rate {
	uint64_t freq_hz;               /* 0: 4000 */
	bool freq_max;                  /* as often as kernel.perf_event_max_sample_rate permits */
	bool strict_freq;               /* a frequency that the kernel does not permit is an error */
	uint64_t period;
};

/** The call chain of every sample. */
struct sonde_record_stack {
	enum sonde_callgraph callgraph;
	uint32_t stack_bytes;           /* of SONDE_CALLGRAPH_DWARF; 0: 8192 */
	uint16_t max_stack;             /* frames of a call chain; 0: kernel.perf_event_max_stack */
	bool user_callchains, kernel_callchains;  /* leave the other half out of call chains */
	/* With SONDE_CALLGRAPH_FP: the user part of a call chain is walked when the task returns to user space, once
	 * for all samples until then. Without effect, after a message, where the kernel cannot do so. */
	bool defer_callchains;
	/* SONDE_CALLGRAPH_DWARF: samples have the callchain by frame pointers too, for copies that are too short. */
	bool copies_and_chains;
};

/** Further fields of every sample. */
struct sonde_record_fields {
	bool data_addresses, phys_addresses, data_page_size, code_page_size, weight, transaction, cpu, period_too, raw;
	bool no_time;
	uint64_t branch_sample_type;    /* PERF_SAMPLE_BRANCH_*; 0: none */
	uint64_t user_regs, intr_regs;  /* masks of <asm/perf_regs.h> */
};

/** The side band: records besides samples. */
struct sonde_record_side {
	bool no_samples;                /* the side band only */
	bool switch_events, namespaces, all_cgroups;
	bool data_maps;                 /* mappings without code, too */
	bool task_counts;               /* a READ record with the counts of each inherited task that exits */
	bool no_bpf_events;             /* no records of BPF programs that are loaded and unloaded */
	uint32_t synth;                 /* bits of enum sonde_synth; 0: all */
	bool tail_synthesis;            /* describe the tasks that exist at the end of the file, not at its start */
};

/** The form of the output. */
struct sonde_record_file {
	uint64_t max_bytes;             /* stop when the file reaches this size; 0: no limit */
	uint32_t compression_level;     /* of the kernel's records in the file, with zstd, 1 to 22; 0: not compressed */
	/* With compression_level: the compressed records have a length that is a multiple of 8 (COMPRESSED2), which
	 * perf since 6.16 writes and no older one reads. */
	bool aligned;
	bool no_build_ids;              /* leave out the feature at the end */
	/* For the feature CMDLINE: the words of the recorder's own command line. */
	const char *const *cmdline;     size_t nr_cmdline;
	/* Instead of `output`: a stream of records to output_fd, which stays the caller's. sonde_trace_open_fd()
	 * decodes it, from the other end of a pipe while the recording goes on. With a memfd and `overwrite`, the
	 * newest records come to memory on demand. */
	bool to_fd;
	int output_fd;
	/* `output` is a directory: the recording is its file data, and kcore_dir has a copy of the kernel's code, its
	 * symbols and its list of modules. Changes of the code are recorded. Needs a readable /proc/kcore. */
	bool kcore;
	/* Threads that empty rings, each into a file data.N; `output` is a directory, whose file data has the side
	 * band. "cpu", "core", "package" or "numa": a thread for each; "0-1/0:2-3/2": one that has the rings of the
	 * CPUs 0 and 1 and runs on CPU 0, and so on. Rings of other CPUs go to data. Not for streams, switch_output,
	 * overwrite, snapshot, off_cpu, per_thread and affinity. */
	const char *readers;
	/* Keep a copy of each binary that is mapped here, as perf record does: a directory, "" for ~/.debug. NULL: no
	 * copies. sonde_symbols_opts.buildid_dir finds them. */
	const char *binary_cache;
};

/**
 * Finish the file as OUTPUT.YYYYMMDDhhmmssNN and go on with a new one: when sonde_perf_recorder_snapshot() is called,
 * when an event of sonde_perf_recorder_add_switch_event() happens, and when one of these is reached; 0: not by this.
 */
struct sonde_record_switching {
	bool switch_output;
	uint64_t switch_bytes, switch_ms;
	uint32_t switch_max_files;      /* remove all but the newest; 0: keep all */
};

/** The way from the kernel's rings to the output. */
struct sonde_record_rings {
	uint64_t ring_bytes;            /* of each ring; rounded up to 2^n pages; 0: as much as permitted */
	/* The rings for samples keep the newest records. They are written when sonde_perf_recorder_snapshot() is called
	 * and, without `snapshot`, at the end. */
	bool overwrite, snapshot;
	/* The most memory between the rings and the output. When it is full, and then the rings, records are lost. 0:
	 * 1 GiB, but at most a sixteenth of the machine's. */
	uint64_t queue_bytes;
	bool no_buffering;              /* write every sample at once */
	uint32_t realtime_priority;     /* SCHED_FIFO for the threads that empty the rings and write; 0: not */
	bool prefer_realtime;           /* realtime_priority 1 if that is permitted, and no message if it is not */
	/* Where the thread that runs the recorder empties a ring: on its CPU, or on its node. */
	enum sonde_affinity affinity;
	/* The area of a hardware trace (intel_pt, intel_bts, arm_spe_0, cs_etm) in each ring; 0: 4 MiB for root, else
	 * 128 KiB. With `overwrite`, the area keeps the newest part, which is written when
	 * sonde_perf_recorder_snapshot() is called and, without `snapshot`, at the end. */
	uint64_t aux_bytes;
	uint32_t aux_sample_bytes;      /* of the trace in each sample of the group that it leads; 0: none */
};

/** The times to measure. The side band is recorded all the time. */
struct sonde_record_when {
	int64_t delay_ms;               /* wait before measuring, as with one window; < 0: 0 */
	bool start_disabled;            /* not before sonde_perf_recorder_enable() or the control file says so */
	const struct sonde_perf_window *windows; size_t nr_windows;  /* in these times only */
	/* Commands that come while the recording runs, one in each line: enable [EVENT], disable [EVENT], snapshot,
	 * evlist [-v|-g|-F], ping, stop. Each is answered by "ack\n" and a NUL. The descriptors stay the caller's. */
	bool control;
	int control_fd, ack_fd;         /* ack_fd < 0: no answers */
};

/** Functions of the program, which get `ctx`; each may be NULL. */
struct sonde_record_calls {
	void *ctx;
	/* A message for the user while the recording goes on; called by the thread that calls the recorder. */
	void (*message)(void *ctx, const char *text);
	/* Called when the recording has begun and about twice a second, with the size of the file, by the thread that
	 * runs the recorder. */
	void (*progress)(void *ctx, uint64_t bytes);
	/* Called when the process may open no more files: it may raise the limit and return true. The library changes
	 * no limits. */
	bool (*more_files)(void *ctx);
	void (*print)(void *ctx, const char *text);  /* the answer to evlist of control_fd: a line for each event */
	void (*switched)(void *ctx, const char *path);  /* a file is finished */
	/* Instead of a file: a function that gets each event while the recording goes on, by time, about half a second
	 * after it happened; side band and losses are among them. A thread of the recorder makes the calls, one at a
	 * time, from sonde_perf_recorder_open() to the end of sonde_perf_recorder_run(). A value other than 0 ends the
	 * recording, and sonde_perf_recorder_run() returns it. While the function takes too long, records wait in
	 * buffers of limited size, then in the kernel's rings; what finds no room there comes as a loss. */
	int (*event)(void *ctx, const struct sonde_event *ev, const struct sonde_live *live);
	bool symbols;                   /* keep tasks and symbols, for struct sonde_live */
};

/**
 * Fields left 0 are the defaults of perf record. Pointers need to live until sonde_perf_recorder_open()
 * returns.
 */
struct sonde_perf_recorder_opts {
	size_t sz;
	const char *output;             /* "perf.data" if NULL; "-": a stream on the standard output */
	struct sonde_record_target target;
	struct sonde_record_rate rate;
	struct sonde_record_stack stack;
	struct sonde_record_fields fields;
	struct sonde_record_side side;
	struct sonde_record_file file;
	struct sonde_record_switching switching;
	struct sonde_record_rings rings;
	struct sonde_record_when when;
	struct sonde_record_calls calls;

	/* Privilege levels, for events without modifiers of their own. */
	bool user_only, kernel_only;
	bool group_all;                 /* the events are one group */
	bool exclude_self;              /* leave the recorder out of tracepoints */
	enum sonde_perf_recorder_clock clock;  /* SONDE_CLOCK_ID: time stamps of clock_id, a clockid_t */
	int32_t clock_id;

	/* An event offcpu-time: its samples have the time that a thread slept, in ns, as their period, and the call
	 * chain with which it went to sleep. A sleep shorter than the threshold is added to others of the same thread
	 * and call chain, whose sum comes at the end of the file. */
	bool off_cpu;
	uint64_t off_cpu_threshold_ns;  /* 0: 500 ms */
};

/** Counts of the recording so far; complete when sonde_perf_recorder_run() has returned. */
struct sonde_perf_recorder_stats {
	uint64_t bytes;                 /* written, header and features included */
	uint64_t samples;
	uint64_t lost;                  /* records for which a ring had no room, as the kernel counts them */
	uint64_t lost_rings;            /* rings that lost something */
	uint64_t throttled;             /* times the kernel stopped an event because it came too often */
	uint64_t wakeups;
	uint64_t ring_bytes;            /* of each of the rings for samples */
	uint32_t nr_events, nr_rings, nr_fds;
	int wait_status;                /* of the command, as wait(2) gives it; -1 if there was none or it still ran */
	bool full;                      /* max_bytes ended the recording */
	/* Tells of a recording without samples how often each event happened, and what was left out: a sentence for
	 * people; NULL: it has samples, or memory ran out. */
	const char *why_empty;
};

/** sonde_perf_recorder_new - NULL only when out of memory */
SONDE_API struct sonde_perf_recorder *sonde_perf_recorder_new(void);

/** sonde_perf_recorder_free - end what is not finished and free the handle; NULL is accepted */
SONDE_API void sonde_perf_recorder_free(struct sonde_perf_recorder *r);

/**
 * sonde_perf_recorder_add_event - record the events of @text, a list as for perf record -e
 * A mistake in the text is at the byte that the file_offset of the error tells, from 0 on; SONDE_NONE: at none.
 * Without any event, "cycles:P" is recorded, or the event that comes nearest to it on this machine.
 */
SONDE_API int sonde_perf_recorder_add_event(struct sonde_perf_recorder *r, const char *text);

/**
 * sonde_perf_recorder_add_switch_event - go on with a new file each time one of these events happens
 * @text: a list as for sonde_perf_recorder_add_event(), of tracepoints, breakpoints and events with a period
 * They are counted on all CPUs, or on the tasks of pids, tids and of_user, but not for the recorder itself, and they
 * are not recorded. Sets switch_output.
 */
SONDE_API int sonde_perf_recorder_add_switch_event(struct sonde_perf_recorder *r, const char *text);

/**
 * sonde_perf_recorder_add_event_file - let events be named as a vendor names them
 * @path: a JSON file of perf's pmu-events or of Intel's perfmon, or a directory of such files
 * Before the events are added.
 */
SONDE_API int sonde_perf_recorder_add_event_file(struct sonde_perf_recorder *r, const char *path);

/**
 * sonde_perf_recorder_add_pfm_events - record events by the names of libpfm4, as perf record --pfm-events
 * @text: "UOPS_ISSUED:ANY:c=1,{INST_RETIRED,L2_RQSTS:MISS}"
 * -SONDE_UNSUPPORTED if libpfm.so.4 is not installed, -SONDE_MISSING if it does not know an event on this processor.
 */
SONDE_API int sonde_perf_recorder_add_pfm_events(struct sonde_perf_recorder *r, const char *text);

/**
 * sonde_perf_recorder_add_attr - record an event by its attr
 * @attr: type, config fields, period or frequency, fields of samples, sig_data, and the flags that say what is left
 * out, pinned, exclusive, aux_output, inherit_thread, remove_on_exec and sigtrap; the recorder completes the rest as
 * for an event by name. An event that is removed at exec is not enabled by it: sonde_perf_recorder_enable() does that.
 * @name: of the event in the file
 */
SONDE_API int sonde_perf_recorder_add_attr(struct sonde_perf_recorder *r, const struct sonde_attr *attr,
					   const char *name);

/** sonde_perf_recorder_check_readers - 0, or -SONDE_USAGE with the reason when @text is nothing for `readers` */
SONDE_API int sonde_perf_recorder_check_readers(const char *text, struct sonde_error *err);

/**
 * sonde_branch_filter_parse - "any_call,u" to bits of PERF_SAMPLE_BRANCH_*, which are added to *@bits
 * A list of nothing but u, k and hv means any branch. Returns 0, or -SONDE_USAGE with *@bad at the word that is none.
 */
SONDE_API int sonde_branch_filter_parse(const char *text, uint64_t *bits, const char **bad);

/** sonde_branch_filter_at - the i-th name of a branch filter; NULL after the last */
SONDE_API const char *sonde_branch_filter_at(size_t i);

/** sonde_perf_recorder_event_at - the i-th event name that every kernel knows, as "cpu-clock"; NULL after the last */
SONDE_API const char *sonde_perf_recorder_event_at(size_t i);

/**
 * sonde_perf_recorder_add_filter - filter the tracepoints that were added last
 * @text: a filter expression of the kernel: "prev_pid == 1"
 */
SONDE_API int sonde_perf_recorder_add_filter(struct sonde_perf_recorder *r, const char *text);

/**
 * sonde_perf_recorder_add_cgroups - count for control groups, as perf record -G
 * @names: "a,,b": paths in the cgroup file system for the events that were added, the first for the first event; an
 * empty name is all tasks. The next call goes on with the next event. A single name is for all events. Needs all_cpus.
 * -SONDE_MISSING if there is no such group.
 */
SONDE_API int sonde_perf_recorder_add_cgroups(struct sonde_perf_recorder *r, const char *names);

/** sonde_perf_recorder_for_each_cgroup - all events that were added once for each control group of @names: "a,b" */
SONDE_API int sonde_perf_recorder_for_each_cgroup(struct sonde_perf_recorder *r, const char *names);

/**
 * sonde_perf_recorder_open - open the events and the file; the command waits for sonde_perf_recorder_run()
 * @opts: NULL: record all CPUs into perf.data
 * An existing output file is renamed to NAME.old, but a file that another recorder still writes is left alone, and the
 * call fails. The error names the event, the reason, and what to change; nothing runs then. If nothing was recorded,
 * because this call or the start of the command fails, or because the recorder is freed without having run, the new
 * file is removed and the old one gets its name back.
 */
SONDE_API int sonde_perf_recorder_open(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts);

/**
 * sonde_perf_recorder_plan - make the attrs that sonde_perf_recorder_open() would open, and open nothing
 * For sonde_perf_recorder_print_attrs(). The recorder can be neither opened nor run after it.
 */
SONDE_API int sonde_perf_recorder_plan(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts);

/**
 * sonde_perf_recorder_print_attrs - print the attr of each event, as perf record -vv does
 * After sonde_perf_recorder_open() these are the attrs that the kernel took. @to: NULL: the standard output
 */
SONDE_API int sonde_perf_recorder_print_attrs(struct sonde_perf_recorder *r, const struct sonde_output *to);

/**
 * sonde_perf_recorder_set_roots - look for events in other places than /sys and the mounted tracefs
 * Before the first event is added. @sysfs, @tracefs: NULL: the usual place
 */
SONDE_API int sonde_perf_recorder_set_roots(struct sonde_perf_recorder *r, const char *sysfs, const char *tracefs);

/** sonde_perf_recorder_set_procfs - copy the kernel out of another place than /proc, for the option kcore */
SONDE_API int sonde_perf_recorder_set_procfs(struct sonde_perf_recorder *r, const char *procfs);

/** sonde_perf_recorder_command_pid - the process of the command while it waits or runs; -1 if there is none */
SONDE_API int32_t sonde_perf_recorder_command_pid(const struct sonde_perf_recorder *r);

/**
 * sonde_perf_recorder_run - record until the command or the tasks exit, max_bytes is reached, or
 * sonde_perf_recorder_stop() is called. Finishes the file in any case. Returns 0, or the code of the first failure.
 */
SONDE_API int sonde_perf_recorder_run(struct sonde_perf_recorder *r);

/**
 * sonde_perf_recorder_stop - end sonde_perf_recorder_run()
 * May be called by a signal handler or another thread, also before the recorder runs.
 */
SONDE_API void sonde_perf_recorder_stop(struct sonde_perf_recorder *r);

/**
 * sonde_perf_recorder_snapshot - write the rings that are overwritten, and switch the output
 * Does what the options ask for, soon. May be called by a signal handler or another thread.
 */
SONDE_API void sonde_perf_recorder_snapshot(struct sonde_perf_recorder *r);

/**
 * sonde_perf_recorder_enable - turn events on or off while the recorder is open
 * @name: an event by its name, or NULL for all
 * May be called by another thread while the recorder runs, but then the error is in the return value only:
 * -SONDE_MISSING if no event has this name.
 */
SONDE_API int sonde_perf_recorder_enable(struct sonde_perf_recorder *r, const char *name, bool on);

/**
 * sonde_perf_recorder_set_period - another period, or another frequency for an event that has one
 * As sonde_perf_recorder_enable().
 */
SONDE_API int sonde_perf_recorder_set_period(struct sonde_perf_recorder *r, const char *name, uint64_t period);

/**
 * sonde_perf_recorder_set_filter - filter a tracepoint from now on
 * @name: an event by its name, or NULL for all tracepoints
 * @text: as for sonde_perf_recorder_add_filter()
 * Otherwise as sonde_perf_recorder_enable(). The kernel takes one filter for each tracepoint: -SONDE_UNSUPPORTED if it
 * has one. -SONDE_USAGE: the kernel does not take this filter.
 */
SONDE_API int sonde_perf_recorder_set_filter(struct sonde_perf_recorder *r, const char *name, const char *text);

/** The same three calls for one event by its number, from 0 on, in the order in which events were added. */
SONDE_API int sonde_perf_recorder_enable_at(struct sonde_perf_recorder *r, size_t i, bool on);
SONDE_API int sonde_perf_recorder_set_period_at(struct sonde_perf_recorder *r, size_t i, uint64_t period);
SONDE_API int sonde_perf_recorder_set_filter_at(struct sonde_perf_recorder *r, size_t i, const char *text);

/** sonde_perf_recorder_stats - a view that lives as long as @r; not to be read while another thread runs it */
SONDE_API const struct sonde_perf_recorder_stats *sonde_perf_recorder_stats(const struct sonde_perf_recorder *r);

/** sonde_perf_recorder_error - why the last call on @r failed; never NULL, lives as long as @r */
SONDE_API const struct sonde_error *sonde_perf_recorder_error(const struct sonde_perf_recorder *r);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * profile.h - where the time went: samples gathered by task, function and call stack
 *
 *	struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS };
 *	struct sonde_profile *p = sonde_profile_new(&opts);
 *
 *	if (sonde_profile_add(p, t, NULL) == 0)
 *		sonde_export(p, "folded", NULL, NULL, NULL);
 *	sonde_profile_free(p);
 *
 * A profile is a few tables whose rows refer to one another by number. The tables are complete when the last trace has
 * been added; a row is a view until then, and after that as long as the profile lives.
 */
#ifndef SONDE_PROFILE_H
#define SONDE_PROFILE_H

#include <sonde/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_profile;

/** Further values by which samples are kept apart: see struct sonde_profile_detail */
enum sonde_profile_by {
	SONDE_BY_CPU = 1 << 0,
	SONDE_BY_TIME = 1 << 1,          /* in steps of time_step_ns */
	SONDE_BY_ADDR = 1 << 2,
	SONDE_BY_CGROUP = 1 << 3,
	SONDE_BY_PARALLELISM = 1 << 4,   /* how many threads ran, of a recording with context switches */
	SONDE_BY_SYMBOL_OFFSET = 1 << 5,
	SONDE_BY_DATA_TYPE = 1 << 6,     /* the type of the data that the instruction touches; x86-64 programs */
	SONDE_BY_SRCLINE = 1 << 7,       /* the line of the source: a function is a frame for each of its lines */
	SONDE_BY_BRANCH = 1 << 8,        /* source and flags of a branch: always kept in a profile of branches */
	SONDE_BY_WEIGHT = 1 << 9,        /* the costs of the instruction */
	SONDE_BY_DATA_ADDR = 1 << 10,    /* the address of the data, and the variable there */
	SONDE_BY_DATA_SRC = 1 << 11,     /* where the data came from */
	SONDE_BY_PHYS_ADDR = 1 << 12,
	SONDE_BY_DATA_PAGE_SIZE = 1 << 13,
	SONDE_BY_CODE_PAGE_SIZE = 1 << 14,
	SONDE_BY_TRANSACTION = 1 << 15,
	SONDE_BY_SOCKET = 1 << 16,       /* the processor package of the CPU */
	SONDE_BY_NAMESPACE = 1 << 17,    /* the cgroup namespace of the thread */
	SONDE_BY_TRACE = 1 << 18,        /* the text of a tracepoint's record */
	SONDE_BY_TRACE_FIELDS = 1 << 19, /* fields of tracepoints: trace_fields of the options, or all of them, raw */
	SONDE_BY_BLOCKS = 1 << 20,       /* tells no samples apart: the same as basic_blocks of the options */
};

/** The things that are counted, and what tells them apart. */
enum sonde_profile_mode {
	SONDE_PROFILE_FUNCTIONS,            /* samples by the function that was interrupted, without stacks */
	SONDE_PROFILE_STACKS,               /* samples by their call stack too */
	SONDE_PROFILE_STACKS_IF_ANY,        /* the same from the first event on that was recorded with callchains */
	/* Samples by their call stack with the branches of the branch stack as its innermost frames, the newest branch
	 * innermost. The target of a branch is inside of its source; with outermost it is the other way round. Each
	 * address is a frame of its own. */
	SONDE_PROFILE_BRANCH_HISTORY,
	/* The branches of the branch stacks, not the samples, and no call stacks: a cell's function is a target, and
	 * each branch has a period of 1. */
	SONDE_PROFILE_BRANCHES,
};

/** Fields left 0 do not narrow anything. Pointers need to live as long as the call that takes the options. */
struct sonde_profile_opts {
	size_t sz;
	const struct sonde_symbols_opts *symbols;
	enum sonde_profile_mode mode;
	uint32_t by;                        /* SONDE_BY_*: besides event, task, function and stack */
	uint32_t max_stack;                 /* frames to keep of a stack; 0: 127 */
	const char *const *comms;           size_t nr_comms;
	bool named_only;                    /* leave out samples, and frames of stacks, that have no symbol */
	/* Only samples at which so many threads ran; a recording without context switches has none. None: all. */
	const int32_t *parallelism;         size_t nr_parallelism;
	bool outermost;                     /* keep the outermost frames of a longer stack, not the innermost */
	uint32_t threads;                   /* to unwind and count with; 0: one for each CPU. The result is the same. */
	bool inlined;                       /* stacks with the functions that were inlined, of binaries with DWARF */
	bool full_source_path;              /* SONDE_BY_SRCLINE: the whole path of a file, not its last part */
	bool stitch_lbr;                    /* call stacks of branches: with older calls of the samples before */
	/* Another mode becomes SONDE_PROFILE_BRANCHES if the first event was recorded with branches that are no call
	 * stack. Not with SONDE_PROFILE_BRANCH_HISTORY. */
	bool branches_if_any;
	bool weights;                       /* a sample's period is its weight, at least 1; keeps data and data_src */
	/* Words that name fields of tracepoints: "prev_comm", "sched_switch.prev_comm", "sched:sched_switch.*" (all of
	 * the event), "trace_fields" (all of all events), each with "/raw" or without. At most 20 fields of an event
	 * are kept. They are keys of reports. */
	const char *const *trace_fields;    size_t nr_trace_fields;
	bool raw_trace;                     /* each with "/raw", and SONDE_BY_TRACE keeps all fields as text */
	/* Keep the texts of records, with raw_trace all fields, if all events are tracepoints. They are the keys of a
	 * report without keys then. */
	bool trace_if_only;
	bool timed;                         /* keep each sample besides its cell: sonde_profile_sample_at() */
	/* Keep the blocks of code that branch stacks show, with their cycles. There are no call stacks then; with
	 * branches_if_any there are none if branches are counted. */
	bool basic_blocks;
	uint64_t time_step_ns;              /* of SONDE_BY_TIME; 0: 100 ms */
	const int32_t *sockets;             size_t nr_sockets;  /* samples of these packages only; none: all */
	/* Of `timed`: the most samples to keep; where there are more, none is kept and the profile is as without
	 * `timed`. 0: all are kept. */
	size_t timed_most;
	/* Of SONDE_BY_TIME: steps begin at multiples of time_step_ns since 1970, if the trace tells the date of its
	 * clock. */
	bool dated_steps;
	bool tracks;                        /* keep scheduling, wakeups, tracepoints and losses by time, for pages */
	bool any_task;                      /* tasks do not tell cells apart: all cells are of task 0 */
	bool places;                        /* each address of a call stack is a frame of its own */
	/* Samples of these processes and threads only; others are a part of the whole, as those of other comms. */
	const int32_t *pids;                size_t nr_pids;
	const int32_t *tids;                size_t nr_tids;
	/* of stacks: as SONDE_PROFILE_BRANCH_HISTORY, but a function is one frame, unless `places` is set */
	bool stack_branches;
};

/**
 * sonde_profile_new - an empty profile; NULL only when out of memory
 * sonde_profile_error() has SONDE_USAGE, and each call fails with it, if @opts are refused.
 */
SONDE_API struct sonde_profile *sonde_profile_new(const struct sonde_profile_opts *opts);
SONDE_API void sonde_profile_free(struct sonde_profile *p);

/** sonde_profile_error - why the last call failed, sonde_profile_new() included; never NULL, lives as long as @p */
SONDE_API const struct sonde_error *sonde_profile_error(const struct sonde_profile *p);

/**
 * sonde_profile_add - gather the samples of a trace
 * @query: which samples, NULL: all; its order is not used
 * Events of the same name of several traces are one. Returns 0, or the failure to read on, which is then the error of
 * @p and of @t: earlier samples are in the profile, but after -SONDE_NOMEM it cannot be exported. The losses are in the
 * ledger of @t.
 */
SONDE_API int sonde_profile_add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query);

/**
 * sonde_profile_import - gather the samples of a profile that another tool wrote
 * @t: one that sonde_trace_open() has not opened because it is such a profile: see sonde_trace_profile_format()
 * @query: threads, processes and times to take; NULL: all
 *
 *	if (sonde_trace_open(t, path, NULL) == 0)
 *		sonde_profile_add(p, t, NULL);
 *	else if (sonde_trace_profile_format(t))
 *		sonde_profile_import(p, t, NULL);
 *
 * Functions have the names that the file gives them; pid and tid are -1 where it has none. A weight is a period; where
 * weights have fractions, periods are thousandths, and the event's name ends in " x1000". Returns 0, or the failure,
 * which is then the error of @p and of @t: samples that make sense are in the profile. -SONDE_MISSING: the query asks
 * for CPUs, or for times that the profile does not have. @t can be imported once if it is a pipe.
 */
SONDE_API int sonde_profile_import(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query);

/**
 * sonde_profile_stop - end the sonde_profile_add() that runs, or else the next one: it returns -SONDE_STOPPED
 * It may be called by another thread, and by the function that a trace tells its progress. The profile has the samples
 * so far.
 */
SONDE_API void sonde_profile_stop(struct sonde_profile *p);

/**
 * sonde_profile_begin - gather a trace event by event, for one that is still being recorded
 *
 *	struct sonde_profile *p = sonde_profile_new(NULL);
 *	uint64_t n = 0;
 *
 *	sonde_profile_begin(p, t);
 *	while (sonde_iter_next(it, &ev) > 0) {
 *		sonde_profile_feed(p, t, ev);
 *		if (++n % 10000 == 0) {
 *			sonde_profile_settle(p);
 *			sonde_export(p, "report", NULL, NULL, NULL);
 *			sonde_profile_decay(p, 7);
 *		}
 *	}
 *	sonde_profile_free(p);
 *
 * In place of sonde_profile_add(). The calls may come from several threads, but one at a time.
 */
SONDE_API int sonde_profile_begin(struct sonde_profile *p, struct sonde_trace *t);

/**
 * sonde_profile_feed - take in an event of the trace that was begun last
 * @ev: the next one in order of time; a sample may be left out, other events are needed to attribute samples
 *
 * -SONDE_USAGE: no trace was begun, or sonde_profile_add() has read another one since.
 */
SONDE_API int sonde_profile_feed(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_event *ev);

/** sonde_profile_settle - make the tables complete for the events so far; valid until the next event or decay */
SONDE_API int sonde_profile_settle(struct sonde_profile *p);

/**
 * sonde_profile_ignore_callees - make functions the innermost ones of their stacks
 * @regex: extended regular expression that matches their names. Of several ones on a stack the outermost is kept, and
 * the samples of the stack are its own. Returns 0, -SONDE_USAGE for a bad expression, or -SONDE_NOMEM.
 */
SONDE_API int sonde_profile_ignore_callees(struct sonde_profile *p, const char *regex);

/**
 * sonde_profile_decay - let samples fade: keep @eighths eighths of all numbers, 0 to 8; 0 forgets the samples
 * Cells that fall below a millionth of their event are left out. Cells are numbered anew. -SONDE_USAGE of a profile
 * with `timed`: its samples do not fade.
 */
SONDE_API int sonde_profile_decay(struct sonde_profile *p, uint32_t eighths);

/** An event of the evlist, also one without samples. */
struct sonde_profile_event {
	const char *name;
	const struct sonde_attr *attr;      /* NULL in a trace.dat; lives as long as the trace */
	uint64_t samples, period;           /* sums over the samples taken, and those that `parallelism` left out */
	uint64_t all_samples, all_period;   /* also over the samples that `comms` left out */
	uint64_t all_latency;               /* the same sum of latencies, in thousandths of the period's unit */
	uint64_t cut_stacks;                /* samples at the kernel's limit of frames: outer callers may be missing */
	uint64_t shortened_stacks;          /* samples whose stack has more than max_stack frames */
	/* samples whose callers were found by unwinding a copy of the stack (--call-graph dwarf), by its end */
	uint64_t unwound_complete;          /* at the start of the process or thread */
	uint64_t unwound_cut;               /* the copy is too short: the outer callers are missing */
	uint64_t unwound_no_table;          /* at an address for which no unwind table was found */
	uint64_t unwound_error;             /* the stack and the unwind tables do not agree */
	uint64_t unwound_uretprobe;         /* at a uretprobe: the kernel kept the return address */
	uint32_t leader;                    /* the event that leads its group; its own number if it is in none */
	const char *group;                  /* name of the group that it leads; NULL if none */
};
/** sonde_profile_event_count - how many events there are */
SONDE_API size_t sonde_profile_event_count(const struct sonde_profile *p);

/** sonde_profile_event_at - the i-th event, in the order of the trace; NULL beyond the last */
SONDE_API const struct sonde_profile_event *sonde_profile_event_at(const struct sonde_profile *p, size_t i);

/**
 * sonde_profile_wall_ns - ns from the first sample of a trace to its last, summed over the traces; time that several
 * traces share counts once; 0 without times
 */
SONDE_API uint64_t sonde_profile_wall_ns(const struct sonde_profile *p);

/** A thread under one name: a thread that changed its name is several tasks. */
struct sonde_profile_task {
	int32_t pid, tid;
	const char *comm;                   /* ":1234" if no record named it; never NULL */
	int32_t machine_pid;                /* as in struct sonde_event: 0 for a task of the host */
	uint32_t host;                      /* equal for tasks of one machine; 0: that of the first trace */
	const char *host_name;              /* of other machines than that; NULL: host is 0 */
};
/** sonde_profile_task_count - how many tasks there are */
SONDE_API size_t sonde_profile_task_count(const struct sonde_profile *p);

/** sonde_profile_task_at - the i-th task; NULL beyond the last */
SONDE_API const struct sonde_profile_task *sonde_profile_task_at(const struct sonde_profile *p, size_t i);

/** A function, with its name or without, or an address outside all known functions. */
struct sonde_profile_frame {
	const char *symbol;                 /* NULL if not known */
	const char *dso;                    /* as recorded; NULL if nothing was mapped there */
	const char *dso_name;               /* for people: "libc.so.6", "[ext4]", "[JIT] tid 12", "[unknown]" */
	/* Without a symbol: an offset in the file of the dso, the start of the function if that is known; an address if
	 * there is no file. 0 with a symbol. */
	uint64_t addr;
	uint32_t size;                      /* bytes of the function, with a symbol or not; 0: no known function */
	uint64_t mapping_size;              /* bytes of the first mapping of the dso that had the frame; 0: none */
	enum sonde_binary_kind kind;
	char level;                         /* . user, k kernel, u, g: those of a guest, H hypervisor, ? unknown */
	bool inlined;                       /* into the function whose size that is */
	/* With SONDE_BY_SRCLINE: where the function was, of a caller where its call is. NULL and 0 if not known. */
	const char *file;
	uint32_t line;
};
/** sonde_profile_frame_count - how many functions there are; they are numbered from 0 */
SONDE_API size_t sonde_profile_frame_count(const struct sonde_profile *p);

/** sonde_profile_frame_at - the function of that number, NULL beyond the last; valid until the next call */
SONDE_API const struct sonde_profile_frame *sonde_profile_frame_at(struct sonde_profile *p, size_t i);

/** The program, library or code made at run time without symbols in which most samples are. */
struct sonde_profile_nameless {
	const char *dso, *dso_name;         /* as in struct sonde_profile_frame */
	uint64_t samples;                   /* in its functions without a name */
	uint64_t all_samples;               /* in all functions */
	size_t others;                      /* further programs and libraries with samples in nameless functions */
	enum sonde_binary_kind kind;        /* SONDE_BINARY_JIT: code made at run time */
	const char *reason;                 /* of such code, why it has no names; else NULL */
	bool packaged;                      /* the file is where a distribution installs its files */
};
/**
 * sonde_profile_nameless - where names are missing
 * NULL if no user code without a symbol was interrupted; valid until the next call of this function.
 */
SONDE_API const struct sonde_profile_nameless *sonde_profile_nameless(struct sonde_profile *p);

/** A program, a library, the kernel, a module or code made at run time whose names are missing or may be wrong. */
struct sonde_profile_dso_note {
	const char *dso, *dso_name;         /* as in struct sonde_profile_frame */
	uint64_t samples;                   /* in functions without a name; of a doubt, all */
	uint64_t all_samples;               /* of the profile */
	const char *reason;                 /* why no file was used; NULL: the file has no names */
	const char *doubt;                  /* why a name may be that of another file; or NULL */
	enum sonde_binary_kind kind;
	bool packaged;                      /* the file is where a distribution installs its files */
};
/**
 * sonde_profile_dso_note_at - the i-th of them, in order of their samples; NULL beyond the last
 * The notes are made at i = 0 and are valid until the next call with i = 0.
 */
SONDE_API const struct sonde_profile_dso_note *sonde_profile_dso_note_at(struct sonde_profile *p, size_t i);

/** A program, a library, the kernel, a module or code made at run time, and what is known of it here. */
struct sonde_profile_binary {
	const char *dso, *dso_name;         /* as in struct sonde_profile_frame */
	const uint8_t *build_id;            /* build_id_size bytes; 0 if not known */
	uint8_t build_id_size;
	enum sonde_binary_kind kind;
	uint64_t samples;                   /* that have it anywhere on their stacks */
	uint64_t self;                      /* that interrupted it */
	enum sonde_symbols_place place;     /* of its symbols */
	const char *file;                   /* where they were found; NULL if nowhere */
	bool symbols, lines, unwind, code;  /* what the files that were found have */
	enum sonde_symbols_lack lack;
	const char *reason;                 /* the same in words, of this binary; NULL if there is nothing to say */
};
/**
 * sonde_profile_find_binaries - look for the files of the binaries that samples need
 * @all: also those that were mapped but have no samples; they come last
 * A profile without call stacks knows only the binaries that were interrupted. Returns 0 or -SONDE_NOMEM.
 */
SONDE_API int sonde_profile_find_binaries(struct sonde_profile *p, bool all);

/**
 * sonde_profile_binary_at - the i-th binary that was found last, in order of samples; NULL beyond the last
 * Valid until the next sonde_profile_find_binaries().
 */
SONDE_API const struct sonde_profile_binary *sonde_profile_binary_at(const struct sonde_profile *p, size_t i);

/** Code that runs without a taken branch; of blocks with one end, the longest. */
struct sonde_profile_block {
	const char *symbol, *dso_name;      /* the function; dso_name as in struct sonde_profile_frame */
	uint64_t start, end;                /* offsets in the function; of the branch that ends it; start 0: unknown */
	const char *start_place, *end_place;    /* "div.c:42", or "main+16" where no line is known */
	uint64_t runs, cycles;              /* runs whose cycles were recorded, and their sum */
};
/** sonde_profile_find_blocks - list the blocks of a profile with opts.basic_blocks; 0 or -SONDE_NOMEM */
SONDE_API int sonde_profile_find_blocks(struct sonde_profile *p);

/** sonde_profile_block_at - the i-th block that was found last, in order of cycles; NULL beyond the last */
SONDE_API const struct sonde_profile_block *sonde_profile_block_at(const struct sonde_profile *p, size_t i);

/**
 * sonde_profile_find_ipc - count instructions per cycle of functions, for the column ipc_lbr of a report
 * Needs opts.basic_blocks, and reads the code of functions that have blocks with cycles. Returns 0 or -SONDE_NOMEM.
 */
SONDE_API int sonde_profile_find_ipc(struct sonde_profile *p);

/** sonde_profile_block_cycles - the cycles of all branches, also of those outside of functions */
SONDE_API uint64_t sonde_profile_block_cycles(const struct sonde_profile *p);

/** A call stack: its outer part is the stack `parent`. Number 0 is the empty stack. */
struct sonde_profile_stack {
	uint32_t parent;                    /* less than its own number */
	uint32_t frame;                     /* the innermost one */
};
/** sonde_profile_stack_count - how many stacks there are */
SONDE_API size_t sonde_profile_stack_count(const struct sonde_profile *p);

/** sonde_profile_stack_at - the call stack of that number; together they are a tree; NULL beyond the last */
SONDE_API const struct sonde_profile_stack *sonde_profile_stack_at(const struct sonde_profile *p, size_t i);

/** The samples that share all of these values. */
struct sonde_profile_cell {
	uint32_t event, task;
	uint32_t frame;                     /* the function that was interrupted */
	uint32_t stack;                     /* 0 if there is none */
	int32_t cpu;                        /* -1 if not kept */
	uint32_t detail;                    /* number of the detail; 0: none was kept */
	uint64_t samples, period;
	uint64_t latency;                   /* sum of periods, each divided by how many threads ran, in thousandths */
};
/** Further values that the samples of a cell share; a field that is not kept is 0. */
struct sonde_profile_detail {
	uint64_t time;                      /* when the step of time began, in nanoseconds */
	uint64_t addr;                      /* of the instruction, as the process saw it */
	uint64_t cgroup;                    /* id; its name: sonde_profile_cgroup() */
	uint64_t parallelism;               /* threads that ran */
	uint64_t symbol_offset;             /* from the start of the function; without a function the address */
	uint64_t data_type;                 /* number; sonde_profile_data_type_at() */
	uint64_t source;                    /* of a branch: the number of the function where it begins, and 1 */
	uint64_t source_offset;             /* of a branch: as symbol_offset, which is that of the target */
	uint64_t branch_flags;              /* as in struct sonde_branch */
	uint64_t weight, weight2, weight3;  /* latencies of the access, of the instruction, until it retires */
	uint64_t data_addr;                 /* of the data */
	uint64_t data;                      /* the number of the variable there, which is a frame, and 1 */
	uint64_t data_offset;               /* from the start of the variable; without one the address */
	uint64_t data_src;                  /* as in struct sonde_sample */
	uint64_t phys_addr, data_page_size, code_page_size, transaction;
	uint64_t socket;                    /* of the CPU, and 1; 0 if not recorded */
	uint64_t namespace_dev, namespace_ino;  /* the file of the thread's cgroup namespace; 0 if not recorded */
	uint64_t trace;                     /* number of the text, and 1; sonde_profile_trace() */
	uint64_t trace_fields;              /* number of the values of the fields, and 1 */
	uint64_t code_moment;               /* SONDE_BY_SYMBOL_OFFSET, of kernel code: TEXT_POKE records before */
};
/** sonde_profile_detail_count - how many details there are */
SONDE_API size_t sonde_profile_detail_count(const struct sonde_profile *p);

/** sonde_profile_detail_at - the detail of that number; number 0 is all 0; NULL beyond the last */
SONDE_API const struct sonde_profile_detail *sonde_profile_detail_at(const struct sonde_profile *p, size_t i);

/** The data that an instruction touches: a type, and a place in it. */
struct sonde_data_type {
	const char *name;                   /* "struct node", "(unknown)", "(stack operation)", "(stack canary)" */
	const char *member;                 /* "point.x"; NULL if the type has no member there */
	uint64_t offset;                    /* in the type */
	bool is_type;                       /* else the name says what there is instead, and the rest is 0 */
};
/** sonde_profile_data_type_at - the data type of that number, 0: "(unknown)"; NULL beyond the last */
SONDE_API const struct sonde_data_type *sonde_profile_data_type_at(const struct sonde_profile *p, size_t i);

/** sonde_profile_trace - the text of a tracepoint's record by `trace` of a detail; NULL for 0 */
SONDE_API const char *sonde_profile_trace(const struct sonde_profile *p, uint64_t trace);

/** sonde_profile_unknown_field - the first of opts.trace_fields that names no field; NULL: each names one */
SONDE_API const char *sonde_profile_unknown_field(const struct sonde_profile *p);

/** sonde_profile_fields_left_out - does opts.trace_fields name more than 20 fields of the i-th event? */
SONDE_API bool sonde_profile_fields_left_out(const struct sonde_profile *p, size_t i);

/** sonde_profile_cgroup - the path of a cgroup, NULL if the trace does not tell */
SONDE_API const char *sonde_profile_cgroup(const struct sonde_profile *p, uint64_t id);

/** A sample that was counted, in a profile with `timed`; of branches each one, at the time of its sample. */
struct sonde_profile_sample {
	uint64_t time;                      /* ns by the clock of the trace; SONDE_NONE: none */
	uint64_t period;
	uint32_t cell;                      /* event, task, stack: sonde_profile_cell_at() */
	uint32_t cpu;                       /* UINT32_MAX: not recorded */
};
/** sonde_profile_sample_count - how many samples were kept; 0 without `timed` */
SONDE_API size_t sonde_profile_sample_count(const struct sonde_profile *p);

/**
 * sonde_profile_sample_at - the i-th sample by time, those without a time last; NULL beyond the last
 * The order is the same for any number of threads. A view until the next trace is added.
 */
SONDE_API const struct sonde_profile_sample *sonde_profile_sample_at(const struct sonde_profile *p, size_t i);

/** sonde_profile_has_callchains - are stacks kept, because that was asked for or because there are some? */
SONDE_API bool sonde_profile_has_callchains(const struct sonde_profile *p);

/** sonde_profile_has_branches - are branches counted, because that was asked for or because there are some? */
SONDE_API bool sonde_profile_has_branches(const struct sonde_profile *p);

/** sonde_profile_has_latency - has a trace context switches, which say how many threads ran at a sample? */
SONDE_API bool sonde_profile_has_latency(const struct sonde_profile *p);

/** sonde_profile_cell_count - how many cells there are */
SONDE_API size_t sonde_profile_cell_count(const struct sonde_profile *p);

/** sonde_profile_cell_at - the i-th cell, in the order of first appearance; NULL beyond the last */
SONDE_API const struct sonde_profile_cell *sonde_profile_cell_at(const struct sonde_profile *p, size_t i);

#ifdef __cplusplus
}
#endif
#endif

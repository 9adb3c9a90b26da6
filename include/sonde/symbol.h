/* SPDX-License-Identifier: MIT */
/**
 * symbol.h - the task that an event belongs to, and the function at an address
 *
 *	struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME };
 *	struct sonde_tasks *tasks = sonde_tasks_new(t);
 *	struct sonde_symbols *symbols = sonde_symbols_new(NULL);
 *	struct sonde_iter *it = sonde_iter_new(t, &by_time);
 *	const struct sonde_event *ev;
 *	const struct sonde_frame *frame;
 *
 *	while (sonde_iter_next(it, &ev) > 0) {
 *		sonde_tasks_apply(tasks, ev);
 *		if (ev->kind == SONDE_KIND_SAMPLE &&
 *		    sonde_symbols_resolve_of(symbols, tasks, ev, ev->cpumode, ev->ip, &frame) == 0)
 *			printf("%d %s\n", ev->tid, frame->symbol ? frame->symbol : "?");
 *	}
 *	sonde_iter_free(it);
 *	sonde_symbols_free(symbols);
 *	sonde_tasks_free(tasks);
 */
#ifndef SONDE_SYMBOL_H
#define SONDE_SYMBOL_H

#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_tasks;

/** sonde_tasks_new - processes, threads and mappings of @t, which must outlive it; NULL only when out of memory */
SONDE_API struct sonde_tasks *sonde_tasks_new(struct sonde_trace *t);
SONDE_API void sonde_tasks_free(struct sonde_tasks *tasks);

/**
 * sonde_tasks_apply - take in an event; feed every event of a walk in time order, samples may be left out
 * The functions below answer for the moment of this event. Returns 0 or -SONDE_NOMEM.
 */
SONDE_API int sonde_tasks_apply(struct sonde_tasks *tasks, const struct sonde_event *ev);

/**
 * sonde_tasks_comm - the name of a thread of the host now, NULL if no record named it; a view that lives as long as
 * @tasks
 */
SONDE_API const char *sonde_tasks_comm(const struct sonde_tasks *tasks, int32_t pid, int32_t tid);

/** sonde_tasks_comm_of - the same for the thread of @ev, on whichever machine it ran: see sonde_event.machine_pid */
SONDE_API const char *sonde_tasks_comm_of(const struct sonde_tasks *tasks, const struct sonde_event *ev);

/** Files of binaries that debuginfod servers were asked for. */
struct sonde_fetches {
	size_t asked;                       /* all of them */
	size_t pending;                     /* still awaited */
	size_t late;                        /* came after they were needed: the next run has them */
	size_t absent;                      /* no server has them */
	size_t unanswered;                  /* no answer in time, or not all of it */
	size_t refused;                     /* of another build than was asked for */
	size_t unreachable;                 /* no server could be asked: a connection was refused, a name is unknown */
	int unreachable_errno;              /* why, as errno has it, of the last one of these; else 0 */
};

enum sonde_symbol_note_kind {
	SONDE_NOTE_NAMES,                   /* why no file with names was used */
	SONDE_NOTE_DOUBT,                   /* why names may be those of another file */
	SONDE_NOTE_LINES,                   /* a file with lines that was not used, or why none is asked for */
	SONDE_NOTE_MEMORY                   /* names, lines or inlined functions are missing for want of memory */
};

/** A reason why names, lines or inlined functions of a binary are missing or may be wrong. */
struct sonde_symbol_note {
	enum sonde_symbol_note_kind kind;
	const char *dso;                    /* as in struct sonde_frame */
	const char *text;                   /* with the name of a file and, where ids differ, both */
	/*
	 * Of code made at run time: interrupted addresses in it without a name, and all interrupted addresses that
	 * scripts and exports of events have looked up; else 0.
	 */
	uint64_t unnamed, interrupted;
};

struct sonde_symbols;
struct sonde_symbols_opts {
	size_t sz;
	const char *symfs;                  /* root under which the recorded paths are looked up */
	const char *kallsyms;               /* instead of /proc/kallsyms */
	const char *vmlinux;                /* kernel image with symbols */
	const char *const *debug_dirs;      /* ends with NULL; default /usr/lib/debug */
	bool no_demangle;
	bool no_cache;                      /* do not use the symbol cache on disk */
	const char *sysroot;                /* looked below first, then below symfs */
	const char *buildid_dir;            /* perf's cache of binaries; default ~/.debug; "": none */
	bool demangle_kernel;               /* demangle the names of the kernel and its modules, too */
	bool debuginfod;                    /* ask the servers of $DEBUGINFOD_URLS for files that are not here */
	/*
	 * Called when the symbols are freed, by the thread that does it, if a server was asked: while files are
	 * awaited, and when none is any more. They are awaited for 30 seconds at most, unless it returns other than 0.
	 * NULL: they are given up.
	 */
	int (*fetched)(void *ctx, const struct sonde_fetches *fetches);
	void *fetched_ctx;
	const char *archive;                /* of `perf archive`; default: those beside the recording */
	/*
	 * Called when the symbols are freed, by the thread that does it, for each note about the binaries that were
	 * asked for. NULL: nobody is told.
	 */
	void (*noted)(void *ctx, const struct sonde_symbol_note *note);
	void *noted_ctx;
	bool debuginfod_kernel;             /* ask also for the debug file of the kernel: hundreds of megabytes */
	/*
	 * Believe perf-PID.map and jitdumps whoever has written them; default: those of root, of this user and of the
	 * user whose process it is, as long as it runs.
	 */
	bool force;
};

/**
 * sonde_symbols_new - a symboliser; NULL only when out of memory
 * sonde_symbols_error() has SONDE_USAGE, and each call fails with it, if @opts are refused. Binaries are opened when
 * they are first needed. A symboliser knows binaries by their number in one sonde_tasks: do not use it with a second
 * one.
 */
SONDE_API struct sonde_symbols *sonde_symbols_new(const struct sonde_symbols_opts *opts);
SONDE_API void sonde_symbols_free(struct sonde_symbols *symbols);

/** sonde_symbols_error - why calls fail: the options were refused; never NULL, lives as long as @symbols */
SONDE_API const struct sonde_error *sonde_symbols_error(const struct sonde_symbols *symbols);

enum sonde_binary_kind {
	SONDE_BINARY_NONE,
	SONDE_BINARY_USER,
	SONDE_BINARY_KERNEL,
	SONDE_BINARY_MODULE,
	SONDE_BINARY_JIT,
	SONDE_BINARY_VDSO,
	SONDE_BINARY_OTHER
};

/** Where the symbols of a binary were found. */
enum sonde_symbols_place {
	SONDE_PLACE_NOWHERE,
	SONDE_PLACE_FILE,                   /* the binary itself, at its recorded path */
	SONDE_PLACE_DEBUG_FILE,             /* its separate debug file */
	SONDE_PLACE_CACHE,                  /* perf's cache of binaries */
	SONDE_PLACE_ARCHIVE,                /* an archive of `perf archive` */
	SONDE_PLACE_DEBUGINFOD,             /* a server, or the cache of what one has sent */
	SONDE_PLACE_KERNEL,                 /* the running kernel, or a list or image of a kernel */
	SONDE_PLACE_MAP,                    /* perf-PID.map or a jitdump */
	SONDE_PLACE_RECORDING,              /* the recording itself */
	SONDE_PLACE_BUNDLE,                 /* the bundle behind the recording */
};

/** Why symbols of a binary are missing or uncertain. */
enum sonde_symbols_lack {
	SONDE_LACK_NOTHING,
	SONDE_LACK_FILE,                    /* there is no file */
	SONDE_LACK_STRIPPED,                /* the file has dynamic symbols at most, and there is no debug file */
	SONDE_LACK_OTHER_ID,                /* the file at its path is of another build */
	SONDE_LACK_DELETED,                 /* deleted or replaced before the end of the recording */
	SONDE_LACK_ID,                      /* no build id was recorded by which a file could be found or verified */
	SONDE_LACK_PERMISSION,
	SONDE_LACK_DAMAGED,                 /* the file is no ELF file that can be read */
	SONDE_LACK_MAP,                     /* of code made at run time: no perf-PID.map and no jitdump */
	SONDE_LACK_VDSO,                    /* the vdso of another kernel */
	SONDE_LACK_KERNEL,                  /* another kernel than the running one, and no list of its symbols */
	SONDE_LACK_GUEST,                   /* on a guest, whose files are not here */
};

/** The place of an address. Its strings and build id live as long as the tasks and the symboliser. */
struct sonde_frame {
	uint64_t ip;
	const char *symbol;            /* demangled; NULL if none is known */
	uint64_t symbol_offset;        /* of ip from the start of the symbol */
	/* path as recorded, "[kernel.kallsyms]", "[vdso]"; NULL if nothing is mapped there */
	const char *dso;
	uint64_t dso_addr;             /* of ip in the binary: a file offset for ELF files, else ip itself */
	enum sonde_binary_kind kind;
	const uint8_t *build_id;       /* build_id_size bytes; 0 if not known */
	uint8_t build_id_size;
};

/**
 * sonde_symbols_resolve - the function at @ip in process @pid of the host, as things are now in @tasks
 * @cpumode: of the ip: sonde_event.cpumode, or what sonde_chain_next() says
 * @out: set to a view until the next call on @symbols, also for an address that is not known
 * Returns 0, -SONDE_USAGE if the options of @symbols were refused, or -SONDE_NOMEM.
 */
SONDE_API int sonde_symbols_resolve(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, int32_t pid,
				    uint8_t cpumode, uint64_t ip, const struct sonde_frame **out);

/**
 * sonde_symbols_resolve_of - the same for the process of @ev, on whichever machine it ran; @ip need not be that of
 * @ev
 */
SONDE_API int sonde_symbols_resolve_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
				       const struct sonde_event *ev, uint8_t cpumode, uint64_t ip,
				       const struct sonde_frame **out);

/** A function at an address as its source has it: that of the address, or one that was inlined into it. */
struct sonde_source_frame {
	const char *function;          /* demangled; NULL if not known */
	const char *file;              /* path; NULL if not known */
	uint32_t line, column;         /* 0: not known */
	bool inlined;                  /* into the function of the next frame */
};

/**
 * sonde_symbols_source_of - find the functions and source lines of @ip, in the process of @ev as things are now
 * @cpumode: of the ip, as for sonde_symbols_resolve_of()
 * @is_caller: @ip is where a call returns to, as all addresses of a call chain but the first one of a mode: the place
 * is that of the call
 * Returns the number of frames for sonde_symbols_source_at(); 0 if no DWARF of the binary covers the address;
 * -SONDE_USAGE if the options of @symbols were refused; -SONDE_NOMEM.
 */
SONDE_API int sonde_symbols_source_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
				      const struct sonde_event *ev, uint8_t cpumode, uint64_t ip, bool is_caller);

/**
 * sonde_symbols_source_in - find the functions and source lines of an address of a file
 * @path: an ELF program or library; @addr: as the file states it, in one of its segments
 * Returns as sonde_symbols_source_of(); 0 also if there is no such file.
 *
 *	struct sonde_symbols *symbols = sonde_symbols_new(NULL);
 *	int n = sonde_symbols_source_in(symbols, "/bin/true", 0x1234);
 *
 *	for (int i = 0; i < n; i++) {
 *		const struct sonde_source_frame *f = sonde_symbols_source_at(symbols, (size_t)i);
 *		printf("%s %s:%u\n", f->function ? f->function : "?", f->file ? f->file : "?", f->line);
 *	}
 *	sonde_symbols_free(symbols);
 */
SONDE_API int sonde_symbols_source_in(struct sonde_symbols *symbols, const char *path, uint64_t addr);

/**
 * sonde_symbols_source_at - the i-th frame that was found last, NULL beyond the last
 * The innermost one is the first. The place of each other one is its call of the frame before. Valid until the next
 * call on @symbols; its strings live as long as @symbols.
 */
SONDE_API const struct sonde_source_frame *sonde_symbols_source_at(struct sonde_symbols *symbols, size_t i);

/**
 * sonde_chain_next - the next address of a call chain
 * @chain, @nr: sonde_sample.callchain
 * @at: where the walk is; 0 before the first call
 * @cpumode: the mode of the last address; sonde_event.cpumode before the first call
 * @ip: set when 1 is returned, to an address whose mode is *cpumode
 * Context markers and the cookie of a deferred chain are passed over.
 * Returns 1, 0 at the end, -SONDE_CORRUPT at a marker that is not known: the rest makes no sense then.
 *
 *	uint8_t cpumode = ev->cpumode;
 *	uint64_t ip;
 *	for (size_t at = 0; sonde_chain_next(s->callchain, s->nr_callchain, &at, &cpumode, &ip) > 0;)
 *		printf("%" PRIx64 "\n", ip);
 */
SONDE_API int sonde_chain_next(const uint64_t *chain, size_t nr, size_t *at, uint8_t *cpumode, uint64_t *ip);

/**
 * sonde_symbols_chain_of - find the functions of the whole call chain of a sample, as things are now
 * @ev: the event at hand in its iterator; the trace is that of @tasks
 * @max_stack: addresses at most; 0: 127
 * The chain is the recorded one; of an event of a trace.dat, that of the kernel_stack and user_stack events that follow
 * it, with the addresses of an earlier boot moved to this one (0: they have no place in it). Its user part is what a
 * copy of the stack (--call-graph dwarf) or branches of calls (--call-graph lbr) show, where the sample has them.
 * Inlined functions: sonde_symbols_source_of().
 * Returns the number of frames for sonde_symbols_chain_at(); 0 if @ev has no call chain or one that makes no sense;
 * -SONDE_USAGE if the options of @symbols were refused; -SONDE_NOMEM.
 *
 *	int n = sonde_symbols_chain_of(symbols, tasks, ev, 0);
 *
 *	for (int i = 0; i < n; i++) {
 *		const struct sonde_frame *f = sonde_symbols_chain_at(symbols, (size_t)i);
 *		printf("%" PRIx64 " %s\n", f->ip, f->symbol ? f->symbol : "[unknown]");
 *	}
 */
SONDE_API int sonde_symbols_chain_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
				     const struct sonde_event *ev, uint32_t max_stack);

/**
 * sonde_symbols_chain_at - the i-th frame that was found last, NULL beyond the last
 * The innermost one is the first. The function of a caller is that of the call: where a function ends with a call, its
 * address may be behind the function. Valid until the next call on @symbols.
 */
SONDE_API const struct sonde_frame *sonde_symbols_chain_at(const struct sonde_symbols *symbols, size_t i);

/** The largest size of a copy of a stack that the kernel takes (--call-graph dwarf,BYTES). */
#define SONDE_STACK_BYTES_MOST 65528

/** The worth of the copies of stacks in a recording. */
struct sonde_stack_sizes {
	uint64_t stacks;             /* copies that were unwound to their end, or to the start of the thread */
	uint64_t cut;                /* of them: the copy is too short */
	uint32_t copied;             /* bytes of a copy; of the event with the largest ones */
	uint32_t enough;             /* bytes for 97 % of the stacks of known size, or the most there are; 0: unknown */
	uint64_t whole_with_enough;  /* stacks that would surely be complete with `enough` */
};

/**
 * sonde_trace_stack_sizes - which size of --call-graph dwarf would have been enough
 * @t: opened, and not yet iterated if it is a stream
 * @most: look at so many stacks at most, from the first one on
 * @out: a view until the next call; `stacks` is 0 for a recording without copies of stacks
 *
 * A stack that was cut is as long as the complete stacks of the same thread tell. Returns 0 or the failure of reading.
 */
SONDE_API int sonde_trace_stack_sizes(struct sonde_trace *t, uint64_t most, const struct sonde_stack_sizes **out);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * trace.h - open a trace, walk its events, list its losses
 *
 *	struct sonde_trace *t = sonde_trace_new();
 *	const struct sonde_event *ev;
 *
 *	if (sonde_trace_open(t, "perf.data", NULL) == 0) {
 *		struct sonde_iter *it = sonde_iter_new(t, NULL);
 *
 *		while (sonde_iter_next(it, &ev) > 0)
 *			printf("%" PRIu64 " %s\n", ev->time, ev->evsel ? ev->evsel->name : "");
 *		sonde_iter_free(it);
 *	}
 *	if (sonde_trace_error(t)->code)
 *		puts(sonde_trace_error(t)->text);
 *	sonde_trace_free(t);
 *
 * A trace and all objects made from it belong to one thread at a time; traces share nothing. Iterating may start a
 * thread that reads ahead: it takes no signals, calls no function of the program, and ends with the trace. A child of
 * fork() lacks that thread, so it opens traces of its own.
 */
#ifndef SONDE_TRACE_H
#define SONDE_TRACE_H

#include <sonde/event.h>
#include <sonde/meta.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_trace;
struct sonde_iter;

struct sonde_open_opts {
	size_t sz;
	uint64_t max_bytes;   /* refuse larger inputs; 0: no limit */
	uint64_t max_memory;  /* keep windows of events small enough for so much memory; 0: up to 400 MB */
	/* The next three members say how the stamps in a trace.dat become times. */
	bool raw_stamps;      /* leave stamps as they are; the other two and the offset are ignored then */
	bool no_date;         /* ignore the distance to the wall clock that trace-cmd record --date noted */
	uint64_t stamps_per_second;  /* ticks of a clock that does not count nanoseconds; 0: as the file says */
	int64_t offset_ns;    /* added to all times, of any format */
	/* Called every few thousand events with the share of the input that has been read, 0 to 1, and with 1 at the
	 * end, on the thread that iterates. A stream has no known length: it is called at the end only. May be NULL. */
	void (*progress)(void *ctx, double share);
	void *progress_ctx;
};

/** sonde_trace_new - NULL only when out of memory */
SONDE_API struct sonde_trace *sonde_trace_new(void);
/** sonde_trace_free - free a trace, after all objects made from it; NULL is accepted */
SONDE_API void sonde_trace_free(struct sonde_trace *t);

/**
 * sonde_trace_open - open a file, or "-" for the standard input, whichever format it has
 * A file is read block by block as the iterator asks for events; if it becomes shorter meanwhile, the loss ledger says
 * so. A pipe is read as its bytes arrive, so that a stream can be followed while it is written; it can be iterated
 * once. A compressed record is decompressed to at most 1000 times its size plus 16 MiB.
 * Returns 0, also for a damaged file that can be read in part: the loss ledger lists the missing parts. -SONDE_FORMAT
 * if it is no trace, -SONDE_CORRUPT or -SONDE_TRUNCATED if no part can be read, -SONDE_UNSUPPORTED, -SONDE_SYSTEM,
 * -SONDE_DENIED, -SONDE_NOMEM, -SONDE_USAGE if @t is open already.
 */
SONDE_API int sonde_trace_open(struct sonde_trace *t, const char *path, const struct sonde_open_opts *opts);

/** sonde_trace_open_fd - as above from @fd, which stays the caller's; @name is for messages */
SONDE_API int sonde_trace_open_fd(struct sonde_trace *t, int fd, const char *name, const struct sonde_open_opts *opts);

/** sonde_trace_open_memory - as above from @size bytes, which must outlive @t */
SONDE_API int sonde_trace_open_memory(struct sonde_trace *t, const void *data, size_t size, const char *name,
				      const struct sonde_open_opts *opts);

/**
 * sonde_trace_profile_format - the format of a file that is no trace, but a profile that sonde_profile_import() takes
 * "perf script", "folded", "pprof", "firefox", "speedscope", or one that is refused by its name (docs/import.md), after
 * sonde_trace_open() has returned -SONDE_FORMAT; NULL: it is none.
 */
SONDE_API const char *sonde_trace_profile_format(const struct sonde_trace *t);

/** sonde_trace_error - why the last call on @t, or on an iterator of it, failed; never NULL, lives as long as @t */
SONDE_API const struct sonde_error *sonde_trace_error(const struct sonde_trace *t);

enum sonde_mode { SONDE_MODE_FILE, SONDE_MODE_PIPE, SONDE_MODE_DIRECTORY };

/** The properties of a trace, without its events. */
struct sonde_trace_info {
	const char *format;        /* "perf.data" or "trace.dat" */
	const char *path;          /* as opened */
	enum sonde_mode mode;
	uint32_t version;          /* perf.data: 1 or 2; trace.dat: 6 or 7 */
	bool big_endian;
	uint32_t long_size;        /* bytes in a long of the recorder, 0 if not known */
	uint64_t size_bytes;       /* of the input, SONDE_NONE if it is a stream */
	uint64_t data_offset;      /* where the records begin */
	uint64_t data_size;        /* bytes of records, of a directory in its file data; SONDE_NONE if it is a stream */
	const char *const *files;  /* of a directory: "data", "data.0", ...; sonde_event.file is an index of these */
	size_t nr_files;           /* 0 if it is no directory */
};
SONDE_API const struct sonde_trace_info *sonde_trace_info(const struct sonde_trace *t);

/** sonde_trace_evsel_count - how many events the evlist has so far */
SONDE_API size_t sonde_trace_evsel_count(const struct sonde_trace *t);

/** sonde_trace_evsel_at - the event of that index; NULL beyond the last; a view that lives as long as @t */
SONDE_API const struct sonde_evsel *sonde_trace_evsel_at(const struct sonde_trace *t, size_t index);

/** The loss ledger: events that the reader could not deliver, and events that the recorder says it lost. */
enum sonde_loss_kind {
	SONDE_LOSS_RECORDER,       /* LOST records: events that found a ring full */
	SONDE_LOSS_SAMPLES,        /* LOST_SAMPLES: samples the hardware or a filter dropped */
	SONDE_LOSS_THROTTLED,      /* THROTTLE: times the kernel stopped an event */
	SONDE_LOSS_TRUNCATED,      /* the input ends before what it promised */
	SONDE_LOSS_CORRUPT,        /* bytes that are no records, skipped */
	SONDE_LOSS_FEATURE,        /* a header feature that could not be decoded */
	SONDE_LOSS_UNKNOWN_ID,     /* records of an event that the file does not describe */
	SONDE_LOSS_ORDER,          /* events older than what time order had already delivered */
	SONDE_LOSS_UNSUPPORTED,    /* data that this version cannot read */
};
struct sonde_loss {
	enum sonde_loss_kind kind;
	uint64_t count;            /* events, times, or bytes: the text says which */
	uint64_t file_offset;      /* of the first, SONDE_NONE if nowhere */
	uint64_t time_first, time_last;  /* SONDE_NONE if not known */
	int32_t cpu;               /* -1: several or unknown */
	const char *text;          /* a sentence */
	/* Of bytes that are no records: what the first of them say they are, as "MMAP2 (10) of 16 bytes, where 72 or
	 * more are needed"; NULL: nothing that is known. */
	const char *first;
};

/** sonde_trace_loss_count - rows of the ledger so far; it is complete when an iterator has ended */
SONDE_API size_t sonde_trace_loss_count(const struct sonde_trace *t);

/** sonde_trace_loss_at - the i-th row, NULL beyond the last; a view until the next event */
SONDE_API const struct sonde_loss *sonde_trace_loss_at(const struct sonde_trace *t, size_t i);

/**
 * sonde_trace_time_span - the times of the first and the last sample, for shares of the recording
 * @first, @last: ns
 * The recorder may have noted them; otherwise all records are read, so call this before an iterator exists.
 * Returns 0, -SONDE_MISSING if no sample has a time, -SONDE_UNSUPPORTED for a stream, or the failure of reading.
 */
SONDE_API int sonde_trace_time_span(struct sonde_trace *t, uint64_t *first, uint64_t *last);

enum sonde_order {
	SONDE_ORDER_FILE,          /* as the records lie in the file: for dumping, rewriting, repairing */
	/* By time stamp; records without one keep their place. A sample whose user callchain comes in a record of its
	 * own has the whole chain and comes just before that record, later than its time. */
	SONDE_ORDER_TIME,
};

/** Two times in ns, both inclusive. */
struct sonde_time_range {
	uint64_t from, to;
};

/** The choice of events; fields left 0 do not narrow it. */
struct sonde_query {
	size_t sz;
	enum sonde_order order;
	uint64_t time_min, time_max;        /* ns, inclusive; time_max 0: no end */
	const int32_t *cpus;                size_t nr_cpus;
	const int32_t *pids;                size_t nr_pids;
	const int32_t *tids;                size_t nr_tids;
	const char *const *events;          size_t nr_events;  /* names of evsels */
	bool samples_only;                  /* leave out everything that is no sample */
	/* Samples must lie within one of these as well, if there are any. Set time_min and time_max to the beginning of
	 * the first and the end of the last. */
	const struct sonde_time_range *times; size_t nr_times;
	/*
	 * A sample that has read counts (PERF_SAMPLE_READ: `{a,b}:S`) comes as a sample of each event whose count has
	 * grown, as in perf: evsel, id and period are that event's, where the period is the growth. All else is the
	 * record's. False: it comes once, as a sample of the event that took it. What the samples of one record repeat,
	 * its call chain and all but the counts, is limited to 1 MiB: those beyond it are a loss (UNSUPPORTED).
	 */
	bool split_reads;
};

/**
 * sonde_iter_new - an iterator over @t; NULL only when out of memory
 * The query narrows samples. Side band and losses pass unless samples_only is set, because samples cannot be attributed
 * without them. In a trace.dat, pages outside of time_min and time_max are skipped unread, with the losses in them.
 * @query: NULL: all events in the order of the file; it is copied
 */
SONDE_API struct sonde_iter *sonde_iter_new(struct sonde_trace *t, const struct sonde_query *query);
SONDE_API void sonde_iter_free(struct sonde_iter *it);

/**
 * sonde_iter_next - step to the next event
 * @out: set to the event when 1 is returned. It belongs to the iterator and changes with the next call.
 * Returns 1, 0 at the end, negative when nothing more can be read: sonde_iter_error() says why. Further calls
 * fail in the same way.
 */
SONDE_API int sonde_iter_next(struct sonde_iter *it, const struct sonde_event **out);

/** sonde_iter_error - why the last call failed: the error of the trace; never NULL, lives as long as that */
SONDE_API const struct sonde_error *sonde_iter_error(const struct sonde_iter *it);

/** An element of offsets_ns: the clock of that trace tells. */
#define SONDE_OFFSET_BY_CLOCK INT64_MIN

/** How the times of several traces become those of one clock. */
struct sonde_several_opts {
	size_t sz;
	/* Added to the times of each trace, in their order. Traces without an offset are aligned by their clocks. */
	const int64_t *offsets_ns;          size_t nr_offsets;
};

/** Why the offset of a trace is what it is. */
enum sonde_alignment_fact {
	SONDE_ALIGNED_NOT,         /* nothing relates its clock to that of the first trace: its times are its own */
	SONDE_ALIGNED_FIRST,       /* it is the first one */
	SONDE_ALIGNED_GIVEN,       /* by the program, or in the trace itself */
	SONDE_ALIGNED_SESSION,     /* both are of one session of trace-cmd */
	SONDE_ALIGNED_GUEST,       /* one is of a guest, whose distance to its host was measured */
	SONDE_ALIGNED_SAME_CLOCK,  /* one clock of one machine */
	SONDE_ALIGNED_SCHEDULER,   /* "perf", "local", "global" of one machine: some milliseconds apart */
	SONDE_ALIGNED_WALL,        /* both note the wall clock */
};

/** The change of the times of a trace. */
struct sonde_alignment {
	int64_t offset_ns;         /* added to its times */
	enum sonde_alignment_fact fact;
	const char *text;          /* the fact as a clause, for people */
};

/**
 * sonde_traces_align - put the times of several open traces on the clock of the first one
 *
 * From then on each object made of a trace (iterators, profiles, exports) has its times by that clock, and a query of
 * it means such times. Files of one trace-cmd session share a clock; a guest has a measured distance to its host;
 * recordings of one machine may have one clock; others are related by the wall clock, if both note it (perf record -k,
 * trace-cmd record --date). If nothing relates two clocks, times stay as they are and the ledger of the later trace
 * says so. Formats can be mixed. A time that an offset would move past the range of 64 bits becomes the last one in it,
 * which the ledger tells.
 * @traces: traces that are not open are passed over
 * @opts: NULL: no offsets
 * Call it before objects are made of the traces. Returns 0, -SONDE_USAGE or -SONDE_NOMEM, with the error in the first
 * trace.
 */
SONDE_API int sonde_traces_align(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts);

/** sonde_trace_alignment - what sonde_traces_align() did to a trace; NULL if it was not called */
SONDE_API const struct sonde_alignment *sonde_trace_alignment(const struct sonde_trace *t);

/**
 * sonde_iter_new_several - an iterator over the events of several traces in one order of time
 *
 *	struct sonde_trace *const both[] = { host, guest };
 *	struct sonde_iter *it = sonde_iter_new_several(both, 2, NULL, NULL);
 *	while (sonde_iter_next(it, &ev) > 0)
 *		printf("%zu: %s\n", sonde_iter_trace(it), ev->evsel ? ev->evsel->name : "");
 *
 * Times of events and of the query are by the clock of the first trace; the order is always SONDE_ORDER_TIME. Traces
 * that sonde_traces_align() has not aligned are aligned as it does, for this iterator. Events of equal times come in
 * the order of the traces; an event without a time comes as soon as it is read. A trace that fails ends;
 * sonde_iter_next() is negative when the other traces have ended too.
 * @traces: live as long as the iterator; the array itself need not. Each keeps its own window of events in memory: give
 *          each a share of max_memory when it is opened. A trace that is in the array twice is read twice.
 * @opts: NULL: no offsets
 * NULL only when out of memory.
 */
SONDE_API struct sonde_iter *sonde_iter_new_several(struct sonde_trace *const *traces, size_t nr,
						    const struct sonde_query *query,
						    const struct sonde_several_opts *opts);

/** sonde_iter_trace - index of the trace that the last event came from, or that failed; 0 if there is one trace */
SONDE_API size_t sonde_iter_trace(const struct sonde_iter *it);

/** sonde_iter_progress - share of the input already read, 0 to 1; 0 in a stream */
SONDE_API double sonde_iter_progress(const struct sonde_iter *it);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/*
 * reader.h - what a file format gives to the rooms above it
 *
 * A reader is an open trace. A walk goes through its records in file order and hands out references; a reference costs
 * 24 bytes to keep, which is what ordering by time keeps, and becomes a full event when it is loaded.
 */
#ifndef MODEL_READER_H
#define MODEL_READER_H

#include "base/arena.h"
#include "base/worker.h"
#include "model/clocks.h"
#include "model/event.h"
#include "model/ledger.h"
#include "model/meta.h"

struct event_views;
struct reader;
struct sample_sums;
struct walk;

enum record_mark {
	MARK_NONE,
	MARK_ROUND,                  /* every ring has been read: see order.h */
	MARK_NOW,                    /* is acted on when met, not by its time */
	MARK_PASS,                   /* the first record of a new round; those before it were the last of theirs */
};

enum event_body { BODY_MMAP, BODY_COMM, BODY_TASK, BODY_LOST, BODY_KSYMBOL, BODY_TEXT_POKE, BODY_CALLCHAIN_DEFERRED };

/* The place of a record, and the fields by which records are ordered. */
struct record_ref {
	uint64_t time;               /* SONDE_NONE or 0: it keeps its place */
	const uint8_t *p;
	uint32_t block;              /* the block of memory that holds it */
	uint16_t mark;               /* enum record_mark */
	union {                      /* of the reader's own choice */
		uint16_t size;       /* of the record */
		uint16_t kind;       /* a number of the format */
	};
};

/* A vector of them, see vec.h. */
struct record_refs {
	struct record_ref *at;
	size_t n, cap;
};

/* The next references of a walk: see walk_ahead(). */
struct look_ahead {
	struct record_refs *refs;    /* given by the caller: the references that are found are added */
	size_t max_refs;             /* given by the caller: the most that are added */
	uint64_t max_bytes;          /* given by the caller: the most bytes of their records, roughly */
	size_t n;                    /* added */
	uint64_t passed;             /* bytes of the input that it takes */
	uint64_t counted;            /* of these, bytes of samples that were added to the sums of the reader */
	uint64_t oldest, newest;     /* times of such samples; `oldest` is SONDE_NONE at first */
	struct record_ref mark;      /* a round mark, if it ends with one: `p` is not NULL then */
	bool nomem;
};

/* A sample that is kept as its record, and what it tells at fixed places, as struct sonde_event has it. */
struct sample_head {
	const struct record_ref *ref;
	const struct sonde_evsel *evsel;
	uint64_t ip, time, period;
	int32_t pid, tid, cpu;       /* -1: not recorded */
	uint8_t cpumode;
	struct u64s callchain;       /* as reader_ops.callchain() gives it */
};

struct reader_ops {
	/* Starts a walk at the first record. A stream can be walked once. */
	int (*walk_new)(struct reader *r, struct walk **out, struct sonde_error *err);
	/* As walk_new, by time; NULL if the format does not have its records by time. */
	int (*walk_new_by_time)(struct reader *r, struct walk **out, struct sonde_error *err);
	/* As walk_new, for one of nr_parts parts. Part 0 comes first. */
	int (*walk_part)(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err);
	/*
	 * Before the first step: only records from @min to @max (ns, inclusive) are wanted. The walk passes over
	 * records that are known to lie outside, and does not tell losses there; it may give other records outside. 0
	 * or -SONDE_NOMEM. NULL: the walk reads everything.
	 */
	int (*walk_narrow)(struct walk *w, uint64_t min, uint64_t max, struct sonde_error *err);
	/* Reads metadata from the first records, in a bounded part of the input; NULL if the format has none there. */
	int (*first_records)(struct reader *r, struct sonde_error *err);
	void (*walk_free)(struct walk *w);
	/* The next record: 1, 0 at the end, negative when nothing more can be read. Damage goes to the ledger. */
	int (*walk_next)(struct walk *w, struct record_ref *out, struct sonde_error *err);
	/*
	 * Finds the next references as walk_next() would, without reading more input and without a change but to @a:
	 * they have a time and no mark, except for a round mark at the end. Another thread can do this until the reader
	 * changes or the walk goes on. Then walk_take_ahead() moves the walk past them and pins each, except for the
	 * mark. Samples that can be added to the sums of the reader have no references. NULL: the format cannot do
	 * this.
	 */
	void (*walk_ahead)(const struct walk *w, struct look_ahead *a);
	void (*walk_take_ahead)(struct walk *w, const struct look_ahead *a);
	/* Bytes of records that the walk has passed, of nr_bytes. */
	uint64_t (*walk_passed)(const struct walk *w);
	/* The memory of a pinned reference stays. The walk's last reference is valid until the next step anyway. */
	void (*pin)(struct reader *r, const struct record_ref *ref);
	void (*unpin)(struct reader *r, const struct record_ref *refs, size_t n);
	/* Bytes of memory that pins keep, possibly more than the records have; NULL if that does not matter. */
	uint64_t (*held)(const struct reader *r);
	/* Fills the event of a reference. */
	void (*load)(struct reader *r, const struct record_ref *ref, struct loaded_event *out);
	/* Takes the heads of samples that load_sample() can load, up to another record: how many. NULL: none. */
	size_t (*sample_heads)(struct reader *r, const struct record_ref *refs, size_t n, struct sample_head *out);
	/*
	 * Fills the event of such a sample from a copy of its record, but for its place, id and machine. Several
	 * threads may do this while the walk goes on.
	 */
	void (*load_sample)(const struct reader *r, const struct sonde_evsel *evsel, const uint8_t *p, uint32_t size,
			    struct loaded_event *out);
	/* The callchain of a sample, empty if it has none or cannot be read. A profile needs no more
	 * of a sample's body. */
	struct u64s (*callchain)(const struct reader *r, const struct sonde_event *ev);
	/*
	 * The user part of its callchain, where the format records it apart; innermost first, without a marker. NULL:
	 * callchain() gives all of it.
	 */
	struct u64s (*user_callchain)(const struct reader *r, const struct sonde_event *ev);
	/* Whether a sample is a stack of an event that was lost or cannot be told. NULL: the format has none. */
	bool (*is_lone_stack)(const struct reader *r, const struct sonde_event *ev);
	/* The same of the raw bytes of a sample without counts. A line of text needs no more. NULL: see sample(). */
	struct sonde_bytes (*raw)(const struct reader *r, const struct sonde_event *ev);
	/* The body of an event; see event_sample() and its neighbours. @out is the struct that belongs to @body. */
	int (*sample)(const struct reader *r, const struct sonde_event *ev, struct sample *out);
	int (*body)(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
	/* May read the payload into memory of the reader; NULL if the format has no such records. */
	int (*auxtrace)(struct reader *r, const struct sonde_event *ev, struct sonde_auxtrace *out);
	int (*fields)(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);
	/* Takes the options for stamps of the format; NULL if it has none. Called before the first walk. */
	void (*set_clock)(struct reader *r, const struct sonde_open_opts *opts);
	/* Adds to what is known of the clock of its times. NULL: nothing. */
	void (*clock)(const struct reader *r, struct clock_facts *out);
	void (*free)(struct reader *r);
};

struct reader {
	const struct reader_ops *ops;
	struct sonde_trace_info info;
	struct meta meta;
	struct arena arena;          /* the metadata's */
	struct ledger ledger;
	uint64_t nr_bytes;           /* of records; SONDE_NONE in a stream */
	/* windows of an order may take a part of it; 0: no limit but their own */
	uint64_t max_memory;
	bool raw_stamps;             /* times are counts of the recorder's clock, nanoseconds or not */
	/* ns that whoever reads events adds to the times that load() gives, so that they are by the clock of another
	 * recording; see clocks.h */
	int64_t time_shift;
	int64_t given_shift;         /* time_shift as the program gave it when it opened the trace */
	/* see reader_worker(); the format waits for it before it changes anything that walk_ahead() reads */
	struct worker *worker;
	struct sample_sums *sums;    /* of samples, which whoever reads events wants added up; or NULL */
	bool is_busy;                /* every CPU has other work: nobody looks ahead */
	uint32_t nr_parts;           /* parts that can be walked by themselves; 0 or 1: there is one */
	VEC(struct sonde_evsel *) evsels;
	size_t nr_ids;               /* of all evsels, where those of one can become more */
	struct event_views *views;   /* of the public functions (api/trace/event.c); NULL without a handle */
};

/* A second thread; NULL when out of memory. The format frees it when no walk is left. */
static inline struct worker *reader_worker(struct reader *r)
{
	if (!r->worker)
		r->worker = worker_new();
	return r->worker;
}

#endif

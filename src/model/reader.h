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
#include "model/event.h"
#include "model/ledger.h"

struct event_views;
struct reader;
struct walk;

enum record_mark {
	MARK_NONE,
	MARK_ROUND,                  /* every ring has been read: see order.h */
	MARK_NOW,                    /* is acted on when met, not by its time */
	MARK_PASS,                   /* the first record of a new round; those before it were the last of theirs */
};

enum event_body { BODY_MMAP, BODY_COMM, BODY_TASK, BODY_LOST, BODY_KSYMBOL, BODY_TEXT_POKE, BODY_CALLCHAIN_DEFERRED };

/* Where a record lies, and all that ordering must know of it. */
struct record_ref {
	uint64_t time;               /* SONDE_NONE or 0: it keeps its place */
	const uint8_t *p;
	uint32_t block;              /* the block of memory that holds it */
	uint16_t mark;               /* enum record_mark */
	union {                      /* for the reader, whichever it needs */
		uint16_t size;       /* of the record */
		uint16_t kind;       /* what the record is */
	};
};

/* A vector of them, see vec.h. */
struct record_refs {
	struct record_ref *at;
	size_t n, cap;
};

/* What lies ahead of a walk: see walk_ahead(). */
struct look_ahead {
	struct record_refs *refs;    /* the asker's: what is found is added */
	size_t max_refs;             /* the asker's: to be added */
	uint64_t max_bytes;          /* the asker's: of their records, about */
	size_t n;                    /* added */
	uint64_t passed;             /* bytes of the input that it takes */
	struct record_ref mark;      /* a round mark, if it ends with one: `p` is not NULL then */
	bool nomem;
};

struct reader_ops {
	/* Starts a walk at the first record. A stream can be walked once. */
	int (*walk_new)(struct reader *r, struct walk **out, struct sonde_error *err);
	/* The same for a walk that gives the records by time; NULL if the format has them in an order
	 * that must be mended. */
	int (*walk_new_by_time)(struct reader *r, struct walk **out, struct sonde_error *err);
	/* As walk_new, of one of nr_parts parts; of part 0 first. */
	int (*walk_part)(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err);
	/*
	 * Before the first step: only what happened from @min to @max (ns, inclusive) is wanted. What is known to lie
	 * outside is passed over unseen, losses included; other records outside may come all the same. 0 or
	 * -SONDE_NOMEM. NULL: everything is read.
	 */
	int (*walk_narrow)(struct walk *w, uint64_t min, uint64_t max, struct sonde_error *err);
	/* Takes what records at the beginning say of the sources, of a bounded part of the input; NULL if none do. */
	int (*first_records)(struct reader *r, struct sonde_error *err);
	void (*walk_free)(struct walk *w);
	/* The next record: 1, 0 at the end, negative when nothing more can be read. Damage goes to the ledger. */
	int (*walk_next)(struct walk *w, struct record_ref *out, struct sonde_error *err);
	/*
	 * Finds the next references as walk_next() would, as far as that takes nothing but bytes at hand and has no
	 * effect but on @a: they have a time and no mark, but for a round mark at the end. Another thread can do it
	 * meanwhile, until the reader is changed or the walk goes on. Then walk_take_ahead() moves the walk behind them
	 * and pins each, but the mark. NULL: it cannot be done.
	 */
	void (*walk_ahead)(const struct walk *w, struct look_ahead *a);
	void (*walk_take_ahead)(struct walk *w, const struct look_ahead *a);
	/* Bytes of records that the walk has gone over; of all of them there are nr_bytes. */
	uint64_t (*walk_passed)(const struct walk *w);
	/* While a reference is pinned its memory stays; the walk's last reference is valid
	 * until the next step anyway. */
	void (*pin)(struct reader *r, const struct record_ref *ref);
	void (*unpin)(struct reader *r, const struct record_ref *ref);
	/* Bytes that the pins keep in memory, which can be more than the records have; NULL if that does not matter. */
	uint64_t (*held)(const struct reader *r);
	/* Fills the event of a reference. */
	void (*load)(struct reader *r, const struct record_ref *ref, struct loaded_event *out);
	/* The callchain of a sample, empty if it has none or cannot be read: all that a profile needs of its body. */
	struct u64s (*callchain)(const struct reader *r, const struct sonde_event *ev);
	/* What is in an event; see event_sample() and its neighbours. `out` is the struct that belongs to @body. */
	int (*sample)(const struct reader *r, const struct sonde_event *ev, struct sample *out);
	int (*body)(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
	/* May read the payload into memory of the reader; NULL if the format has no such records. */
	int (*auxtrace)(struct reader *r, const struct sonde_event *ev, struct sonde_auxtrace *out);
	int (*fields)(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);
	/* Takes the options for stamps of the format; NULL if it has none. Called before the first walk. */
	void (*set_clock)(struct reader *r, const struct sonde_open_opts *opts);
	/* What is to be added to its times to have them by the clock of @first, a reader of the same format. False, and
	 * a shift of 0, if nothing in the two says how their clocks stand to each other. */
	bool (*align)(const struct reader *r, const struct reader *first, int64_t *shift);
	void (*free)(struct reader *r);
};

struct reader {
	const struct reader_ops *ops;
	struct sonde_trace_info info;
	struct sonde_meta meta;
	struct arena arena;          /* the metadata's */
	struct ledger ledger;
	uint64_t nr_bytes;           /* of records; SONDE_NONE in a stream */
	/* the windows of an order may take a part of it; 0: as large as they ever become */
	uint64_t max_memory;
	bool raw_stamps;             /* times are what the recorder's clock counts, nanoseconds or not */
	/* see reader_worker(); the format settles it before it changes what walk_ahead() looks at */
	struct worker *worker;
	uint32_t nr_parts;           /* that can be walked by themselves; 0 or 1: there is one */
	VEC(struct sonde_source *) sources;
	size_t nr_ids;               /* of all sources, where those of one can become more */
	struct event_views *views;   /* of the public functions (api/event.c); NULL in readers that have no handle */
};

/* Another thread for what can be done meanwhile; NULL when out of memory. The format frees it, when no walk is left. */
static inline struct worker *reader_worker(struct reader *r)
{
	if (!r->worker)
		r->worker = worker_new();
	return r->worker;
}

#endif

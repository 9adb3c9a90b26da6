/* SPDX-License-Identifier: MIT */
/*
 * event.h - an event as the rooms of the library hold it, and what is decoded from it
 *
 * Arrays of samples and callchains lie in the record, in the recorder's byte order, and are read through functions.
 * The public structs have them in host order (api/trace/event.c).
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <sonde/event.h>

struct reader;

/* An array of u64 that lies in the file in the recorder's byte order. */
struct u64s {
	const uint8_t *p;
	uint64_t nr;
	bool swap;
};

/* Every struct sonde_event of the library is the first member of one of these. */
struct loaded_event {
	struct sonde_event pub;
	const struct reader *reader;   /* whose record this is */
	/* The whole callchain of a sample that a later CALLCHAIN_DEFERRED completed; nr is 0 otherwise. */
	struct u64s deferred_callchain;
	/* The event of the record, of a sample that was made of one of its counts (order/read_samples.h); or NULL. */
	const struct sonde_evsel *read_by;
	/* The memory that the record lies in, in the format's own words, which stays while the record is pinned;
	 * NULL: none of the format's. */
	const void *block;
};

static inline const struct loaded_event *event_of(const struct sonde_event *ev)
{
	return (const struct loaded_event *)ev;
}

/* The event whose attr lays out the record. */
static inline const struct sonde_evsel *event_layout(const struct sonde_event *ev)
{
	return event_of(ev)->read_by ? event_of(ev)->read_by : ev->evsel;
}

/* Counts of a sample or of a READ record; PERF_FORMAT_* says which are there. */
struct read_counts {
	uint64_t nr;                   /* values that read_value_at() gives; 1 without PERF_FORMAT_GROUP */
	uint64_t time_enabled, time_running;
	const uint8_t *values;         /* in file order */
	uint64_t read_format;
	bool swap;
};

/* Registers: the values of the bits set in `mask`, in ascending order of bit number. abi 0: none were taken. */
struct regs {
	uint64_t abi;
	uint64_t mask;
	struct u64s values;
};

/* Bytes of a branch: from, to, flags. */
enum { BRANCH_BYTES = sizeof(uint64_t[3]) };

/* A branch stack, newest first; sample_branch_at() reads it. */
struct branches {
	uint64_t nr;
	uint64_t hw_idx;               /* SONDE_NONE if not recorded */
	const uint8_t *entries;
	const uint8_t *counters;
	bool swap;
	bool is_call_stack;            /* the processor took a call away when its function returned */
};

/* See struct sonde_sample. */
struct sample {
	uint64_t present;              /* PERF_SAMPLE_* */
	uint64_t identifier, ip, time, addr, id, stream_id, period;
	int32_t pid, tid, cpu;
	struct read_counts read;
	struct u64s callchain;
	struct sonde_bytes raw;
	struct branches branches;
	struct regs user_regs, intr_regs;
	struct sonde_bytes user_stack;
	uint64_t user_stack_size;
	uint64_t weight;
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct sonde_bytes aux;
};

struct callchain_deferred {
	uint64_t cookie;
	struct u64s ips;
};

/*
 * Each decodes into memory of the caller: 0, -SONDE_USAGE if the event is of another type, -SONDE_CORRUPT if it is
 * cut or unterminated. A sample that is cut is filled as far as it could be.
 */
int event_sample(const struct sonde_event *ev, struct sample *out);
int event_mmap(const struct sonde_event *ev, struct sonde_mmap *out);
int event_comm(const struct sonde_event *ev, struct sonde_comm *out);
int event_task(const struct sonde_event *ev, struct sonde_task *out);
int event_lost(const struct sonde_event *ev, struct sonde_lost *out);
int event_ksymbol(const struct sonde_event *ev, struct sonde_ksymbol *out);
int event_text_poke(const struct sonde_event *ev, struct sonde_text_poke *out);
int event_callchain_deferred(const struct sonde_event *ev, struct callchain_deferred *out);

/* See sonde_event_fields(). */
int event_fields(const struct sonde_event *ev, sonde_field_fn fn, void *ctx);

/* The i-th element; @i below nr. */
uint64_t u64s_at(const struct u64s *a, uint64_t i);
struct sonde_read_value read_value_at(const struct read_counts *r, uint64_t i);
size_t branches_bytes(const struct branches *b);
struct sonde_branch sample_branch_at(const struct sample *s, uint64_t i);

/* Bits of the flags of a branch. */
enum {
	BRANCH_MISPREDICTED = 1 << 0,
	BRANCH_PREDICTED = 1 << 1,
	BRANCH_IN_TRANSACTION = 1 << 2,
	BRANCH_ABORTED = 1 << 3,
};

/* The cycles since the branch before, of the flags of a branch; 0: not recorded. */
static inline uint32_t branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

/* PERF_BR_*, from BRANCH_NEW_KINDS on PERF_BR_NEW_*; 0: not recorded. */
enum { BRANCH_COND = 1, BRANCH_NEW_KINDS = 15, BRANCH_KINDS = 31 };

static inline uint32_t branch_kind(uint64_t flags)
{
	uint32_t kind = flags >> 20 & 15;

	return kind < BRANCH_NEW_KINDS ? kind : BRANCH_NEW_KINDS + (flags >> 26 & 15);
}

/* The flags of a branch are C bit-fields, which big-endian recorders fill from the top: from or to their numbering. */
uint64_t sample_branch_flags(uint64_t flags, bool from_big);

#endif

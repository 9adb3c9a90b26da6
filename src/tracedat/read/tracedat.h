/* SPDX-License-Identifier: MIT */
/*
 * tracedat.h - an open trace.dat
 *
 * tracedat.c opens it: scan/ finds the parts of the file, losses.c tells what is wrong with them, parts.c takes in what
 * they say (option.c, metadata.c), extents.c where the pages of the CPUs are. Its events: stream.c steps through all of
 * one CPU, walk.c through those of all, event.c turns a record into an event.
 */
#ifndef TRACEDAT_READ_TRACEDAT_H
#define TRACEDAT_READ_TRACEDAT_H

#include "base/strpool.h"
#include "base/u64map.h"
#include "codec/codec.h"
#include "io/input.h"
#include "model/input_format.h"
#include "tracedat/format/clock.h"
#include "tracedat/format/file.h"
#include "tracedat/format/header.h"
#include "tracedat/format/ids.h"
#include "tracedat/format/page.h"
#include "tracedat/read/block.h"
#include "tracedat/read/extents.h"
#include "tracefmt/field.h"

/* record_ref.kind */
enum dat_record { DAT_EVENT, DAT_LOST, DAT_COMM, DAT_TEXT };

/* The values of option CPUSTAT, see cpustat.h. */
struct cpustats {
	struct strpool buffers;
	/* that the next CPUs in these options are of; in a file that names none: the main one */
	uint32_t buffer;
	int32_t cpu;                 /* that the next lines are of */
	struct u64map overrun_of;    /* buffer << 32 | CPU -> index in overruns */
	VEC(uint64_t) overruns;      /* events that newer ones overwrote before they were read */
};

struct tracedat {
	struct reader base;          /* first, so that a pointer to it is a pointer to this */
	struct input input;
	struct dat_file file;        /* its parts; the bytes of its options lie in its arena */
	struct dat_header header;
	struct page_layout layout;   /* of the pages */
	struct dat_clock clock;

	VEC(struct meta_buffer) buffers;
	VEC(struct sonde_option) options;
	VEC(struct sonde_section) sections;
	bool has_clock;              /* option TRACECLOCK */
	uint32_t nr_cpus;
	struct cpustats cpustats;

	VEC(struct cpu_extent) extents;  /* by file offset */
	/* each on its own: events point to theirs, and other threads look at them while blocks are added */
	VEC(struct dat_block *) blocks;
	VEC(uint32_t) free_blocks;
	VEC(uint32_t) texts;         /* blocks that are the text of a latency tracer */
	const struct dat_part *part_of[SECTION_POINTERS];  /* sections that options point to, by id; NULL: none does */
	const struct dat_part *kallsyms;
	uint32_t cmdlines;           /* block that is the text of saved_cmdlines; BLOCK_NONE */

	struct tracefmt *formats;
	uint32_t *format_by_id;      /* index + 1 in formats; 65536 of them */
	struct sonde_attr *attrs;    /* of the evsels, by index of the format */
	/* by index of the buffer: the evsel of its first format; UINT32_MAX: the buffer has no evsels */
	VEC(uint32_t) first_evsel;
	struct tracefmt_common common;
	uint64_t stack_id;           /* of kernel_stack */
	uint32_t stack_size_at, stack_at;  /* how many return addresses it has, and where they begin; 0: not known */
	uint64_t user_stack_id;      /* of user_stack */
	uint32_t user_stack_at;      /* where its return addresses begin; 0: not known */
	struct walk *ledger_owner;   /* the walk that writes the ledger: the newest */
};

static inline struct tracedat *dat_of(struct reader *r)
{
	return (struct tracedat *)r;
}

/* The formats of the events of an open trace.dat; they live as long as the reader. */
static inline const struct tracefmt *dat_formats(const struct reader *r)
{
	return ((const struct tracedat *)r)->formats;
}

extern const struct input_format dat_format;

#endif

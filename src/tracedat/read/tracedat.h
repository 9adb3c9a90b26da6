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
#include "tracefmt/tracefmt.h"

/* record_ref.kind */
enum dat_record { DAT_EVENT, DAT_LOST, DAT_COMM, DAT_TEXT };

/* What one CPU wrote into one buffer. */
struct cpu_extent {
	uint64_t offset, size;       /* size 0: up to the next one, if compressed */
	uint32_t buffer, page_size;
	int32_t cpu;
	bool compressed;
};

/* A block of memory that records point into: pages of an extent as they lie in the file, or a chunk
 * that was decompressed. */
struct dat_block {
	const uint8_t *data;
	size_t size;
	uint8_t *owned;              /* what is to be freed; NULL for memory of the input */
	size_t cap;
	uint64_t file_offset;        /* of data[0] */
	/* it was decompressed: file_offset is that of the compressed bytes, for all its records */
	bool packed;
	uint32_t extent;
	uint32_t pins;
	bool held;                   /* by a stream, which reads it */
};

#define BLOCK_NONE UINT32_MAX

/* What option CPUSTAT says, see cpustat.h. */
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
	const struct codec *codec;   /* NULL: none, or one that is not known */
	struct decoder decoder;

	VEC(struct sonde_buffer) buffers;
	VEC(struct sonde_option) options;
	VEC(struct sonde_section) sections;
	bool has_clock;              /* option TRACECLOCK */
	uint32_t nr_cpus;
	struct cpustats cpustats;

	VEC(struct cpu_extent) extents;  /* by file offset */
	VEC(struct dat_block) blocks;
	VEC(uint32_t) free_blocks;
	VEC(uint32_t) texts;         /* blocks that are the text of a latency tracer */
	const struct dat_part *part_of[SECTION_POINTERS];  /* sections that options point to, by id; NULL: none does */
	const struct dat_part *kallsyms;
	uint32_t cmdlines;           /* block that is the text of saved_cmdlines; BLOCK_NONE */

	struct tracefmt *formats;
	uint32_t *format_by_id;      /* index + 1 in formats; 65536 of them */
	struct sonde_attr *attrs;    /* of the sources, by index of the format */
	/* by index of buffers: of its formats, in their order; UINT32_MAX: it has no sources */
	VEC(uint32_t) first_source;
	uint32_t type_at, pid_at;    /* common_type and common_pid in a record */
	uint64_t stack_id;           /* of kernel_stack */
	uint32_t stack_size_at, stack_at;  /* how many return addresses it has, and where they begin; 0: not known */
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

/* How much may be decompressed: it stays in proportion to the file. */
static inline uint64_t dat_budget(const struct tracedat *f)
{
	return (UINT64_C(64) << 20) + f->input.size * 1024;
}

/* view.c */
struct view {
	const uint8_t *p;
	size_t n;
	uint64_t at;                 /* file offset of p[0]; of what was decompressed: of the section */
	bool packed;                 /* decompressed */
	bool stays;                  /* as long as the trace is open */
	uint8_t *owned;              /* what is to be freed */
};

/* n bytes at @at, fewer where the file ends. 0, or negative when it cannot be read. */
int dat_view_read(const struct tracedat *f, uint64_t at, uint64_t n, struct view *out, struct sonde_error *err);
void dat_view_free(struct view *b);
struct cursor dat_view_cursor(const struct tracedat *f, const struct view *b, struct sonde_error *err);

/* block.c */
/* A new block; its number, or BLOCK_NONE when out of memory. @owned is taken over then too. */
uint32_t dat_block_new(struct tracedat *f, struct dat_block p);
/* Drops it when nothing needs it any more. */
void dat_block_release(struct tracedat *f, uint32_t number);
/* Decompresses n bytes at @p to exactly @size bytes: 0, -SONDE_CORRUPT, -SONDE_NOMEM. */
int dat_block_decompress(struct tracedat *f, const uint8_t *p, size_t n, uint8_t *out, size_t size,
			 struct sonde_error *err);

/* parts.c: takes in what f->file says: 0, negative when there is no memory, or a kernel too old to be read */
int dat_parts_take(struct tracedat *f, struct sonde_error *err);

/* option.c */
int dat_option_take(struct tracedat *f, const struct dat_item *item, struct sonde_error *err);

/* kallsyms.c: tells the formats where the text of kallsyms is; it is read when the first symbol is asked for. */
void dat_kallsyms_offer(struct tracedat *f);

/* metadata.c: the metadata that both versions have, at @c in @b. Metadata that is damaged is a row in the ledger;
 * negative: no memory, or a kernel too old to be read. */
int dat_metadata_read(struct tracedat *f, enum section_id id, const struct view *b, struct cursor *c,
		      struct sonde_error *err);
/* The sources, once all formats and buffers are known. */
int dat_metadata_make_sources(struct tracedat *f, struct sonde_error *err);

/* extents.c: makes the extents of all buffers */
int dat_extents_make_all(struct tracedat *f, struct sonde_error *err);

/* walk.c */
int dat_walk_new(struct reader *r, struct walk **out, struct sonde_error *err);
int dat_walk_new_by_time(struct reader *r, struct walk **out, struct sonde_error *err);
int dat_walk_narrow(struct walk *w, uint64_t min, uint64_t max, struct sonde_error *err);
void dat_walk_free(struct walk *w);
int dat_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err);
uint64_t dat_walk_passed(const struct walk *w);
void dat_pin(struct reader *r, const struct record_ref *ref);
void dat_unpin(struct reader *r, const struct record_ref *ref);

/* tracedat.c */
bool dat_align(const struct reader *r, const struct reader *first, int64_t *shift);

/* event.c */
void dat_load(struct reader *r, const struct record_ref *ref, struct loaded_event *out);
struct u64s dat_callchain(const struct reader *r, const struct sonde_event *ev);
int dat_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out);
int dat_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
int dat_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);
/* A line of saved_cmdlines: "  123 bash". */
bool dat_cmdline(struct sonde_str line, int32_t *pid, struct sonde_str *comm);

#endif

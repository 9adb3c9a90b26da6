/* SPDX-License-Identifier: MIT */
/*
 * recording_file.h - state shared by recording.c, which grows a trace.dat, and recording_finish.c, which completes it
 */
#ifndef TRACEDAT_WRITE_RECORDING_FILE_H
#define TRACEDAT_WRITE_RECORDING_FILE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/vec.h"
#include "codec/codec.h"
#include "io/output.h"
#include "io/recfile.h"
#include "tracedat/write/recording_parts.h"

struct recorded_extent {
	uint64_t at, size, used;
	uint64_t entry_at;           /* its entry in the file; 0: none yet */
};

struct chunk_run {
	uint64_t at, n;              /* some chunks, in the file of chunks */
};

/* The compressed pages of a CPU. */
struct packed_pages {
	VEC(struct chunk_run) runs;
	uint64_t raw;                /* bytes of the pages */
	uint64_t n;                  /* bytes of the chunks */
	uint32_t nr_chunks;
};

struct recorded_extents {
	VEC(struct recorded_extent) of;         /* in the order of their pages: the newest extent is the last */
	struct packed_pages packed;
};

/* The thread that compresses pages; see recording_pack.h. */
struct page_packing {
	struct output chunks;
	struct packer packer;
	uint8_t *room;               /* pages of one chunk */
	struct sonde_error err;
	pthread_t thread;
	pthread_cond_t wake;         /* with the lock of the recording: */
	uint64_t fresh;              /* bytes of pages since the thread has been awake */
	bool ending;
	bool open, started;
};

struct buffer {
	char *name, *clock;
	uint32_t page_size;
	int32_t *cpus;
	size_t nr_cpus;
	struct recorded_extents *extents;         /* by index of cpus */
	uint64_t table_at;           /* u32 number of entries, entries */
	uint32_t nr_entries, max_entries;
	uint64_t section_at;
};

struct recording {
	struct page_sink base;
	struct recfile file;
	int version;
	const struct codec *codec;   /* NULL: nothing is compressed */
	struct page_packing packing;
	struct buffer *buffers;
	size_t nr_buffers;
	uint64_t extent_bytes, end;    /* about the size of a first extent; end of the file */
	uint64_t head_at;            /* of the u64 with the offset of the options */
	uint64_t options_at;         /* its value */
	uint64_t metadata_at[DAT_NR_METADATA];    /* the last one is for growing only */
	uint64_t names_at, names_bytes;  /* offset of the u64 before the command lines; their size */
	uint64_t names_max;          /* the most bytes that command lines can take */
	pthread_mutex_t lock;        /* guards the fields that new extents change, and how far they are used */
};

static inline struct recording *recording_of(struct page_sink *s)
{
	return (struct recording *)s;
}

int dat_recording_write(struct recording *r, const void *bytes, size_t n, uint64_t at, struct sonde_error *err);
int dat_recording_write_u64(struct recording *r, uint64_t v, uint64_t at, struct sonde_error *err);

/* The file is larger now: its last section is. */
int dat_recording_set_end(struct recording *r, uint64_t end, struct sonde_error *err);

/* Adds an entry for an extent that has its first pages; there is room for it. */
int dat_recording_add_entry(struct recording *r, struct buffer *b, size_t cpu, struct recorded_extent *extent,
			    uint64_t used, struct sonde_error *err);

#endif

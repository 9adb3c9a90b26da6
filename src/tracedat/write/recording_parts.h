/* SPDX-License-Identifier: MIT */
/* recording_parts.h - the parts of a trace.dat of version 7 that is being recorded, in host order */
#ifndef TRACEDAT_WRITE_RECORDING_PARTS_H
#define TRACEDAT_WRITE_RECORDING_PARTS_H

#include "codec/codec.h"
#include "model/page_sink.h"
#include "tracedat/format/encode.h"
#include "tracedat/format/file.h"

/* Overwrites the 8 bytes at offset @at, which were put before. */
void dat_patch_u64(struct buf *b, size_t at, uint64_t v);

/* The head of a section of version 7; returns the offset of its size. */
size_t dat_put_section(struct buf *b, uint16_t id, bool packed, uint64_t size);

/* One of the kinds of metadata. */
void dat_put_metadata_part(struct buf *b, uint16_t id, const struct page_meta *meta);

/*
 * TRACECLOCK, UNAME, VERSION, TRACEID, TSC2NSEC if times are ticks, then the notes. Their data are views of @meta or in
 * the arena. Returns 0 or -SONDE_NOMEM.
 */
int dat_recording_options(const struct page_meta *meta, struct arena *arena, struct dat_part *to);

#define ENTRY_BYTES 20               /* of a buffer's table: u32 cpu, u64 offset, u64 size */
#define DAT_NR_METADATA 7              /* sections of metadata; the command lines are the last */

/* Offsets that become known later. */
struct dat_places {
	size_t head_at;              /* of the offset of the options */
	uint64_t options_at;         /* its value */
	uint64_t metadata_at[DAT_NR_METADATA];
	/* offsets in the buf of the tail: */
	size_t names;                /* of the size of the command lines */
	size_t *sections;            /* of each buffer: the offset of its section */
	size_t *tables;              /* by buffer: of the number of entries, which the entries follow */
};
int dat_places_init(struct dat_places *p, size_t nr_buffers, struct sonde_error *err);
void dat_places_free(struct dat_places *p);

/* The header and the metadata that does not change. @packer: compresses it; NULL: nothing does. */
void dat_put_metadata(struct buf *b, const struct page_meta *meta, struct packer *packer, struct dat_places *out);

/*
 * Command lines, strings, options; b begins at offset @base of the file. With room for entries per CPU and for more
 * command lines, the file is one that grows, and says that it is not finished; its command lines are not compressed.
 */
void dat_put_tail(struct buf *b, uint64_t base, const struct page_meta *meta, uint32_t extents_per_cpu,
		  size_t names_room, struct packer *packer, struct dat_places *out);

#endif

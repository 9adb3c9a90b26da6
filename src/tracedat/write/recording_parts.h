/* SPDX-License-Identifier: MIT */
/* recording_parts.h - the parts of a trace.dat that is recorded, in the order of the host */
#ifndef TRACEDAT_WRITE_RECORDING_PARTS_H
#define TRACEDAT_WRITE_RECORDING_PARTS_H

#include "model/page_sink.h"
#include "tracedat/format/encode.h"

/* Overwrites 8 bytes that were put before, at the offset @at. */
void dat_patch_u64(struct buf *b, size_t at, uint64_t v);

/* The first bytes of a file without compression. Version 7 ends with the offset of the options, 0 for now:
 * returns where it is. */
size_t dat_put_head(struct buf *b, int version, uint32_t page_size);

/* The head of a section of version 7; returns where its size is. */
size_t dat_put_section(struct buf *b, uint16_t id, uint32_t description, uint64_t size);

/* Metadata, which both versions have. */
void dat_put_header_info(struct buf *b, const struct page_meta *meta);
void dat_put_ftrace_formats(struct buf *b, const struct page_meta *meta);
void dat_put_event_formats(struct buf *b, const struct page_meta *meta);
void dat_put_text32(struct buf *b, struct sonde_str text);   /* behind its size as a u32: kallsyms, printk formats */
void dat_put_text64(struct buf *b, struct sonde_str text);   /* as a u64: command lines */

/* TRACECLOCK, UNAME, VERSION, TRACEID, and the notes. */
void dat_put_common_options(struct buf *b, const struct page_meta *meta);

/* ---- version 7 ---- */

#define ENTRY_BYTES 20               /* of a buffer's table: u32 cpu, u64 offset, u64 size */
#define DAT_NR_METADATA 7              /* sections of metadata; the command lines are the last */

/* Where things are that become known later. */
struct dat_places {
	size_t head_at;              /* the offset of the options */
	uint64_t options_at;         /* its value */
	uint64_t metadata_at[DAT_NR_METADATA];
	/* offsets in the buf of the tail: */
	size_t names;                /* the size of the command lines */
	size_t *sections;            /* of each buffer: the offset of its section */
	size_t *tables;              /* and its number of entries, with the entries behind it */
};
int dat_places_init(struct dat_places *p, size_t nr_buffers, struct sonde_error *err);
void dat_places_free(struct dat_places *p);

/* The string id of a section's description. */
uint32_t dat_description(uint16_t id);

/* The head and the metadata that does not change any more. */
void dat_put_metadata(struct buf *b, const struct page_meta *meta, struct dat_places *out);

/*
 * Command lines, strings, options; b begins at @base of the file. Room for so many entries per CPU, and for more
 * command lines: with that the file is one that grows, and says that it is not finished.
 */
void dat_put_tail(struct buf *b, uint64_t base, const struct page_meta *meta, uint32_t extents_per_cpu,
		  size_t names_room, struct dat_places *out);

#endif

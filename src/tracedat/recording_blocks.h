/* SPDX-License-Identifier: MIT */
/* recording_blocks.h - the parts of a trace.dat that is recorded, in the order of the host */
#ifndef TRACEDAT_RECORDING_BLOCKS_H
#define TRACEDAT_RECORDING_BLOCKS_H

#include "model/page_sink.h"
#include "tracedat/encode.h"

/* Overwrites 8 bytes that were put before, at the offset @at. */
void dat_patch_u64(struct buf *b, size_t at, uint64_t v);

/* The first bytes of a file without compression. Version 7 ends with the offset of the options, 0 for now: returns where it is. */
size_t dat_put_head(struct buf *b, int version, uint32_t page_size);

/* The head of a section of version 7; returns where its size is. */
size_t dat_put_section(struct buf *b, uint16_t id, uint32_t description, uint64_t size);
/* The section whose size is at @size_at ends here. */
void dat_end_section(struct buf *b, size_t size_at);

void dat_put_option(struct buf *b, uint16_t id, const void *data, size_t n);
void dat_put_option_strz(struct buf *b, uint16_t id, const char *text);

/* The blocks of metadata, which both versions have. */
void dat_put_header_info(struct buf *b, const struct page_meta *meta);
void dat_put_ftrace_formats(struct buf *b, const struct page_meta *meta);
void dat_put_event_formats(struct buf *b, const struct page_meta *meta);
void dat_put_text32(struct buf *b, struct sonde_str text);   /* behind its size as a u32: kallsyms, printk formats */
void dat_put_text64(struct buf *b, struct sonde_str text);   /* as a u64: command lines */

#endif

/* SPDX-License-Identifier: MIT */
/* sample_text.h - the words for what a sample holds as numbers: memory accesses, branches, registers, transactions. */
#ifndef EXPORT_SAMPLE_TEXT_H
#define EXPORT_SAMPLE_TEXT_H

#include <sonde/event.h>

#include <string.h>

#include "base/buf.h"

/*
 * The most of an event's name that stands on its lines: a name as long as the file would make an output as long as its
 * square. Recorders give names of some 100 bytes.
 */
#define LINE_NAME_MAX 1024

static inline size_t line_name_length(const char *name)
{
	return strnlen(name, LINE_NAME_MAX);
}

static inline void text_line_name(struct buf *out, const char *name)
{
	buf_text(out, name, line_name_length(name));
}

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" */
void text_data_src(struct buf *out, uint64_t data_src);

/* Its parts, without the words before them: "L1 hit", "None", "L1 or L2 hit", "No", " N/A" */
void text_memory_level(struct buf *out, uint64_t data_src);
void text_snoop(struct buf *out, uint64_t data_src);
void text_tlb(struct buf *out, uint64_t data_src);
void text_lock(struct buf *out, uint64_t data_src);
void text_block(struct buf *out, uint64_t data_src);

/* "CALL"; "" where no kind was recorded, or one without a name. @kind: branch_kind() */
const char *text_branch_kind(uint32_t kind);

/* The flags after from/to: "/P/-/-/5/CALL/NON_SPEC_CORRECT_PATH" */
void text_branch_flags(struct buf *out, uint64_t flags);

/* "4K", "2M"; "N/A" for 0 */
void text_page_size(struct buf *out, uint64_t bytes);

/* "ELISION|CONFLICT"; the abort code is not part of it */
void text_transaction(struct buf *out, uint64_t transaction);

/* One letter for each bit: the mode of the CPU, then the upper bits, by record type: "K", "UM", "Sp" */
void text_misc(struct buf *out, uint32_t type, uint16_t misc);

/* "AX", "X29": register @bit of a machine named as by `uname -m`; NULL if it has no such register */
const char *text_register(const char *arch, unsigned bit);

#endif

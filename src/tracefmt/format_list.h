/* SPDX-License-Identifier: MIT */
/*
 * format_list.h - the lists of event formats in the tracing data of a perf.data and in the metadata of a trace.dat
 *
 *	u32 count, [count] { u64 size, format text }                      events of one system
 *	u32 count, [count] { system "\0", u32 count, [count] { u64 size, format text } }
 */
#ifndef TRACEFMT_FORMAT_LIST_H
#define TRACEFMT_FORMAT_LIST_H

#include "base/cursor.h"

/* @at: where the text is; its size lies in the FORMAT_SIZE_BYTES before it. */
typedef int (*format_list_fn)(void *ctx, const char *system, struct sonde_str text, uint64_t at);
#define FORMAT_SIZE_BYTES 8

/**
 * format_list_read, format_list_read_systems - call @fn for every format that is whole
 * @fn: NULL: only go behind the list. The walk ends with the first result that is not 0.
 * Returns 0 or that result; the cursor fails when the list is cut.
 */
int format_list_read(struct cursor *c, const char *system, format_list_fn fn, void *ctx);
int format_list_read_systems(struct cursor *c, format_list_fn fn, void *ctx);

#endif

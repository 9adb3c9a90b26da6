/* SPDX-License-Identifier: MIT */
/*
 * format_list.h - the lists of event formats in the tracing data of a perf.data and in the metadata of a trace.dat
 *
 *	u32 count, [count] { u64 size, format text }                      events of one system
 *	u32 count, [count] { system "\0", u32 count, [count] { u64 size, format text } }
 */
#ifndef TRACEFMT_FORMAT_LIST_H
#define TRACEFMT_FORMAT_LIST_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/strpool.h"

/* @at: where the text is; its size lies in the FORMAT_SIZE_BYTES before it. */
typedef int (*format_list_fn)(void *ctx, const char *system, struct sonde_str text, uint64_t at);
#define FORMAT_SIZE_BYTES 8

/* The system of the tracers' own records, whose list comes before those of the others. */
#define FTRACE_SYSTEM "ftrace"

/**
 * format_list_read, format_list_read_systems - call @fn for every format that is whole
 * @fn: NULL: only step over the list. The walk ends with the first result that is not 0.
 * Returns 0 or that result; the cursor fails when the list is cut.
 */
int format_list_read(struct cursor *c, const char *system, format_list_fn fn, void *ctx);
int format_list_read_systems(struct cursor *c, format_list_fn fn, void *ctx);

struct format_text {
	struct sonde_str text;
	uint32_t next;               /* of the same system: its number */
};

/* The formats of a system, by number. */
struct format_system {
	uint32_t nr, first, last;
};

/* Formats from which lists are written, in whatever order they come. {0} is empty. */
struct format_lists {
	struct strpool names;
	VEC(struct format_system) systems;   /* by number of the name */
	VEC(struct format_text) formats;
};

/* @text is a view that lives as long as the lists. Returns 0 or -SONDE_NOMEM. */
int format_lists_add(struct format_lists *l, const char *system, struct sonde_str text);

/**
 * format_lists_put, format_lists_put_systems - write the list of one system, or those of all but one
 * @except: may be NULL
 * Systems and their formats are in the order in which they came.
 */
void format_lists_put(struct format_lists *l, const char *system, bool swap, struct buf *out);
void format_lists_put_systems(struct format_lists *l, const char *except, bool swap, struct buf *out);

void format_lists_free(struct format_lists *l);

#endif

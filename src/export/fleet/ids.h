/* SPDX-License-Identifier: MIT */
/*
 * ids.h - content hashes of frames and stacks: the same on every machine, so that many write without coordination
 *
 * docs/fleet.md has the definition and its test vectors: the ids are stored, so neither ever changes.
 */
#ifndef EXPORT_FLEET_IDS_H
#define EXPORT_FLEET_IDS_H

#include "base/buf.h"

/* The columns of a row of the table frames, as they are written. */
struct fleet_frame {
	int64_t id;
	const char *function;        /* "": not known */
	const char *file;            /* "": not known, or lines are not told apart */
	const char *module;          /* "libc.so.6" */
	const char *build_id;        /* "": not known */
	uint32_t line;
	uint64_t address;
	bool inlined;
};

/* The id of a frame with these columns; 0 when out of memory. @text is room for the work. */
int64_t fleet_frame_id(const struct fleet_frame *f, struct buf *text);

/* The id of a stack of frames with these ids, the innermost first. */
int64_t fleet_stack_id(const int64_t *frames, size_t n, struct buf *text);

#endif

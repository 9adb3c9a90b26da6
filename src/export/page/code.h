/* SPDX-License-Identifier: MIT */
/*
 * code.h - the code of functions in the page of a profile, as JSON
 *
 *	[{ "frames": [...], "name": STRING, "from": STRING, "start": STRING, "notes": [STRING, ...], "events": [...],
 *	   "at": [...], "kind": [...], "text": [STRING, ...], "line": [...], "target": [...],
 *	   "files": [STRING, ...], "file": [...],
 *	   "samples": [[ROW, COLUMN, SAMPLES, PERIOD], ...] }, ...]
 *
 * "frames" are the numbers of the function in the page and of those inlined into it, itself first; "start" is its
 * address in hexadecimal; "events" the numbers of events of the page, which the columns of samples refer to. "at"
 * (distance from the start), "kind" (enum sonde_annotation_kind), "text", "line", "file" (number in "files" plus 1) and
 * "target" (of a jump: its row plus 1) are by row.
 */
#ifndef EXPORT_PAGE_CODE_H
#define EXPORT_PAGE_CODE_H

#include "export/export.h"

/*
 * Writes the functions of x->page.code. @function_of: by frame of the profile, its function in the page. 0 or
 * -SONDE_NOMEM.
 */
int code_write(struct buf *out, const struct export *x, const uint32_t *function_of);

#endif

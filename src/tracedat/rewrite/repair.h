/* SPDX-License-Identifier: MIT */
/* repair.h - the steps by which a damaged trace.dat becomes whole */
#ifndef TRACEDAT_REWRITE_REPAIR_H
#define TRACEDAT_REWRITE_REPAIR_H

#include <time.h>

#include "tracedat/rewrite/rewrite.h"

/* repair_header.c: f->header of a file whose first bytes cannot be used, from what follows them: 0 or -SONDE_FORMAT. */
int dat_repair_find_header(struct dat_file *f, struct sonde_error *err);
/* How the sections from @at on are compressed: as the first compressed one begins; "none". */
const char *dat_repair_find_compression(struct dat_file *f, uint64_t at);
/* Whether the first bytes are followed by what only a trace.dat has. */
bool dat_repair_looks_like_trace(const uint8_t *p, size_t n);

/* repair_find.c: sections that nothing leads to, buffers whose table is lost */
int dat_repair_find_sections(struct dat_rewrite *w);
int dat_repair_find_pages(struct dat_rewrite *w);

/* repair_files.c: the files of a killed recorder's CPUs that lie beside the input, if it has no pages itself; *others
 * is freed by the caller */
struct repair_files {
	VEC(struct dat_file *) at;
};
int dat_repair_find_files(struct dat_rewrite *w, struct repair_files *others);
void dat_repair_files_free(struct repair_files *others);
/* How many such files lie beside @path, which need not be there itself. *oldest: when the first of
 * them was written last. */
size_t dat_repair_count_files(const char *path, time_t *oldest);

/* repair_metadata.c: metadata that is damaged becomes what of it can be read */
int dat_repair_metadata(struct dat_rewrite *w);

/* repair_pages.c: pages are written as far as they make sense; that overlap others are dropped */
int dat_repair_pages(struct dat_rewrite *w);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - makes a new trace.dat from an old one
 *
 * Shared by convert, cut and repair: the parts of the old file are found, changed, and composed again.
 */
#ifndef TRACEDAT_REWRITE_REWRITE_H
#define TRACEDAT_REWRITE_REWRITE_H

#include "model/rewriting.h"
#include "tracedat/scan/layout.h"
#include "tracedat/write/compose.h"
#include "tracedat/write/version_convert.h"

struct dat_rewrite {
	struct sonde_rewrite *handle;
	struct image image;
	struct output to;
	struct dat_file in;
	/* Changes a whole page before it is written, once dat_repair_pages() was called: 0 or negative. May be NULL. */
	int (*change_page)(struct dat_rewrite *w, uint8_t *page, size_t page_size);
	/* Looks at what was written before it gets its name: 0, or negative, and it never gets it. May be NULL. */
	int (*verify)(struct dat_rewrite *w);
	void *ctx;                   /* of these */
};

/* Opens the output and takes the image over, also on failure; dat_rewrite_close() in any case. */
int dat_rewrite_open(struct dat_rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out);
void dat_rewrite_close(struct dat_rewrite *w);

/* Composes @f, which need not be w->in, and gives the output its name. */
int dat_rewrite_finish(struct dat_rewrite *w, struct dat_file *f, const struct compose_how *how);

/* Gives a section other bytes, which are copied and freed. */
int dat_rewrite_replace(struct dat_rewrite *w, struct dat_part *part, struct buf *with);

/* Notes a loss, with its place if there is one. */
void dat_rewrite_lose(struct dat_rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, int32_t cpu,
		      const char *what);


#endif

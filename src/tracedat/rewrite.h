/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - from a trace.dat to a new one
 *
 * What convert, repair and their siblings share: the parts of the old file are found, changed, and composed again.
 */
#ifndef TRACEDAT_REWRITE_H
#define TRACEDAT_REWRITE_H

#include "model/rewriting.h"
#include "tracedat/compose.h"

struct dat_rewrite {
	struct sonde_rewrite *handle;
	struct image image;
	struct output to;
	struct dat_file in;
};

extern const struct rewriter tracedat_rewriter;

/* Opens the output and takes the image over, also on failure; dat_rewrite_close() in any case. */
int dat_rewrite_open(struct dat_rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out);
void dat_rewrite_close(struct dat_rewrite *w);

/* Composes @f, which need not be w->in, and gives the output its name. */
int dat_rewrite_finish(struct dat_rewrite *w, struct dat_file *f, const struct compose_how *how);

/* Notes a loss, with its place if there is one. */
void dat_rewrite_lose(struct dat_rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, int32_t cpu, const char *what);

/* form.c: the parts of @f become those of a file of version 6 or 7; what has no place there is told to @losses, which may be NULL. */
int dat_form_change(struct dat_file *f, uint32_t version, struct ledger *losses, struct sonde_error *err);
/* A part of bytes in memory that the file owns; those of a metadata block without content when @p is NULL. */
int dat_form_add_block(struct dat_file *f, uint16_t id, const void *p, size_t n, size_t *number);

int tracedat_convert(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_convert_opts *opts);
int tracedat_cut(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts);
int tracedat_repair(struct sonde_rewrite *handle, struct image *im, const char *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * writer.h - writes a new trace.dat from metadata and events, which come in any order
 *
 * Full pages of all CPUs go to one file without a name; in the end they are put in order.
 */
#ifndef TRACEDAT_WRITE_WRITER_H
#define TRACEDAT_WRITE_WRITER_H

#include <sonde/dat_writer.h>

#include "io/output.h"

struct dat_writer;

/* @opts has all of its fields, and values that make sense. NULL when out of memory. */
struct dat_writer *dat_writer_new(const struct sonde_dat_writer_opts *opts);
void dat_writer_free(struct dat_writer *w);

/* All as their namesakes in <sonde/dat_writer.h>: 0 or negative with @err set. */
int dat_writer_set_text(struct dat_writer *w, enum sonde_dat_text which, const char *text, size_t n,
			struct sonde_error *err);
int dat_writer_add_format(struct dat_writer *w, const char *system, const char *text, size_t n,
			  struct sonde_error *err);
int dat_writer_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t n, struct sonde_error *err);
int dat_writer_add_buffer(struct dat_writer *w, const char *name, const char *clock, uint32_t page_size,
			  struct sonde_error *err);
int dat_writer_write(struct dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t time, const void *event, size_t n,
		     struct sonde_error *err);
int dat_writer_lost(struct dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t count, struct sonde_error *err);
size_t dat_writer_max_event(const struct dat_writer *w, uint32_t buffer);

/* Writes all to @to, which the caller finishes and closes. */
int dat_writer_finish(struct dat_writer *w, struct output *to, struct sonde_error *err);

#endif

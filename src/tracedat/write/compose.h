/* SPDX-License-Identifier: MIT */
/*
 * compose.h - writes the parts of a trace.dat into a new file
 *
 *	version 7:	header, the parts as sections one after the other
 *	version 6:	header, metadata, number of CPUs and options, for each buffer its table and its pages
 *
 * Parts are written in order, each offset once it is known. Sections and pages whose compression is that of the new
 * file are copied.
 */
#ifndef TRACEDAT_WRITE_COMPOSE_H
#define TRACEDAT_WRITE_COMPOSE_H

#include "io/output.h"
#include "tracedat/format/pages.h"

struct compose_how {
	const struct codec *codec;   /* NULL: nothing is compressed */
	uint32_t level;              /* 0: the compressor's default */
	bool repack;                 /* compressed parts are compressed anew */
};

/* Writes all of @f to @to, which the caller finishes and closes. */
int dat_compose(struct dat_file *f, struct output *to, const struct compose_how *how, struct sonde_error *err);

/* The options that keep the compression of all parts. */
struct compose_how dat_compose_same(const struct dat_file *f);

#endif

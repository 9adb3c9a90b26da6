/* SPDX-License-Identifier: MIT */
/* merge.h - one trace.dat from several */
#ifndef TRACEDAT_REWRITE_MERGE_H
#define TRACEDAT_REWRITE_MERGE_H

#include "model/rewriting.h"

/*
 * Events of all readers, which stay the caller's, by their times on one clock, with the offsets of @opts added to those
 * of each input. The first says version, compression and what is known of the machine. Buffers of files of one session
 * (the same trace id) that have one name become one, others get the name of their file. Events of one number that are
 * not the same get another.
 */
int dat_merge(struct sonde_rewrite *handle, struct reader *const *in, size_t nr, const char *out,
		   const struct sonde_merge_opts *opts);

#endif

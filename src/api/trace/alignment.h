/* SPDX-License-Identifier: MIT */
/* alignment.h - the times of several traces on one clock */
#ifndef API_TRACE_ALIGNMENT_H
#define API_TRACE_ALIGNMENT_H

#include <sonde/trace.h>

/*
 * How the times of each trace become those of the first one: as they are aligned, or else as they would be. 0 or
 * -SONDE_NOMEM.
 */
int alignments_of(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts,
		  struct sonde_alignment *out);

#endif

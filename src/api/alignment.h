/* SPDX-License-Identifier: MIT */
/* alignment.h - the times of several traces on one clock */
#ifndef API_ALIGNMENT_H
#define API_ALIGNMENT_H

#include <sonde/trace.h>

/* How the times of the i-th trace become those of the first one: as they are aligned, or else as they would be. */
struct sonde_alignment alignment_of(struct sonde_trace *const *traces, size_t i,
				    const struct sonde_several_opts *opts);

#endif

/* SPDX-License-Identifier: MIT */
/* iter.h - the library's own look into an iterator */
#ifndef API_TRACE_ITER_H
#define API_TRACE_ITER_H

#include <sonde/trace.h>

#include "api/trace/single.h"

/* The events of the only trace; NULL if there are several, or the query was refused. */
struct single *iter_single(struct sonde_iter *it);

#endif

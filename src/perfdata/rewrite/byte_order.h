/* SPDX-License-Identifier: MIT */
/*
 * byte_order.h - the other byte order, in place
 *
 * Each field by its width, so that swapping twice gives the same bytes again. Bytes that mean the same in either order
 * stay: texts, build ids, stacks, hardware trace, and the raw data of tracepoints, whose order the tracing data tells
 * by itself. Fields that are not known stay as the recorder wrote them, and the caller is told.
 */
#ifndef PERFDATA_REWRITE_BYTE_ORDER_H
#define PERFDATA_REWRITE_BYTE_ORDER_H

#include "perfdata/format/evlist.h"
#include "perfdata/format/record.h"

/**
 * swap_record - a record of @n bytes, which begin with its header
 * @swap: the order that it has now is not the host's
 * @nr_cpus: as the feature NRCPUS says: others have an entry for each
 * Returns NULL, or in a few words what of it could not be swapped.
 */
const char *swap_record(struct evlist *evlist, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus);

#endif

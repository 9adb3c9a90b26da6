/* SPDX-License-Identifier: MIT */
/* perf_words.h - what `perf report -D` says of a record that is no sample, behind the name of its type */
#ifndef EXPORT_DUMP_PERF_WORDS_H
#define EXPORT_DUMP_PERF_WORDS_H

#include <sonde/event.h>

#include "base/buf.h"

/**
 * perf_words - the rest of the line, and the lines that belong to it
 * False: perf 6.1 says nothing of this type, or not all, so that the fields of the record are to follow.
 */
bool perf_words(struct buf *out, const struct sonde_event *ev);

#endif

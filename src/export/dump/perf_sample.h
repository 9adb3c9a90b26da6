/* SPDX-License-Identifier: MIT */
/* perf_sample.h - the fields of a sample in the layout of `perf report -D` */
#ifndef EXPORT_DUMP_PERF_SAMPLE_H
#define EXPORT_DUMP_PERF_SAMPLE_H

#include "model/meta.h"

#include "base/buf.h"

/* "(IP, 0x1): 7453/7460: 0xffffffff821ef666 period: 666666 addr: 0", and lines of what else it has. */
void perf_sample(struct buf *out, const struct sonde_event *ev, const struct meta *meta);

#endif

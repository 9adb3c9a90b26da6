/* SPDX-License-Identifier: MIT */
/* recording_finish.h - completes a trace.dat that was recorded */
#ifndef TRACEDAT_WRITE_RECORDING_FINISH_H
#define TRACEDAT_WRITE_RECORDING_FINISH_H

#include "model/page_sink.h"

/* See page_sink.h */
int dat_recording_finish(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * tracing_data.h - the metadata of a trace.dat as the "tracing data" of a perf.data
 *
 * Both formats hold the same six kinds of metadata in the same order, after different headers.
 */
#ifndef TRACEDAT_REWRITE_TRACING_DATA_H
#define TRACEDAT_REWRITE_TRACING_DATA_H

#include "base/buf.h"
#include "io/image.h"

/*
 * Event ids in use. Only these formats of the tracers' own records (system ftrace) become tracing data, because
 * libtraceevent complains about every format that it cannot parse.
 */
struct dat_event_ids {
	uint8_t bits[(UINT16_MAX + 1) / 8];
};
int dat_tracing_data_make(struct image *im, const struct dat_event_ids *used, struct buf *out, struct sonde_error *err);

#endif

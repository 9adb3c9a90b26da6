/* SPDX-License-Identifier: MIT */
/*
 * tracing_data.h - the metadata of a trace.dat as the "tracing data" of a perf.data, and back
 *
 * Both formats hold the same six kinds of metadata in the same order, after different headers.
 */
#ifndef TRACEDAT_REWRITE_TRACING_DATA_H
#define TRACEDAT_REWRITE_TRACING_DATA_H

#include <sonde/dat_writer.h>

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

/* Called for each part of tracing data; each returns 0, or negative to stop. */
struct tracing_data_ops {
	int (*text)(void *ctx, enum sonde_dat_text which, const char *text, size_t n);
	int (*format)(void *ctx, const char *system, const char *text, size_t n);
};

struct tracing_data_head {
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;
	size_t bytes;                /* the metadata follows */
};

/* -SONDE_CORRUPT when it does not begin as tracing data does. */
int dat_tracing_data_head(const uint8_t *p, size_t n, struct tracing_data_head *out);

/* Calls @ops for all that is whole; what one of them returned, if it was negative. */
int dat_tracing_data_read(const uint8_t *p, size_t n, const struct tracing_data_head *head,
			  const struct tracing_data_ops *ops, void *ctx);

#endif

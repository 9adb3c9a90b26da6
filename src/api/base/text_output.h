/* SPDX-License-Identifier: MIT */
/* text_output.h - a buffer that writes its text to the output of the program */
#ifndef API_BASE_TEXT_OUTPUT_H
#define API_BASE_TEXT_OUTPUT_H

#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/opts.h"

/* Begins a call and clears its error; @err may be NULL. @to: NULL: the standard output */
static inline struct buf text_output(const struct sonde_output *to, struct sonde_error *err)
{
	struct buf b = BUF_TO(OPT(to, fd, STDOUT_FILENO), err);

	err_clear(err);
	b.sink = OPT(to, write, NULL);
	b.ctx = OPT(to, ctx, NULL);
	if (b.sink)
		b.fd = -1;
	b.failed = OPTS_CHECK(sonde_output, to, err);
	return b;
}

#endif

/* SPDX-License-Identifier: MIT */
/* file_output.h - a new file that gets its name when it is whole, or a passage that is written as it is */
#ifndef API_BASE_FILE_OUTPUT_H
#define API_BASE_FILE_OUTPUT_H

#include <sonde/text.h>

#include "io/output.h"

/*
 * Calls @write with an output to @path: a new file, which replaces none of @inputs; a FIFO or device; "-" and
 * /dev/stdout are the standard output. Returns what it returns, or the failure to write.
 */
int file_output_write(const char *path, const struct file_id *inputs, size_t nr_inputs,
		      int (*write)(void *ctx, const struct sonde_output *to, struct sonde_error *err), void *ctx,
		      struct sonde_error *err);

#endif

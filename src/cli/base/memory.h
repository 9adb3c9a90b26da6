/* SPDX-License-Identifier: MIT */
/* memory.h - --max-memory, an option of every command that reads traces */
#ifndef CLI_BASE_MEMORY_H
#define CLI_BASE_MEMORY_H

#include <sonde/trace.h>

#include "cli/base/command.h"

/* Its row, and a row of zeros. */
extern const struct option_row memory_rows[];

/* The most samples that a page may have: with all that it needs of each, they fit below the limit. */
size_t memory_page_samples(void);

/* The same for a page whose samples stay with its server. */
size_t memory_view_samples(void);

/* For sonde_trace_open(): with the limit, if there is one, and a progress function. */
const struct sonde_open_opts *open_options(void);
void open_options_progress(void (*progress)(void *ctx, double share));

#endif

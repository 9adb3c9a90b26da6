/* SPDX-License-Identifier: MIT */
/* file_limit.h - the number of files that this process may open; the library leaves limits alone. */
#ifndef CLI_BASE_FILE_LIMIT_H
#define CLI_BASE_FILE_LIMIT_H

#include <stdbool.h>

/* Raises the soft limit to the hard one: true if there was room. A command that was forked before keeps its own. */
bool raise_file_limit(void *ctx);

#endif

/* SPDX-License-Identifier: MIT */
/* trace_name.h - the names of several traces, in a column before their lines */
#ifndef EXPORT_SCRIPT_TRACE_NAME_H
#define EXPORT_SCRIPT_TRACE_NAME_H

#include "export/script/script.h"

/*
 * Gives each trace a column with the last part of its path, or with the path if files share that part. 0 or
 * -SONDE_NOMEM.
 */
int script_name(struct script *scripts, const char *const *paths, size_t n);

#endif

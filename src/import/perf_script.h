/* SPDX-License-Identifier: MIT */
/* perf_script.h - the text that `perf script` prints */
#ifndef IMPORT_PERF_SCRIPT_H
#define IMPORT_PERF_SCRIPT_H

#include "import/import.h"

extern const struct import_format import_perf_script;

#endif

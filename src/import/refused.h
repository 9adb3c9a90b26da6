/* SPDX-License-Identifier: MIT */
/* refused.h - profiles that are known, but not read: the message names them, and the way to one that is read */
#ifndef IMPORT_REFUSED_H
#define IMPORT_REFUSED_H

#include "import/import.h"

extern const struct import_format import_go_trace, import_pprof_words, import_pprof_text;

#endif

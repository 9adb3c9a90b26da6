/* SPDX-License-Identifier: MIT */
/* pprof.h - profile.proto of pprof */
#ifndef IMPORT_PPROF_H
#define IMPORT_PPROF_H

#include "import/import.h"

extern const struct import_format import_pprof;

#endif

/* SPDX-License-Identifier: MIT */
/* speedscope.h - the file format of speedscope */
#ifndef IMPORT_SPEEDSCOPE_H
#define IMPORT_SPEEDSCOPE_H

#include "import/import.h"

extern const struct import_format import_speedscope;

#endif

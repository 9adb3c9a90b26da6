/* SPDX-License-Identifier: MIT */
/* folded.h - folded stacks */
#ifndef IMPORT_FOLDED_H
#define IMPORT_FOLDED_H

#include "import/import.h"

extern const struct import_format import_folded;

#endif

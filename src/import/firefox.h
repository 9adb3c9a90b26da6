/* SPDX-License-Identifier: MIT */
/* firefox.h - processed profiles of the Firefox Profiler */
#ifndef IMPORT_FIREFOX_H
#define IMPORT_FIREFOX_H

#include "import/import.h"

extern const struct import_format import_firefox;

#endif

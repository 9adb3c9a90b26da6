/* SPDX-License-Identifier: MIT */
/* kallsyms.h - symbols of the recorded kernel, read when the first one is asked for */
#ifndef TRACEDAT_READ_KALLSYMS_H
#define TRACEDAT_READ_KALLSYMS_H

#include "tracedat/read/tracedat.h"

/* Tells the formats where the text of kallsyms is; it is read when the first symbol is asked for. */
void dat_kallsyms_offer(struct tracedat *f);

#endif

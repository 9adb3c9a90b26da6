/* SPDX-License-Identifier: MIT */
/* architecture.h - the architecture of a recording that does not name it */
#ifndef API_TRACE_ARCHITECTURE_H
#define API_TRACE_ARCHITECTURE_H

#include "model/reader.h"

/*
 * Without the header feature ARCH, meta->arch becomes what other facts of the recording tell; ARCH stays absent. Where
 * none does, and there are copies of stacks, the ledger says why these are not unwound.
 */
void architecture_find(struct reader *r);

#endif

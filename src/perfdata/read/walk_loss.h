/* SPDX-License-Identifier: MIT */
/* walk_loss.h - what a walk passes over */
#ifndef PERFDATA_READ_WALK_LOSS_H
#define PERFDATA_READ_WALK_LOSS_H

#include "perfdata/read/walk.h"

/* Adds to the ledger. Only the newest walk writes it. */
void walk_lose(struct walk *w, uint64_t place, enum sonde_loss_kind kind, uint64_t count, const char *what);

#endif

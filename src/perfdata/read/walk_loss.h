/* SPDX-License-Identifier: MIT */
/* walk_loss.h - bytes and records that a walk passes over: rows of the ledger, which only the newest walk writes */
#ifndef PERFDATA_READ_WALK_LOSS_H
#define PERFDATA_READ_WALK_LOSS_H

#include "perfdata/read/walk.h"

void walk_lose(struct walk *w, uint64_t place, enum sonde_loss_kind kind, uint64_t count, const char *name);

/* Damage that the scan of these bytes has passed. */
void walk_lose_damage(const struct walk_bytes *b, const struct scanned *damage);

#endif

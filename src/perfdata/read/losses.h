/* SPDX-License-Identifier: MIT */
/* losses.h - rules that scan/ finds broken become rows of the ledger, for the reader and for every rewriting */
#ifndef PERFDATA_READ_LOSSES_H
#define PERFDATA_READ_LOSSES_H

#include "model/ledger.h"
#include "perfdata/scan/layout.h"
#include "perfdata/scan/scan.h"

struct losses {
	struct ledger *ledger;
	const struct layout *layout;
};

/* A sonde_finding_fn; @ctx: a struct losses. */
int perfdata_losses_take(void *ctx, const struct sonde_finding *finding);

/* Damage between records, or in compressed ones. @part: the file of a directory; NULL: the only one, or `data`. */
void losses_add_damage(struct ledger *l, const struct scanned *damage, const char *part);

/* Any other loss, which no rule of check has. */
void losses_add(struct ledger *l, enum sonde_loss_kind kind, uint64_t count, uint64_t place, const char *name,
		const char *part);

#endif

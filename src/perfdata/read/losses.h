/* SPDX-License-Identifier: MIT */
/* losses.h - what scan/ finds wrong with the sections of a file becomes rows of the reader's ledger */
#ifndef PERFDATA_READ_LOSSES_H
#define PERFDATA_READ_LOSSES_H

#include "model/ledger.h"
#include "perfdata/scan/layout.h"

struct losses {
	struct ledger *ledger;
	const struct layout *layout;
};

/* A sonde_finding_fn; @ctx: a struct losses. */
int perfdata_losses_take(void *ctx, const struct sonde_finding *finding);

#endif

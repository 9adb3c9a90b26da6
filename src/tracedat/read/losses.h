/* SPDX-License-Identifier: MIT */
/* losses.h - what scan/ finds wrong with a file becomes rows of the reader's ledger */
#ifndef TRACEDAT_READ_LOSSES_H
#define TRACEDAT_READ_LOSSES_H

#include "model/findings.h"
#include "model/ledger.h"

/* A sonde_finding_fn; @ctx: the struct ledger. */
int dat_losses_take(void *ctx, const struct sonde_finding *finding);

#endif

/* SPDX-License-Identifier: MIT */
/* context.h - names of addresses in a record, as far as its printing context or the recorder's tables know them */
#ifndef TRACEFMT_CONTEXT_H
#define TRACEFMT_CONTEXT_H

#include "tracefmt/print.h"
#include "tracefmt/tracefmt.h"

/* The function at an address of the kernel: from the context, else from the recorder's symbols. */
bool context_symbol(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address,
		     struct sonde_str *name, uint64_t *offset);
/* The string constant of the kernel at an address; NULL if it is not known. */
const char *context_constant(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address);

#endif

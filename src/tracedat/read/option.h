/* SPDX-License-Identifier: MIT */
/* option.h - an option becomes metadata of the reader */
#ifndef TRACEDAT_READ_OPTION_H
#define TRACEDAT_READ_OPTION_H

#include "tracedat/read/tracedat.h"

int dat_option_take(struct tracedat *f, const struct dat_item *item, struct sonde_error *err);

#endif

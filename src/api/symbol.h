/* SPDX-License-Identifier: MIT */
/* symbol.h - a symbols object from the options of a program */
#ifndef API_SYMBOL_H
#define API_SYMBOL_H

#include <sonde/symbol.h>

#include "symbol/symbols.h"

/* NULL when out of memory; opts may be NULL. */
struct symbols *symbols_from_opts(const struct sonde_symbols_opts *opts);

#endif

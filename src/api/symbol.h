/* SPDX-License-Identifier: MIT */
/* symbol.h - from the options of the API to a symbols object. */
#ifndef API_SYMBOL_H
#define API_SYMBOL_H

#include <sonde/symbol.h>

#include "symbol/symbols.h"

/* NULL when out of memory; opts may be NULL. */
struct symbols *symbols_from_opts(const struct sonde_symbols_opts *opts);

#endif

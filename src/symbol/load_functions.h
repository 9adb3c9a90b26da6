/* SPDX-License-Identifier: MIT */
/* load_functions.h - where the functions of a binary begin and end, with or without a name */
#ifndef SYMBOL_LOAD_FUNCTIONS_H
#define SYMBOL_LOAD_FUNCTIONS_H

#include "symbol/load.h"

void load_functions(struct load *l);

#endif

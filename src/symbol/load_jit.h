/* SPDX-License-Identifier: MIT */
/* load_jit.h - symbols of code made by a just-in-time compiler: of perf-PID.map and of a jitdump */
#ifndef SYMBOL_LOAD_JIT_H
#define SYMBOL_LOAD_JIT_H

#include "symbol/load.h"

void load_jit(struct load *l);
void load_jitdump(struct load *l);

#endif

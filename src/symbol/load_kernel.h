/* SPDX-License-Identifier: MIT */
/* load_kernel.h - symbols of the kernel and of its modules */
#ifndef SYMBOL_LOAD_KERNEL_H
#define SYMBOL_LOAD_KERNEL_H

#include "symbol/load.h"

void load_kernel(struct load *l);
void load_module(struct load *l);

/* Is the running kernel, or the module in it, the recorded one, and at the same address? */
bool load_kernel_is_same_boot(struct load *l);

#endif

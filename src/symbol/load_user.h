/* SPDX-License-Identifier: MIT */
/* load_user.h - symbols of ELF files and of the vDSO */
#ifndef SYMBOL_LOAD_USER_H
#define SYMBOL_LOAD_USER_H

#include "symbol/load.h"

void load_user(struct load *l);
void load_vdso(struct load *l);

#endif

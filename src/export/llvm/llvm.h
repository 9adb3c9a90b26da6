/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_LLVM_LLVM_H
#define EXPORT_LLVM_LLVM_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. Needs a profile with SONDE_BY_SRCLINE. */
int export_llvm(struct export *x);

#endif

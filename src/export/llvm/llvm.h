/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_LLVM_LLVM_H
#define EXPORT_LLVM_LLVM_H

#include "export/export.h"

/*
 * 1, 0 if no sample was left to write, or the failure. The profile is as hot_code.h needs it, with SONDE_BY_SRCLINE and
 * basic_blocks.
 */
int export_llvm(struct export *x);

#endif

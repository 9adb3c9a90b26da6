/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.h - where functions begin and end in a file without symbols: the ranges of .eh_frame, which unwinding
 * needs.
 */
#ifndef SYMBOL_ELF_EH_FRAME_H
#define SYMBOL_ELF_EH_FRAME_H

#include "symbol/elf/file.h"
#include "symbol/table/symtab.h"

/* Adds a symbol with an empty name for every range, by file offsets. Returns how many. */
size_t eh_frame_add(struct symtab_builder *b, const struct elf_file *f);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * stapsdt.h - the static probes (USDT) that a file has: the notes of its section .note.stapsdt
 *
 * A note holds the address of the probe, the address that .stapsdt.base had when the note was made (the file may have
 * been moved since then), the address of a semaphore or 0, and three texts: provider, name and arguments.
 */
#ifndef SYMBOL_ELF_STAPSDT_H
#define SYMBOL_ELF_STAPSDT_H

#include "base/cursor.h"
#include "symbol/elf/file.h"

struct stapsdt_probe {
	struct sonde_str provider, name;
	struct sonde_str args;       /* "-4@%edi 8@-16(%rbp)" */
	uint64_t offset;             /* in the file */
	uint64_t semaphore;          /* offset in the file; 0: none */
};

/* Calls @fn for each probe, in the order of the file; a return other than 0 ends it and is returned. */
int stapsdt_each(const struct elf_file *f, int (*fn)(void *ctx, const struct stapsdt_probe *p), void *ctx);

#endif

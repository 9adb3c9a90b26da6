/* SPDX-License-Identifier: MIT */
/* kcore.h - code of the recorded kernel and its modules out of its memory, as it was patched while it ran */
#ifndef SYMBOL_KCORE_H
#define SYMBOL_KCORE_H

#include "symbol/load.h"

/*
 * Reads @size bytes at an address of the kernel @b: of the copy beside the recording or in perf's cache, or of the
 * running kernel if it is the recorded one in its recorded boot. @source: names the file. False if there is none.
 */
bool kcore_read(struct symbols *s, const struct binary *b, uint64_t addr, void *out, size_t size, struct buf *source);

/* The same of one file, which has the layout of an ELF core file of this host. */
bool kcore_read_file(const char *path, uint64_t addr, void *out, size_t size);

#endif

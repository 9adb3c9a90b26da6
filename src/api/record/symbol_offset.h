/* SPDX-License-Identifier: MIT */
/* symbol_offset.h - where a symbol lies in a file or in the kernel, for probes and breakpoints */
#ifndef API_RECORD_SYMBOL_OFFSET_H
#define API_RECORD_SYMBOL_OFFSET_H

#include "record/event/event.h"

/* The offset and the size of a function, by its name in a symbol table of the file. 0 or a negative code. */
int symbol_offset_of_file(const char *file, const char *name, uint64_t *offset, uint64_t *size);

/* The nth place of a static probe in a file. 0 or a negative code. */
int sdt_place_of_file(const char *file, const char *provider, const char *name, size_t nth, struct sdt_place *out);

/* The address of a symbol of the running kernel. 0, -SONDE_DENIED if the kernel hides it, or another negative code. */
int symbol_address_in_kernel(const char *name, uint64_t *addr);

#endif

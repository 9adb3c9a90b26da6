/* SPDX-License-Identifier: MIT */
/*
 * data_types.h - the types of the data that instructions of binaries touch, by number
 *
 * A binary is opened, and an instruction looked at, once. One thread at a time.
 */
#ifndef SYMBOL_DATA_TYPES_H
#define SYMBOL_DATA_TYPES_H

#include <sonde/profile.h>

#include "symbol/symbols.h"
#include "symbol/types/types.h"

struct data_types;

/* NULL when out of memory. The symbols live longer. */
struct data_types *data_types_new(struct symbols *symbols);
void data_types_free(struct data_types *d);

/* The number of what the instruction at a file offset touches; 0: unknown. UINT32_MAX when out of memory. */
uint32_t data_types_find(struct data_types *d, const struct binary *b, uint64_t offset, enum types_fusing fusing);

/* As long as the object lives. */
const struct sonde_data_type *data_types_at(const struct data_types *d, uint32_t number);

/* How the CPU of a recording fuses instructions: by its CPUID as perf has it, "AuthenticAMD,25,17,1". */
enum types_fusing data_types_fusing(const char *cpuid);

#endif

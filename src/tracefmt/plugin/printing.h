/* SPDX-License-Identifier: MIT */
/* printing.h - parts of a text that several printers need */
#ifndef TRACEFMT_PLUGIN_PRINTING_H
#define TRACEFMT_PLUGIN_PRINTING_H

#include "tracefmt/printer.h"

/* Field number i as an integer; 0 if there is none. */
uint64_t printing_u64(const struct printing *p, unsigned i);
static inline bool printing_has(const struct printing *p, unsigned i)
{
	return p->fields[i];
}

/* The name of the function at an address of the kernel; nothing and false if it is not known. */
bool printing_function_name(const struct printing *p, uint64_t address);
/* Its name, else the address. */
void printing_function(const struct printing *p, uint64_t address);

void printing_str(const struct printing *p, const char *s);

#endif

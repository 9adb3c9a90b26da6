/* SPDX-License-Identifier: MIT */
/* main_binary.h - the program that a recording is about, for formats of one binary */
#ifndef EXPORT_MAIN_BINARY_H
#define EXPORT_MAIN_BINARY_H

#include "export/export.h"
#include "export/named_functions.h"

/*
 * The program in which most samples are; a library only if there are no samples in a program. *main: its index, or
 * NO_BINARY. 0 or -SONDE_NOMEM.
 */
int main_binary_find(const struct sonde_profile *p, uint32_t *main);

/* The same for a format of one binary: that of opts.dsos, by path or name, if the program asks for one. */
int binary_to_write(const struct export *x, uint32_t *binary);

/* Tells how many of the samples or branches a file of that binary lacks, unless it has all. */
void binary_note_others(const struct export *x, uint32_t binary, uint64_t others, uint64_t all, const char *what);

#endif

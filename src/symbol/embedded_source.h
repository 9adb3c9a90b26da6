/* SPDX-License-Identifier: MIT */
/*
 * embedded_source.h - which source files may go into a file that travels: a page, a bundle
 *
 * DWARF names any file of this machine, and who sends a program or a recording chooses what it names. So the text of a
 * file is given away only if it is one of the sources that the program was built from, or of a directory that the user
 * names. docs/embedded-sources.md has the rule. Text on the user's own terminal needs none of this.
 */
#ifndef SYMBOL_EMBEDDED_SOURCE_H
#define SYMBOL_EMBEDDED_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"

struct source_lines;
struct binary;

/**
 * embedded_source_open - open a source file of a binary
 * @path: absolute; as DWARF has it, or what the user's options made of it
 * @dirs, @nr_dirs: directories that the user has named
 * @lines: of the binary @b, which tells the directories of its build
 * @why: set to the reason where the answer is negative: static text
 * The descriptor, or negative: -SONDE_MISSING without a reason if there is no such file, -SONDE_DENIED.
 */
int embedded_source_open(const char *path, const char *const *dirs, size_t nr_dirs, struct source_lines *lines,
			 const struct binary *b, struct stat *st, const char **why);

/* Whether bytes are the text of a source: UTF-8 or another code, without control bytes. */
bool embedded_source_is_text(const char *bytes, size_t n);

#endif

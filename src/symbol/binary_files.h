/* SPDX-License-Identifier: MIT */
/* binary_files.h - which files of a binary are on this machine, what they have, and why some are not used */
#ifndef SYMBOL_BINARY_FILES_H
#define SYMBOL_BINARY_FILES_H

#include "symbol/symbols.h"

struct binary_files {
	enum sonde_symbols_place place;
	const char *file;            /* as symtab.source, without the part of the file; "" if nothing was found */
	size_t file_len;
	bool symbols, lines, unwind, code;
	enum sonde_symbols_lack lack;
	const char *reason;          /* as long as the symbols; "" if there is nothing to say */
};

/* Loads the symbols of the binary, and looks for its files. */
struct binary_files binary_files_find(struct symbols *s, const struct binary *b);

/* Whether packages of a distribution install files there, for which it has debug packages. */
bool binary_is_packaged(const char *path);

#endif

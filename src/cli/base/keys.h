/* SPDX-License-Identifier: MIT */
/* keys.h - the one table of keys of all screens: their help, the manual pages and docs/terminal.md come from it */
#ifndef CLI_BASE_KEYS_H
#define CLI_BASE_KEYS_H

#include <stddef.h>

/* The screens that have a key. */
enum key_view { KEYS_REPORT = 1 << 0, KEYS_TOP = 1 << 1, KEYS_ANNOTATE = 1 << 2 };

struct key_row {
	const char *keys, *text;
	unsigned views;              /* KEYS_* */
};

/* The i-th key of a screen; NULL after the last. */
const struct key_row *key_at(unsigned view, size_t i);

#endif

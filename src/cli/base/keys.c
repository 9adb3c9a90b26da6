/* SPDX-License-Identifier: MIT */
#include "cli/base/keys.h"

enum { TABLES = KEYS_REPORT | KEYS_TOP, ALL = TABLES | KEYS_ANNOTATE };

/* The keys of perf's browser where it has one for the same thing. */
static const struct key_row rows[] = {
	{ "Up Down", "select a line; PgUp, PgDn, Home, End", ALL },
	{ "Enter +", "open or close the call tree of the line", TABLES },
	{ "-", "close it, or the line above it", TABLES },
	{ "e", "open or close the whole tree of the row", TABLES },
	{ "E", "open all rows", TABLES },
	{ "C", "close all rows", TABLES },
	{ "f", "callers and callees of the function", TABLES },
	{ "g", "trees of callers, or of callees", TABLES },
	{ "c", "count callees too (Children), or not", TABLES },
	{ "/", "functions with a text in the name", TABLES },
	{ "t", "the row's thread only, or its command", TABLES },
	{ "d", "the row's binary only", TABLES },
	{ "k", "the kernel only", TABLES },
	{ "T", "a range of time only", KEYS_REPORT },
	{ "Esc Left", "back: drop the last of / f t d k T", TABLES },
	{ "a", "annotate: the code of the function", TABLES },
	{ "m", "a menu of keys for the line", TABLES },
	{ "V", "binaries in call trees, or not", TABLES },
	{ "Enter", "follow the jump or the call", KEYS_ANNOTATE },
	{ "Esc Left", "back to the jump or call; or out", KEYS_ANNOTATE },
	{ "n N", "the next hot line; the one before", KEYS_ANNOTATE },
	{ "H", "the hottest line", KEYS_ANNOTATE },
	{ "/", "search a text; again: the next one", KEYS_ANNOTATE },
	{ "s", "hide or show the source", KEYS_ANNOTATE },
	{ "o", "whole addresses, or offsets", KEYS_ANNOTATE },
	{ "t", "percentages, samples, periods or cycles", KEYS_ANNOTATE },
	{ "p", "percent of the function, or of all", KEYS_ANNOTATE },
	{ "w P", "write the lines, to a .txt", KEYS_ANNOTATE },
	{ "L", "hide rows below a percentage", TABLES },
	{ "F", "percentages of rows shown, or of all", TABLES },
	{ "s", "next sort keys", TABLES },
	{ "S", "type sort keys", TABLES },
	{ "Tab", "next event; Shift-Tab: the one before", TABLES },
	{ "0-9", "sort by an event of the group", TABLES },
	{ "H", "hide or show the titles", TABLES },
	{ "i", "the recording, and what it has lost", KEYS_REPORT },
	{ "K", "hide or show the kernel", KEYS_TOP },
	{ "U", "hide or show user space", KEYS_TOP },
	{ "z", "forget all samples now", KEYS_TOP },
	{ "Space", "pause; again: go on", KEYS_TOP },
	{ "w P", "write .txt, .folded, .html or .json", TABLES },
	{ "h ?", "this help; F1", ALL },
	{ "q", "quit; Ctrl-C", TABLES },
	{ "q", "out; Ctrl-C quits", KEYS_ANNOTATE },
};

const struct key_row *key_at(unsigned view, size_t i)
{
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if ((rows[k].views & view) && i-- == 0)
			return &rows[k];
	return NULL;
}

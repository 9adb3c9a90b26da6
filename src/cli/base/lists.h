/* SPDX-License-Identifier: MIT */
/* lists.h - lists of words and numbers, separated by commas */
#ifndef CLI_BASE_LISTS_H
#define CLI_BASE_LISTS_H

#include "cli/base/command.h"

struct numbers {
	int32_t *at;
	size_t n;
};

/* Adds "0,2-5" to the list; -SONDE_USAGE after say_usage(). what: "--cpu", for the message. */
int list_add_numbers(struct numbers *list, const char *text, const char *what);

/* Adds one string to the list, without a copy. -SONDE_NOMEM, after a message. */
int list_add(struct strings *list, const char *text);

/* Adds "a,b" to the list, which keeps a copy of the text. -SONDE_NOMEM, after a message. */
int list_add_words(struct strings *list, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* lists.h - words and numbers between commas, as options give them. */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include "cli/command.h"

struct numbers {
	int32_t *at;
	size_t n;
};

/* "0,2-5" added to the list; -SONDE_USAGE after say_usage(). what: "--cpu", for the message. */
int list_add_numbers(struct numbers *list, const char *text, const char *what);

/* One string added to the list, which does not copy it. -SONDE_NOMEM, after a message. */
int list_add(struct strings *list, const char *text);

/* "a,b" added to the list; a copy of the text stays with it. -SONDE_NOMEM, after a message. */
int list_add_words(struct strings *list, const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* message.h - what say_usage() needs to know, and hints for misspelt words. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stddef.h>

/* The command whose usage say_usage() speaks of; NULL: sonde itself. */
void message_command(const char *name);

/* The candidate nearest to a misspelt word so far: start from { .word = typed }, add each, read `best` (NULL: none). */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};
void suggestion_add(struct suggestion *s, const char *candidate);

#endif

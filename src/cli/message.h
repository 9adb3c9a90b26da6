/* SPDX-License-Identifier: MIT */
/* message.h - the names in front of messages, and the answer to an unknown word */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stddef.h>

/* Messages begin with the last part of @path, argv[0]: called through a link named perf, sonde speaks as perf. */
void message_program(const char *path);

/* The command whose usage say_usage() speaks of; NULL: sonde itself. */
void message_command(const char *name);

/*
 * The candidate nearest to a misspelt word so far: start from { .word = typed }, add each, read `best` (NULL: none). A
 * word that is the part of a candidate behind its ':' is near to it: sched_switch to sched:sched_switch.
 */
struct suggestion {
	const char *word;
	const char *best;
	size_t distance;
};
void suggestion_add(struct suggestion *s, const char *candidate);

/*
 * say_unknown - "there is no KIND 'WORD'; did you mean 'NEAREST'?", then a list of what there is
 * @kind: "export format"
 * @known: ends with NULL
 * Returns exit status 2.
 */
int say_unknown(const char *kind, const char *word, const char *const *known);

/* Text of a trace on the standard output, without what drives a terminal. */
void print_text(const char *text);

#endif

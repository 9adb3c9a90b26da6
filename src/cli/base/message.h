/* SPDX-License-Identifier: MIT */
/* message.h - the prefix of messages, and the answer to an unknown word */
#ifndef CLI_BASE_MESSAGE_H
#define CLI_BASE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* Sets the prefix to the last part of @path, argv[0]: called through a link named perf, messages begin with "perf". */
void message_program(const char *path);

/* Sets the command that say_usage() refers to; NULL: sonde itself. */
void message_command(const char *name);

/* Sets the limit that say_error() names where memory lacks; 0: there is none. */
void message_memory_limit(uint64_t bytes);

/*
 * The nearest candidate to a misspelt word: start with { .word = typed }, add each candidate, read `best` (NULL:
 * none). A word equal to the part of a candidate after its ':' is near: sched_switch is near sched:sched_switch.
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

/* Prints text of a trace on the standard output, without control bytes. */
void print_trace_text(const char *text);

#endif

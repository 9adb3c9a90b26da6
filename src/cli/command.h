/* SPDX-License-Identifier: MIT */
/*
 * command.h - a command is one file cmd_NAME.c with one `const struct command`, and one line in the table of main.c
 *
 * The rows of `options` drive parsing, `sonde help NAME`, the manual pages and the shell completion.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <sonde/types.h>

enum option_kind {
	OPTION_FLAG,      /* value: bool *; --no-NAME clears it */
	OPTION_STRING,    /* value: const char ** */
	OPTION_STRINGS,   /* value: struct strings *; may be repeated */
	OPTION_U64,       /* value: uint64_t *; decimal or 0x hex */
	OPTION_CALL,      /* value: a function, int (*)(const char *arg) returning 0 or -SONDE_USAGE after a message */
	OPTION_HEADING,   /* starts a group in the help text: only `help` is read */
};

struct strings {
	const char **at;
	size_t n;
};

struct option_row {
	const char *name;            /* long name without dashes; NULL if there is none */
	char letter;                 /* short name; 0 if there is none */
	enum option_kind kind;
	void *value;
	int (*call)(const char *arg);
	const char *arg;             /* what the argument is called in help: "FILE"; NULL: no argument */
	const char *help;
	bool optional;               /* the argument may be left out (--call-graph, -g) and is then NULL */
};

struct command {
	const char *name;
	const char *args;            /* after the options in the usage line: "[FILE...]" */
	const char *help;            /* one line */
	const char *details;         /* a paragraph for `help NAME` and the manual page; may be NULL */
	const struct option_row *options;  /* ends with a row of zeros; may be NULL */
	bool options_first;          /* parsing stops at the first word that is no option: record's command line */
	int (*run)(int argc, char **argv);  /* what is left after the options; exit status 0, 1, or 2 for usage */
};

/* Messages on stderr, "sonde: ..."; control bytes of names from a trace are stripped. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "sonde: FILE: text (at offset 0x...)" from an error object; returns exit status 1 */
int say_error(const char *path, const struct sonde_error *e);

/* "sonde NAME: text", a hint at `sonde help NAME`; returns exit status 2 */
int say_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

extern const struct command cmd_dump, cmd_export, cmd_help, cmd_info, cmd_record, cmd_report, cmd_script;

#endif

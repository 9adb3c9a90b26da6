/* SPDX-License-Identifier: MIT */
/*
 * command.h - a command is one file cmd_NAME.c with one `const struct command`, and one line in the table of main.c
 *
 * The rows of `options` drive parsing, `sonde help NAME`, the manual pages and the shell completion.
 */
#ifndef CLI_BASE_COMMAND_H
#define CLI_BASE_COMMAND_H

#include <sonde/types.h>

enum option_kind {
	OPTION_FLAG,      /* value: bool *; --no-NAME clears it */
	OPTION_STRING,    /* value: const char ** */
	OPTION_STRINGS,   /* value: struct strings *; may be repeated */
	OPTION_U64,       /* value: uint64_t *; decimal or 0x hex */
	/* call: returns 0, or -SONDE_USAGE after say_usage(); arg is NULL if the row takes no argument */
	OPTION_CALL,
	OPTION_HEADING,   /* starts a group in the help text: only `help` is used */
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
	const char *arg;             /* name of the argument in help: "FILE"; NULL: no argument */
	const char *help;
	bool optional;               /* the argument may be missing: OPTION_CALL gets NULL then, OPTION_STRING "" */
	bool *given;                 /* OPTION_FLAG: set if the command line turns it on; may be NULL */
	/* whether the letter means this row and not another; @next is the following word, or NULL. NULL: always */
	bool (*applies)(const char *next);
	/* of an optional argument: whether the next word is it. NULL: only -gWORD, --name=WORD */
	bool (*takes)(const char *word);
};

struct command {
	const char *name;
	const char *args;            /* after the options in the usage line: "[FILE...]" */
	const char *help;            /* one line */
	const char *details;         /* paragraphs, split by '\n', for `help NAME` and the manual page; may be NULL */
	const struct option_row *options;  /* ends with a row of zeros; may be NULL */
	unsigned keys;               /* of its screen, for the manual page: a KEYS_ of keys.h; 0: it has none */
	bool reads_no_trace;         /* so it has no --max-memory */
	bool options_first;          /* parsing stops at the first word that is no option, as in record */
	bool (*takes_screen)(void);  /* whether it draws a screen, for which there is no pager; NULL: it never does */
	int (*run)(int argc, char **argv);  /* gets the words after the options; exit status 0, 1, or 2 for usage */
};

/* A command in the order of `sonde help`. */
struct command_row {
	const char *group;           /* the heading before it; NULL: the heading of the previous command */
	const struct command *command;
	bool prints_a_lot;           /* its output goes through a pager on a terminal */
	bool prints_at_once;         /* prints while it reads, so the output itself shows the progress */
};

/* Every command; ends with a row of zeros. */
extern const struct command_row command_rows[];

/* Prints a message on stderr, "sonde: ...", with the name by which sonde was called; control bytes become '.'. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same with "sonde: Warning: ...", as perf: the command goes on, but its result lacks something. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

const char *program_name(void);

/* "[ sonde NAME: text ]": the result of a command. */
void say_done(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "sonde: FILE: text (at offset 0x...)" from an error object; path may be NULL; returns exit status 1 */
int say_error(const char *path, const struct sonde_error *e);

/* The same for a lack of memory; with --max-memory it suggests a larger limit. */
int say_out_of_memory(void);

/* "sonde NAME: text", and a hint at `sonde help NAME`; returns exit status 2 */
int say_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same with a whole message, and lines below it; the caller has cleaned them for a terminal. */
int say_usage_lines(const char *message, const char *lines);

/*
 * The trace to read: the value of -i, else the only argument, else "perf.data"; NULL after say_usage() if there are
 * more arguments.
 */
const char *input_path(const char *option, int argc, char **argv);

extern const struct command cmd_annotate, cmd_buildid_list, cmd_bundle, cmd_check, cmd_convert, cmd_cut, cmd_dump,
	cmd_evlist, cmd_export, cmd_extract, cmd_fleet, cmd_help, cmd_info, cmd_list, cmd_merge, cmd_record, cmd_repair,
	cmd_report, cmd_script, cmd_sql, cmd_stat, cmd_symbols, cmd_top, cmd_version, cmd_view;

#endif

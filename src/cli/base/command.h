/* SPDX-License-Identifier: MIT */
/*
 * command.h - a command is one file cmd_NAME.c with one `const struct command`, one row in the table of main.c, and its
 * name in meson.build, which declares it
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

/* Takes a possible argument, and a short explanation or NULL. */
typedef void (*take_value)(void *ctx, const char *word, const char *about);

/* The possible arguments of an option, for completion; zeros: numbers and the like, FILE or DIR by name. */
struct values {
	const char *const *words;    /* ends with NULL; or */
	void (*give)(const char *trace, take_value take, void *ctx);  /* @trace: the trace on the command line */
	bool list;                   /* several, separated by commas */
};

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

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
	struct values values;        /* of the argument */
};

/* An example command line, which tests/command/help.sh runs. */
struct example {
	const char *line, *what;
};

struct command {
	const char *name;
	const char *args;            /* after the options in the usage line: "[FILE...]" */
	const char *help;            /* one line */
	const char *details;         /* paragraphs, split by '\n', for `help NAME` and the manual page; may be NULL */
	const struct option_row *options;  /* ends with a row of zeros; may be NULL */
	const struct example *examples;  /* ends with a row of zeros */
	struct values values;        /* of the words after the options; zeros: files */
	unsigned keys;               /* of its screen, for the manual page: a KEYS_ of keys.h; 0: it has none */
	bool reads_no_trace;         /* so it has no --max-memory */
	bool options_first;          /* parsing stops at the first word that is no option, as in record */
	bool prints_a_lot;           /* its output goes through a pager on a terminal */
	bool prints_at_once;         /* prints while it reads, so the output itself shows the progress */
	bool (*takes_screen)(void);  /* whether it draws a screen, for which there is no pager; NULL: it never does */
	/* gets the words after the options; exit status 0, 1, or 2 for usage */
	int (*run)(int argc, char **argv);
	/* the same for commands that share a function, which tells them apart by what they are part of; else NULL */
	int (*run_as)(const struct command *cmd, int argc, char **argv);
	/* the commands below it: the i-th, NULL beyond the last. "sched timehist" is one of "sched". NULL: none */
	const struct command *(*part_at)(size_t i);
};

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

#endif

/* SPDX-License-Identifier: MIT */
#include "cli/help/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sonde/text.h>

#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/help/commands.h"

/* The word to complete: `prefix`, which stays, and `typed`. */
struct completion {
	const char *kind;
	char prefix[1024];
	const char *typed;
	size_t typed_len;
	bool begun;                  /* the first line has been printed */
};

static void begin(struct completion *c, const char *kind)
{
	if (!c->begun)
		printf("%s %s\n", kind, c->prefix);
	c->begun = true;
}

/* Words of a trace may contain anything: each is printed on one line only. */
static void print_clean(const char *text)
{
	char clean[1024];
	int n = snprintf(clean, sizeof(clean), "%s", text);

	sonde_text_clean(clean, n < (int)sizeof(clean) ? (size_t)n : sizeof(clean) - 1);
	fputs(clean, stdout);
}

static void take(void *ctx, const char *word, const char *about)
{
	struct completion *c = ctx;

	if (strncmp(word, c->typed, c->typed_len) != 0)
		return;
	begin(c, c->kind);
	fputs(c->prefix, stdout);
	print_clean(word);
	putchar('\t');
	print_clean(about ? about : "");
	putchar('\n');
}

/* Moves the first @n bytes of `typed` to the prefix. */
static void pass(struct completion *c, size_t n)
{
	size_t len = strlen(c->prefix);

	if (len + n >= sizeof(c->prefix))
		return;
	memcpy(c->prefix + len, c->typed, n);
	c->prefix[len + n] = '\0';
	c->typed += n;
	c->typed_len -= n;
}

static bool has_words(const struct values *v)
{
	return v->words || v->give;
}

static void complete_words(struct completion *c, const struct values *v, const char *trace)
{
	const char *comma = v->list ? strrchr(c->typed, ',') : NULL;

	c->kind = v->list ? "list" : "words";
	if (comma)
		pass(c, (size_t)(comma + 1 - c->typed));
	if (v->list && (*c->typed == '+' || *c->typed == '-'))
		pass(c, 1);                  /* -F +period,-ip */
	for (size_t i = 0; v->words && v->words[i]; i++)
		take(c, v->words[i], NULL);
	if (v->give)
		v->give(trace, take, c);
	begin(c, "nothing");
}

/* The argument of an option: one of its words, or what the name of the argument says. */
static void complete_value(struct completion *c, const struct option_row *row, const char *trace)
{
	if (has_words(&row->values))
		complete_words(c, &row->values, trace);
	else
		begin(c, !strcmp(row->arg, "FILE") ? "files" : !strcmp(row->arg, "DIR") ? "directories" : "nothing");
}

static void complete_option(struct completion *c, const struct command *cmd)
{
	const struct option_row *row;
	char text[64];

	c->kind = "words";
	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind == OPTION_HEADING || row->applies)
			continue;
		if (row->name)
			snprintf(text, sizeof(text), "--%s", row->name);
		else
			snprintf(text, sizeof(text), "-%c", row->letter);
		take(c, text, row->help);
	}
	take(c, "--help", "explain the command and its options");
	begin(c, "nothing");
}

/* The row of "-x", "-xVALUE", "--name" or "--name=VALUE" before @next. */
static const struct option_row *row_of(const struct command *cmd, const char *word, const char *next,
				       const char **value)
{
	const struct option_row *row;
	size_t len = strcspn(word, "=");

	if (word[1] != '-') {
		*value = word[2] ? word + 2 : NULL;
		return option_of_letter(cmd, word[1], *value ? *value : next);
	}
	*value = word[len] ? word + len + 1 : NULL;
	for (size_t i = 0; (row = option_at(cmd, i)); i++)
		if (row->name && strlen(row->name) == len - 2 && strncmp(row->name, word + 2, len - 2) == 0)
			return row;
	return NULL;
}

/* The meaning of the words before the last one; words[nr_words] is the last one. */
struct before {
	const struct option_row *waits;  /* whose argument is the last word */
	const char *trace;           /* the trace that the command line names */
	int nr_arguments;            /* words that are not options */
	bool no_options;             /* after "--", or in the command line of record */
};

static struct before look_back(const struct command *cmd, int nr_words, char *const *words)
{
	struct before b = { .trace = "perf.data" };

	for (int i = 0; i < nr_words; i++) {
		const char *word = words[i], *value = NULL;
		const struct option_row *row = NULL;

		if (!b.no_options && word[0] == '-' && word[1]) {
			b.no_options = !strcmp(word, "--");
			row = row_of(cmd, word, words[i + 1], &value);
			if (row && row->kind == OPTION_FLAG)
				*(bool *)row->value = true;   /* --ftrace changes the meaning of later letters */
			if (!row || !row->arg || row->optional)
				continue;
			if (!value && i + 1 == nr_words)
				b.waits = row;
			value = value ? value : i + 1 < nr_words ? words[++i] : NULL;
			if (row->letter == 'i' && value)
				b.trace = value;
			continue;
		}
		if (b.nr_arguments++ == 0 && !cmd->options_first)
			b.trace = word;
		b.no_options |= cmd->options_first;
	}
	return b;
}

static void complete_command(struct completion *c)
{
	c->kind = "words";
	for (const struct command_row *row = commands(); row->command; row++)
		take(c, row->command->name, row->command->help);
	if (*c->typed == '-') {
		take(c, "--help", "list the commands");
		take(c, "--version", "print the version of sonde");
		take(c, "--no-pager", "do not use a pager");
		take(c, "--paginate", "use a pager for every command");
	}
	begin(c, "nothing");
}

static void complete_part(struct completion *c, const struct command *cmd)
{
	const struct command *part;

	c->kind = "words";
	for (size_t i = 0; (part = command_part_at(cmd, i)); i++)
		take(c, command_word(part), part->help);
	begin(c, "nothing");
}

static void complete_argument(struct completion *c, const struct command *cmd, const struct before *b)
{
	if (command_part_at(cmd, 0))
		complete_part(c, cmd);
	else if (has_words(&cmd->values))
		complete_words(c, &cmd->values, NULL);
	else if (cmd->options_first)
		begin(c, b->nr_arguments ? "files" : "programs");
	else if (cmd->args && *cmd->args)
		begin(c, "files");
	else
		begin(c, "nothing");
}

/* Completes the last of the words after the name of a command. */
static void complete_for(struct completion *c, const struct command *cmd, int nr_words, char *const *words)
{
	const struct option_row *row;
	const char *value;
	struct before b = look_back(cmd, nr_words - 1, words);

	if (b.waits) {
		complete_value(c, b.waits, b.trace);
		return;
	}
	if (b.no_options || c->typed[0] != '-') {
		complete_argument(c, cmd, &b);
		return;
	}
	row = row_of(cmd, c->typed, NULL, &value);
	if (row && row->arg && value) {
		pass(c, (size_t)(value - c->typed));
		complete_value(c, row, b.trace);
		return;
	}
	complete_option(c, cmd);
}

/* The same where one of the words may name a part of the command. */
static void complete_in(struct completion *c, const struct command *cmd, int nr_words, char *const *words)
{
	int at, n = 0;
	const struct command *part = command_part(cmd, nr_words - 1, words, &at);
	char **rest = part ? calloc((size_t)nr_words + 1, sizeof(*rest)) : NULL;

	for (int i = 0; rest && i < nr_words; i++)
		if (i != at)
			rest[n++] = words[i];
	if (rest)
		complete_for(c, part, n, rest);
	else
		complete_for(c, cmd, nr_words, words);
	free(rest);
}

void complete(int nr_words, char *const *words)
{
	struct completion c = { .typed = nr_words ? words[nr_words - 1] : "" };
	const struct command *cmd;

	c.typed_len = strlen(c.typed);
	while (nr_words > 1 && words[0][0] == '-') {
		nr_words--;
		words++;
	}
	if (nr_words <= 1) {
		complete_command(&c);
		return;
	}
	cmd = command_find(words[0]);
	if (cmd)
		complete_in(&c, cmd, nr_words - 1, words + 1);
	else
		begin(&c, "nothing");
}

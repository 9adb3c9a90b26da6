/* SPDX-License-Identifier: MIT */
#include "cli/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"

/* The words still to be read, and the row and spelling of the current option. */
struct words {
	char **at;
	int n;
	const struct option_row *row;
	char spelling[64];           /* as typed: "-F" or "--freq", for messages */
};

const struct option_row *option_at(const struct command *cmd, size_t i)
{
	const struct option_row *row = cmd->options;

	for (; row && !option_is_end(row) && i > 0; i--)
		row++;
	if (row && !option_is_end(row))
		return row;
	if (cmd->reads_no_trace)
		return NULL;
	for (row = memory_rows; !option_is_end(row) && i > 0; i--)
		row++;
	return option_is_end(row) ? NULL : row;
}

static int set_u64(const struct words *w, const char *arg)
{
	char *end = NULL;
	unsigned long long v = 0;

	errno = 0;
	if (arg && isdigit((unsigned char)arg[0]))  /* strtoull() would take a sign and blanks too */
		v = strtoull(arg, &end, 0);
	if (!end || *end || errno) {
		say_usage("%s needs a number, not '%s'", w->spelling, arg ? arg : "");
		return -SONDE_USAGE;
	}
	*(uint64_t *)w->row->value = v;
	return 0;
}

/* arg: NULL for a missing optional argument, and for rows without an argument */
static int set(const struct words *w, const char *arg)
{
	const struct option_row *row = w->row;

	switch (row->kind) {
	case OPTION_STRING:
		*(const char **)row->value = arg ? arg : "";
		return 0;
	case OPTION_STRINGS:
		return list_add(row->value, arg);
	case OPTION_U64:
		return set_u64(w, arg);
	case OPTION_CALL:
		return row->call(arg);
	case OPTION_FLAG:
	case OPTION_HEADING:
		break;
	}
	*(bool *)row->value = true;
	if (row->given)
		*row->given = true;
	return 0;
}

/* Sets a row that takes an argument; `attached` is the part of the same word after the option, or NULL. */
static int set_with_argument(struct words *w, const char *attached)
{
	const struct option_row *row = w->row;

	if (attached)
		return set(w, attached);
	if (row->optional && !(w->n > 0 && row->takes && row->takes(w->at[0])))
		return set(w, NULL);
	if (w->n == 0) {
		say_usage("%s needs %s", w->spelling, row->arg);
		return -SONDE_USAGE;
	}
	w->n--;
	return set(w, *w->at++);
}

/* The nearest name of an option, NULL if there is none. @negated: among the names that take "no-" in front. */
static const char *nearest_name(const struct command *cmd, const char *word, bool negated)
{
	struct suggestion s = { .word = word };
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(cmd, i)); i++)
		if (row->name && (!negated || row->kind == OPTION_FLAG))
			suggestion_add(&s, row->name);
	return s.best;
}

/* A list of all options would hide the answer: the help has it. */
static int no_such_option(const struct command *cmd, const char *word)
{
	const char *name = word[1] == '-' ? word + 2 : word + 1, *near = nearest_name(cmd, name, false);
	bool negated = !near && strncmp(name, "no-", 3) == 0;

	if (negated)
		near = nearest_name(cmd, name + 3, true);
	if (near)
		say_usage("there is no option '%s'; did you mean '--%s%s'?", word, negated ? "no-" : "", near);
	else
		say_usage("there is no option '%s'", word);
	return -SONDE_USAGE;
}

const struct option_row *option_of_letter(const struct command *cmd, char letter, const char *next)
{
	const struct option_row *row, *always = NULL;

	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->letter != letter)
			continue;
		if (row->applies && row->applies(next))
			return row;
		if (!row->applies && !always)
			always = row;
	}
	return always;
}

static int parse_letters(const struct command *cmd, struct words *w, const char *letters)
{
	int r;

	for (; *letters; letters++) {
		const char *next = letters[1] ? letters + 1 : w->n > 0 ? w->at[0] : NULL;
		const struct option_row *row = option_of_letter(cmd, *letters, next);

		w->row = row;
		w->spelling[0] = '-';
		w->spelling[1] = *letters;
		w->spelling[2] = '\0';
		if (!row)
			return no_such_option(cmd, w->spelling);
		if (row->arg)
			return set_with_argument(w, letters[1] ? letters + 1 : NULL);
		r = set(w, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The two names of a flag: its own, and that of its opposite. */
static const char *opposite(const struct option_row *row, char *text, size_t size)
{
	size_t n = strlen(row->name);

	if (!strncmp(row->name, "no-", 3))
		return row->name + 3;
	if (n + 4 > size)
		return "";
	memcpy(text, "no-", 3);
	memcpy(text + 3, row->name, n + 1);
	return text;
}

/* The meaning of a long name: an exact match, or the only row that begins with it. */
struct match {
	const struct option_row *row, *other;
	bool exact, negated;
};

static void match_name(struct match *m, const struct option_row *row, const char *name, bool negated, const char *word,
		       size_t len)
{
	if (strncmp(name, word, len) != 0 || m->exact)
		return;
	if (!name[len]) {
		*m = (struct match){ .row = row, .exact = true, .negated = negated };
	} else if (!m->row) {
		m->row = row;
		m->negated = negated;
	} else if (m->row->value != row->value || m->row->call != row->call || m->negated != negated) {
		m->other = row;      /* two rows with one value are two names of one option */
	}
}

static int parse_long(const struct command *cmd, struct words *w, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	struct match m = { 0 };
	const struct option_row *row;
	char negative[48];

	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (!row->name)
			continue;
		match_name(&m, row, row->name, false, word, len);
		if (row->kind == OPTION_FLAG)
			match_name(&m, row, opposite(row, negative, sizeof(negative)), true, word, len);
	}
	if (!m.row) {
		snprintf(w->spelling, sizeof(w->spelling), "--%.*s", (int)len, word);
		return no_such_option(cmd, w->spelling);
	}
	if (m.other) {
		say_usage("--%.*s could be --%s or --%s", (int)len, word, m.row->name, m.other->name);
		return -SONDE_USAGE;
	}
	w->row = m.row;
	snprintf(w->spelling, sizeof(w->spelling), "--%s", m.row->name);
	if (m.row->arg)
		return set_with_argument(w, equals ? equals + 1 : NULL);
	if (equals) {
		say_usage("%s takes no argument", w->spelling);
		return -SONDE_USAGE;
	}
	if (m.negated) {
		*(bool *)m.row->value = false;
		return 0;
	}
	return set(w, NULL);
}

enum options_result options_parse(const struct command *cmd, int *argc, char **argv)
{
	struct words w = { .at = argv + 1, .n = *argc - 1 };
	int left = 0, r = 0;

	while (w.n > 0 && r == 0) {
		char *word = *w.at++;

		w.n--;
		if (!strcmp(word, "--"))
			break;
		if (!strcmp(word, "-h") || !strcmp(word, "--help"))
			return OPTIONS_HELP;
		if (word[0] == '-' && word[1] == '-') {
			r = parse_long(cmd, &w, word + 2);
		} else if (word[0] == '-' && word[1]) {  /* a lone "-" is the standard input */
			r = parse_letters(cmd, &w, word + 1);
		} else {
			argv[left++] = word;
			if (cmd->options_first)
				break;
		}
	}
	if (r < 0)
		return OPTIONS_USAGE;
	memmove(argv + left, w.at, (size_t)w.n * sizeof(*argv));
	left += w.n;
	argv[left] = NULL;
	*argc = left;
	return OPTIONS_DONE;
}

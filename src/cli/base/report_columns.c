/* SPDX-License-Identifier: MIT */
/* report_columns.c - the words of --sort, --fields and --field-separator */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/command.h"
#include "cli/base/lists.h"
#include "cli/base/message.h"
#include "cli/base/report.h"

static bool is_word(const char *name, const char *word, size_t n)
{
	return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

static const struct sonde_report_column *find_column(const char *word, size_t n)
{
	const struct sonde_report_column *c;

	for (size_t i = 0; (c = sonde_report_column_at(i)); i++)
		if (is_word(c->name, word, n) || is_word(c->other_name, word, n))
			return c;
	return NULL;
}

/* The name of a column in another case; NULL: it is none. */
static const char *same_but_case(const char *word, size_t n)
{
	const struct sonde_report_column *c;

	for (size_t i = 0; (c = sonde_report_column_at(i)); i++) {
		if (strlen(c->name) == n && strncasecmp(c->name, word, n) == 0)
			return c->name;
		if (c->other_name && strlen(c->other_name) == n && strncasecmp(c->other_name, word, n) == 0)
			return c->other_name;
	}
	return NULL;
}

const char *report_spell_columns(const char *list)
{
	char *copy = list ? strdup(list) : NULL;

	if (!copy)
		return list;
	for (char *at = copy + (*copy == '+'); *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		const char *name = find_column(at, n) ? NULL : same_but_case(at, n);

		if (name && strcmp(name, "symbol") == 0) {
			memmove(at + 3, at + n, strlen(at + n) + 1);
			name = "sym";        /* as perf: only "symbol" itself has a column with the IPC */
			n = 3;
		}
		if (name)
			memcpy(at, name, n);
		at += n;
	}
	return copy;
}

static bool is_help(const char *list)
{
	return list && strcmp(list, "help") == 0;
}

bool report_asks_columns(const char *sort, const char *fields)
{
	return is_help(sort) || is_help(fields);
}

int report_list_columns(bool others)
{
	enum { NAMES_WIDTH = 37 };
	const struct sonde_report_column *c;

	for (size_t i = 0; (c = sonde_report_column_at(i)); i++) {
		int n = printf("%s%s%s", c->name, c->other_name ? ", " : "", c->other_name ? c->other_name : "");

		printf("%*s%s%s%s%s\n", NAMES_WIDTH - n, "", c->help, c->missing ? " (needs " : "",
		       c->missing ? c->missing : "", c->missing ? ")" : "");
	}
	if (!others)
		return 0;
	printf("%-*sof tracepoints: a field of each event that has it\n", NAMES_WIDTH, "FIELD, FIELD/raw");
	printf("%-*sthe field of an event, which may be a part of its name\n", NAMES_WIDTH, "EVENT.FIELD");
	printf("%-*sall fields of an event, of all events\n", NAMES_WIDTH, "EVENT.*, trace_fields");
	return 0;
}

int report_add_columns(struct strings *known)
{
	const struct sonde_report_column *c;
	int r = 0;

	for (size_t i = 0; (c = sonde_report_column_at(i)) && r == 0; i++) {
		r = list_add(known, c->name);
		if (c->other_name && r == 0)
			r = list_add(known, c->other_name);
	}
	return r;
}

int report_say_no_column(const char *kind, const char *word)
{
	static struct strings known;

	if (report_add_columns(&known) < 0 || list_add(&known, NULL) < 0)
		return 1;
	return say_unknown(kind, word, known.at);
}

/* A word that is no column. */
static int take_other(const char *kind, const char *word, size_t n, struct strings *others)
{
	char *copy = strndup(word, n);
	int status = 0;

	if (!copy)
		return say_out_of_memory();
	if (!others)
		status = report_say_no_column(kind, copy);
	else if (list_add_words(others, copy) < 0)
		status = 1;
	free(copy);
	return status;
}

int report_read_columns(const char *kind, const char *list, uint32_t *by, struct strings *others)
{
	const struct sonde_report_column *c;
	int status = 0;
	size_t n;

	if (!list)
		return 0;
	list += *list == '+';
	if (!*list)
		return say_usage("a list of %ss is empty", kind);
	for (; *list && status == 0; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		c = find_column(list, n);
		if (n && !c)
			status = take_other(kind, list, n, others);
		if (c && c->missing)
			return say_usage("%s '%s' needs %s, and this sonde was built without it", kind, c->name,
					 c->missing);
		*by |= c ? c->by : 0;
	}
	return status;
}

bool report_asks_latency(const char *list)
{
	return list && (strstr(list, "latency") || strstr(list, "parallelism"));
}

char report_separator(const char *word)
{
	if (!word)
		return 0;
	if (strcmp(word, "\\t") == 0)
		return '\t';
	return *word == '.' || word[1] ? 0 : *word;
}

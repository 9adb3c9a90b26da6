/* SPDX-License-Identifier: MIT */
/* report_columns.c - the words of --sort, --fields and --field-separator */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/report.h"

/* Keys of perf that sonde does not have; the message about an unknown word lists the others. */
static const char *const not_yet[] = {
	"simd", "dtlb", "callchain_branch_predicted", "callchain_branch_abort", "callchain_branch_cycles",
	"op", "cache", "memory",
};

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

static bool is_not_yet(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(not_yet) / sizeof(not_yet[0]); i++)
		if (is_word(not_yet[i], word, n))
			return true;
	return false;
}

int report_say_no_column(const char *kind, const char *word)
{
	const char *known[128] = { NULL };
	const struct sonde_report_column *c;

	if (is_not_yet(word, strlen(word)))
		return say_usage("perf's %s '%s' is not there yet", kind, word);
	for (size_t i = 0; i + 1 < sizeof(known) / sizeof(known[0]) && (c = sonde_report_column_at(i)); i++)
		known[i] = c->name;
	return say_unknown(kind, word, known);
}

/* A word that is no column. */
static int take_other(const char *kind, const char *word, size_t n, struct strings *others)
{
	char *copy = strndup(word, n);
	int status = 0;

	if (!copy)
		return say_out_of_memory();
	if (!others || is_not_yet(word, n))
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

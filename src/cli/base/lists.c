/* SPDX-License-Identifier: MIT */
#include "cli/base/lists.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANGE 65536

static int add_number(struct numbers *list, int32_t n)
{
	int32_t *at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at)
		return -SONDE_NOMEM;
	list->at = at;
	at[list->n++] = n;
	return 0;
}

static bool parse_number(const char **p, long *out)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*out = strtol(*p, &end, 10);
	*p = end;
	return errno == 0 && *out <= INT32_MAX;
}

int list_add_numbers(struct numbers *list, const char *text, const char *what)
{
	const char *p = text;
	long first, last;

	do {
		if (!parse_number(&p, &first))
			goto bad;
		last = first;
		if (*p == '-') {
			p++;
			if (!parse_number(&p, &last) || last < first || last - first > MAX_RANGE)
				goto bad;
		}
		for (long n = first; n <= last; n++)
			if (add_number(list, (int32_t)n) < 0)
				return -SONDE_NOMEM;
	} while (*p == ',' && p++);
	if (*p == '\0')
		return 0;
bad:
	say_usage("%s takes numbers as 0,2-5, not '%s'", what, text);
	return -SONDE_USAGE;
}

int list_add(struct strings *list, const char *text)
{
	const char **at = realloc(list->at, (list->n + 1) * sizeof(*at));

	if (!at) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	list->at = at;
	at[list->n++] = text;
	return 0;
}

int list_add_words(struct strings *list, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	int r = 0;

	if (!copy) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	for (char *word = strtok_r(copy, ",", &save); word && r == 0; word = strtok_r(NULL, ",", &save))
		r = list_add(list, word);
	return r;
}

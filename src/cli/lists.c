/* SPDX-License-Identifier: MIT */
#include "cli/lists.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANGE 65536
#define NS_PER_SECOND UINT64_C(1000000000)

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

int list_add_words(struct strings *list, const char *text)
{
	char *copy = strdup(text), *save = NULL;

	if (!copy)
		return -SONDE_NOMEM;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		const char **at = realloc(list->at, (list->n + 1) * sizeof(*at));

		if (!at)
			return -SONDE_NOMEM;
		list->at = at;
		at[list->n++] = word;
	}
	return 0;
}

/* Seconds with up to nine digits behind the point; ends at a comma or at the end. */
static bool parse_seconds(const char *p, size_t n, uint64_t *ns)
{
	uint64_t seconds = 0, fraction = 0, unit = NS_PER_SECOND;
	size_t i = 0;

	for (; i < n && isdigit((unsigned char)p[i]); i++) {
		seconds = seconds * 10 + (uint64_t)(p[i] - '0');
		if (seconds > UINT64_MAX / NS_PER_SECOND / 10)
			return false;
	}
	if (i < n && p[i] == '.')
		for (i++; i < n && isdigit((unsigned char)p[i]) && unit > 1; i++) {
			unit /= 10;
			fraction += (uint64_t)(p[i] - '0') * unit;
		}
	*ns = seconds * NS_PER_SECOND + fraction;
	return n > 0 && i == n;
}

int parse_time_range(const char *text, uint64_t *min_ns, uint64_t *max_ns)
{
	size_t n = strcspn(text, ",");
	const char *end = text + n + (text[n] == ',');

	if ((n && !parse_seconds(text, n, min_ns)) || (*end && !parse_seconds(end, strlen(end), max_ns)) || (!n && !*end)) {
		say_usage("--time takes seconds as 'from,to', 'from,' or ',to', not '%s'", text);
		return -SONDE_USAGE;
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/script/filters.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"

int filters_add(struct filters *f, const char *text)
{
	struct sonde_event_filter *at = realloc(f->at, (f->n + 1) * sizeof(*at));

	if (!at) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	f->at = at;
	at[f->n++] = (struct sonde_event_filter){ text, f->inverse };
	return 0;
}

static bool is_one_of(const char *p, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == n && memcmp(p, *words, n) == 0)
			return true;
	return false;
}

static bool is_field(const char *p, size_t n)
{
	const char *name;

	for (size_t i = 0; (name = sonde_script_field(i)); i++)
		if (strlen(name) == n && memcmp(p, name, n) == 0)
			return true;
	return false;
}

/* "[TYPE:][+-]FIELD,..." */
static bool is_list_of_fields(const char *text)
{
	static const char *const types[] = { "hw", "sw", "trace", "raw", "break", NULL };
	size_t n = strcspn(text, ":");

	if (text[n] && !is_one_of(text, n, types))
		return false;
	for (text = text[n] ? text + n + 1 : text;; text += n + 1) {
		text += *text == '+' || *text == '-';
		n = strcspn(text, ",");
		if (!is_field(text, n))
			return false;
		if (!text[n])
			return true;
	}
}

static int no_such_field(const char *p, size_t n)
{
	struct strings names = { 0 };
	char *word = strndup(p, n);
	const char *name;
	bool good = word != NULL;

	for (size_t i = 0; good && (name = sonde_script_field(i)); i++)
		good = list_add(&names, name) == 0;
	if (good && list_add(&names, NULL) == 0)
		say_unknown("field", word, names.at);
	free(names.at);
	free(word);
	return -SONDE_USAGE;
}

/* sonde_script() reports other errors in the list. */
static int add_fields(struct strings *fields, const char *text)
{
	const char *p = strchr(text, ':');

	for (p = p ? p + 1 : text; *p; p += *p == ',') {
		size_t n;

		p += *p == '+' || *p == '-';
		n = strcspn(p, ",");
		if (n && !is_field(p, n))
			return no_such_field(p, n);
		p += n;
	}
	return list_add(fields, text);
}

int filters_divide(struct filters *words, bool may_filter, struct filters *filters, struct strings *fields)
{
	int r = 0;

	for (size_t i = 0; i < words->n && r == 0; i++) {
		filters->inverse = words->at[i].inverse;
		if (may_filter && !is_list_of_fields(words->at[i].text))
			r = filters_add(filters, words->at[i].text);
		else
			r = add_fields(fields, words->at[i].text);
	}
	return r;
}

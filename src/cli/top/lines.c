/* SPDX-License-Identifier: MIT */
#include "cli/top/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void clear(struct top_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].text);
		free(l->at[i].key);
		free(l->at[i].dso);
	}
	l->n = 0;
	free(l->titles);
	l->titles = NULL;
}

/* Takes the texts over, also when it fails. */
static int add(struct top_lines *l, struct top_line line)
{
	size_t cap = l->cap ? 2 * l->cap : 64;
	struct top_line *more = l->n < l->cap ? l->at : realloc(l->at, cap * sizeof(*more));

	if (!more || !line.text) {
		free(line.text);
		free(line.key);
		free(line.dso);
		return -SONDE_NOMEM;
	}
	l->cap = l->n < l->cap ? l->cap : cap;
	l->at = more;
	l->at[l->n++] = line;
	return 0;
}

static size_t find_open(const struct top_lines *l, const char *key)
{
	size_t i = 0;

	while (i < l->nr_open && strcmp(l->open[i], key) != 0)
		i++;
	return i;
}

static int add_row(struct top_lines *l, const struct sonde_report_row *row, bool trees)
{
	const char *mark = !trees ? "  " : find_open(l, row->key) < l->nr_open ? "- " : "+ ";
	struct top_line line = { .key = strdup(row->key), .dso = strdup(row->dso_name), .percent = row->percent };

	if (!line.key || !line.dso || asprintf(&line.text, "%s%s", mark, row->text) < 0)
		line.text = NULL;
	return add(l, line);
}

static int add_tree(struct top_lines *l, const char *tree)
{
	int r = tree ? 0 : -SONDE_NOMEM;
	size_t n;

	for (; r == 0 && *tree; tree += n + (tree[n] == '\n')) {
		n = strcspn(tree, "\n");
		r = add(l, (struct top_line){ .text = strndup(tree, n) });
	}
	return r;
}

int lines_take(struct top_lines *l, struct sonde_report *report, bool trees)
{
	const struct sonde_report_row *row;
	const char *titles;
	int r = 0;

	clear(l);
	if (!report)
		return 0;
	titles = sonde_report_titles(report);
	if (!titles || asprintf(&l->titles, "  %s", titles) < 0)
		l->titles = NULL;
	for (size_t i = 0; r == 0 && i < sonde_report_row_count(report); i++) {
		row = sonde_report_row_at(report, i);
		if (!row)
			return -SONDE_NOMEM;
		r = add_row(l, row, trees);
		if (r == 0 && trees && find_open(l, l->at[l->n - 1].key) < l->nr_open)
			r = add_tree(l, sonde_report_tree_at(report, i));
	}
	return r;
}

void lines_toggle(struct top_lines *l, const char *key)
{
	size_t i = find_open(l, key);
	char **more;
	char *copy;

	if (i < l->nr_open) {
		free(l->open[i]);
		l->open[i] = l->open[--l->nr_open];
		return;
	}
	more = realloc(l->open, (l->nr_open + 1) * sizeof(*more));
	copy = strdup(key);
	if (more)
		l->open = more;
	if (more && copy)
		l->open[l->nr_open++] = copy;
	else
		free(copy);
}

size_t lines_find(const struct top_lines *l, const char *key, size_t fallback)
{
	for (size_t i = 0; key && i < l->n; i++)
		if (l->at[i].key && strcmp(l->at[i].key, key) == 0)
			return i;
	return fallback;
}

void lines_free(struct top_lines *l)
{
	clear(l);
	for (size_t i = 0; i < l->nr_open; i++)
		free(l->open[i]);
	free(l->open);
	free(l->at);
	*l = (struct top_lines){ 0 };
}

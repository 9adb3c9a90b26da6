/* SPDX-License-Identifier: MIT */
#include "cli/screen/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen/list.h"
#include "cli/screen/screen.h"
#include "cli/screen/width.h"

enum { KEYS_WIDTH = 8 };

/* A line as lines of so many columns, which begin with @indent blanks but for the first one. */
static void put_line(FILE *out, const char *line, size_t n, size_t columns, size_t indent)
{
	size_t room = columns, used, cut, at;

	while ((cut = width_cut(line, n, room, &used)) < n && cut) {
		for (at = cut; at > indent && line[at] != ' ';)
			at--;
		at = at > indent ? at : cut;
		fprintf(out, "%.*s\n%*s", (int)at, line, (int)indent, "");
		for (; at < n && line[at] == ' ';)
			at++;
		line += at;
		n -= at;
		room = columns - indent;
	}
	fprintf(out, "%.*s\n", (int)n, line);
}

/* A text with lines that fit the screen, to be freed; NULL when out of memory. */
static char *wrap(const char *text, size_t columns, size_t indent)
{
	char *wrapped = NULL;
	size_t n;
	FILE *out = open_memstream(&wrapped, &n);

	if (!out)
		return NULL;
	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		put_line(out, text, n, columns, indent < columns / 2 ? indent : 0);
	}
	if (fclose(out) == 0)
		return wrapped;
	free(wrapped);
	return NULL;
}

/* Draws the lines from the @top-th on. */
static void draw(const char *title, const char *text, size_t top, bool more)
{
	const int rows = screen_rows();
	char line[4096];

	screen_line(0, SCREEN_TITLE, title);
	for (int row = 1; row < rows - 1;) {
		size_t n = strcspn(text, "\n"), fits = n < sizeof(line) ? n : sizeof(line) - 1;

		if (top) {
			top--;
		} else {
			memcpy(line, text, fits);
			line[fits] = '\0';
			screen_line(row++, SCREEN_PLAIN, line);
		}
		text += n + (text[n] == '\n');
	}
	screen_line(rows - 1, SCREEN_TITLE, more ? "Down: more; another key goes back" : "press a key to go back");
	screen_show();
}

static size_t count_lines(const char *text)
{
	size_t n = *text != '\0';

	while ((text = strchr(text, '\n')) && *++text)
		n++;
	return n;
}

static void show(const char *title, const char *text, size_t indent, int wake_fd)
{
	size_t top = 0;

	for (;;) {
		char *wrapped = wrap(text, (size_t)screen_columns(), indent);
		const char *lines = wrapped ? wrapped : text;
		const size_t n = count_lines(lines), height = screen_rows() > 2 ? (size_t)screen_rows() - 2 : 1,
			     last = n > height ? n - height : 0;
		/* the selection of this list is the first line on the screen */
		struct list first = { .n = last + 1, .selected = top < last ? top : last, .height = height };
		int key;

		draw(title, lines, first.selected, first.selected < last);
		free(wrapped);
		key = screen_key(-1, wake_fd);
		if (key != SCREEN_RESIZED && !list_move(&first, key))
			break;
		top = first.selected;
	}
	screen_clear();
}

void text_show(const char *title, const char *text, int wake_fd)
{
	show(title, text, 0, wake_fd);
}

void text_show_keys(const char *title, enum key_view view, int wake_fd)
{
	const struct key_row *row;
	char text[4096];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; (row = key_at(view, i)) && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%-*s %s\n", KEYS_WIDTH, row->keys, row->text);
	show(title, text, KEYS_WIDTH + 1, wake_fd);
}

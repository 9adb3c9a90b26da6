/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid_menu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/screen/screen.h"

enum { ENTRIES = 10, ENTRY_BYTES = 512, NAME_BYTES = 300 };

struct menu {
	struct { int key; char text[ENTRY_BYTES]; } entries[ENTRIES];
	size_t n;
};

static void __attribute__((format(printf, 4, 5))) add(struct menu *m, int key, const char *name, const char *form, ...)
{
	char *text = m->entries[m->n].text;
	va_list args;
	int at;

	m->entries[m->n++].key = key;
	at = snprintf(text, ENTRY_BYTES, "  %-6s ", name);
	va_start(args, form);
	vsnprintf(text + at, ENTRY_BYTES - (size_t)at, form, args);
	va_end(args);
}

static void add_of_row(struct menu *m, const struct grid *t, const struct row *row)
{
	if (grid_row_has(t, row, "pid", "tid"))
		add(m, 't', "t", "only the thread %.*s:%d", NAME_BYTES, row->comm, row->tid);
	else if (grid_row_has(t, row, "comm", "command"))
		add(m, 't', "t", "only the command %.*s", NAME_BYTES, row->comm);
}

static void make_menu(struct menu *m, const struct grid *t, const struct rows_line *line)
{
	const struct row *row = &t->rows.rows[line->row];
	const struct rows_node *node = line->node == ROWS_NO_NODE ? NULL : &row->nodes[line->node];
	const char *symbol = node ? node->symbol : row->symbol, *dso = node ? node->dso : row->dso;
	bool has_symbol = *symbol && (node || grid_row_has(t, row, "sym", "symbol"));
	char sign = rows_sign(&t->rows, line);

	if (has_symbol)
		add(m, 'a', "a", "annotate %.*s", NAME_BYTES, symbol);
	if (has_symbol && t->rows.trees)
		add(m, 'f', "f", "callers and callees of %.*s", NAME_BYTES, symbol);
	if (sign != ' ')
		add(m, SCREEN_ENTER, "Enter", "%s the line", sign == '+' ? "open" : "close");
	add_of_row(m, t, row);
	if (*dso && (node || grid_row_has(t, row, "dso", "dso_name") || has_symbol))
		add(m, 'd', "d", "only the binary %.*s", NAME_BYTES, dso);
	add(m, 'k', "k", "only the kernel");
	if (t->zoom.n)
		add(m, SCREEN_ESCAPE, "Esc", "back");
	add(m, 's', "s", "the next sort keys");
	add(m, SCREEN_TAB, "Tab", "the next event");
	add(m, 'w', "w", "write a file");
}

static void draw(const struct menu *m, size_t selected, size_t top)
{
	const int rows = screen_rows();

	screen_line(0, SCREEN_TITLE, "menu of the line");
	for (int row = 1; row < rows - 1; row++) {
		size_t i = top + (size_t)row - 1;

		screen_line(row, i == selected && i < m->n ? SCREEN_SELECTED : SCREEN_PLAIN,
			    i < m->n ? m->entries[i].text : "");
	}
	screen_line(rows - 1, SCREEN_TITLE, "Enter or the key does it; another key goes back");
	screen_show();
}

int grid_menu(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	struct menu m = { .n = 0 };
	struct list list;
	int key;

	if (!line)
		return SCREEN_NO_KEY;
	make_menu(&m, t, line);
	list = (struct list){ .n = m.n };
	for (;;) {
		list.height = screen_rows() > 2 ? (size_t)screen_rows() - 2 : 1;
		list_settle(&list);
		draw(&m, list.selected, list.top);
		key = screen_key(-1, t->wake_fd);
		if (key != SCREEN_RESIZED && !list_move(&list, key))
			break;
	}
	screen_clear();
	if (key == SCREEN_ENTER)
		return m.entries[list.selected].key;
	for (size_t i = 0; i < m.n; i++)
		if (m.entries[i].key == key && key != SCREEN_ESCAPE)
			return key;
	return SCREEN_NO_KEY;
}

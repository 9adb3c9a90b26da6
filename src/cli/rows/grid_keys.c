/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/code/code_view.h"
#include "cli/rows/grid_menu.h"
#include "cli/rows/grid_zoom.h"
#include "cli/rows/snapshot.h"
#include "cli/screen/screen.h"
#include "cli/screen/text.h"

/* ---- what is open ---- */

static void toggle_line(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);

	if (!line)
		return;
	if (rows_sign(&t->rows, line) == ' ' && line->node == ROWS_NO_NODE) {
		if (grid_has_trees(t))
			grid_tell(t, "no branch of this row reaches the limit of its tree");
		return;
	}
	/* a chain opens and closes at its first line */
	while (line->node != ROWS_NO_NODE && t->rows.rows[line->row].nodes[line->node].chained)
		line = &t->rows.lines[--t->list.selected];
	t->failed = rows_toggle(&t->rows, line);
	grid_relist(t);
}

/* Whether rows can be opened; else the reason is shown. */
static bool rows_open(struct grid *t)
{
	return t->rows.levels || grid_has_trees(t);
}

static void close_line(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);

	if (!line || !rows_open(t))
		return;
	while (rows_sign(&t->rows, line) != '-' && rows_above(&t->rows, t->list.selected) < t->list.selected) {
		t->list.selected = rows_above(&t->rows, t->list.selected);
		line = grid_selected(t);
	}
	if (rows_sign(&t->rows, line) == '-')
		t->failed = rows_toggle(&t->rows, line);
	grid_relist(t);
}

/* Opens or closes the row of the selected line, and selects it. */
static void toggle_row(struct grid *t)
{
	const struct rows_line row = { grid_selected(t)->row, ROWS_NO_NODE };

	t->list.selected = rows_find(&t->rows, t->rows.rows[row.row].number, t->list.selected);
	t->failed = rows_toggle(&t->rows, &row);
	grid_relist(t);
}

static void toggle_whole(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	bool closed;
	int opened;

	if (!line || !rows_open(t))
		return;
	closed = rows_sign(&t->rows, &(struct rows_line){ line->row, ROWS_NO_NODE }) == '+';
	if (closed)
		toggle_row(t);
	opened = t->failed == 0 && grid_selected(t) ? rows_open_below(&t->rows, grid_selected(t)->row) : 0;
	if (opened < 0)
		t->failed = opened;
	else if (opened || closed)
		grid_relist(t);
	else
		toggle_row(t);
}

static void open_all(struct grid *t)
{
	if (!rows_open(t))
		return;
	rows_fold_all(&t->rows, true);
	grid_make(t);               /* all trees at once take less time than one by one */
}

static void close_all(struct grid *t)
{
	while (grid_selected(t) && rows_above(&t->rows, t->list.selected) < t->list.selected)
		t->list.selected = rows_above(&t->rows, t->list.selected);
	rows_fold_all(&t->rows, false);
	grid_relist(t);
}

static void turn_trees(struct grid *t)
{
	if (!grid_has_trees(t))
		return;
	t->report.callee = !t->report.callee;
	grid_make(t);
	grid_tell(t, "trees go from a function to its %s", t->report.callee ? "callers" : "callees");
}

static void turn_children(struct grid *t)
{
	if (!grid_has_trees(t))
		return;
	t->report.children = !t->report.children;
	t->report.callee = !t->report.children;  /* as in reports */
	grid_make(t);
}

/* ---- keys of rows, events ---- */

/* The values that a profile has to keep for sort keys; false with a notice for an unknown word. */
static bool find_needs(struct grid *t, const char *sort, uint32_t *by)
{
	const struct sonde_report_column *c;
	size_t n;

	*by = t->gather && strstr(sort, "symbol") && sonde_profile_has_branches(t->profile) ?
	      SONDE_BY_BLOCKS : 0;   /* for the column IPC, as on the command line */
	for (sort += *sort == '+'; *sort; sort += n + (sort[n] == ',')) {
		n = strcspn(sort, ",");
		for (size_t i = 0; (c = sonde_report_column_at(i)); i++)
			if ((strlen(c->name) == n && !strncmp(c->name, sort, n)) ||
			    (c->other_name && strlen(c->other_name) == n && !strncmp(c->other_name, sort, n)))
				break;
		if (!c || c->missing) {
			grid_tell(t, "there is no sort key '%.*s'%s", (int)n, sort, c ? " in this build" : "");
			return false;
		}
		*by |= c->by;
	}
	return true;
}

static bool keep_values(struct grid *t, uint32_t by)
{
	const struct zoom_step *time = zoom_find(&t->zoom, ZOOM_TIME);

	if (!(by & ~t->by))
		return true;
	if (t->gather)
		return t->gather(t, t->by | by, time ? time->text : NULL) == 0;
	grid_tell(t, "samples were not gathered for these keys: start it with --sort");
	return false;
}

static void set_sort(struct grid *t, const char *sort)
{
	uint32_t by;

	if (!find_needs(t, sort, &by) || !keep_values(t, by))
		return;
	snprintf(t->sort, sizeof(t->sort), "%s", sort);
	t->report.fields = NULL;       /* --fields names columns of other rows */
	t->list.selected = 0;
	grid_make(t);
}

static void next_sort(struct grid *t)
{
	const char *const orders[] = { t->first_sort, "sym", "comm,dso,sym", "pid,dso,sym", "tgid,dso,sym",
				       "cpu,dso,sym", "comm", "dso" };
	size_t n = sizeof(orders) / sizeof(orders[0]), i = 0;

	while (i < n && strcmp(orders[i], t->sort) != 0)
		i++;
	do {
		i = i + 1 < n ? i + 1 : 0;
	} while (i && (!strcmp(orders[i], t->first_sort) || (!*t->first_sort && !strcmp(orders[i], GRID_USUAL_SORT))));
	set_sort(t, orders[i]);
}

static void ask_sort(struct grid *t)
{
	char text[GRID_ANSWER];

	snprintf(text, sizeof(text), "%s", *t->sort ? t->sort : GRID_USUAL_SORT);
	if (grid_ask(t, "sort by: ", text, sizeof(text)) && *text)
		set_sort(t, text);
}

/* Whether an event has a table: the recorder's own event for the side band has none, nor a member of a group. */
static bool has_table(const struct grid *t, size_t i)
{
	const struct sonde_profile_event *e = sonde_profile_event_at(t->profile, i);
	size_t leader = t->report.group_all ? 0 : e->leader;

	while (leader < i && !sonde_profile_event_at(t->profile, leader)->samples)
		leader++;
	return e->samples && (leader == i || grid_group_size(t, leader) <= i - leader);
}

static void change_event(struct grid *t, bool forward)
{
	size_t n, first = t->event;

	grid_lock(t);
	n = sonde_profile_event_count(t->profile);
	do {
		t->event = n ? (t->event + (forward ? 1 : n - 1)) % n : 0;
	} while (t->event != first && !has_table(t, t->event));
	grid_unlock(t);
	if (t->event == first) {
		grid_tell(t, "there is no other event with samples");
		return;
	}
	t->list.selected = 0;
	grid_make(t);
}

/* Orders rows by an event of the group, from 0, as --group-sort-idx. */
static void sort_by_event(struct grid *t, uint32_t number)
{
	size_t n;

	grid_lock(t);
	n = grid_group_size(t, t->event);
	while (n > 1 && !sonde_profile_event_at(t->profile, t->event + n - 1)->samples)
		n--;                 /* the recorder's own event for the side band has no column */
	grid_unlock(t);
	if (n == 1) {
		grid_tell(t, "there is no group of events to sort by");
	} else if (number >= n) {
		grid_tell(t, "the group has %zu events, from 0 to %zu", n, n - 1);
	} else {
		t->report.group_sort = number;
		t->list.selected = 0;
		grid_make(t);
	}
}

static void annotate_function(struct grid *t, const char *symbol, const char *dso)
{
	const struct code_source source = { .profile = t->profile, .lock = t->lock, .wake_fd = t->wake_fd,
					    .title = "annotate: keys" };
	struct sonde_annotate_opts opts = t->code;
	int r;

	opts.event = (uint32_t)t->event;
	opts.symbol = symbol;
	opts.dso = dso;
	r = code_show(&source, &opts, t->notice, sizeof(t->notice));
	if (r == -SONDE_NOMEM)
		t->failed = r;
}

static void annotate(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	const struct row *row = line ? &t->rows.rows[line->row] : NULL;
	bool on_row = line && line->node == ROWS_NO_NODE;
	char *symbol, *dso;

	if (!line)
		return;
	symbol = strdup(on_row ? row->symbol : row->nodes[line->node].symbol);
	dso = strdup(on_row ? row->dso : row->nodes[line->node].dso);
	if (!symbol || !dso)
		t->failed = -SONDE_NOMEM;
	else if (!*symbol || (on_row && !grid_row_has(t, row, "sym", "symbol") && !zoom_find(&t->zoom, ZOOM_FUNCTION)))
		grid_tell(t, "the line has no function with a name");
	else if (keep_values(t, SONDE_BY_SYMBOL_OFFSET)) {
		if (!t->rows.nr_rows)
			grid_make(t);        /* the samples have been gathered anew */
		annotate_function(t, symbol, dso);
	}
	free(symbol);
	free(dso);
}

static void write_file(struct grid *t)
{
	struct sonde_report_opts report;
	struct sonde_export_opts opts;
	char name[2 * GRID_ANSWER] = "";

	if (!grid_ask(t, "write to: ", name, sizeof(name)) || !*name)
		return;
	grid_lock(t);
	opts = grid_opts(t, &report);
	if (t->lock && sonde_profile_settle(t->profile) < 0)
		t->failed = -SONDE_NOMEM;
	snapshot_write(t->profile, &opts, name, t->notice, sizeof(t->notice));
	grid_unlock(t);
}

static void turn_binaries(struct grid *t)
{
	if (grid_has_trees(t))
		t->binaries = !t->binaries;
}

static bool obey(struct grid *t, int key);

static void show_menu(struct grid *t)
{
	int key = grid_menu(t);

	if (key != SCREEN_NO_KEY)
		obey(t, key);
}

static bool obey(struct grid *t, int key)
{
	switch (key) {
	case 'q': t->quit = true; break;
	case 'h':
	case '?':
	case SCREEN_HELP: text_show_keys(t->title, t->keys, t->wake_fd); break;
	case SCREEN_ENTER:
	case '+': toggle_line(t); break;
	case '-': close_line(t); break;
	case 'e': toggle_whole(t); break;
	case 'E': open_all(t); break;
	case 'C': close_all(t); break;
	case 'f': grid_zoom_to_function(t); break;
	case 'g': turn_trees(t); break;
	case 'c': turn_children(t); break;
	case '/': grid_ask_name(t); break;
	case 't': grid_zoom_to_task(t); break;
	case 'd': grid_zoom_to_dso(t); break;
	case 'k': grid_zoom_to_kernel(t); break;
	case 'm': show_menu(t); break;
	case 'V': turn_binaries(t); break;
	case SCREEN_ESCAPE:
	case SCREEN_LEFT: grid_go_back(t); break;
	case 'a': annotate(t); break;
	case 'L': grid_ask_limit(t); break;
	case 'F': grid_turn_share(t); break;
	case 's': next_sort(t); break;
	case 'S': ask_sort(t); break;
	case SCREEN_TAB: change_event(t, true); break;
	case SCREEN_BACK_TAB: change_event(t, false); break;
	case 'H': t->no_titles = !t->no_titles; break;
	case 'w':
	case 'P': write_file(t); break;
	case 'T':
		if (!t->gather)
			return false;
		grid_ask_time(t);
		break;
	default:
		if (key < '0' || key > '9')
			return list_move(&t->list, key);
		sort_by_event(t, (uint32_t)(key - '0'));
	}
	return true;
}

bool grid_obey(struct grid *t, int key)
{
	struct grid_state before;
	bool known;

	*t->notice = '\0';
	t->failed = grid_remember(t, &before);
	known = t->failed < 0 || obey(t, key);
	if (t->stopped && t->failed == 0)
		grid_return(t, &before);
	grid_forget(&before);
	return known;
}

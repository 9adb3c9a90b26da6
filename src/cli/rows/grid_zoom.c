/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid_zoom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void narrow(struct grid *t, enum zoom_kind kind, const char *text, int32_t tid)
{
	t->failed = zoom_add(&t->zoom, kind, text, tid);
	t->list.selected = 0;
	grid_make(t);
}

void grid_ask_name(struct grid *t)
{
	const struct zoom_step *old = zoom_find(&t->zoom, ZOOM_NAME);
	char text[GRID_ANSWER];

	snprintf(text, sizeof(text), "%s", old ? old->text : "");
	if (!grid_ask(t, "name: ", text, sizeof(text)))
		return;
	if (*text) {
		narrow(t, ZOOM_NAME, text, 0);
	} else {
		zoom_drop(&t->zoom, ZOOM_NAME);
		grid_make(t);
	}
}

void grid_zoom_to_task(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	const struct row *row = line ? &t->rows.rows[line->row] : NULL;
	char text[GRID_ANSWER];

	if (!row)
		return;
	if (grid_row_has(t, row, "pid", "tid")) {
		snprintf(text, sizeof(text), "%s:%d", row->comm, row->tid);
		narrow(t, ZOOM_THREAD, text, row->tid);
	} else if (grid_row_has(t, row, "comm", "command")) {
		snprintf(text, sizeof(text), "%s", row->comm);
		narrow(t, ZOOM_COMMAND, text, 0);
	} else {
		grid_tell(t, "rows have no thread or command here: s changes the sort keys");
	}
}

void grid_zoom_to_dso(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	const struct row *row = line ? &t->rows.rows[line->row] : NULL;
	char *dso;

	if (!line)
		return;
	if (!grid_row_has(t, row, "dso", "sym") && !grid_row_has(t, row, "symbol", "dso_name")) {
		grid_tell(t, "rows have no binary here: s changes the sort keys");
		return;
	}
	dso = strdup(line->node == ROWS_NO_NODE ? row->dso : row->nodes[line->node].dso);
	if (dso)
		narrow(t, ZOOM_DSO, dso, 0);
	free(dso);
}

/* Its modules are binaries of their own. */
void grid_zoom_to_kernel(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	const struct row *row = line ? &t->rows.rows[line->row] : NULL;

	if (!row)
		return;
	if (t->rows.levels || grid_row_has(t, row, "dso", "sym") || grid_row_has(t, row, "symbol", "dso_name"))
		narrow(t, ZOOM_DSO, "[kernel.kallsyms]", 0);
	else
		grid_tell(t, "rows have no binary here: s changes the sort keys");
}

void grid_zoom_to_function(struct grid *t)
{
	const struct rows_line *line = grid_selected(t);
	const struct row *row = line ? &t->rows.rows[line->row] : NULL;
	char *symbol;

	if (!line || !grid_has_trees(t))
		return;
	symbol = strdup(line->node == ROWS_NO_NODE ? row->symbol : row->nodes[line->node].symbol);
	if (symbol && *symbol && (line->node != ROWS_NO_NODE || grid_row_has(t, row, "sym", "symbol")))
		narrow(t, ZOOM_FUNCTION, symbol, 0);
	else
		grid_tell(t, "the line has no function with a name");
	free(symbol);
}

void grid_ask_time(struct grid *t)
{
	const struct zoom_step *old = zoom_find(&t->zoom, ZOOM_TIME);
	char text[GRID_ANSWER];

	snprintf(text, sizeof(text), "%s", old ? old->text : "");
	if (!grid_ask(t, "time (FROM,TO in seconds, or 10%-20%): ", text, sizeof(text)))
		return;
	if (t->gather(t, t->by, *text ? text : NULL) < 0)
		return;
	if (*text) {
		narrow(t, ZOOM_TIME, text, 0);
	} else {
		zoom_drop(&t->zoom, ZOOM_TIME);
		grid_make(t);
	}
}

void grid_go_back(struct grid *t)
{
	enum zoom_kind last;

	if (!t->zoom.n)
		return;
	last = t->zoom.steps[t->zoom.n - 1].kind;
	if (last == ZOOM_TIME && t->gather(t, t->by, NULL) < 0)
		return;
	zoom_drop(&t->zoom, last);
	grid_make(t);
}

void grid_ask_limit(struct grid *t)
{
	char text[GRID_ANSWER], *end;
	double limit;

	snprintf(text, sizeof(text), "%g", t->report.percent_limit);
	if (!grid_ask(t, "hide rows below (percent): ", text, sizeof(text)))
		return;
	limit = strtod(text, &end);
	if (*end || !(limit >= 0 && limit <= 100)) {
		grid_tell(t, "'%s' is no percentage", text);
		return;
	}
	t->report.percent_limit = limit;
	grid_make(t);
}

void grid_turn_share(struct grid *t)
{
	t->report.of_shown = !t->report.of_shown;
	grid_make(t);
	grid_tell(t, "percentages are of %s", t->report.of_shown ? "the samples that pass the filters" : "all samples");
}

/* SPDX-License-Identifier: MIT */
#include "cli/rows/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_OF_CALL = 1024 };

/* ---- taking rows and nodes ---- */

static void free_nodes(struct row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++)
		free(row->nodes[i].text);
	free(row->nodes);
}

void rows_drop_reports(struct rows *r)
{
	for (size_t i = 0; i < ROWS_REPORTS; i++) {
		sonde_report_free(r->reports[i]);
		r->reports[i] = NULL;
	}
}

void rows_clear(struct rows *r)
{
	rows_drop_reports(r);
	for (size_t i = 0; i < r->nr_rows; i++) {
		free_nodes(&r->rows[i]);
		free(r->rows[i].text);
	}
	free(r->titles);
	r->titles = NULL;
	r->profile = NULL;
	r->nr_rows = r->nr_lines = 0;
}

void rows_replace(struct rows *r, struct rows *with)
{
	const struct folds folds = r->folds;
	const bool all_open = r->all_open;

	r->folds = (struct folds){ 0 };
	rows_free(r);
	*r = *with;
	r->folds = folds;
	r->all_open = all_open;
}

/* Tells now and then how much is done. 0 or -SONDE_STOPPED */
static int tell_progress(const struct rows *r, size_t done, size_t all)
{
	if (!r->progress || done % ROWS_OF_CALL != 0)
		return 0;
	return r->progress(r->progress_ctx, (double)done / (double)all) ? -SONDE_STOPPED : 0;
}

/* Room for one more element; NULL when out of memory. */
static void *grow(void *at, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 64;
	void *p;

	if (n < *cap)
		return at;
	p = realloc(at, more * size);
	if (p)
		*cap = more;
	return p;
}

/* Texts in one piece of memory, the first one at its start; NULL when out of memory. @at: the places of the others */
static char *join_texts(const char *const *parts, size_t n, const char **at)
{
	size_t sizes[4], sum = 0;
	char *all, *to;

	for (size_t i = 0; i < n; i++)
		sum += sizes[i] = strlen(parts[i]) + 1;
	all = to = malloc(sum);
	for (size_t i = 0; all && i < n; to += sizes[i++]) {
		memcpy(to, parts[i], sizes[i]);
		if (i)
			at[i - 1] = to;
	}
	return all;
}

/* The cells of a line of the report, and one with the label; NULL when out of memory. */
static char *cells_of(const char *text, const char *label)
{
	char *cells;

	if (!*label)
		return strdup(text);
	return asprintf(&cells, "%s\t%s", text, label) < 0 ? NULL : cells;
}

static int add_row(struct rows *r, const struct sonde_report_row *from, const char *label)
{
	const struct sonde_profile_frame *f = sonde_profile_frame_at(r->profile, from->frame);
	const struct sonde_profile_task *t = sonde_profile_task_at(r->profile, from->task);
	char *cells = cells_of(from->text, label);
	const char *const texts[] = { cells ? cells : "", f && f->symbol ? f->symbol : "", f ? f->dso_name : "",
				      t ? t->comm : "" };
	const char *at[3] = { NULL };
	struct row *rows = grow(r->rows, r->nr_rows, &r->cap_rows, sizeof(*rows)), *row;

	if (rows)
		r->rows = rows;
	if (!rows || !cells) {
		free(cells);
		return -SONDE_NOMEM;
	}
	row = &rows[r->nr_rows];
	*row = (struct row){ .tid = t ? t->tid : -1, .percent = from->percent, .level = from->level,
			     .level_key = from->level_key, .has_rows = from->has_rows,
			     .number = folds_number(folds_number(0, label), from->key) };
	row->text = join_texts(texts, 4, at);
	free(cells);
	if (!row->text)
		return -SONDE_NOMEM;
	row->symbol = at[0];
	row->dso = at[1];
	row->comm = at[2];
	r->nr_rows++;
	return 0;
}

int rows_add(struct rows *r, struct sonde_profile *p, struct sonde_report *report, const char *label, bool only_own)
{
	const char *titles = sonde_report_titles(report);
	const struct sonde_report_row *row;
	uint32_t place = 0;
	int e = titles ? 0 : -SONDE_NOMEM;

	while (place + 1 < ROWS_REPORTS && r->reports[place])
		place++;
	r->reports[place] = report;
	r->profile = p;
	if (titles && !r->titles)
		r->titles = cells_of(titles, *label ? "Function" : "");
	for (uint32_t i = 0; e == 0 && i < sonde_report_row_count(report); i++) {
		row = sonde_report_row_at(report, i);
		e = row ? add_row(r, row, label) : -SONDE_NOMEM;
		if (e == 0)
			e = tell_progress(r, i, sonde_report_row_count(report));
		if (e == 0) {
			r->rows[r->nr_rows - 1].report = place;
			r->rows[r->nr_rows - 1].index = i;
			r->rows[r->nr_rows - 1].only_own = only_own;
		}
	}
	return e;
}

/* Marks chains and lone nodes, and numbers the nodes: by their names on the way from the row. */
static void settle_nodes(struct row *row, const uint64_t *periods, size_t *last_of_depth)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		struct rows_node *n = &row->nodes[i];
		size_t parent = n->depth ? last_of_depth[n->depth - 1] : ROWS_NO_NODE, k = i + 1;

		last_of_depth[n->depth] = i;
		n->number = folds_number(parent == ROWS_NO_NODE ? row->number : row->nodes[parent].number, n->text);
		n->level = parent == ROWS_NO_NODE ? 0 : row->nodes[parent].level + 1;
		n->chained = i && parent == i - 1 && periods[i] == periods[i - 1];
		n->level -= n->chained;
		/* its next sibling would be the next node that is not deeper; a first child tells for all */
		while (k < row->nr_nodes && row->nodes[k].depth > n->depth)
			k++;
		n->alone = (parent == ROWS_NO_NODE ? i == 0 : parent == i - 1) &&
			   (k == row->nr_nodes || row->nodes[k].depth < n->depth);
	}
}

static int take_node(struct rows *r, struct rows_node *to, const struct sonde_report_node *from)
{
	const struct sonde_profile_frame *f = sonde_profile_frame_at(r->profile, from->frame);
	const char *const texts[] = { from->text, f && f->symbol ? f->symbol : "", f ? f->dso_name : "" };
	const char *at[2] = { NULL };

	to->text = join_texts(texts, 3, at);
	to->symbol = at[0];
	to->dso = at[1];
	to->percent = from->percent;
	to->depth = from->depth;
	to->has_children = from->has_children;
	return to->text ? 0 : -SONDE_NOMEM;
}

static int take_nodes(struct rows *r, struct row *row)
{
	struct sonde_report *report = r->reports[row->report];
	size_t n = report ? sonde_report_node_count(report, row->index) : 0;
	bool wanted = true;
	uint64_t *periods;
	size_t *last_of_depth;
	int e = 0;

	if (row->has_nodes || !report)
		return 0;
	if (r->progress && *r->stopped)
		return -SONDE_STOPPED;
	row->nodes = calloc(n + 1, sizeof(*row->nodes));
	periods = calloc(n + 1, sizeof(*periods));
	last_of_depth = calloc(n + 1, sizeof(*last_of_depth));
	if (!row->nodes || !periods || !last_of_depth)
		e = -SONDE_NOMEM;
	for (size_t i = 0; i < n && e == 0; i++) {
		const struct sonde_report_node *from = sonde_report_node_at(report, row->index, i);
		struct rows_node *to = &row->nodes[row->nr_nodes];

		e = from ? take_node(r, to, from) : -SONDE_NOMEM;
		if (e < 0)
			break;
		if (to->depth == 0)
			wanted = !row->only_own || strcmp(to->symbol, row->symbol) == 0;
		if (wanted)
			periods[row->nr_nodes++] = from->period;
		else
			free(to->text);
	}
	if (e == 0)
		settle_nodes(row, periods, last_of_depth);
	row->has_nodes = e == 0;
	free(periods);
	free(last_of_depth);
	return e;
}

/* ---- what is open ---- */

static bool can_open(const struct rows *r, const struct row *row)
{
	return row->has_rows || (r->trees && (row->has_nodes ? row->nr_nodes > 0 : row->percent >= r->least));
}

static bool is_row_open(const struct rows *r, const struct row *row)
{
	return (r->all_open ^ folds_has(&r->folds, row->number)) && can_open(r, row);
}

/* Whether the lines below a node are shown; of a chain the first node says it. */
static bool is_node_open(const struct rows *r, const struct rows_node *n)
{
	return (r->all_open || n->alone) ^ folds_has(&r->folds, n->number);
}

char rows_sign(const struct rows *r, const struct rows_line *line)
{
	const struct row *row = &r->rows[line->row];

	if (line->node != ROWS_NO_NODE) {
		if (row->nodes[line->node].chained || !row->nodes[line->node].has_children)
			return ' ';
		return is_node_open(r, &row->nodes[line->node]) ? '-' : '+';
	}
	if (is_row_open(r, row))
		return '-';
	return can_open(r, row) ? '+' : ' ';
}

static int add_line(struct rows *r, size_t row, size_t node)
{
	struct rows_line *lines = grow(r->lines, r->nr_lines, &r->cap_lines, sizeof(*lines));

	if (!lines)
		return -SONDE_NOMEM;
	r->lines = lines;
	lines[r->nr_lines++] = (struct rows_line){ row, node };
	return 0;
}

/* The nodes of an open row that are below open ones. */
static int list_nodes(struct rows *r, size_t number)
{
	const struct row *row = &r->rows[number];
	uint32_t hidden_below = UINT32_MAX;  /* the depth of a closed node; deeper ones are hidden */
	bool open = true;
	int e = 0;

	for (size_t i = 0; i < row->nr_nodes && e == 0; i++) {
		const struct rows_node *n = &row->nodes[i];

		if (n->depth > hidden_below)
			continue;
		hidden_below = UINT32_MAX;
		if (!n->chained)
			open = is_node_open(r, n);
		if (!open)
			hidden_below = n->depth;
		e = add_line(r, number, i);
	}
	return e;
}

static int list_tree(struct rows *r, size_t number)
{
	struct row *row = &r->rows[number];
	int e = is_row_open(r, row) ? take_nodes(r, row) : 0;

	return e == 0 && is_row_open(r, row) ? list_nodes(r, number) : e;
}

int rows_list(struct rows *r)
{
	uint32_t hidden_below = UINT32_MAX;  /* the level of a closed row; higher ones are hidden */
	int e = 0;

	r->nr_lines = 0;
	for (size_t i = 0; i < r->nr_rows && e == 0; i++) {
		const struct row *row = &r->rows[i];

		if (row->level > hidden_below)
			continue;
		e = tell_progress(r, i, r->nr_rows);
		hidden_below = row->has_rows && !is_row_open(r, row) ? row->level : UINT32_MAX;
		if (e == 0)
			e = add_line(r, i, ROWS_NO_NODE);
		if (e == 0 && !row->has_rows)
			e = list_tree(r, i);
	}
	return e;
}

int rows_toggle(struct rows *r, const struct rows_line *line)
{
	const struct row *row = &r->rows[line->row];

	return folds_toggle(&r->folds, line->node == ROWS_NO_NODE ? row->number : row->nodes[line->node].number);
}

/* The rows below one of a hierarchy. */
static int open_rows(struct rows *r, size_t number)
{
	int e = 0, opened = 0;

	for (size_t i = number + 1; i < r->nr_rows && r->rows[i].level > r->rows[number].level && e == 0; i++)
		if (can_open(r, &r->rows[i]) && !is_row_open(r, &r->rows[i])) {
			e = folds_toggle(&r->folds, r->rows[i].number);
			opened++;
		}
	return e < 0 ? e : opened;
}

int rows_open_below(struct rows *r, size_t number)
{
	const struct row *row = &r->rows[number];
	int e = 0, opened = 0;

	if (row->has_rows)
		return open_rows(r, number);
	for (size_t i = 0; i < row->nr_nodes && e == 0; i++) {
		const struct rows_node *n = &row->nodes[i];

		if (n->chained || !n->has_children || is_node_open(r, n))
			continue;
		e = folds_toggle(&r->folds, n->number);
		opened++;
	}
	return e < 0 ? e : opened;
}

size_t rows_above(const struct rows *r, size_t line)
{
	const struct rows_line *at = &r->lines[line];
	const struct row *row = &r->rows[at->row];
	uint32_t level = 0;          /* of a node below its row: 1 and more */

	if (at->node != ROWS_NO_NODE)
		level = row->nodes[at->node].level + row->nodes[at->node].chained + 1;
	for (size_t k = line; k-- > 0;) {
		const struct rows_line *above = &r->lines[k];
		const struct row *its_row = &r->rows[above->row];
		const struct rows_node *n = above->node == ROWS_NO_NODE ? NULL : &its_row->nodes[above->node];

		if (at->node == ROWS_NO_NODE ? !n && its_row->level < row->level :
					       !n || (!n->chained && n->level + 1 < level))
			return k;
	}
	return line;
}

void rows_fold_all(struct rows *r, bool open)
{
	folds_free(&r->folds);
	r->all_open = open;
}

uint64_t rows_number(const struct rows *r, size_t line)
{
	const struct rows_line *at = line < r->nr_lines ? &r->lines[line] : NULL;

	if (!at)
		return 0;
	return at->node == ROWS_NO_NODE ? r->rows[at->row].number : r->rows[at->row].nodes[at->node].number;
}

size_t rows_find(const struct rows *r, uint64_t number, size_t fallback)
{
	for (size_t i = 0; number && i < r->nr_lines; i++)
		if (rows_number(r, i) == number)
			return i;
	return fallback;
}

void rows_free(struct rows *r)
{
	rows_clear(r);
	free(r->rows);
	free(r->lines);
	folds_free(&r->folds);
	*r = (struct rows){ 0 };
}

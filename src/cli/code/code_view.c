/* SPDX-License-Identifier: MIT */
#include "cli/code/code_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/keys.h"
#include "cli/screen/screen.h"
#include "cli/screen/stop.h"
#include "cli/screen/text.h"
#include "cli/screen/theme.h"

enum { HEAD_ROWS = 2, NOTICE = 1024, WORD = 256, NAME = 512, STEPS = 64, LINE_BYTES = 8192 };

/* A place from which a jump or a call was followed. */
struct followed_jump {
	char symbol[NAME], dso[NAME];
	size_t row;
};

struct code_view {
	const struct code_source *source;
	struct sonde_annotate_opts opts;
	struct code code;
	size_t *shown;               /* rows that are lines */
	struct list list;
	enum code_figure figure;
	bool no_source, whole_addresses;
	struct followed_jump steps[STEPS];
	size_t nr_steps;
	char search[WORD], notice[NOTICE];
	int end;
};

#define tell(v, ...) snprintf((v)->notice, sizeof((v)->notice), __VA_ARGS__)

/* ---- rows and lines ---- */

static void list_rows(struct code_view *v, size_t selected)
{
	v->list.n = 0;
	v->list.selected = 0;
	for (size_t i = 0; i < v->code.nr_rows; i++) {
		if (v->no_source && v->code.rows[i].kind != SONDE_ANNOTATION_INSN)
			continue;
		if (i <= selected)
			v->list.selected = v->list.n;
		v->shown[v->list.n++] = i;
	}
	list_settle(&v->list);
}

static size_t selected_row(const struct code_view *v)
{
	return v->list.n ? v->shown[v->list.selected] : 0;
}

/* The line goes to the middle of the screen if it was not on it. */
static void select_row(struct code_view *v, size_t row)
{
	list_rows(v, row);
	if (v->list.selected < v->list.top || v->list.selected >= v->list.top + v->list.height)
		v->list.top = v->list.selected > v->list.height / 2 ? v->list.selected - v->list.height / 2 : 0;
	list_settle(&v->list);
}

/* Shows another function; what was shown stays if that fails. */
static int open_code(struct code_view *v, const struct sonde_annotate_opts *opts, size_t row, char *why, size_t size)
{
	struct code code;
	size_t *shown = NULL;
	int r = code_take(&code, v->source, opts, why, size);

	if (r == 0) {
		shown = calloc(code.nr_rows + 1, sizeof(*shown));
		r = shown ? 0 : -SONDE_NOMEM;
	}
	if (r < 0) {
		code_free(&code);
		return r;
	}
	code_free(&v->code);
	free(v->shown);
	v->code = code;
	v->shown = shown;
	if (v->figure == CODE_CYCLES && !code.has_cycles)
		v->figure = CODE_PERCENT;
	select_row(v, row == SONDE_NO_ROW ? code_hottest(&code) : row);
	if (*code.note)
		tell(v, "%s", code.note);
	return 0;
}

/* ---- drawing ---- */

static void put_cycles(const struct code_row *row, char *out, size_t size)
{
	char ipc[16] = "";

	if (row->ipc > 0)
		snprintf(ipc, sizeof(ipc), "%.2f", row->ipc);
	if (row->cycles)
		snprintf(out, size, "%4s%5" PRIu64, ipc, row->cycles);
	else
		snprintf(out, size, "%9s", "");
}

static void put_figure(const struct code_view *v, const struct code_row *row, char *out, size_t size)
{
	if (v->figure == CODE_CYCLES)
		put_cycles(row, out, size);
	else if (!row->samples)
		snprintf(out, size, "%9s", "");
	else if (v->figure == CODE_PERCENT)
		snprintf(out, size, "%9.2f", row->percent);
	else
		snprintf(out, size, "%9" PRIu64, v->figure == CODE_SAMPLES ? row->samples : row->period);
}

/* The line of the jump that is selected, from there to its target. */
static char jump_mark(const struct code_view *v, size_t row)
{
	size_t from = selected_row(v), to = v->code.nr_rows ? v->code.rows[from].target : SONDE_NO_ROW;

	if (to == SONDE_NO_ROW)
		return ' ';
	if (row == to)
		return '>';
	if (row == from)
		return '+';
	return (row > from && row < to) || (row < from && row > to) ? '|' : ' ';
}

static void draw_row(const struct code_view *v, int screen_row, size_t i)
{
	const struct code_row *row = &v->code.rows[v->shown[i]];
	bool insn = row->kind == SONDE_ANNOTATION_INSN;
	char text[LINE_BYTES], figure[32], place[32] = "";

	put_figure(v, row, figure, sizeof(figure));
	if (insn)
		snprintf(place, sizeof(place), "%" PRIx64, v->whole_addresses ? row->addr : row->addr - v->code.start);
	else if (row->line)
		snprintf(place, sizeof(place), "%" PRIu32, row->line);
	snprintf(text, sizeof(text), "%s %c%*s%s %s", figure, jump_mark(v, v->shown[i]), insn ? 7 : 1, place,
		 insn ? ":" : " ", row->text);
	if (i == v->list.selected)
		screen_line(screen_row, SCREEN_SELECTED, text);
	else
		screen_line_with_head(screen_row, theme_style_of(row->percent), strlen(figure),
				      insn ? SCREEN_PLAIN : SCREEN_FAINT, text);
}

static void draw(struct code_view *v)
{
	static const char *const titles[] = { "Percent", "Samples", "Period", "IPC Cycle" };
	static const char *const wholes[] = {
		[SONDE_PERCENT_LOCAL_PERIOD] = "", [SONDE_PERCENT_LOCAL_HITS] = "  by number",
		[SONDE_PERCENT_GLOBAL_PERIOD] = "  of all samples",
		[SONDE_PERCENT_GLOBAL_HITS] = "  of all samples by number",
	};
	int rows = screen_rows() - HEAD_ROWS - 1;
	char text[1024];

	v->list.height = rows > 0 ? (size_t)rows : 1;
	list_settle(&v->list);
	snprintf(text, sizeof(text), "%s  %s  %" PRIu64 " samples, %.2f%% of the event", v->code.symbol,
		 v->code.dso_name, v->code.samples, v->code.share);
	screen_line(0, SCREEN_PLAIN, text);
	snprintf(text, sizeof(text), "%9s  %s of %s", titles[v->figure],
		 v->whole_addresses ? "Addresses" : "Offsets", v->code.file);
	screen_line(1, SCREEN_TITLE, text);
	for (int i = 0; i < rows; i++) {
		if (v->list.top + (size_t)i < v->list.n)
			draw_row(v, HEAD_ROWS + i, v->list.top + (size_t)i);
		else
			screen_line(HEAD_ROWS + i, SCREEN_PLAIN, "");
	}
	snprintf(text, sizeof(text), "h help  q back%s", wholes[v->opts.percent]);
	screen_line(screen_rows() - 1, *v->notice ? SCREEN_WARNING : SCREEN_TITLE, *v->notice ? v->notice : text);
	screen_show();
}

/* ---- keys ---- */

static void remember(struct code_view *v)
{
	struct followed_jump *s;

	if (v->nr_steps == STEPS) {
		memmove(v->steps, v->steps + 1, (STEPS - 1) * sizeof(*v->steps));
		v->nr_steps--;
	}
	s = &v->steps[v->nr_steps++];
	snprintf(s->symbol, sizeof(s->symbol), "%s", v->code.symbol);
	snprintf(s->dso, sizeof(s->dso), "%s", v->code.dso);
	s->row = selected_row(v);
}

static void follow_call(struct code_view *v, const char *callee)
{
	struct sonde_annotate_opts opts = v->opts;
	char name[NAME], why[NOTICE];
	const char *plt;
	int r;

	if (!callee) {
		tell(v, "the target of this call is not in the code");
		return;
	}
	plt = strstr(callee, "@plt");
	snprintf(name, sizeof(name), "%.*s", plt ? (int)(plt - callee) : NAME, callee);
	opts.symbol = name;
	opts.dso = v->code.dso;
	opts.nth = 0;
	remember(v);
	r = open_code(v, &opts, SONDE_NO_ROW, why, sizeof(why));
	opts.dso = NULL;             /* a function of another binary */
	if (r < 0)
		r = open_code(v, &opts, SONDE_NO_ROW, why, sizeof(why));
	if (r < 0) {
		v->nr_steps--;
		tell(v, "%s", why);
	}
}

static void follow(struct code_view *v)
{
	const struct code_row *row = v->list.n ? &v->code.rows[selected_row(v)] : NULL;

	if (row && row->target != SONDE_NO_ROW) {
		remember(v);
		select_row(v, row->target);
	} else if (row && row->flow == SONDE_FLOW_CALL) {
		follow_call(v, row->callee);
	} else if (row && row->flow == SONDE_FLOW_JUMP) {
		tell(v, "the target of this jump is not in the code");
	} else {
		tell(v, "the line is no jump and no call");
	}
}

static void go_back(struct code_view *v)
{
	struct sonde_annotate_opts opts = v->opts;
	const struct followed_jump *s;
	char why[NOTICE];

	if (!v->nr_steps) {
		v->end = CODE_LEFT;
		return;
	}
	s = &v->steps[--v->nr_steps];
	opts.symbol = s->symbol;
	opts.dso = s->dso;
	opts.nth = 0;
	if (!strcmp(s->symbol, v->code.symbol) && !strcmp(s->dso, v->code.dso))
		select_row(v, s->row);
	else if (open_code(v, &opts, s->row, why, sizeof(why)) < 0)
		tell(v, "%s", why);
}

static void go_hot(struct code_view *v, bool back)
{
	size_t from = selected_row(v);

	if (!v->list.n)
		return;
	/* from a line without samples to the hottest one */
	select_row(v, v->code.rows[from].samples ? code_next_hot(&v->code, from, back) : code_hottest(&v->code));
}

static void redraw(void *ctx)
{
	draw(ctx);
}

static bool ask(struct code_view *v, const char *question, char *answer, size_t size)
{
	return screen_ask(question, answer, size, v->source->wake_fd, redraw, v) && *answer;
}

static void search(struct code_view *v)
{
	size_t from = v->list.selected;

	if (!ask(v, "search: ", v->search, sizeof(v->search)) || !v->list.n)
		return;
	for (size_t i = 1; i <= v->list.n; i++) {
		size_t line = (from + i) % v->list.n;

		if (strstr(v->code.rows[v->shown[line]].text, v->search)) {
			select_row(v, v->shown[line]);
			return;
		}
	}
	tell(v, "'%s' is not here", v->search);
}

static void turn_figure(struct code_view *v)
{
	v->figure = (v->figure + 1) % NR_CODE_FIGURES;
	if (v->figure == CODE_CYCLES && !v->code.has_cycles)
		v->figure = CODE_PERCENT;
}

static void turn_percent(struct code_view *v)
{
	static const enum sonde_annotate_percent others[] = {
		[SONDE_PERCENT_LOCAL_PERIOD] = SONDE_PERCENT_GLOBAL_PERIOD,
		[SONDE_PERCENT_GLOBAL_PERIOD] = SONDE_PERCENT_LOCAL_PERIOD,
		[SONDE_PERCENT_LOCAL_HITS] = SONDE_PERCENT_GLOBAL_HITS,
		[SONDE_PERCENT_GLOBAL_HITS] = SONDE_PERCENT_LOCAL_HITS,
	};
	struct sonde_annotate_opts opts;
	char why[NOTICE];

	v->opts.percent = others[v->opts.percent];
	opts = v->opts;
	opts.symbol = v->code.symbol;
	opts.dso = v->code.dso;
	opts.nth = 0;
	if (open_code(v, &opts, selected_row(v), why, sizeof(why)) < 0)
		tell(v, "%s", why);
}

static void write_text(struct code_view *v)
{
	char name[NAME] = "";
	size_t n;
	FILE *f;

	if (!ask(v, "write to: ", name, sizeof(name)))
		return;
	n = strlen(name);
	if (n < 5 || strcmp(name + n - 4, ".txt") != 0) {
		tell(v, "%s: the name has to end in .txt", name);
		return;
	}
	f = fopen(name, "we");
	for (size_t i = 0; f && i < v->list.n; i++) {
		const struct code_row *row = &v->code.rows[v->shown[i]];
		char figure[32];

		put_figure(v, row, figure, sizeof(figure));
		if (row->kind == SONDE_ANNOTATION_INSN)
			fprintf(f, "%s %8" PRIx64 ": %s\n", figure, row->addr, row->text);
		else
			fprintf(f, "%s %s\n", figure, row->text);
	}
	if (f && fclose(f) == 0)
		tell(v, "%s is written", name);
	else
		tell(v, "%s: %m", name);
}

static void obey(struct code_view *v, int key)
{
	*v->notice = '\0';
	switch (key) {
	case 'q': v->end = CODE_LEFT; break;
	case SCREEN_ESCAPE:
	case SCREEN_LEFT: go_back(v); break;
	case SCREEN_ENTER: follow(v); break;
	case 'n':
	case SCREEN_TAB: go_hot(v, false); break;
	case 'N':
	case SCREEN_BACK_TAB: go_hot(v, true); break;
	case 'H': select_row(v, code_hottest(&v->code)); break;
	case '/': search(v); break;
	case 's':
		v->no_source = !v->no_source;
		select_row(v, selected_row(v));
		break;
	case 'o': v->whole_addresses = !v->whole_addresses; break;
	case 't': turn_figure(v); break;
	case 'p': turn_percent(v); break;
	case 'w':
	case 'P': write_text(v); break;
	case 'h':
	case '?':
	case SCREEN_HELP: text_show_keys(v->source->title, KEYS_ANNOTATE, v->source->wake_fd); break;
	default: list_move(&v->list, key);
	}
}

int code_show(const struct code_source *source, const struct sonde_annotate_opts *opts, char *why, size_t size)
{
	struct code_view *v = calloc(1, sizeof(*v));
	int r = v ? 0 : -SONDE_NOMEM;

	if (v) {
		*v = (struct code_view){ .source = source, .opts = *opts, .list = { .height = 1 } };
		v->list.height = screen_rows() > HEAD_ROWS + 1 ? (size_t)screen_rows() - HEAD_ROWS - 1 : 1;
		r = open_code(v, opts, SONDE_NO_ROW, why, size);
	}
	while (r == 0 && !v->end && !stop_caught()) {
		int key;

		draw(v);
		key = screen_key(-1, source->wake_fd);
		if (key == SCREEN_NO_KEY)
			v->end = CODE_QUIT;  /* the recording has ended, or a signal came */
		else
			obey(v, key);
	}
	if (r == 0)
		r = v->end ? v->end : CODE_QUIT;
	if (v) {
		code_free(&v->code);
		free(v->shown);
	}
	free(v);
	screen_clear();
	return r;
}

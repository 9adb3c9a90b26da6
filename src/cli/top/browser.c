/* SPDX-License-Identifier: MIT */
#include "cli/top/browser.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/screen/list.h"
#include "cli/screen/screen.h"
#include "cli/top/lines.h"
#include "cli/top/options.h"
#include "cli/top/snapshot.h"
#include "cli/top/stop.h"
#include "cli/top/view.h"

enum { HEADING_ROWS = 2, BOTTOM_ROWS = 1, NARROW = 80, VERY_NARROW = 60 };

struct browser {
	struct live *live;
	struct list list;
	struct top_lines lines;
	size_t event;
	const char *sort;
	char filter[128], dso[256];  /* what rows have to have; "": anything */
	char heading[1024], notice[512];
	uint64_t shown_ns, due_ns;   /* the last refresh, and the next one */
	bool stopped;                /* the recording has ended */
	bool quit;
	int status;
};

static const struct screen_help help[] = {
	{ "Up Down", "select a row; PgUp, PgDn, Home, End" },
	{ "Enter +", "open or close the row's call graph" },
	{ "/", "functions with a text in the name" },
	{ "d", "the row's binary only; again: all" },
	{ "Esc", "all rows again" },
	{ "s", "next sort keys" },
	{ "t", "split by thread; again: as before" },
	{ "p", "split by process" },
	{ "c", "split by CPU" },
	{ "e", "next event" },
	{ "K", "hide or show the kernel" },
	{ "U", "hide or show user space" },
	{ "z", "forget all samples now" },
	{ "Space", "pause; again: go on" },
	{ "w", "write .html, .folded, .json, .txt" },
	{ "h ?", "this help" },
	{ "q", "quit" },
	{ 0 },
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* On a very narrow terminal the binary is left out, for room for the function. */
static const char *narrow_sort(const char *sort)
{
	return screen_columns() < VERY_NARROW && !strncmp(sort, "dso,", 4) ? sort + 4 : sort;
}

/* On a narrow terminal all names but the last are cut, so that the last one, mostly the function, is seen. */
static void choose_widths(const struct sonde_export_opts *opts, char *text, size_t size)
{
	size_t figures = 1 + opts->children + opts->show_samples + opts->show_period, n = 0;

	for (size_t i = 0; i < figures && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "0,");
	for (const char *p = opts->sort; (p = strchr(p, ',')) && n < size; p++)
		n += (size_t)snprintf(text + n, size - n, "%d,", screen_columns() / 5);
	if (n < size)
		snprintf(text + n, size - n, "0");
}

static bool has_filter(const struct browser *b)
{
	return *b->filter || *b->dso;
}

static struct sonde_export_opts opts_of(const struct browser *b)
{
	struct sonde_export_opts opts = view_opts(b->live, b->event);

	opts.sort = narrow_sort(b->sort);
	opts.hierarchy = false;
	if (*b->filter)
		opts.symbol_part = b->filter;
	return opts;
}

/* Makes the lines of what has been gathered. The lock is held. */
static int gather_lines(struct browser *b)
{
	struct live *l = b->live;
	struct sonde_export_opts opts = opts_of(b);
	const char *dsos[] = { b->dso };
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_report *report = NULL;
	bool trees = sonde_profile_has_callchains(l->profile);
	char widths[128];
	int r = sonde_profile_settle(l->profile);

	if (*b->dso) {
		opts.dsos = dsos;
		opts.nr_dsos = 1;
	}
	opts.graph = trees && b->lines.nr_open;  /* trees of all rows take much longer than the rows */
	if (screen_columns() < NARROW && !opts.widths && !opts.fields) {
		choose_widths(&opts, widths, sizeof(widths));
		opts.widths = widths;
	}
	if (r == 0 && view_has_samples(l, b->event)) {
		report = sonde_report_new(l->profile, &opts, &err);
		if (!report) {
			snprintf(b->notice, sizeof(b->notice), "%s", err.text);
			return err.code == SONDE_NOMEM ? -SONDE_NOMEM : 0;
		}
	}
	if (r == 0)
		r = lines_take(&b->lines, report, trees);
	sonde_report_free(report);
	return r;
}

static void make_lines(struct browser *b)
{
	const struct top_line *line = b->list.selected && b->list.selected < b->lines.n ?
		&b->lines.at[b->list.selected] : NULL;
	char *key = line && line->key ? strdup(line->key) : NULL;
	int r;

	pthread_mutex_lock(&b->live->lock);
	r = gather_lines(b);
	if (*b->live->notice)
		snprintf(b->notice, sizeof(b->notice), "%s", b->live->notice);
	*b->live->notice = '\0';
	pthread_mutex_unlock(&b->live->lock);
	b->list.n = b->lines.n;
	b->list.selected = lines_find(&b->lines, key, b->list.selected);
	list_settle(&b->list);
	free(key);
	if (r < 0) {
		b->quit = true;
		b->status = r;
	}
}

static void make_heading(struct browser *b, uint64_t now)
{
	struct live_counts counts;
	double seconds = (double)(now - b->shown_ns) * 1e-9;

	pthread_mutex_lock(&b->live->lock);
	counts = live_take_counts(b->live);
	view_heading(b->live, b->event, &counts, seconds, b->heading, sizeof(b->heading));
	if (strlen(b->heading) > (size_t)screen_columns())
		view_short_heading(b->live, b->event, &counts, seconds, b->heading, sizeof(b->heading));
	pthread_mutex_unlock(&b->live->lock);
	b->shown_ns = now;
}

static void refresh_rows(struct browser *b)
{
	uint64_t now = now_ns();

	b->due_ns = now + top_words.delay_ms * 1000000;
	if (b->live->paused)
		return;
	make_heading(b, now);
	make_lines(b);
	pthread_mutex_lock(&b->live->lock);
	if (!b->stopped && view_fade(b->live) < 0)
		b->status = -SONDE_NOMEM;
	pthread_mutex_unlock(&b->live->lock);
}

static void draw_row(const struct browser *b, int row, size_t i)
{
	const struct top_line *line = &b->lines.at[i];
	const char *sign = line->key ? strchr(line->text, '%') : NULL;
	enum screen_style head = line->percent >= 5 ? SCREEN_HOT : line->percent >= 0.5 ? SCREEN_WARM : SCREEN_PLAIN;

	if (i == b->list.selected)
		screen_line(row, SCREEN_SELECTED, line->text);
	else
		screen_line_with_head(row, head, sign ? (size_t)(sign + 1 - line->text) : 0, SCREEN_PLAIN, line->text);
}

static void draw_bottom(const struct browser *b)
{
	char text[1024];
	size_t n = 0;

	if (*b->notice) {
		screen_line(screen_rows() - 1, SCREEN_WARNING, b->notice);
		return;
	}
	n += (size_t)snprintf(text, sizeof(text), "%s%sh help  q quit", b->stopped ? "ended  " : "",
			      b->live->paused ? "PAUSED  " : "");
	if (*b->filter)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  function: %s", b->filter);
	if (*b->dso)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "  binary: %s", b->dso);
	snprintf(text + n, sizeof(text) - n, "  by %s", b->sort);
	screen_line(screen_rows() - 1, SCREEN_TITLE, text);
}

static void draw(struct browser *b)
{
	int rows = screen_rows() - HEADING_ROWS - BOTTOM_ROWS;

	b->list.height = rows > 0 ? (size_t)rows : 1;
	list_settle(&b->list);
	screen_line(0, SCREEN_PLAIN, b->heading);
	screen_line(1, SCREEN_TITLE, b->lines.titles ? b->lines.titles : "");
	for (int i = 0; i < rows; i++) {
		size_t line = b->list.top + (size_t)i;

		if (line < b->lines.n)
			draw_row(b, HEADING_ROWS + i, line);
		else
			screen_line(HEADING_ROWS + i, SCREEN_PLAIN, "");
	}
	if (!b->lines.n)
		screen_line(HEADING_ROWS, SCREEN_FAINT, has_filter(b) ? "  no row passes the filter (Esc: all rows)" :
						       b->stopped ? "  no samples" : "  no samples yet");
	draw_bottom(b);
	screen_show();
}

/* ---- keys ---- */

static void next_sort(struct browser *b)
{
	const char *const orders[] = { top_words.sort, "sym", "comm,dso,sym", "comm", "dso" };
	size_t n = sizeof(orders) / sizeof(orders[0]), i = 0;

	while (i < n && strcmp(orders[i], b->sort) != 0)
		i++;
	b->sort = i + 1 < n ? orders[i + 1] : orders[0];
}

static void split_by(struct browser *b, const char *sort)
{
	b->sort = strcmp(b->sort, sort) ? sort : top_words.sort;
}

static void toggle_dso(struct browser *b)
{
	size_t i = b->list.selected;

	while (i && i < b->lines.n && !b->lines.at[i].dso)
		i--;                 /* from the tree to its row */
	if (*b->dso || i >= b->lines.n || !b->lines.at[i].dso)
		*b->dso = '\0';
	else
		snprintf(b->dso, sizeof(b->dso), "%s", b->lines.at[i].dso);
}

static void toggle_row(struct browser *b)
{
	size_t i = b->list.selected;

	if (!sonde_profile_has_callchains(b->live->profile)) {
		snprintf(b->notice, sizeof(b->notice), "there are no call chains: start it with -g");
		return;
	}
	while (i && i < b->lines.n && !b->lines.at[i].key)
		i--;
	if (i < b->lines.n && b->lines.at[i].key) {
		b->list.selected = i;
		lines_toggle(&b->lines, b->lines.at[i].key);
	}
}

/* The recorder's own event for the side band has no samples. */
static void next_event(struct browser *b)
{
	const struct sonde_profile_event *e;

	pthread_mutex_lock(&b->live->lock);
	do {
		b->event++;
		e = view_event(b->live, b->event);
	} while (e && !e->samples);
	if (!e)
		b->event = 0;
	pthread_mutex_unlock(&b->live->lock);
}

static void hide(struct browser *b, bool *this_one, bool *other)
{
	pthread_mutex_lock(&b->live->lock);
	*this_one = !*this_one;
	*other = false;
	pthread_mutex_unlock(&b->live->lock);
	snprintf(b->notice, sizeof(b->notice), "samples of %s are %s from now on",
		 this_one == &b->live->hide_kernel ? "the kernel" : "user space", *this_one ? "left out" : "shown");
}

static void forget_samples(struct browser *b)
{
	pthread_mutex_lock(&b->live->lock);
	if (sonde_profile_decay(b->live->profile, 0) < 0)
		b->status = -SONDE_NOMEM;
	pthread_mutex_unlock(&b->live->lock);
	snprintf(b->notice, sizeof(b->notice), "all samples are forgotten");
}

static void pause_samples(struct browser *b)
{
	pthread_mutex_lock(&b->live->lock);
	b->live->paused = !b->live->paused;
	pthread_mutex_unlock(&b->live->lock);
}

static void write_file(struct browser *b)
{
	struct sonde_export_opts opts = opts_of(b);
	char name[512] = "";

	if (!screen_ask("write to: ", name, sizeof(name), b->live->wake_fd) || !*name)
		return;
	pthread_mutex_lock(&b->live->lock);
	snapshot_write(b->live, &opts, name, b->notice, sizeof(b->notice));
	pthread_mutex_unlock(&b->live->lock);
}

static void ask_filter(struct browser *b)
{
	char text[sizeof(b->filter)];

	memcpy(text, b->filter, sizeof(text));
	if (screen_ask("function: ", text, sizeof(text), b->live->wake_fd))
		memcpy(b->filter, text, sizeof(text));
}

static void obey(struct browser *b, int key)
{
	*b->notice = '\0';
	switch (key) {
	case 'q': b->quit = true; return;
	case 'h':
	case '?':
	case SCREEN_HELP: screen_explain("sonde top: keys", help, b->live->wake_fd); return;
	case ' ': pause_samples(b); break;
	case SCREEN_ENTER:
	case '+': toggle_row(b); break;
	case '/': ask_filter(b); break;
	case 'd': toggle_dso(b); break;
	case SCREEN_ESCAPE: *b->filter = *b->dso = '\0'; break;
	case 's': next_sort(b); break;
	case 't': split_by(b, "pid,dso,sym"); break;
	case 'p': split_by(b, "tgid,dso,sym"); break;
	case 'c': split_by(b, "cpu,dso,sym"); break;
	case 'e':
		next_event(b);
		make_heading(b, now_ns());
		break;
	case 'K': hide(b, &b->live->hide_kernel, &b->live->hide_user); break;
	case 'U': hide(b, &b->live->hide_user, &b->live->hide_kernel); break;
	case 'z': forget_samples(b); break;
	case 'w': write_file(b); break;
	case SCREEN_RESIZED: break;
	default:
		list_move(&b->list, key);
		return;
	}
	make_lines(b);
}

/* The recording has ended by itself; the rows stay until a key ends the view. */
static void take_end(struct browser *b)
{
	uint64_t n;
	bool ended;

	if (read(b->live->wake_fd, &n, sizeof(n)) < 0 || stop_caught())
		return;
	pthread_mutex_lock(&b->live->lock);
	ended = b->live->ended;
	pthread_mutex_unlock(&b->live->lock);
	if (!ended || b->stopped)
		return;
	live_stop(b->live);
	b->stopped = true;
	if (b->live->status < 0)
		b->quit = true;
	else
		refresh_rows(b);
}

static void browse(struct browser *b)
{
	while (!b->quit && b->status == 0 && !stop_caught()) {
		uint64_t now = now_ns();
		int key;

		if (now >= b->due_ns && !b->stopped)
			refresh_rows(b);
		draw(b);
		key = screen_key(b->stopped || b->due_ns <= now ? 1000 : (int)((b->due_ns - now) / 1000000) + 1,
				 b->live->wake_fd);
		take_end(b);
		if (key != SCREEN_NO_KEY)
			obey(b, key);
	}
}

int browser_run(struct live *l)
{
	struct browser b = { .live = l, .sort = top_words.sort, .shown_ns = now_ns() };

	if (!screen_begin())
		return -1;
	b.due_ns = b.shown_ns + (top_words.delay_ms < 500 ? top_words.delay_ms : 500) * 1000000;
	browse(&b);
	screen_end();
	lines_free(&b.lines);
	return b.status < 0 ? say_out_of_memory() : 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/top/browser.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/record/words.h"
#include "cli/rows/grid_draw.h"
#include "cli/rows/grid_keys.h"
#include "cli/screen/screen.h"
#include "cli/screen/stop.h"
#include "cli/top/options.h"
#include "cli/top/view.h"

struct top_browser {
	struct top_live *live;
	struct grid grid;
	char heading[1024], state[64];
	uint64_t shown_ns, due_ns;   /* the last refresh, and the next one */
	bool stopped;                /* the recording has ended */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void make_heading(struct top_browser *b, uint64_t now)
{
	struct live_counts counts;
	double seconds = (double)(now - b->shown_ns) * 1e-9;
	size_t event = b->grid.event;

	pthread_mutex_lock(&b->live->lock);
	counts = top_live_take_counts(b->live);
	view_heading(b->live, event, &counts, seconds, b->heading, sizeof(b->heading));
	if (strlen(b->heading) > (size_t)screen_columns())
		view_short_heading(b->live, event, &counts, seconds, b->heading, sizeof(b->heading));
	pthread_mutex_unlock(&b->live->lock);
	b->shown_ns = now;
}

/* A message of the recorder is shown until a key is pressed. */
static void take_notice(struct top_browser *b)
{
	pthread_mutex_lock(&b->live->lock);
	if (*b->live->notice)
		grid_tell(&b->grid, "%s", b->live->notice);
	*b->live->notice = '\0';
	pthread_mutex_unlock(&b->live->lock);
}

static void refresh_rows(struct top_browser *b)
{
	uint64_t now = now_ns();

	b->due_ns = now + top_words.delay_ms * 1000000;
	if (b->live->paused)
		return;
	make_heading(b, now);
	grid_make(&b->grid);
	take_notice(b);
	pthread_mutex_lock(&b->live->lock);
	if (!b->stopped && view_fade(b->live) < 0)
		b->grid.failed = -SONDE_NOMEM;
	pthread_mutex_unlock(&b->live->lock);
}

static void draw(struct top_browser *b)
{
	b->grid.empty = b->stopped ? "  no samples" : "  no samples yet";
	snprintf(b->state, sizeof(b->state), "%s%s", b->stopped ? "ended  " : "", b->live->paused ? "PAUSED  " : "");
	grid_draw(&b->grid);
}

/* ---- keys of its own ---- */

static void hide(struct top_browser *b, bool *this_one, bool *other)
{
	pthread_mutex_lock(&b->live->lock);
	*this_one = !*this_one;
	*other = false;
	pthread_mutex_unlock(&b->live->lock);
	grid_tell(&b->grid, "samples of %s are %s from now on",
		  this_one == &b->live->hide_kernel ? "the kernel" : "user space", *this_one ? "left out" : "shown");
}

static void forget_samples(struct top_browser *b)
{
	pthread_mutex_lock(&b->live->lock);
	if (sonde_profile_decay(b->live->profile, 0) < 0)
		b->grid.failed = -SONDE_NOMEM;
	pthread_mutex_unlock(&b->live->lock);
	grid_make(&b->grid);
	grid_tell(&b->grid, "all samples are forgotten");
}

static void pause_samples(struct top_browser *b)
{
	pthread_mutex_lock(&b->live->lock);
	b->live->paused = !b->live->paused;
	pthread_mutex_unlock(&b->live->lock);
}

static void obey(struct top_browser *b, int key)
{
	size_t event = b->grid.event;

	if (grid_obey(&b->grid, key)) {
		if (event != b->grid.event)
			make_heading(b, now_ns());
		return;
	}
	switch (key) {
	case ' ': pause_samples(b); break;
	case 'K': hide(b, &b->live->hide_kernel, &b->live->hide_user); break;
	case 'U': hide(b, &b->live->hide_user, &b->live->hide_kernel); break;
	case 'z': forget_samples(b); break;
	}
}

/* The recording has ended by itself; the rows stay until a key ends the view. */
static void take_end(struct top_browser *b)
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
	top_live_stop(b->live);
	b->stopped = true;
	if (b->live->status < 0)
		b->grid.quit = true;
	else
		refresh_rows(b);
}

static void browse(struct top_browser *b)
{
	while (!b->grid.quit && b->grid.failed == 0 && !stop_caught()) {
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

int top_browse(struct top_live *l)
{
	struct top_browser b = { .live = l, .shown_ns = now_ns(),
			     .grid = { .profile = l->profile, .lock = &l->lock, .wake_fd = l->wake_fd,
					.keys = KEYS_TOP, .title = "sonde top: keys", .trees = top_words.graph.on,
					.code = top_words.code, .by = top_words.by } };

	if (!screen_begin())
		return -1;
	pthread_mutex_lock(&l->lock);
	b.grid.report = view_opts(l);
	pthread_mutex_unlock(&l->lock);
	/* the grid has the number of the event; periods fade, numbers of samples are rounded down */
	b.grid.opts = (struct sonde_export_opts){ .sz = sizeof(b.grid.opts), .dsos = selected.dsos.at,
						  .nr_dsos = selected.dsos.n, .weight = SONDE_WEIGHT_PERIOD };
	b.grid.report.group = true;
	b.grid.report.group_all = record_words.opts.group_all;
	b.grid.report.children = top_words.children;  /* stacks may come later */
	b.grid.heading = b.heading;
	b.grid.state = b.state;
	grid_begin(&b.grid);
	b.due_ns = b.shown_ns + (top_words.delay_ms < 500 ? top_words.delay_ms : 500) * 1000000;
	browse(&b);
	screen_end();
	grid_free(&b.grid);
	return b.grid.failed < 0 ? say_out_of_memory() : 0;
}

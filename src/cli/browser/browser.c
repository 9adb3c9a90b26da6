/* SPDX-License-Identifier: MIT */
#include "cli/browser/browser.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/memory.h"
#include "cli/rows/grid_draw.h"
#include "cli/rows/grid_keys.h"
#include "cli/screen/screen.h"
#include "cli/screen/stop.h"
#include "cli/screen/text.h"

struct browser {
	struct grid grid;
	const struct browser_source *source;
};

static const struct browser *reading;  /* while samples are gathered */

static void show_progress(void *ctx, double share)
{
	static int shown = -1;
	char text[64];

	(void)ctx;
	if (share >= 1 || (int)(100 * share) == shown)
		return;
	shown = (int)(100 * share);
	snprintf(text, sizeof(text), "reading: %d%%; Esc stops", shown);
	screen_line(screen_rows() - 1, SCREEN_WARNING, text);
	screen_show();
	if (screen_escaped(reading->grid.wake_fd) || stop_caught())
		reading->source->stop(reading->source->ctx);
}

static int gather(struct grid *t, uint32_t by, const char *time)
{
	const struct browser_source *source = ((struct browser *)t->ctx)->source;
	struct sonde_profile *p;

	reading = t->ctx;
	open_options_progress(show_progress);
	p = source->gather(source->ctx, by, time, t->notice, sizeof(t->notice));
	open_options_progress(NULL);
	if (!p)
		return -SONDE_USAGE;
	rows_clear(&t->rows);        /* its reports are those of the profile before */
	t->profile = p;
	t->by = by;
	return 0;
}

/* "Samples: 4000 of event 'cycles', event count 1234567"; of a group the sums, "of events 'cycles, faults'" */
static void put_heading(const struct grid *t, char *text, size_t size)
{
	size_t n = grid_group_size(t, t->event), shown = 0;
	uint64_t samples = 0, period = 0;
	char names[256] = "";

	for (size_t i = 0; i < n; i++) {
		const struct sonde_profile_event *e = sonde_profile_event_at(t->profile, t->event + i);
		size_t at = strlen(names);

		if (!e || (!e->samples && n > 1))
			continue;
		samples += e->samples;
		period += e->period;
		snprintf(names + at, sizeof(names) - at, "%s%s", shown++ ? ", " : "", e->name);
	}
	if (!grid_event(t))
		snprintf(text, size, "no event");
	else if (screen_columns() >= 60)
		snprintf(text, size, "Samples: %" PRIu64 " of event%s '%s', event count (approx.): %" PRIu64, samples,
			 shown > 1 ? "s" : "", names, period);
	else
		snprintf(text, size, "%" PRIu64 " of %s", samples, names);
}

static void show_recording(struct browser *b)
{
	char *text = b->source->describe(b->source->ctx);

	if (text)
		text_show("The recording, and what it has lost", text, b->grid.wake_fd);
	else
		b->grid.failed = -SONDE_NOMEM;
	free(text);
}

static void browse(struct browser *b)
{
	struct grid *t = &b->grid;
	char heading[512];
	int key;

	t->heading = heading;
	t->state = "";
	while (!t->quit && t->failed == 0 && !stop_caught()) {
		put_heading(t, heading, sizeof(heading));
		grid_draw(t);
		key = screen_key(-1, t->wake_fd);
		if (key != SCREEN_NO_KEY && !grid_obey(t, key) && key == 'i')
			show_recording(b);
	}
}

/* The event of --event, else the first one with samples. */
static size_t first_event(const struct sonde_profile *p, const char *name)
{
	const struct sonde_profile_event *e;

	for (size_t i = 0; (e = sonde_profile_event_at(p, i)); i++)
		if (name ? !strcmp(e->name, name) : e->samples > 0)
			return i;
	return 0;
}

int browser_run(const struct browser_source *source, struct sonde_profile *p, const struct sonde_export_opts *opts,
		uint32_t by)
{
	struct browser b = { .source = source,
			     .grid = { .profile = p, .keys = KEYS_REPORT, .title = "sonde report: keys", .opts = *opts,
					.report = *opts->report,
					.trees = source->trees, .code = source->code, .by = by, .gather = gather,
					.empty = "  no samples", .event = first_event(p, opts->event),
					.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) } };

	b.grid.ctx = &b;
	if (b.grid.wake_fd < 0) {
		say("cannot make an eventfd: %s", strerror(errno));
		return 1;
	}
	if (!screen_begin()) {
		close(b.grid.wake_fd);
		return -1;
	}
	stop_catch_signals(b.grid.wake_fd);
	grid_begin(&b.grid);
	grid_make(&b.grid);
	browse(&b);
	screen_end();
	grid_free(&b.grid);
	close(b.grid.wake_fd);
	return b.grid.failed < 0 ? say_out_of_memory() : 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/base/read_progress.h"

#include <stdio.h>
#include <time.h>

#include "cli/base/memory.h"
#include "cli/base/terminal.h"

#define PATIENCE_MS 500          /* shorter readings show no line */
#define INTERVAL_MS 100

static int64_t next_ms;          /* time of the next line */
static bool shown;
static int terminal;
bool read_progress_quiet;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Threads read in turn, so the callback is never called twice at once. */
static void show(void *ctx, double share)
{
	int64_t now = now_ms();

	(void)ctx;
	if (share >= 1) {
		if (shown)
			dprintf(terminal, "\r\033[K");
		shown = false;
	} else if (now >= next_ms) {
		dprintf(terminal, "\rreading: %d%%\033[K", (int)(100 * share));
		shown = true;
		next_ms = now + INTERVAL_MS;
	}
}

void read_progress_begin(bool prints_at_once)
{
	terminal = terminal_line();
	if (read_progress_quiet || terminal < 0 || (prints_at_once && terminal_has_output()))
		return;
	next_ms = now_ms() + PATIENCE_MS;
	open_options_progress(show);
}

void read_progress_off(void)
{
	open_options_progress(NULL);
}

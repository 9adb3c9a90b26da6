/* SPDX-License-Identifier: MIT */
#include "cli/top/text.h"

#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/terminal.h"
#include "cli/screen/stop.h"
#include "cli/top/options.h"
#include "cli/top/view.h"

#define CLEAR_SCREEN "\033[H\033[2J"
#define RULE "-------------------------------------------------------------------------------"

enum { HEADING_LINES = 5, USUAL_LINES = 25 };

struct top_text {
	struct top_live *live;
	bool terminal;               /* the screen is cleared, and lines that do not fit are left out */
	bool colour;
	size_t lines;                /* that are left on the screen */
	uint64_t shown_ns;           /* the time of the last refresh */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void measure(struct top_text *t)
{
	struct winsize size = { 0 };

	t->lines = USUAL_LINES - HEADING_LINES;
	if (t->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > HEADING_LINES)
		t->lines = size.ws_row - HEADING_LINES;
}

/* Takes the text of the report; of a terminal only the lines that fit. */
static int put_lines(void *ctx, const void *bytes, size_t n)
{
	struct top_text *t = ctx;
	const char *p = bytes;
	size_t used = 0;

	while (used < n && (!t->terminal || t->lines))
		t->lines -= p[used++] == '\n' && t->lines;
	return fwrite(bytes, 1, used, stdout) == used ? 0 : -1;
}

static int put_table(struct top_text *t)
{
	struct top_live *l = t->live;
	struct sonde_report_opts report = view_opts(l);
	const struct sonde_profile_event *e = view_event(l, 0);
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .event = e ? e->name : NULL, .report = &report,
						.dsos = selected.dsos.at, .nr_dsos = selected.dsos.n };
	const struct sonde_output to = { .sz = sizeof(to), .write = put_lines, .ctx = t };
	struct sonde_error err = { .sz = sizeof(err) };
	int r = sonde_profile_settle(l->profile);

	measure(t);
	if (!report.max_rows && !report.graph && !report.hierarchy)
		report.max_rows = (uint32_t)t->lines;
	report.colour = t->colour;
	if (r < 0)
		return say_error(NULL, sonde_profile_error(l->profile));
	if (view_has_samples(l, 0) && sonde_export(l->profile, "report", &to, &opts, &err) < 0)
		return err.code == SONDE_USAGE ? say_usage("%s", err.text) :
		       err.code == SONDE_STOPPED ? 1 : say_error(NULL, &err);
	return view_fade(l) < 0 ? say_out_of_memory() : 0;
}

static int refresh(struct top_text *t)
{
	struct live_counts counts;
	char heading[1024];
	uint64_t now = now_ns();
	int status;

	pthread_mutex_lock(&t->live->lock);
	counts = top_live_take_counts(t->live);
	view_heading(t->live, 0, &counts, (double)(now - t->shown_ns) * 1e-9, heading, sizeof(heading));
	t->shown_ns = now;
	printf("%s\n   PerfTop:%s\n" RULE "\n\n", t->terminal ? CLEAR_SCREEN : "", heading);
	status = put_table(t);
	pthread_mutex_unlock(&t->live->lock);
	return fflush(stdout) != 0 || ferror(stdout) ? 1 : status;
}

static bool has_ended(struct top_live *l)
{
	bool ended;

	pthread_mutex_lock(&l->lock);
	ended = l->ended;
	pthread_mutex_unlock(&l->lock);
	return ended || stop_caught();
}

int text_run(struct top_live *l)
{
	struct top_text t = { .live = l, .terminal = isatty(STDOUT_FILENO) && terminal_line() >= 0,
			  .colour = terminal_has_colour(), .shown_ns = now_ns() };
	struct pollfd wake = { .fd = l->wake_fd, .events = POLLIN };
	uint64_t n = 0;
	int status = 0;

	while (status == 0 && !has_ended(l) && (!top_words.iterations || n < top_words.iterations)) {
		if (poll(&wake, 1, (int)top_words.delay_ms) > 0)
			break;
		n++;
		status = refresh(&t);
	}
	if (status == 0 && !stop_caught() && has_ended(l)) {  /* the last samples */
		top_live_stop(l);
		status = refresh(&t);
	}
	return stop_caught() ? 0 : status;   /* a table may have been cut short */
}

/* SPDX-License-Identifier: MIT */
#include "cli/base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool wanted, beside_command, shown, begun;
static struct timespec start;

void progress_begin(bool quiet, bool command)
{
	wanted = !quiet && isatty(STDERR_FILENO);
	beside_command = command;
}

static void show_line(uint64_t bytes)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(stderr, "\rrecording for %lld s, %.1f MB; Ctrl-C ends   ", (long long)(now.tv_sec - start.tv_sec),
		(double)bytes / 1048576);
	shown = true;
}

void progress_show(void *ctx, uint64_t bytes)
{
	(void)ctx;
	if (!wanted)
		return;
	if (!begun) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		fputs(beside_command ? "recording; Ctrl-C ends\n" : "recording; Ctrl-C ends", stderr);
		shown = !beside_command;
		begun = true;
	} else if (!beside_command) {
		show_line(bytes);
	}
}

void progress_clear(void)
{
	if (shown)
		fprintf(stderr, "\r%60s\r", "");
	shown = false;
}

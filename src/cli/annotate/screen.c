/* SPDX-License-Identifier: MIT */
#include "cli/annotate/screen.h"

#ifndef HAVE_NCURSES

int annotate_screen(struct sonde_profile *p, const struct sonde_annotate_opts *opts)
{
	(void)p;
	(void)opts;
	return -1;
}

#else

#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/code/code_view.h"
#include "cli/screen/screen.h"
#include "cli/screen/stop.h"

int annotate_screen(struct sonde_profile *p, const struct sonde_annotate_opts *opts)
{
	const struct code_source source = { .profile = p, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
					    .title = "sonde annotate: keys" };
	char why[512];
	int r;

	if (source.wake_fd < 0)
		return -1;
	if (!screen_begin()) {
		close(source.wake_fd);
		return -1;
	}
	stop_catch_signals(source.wake_fd);
	r = code_show(&source, opts, why, sizeof(why));
	screen_end();
	close(source.wake_fd);
	if (r == -SONDE_NOMEM)
		return say_out_of_memory();
	return r < 0 ? -1 : 0;
}

#endif

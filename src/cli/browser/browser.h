/* SPDX-License-Identifier: MIT */
/* browser.h - `sonde report` on a terminal: rows that open, filters, other keys and events, until the user quits */
#ifndef CLI_BROWSER_BROWSER_H
#define CLI_BROWSER_BROWSER_H

#include <sonde/annotate.h>
#include <sonde/export.h>

/* Where the profile comes from. */
struct browser_source {
	void *ctx;
	/*
	 * Gathers the samples of a range of time anew (NULL: those of the command line), and keeps these values. The
	 * profile lives until the next call; NULL: the one before goes on, and @why is the reason.
	 */
	struct sonde_profile *(*gather)(void *ctx, uint32_t by, const char *time, char *why, size_t size);
	/* Ends gather(), which then gives NULL. */
	void (*stop)(void *ctx);
	/* The recording and its losses as text, to be freed by the caller; NULL when out of memory. */
	char *(*describe)(void *ctx);
	bool trees;                  /* show call trees, if there are stacks */
	struct sonde_annotate_opts code;     /* how the code of a function is shown */
};

/*
 * Shows the report of @p, which keeps the values @by. Returns the exit status; -1 if the terminal is not known, and
 * nothing was shown.
 */
int browser_run(const struct browser_source *source, struct sonde_profile *p, const struct sonde_export_opts *opts,
		uint32_t by);

#endif

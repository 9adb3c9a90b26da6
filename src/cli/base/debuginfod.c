/* SPDX-License-Identifier: MIT */
/* debuginfod.c - whether servers are asked for symbols, and the outcome */
#include "cli/base/debuginfod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/common_options.h"

#define VARIABLE "DEBUGINFOD_URLS"

static const char *files(size_t n)
{
	return n == 1 ? "file" : "files";
}

static bool of_several(void)
{
	const char *urls = getenv(VARIABLE), *first = urls + strspn(urls, " "), *end = first + strcspn(first, " ");

	return end[strspn(end, " ")];
}

static void say_outcome(const struct sonde_fetches *f)
{
	if (f->late)
		say("debuginfod: %zu %s came too late for this output: the next run has the names", f->late,
		    files(f->late));
	if (f->unanswered)
		say("debuginfod: %s%s did not answer in time for %zu %s", of_several() ? "one or more of " : "",
		    getenv(VARIABLE), f->unanswered, files(f->unanswered));
	if (f->unreachable)
		say("debuginfod: %s%s could not be asked for %zu %s: %s", of_several() ? "the servers " : "",
		    getenv(VARIABLE), f->unreachable, files(f->unreachable), strerror(f->unreachable_errno));
	if (f->refused)
		say("debuginfod: the server sent another build of %zu %s, which is not used", f->refused,
		    files(f->refused));
	if (f->absent)
		say("debuginfod: no server has %zu %s", f->absent, files(f->absent));
}

static int tell(void *ctx, const struct sonde_fetches *f)
{
	(void)ctx;
	fflush(stdout);
	if (f->pending)
		say("debuginfod: %zu %s did not come before the output was made: waiting for %s, 30 seconds at most",
		    f->pending, files(f->pending), f->pending == 1 ? "it" : "them");
	else
		say_outcome(f);
	return 0;
}

static void use(bool yes)
{
	symbol_options.debuginfod = yes;
	symbol_options.debuginfod_kernel = false;
	symbol_options.fetched = tell;
}

int debuginfod_use(const char *urls)
{
	const char *usual;

	/* libdebuginfod knows servers by this variable only */
	if (urls && setenv(VARIABLE, urls, 1) < 0) {
		say_out_of_memory();
		return -SONDE_NOMEM;
	}
	usual = getenv(VARIABLE);
	if (!usual || !usual[0]) {
		say_usage("no server is named: --debuginfod=URLS, or " VARIABLE " in the environment");
		return -SONDE_USAGE;
	}
	use(true);
	symbol_options.debuginfod_kernel = true;  /* the variable alone is set on whole systems */
	return 0;
}

int debuginfod_use_not(const char *arg)
{
	(void)arg;
	use(false);
	return 0;
}

void debuginfod_begin(void)
{
	const char *usual = getenv(VARIABLE);

	use(usual && usual[0]);
}

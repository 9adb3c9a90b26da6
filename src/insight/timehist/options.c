/* SPDX-License-Identifier: MIT */
#include "insight/timehist/options.h"

#include <stdlib.h>

#include "base/err.h"

const struct sonde_analysis_option timehist_options[] = {
	{ "wakeups", 'w', NULL, "print wakeups, too: who wakes whom" },
	{ "migrations", 'M', NULL, "print migrations to other CPUs, too" },
	{ "next", 'n', NULL, "text: print the task that comes to the CPU" },
	{ "cpu-visual", 'V', NULL,
	  "text: print a column for each CPU: s for a switch, i where the idle task leaves, m for a migration" },
	{ "state", 0, NULL,
	  "text: print the state in which a task leaves; in a summary the wait times, too" },
	{ "show-prio", 0, NULL, "text: print the priority; 120->79 if it changed during the run" },
	{ "prio", 0, "LIST", "only tasks of these priorities: 0-99,120,-1" },
	{ "pre-migrations", 'P', NULL, "text: print how long a task waited until it migrated to its CPU" },
	{ "call-graph", 'g', NULL, "print the stack with which a task leaves, the innermost function first" },
	{ "max-stack", 0, "N", "print at most N functions of a stack (default: 5)" },
	{ "idle-hist", 'I', NULL, "print only the idle CPUs; in a summary, which tasks left them idle" },
	{ "summary", 's', NULL, "print only sums of each task",
	  .excludes = NAMES("wakeups", "migrations", "next", "with-summary") },
	{ "with-summary", 'S', NULL, "print sums of each task after the lines" },
	{ 0 },
};

/* Steps over "N" or "N-M" of priorities. */
static bool take_prios(const char **text, bool *prios)
{
	char *end;
	long first = strtol(*text, &end, 10), last = first;

	if (end == *text)
		return false;
	*text = end;
	if (*end == '-') {
		last = strtol(end + 1, &end, 10);
		if (end == *text + 1)
			return false;
		*text = end;
	}
	if (first < PRIO_LOWEST || last > PRIO_HIGHEST || first > last)
		return false;
	for (long prio = first; prio <= last; prio++)
		prios[prio - PRIO_LOWEST] = true;
	return true;
}

static int set_prios(struct timehist *h, const char *text, struct sonde_error *err)
{
	const char *p = text;

	h->opts.some_prios = true;
	while (take_prios(&p, h->opts.prios)) {
		if (!*p)
			return 0;
		if (*p++ != ',')
			break;
	}
	return err_set(err, SONDE_USAGE, SONDE_NONE, "prio takes priorities from -1 to 139 as 0-99,120, not '%s'",
		       text);
}

static int set_max_stack(struct timehist *h, const char *text, struct sonde_error *err)
{
	char *end;
	const long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > MAX_STACK_MOST)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "max-stack takes a number from 1 to %d, not '%s'",
			       MAX_STACK_MOST, text);
	h->opts.max_stack = (uint32_t)n;
	return 0;
}

int timehist_set(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err)
{
	struct timehist *h = state;
	/* in the order of `timehist_options` */
	bool *const flags[] = { &h->opts.wakeups, &h->opts.migrations, &h->opts.next, &h->opts.cpu_visual,
				&h->opts.state, &h->opts.show_prio, NULL, &h->opts.pre_migrations,
				&h->opts.stacks, NULL, &h->opts.idle, &h->opts.summary, &h->opts.with_summary };

	if (option->arg)
		return *option->name == 'p' ? set_prios(h, value, err) : set_max_stack(h, value, err);
	*flags[option - timehist_options] = true;
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/base/itrace.h"

#include <sonde/meta.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1024 };         /* of perf's call chains and branch stacks */

static bool wanted;

/* "100us" after i and y: a number and its unit may be missing. NULL: it is none of both. */
static const char *take_period(const char *p)
{
	static const char *const units[] = { "ms", "us", "ns", "i", "t" };
	size_t digits;

	p += strspn(p, " ");
	digits = strspn(p, "0123456789");
	p += digits;
	if (!digits || !*p || *p == ',')
		return p;
	p += strspn(p, " ");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strncmp(p, units[i], strlen(units[i])) == 0)
			return p + strlen(units[i]);
	return NULL;
}

/* "16" after g and l, which may be missing. NULL: perf has no such call chain. */
static const char *take_frames(const char *p)
{
	size_t digits;
	unsigned long n;

	p += strspn(p, " ");
	digits = strspn(p, "0123456789");
	n = strtoul(p, NULL, 10);
	return !digits || (n > 0 && n <= MOST_FRAMES) ? p + digits : NULL;
}

/* "-o" and "+e" after e and d: flags that are taken away or added. */
static const char *take_flags(const char *p)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	while (*p == '-' || *p == '+') {
		size_t n = strspn(p + 1, letters);

		if (!n)
			return NULL;
		p += 1 + n;
	}
	return p;
}

/* The text behind the next letter and what belongs to it. NULL: perf does not know it. */
static const char *take_letter(const char *p)
{
	char letter = *p++;

	if (strchr("iy", letter))
		return take_period(p);
	if (strchr("gGlL", letter))
		return take_frames(p);
	if (strchr("ed", letter))
		return take_flags(p);
	if (letter == 's')
		return strspn(p, "0123456789") ? p + strspn(p, "0123456789") : NULL;
	return strchr("bcrxwpoIfmMtaqAZT ,", letter) ? p : NULL;
}

int itrace_choose(const char *arg)
{
	for (const char *p = arg ? arg : ""; *p;) {
		p = take_letter(p);
		if (!p) {
			say_usage("--itrace takes perf's letters, as i100us, cr or e-o, not '%s'", arg);
			return -SONDE_USAGE;
		}
	}
	wanted = true;
	return 0;
}

int itrace_choose_not(const char *arg)
{
	(void)arg;
	wanted = false;
	return 0;
}

void itrace_say_not_decoded(const struct sonde_trace *t)
{
	if (wanted && sonde_trace_auxtrace_index_count(t) > 0)
		warn("%s: its hardware trace is not decoded: --itrace has no effect", sonde_trace_info(t)->path);
}

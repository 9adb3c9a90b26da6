/* SPDX-License-Identifier: MIT */
/*
 * plain_locale.h - text as in the locale "C", whatever locale the program has set
 *
 * Other programs read the numbers that the library writes, and wrote those that it reads: a decimal comma would change
 * their value.
 */
#ifndef BASE_PLAIN_LOCALE_H
#define BASE_PLAIN_LOCALE_H

#include <locale.h>

struct plain_locale {
	locale_t plain, before;
};

/* For this thread, up to plain_locale_end(): printf, strtod and strftime. Costs no memory: the locale
 * "C" is there always. */
static inline struct plain_locale plain_locale_begin(void)
{
	struct plain_locale p = { .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0) };

	p.before = uselocale(p.plain);
	return p;
}

static inline void plain_locale_end(struct plain_locale p)
{
	uselocale(p.before);
	if (p.plain)
		freelocale(p.plain);
}

#endif

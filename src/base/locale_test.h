/* SPDX-License-Identifier: MIT */
/* locale_test.h - for tests: what the library does in a program that has set a locale */
#ifndef BASE_LOCALE_TEST_H
#define BASE_LOCALE_TEST_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets one in which numbers have a comma and bytes above 127 are letters; false if none can be made
 * here. To be undone. */
static inline bool test_locale_set(void)
{
	char dir[] = "/tmp/sonde-test.XXXXXX", command[128];
	bool set;

	if (!mkdtemp(dir))
		return false;
	snprintf(command, sizeof(command), "localedef -f ISO-8859-1 -i de_DE %s/de_DE >%s/log 2>&1", dir, dir);
	set = system(command) >= 0 && setenv("LOCPATH", dir, 1) == 0 && setlocale(LC_ALL, "de_DE") &&
	      strcmp(localeconv()->decimal_point, ",") == 0;
	unsetenv("LOCPATH");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command) != 0)
		fprintf(stderr, "%s: left behind\n", dir);
	if (!set)
		fprintf(stderr, "without localedef and the sources of de_DE: nothing to test\n");
	return set;
}

static inline void test_locale_reset(void)
{
	setlocale(LC_ALL, "C");
}

#endif

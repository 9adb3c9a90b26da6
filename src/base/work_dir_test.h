/* SPDX-License-Identifier: MIT */
/* work_dir_test.h - for tests: a directory of their own, in which compilers and other commands make files */
#ifndef BASE_WORK_DIR_TEST_H
#define BASE_WORK_DIR_TEST_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* mkdtemp() makes it. */
static char dir[] = "/tmp/sonde-test-XXXXXX";

/* Runs a line of shell there, and returns its exit status as wait() has it. */
static int __attribute__((format(printf, 1, 2))) run(const char *fmt, ...)
{
	char command[2048];
	int at = snprintf(command, sizeof(command), "cd %s && ", dir);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command + at, sizeof(command) - (size_t)at, fmt, ap);
	va_end(ap);
	return system(command);
}

#endif

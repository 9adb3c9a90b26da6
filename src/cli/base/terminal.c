/* SPDX-License-Identifier: MIT */
#include "cli/base/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST_ROWS = 5, LEAST_COLUMNS = 20 };

static pid_t pager = -1;
static bool paged;
static int errors = STDERR_FILENO;   /* destination of messages without the pager */

static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || strcmp(term, "dumb") == 0;
}

static bool is_program(const char *dir, size_t dir_len, const char *name, size_t name_len)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%.*s%s%.*s", (int)dir_len, dir, dir_len ? "/" : "", (int)name_len, name);

	return n > 0 && (size_t)n < sizeof(path) && access(path, X_OK) == 0;
}

/* Whether the first word of a command line is a program that can be run. */
static bool can_run(const char *command)
{
	const char *path = getenv("PATH");
	size_t len = strcspn(command, " \t");

	if (memchr(command, '/', len))
		return is_program("", 0, command, len);
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		if (is_program(path, n, command, len))
			return true;
	}
	return false;
}

static const char *find_pager(void)
{
	const char *command = getenv("SONDE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 && can_run(command) ? command : NULL;
}

static void wait_for_pager(void)
{
	while (pager > 0 && waitpid(pager, NULL, 0) < 0)
		;
	pager = -1;
}

/* Leaves the terminal to the pager until the reader quits it; then the shell prints its prompt. */
static void on_signal(int sig)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	if (pager > 0)
		waitpid(pager, NULL, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void run_pager(const char *command, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "FRSX", 0);   /* as perf: leave if it fits one screen, show colours, do not wrap */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void terminal_begin(enum pager_use use, bool prints_a_lot)
{
	const char *command;
	int ends[2];

	if (use == PAGER_NEVER || (use == PAGER_AUTO && !prints_a_lot) || is_dumb() || !isatty(STDOUT_FILENO))
		return;
	command = find_pager();
	if (!command || pipe(ends) < 0)
		return;
	pager = fork();
	if (pager == 0)
		run_pager(command, ends);
	if (pager > 0) {
		paged = true;
		if (isatty(STDERR_FILENO)) {
			errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
			dup2(ends[1], STDERR_FILENO);
		}
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
	}
	close(ends[0]);
	close(ends[1]);
}

void terminal_end(void)
{
	if (pager <= 0)
		return;
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	wait_for_pager();
}

bool terminal_has_output(void)
{
	return paged || isatty(STDOUT_FILENO);
}

int terminal_line(void)
{
	return errors >= 0 && !is_dumb() && isatty(errors) ? errors : -1;
}

bool terminal_has_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !(no && *no) && !is_dumb() && terminal_has_output();
}

const char *terminal_lacks_screen(void)
{
#ifndef HAVE_NCURSES
	return "this sonde was built without ncurses";
#else
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || terminal_line() < 0)
		return "standard input, output and error have to be a terminal that is not dumb";
	return NULL;
#endif
}

bool terminal_is_large(void)
{
	struct winsize size = { 0 };

	/* 0: the size is not known, and ncurses assumes one */
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0 ||
	       (size.ws_row >= LEAST_ROWS && size.ws_col >= LEAST_COLUMNS);
}

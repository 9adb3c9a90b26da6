/* SPDX-License-Identifier: MIT */
#include "cli/base/ending.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void (*wanted)(int sig);

static void on_pipe(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_pid != getpid())
		wanted(sig);
}

void ending_catch(void (*on_signal)(int sig), bool ignores_pipe)
{
	/*
	 * A shell without job control makes background commands ignore SIGINT and SIGQUIT, but scripts still end
	 * commands with them.
	 */
	static const int always[] = { SIGINT, SIGTERM, SIGQUIT, SIGPIPE };
	struct sigaction sa = { .sa_handler = on_signal }, old;

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		sigaction(always[i], &sa, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
	if (ignores_pipe) {
		wanted = on_signal;
		sa = (struct sigaction){ .sa_sigaction = on_pipe, .sa_flags = SA_SIGINFO | SA_RESTART };
		sigaction(SIGPIPE, &sa, NULL);
	}
}

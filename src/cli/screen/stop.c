/* SPDX-License-Identifier: MIT */
#include "cli/screen/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "cli/base/ending.h"

static atomic_int caught;           /* the thread that gathers looks at it, too */
static int wake_fd = -1;

static void on_signal(int sig)
{
	const uint64_t one = 1;
	int old = errno;
	ssize_t n;

	caught = sig;
	n = write(wake_fd, &one, sizeof(one));
	(void)n;                     /* the counter is full: it is awake already */
	errno = old;
}

void stop_catch_signals(int fd)
{
	wake_fd = fd;
	ending_catch(on_signal, false);
}

void stop_now(void)
{
	on_signal(SIGHUP);
}

int stop_caught(void)
{
	return caught;
}

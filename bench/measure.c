/* SPDX-License-Identifier: MIT */
/*
 * measure.c - the times and the peak memory of a command that a small program starts
 *
 * `measure SECONDS COMMAND...` runs the command with its input and output at /dev/null and ends it after SECONDS.
 * Prints its wall, user and system seconds, its peak resident bytes and its exit status, 128 and more after a signal.
 *
 * Linux counts the memory of a process before its execve as well: the peak of a command that an interpreter of 14 MB
 * starts is at least 14 MB.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* The command and the processes that it started: they are a group. */
static void end_child(int signal)
{
	(void)signal;
	kill(-child, SIGKILL);
}

static void run_child(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || setpgid(0, 0) < 0)
		_exit(127);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned limit = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct rusage usage;
	double began;
	int status;

	if (limit == 0) {
		fprintf(stderr, "usage: measure SECONDS COMMAND...\n");
		return 2;
	}
	began = seconds_now();
	child = fork();
	if (child == 0)
		run_child(argv + 2);
	if (child < 0) {
		fprintf(stderr, "measure: fork: %s\n", strerror(errno));
		return 1;
	}
	signal(SIGALRM, end_child);
	alarm(limit);
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 1;
	alarm(0);
	printf("%.6f %.6f %.6f %ld %d\n", seconds_now() - began, seconds_of(usage.ru_utime), seconds_of(usage.ru_stime),
	       usage.ru_maxrss * 1024L, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

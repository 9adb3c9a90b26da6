/* SPDX-License-Identifier: MIT */
/*
 * contend.c - tasks that contend for the CPUs, for record_losses.py
 *
 * `contend [GROUPS [LOOPS]]`: in each group 20 tasks send messages of 100 bytes to 20 others over socket pairs, LOOPS
 * messages from each to each. 10 groups are 400 tasks. Prints the seconds from the first message to the last, and the
 * seconds of CPU time of all tasks.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TASKS         20
#define MESSAGE_BYTES 100
#define GROUPS        10
#define LOOPS         200

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The CPU time of all tasks that have ended. */
static double cpu_seconds(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u) < 0)
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* The start signal is the end of a pipe that the parent closes. */
static void wait_for_start(int start)
{
	char c;

	if (read(start, &c, 1) < 0)
		_exit(1);
}

static void send_all(const int to[TASKS], long loops)
{
	static const char message[MESSAGE_BYTES];

	for (long i = 0; i < loops; i++)
		for (int k = 0; k < TASKS; k++)
			if (write(to[k], message, sizeof(message)) != (ssize_t)sizeof(message))
				_exit(1);
	_exit(0);
}

static void receive_all(int from, long loops)
{
	char message[MESSAGE_BYTES];

	for (long left = loops * TASKS * MESSAGE_BYTES; left > 0;) {
		ssize_t n = read(from, message, sizeof(message));

		if (n <= 0)
			_exit(1);
		left -= n;
	}
	_exit(0);
}

static void start_group(const int start[2], long loops)
{
	int to[TASKS];

	for (int i = 0; i < TASKS; i++) {
		int pair[2];
		pid_t pid;

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
			abort();
		pid = fork();
		if (pid < 0)
			abort();
		if (pid == 0) {
			close(start[1]);
			wait_for_start(start[0]);
			receive_all(pair[0], loops);
		}
		close(pair[0]);
		to[i] = pair[1];
	}
	for (int i = 0; i < TASKS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			abort();
		if (pid == 0) {
			close(start[1]);
			wait_for_start(start[0]);
			send_all(to, loops);
		}
	}
	for (int i = 0; i < TASKS; i++)
		close(to[i]);
}

int main(int argc, char **argv)
{
	long groups = argc > 1 ? strtol(argv[1], NULL, 10) : GROUPS;
	long loops = argc > 2 ? strtol(argv[2], NULL, 10) : LOOPS;
	int start[2], status, failed = 0;
	double began;

	if (groups < 1 || loops < 1 || pipe(start) < 0)
		return 2;
	for (long i = 0; i < groups; i++)
		start_group(start, loops);
	close(start[0]);
	began = seconds_now();
	close(start[1]);
	while (wait(&status) > 0)
		failed |= status;
	printf("%.3f %.3f\n", seconds_now() - began, cpu_seconds());
	return failed ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * calls.c - a tight loop of system calls, for record_speed.py
 *
 * `calls [CALLS]`: so many getppid(2), or as many as there is time for. Prints the monotonic time of its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long calls = argc > 1 ? strtol(argv[1], NULL, 10) : -1;
	struct timespec t;

	for (long i = 0; i != calls; i++)
		syscall(SYS_getppid);
	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%lld.%09ld\n", (long long)t.tv_sec, t.tv_nsec);
	return 0;
}

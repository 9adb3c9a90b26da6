/* SPDX-License-Identifier: MIT */
/*
 * off_cpu_workload.c - sleeps in two functions, and prints how long each slept in all, in ns
 *
 *	sleep_long 600123456
 *	sleep_often 102345678
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* syscall(2) has no frame of its own, so the walk by frame pointers leaves out this function, which called it. */
static NOINLINE uint64_t nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	uint64_t from = now_ns();

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
	return now_ns() - from;
}

static NOINLINE uint64_t sleep_long(void)
{
	uint64_t ns = 0;

	ns += nap(600);
	__asm__ volatile("" : "+r"(ns));     /* no call in the place of a return */
	return ns;
}

static NOINLINE uint64_t sleep_often(void)
{
	uint64_t ns = 0;

	for (int i = 0; i < 10; i++)
		ns += nap(10);
	__asm__ volatile("" : "+r"(ns));
	return ns;
}

int main(void)
{
	nap(1);                      /* pages and symbols of the functions are there before they are measured */
	printf("sleep_long %" PRIu64 "\n", sleep_long());
	printf("sleep_often %" PRIu64 "\n", sleep_often());
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * perf_workload.c - what perf's shell tests run by `perf test -w NAME`, with the names of functions that they look for
 *
 * Distributions strip perf, and then its tests skip themselves for want of these symbols. As `perf test -vv -F Symbols`
 * it lists the names, which is what the tests ask first.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define STEPS 100000

void noploop(double seconds);
void *test_loop(void *seconds);
void brstack(long count);
long brstack_leaf(long i);

static volatile long steps;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

NOINLINE void noploop(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		for (int i = 0; i < STEPS; i++)
			steps = i;
}

NOINLINE void *test_loop(void *seconds)
{
	double end = now() + *(double *)seconds;

	while (now() < end)
		for (int i = 0; i < STEPS; i++)
			steps = i;
	return NULL;
}

NOINLINE long brstack_leaf(long i)
{
	for (int n = 0; n < 10; n++)
		steps = i + n;
	return steps + i;
}

NOINLINE void brstack(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += brstack_leaf(i);
	steps = sum;
}

/* test_loop in threads of its own beside that of main */
static int thloop(double seconds, int nr_threads)
{
	pthread_t *threads = calloc((size_t)nr_threads + 1, sizeof(*threads));
	int started = 0;

	if (!threads)
		return 1;
	while (started < nr_threads && pthread_create(&threads[started], NULL, test_loop, &seconds) == 0)
		started++;
	test_loop(&seconds);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return started < nr_threads;
}

int main(int argc, char **argv)
{
	const char *name = argc > 3 && strcmp(argv[2], "-w") == 0 ? argv[3] : "";
	double seconds = argc > 4 ? atof(argv[4]) : 1;

	if (strcmp(name, "noploop") == 0)
		noploop(seconds);
	else if (strcmp(name, "thloop") == 0)
		return thloop(seconds, argc > 5 ? atoi(argv[5]) : 1);
	else if (strcmp(name, "brstack") == 0)
		brstack(argc > 4 ? atol(argv[4]) : 10000000);
	else if (!*name)
		puts(" noploop\n test_loop\n brstack");
	else
		return 2;
	return 0;
}

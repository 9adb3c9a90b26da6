/* SPDX-License-Identifier: MIT */
/*
 * counter.c - how long a program takes to read its own counter through the library, against the bare sequence
 *
 * Prints `name  value unit  ratio`: the ratio is to the same read without the library. Where the machine has a PMU that
 * user space may read, the page is compared with rdpmc alone; everywhere, read(2) with read(2) alone.
 */
#include <sonde/counter.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { READS = 200000, RUNS = 9 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double by_library(struct sonde_counter *c)
{
	struct sonde_counter_reading now = { .sz = sizeof(now) };
	double start = now_ns();

	for (int i = 0; i < READS; i++)
		if (sonde_counter_read_self(c, 0, &now) < 0)
			abort();
	return (now_ns() - start) / READS;
}

static double by_read(int fd)
{
	double start = now_ns();
	uint64_t words[4];

	for (int i = 0; i < READS; i++)
		if (read(fd, words, sizeof(words)) != sizeof(words))
			abort();
	return (now_ns() - start) / READS;
}

static double by_rdpmc(uint32_t index)
{
	double start = now_ns();

#if defined(__x86_64__)
	for (int i = 0; i < READS; i++) {
		uint32_t low, high;

		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	}
#else
	(void)index;
#endif
	return (now_ns() - start) / READS;
}

static int measure(const char *event)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .user_reads = true, .running = true };
	struct sonde_counter_reading now = { .sz = sizeof(now) };
	struct sonde_counter *c = sonde_counter_new();
	double ours = 1e18, bare = 1e18;

	if (!c || sonde_counter_add_event(c, event) < 0 || sonde_counter_open(c, &opts) < 0 ||
	    sonde_counter_read_self(c, 0, &now) < 0) {
		printf("counter-read-%s  not here: %s\n", event, c ? sonde_counter_error(c)->text : "out of memory");
		sonde_counter_free(c);
		return 0;
	}
	for (int i = 0; i < RUNS; i++) {
		ours = smaller(ours, by_library(c));
		bare = smaller(bare, now.by_page ? by_rdpmc(0) : by_read(sonde_counter_cell_at(c, 0, 0)->fd));
	}
	printf("counter-read-%s  %.1f ns  %.2f (%s: %.1f ns)\n", event, ours, ours / bare,
	       now.by_page ? "rdpmc and rdtsc" : "read(2)", bare);
	sonde_counter_free(c);
	return 0;
}

int main(void)
{
	return measure("instructions:u") | measure("task-clock:u");
}

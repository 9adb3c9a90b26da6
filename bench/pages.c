/* SPDX-License-Identifier: MIT */
/*
 * pages.c - how fast one core decodes the pages of a trace.dat that is in memory: time, event id and task of each
 * event, first by the decoder alone, then as events of an iterator, in both orders
 */
#include <sonde/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracedat/format/page.h"

enum {
	PAGE = 4096, PAGES = 32 << 10, CPUS = 8, RUNS = 5, EVENT_BYTES = 4 + 16,  /* as irq:softirq_entry */
	EVENTS_IN_PAGE = (PAGE - 16) / EVENT_BYTES, DATA_AT = 4 * PAGE,
};

static const double GOAL_EVENTS_PER_S = 40e6;

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char format[] = "name: tick\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"tick\"\n";

static void die(const char *why)
{
	fprintf(stderr, "bench-pages: %s\n", why);
	exit(1);
}

static uint8_t *put(uint8_t *p, const void *from, size_t n)
{
	memcpy(p, from, n);
	return p + n;
}

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
	return put(p, &v, 8);
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
	return put(p, &v, 4);
}

/* Version 6: metadata, then where the pages of each CPU are. */
static void make_metadata(uint8_t *p)
{
	p = put(p, "\x17\x08\x44tracing6", 12);
	*p++ = host_is_big_endian();
	*p++ = 8;
	p = put_u32(p, PAGE);
	p = put(p, "header_page", 12);
	p = put_u64(p, sizeof(header_page) - 1);
	p = put(p, header_page, sizeof(header_page) - 1);
	p = put(p, "header_event", 13);
	p = put_u64(p, 0);
	p = put_u32(p, 0);
	p = put_u32(p, 1);
	p = put(p, "test", 5);
	p = put_u32(p, 1);
	p = put_u64(p, sizeof(format) - 1);
	p = put(p, format, sizeof(format) - 1);
	p = put_u32(p, 0);
	p = put_u32(p, 0);
	p = put_u64(p, 0);
	p = put_u32(p, CPUS);
	p = put(p, "flyrecord", 10);
	for (uint64_t cpu = 0; cpu < CPUS; cpu++) {
		p = put_u64(p, DATA_AT + cpu * (PAGES / CPUS) * PAGE);
		p = put_u64(p, (uint64_t)PAGES / CPUS * PAGE);
	}
}

static void make_page(uint8_t *p, uint64_t time)
{
	static const uint32_t type_len = 4, delta = 800;

	p = put_u64(p, time);
	p = put_u64(p, EVENTS_IN_PAGE * EVENT_BYTES);
	for (int i = 0; i < EVENTS_IN_PAGE; i++) {
		p = put_u32(p, host_is_big_endian() ? type_len << 27 | delta : delta << 5 | type_len);
		p = put(p, &(uint16_t[]){ 7, 0 }, 4);
		p = put_u32(p, 1000);
		p = put_u64(p, 0);
	}
}

static double seconds_of_run(struct sonde_trace *t, enum sonde_order order)
{
	struct sonde_query query = { .sz = sizeof(query), .order = order };
	struct timespec begin, end;
	const struct sonde_event *ev;
	struct sonde_iter *it;
	uint64_t n = 0, last = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	it = sonde_iter_new(t, &query);
	while (sonde_iter_next(it, &ev) > 0) {
		if (ev->pid != 1000 || (order == SONDE_ORDER_TIME && ev->time < last))
			die("an event is wrong");
		last = ev->time;
		n++;
	}
	sonde_iter_free(it);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (n != (uint64_t)PAGES * EVENTS_IN_PAGE)
		die("the events were not all there");
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

static double seconds_of_decoder(const uint8_t *file)
{
	struct page_layout layout = dat_page_layout_default(host_is_big_endian(), 8);
	struct timespec begin, end;
	struct page_event e;
	struct page page;
	uint64_t n = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (size_t i = 0; i < PAGES; i++) {
		uint64_t last = 0;

		if (dat_page_open(&page, &layout, file + DATA_AT + i * PAGE, PAGE, PAGE) < 0)
			die("a page is wrong");
		while (dat_page_next(&page, &e) > 0) {
			if (load_u16(e.data, false) != 7 || load_u32(e.data + 4, false) != 1000 || page.time < last)
				die("an event is wrong");
			last = page.time;
			n++;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (n != (uint64_t)PAGES * EVENTS_IN_PAGE)
		die("the events were not all there");
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, double runs[RUNS])
{
	double best, median;

	qsort(runs, RUNS, sizeof(*runs), by_size);
	best = (double)PAGES * EVENTS_IN_PAGE / runs[0];
	median = (double)PAGES * EVENTS_IN_PAGE / runs[RUNS / 2];
	printf("%-24s %8.1f M events/s  %6.2fx of %.0f M events/s  (median %.1f M events/s)\n", name, best / 1e6,
	       best / GOAL_EVENTS_PER_S, GOAL_EVENTS_PER_S / 1e6, median / 1e6);
}

static void measure(const char *name, struct sonde_trace *t, enum sonde_order order)
{
	double runs[RUNS];

	for (int i = 0; i < RUNS; i++)
		runs[i] = seconds_of_run(t, order);
	print(name, runs);
}

static void measure_decoder(const char *name, const uint8_t *file)
{
	double runs[RUNS];

	for (int i = 0; i < RUNS; i++)
		runs[i] = seconds_of_decoder(file);
	print(name, runs);
}

int main(void)
{
	size_t size = DATA_AT + (size_t)PAGES * PAGE;
	struct sonde_trace *t = sonde_trace_new();
	uint8_t *file = calloc(1, size);

	if (!file || !t)
		die("out of memory");
	make_metadata(file);
	for (uint64_t i = 0; i < PAGES; i++)  /* the pages of the CPUs alternate in time */
		make_page(file + DATA_AT + i * PAGE,
			  1000000 + i % (PAGES / CPUS) * EVENTS_IN_PAGE * 800 + i / (PAGES / CPUS) * 100);
	if (sonde_trace_open_memory(t, file, size, "generated", NULL) < 0)
		die(sonde_trace_error(t)->text);
	measure_decoder("pages-decoder", file);
	measure("pages-file-order", t, SONDE_ORDER_FILE);
	measure("pages-time-order", t, SONDE_ORDER_TIME);
	sonde_trace_free(t);
	free(file);
	return 0;
}

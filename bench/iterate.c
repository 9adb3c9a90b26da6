/* SPDX-License-Identifier: MIT */
/* iterate.c - how fast one core walks the records of a perf.data of 16 CPUs, in memory and in a file in the page cache,
 * in both orders */
#include <sonde/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	DATA_BYTES = 256 << 20, FRAMES = 12, TASKS = 64, CPUS = 16, RUNS = 9,
	ATTR_BYTES = 112, HEADER_BYTES = 104, DATA_AT = HEADER_BYTES + ATTR_BYTES + 16,
	SAMPLE_TYPE = 1 | 2 | 4 | 0x20 | 0x80 | 0x100,  /* ip, tid, time, callchain, cpu, period */
	RECORD_SAMPLE = 9, RECORD_FINISHED_ROUND = 68, ROUND_RECORDS = 20000,
};

static const char *wanted = "";  /* rows with this in their name */
static const double GOAL_GB_PER_S = 2.0, GOAL_M_RECORDS_PER_S = 15;

/* As perf record -g -a writes it: FRAMES frames, one round mark for every ROUND_RECORDS samples of all CPUs. */
struct record {
	uint32_t type;
	uint16_t misc, size;
};
struct sample {
	struct record head;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, cpu_pad;
	uint64_t period, nr, ips[FRAMES];
};

static void put_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void make_header(uint8_t *file, uint64_t data_bytes)
{
	static const uint64_t words[] = { HEADER_BYTES, ATTR_BYTES + 16, HEADER_BYTES, ATTR_BYTES + 16, DATA_AT };
	uint8_t *attr = file + HEADER_BYTES;

	memcpy(file, "PERFILE2", 8);
	memcpy(file + 8, words, sizeof(words));
	put_u64(file + 48, data_bytes);
	memcpy(attr, &(uint32_t[]){ 1, ATTR_BYTES }, 8);  /* a software event, cpu-clock */
	put_u64(attr + 16, 250000);
	put_u64(attr + 24, SAMPLE_TYPE);
}

/* CPUs flush one after the other within a round, so the records of a round are CPUS sorted runs. Returns the
 * samples. */
static uint64_t make_records(uint8_t *data, uint64_t *bytes)
{
	const struct record mark = { .type = RECORD_FINISHED_ROUND, .size = sizeof(mark) };
	struct sample s = { .head = { RECORD_SAMPLE, .misc = 2, .size = sizeof(s) }, .period = 250000, .nr = FRAMES };
	uint64_t n = 0, at = 0;

	while (at + sizeof(s) + sizeof(mark) <= DATA_BYTES) {
		uint64_t in_round = n % ROUND_RECORDS, per_cpu = ROUND_RECORDS / CPUS;

		s.cpu = (uint32_t)(in_round / per_cpu);
		s.time = 1000000000 + (n / ROUND_RECORDS * per_cpu + in_round % per_cpu) * 250000 + s.cpu;
		s.pid = s.tid = 1000 + (uint32_t)(n % TASKS);
		s.ip = 0x400000 + n * 2654435761U % 0x100000;
		for (int i = 0; i < FRAMES; i++)
			s.ips[i] = s.ip + (uint64_t)i * 0x1000;
		memcpy(data + at, &s, sizeof(s));
		at += sizeof(s);
		if (++n % ROUND_RECORDS == 0) {
			memcpy(data + at, &mark, sizeof(mark));
			at += sizeof(mark);
		}
	}
	*bytes = at;
	return n;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "iterate: %s\n", what);
	exit(1);
}

/* One pass over all records; how long it took on the wall, and of a processor. */
static void walk(struct sonde_trace *t, enum sonde_order order, uint64_t samples, uint64_t *wall, uint64_t *cpu)
{
	struct sonde_query query = { .sz = sizeof(query), .order = order };
	uint64_t began = now_ns(CLOCK_MONOTONIC), began_cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), n = 0, last = 0;
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;

	while (it && sonde_iter_next(it, &ev) > 0) {
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		n++;
		if (order == SONDE_ORDER_TIME && ev->time < last)
			die("events are not in the order of time");
		last = ev->time;
	}
	sonde_iter_free(it);
	if (n != samples)
		die("samples are missing");
	*wall = now_ns(CLOCK_MONOTONIC) - began;
	*cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - began_cpu;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, struct sonde_trace *t, enum sonde_order order, uint64_t bytes, uint64_t samples)
{
	const size_t middle = RUNS / 2;
	uint64_t wall[RUNS], cpu[RUNS];
	double best, rate;

	if (!strstr(name, wanted))
		return;
	for (int i = 0; i < RUNS; i++)
		walk(t, order, samples, &wall[i], &cpu[i]);
	qsort(wall, RUNS, sizeof(wall[0]), by_value);
	qsort(cpu, RUNS, sizeof(cpu[0]), by_value);
	best = (double)bytes / (double)wall[0];
	rate = (double)samples * 1e3 / (double)wall[0];
	printf("%-24s %8.2f GB/s  %6.2fx of %.0f GB/s  (median %.2f GB/s, "
	       "%.1f M records/s: %.2fx of %.0f M, %.1f ns a record, %.1f ns cpu)\n",
	       name, best, best / GOAL_GB_PER_S, GOAL_GB_PER_S, (double)bytes / (double)wall[middle], rate,
	       rate / GOAL_M_RECORDS_PER_S, GOAL_M_RECORDS_PER_S, (double)wall[0] / (double)samples,
	       (double)cpu[0] / (double)samples);
}

/* The same bytes in a file that has no name. */
static struct sonde_trace *open_as_file(const uint8_t *bytes, uint64_t n)
{
	struct sonde_trace *t = sonde_trace_new();
	FILE *f = tmpfile();

	if (!t || !f || fwrite(bytes, 1, n, f) != n || fflush(f) != 0)
		die("cannot write a temporary file");
	if (sonde_trace_open_fd(t, fileno(f), "generated", NULL) < 0)
		die(sonde_trace_error(t)->text);
	fclose(f);
	return t;
}

int main(int argc, char **argv)
{
	uint8_t *file = calloc(1, DATA_AT + DATA_BYTES);
	struct sonde_trace *t = sonde_trace_new();
	uint64_t samples, bytes;

	if (argc > 1)
		wanted = argv[1];
	if (!file || !t)
		die("out of memory");
	samples = make_records(file + DATA_AT, &bytes);
	make_header(file, bytes);
	if (sonde_trace_open_memory(t, file, DATA_AT + bytes, "generated", NULL) < 0)
		die(sonde_trace_error(t)->text);
	measure("iterate-file-order", t, SONDE_ORDER_FILE, bytes, samples);
	measure("iterate-time-order", t, SONDE_ORDER_TIME, bytes, samples);
	sonde_trace_free(t);
	t = open_as_file(file, DATA_AT + bytes);
	measure("iterate-file-order-read", t, SONDE_ORDER_FILE, bytes, samples);
	measure("iterate-time-order-read", t, SONDE_ORDER_TIME, bytes, samples);
	sonde_trace_free(t);
	free(file);
	return 0;
}

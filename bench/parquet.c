/* SPDX-License-Identifier: MIT */
/*
 * parquet.c - how fast one core writes rows to a Parquet file
 *
 * "rows" are five columns: time, CPU, thread, one of 5,000 functions, period. "samples" are rows of the table samples
 * of a data set of profiles (parquet/fleet_tables.h). With a FILE, one file of rows goes there, and their number and
 * sums are printed, for a reader to compare.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "parquet/fleet_tables.h"

enum { ROWS = 3000000, RUNS = 5, FUNCTIONS = 5000, STACKS = 20000, NAME_BYTES = 32 };

static const double GOAL_M_ROWS_PER_S = 5;

enum { TIME_NS, CPU, TID, FUNCTION, PERIOD };

static const struct parquet_column row_columns[] = {
	{ "time_ns", PARQUET_INT64, .delta = true },
	{ "cpu", PARQUET_INT32 },
	{ "tid", PARQUET_INT32 },
	{ "function", PARQUET_STRING },
	{ "period", PARQUET_INT64 },
};

struct sums {
	uint64_t rows, bytes;
	int64_t time, tid, period, function_bytes;
};

static char names[FUNCTIONS][NAME_BYTES];
static size_t name_bytes[FUNCTIONS];

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* The smaller of two: some functions and stacks are hotter than others. */
static size_t skewed(uint64_t random, size_t n)
{
	size_t a = (size_t)(random % n), b = (size_t)((random >> 24) % n);

	return a < b ? a : b;
}

static void put_row(struct parquet_writer *w, uint64_t i, uint64_t *random, struct sums *sums)
{
	uint64_t r = next_random(random);
	int64_t time = 1700000000000000000 + (int64_t)i * 10000 + (int64_t)(r % 1000);
	int64_t tid = 1000 + (int64_t)(r >> 10) % 200, period = 10000 + (int64_t)(r >> 50);
	size_t f = skewed(r, FUNCTIONS);

	parquet_put_int(w, TIME_NS, time);
	parquet_put_int(w, CPU, (int64_t)(r >> 20) % 64);
	parquet_put_int(w, TID, tid);
	parquet_put_text(w, FUNCTION, names[f], name_bytes[f]);
	parquet_put_int(w, PERIOD, period);
	sums->rows++;
	sums->time += time - 1700000000000000000;
	sums->tid += tid;
	sums->period += period;
	sums->function_bytes += (int64_t)name_bytes[f];
}

static void put_sample(struct parquet_writer *w, uint64_t i, uint64_t *random, struct sums *sums)
{
	uint64_t r = next_random(random);
	size_t service = (size_t)(i / 400000), comm = (size_t)(r % 20), build = service * 2 + (size_t)(r >> 30) % 2;

	parquet_put_int(w, FLEET_SAMPLES_TIME_S, 1700000000 + (int64_t)(i % 400000) / 400 * 60);
	parquet_put_text(w, FLEET_SAMPLES_SERVICE, names[service], name_bytes[service]);
	parquet_put_text(w, FLEET_SAMPLES_COMM, names[comm], name_bytes[comm]);
	parquet_put_text(w, FLEET_SAMPLES_EVENT, "cycles", 6);
	parquet_put_text(w, FLEET_SAMPLES_BUILD_ID, names[build], name_bytes[build]);
	parquet_put_int(w, FLEET_SAMPLES_CPU_MODE, 1 + (int64_t)(r >> 40) % 2);
	parquet_put_int(w, FLEET_SAMPLES_STACK_ID, (int64_t)(skewed(r, STACKS) * UINT64_C(0x9e3779b97f4a7c15)));
	parquet_put_int(w, FLEET_SAMPLES_SAMPLES, 1 + (int64_t)(r >> 50) % 8);
	parquet_put_int(w, FLEET_SAMPLES_WEIGHT, (1 + (int64_t)(r >> 50) % 8) * 10101010);
	parquet_put_int(w, FLEET_SAMPLES_RUN_ID, (int64_t)(i / 100000));
	sums->rows++;
}

struct kind {
	const char *name;
	const struct parquet_column *columns;
	size_t nr_columns;
	void (*put)(struct parquet_writer *w, uint64_t i, uint64_t *random, struct sums *sums);
};

static const struct kind kinds[] = {
	{ "parquet-rows", row_columns, ARRAY_SIZE(row_columns), put_row },
	{ "parquet-samples", fleet_samples_columns, FLEET_SAMPLES_COLUMNS, put_sample },
};

static struct sums write_file(const struct kind *kind, int fd)
{
	struct buf out = BUF_TO(fd, NULL);
	struct parquet_writer *w = parquet_writer_new(&out, kind->columns, kind->nr_columns);
	uint64_t random = 88172645463325252;
	struct sums sums = { 0 };

	if (!w)
		abort();
	for (uint64_t i = 0; i < ROWS; i++) {
		kind->put(w, i, &random, &sums);
		if (parquet_end_row(w) < 0)
			abort();
	}
	if (parquet_writer_end(w) < 0 || buf_flush(&out) < 0)
		abort();
	sums.bytes = out.written;
	parquet_writer_free(w);
	buf_free(&out);
	return sums;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct kind *kind)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double rates[RUNS];
	struct sums sums = { 0 };

	for (int i = 0; i < RUNS; i++) {
		double start = now();

		sums = write_file(kind, fd);
		rates[i] = ROWS / (now() - start) / 1e6;
	}
	close(fd);
	qsort(rates, RUNS, sizeof(*rates), by_value);
	printf("%-32s %8.2f Mrows/s  %.2f (of %.0f)  least %.2f, %.1f bytes a row\n", kind->name, rates[RUNS / 2],
	       rates[RUNS / 2] / GOAL_M_ROWS_PER_S, GOAL_M_ROWS_PER_S, rates[0], (double)sums.bytes / ROWS);
}

static int write_for_reader(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct sums sums;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	sums = write_file(&kinds[0], fd);
	close(fd);
	printf("%llu %lld %lld %lld %lld\n", (unsigned long long)sums.rows, (long long)sums.time, (long long)sums.tid,
	       (long long)sums.period, (long long)sums.function_bytes);
	return 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		name_bytes[i] = (size_t)snprintf(names[i], NAME_BYTES, "namespace::function_%zu", i * 7);
	if (argc > 1)
		return write_for_reader(argv[1]);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		measure(&kinds[i]);
	return 0;
}

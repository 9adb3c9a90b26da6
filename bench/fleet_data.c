/* SPDX-License-Identifier: MIT */
/*
 * fleet_data.c FOLDER HOSTS HOURS - a data set as so many hosts write it on one day, a file of samples an hour
 *
 * Not a benchmark: tests/command/fleet_compact.py compacts and queries it. The hosts share 20 services,
 * each with 1,000 stacks of 5 to 30 frames out of 200 functions; a host has 400 rows of samples an hour. Prints the
 * number of files, of rows of samples, and the sum of their weights.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "parquet/fleet_tables.h"

enum { SERVICES = 20, STACKS = 1000, FUNCTIONS = 200, FRAMES_MIN = 5, FRAMES_MAX = 30, ROWS_AN_HOUR = 400 };

static const int64_t day_s = 1795305600;     /* 2026-11-22 */
static const char *set;
static uint64_t nr_files, nr_rows;
static int64_t weight;

struct file {
	struct buf out;
	struct parquet_writer *writer;
};

static void make_parents(const char *path)
{
	char part[4096];

	for (size_t i = 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(part, sizeof(part), "%.*s", (int)i, path);
			if (mkdir(part, 0777) < 0 && errno != EEXIST) {
				perror(part);
				exit(1);
			}
		}
}

static void begin_file(struct file *f, enum fleet_table table, unsigned host, unsigned hour)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/v1/%s/date=2026-11-22/host=host%u/%u.parquet", set, fleet_tables[table].name,
		 host, hour);
	make_parents(path);
	f->out = BUF_MEMORY;
	f->out.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->out.fd < 0) {
		perror(path);
		exit(1);
	}
	f->writer = parquet_writer_new(&f->out, fleet_tables[table].columns, fleet_tables[table].nr_columns);
	if (!f->writer)
		abort();
	nr_files++;
}

static void end_row(struct file *f)
{
	if (parquet_end_row(f->writer) < 0)
		abort();
}

static void end_file(struct file *f)
{
	if (parquet_writer_end(f->writer) < 0 || buf_flush(&f->out) < 0) {
		perror(set);
		exit(1);
	}
	parquet_writer_free(f->writer);
	close(f->out.fd);
	buf_free(&f->out);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	return hash_two(hash_two(a + 1, b + 1), c + 1);
}

__attribute__((format(printf, 3, 4)))
static void put_name(struct file *f, size_t column, const char *format, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	parquet_put_text(f->writer, column, text, strlen(text));
}

/* Half of the samples of a service are in a tenth of its stacks. */
static uint64_t choose_stack(uint64_t random)
{
	return random % 2 ? (random >> 8) % (STACKS / 10) : (random >> 8) % STACKS;
}

static void put_samples(unsigned host, unsigned hour)
{
	struct file f;
	unsigned service = host % SERVICES;

	begin_file(&f, FLEET_SAMPLES, host, hour);
	for (unsigned i = 0; i < ROWS_AN_HOUR; i++) {
		uint64_t random = mix(host, hour, i);
		int64_t samples = 1 + (int64_t)(random >> 40) % 9;

		parquet_put_int(f.writer, FLEET_SAMPLES_TIME_S, day_s + hour * 3600 + i * 60 / ROWS_AN_HOUR * 60);
		put_name(&f, FLEET_SAMPLES_SERVICE, "service%u", service);
		put_name(&f, FLEET_SAMPLES_COMM, "worker%u-%u", service, (unsigned)(random >> 50) % 4);
		parquet_put_text(f.writer, FLEET_SAMPLES_EVENT, "cycles", 6);
		put_name(&f, FLEET_SAMPLES_BUILD_ID, "b%u-%u", service, host % 3);
		parquet_put_int(f.writer, FLEET_SAMPLES_CPU_MODE, 1 + (int64_t)(random >> 60) % 2);
		parquet_put_int(f.writer, FLEET_SAMPLES_STACK_ID, (int64_t)mix(service, choose_stack(random), 7));
		parquet_put_int(f.writer, FLEET_SAMPLES_SAMPLES, samples);
		parquet_put_int(f.writer, FLEET_SAMPLES_WEIGHT, samples * 10101010);
		parquet_put_int(f.writer, FLEET_SAMPLES_RUN_ID, (int64_t)mix(host, hour, 9));
		end_row(&f);
		nr_rows++;
		weight += samples * 10101010;
	}
	end_file(&f);
}

static void put_stacks(unsigned host)
{
	struct file f;
	unsigned service = host % SERVICES;
	int64_t frames[FRAMES_MAX];

	begin_file(&f, FLEET_STACKS, host, 0);
	for (unsigned i = 0; i < STACKS; i++) {
		uint64_t random = mix(service, i, 3);
		size_t n = FRAMES_MIN + random % (FRAMES_MAX - FRAMES_MIN + 1);

		for (size_t j = 0; j < n; j++)
			frames[j] = (int64_t)mix(service, mix(service, i, 20 + j) % FUNCTIONS, 8);
		parquet_put_int(f.writer, FLEET_STACKS_STACK_ID, (int64_t)mix(service, i, 7));
		parquet_put_list(f.writer, FLEET_STACKS_FRAMES, frames, n);
		parquet_put_int(f.writer, FLEET_STACKS_DEPTH, (int64_t)n);
		end_row(&f);
	}
	end_file(&f);
}

static void put_frames(unsigned host)
{
	struct file f;
	unsigned service = host % SERVICES;

	begin_file(&f, FLEET_FRAMES, host, 0);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		parquet_put_int(f.writer, FLEET_FRAMES_FRAME_ID, (int64_t)mix(service, i, 8));
		put_name(&f, FLEET_FRAMES_FUNCTION, "service%u::function%u", service, i);
		put_name(&f, FLEET_FRAMES_FILE, "service%u/%u.cc", service, i / 10);
		put_name(&f, FLEET_FRAMES_MODULE, "service%u", service);
		parquet_put_int(f.writer, FLEET_FRAMES_LINE, i);
		parquet_put_int(f.writer, FLEET_FRAMES_ADDRESS, 0x1000 + i * 64);
		put_name(&f, FLEET_FRAMES_BUILD_ID, "b%u-%u", service, host % 3);
		parquet_put_int(f.writer, FLEET_FRAMES_INLINED, 0);
		end_row(&f);
	}
	end_file(&f);
}

static void put_modules(unsigned host)
{
	struct file f;

	begin_file(&f, FLEET_MODULES, host, 0);
	put_name(&f, FLEET_MODULES_BUILD_ID, "b%u-%u", host % SERVICES, host % 3);
	put_name(&f, FLEET_MODULES_PATH, "/opt/service%u", host % SERVICES);
	parquet_put_text(f.writer, FLEET_MODULES_KIND, "user", 4);
	parquet_put_int(f.writer, FLEET_MODULES_SYMBOLISED, host % 2);
	end_row(&f);
	end_file(&f);
}

static void put_runs(unsigned host, unsigned hours)
{
	struct file f;

	begin_file(&f, FLEET_RUNS, host, 0);
	for (unsigned hour = 0; hour < hours; hour++) {
		for (size_t i = 0; i < FLEET_RUNS_COLUMNS; i++)
			if (fleet_runs_columns[i].type == PARQUET_STRING)
				put_name(&f, i, "%u", (unsigned)i);
			else if (i == FLEET_RUNS_RUN_ID)
				parquet_put_int(f.writer, i, (int64_t)mix(host, hour, 9));
			else if (i == FLEET_RUNS_START_NS || i == FLEET_RUNS_END_NS)
				parquet_put_int(f.writer, i, (day_s + (hour + (i == FLEET_RUNS_END_NS)) * 3600) *
							     1000000000);
			else
				parquet_put_int(f.writer, i, host % 7);
		end_row(&f);
	}
	end_file(&f);
}

int main(int argc, char **argv)
{
	unsigned hosts, hours;

	if (argc != 4)
		return 2;
	set = argv[1];
	hosts = (unsigned)atoi(argv[2]);
	hours = (unsigned)atoi(argv[3]);
	for (unsigned host = 0; host < hosts; host++) {
		for (unsigned hour = 0; hour < hours; hour++)
			put_samples(host, hour);
		put_stacks(host);
		put_frames(host);
		put_modules(host);
		put_runs(host, hours);
	}
	printf("%llu %llu %lld\n", (unsigned long long)nr_files, (unsigned long long)nr_rows, (long long)weight);
	return 0;
}

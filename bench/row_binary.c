/* SPDX-License-Identifier: MIT */
/* row_binary.c - how fast one core writes samples of a fleet in the format RowBinary of ClickHouse */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "export/fleet/row_binary.h"

enum { ROWS = 1000000, RUNS = 5, NAMES = 100 };

static const double GOAL_M_ROWS_PER_S = 2;

static void make_rows(struct fleet_rows *f)
{
	static char names[NAMES][32];

	for (size_t i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "service-of-some-name-%zu", i);
	f->host = "host.example.com";
	for (size_t i = 0; i < ROWS; i++) {
		struct fleet_sample s = {
			.date = 20000, .time_s = 1700000000 + (int64_t)(i / 400) * 60, .service = names[i % 10],
			.comm = names[i % NAMES], .event = "cycles", .cpu_mode = 1,
			.build_id = "4f1c0e5f9d0f5b7a4f1c0e5f9d0f5b7a4f1c0e5f",
			.stack_id = (int64_t)(i * UINT64_C(0x9e3779b97f4a7c15)), .samples = 1, .weight = 10101010,
		};

		if (vec_push(&f->samples, s) < 0)
			abort();
	}
}

static double write_once(const struct fleet_rows *f, int fd, uint64_t *bytes)
{
	const struct fleet_source *source = fleet_source_find("samples");
	struct buf out = BUF_TO(fd, NULL);
	struct row_binary to = { &out, fleet_source_table(source)->columns };
	struct fleet_writer w = { &row_binary_format, &to };
	struct timespec from, until;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	if (fleet_source_put(source, f, 0, ROWS, NULL, &w) < 0 || buf_flush(&out) < 0)
		abort();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &until);
	*bytes = out.written;
	buf_free(&out);
	return (double)(until.tv_sec - from.tv_sec) + (double)(until.tv_nsec - from.tv_nsec) / 1e9;
}

int main(void)
{
	struct fleet_rows rows = { 0 };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double best = 1e9, rate;
	uint64_t bytes = 0;

	if (fd < 0)
		return 1;
	make_rows(&rows);
	for (int i = 0; i < RUNS; i++) {
		double seconds = write_once(&rows, fd, &bytes);

		best = seconds < best ? seconds : best;
	}
	rate = ROWS / best / 1e6;
	printf("row-binary-samples  %.1f M-rows/s  %.2f of the goal of %.0f, %.1f B/row\n", rate,
	       rate / GOAL_M_ROWS_PER_S, GOAL_M_ROWS_PER_S, (double)bytes / ROWS);
	vec_free(&rows.samples);
	close(fd);
	return 0;
}

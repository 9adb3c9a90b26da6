/* SPDX-License-Identifier: MIT */
/*
 * perfdata_directory.c - a recording that is a directory: the records of `data`, data.0 and data.1
 *
 * The first byte says how much of the rest each of them gets.
 */
#include <sonde/rewrite.h>
#include <sonde/perf_writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/sonde-fuzz-directory-XXXXXX";

static void clean_up(void)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	char path[sizeof(dir) + 16];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void put_part(const char *name, const uint8_t *p, size_t n)
{
	char path[sizeof(dir) + 16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(p, 1, n, f);
		fclose(f);
	}
}

/* A whole perf.data which says that there are more files: one event with ip, task, time and CPU. */
static void put_data(const uint8_t *p, size_t n)
{
	static const struct sonde_attr attr = {
		.type = 1, .size = 64, .sample_type = 0x87, .flags = SONDE_ATTR_SAMPLE_ID_ALL
	};
	static const uint8_t finished_init[] = { 82, 0, 0, 0, 0, 0, 8, 0 };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	char path[sizeof(dir) + 16];

	snprintf(path, sizeof(path), "%s/data", dir);
	sonde_perf_writer_open(w, path, NULL);
	sonde_perf_writer_add_event(w, &attr, sizeof(attr), "cpu-clock", NULL, 0);
	sonde_perf_writer_set_feature(w, SONDE_FEAT_DIR_FORMAT, &(uint64_t){ 1 }, 8);
	sonde_perf_writer_write(w, finished_init, sizeof(finished_init));
	sonde_perf_writer_write(w, p, n);
	sonde_perf_writer_finish(w);
	sonde_perf_writer_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct consumed by_file, by_time;
	size_t a, b;

	if (size < 1 || (!strchr(dir, 'X') ? 0 : !mkdtemp(dir) || atexit(clean_up)))
		return 0;
	a = 1 + (size - 1) * (data[0] & 15) / 15;
	b = a + (size - a) * (data[0] >> 4) / 15;
	put_data(data + 1, a - 1);
	put_part("data.0", data + a, b - a);
	put_part("data.1", data + b, size - b);
	by_file = consume_path(dir, SONDE_ORDER_FILE);
	by_time = consume_path(dir, SONDE_ORDER_TIME);
	if (by_file.opened != by_time.opened || by_file.events != by_time.events ||
	    by_file.raw_bytes != by_time.raw_bytes)
		abort();
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "fleet/compact.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/work_dir_test.h"
#include "parquet/fleet_tables.h"
#include "parquet/parquet_reader.h"

/* A new file of a host. Its rows are of one service; their weights are 1 to n. */
static void write_samples(const char *date, const char *host, const char *name, const char *service, int n)
{
	struct buf out = BUF_MEMORY;
	struct parquet_writer *w = parquet_writer_new(&out, fleet_samples_columns, FLEET_SAMPLES_COLUMNS);
	char path[256];
	int fd;

	assert_int_equal(run("mkdir -p v1/samples/date=%s/host=%s", date, host), 0);
	for (int i = n; i > 0; i--) {
		for (size_t c = 0; c < FLEET_SAMPLES_COLUMNS; c++)
			if (c == FLEET_SAMPLES_SERVICE)
				parquet_put_text(w, c, service, strlen(service));
			else if (fleet_samples_columns[c].type == PARQUET_STRING)
				parquet_put_text(w, c, host, strlen(host));
			else
				parquet_put_int(w, c, i);
		assert_int_equal(parquet_end_row(w), 0);
	}
	assert_int_equal(parquet_writer_end(w), 0);
	snprintf(path, sizeof(path), "%s/v1/samples/date=%s/host=%s/%s", dir, date, host, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_int_equal(write(fd, out.p, out.n), out.n);
	close(fd);
	parquet_writer_free(w);
	buf_free(&out);
}

struct sums {
	uint64_t rows;
	int64_t weight, host_bytes;
};

/* Sums of a compacted file, whose rows are in the order of time. */
static struct sums read_samples(const char *date, const char *service)
{
	struct parquet_column columns[FLEET_SAMPLES_COMPACT_COLUMNS - 1];
	struct sonde_error err = { .sz = sizeof(err) };
	struct sums sums = { 0 };
	struct parquet_reader *r;
	struct image file;
	char path[256];
	int64_t time = 0;
	size_t n = 0;

	for (size_t c = 0; c < FLEET_SAMPLES_COMPACT_COLUMNS; c++)
		if (c != FLEET_SAMPLES_SERVICE)
			columns[n++] = fleet_samples_columns[c];
	snprintf(path, sizeof(path), "%s/v1/compact/samples/date=%s/service=%s/part-0.parquet", dir, date, service);
	r = parquet_reader_new(columns, n);
	if (image_open(&file, path, &err) < 0 || parquet_reader_open(r, &file, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	while (parquet_reader_next(r) > 0) {
		assert_true(parquet_int(r, FLEET_SAMPLES_TIME_S) >= time);
		time = parquet_int(r, FLEET_SAMPLES_TIME_S);
		sums.rows++;
		sums.weight += parquet_int(r, FLEET_SAMPLES_WEIGHT - 1);
		sums.host_bytes += (int64_t)parquet_text(r, FLEET_SAMPLES_HOST - 1).len;
	}
	parquet_reader_free(r);
	image_close(&file);
	return sums;
}

static void check_sums(const char *date, const char *service, uint64_t rows, int64_t weight, int64_t host_bytes)
{
	struct sums s = read_samples(date, service);

	assert_int_equal(s.rows, rows);
	assert_int_equal(s.weight, weight);
	assert_int_equal(s.host_bytes, host_bytes);
}

static char left_out[512];

static void note_left_out(void *ctx, const char *path, const struct sonde_error *err)
{
	(void)ctx;
	snprintf(left_out, sizeof(left_out), "%s: %s", path + strlen(dir) + 1, err->text);
}

static struct sonde_error error;

static int compact(const char *date, bool remove, uint64_t memory, struct sonde_fleet_compacted *done)
{
	const struct sonde_fleet_compact_opts opts = { .sz = sizeof(opts), .date = date, .remove = remove,
						       .memory = memory, .left_out = note_left_out };

	*done = (struct sonde_fleet_compacted){ .sz = sizeof(*done) };
	error = (struct sonde_error){ .sz = sizeof(error) };
	left_out[0] = '\0';
	return fleet_compact(dir, &opts, done, &error);
}

static int new_set(void **state)
{
	(void)state;
	return run("rm -rf v1 && mkdir v1");
}

/* Files are read once, whether they come at once or later. */
static void test_few_files(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	write_samples("2026-11-21", "a", "1.parquet", "web", 3);
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	write_samples("2026-11-22", "bb", "1.parquet", "web", 5);
	write_samples("2026-11-22", "bb", "2.parquet", "my/db", 2);
	assert_int_equal(compact("2026-11-22", false, 0, &done), 0);
	assert_int_equal(done.files, 3);
	assert_int_equal(done.written, 2);
	assert_int_equal(done.rows, 17);
	check_sums("2026-11-22", "web", 15, 55 + 15, 10 + 2 * 5);
	check_sums("2026-11-22", "my%2Fdb", 2, 3, 4);
	assert_int_equal(compact("2026-11-22", false, 0, &done), 0);
	assert_int_equal(done.files + done.written + done.removed, 0);
	write_samples("2026-11-22", "a", "3.parquet", "web", 1);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	assert_int_equal(done.files, 2);
	check_sums("2026-11-21", "web", 3, 6, 3);
	check_sums("2026-11-22", "web", 16, 55 + 15 + 1, 10 + 2 * 5 + 1);
	check_sums("2026-11-22", "my%2Fdb", 2, 3, 4);
}

/* Memory for no row: each file is a run. */
static void test_little_memory(void **state)
{
	struct sonde_fleet_compacted done;
	char name[32];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%d.parquet", i);
		write_samples("2026-11-22", "a", name, i % 2 ? "odd" : "even", 100);
	}
	assert_int_equal(compact(NULL, false, 1, &done), 0);
	check_sums("2026-11-22", "odd", 2000, 20 * 5050, 2000);
	check_sums("2026-11-22", "even", 2000, 20 * 5050, 2000);
}

/* A file is removed once its rows are elsewhere, and its rows stay when others come. */
static void test_remove(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	assert_int_equal(done.removed, 0);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	assert_int_equal(done.files, 0);
	assert_int_equal(done.removed, 1);
	write_samples("2026-11-22", "a", "2.parquet", "web", 4);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	assert_int_equal(done.removed, 1);
	check_sums("2026-11-22", "web", 14, 55 + 10, 14);
	assert_int_not_equal(run("ls v1/samples/*/*/*.parquet 2>/dev/null >&2"), 0);
	/* it comes back from a copy: its rows are there already */
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	check_sums("2026-11-22", "web", 14, 55 + 10, 14);
}

/* Spoils the end of the last page, which is found only after all rows before it. */
static void damage_last_page(const char *path)
{
	char full[256];
	uint8_t tail[8];
	struct stat st;
	int fd;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	fd = open(full, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pread(fd, tail, sizeof(tail), st.st_size - 8), 8);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12,
				st.st_size - 8 - load_u32(tail, host_is_big_endian()) - 12), 12);
	close(fd);
}

/* No row of a damaged file is taken, and the others are. With memory for no row, it is read twice. */
static void test_damaged_files(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	for (uint64_t memory = 0; memory < 2; memory++) {
		new_set(state);
		write_samples("2026-11-22", "a", "1.parquet", "web", 10);
		write_samples("2026-11-22", "a", "2.parquet", "web", 140000);
		damage_last_page("v1/samples/date=2026-11-22/host=a/2.parquet");
		write_samples("2026-11-22", "a", "4.parquet", "web", 2);
		assert_int_equal(compact(NULL, true, memory, &done), 0);
		assert_int_equal(done.files, 3);
		assert_int_equal(done.left_out, 1);
		assert_int_equal(done.removed, 2);
		assert_non_null(strstr(left_out, "v1/samples/date=2026-11-22/host=a/2.parquet: column run_id: "));
		check_sums("2026-11-22", "web", 12, 55 + 3, 12);
		/* it is told again, and nothing is written */
		assert_int_equal(compact(NULL, false, memory, &done), 0);
		assert_int_equal(done.left_out, 1);
		assert_int_equal(done.written, 0);
	}
	assert_int_equal(run("echo no > v1/samples/date=2026-11-22/host=a/2.parquet"), 0);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	assert_string_equal(left_out, "v1/samples/date=2026-11-22/host=a/2.parquet: no Parquet file: it does not begin "
			    "with PAR1");
	assert_int_equal(compact("2026-11-23", false, 0, &done), 0);
	assert_int_equal(done.files, 0);
}

/* Files that are not whole and directories are no files of a host; a link is none that is followed. */
static void test_other_files(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	write_samples("2026-11-22", "a", ".2.parquet", "web", 10);
	write_samples("2026-11-22", "a", "3.parquet.part", "web", 10);
	assert_int_equal(run("cd v1/samples/date=2026-11-22 && mkdir other && cp host=a/1.parquet other && "
			     "cp host=a/1.parquet host=plain"), 0);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	assert_int_equal(done.files, 1);
	check_sums("2026-11-22", "web", 10, 55, 10);
	assert_int_equal(run("cd v1/samples/date=2026-11-22/host=a && ln -s 1.parquet 4.parquet"), 0);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	assert_int_equal(done.left_out, 1);
	check_sums("2026-11-22", "web", 10, 55, 10);
}

/* A compacted file is damaged: there is nothing that could be written in its place. */
static void test_damaged_part(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	write_samples("2026-11-22", "one", "1.parquet", "web", 2000);
	write_samples("2026-11-22", "another", "1.parquet", "web", 2000);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	write_samples("2026-11-22", "a", "2.parquet", "web", 10);
	damage_last_page("v1/compact/samples/date=2026-11-22/service=web/part-0.parquet");
	assert_true(compact(NULL, true, 0, &done) < 0);
	assert_non_null(strstr(error.text, "service=web/part-0.parquet: column host: "));
	assert_int_equal(done.written + done.removed, 0);
	assert_int_equal(run("test -e v1/samples/date=2026-11-22/host=a/2.parquet"), 0);
}

static void test_two_at_once(void **state)
{
	struct sonde_fleet_compacted done;
	char path[256];
	int fd;

	(void)state;
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	assert_int_equal(run("mkdir v1/.compacting"), 0);
	snprintf(path, sizeof(path), "%s/v1/.compacting", dir);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(compact(NULL, true, 0, &done), -SONDE_DENIED);
	assert_string_equal(error.text, "another process compacts this data set");
	assert_int_equal(run("test ! -e v1/compact && test -e v1/samples/*/*/1.parquet"), 0);
	close(fd);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
}

/* An older compaction was killed: before its files got their place, and between the two steps of an exchange. */
static void test_interrupted(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	assert_int_equal(run("mkdir -p v1/.compacting/new.samples.date=2026-11-22/service=x && "
			     "echo half > v1/.compacting/new.samples.date=2026-11-22/service=x/part-0.parquet"), 0);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	check_sums("2026-11-22", "web", 10, 55, 10);
	assert_int_equal(run("mv v1/compact/samples/date=2026-11-22 v1/.compacting/old.samples.date=2026-11-22"), 0);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	check_sums("2026-11-22", "web", 10, 55, 10);
	assert_int_equal(run("test -z \"$(ls v1/.compacting)\""), 0);
}

/* The disk is full while files are written: the older ones stay, and no half file. */
static void test_full_disk(void **state)
{
	struct sonde_fleet_compacted done;
	struct rlimit before, none;

	(void)state;
	write_samples("2026-11-22", "a", "1.parquet", "web", 10);
	assert_int_equal(compact(NULL, false, 0, &done), 0);
	write_samples("2026-11-22", "a", "2.parquet", "web", 10);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){ 100, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &none);
	assert_true(compact(NULL, true, 0, &done) < 0);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(done.removed, 0);
	check_sums("2026-11-22", "web", 10, 55, 10);
	assert_int_equal(run("test -z \"$(ls v1/.compacting)\""), 0);
	assert_int_equal(compact(NULL, true, 0, &done), 0);
	check_sums("2026-11-22", "web", 20, 110, 20);
}

static void test_no_set(void **state)
{
	struct sonde_fleet_compacted done;

	(void)state;
	assert_int_equal(run("rm -rf v1"), 0);
	assert_int_equal(compact(NULL, false, 0, &done), -SONDE_FORMAT);
	assert_string_equal(error.text, "no data set of profiles: there is no directory v1 in it");
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return run("rm -rf %s", dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_few_files, new_set),
		cmocka_unit_test_setup(test_little_memory, new_set),
		cmocka_unit_test_setup(test_remove, new_set),
		cmocka_unit_test_setup(test_damaged_files, new_set),
		cmocka_unit_test_setup(test_other_files, new_set),
		cmocka_unit_test_setup(test_damaged_part, new_set),
		cmocka_unit_test_setup(test_two_at_once, new_set),
		cmocka_unit_test_setup(test_interrupted, new_set),
		cmocka_unit_test_setup(test_full_disk, new_set),
		cmocka_unit_test_setup(test_no_set, new_set),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

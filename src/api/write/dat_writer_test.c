/* SPDX-License-Identifier: MIT */
#include <sonde/check.h>
#include <sonde/dat_writer.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

enum { EVENTS = 3000, CPUS = 3, ID = 42 };

static const char format[] =
	"name: tick\nID: 42\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 number;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"number=%llu\", REC->number\n";

static char dir[] = "/tmp/sonde-api-dat-writer-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/new.dat", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static uint64_t time_of(uint64_t i)
{
	return 1000000 + i * 1000 + (i > EVENTS / 2 ? UINT64_C(1) << 40 : 0);
}

/* common_type, common_pid and a number, in the byte order of the file */
static void make_event(uint8_t *to, uint64_t number, bool swap)
{
	uint16_t type = swap ? bswap_16(ID) : ID;
	uint32_t pid = swap ? bswap_32(77) : 77;

	number = swap ? bswap_64(number) : number;
	memset(to, 0, 16);
	memcpy(to, &type, sizeof(type));
	memcpy(to + 4, &pid, sizeof(pid));
	memcpy(to + 8, &number, sizeof(number));
}

static void write_all(struct sonde_dat_writer *w, bool swap)
{
	uint8_t event[16];
	int second;

	assert_int_equal(sonde_dat_writer_add_format(w, "clock", format, strlen(format)), 0);
	second = sonde_dat_writer_add_buffer(w, "second", NULL, 0);
	assert_int_equal(second, 1);
	for (uint64_t i = 0; i < EVENTS; i++) {
		make_event(event, i, swap);
		assert_int_equal(sonde_dat_writer_write(w, i % 10 == 0, (uint32_t)(i % CPUS) * 2, time_of(i), event,
							sizeof(event)),
				 0);
	}
	assert_int_equal(sonde_dat_writer_lost(w, 0, 2, 12), 0);
	make_event(event, EVENTS, swap);
	assert_int_equal(sonde_dat_writer_write(w, 0, 2, time_of(EVENTS), event, sizeof(event)), 0);
	assert_int_equal(sonde_dat_writer_set_text(w, SONDE_DAT_CMDLINES, "77 writer\n", 10), 0);
	assert_int_equal(sonde_dat_writer_finish(w), 0);
}

static void expect_trace(bool swap)
{
	struct sonde_check_result found = { .sz = sizeof(found) };
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_loss *loss;
	uint64_t n = 0, lost = 0, number;
	struct sonde_iter *it;
	const struct sonde_event *ev;

	assert_int_equal(sonde_check(path, NULL, &found, NULL), 0);
	assert_int_equal(found.severities[SONDE_SEVERITY_ERROR] + found.severities[SONDE_SEVERITY_WARNING], 0);
	assert_int_equal(found.records, EVENTS + 1);
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	assert_int_equal(sonde_trace_buffer_count(t), 2);
	it = sonde_iter_new(t, &query);
	while (sonde_iter_next(it, &ev) > 0) {
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		assert_int_equal(ev->time, time_of(n));
		assert_int_equal(ev->pid, 77);
		assert_int_equal(ev->cpu, n == EVENTS ? 2 : n % CPUS * 2);
		assert_int_equal(ev->raw_size, 16);
		number = load_u64((const uint8_t *)ev->raw + 8, swap);
		assert_int_equal(number, n);
		n++;
	}
	assert_int_equal(n, EVENTS + 1);
	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++)
		lost += loss->kind == SONDE_LOSS_RECORDER ? loss->count : 0;
	assert_null(sonde_trace_loss_at(t, sonde_trace_loss_count(t)));
	assert_int_equal(lost, 12);
	sonde_iter_free(it);
	sonde_trace_free(t);
}

static void what_is_written_is_read(void **state)
{
	static const enum sonde_compression compressions[] = { SONDE_COMPRESSION_NONE, SONDE_COMPRESSION_ZLIB,
							       SONDE_COMPRESSION_ZSTD };

	(void)state;
	for (uint32_t i = 0; i < 4 * 4; i++) {
		struct sonde_dat_writer_opts opts = { .sz = sizeof(opts),
						      .version = i < 4 ? 6 : 7,
						      .page_size = i % 2 ? 65536 : 0,
						      .long_size = i % 4 == 1 ? 4 : 0 };
		struct sonde_dat_writer *w = sonde_dat_writer_new();
		bool big = i % 4 > 1;

		opts.endian = big ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE;
		if (i >= 4)
			opts.compression = compressions[i / 4 - 1];
		assert_int_equal(sonde_dat_writer_open(w, path, &opts), 0);
		write_all(w, big != host_is_big_endian());
		sonde_dat_writer_free(w);
		expect_trace(big != host_is_big_endian());
	}
}

static void mistakes_are_told(void **state)
{
	static const struct sonde_dat_writer_opts wrong[] = {
		{ .sz = sizeof(wrong[0]), .version = 5 },
		{ .sz = sizeof(wrong[0]), .version = 6, .compression = SONDE_COMPRESSION_ZSTD },
		{ .sz = sizeof(wrong[0]), .page_size = 5000 },
		{ .sz = sizeof(wrong[0]), .long_size = 3 },
	};
	struct sonde_dat_writer *w;
	uint8_t large[5000] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		w = sonde_dat_writer_new();
		assert_int_equal(sonde_dat_writer_open(w, path, &wrong[i]), -SONDE_USAGE);
		assert_int_equal(sonde_dat_writer_error(w)->code, SONDE_USAGE);
		sonde_dat_writer_free(w);
	}
	unlink(path);
	w = sonde_dat_writer_new();
	assert_int_equal(sonde_dat_writer_write(w, 0, 0, 1, large, 8), -SONDE_USAGE);
	sonde_dat_writer_free(w);
	w = sonde_dat_writer_new();
	assert_int_equal(sonde_dat_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_dat_writer_write(w, 0, 0, 1, large, sonde_dat_writer_max_event(w, 0)), 0);
	assert_int_equal(sonde_dat_writer_write(w, 0, 0, 1, large, sizeof(large)), -SONDE_USAGE);
	assert_int_equal(sonde_dat_writer_finish(w), -SONDE_USAGE);
	sonde_dat_writer_free(w);
	assert_int_equal(access(path, F_OK), -1);
	w = sonde_dat_writer_new();
	assert_int_equal(sonde_dat_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_dat_writer_add_option(w, 16, "12345678", 8), -SONDE_USAGE);
	sonde_dat_writer_free(w);
	w = sonde_dat_writer_new();
	assert_int_equal(sonde_dat_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_dat_writer_add_buffer(w, "", NULL, 0), -SONDE_USAGE);
	sonde_dat_writer_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(mistakes_are_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: MIT */
#include "tracefmt/scsi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void expect(const char *cdb, size_t n, const char *expected)
{
	uint8_t *exact = malloc(n + !n);
	char text[200];
	struct seq_buf o = { text, text + sizeof(text) };

	memcpy(exact, cdb, n);
	scsi_print_command(&o, (struct sonde_bytes){ exact, n });
	seq_char(&o, '\0');
	assert_string_equal(text, expected);
	free(exact);
}

static void test_commands(void **state)
{
	(void)state;
	expect("\x08\xe1\x02\x03\x04\0", 6, "lba=66051 txlen=4");
	expect("\x2a\x20\0\0\x08\0\0\0\x10\0", 10, "lba=2048 txlen=16 protect=1");
	expect("\x41\x08\0\0\x08\0\0\0\x10\0", 10, "lba=2048 txlen=16 protect=0 unmap=1");
	expect("\xa8\0\0\0\x08\0\0\x01\0\0\0\0", 12, "lba=2048 txlen=65536 protect=0");
	expect("\x8a\0\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0", 16, "lba=4294967296 txlen=8 protect=0");
	expect("\x42\0\0\0\0\0\0\0\x28\0", 10, "regions=2");
	expect("\x9e\x10\0\0\0\0\0\0\0\x07\0\0\0\x20\0\0", 16, "READ_CAPACITY_16 lba=7 alloc_len=32");
	expect("\x7f\0\0\0\0\0\0\x18\0\x0d\x28\0\0\0\0\0\0\0\0\x09\0\0\0\x05\0\0\0\0\0\0\0\x08", 32,
	       "WRITE_SAME_32 lba=9 txlen=8 protect=1 ei_lbrt=5 unmap=1");
}

static void test_others_and_cut_ones(void **state)
{
	static const char all[] = "\x08\x2a\xa8\x8a\x42\x9e\x7f\x12";

	(void)state;
	for (const char *p = all; *p; p++)
		for (size_t n = 0; n < 6; n++) {
			char cdb[6] = { *p };

			expect(cdb, n, "-");
		}
	expect("\x9e\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_others_and_cut_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

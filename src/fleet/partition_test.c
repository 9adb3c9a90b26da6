/* SPDX-License-Identifier: MIT */
#include "fleet/partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/bytes.h"

static void check(const char *value, size_t len, const char *name)
{
	struct buf encoded = BUF_MEMORY, decoded = BUF_MEMORY;

	buf_str(&encoded, "service=");
	partition_encode(&encoded, (struct sonde_str){ value, len });
	buf_char(&encoded, '\0');
	assert_string_equal(encoded.p + strlen("service="), name);
	partition_decode(&decoded, encoded.p);
	assert_int_equal(decoded.n, len);
	if (len)
		assert_memory_equal(decoded.p, value, len);
	buf_free(&encoded);
	buf_free(&decoded);
}

static void test_names(void **state)
{
	(void)state;
	check("", 0, "");
	check("nginx-1.2_a", 11, "nginx-1.2_a");
	check("../a b=c%", 9, "..%2Fa%20b%3Dc%25");
	check("\xc3\xa4\n\"", 4, "%C3%A4%0A%22");
}

/* A name that no file can have is cut, not within %XX. */
static void test_long_names(void **state)
{
	struct buf name = BUF_MEMORY;
	char value[1000];

	(void)state;
	memset(value, '/', sizeof(value));
	partition_encode(&name, (struct sonde_str){ value, sizeof(value) });
	assert_in_range(name.n, PARTITION_NAME_MAX - 3, PARTITION_NAME_MAX);
	assert_int_equal(name.n % 3, 0);
	buf_free(&name);
}

/* Names that somebody else has made. */
static void test_decode(void **state)
{
	static const char *const names[][2] = { { "host=a%2", "a%2" }, { "host=%zz%41", "%zzA" }, { "host=a=b", "a=b" },
						{ "host=", "" }, { "no", "no" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf decoded = BUF_MEMORY;

		partition_decode(&decoded, names[i][0]);
		buf_char(&decoded, '\0');
		assert_string_equal(decoded.p, names[i][1]);
		buf_free(&decoded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

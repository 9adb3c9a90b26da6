/* SPDX-License-Identifier: MIT */
#include "resolve/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "model/context_markers.h"
#include "model/reader.h"
#include "tracefmt/tracefmt.h"

static const uint64_t kernel_part[] = { 0xffffffff81000010, 0xffffffff81000020 }, user_part[] = { 0x1000, 0x2000 };
static bool has_user_part;

static struct u64s as_u64s(const uint64_t *words, uint64_t nr)
{
	return (struct u64s){ .p = (const uint8_t *)words, .nr = nr };
}

static struct u64s give_chain(const struct reader *r, const struct sonde_event *ev)
{
	(void)r;
	(void)ev;
	return as_u64s(kernel_part, 2);
}

static struct u64s give_user_chain(const struct reader *r, const struct sonde_event *ev)
{
	(void)r;
	(void)ev;
	return as_u64s(user_part, has_user_part ? 2 : 0);
}

static const struct reader_ops trace_dat = { .callchain = give_chain, .user_callchain = give_user_chain };
static const struct reader_ops perf_data = { .callchain = give_chain };
static const struct sonde_evsel of_old_buffer = { .buffer = "old" };

/* The chain of chain_recorded() has these addresses. */
static void check(const struct reader_ops *ops, const struct tracefmt *kernel, const struct u64s *deferred,
		  const uint64_t *want, uint64_t nr)
{
	struct reader r = { .ops = ops };
	struct loaded_event ev = { .pub = { .evsel = &of_old_buffer, .cpumode = CPUMODE_KERNEL }, .reader = &r };
	struct chain_finder f = { .kernel = kernel };
	struct u64s got;

	if (deferred)
		ev.deferred_callchain = *deferred;
	assert_int_equal(chain_recorded(&f, &ev.pub, &got), 0);
	assert_int_equal(got.nr, nr);
	for (uint64_t i = 0; i < nr; i++)
		assert_int_equal(u64s_at(&got, i), want[i]);
	chain_finder_free(&f);
}

static void test_a_chain_is_as_recorded(void **state)
{
	const uint64_t later[] = { CONTEXT_USER, 7 };
	const struct u64s deferred = as_u64s(later, 2);

	(void)state;
	check(&perf_data, NULL, NULL, kernel_part, 2);
	check(&perf_data, NULL, &deferred, later, 2);
	has_user_part = false;
	check(&trace_dat, NULL, NULL, kernel_part, 2);
}

static void test_a_user_part_that_is_recorded_apart_follows_its_marker(void **state)
{
	const uint64_t whole[] = { kernel_part[0], kernel_part[1], CONTEXT_USER, user_part[0], user_part[1] };

	(void)state;
	has_user_part = true;
	check(&trace_dat, NULL, NULL, whole, ARRAY_SIZE(whole));
}

static struct tracefmt *kernel_with_boot(const char *buffer, const char *text)
{
	struct tracefmt *t = tracefmt_new(false, 8);

	assert_non_null(t);
	assert_int_equal(tracefmt_add_last_boot(t, buffer, (struct sonde_str){ text, strlen(text) }), 0);
	return t;
}

static void test_addresses_of_an_earlier_boot_are_moved(void **state)
{
	const uint64_t moved[] = { kernel_part[0] + 16, kernel_part[1] + 16, CONTEXT_USER, user_part[0], user_part[1] };
	struct tracefmt *t = kernel_with_boot("old", "text delta:\t16\n");

	(void)state;
	has_user_part = true;
	check(&trace_dat, t, NULL, moved, ARRAY_SIZE(moved));
	tracefmt_free(t);
	t = kernel_with_boot("another", "text delta:\t16\n");
	has_user_part = false;
	check(&trace_dat, t, NULL, kernel_part, 2);
	tracefmt_free(t);
}

/* The module of the address is not there now, and where it is now nobody says. */
static void test_an_address_without_a_place_in_this_boot_is_0(void **state)
{
	const uint64_t none[] = { 0, 0 };
	struct tracefmt *t = kernel_with_boot("old", "ffffffff81000000\tgone\n");

	(void)state;
	has_user_part = false;
	check(&trace_dat, t, NULL, none, 2);
	tracefmt_free(t);
}

static void test_the_first_address_has_the_mode_of_its_marker(void **state)
{
	const uint64_t only_user[] = { CONTEXT_USER, 0x1000 }, markers[] = { CONTEXT_KERNEL };
	struct u64s chain = as_u64s(only_user, 2);
	uint8_t mode = CPUMODE_KERNEL;
	uint64_t ip = 0;

	(void)state;
	assert_true(chain_first(&chain, &mode, &ip));
	assert_int_equal(mode, CPUMODE_USER);
	assert_int_equal(ip, 0x1000);
	chain = as_u64s(markers, 1);
	assert_false(chain_first(&chain, &mode, &ip));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chain_is_as_recorded),
		cmocka_unit_test(test_a_user_part_that_is_recorded_apart_follows_its_marker),
		cmocka_unit_test(test_addresses_of_an_earlier_boot_are_moved),
		cmocka_unit_test(test_an_address_without_a_place_in_this_boot_is_0),
		cmocka_unit_test(test_the_first_address_has_the_mode_of_its_marker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

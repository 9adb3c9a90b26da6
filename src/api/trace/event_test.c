/* SPDX-License-Identifier: MIT */
/* event_test.c - the structs that the public functions give are in host order, whatever the recorder's order */
#include "api/trace/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "model/reader.h"

enum { CHAIN = 3, READ_GROUP_WITH_ID = 8 | 4 };

/* Words at an odd address, as in a record after a compressed one. */
struct odd_words {
	uint8_t bytes[1 + 8 * 16];
	bool swap;
};

static const uint8_t *put_words(struct odd_words *w, size_t odd, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_u64(w->bytes + odd + 8 * i, from[i], w->swap);
	return w->bytes + odd;
}

static const uint64_t chain[CHAIN] = { UINT64_C(0xfffffffffffffe00), 0x401000, 0x402000 };
static struct sample sample;
static struct sonde_mmap mapping;
static int answer;

static int give_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out)
{
	(void)r, (void)ev;
	*out = sample;
	return answer;
}

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out)
{
	(void)r, (void)ev;
	if (body != BODY_MMAP)
		return -SONDE_USAGE;
	memcpy(out, &mapping, sizeof(mapping));
	return 0;
}

static const struct reader_ops ops = { .sample = give_sample, .body = give_body };

static void arrays_are_in_host_order(bool swap, size_t odd)
{
	static const uint64_t counts[] = { 10, 101, 20, 102 }, branches[] = { 1, 2, 0, 3, 4, 0 };
	struct odd_words c = { .swap = swap }, v = { .swap = swap }, b = { .swap = swap };
	struct reader reader = { .ops = &ops, .views = event_views_new() };
	const struct loaded_event e = { .reader = &reader };
	const struct sonde_sample *s;

	assert_non_null(reader.views);
	answer = 0;
	sample = (struct sample){
		.ip = 0x401000,
		.callchain = { put_words(&c, odd, chain, CHAIN), CHAIN, swap },
		.read = { .nr = 2,
			  .values = put_words(&v, odd, counts, 4),
			  .read_format = READ_GROUP_WITH_ID,
			  .swap = swap },
		.branches = { .nr = 2, .hw_idx = SONDE_NONE, .entries = put_words(&b, odd, branches, 6), .swap = swap },
		.user_regs = { .abi = 2, .mask = 7, .values = { put_words(&c, odd, chain, CHAIN), CHAIN, swap } },
	};
	assert_int_equal(sonde_event_sample(&e.pub, &s), 0);
	assert_int_equal(s->ip, 0x401000);
	assert_int_equal(s->nr_callchain, CHAIN);
	assert_memory_equal(s->callchain, chain, sizeof(chain));
	assert_int_equal(s->nr_values, 2);
	assert_int_equal(sonde_sample_value_at(s, 1)->value, 20);
	assert_int_equal(sonde_sample_value_at(s, 1)->id, 102);
	assert_null(sonde_sample_value_at(s, 2));
	assert_int_equal(s->nr_branches, 2);
	assert_int_equal(sonde_sample_branch_at(s, 1)->from, 3);
	assert_int_equal(sonde_sample_branch_at(s, 1)->to, 4);
	assert_null(sonde_sample_branch_at(s, 2));
	assert_int_equal(s->user_regs->nr_values, CHAIN);
	assert_memory_equal(s->user_regs->values, chain, sizeof(chain));
	assert_int_equal(s->intr_regs->abi, 0);
	assert_int_equal(s->intr_regs->nr_values, 0);
	event_views_free(reader.views);
}

static void test_arrays(void **state)
{
	(void)state;
	for (size_t odd = 0; odd < 2; odd++) {
		arrays_are_in_host_order(false, odd);
		arrays_are_in_host_order(true, odd);
	}
}

/* A callchain that a later record completes comes with the sample. */
static void test_deferred_callchain(void **state)
{
	struct reader reader = { .ops = &ops, .views = event_views_new() };
	const struct loaded_event e = { .reader = &reader,
					.deferred_callchain = { (const uint8_t *)chain, CHAIN, false } };
	const struct sonde_sample *s;

	(void)state;
	answer = 0;
	sample = (struct sample){ .callchain = { (const uint8_t *)chain, 1, false } };
	assert_int_equal(sonde_event_sample(&e.pub, &s), 0);
	assert_int_equal(s->nr_callchain, CHAIN);
	event_views_free(reader.views);
}

static void test_results(void **state)
{
	struct reader reader = { .ops = &ops, .views = event_views_new() };
	const struct loaded_event e = { .reader = &reader };
	const struct sonde_sample *s = NULL;
	const struct sonde_mmap *m = NULL;
	const struct sonde_comm *c = NULL;
	const struct sonde_auxtrace *aux = NULL;

	(void)state;
	sample = (struct sample){ .ip = 5 };
	answer = -SONDE_USAGE;
	assert_int_equal(sonde_event_sample(&e.pub, &s), -SONDE_USAGE);
	assert_null(s);
	answer = -SONDE_CORRUPT;
	assert_int_equal(sonde_event_sample(&e.pub, &s), -SONDE_CORRUPT);
	assert_int_equal(s->ip, 5);
	mapping = (struct sonde_mmap){ .pid = 3, .addr = 0x1000 };
	assert_int_equal(sonde_event_mmap(&e.pub, &m), 0);
	assert_int_equal(m->pid, 3);
	assert_int_equal(m->addr, 0x1000);
	assert_int_equal(sonde_event_comm(&e.pub, &c), -SONDE_USAGE);
	assert_null(c);
	assert_int_equal(sonde_event_auxtrace(&e.pub, &aux), -SONDE_USAGE);
	assert_null(aux);
	event_views_free(reader.views);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_deferred_callchain),
		cmocka_unit_test(test_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

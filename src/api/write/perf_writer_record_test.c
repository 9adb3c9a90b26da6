/* SPDX-License-Identifier: MIT */
/* perf_writer_record_test.c - records written from structs are read back as the same structs */
#include <sonde/check.h>
#include <sonde/perf_writer.h>
#include <sonde/trace.h>

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

static char dir[] = "/tmp/sonde-api-writer-record-XXXXXX";
static char path[64];
static const uint64_t ids[] = { 50, 51 };

/* Every known field; weight as one number, so without the bit of its parts. */
#define EVERY_FIELD (((UINT64_C(1) << 24) - 1) & ~(uint64_t)PERF_SAMPLE_READ)

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/new.data", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static struct sonde_attr attr_of(uint64_t sample_type)
{
	return (struct sonde_attr){ .type = 1, .sample_period = 1000, .sample_type = sample_type,
				    .sample_regs_user = 0x15, .sample_regs_intr = 3, .sample_stack_user = 64,
				    .branch_sample_type = UINT64_C(8) | UINT64_C(1) << 17 | UINT64_C(1) << 19,
				    .flags = SONDE_ATTR_SAMPLE_ID_ALL };
}

static struct sonde_perf_writer *opened(const struct sonde_attr *attr, enum sonde_rewrite_endian endian)
{
	const struct sonde_perf_writer_opts opts = { .sz = sizeof(opts), .endian = endian };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	struct sonde_meta meta = { .sz = sizeof(meta), .hostname = "box" };

	meta.features[0] = UINT64_C(1) << SONDE_FEAT_HOSTNAME;
	assert_int_equal(sonde_perf_writer_open(w, path, &opts), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, attr, sizeof(*attr), "my-clock", ids, 2), 0);
	assert_int_equal(sonde_perf_writer_set_meta(w, &meta), 0);
	return w;
}

static void finish(struct sonde_perf_writer *w)
{
	int r = sonde_perf_writer_finish(w);

	if (r < 0)
		fail_msg("%s", sonde_perf_writer_error(w)->text);
	sonde_perf_writer_free(w);
}

static int print_finding(void *ctx, const struct sonde_finding *f)
{
	(void)ctx;
	print_error("%s: %s: expected %s, found %s\n", f->rule->name, f->where, f->expected, f->found);
	return 0;
}

/* No rule of check has a finding. */
static struct sonde_trace *checked(void)
{
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = print_finding };
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_trace *t = sonde_trace_new();

	assert_int_equal(sonde_check(path, &opts, &found, NULL), 0);
	assert_int_equal(found.severities[SONDE_SEVERITY_ERROR], 0);
	assert_int_equal(found.severities[SONDE_SEVERITY_WARNING], 0);
	assert_int_equal(found.severities[SONDE_SEVERITY_NOTE], 0);
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	return t;
}

static const struct sonde_event *next(struct sonde_iter *it)
{
	const struct sonde_event *ev;

	assert_int_equal(sonde_iter_next(it, &ev), 1);
	return ev;
}

static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401000, 0x402000 };
static const uint64_t reg_values[] = { 1, 2, UINT64_MAX };
static const struct sonde_regs user_regs = { .abi = 2, .mask = 0x15, .values = reg_values, .nr_values = 3 };
static const struct sonde_regs intr_regs = { .abi = 2, .mask = 3, .values = reg_values, .nr_values = 2 };
static const struct sonde_branch branches[] = { { 1, 2, UINT64_C(0x1234567812345671), 9 }, { 3, 4, 2, 0 } };

static const struct sonde_sample full = {
	.identifier = 51, .ip = 0x401000, .time = 77, .addr = 0xabc, .id = 51, .stream_id = 51, .period = 3,
	.pid = 7, .tid = 8, .cpu = 2, .callchain = chain, .nr_callchain = 3,
	.raw = { (const uint8_t *)"twelve bytes", 12 }, .nr_branches = 2, .branch_hw_idx = 5,
	.user_regs = &user_regs, .intr_regs = &intr_regs, .user_stack = { (const uint8_t *)"stack", 5 },
	.user_stack_size = 64, .weight = 11, .data_src = 12, .transaction = 13, .phys_addr = 14, .cgroup = 15,
	.data_page_size = 4096, .code_page_size = 8192, .aux = { (const uint8_t *)"12345678", 8 },
};

static void expect_regs(const struct sonde_regs *got, const struct sonde_regs *want)
{
	assert_int_equal(got->abi, want->abi);
	assert_int_equal(got->mask, want->mask);
	assert_int_equal(got->nr_values, want->nr_values);
	for (size_t i = 0; i < want->nr_values; i++)
		assert_int_equal(got->values[i], want->values[i]);
}

static void expect_bytes(struct sonde_bytes got, struct sonde_bytes want)
{
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.p, want.p, want.len);
}

static void expect_full(const struct sonde_sample *s)
{
	assert_int_equal(s->present, EVERY_FIELD);
	assert_int_equal(s->identifier, 51);
	assert_int_equal(s->ip, full.ip);
	assert_int_equal(s->time, full.time);
	assert_int_equal(s->addr, full.addr);
	assert_int_equal(s->id, 51);
	assert_int_equal(s->stream_id, 51);
	assert_int_equal(s->period, full.period);
	assert_int_equal(s->pid, 7);
	assert_int_equal(s->tid, 8);
	assert_int_equal(s->cpu, 2);
	assert_int_equal(s->nr_callchain, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(s->callchain[i], chain[i]);
	expect_bytes(s->raw, full.raw);
	assert_int_equal(s->nr_branches, 2);
	assert_int_equal(s->branch_hw_idx, 5);
	for (size_t i = 0; i < 2; i++) {
		const struct sonde_branch *b = sonde_sample_branch_at(s, i);

		assert_int_equal(b->from, branches[i].from);
		assert_int_equal(b->to, branches[i].to);
		assert_int_equal(b->flags, branches[i].flags);
		assert_int_equal(b->counters, branches[i].counters);
	}
	expect_regs(s->user_regs, &user_regs);
	expect_regs(s->intr_regs, &intr_regs);
	expect_bytes(s->user_stack, full.user_stack);
	assert_int_equal(s->user_stack_size, 64);
	assert_int_equal(s->weight, 11);
	assert_int_equal(s->data_src, 12);
	assert_int_equal(s->transaction, 13);
	assert_int_equal(s->phys_addr, 14);
	assert_int_equal(s->cgroup, 15);
	assert_int_equal(s->data_page_size, 4096);
	assert_int_equal(s->code_page_size, 8192);
	expect_bytes(s->aux, full.aux);
}

static void a_sample_with_every_field_comes_back(void **state)
{
	static const enum sonde_rewrite_endian endians[] = { SONDE_ENDIAN_LITTLE, SONDE_ENDIAN_BIG };
	const struct sonde_attr attr = attr_of(EVERY_FIELD);
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .branches = branches };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(endians); i++) {
		struct sonde_perf_writer *w = opened(&attr, endians[i]);
		const struct sonde_sample *s;
		struct sonde_trace *t;
		struct sonde_iter *it;

		assert_int_equal(sonde_perf_writer_sample(w, &rec, &full, sizeof(full)), 0);
		finish(w);
		t = checked();
		it = sonde_iter_new(t, NULL);
		assert_int_equal(sonde_event_sample(next(it), &s), 0);
		expect_full(s);
		sonde_iter_free(it);
		sonde_trace_free(t);
	}
}

/* Counts are laid out by read_format. */
static void counts_come_back(void **state)
{
	static const struct sonde_read_value values[] = { { 1000, 50, 1 }, { 2000, 51, 2 } };
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .values = values };

	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		struct sonde_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_READ | PERF_SAMPLE_TIME);
		struct sonde_sample s = { .time = 5, .time_enabled = 60, .time_running = 40,
					  .nr_values = format & PERF_FORMAT_GROUP ? 2 : 1 };
		struct sonde_perf_writer *w;
		const struct sonde_sample *got;
		struct sonde_trace *t;
		struct sonde_iter *it;

		attr.read_format = format;
		w = opened(&attr, SONDE_ENDIAN_SAME);
		assert_int_equal(sonde_perf_writer_sample(w, &rec, &s, sizeof(s)), 0);
		finish(w);
		t = sonde_trace_new();
		assert_int_equal(sonde_trace_open(t, path, NULL), 0);
		it = sonde_iter_new(t, NULL);
		assert_int_equal(sonde_event_sample(next(it), &got), 0);
		assert_int_equal(got->identifier, 50);  /* filled in */
		assert_int_equal(got->nr_values, s.nr_values);
		assert_int_equal(got->time_enabled, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 60 : 0);
		assert_int_equal(got->time_running, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 40 : 0);
		for (size_t i = 0; i < s.nr_values; i++) {
			const struct sonde_read_value *v = sonde_sample_value_at(got, i);

			assert_int_equal(v->value, values[i].value);
			assert_int_equal(v->id, format & PERF_FORMAT_ID ? values[i].id : SONDE_NONE);
			assert_int_equal(v->lost, format & 16 ? values[i].lost : 0);
		}
		sonde_iter_free(it);
		sonde_trace_free(t);
	}
}

static struct sonde_str text(const char *s)
{
	return (struct sonde_str){ s, strlen(s) };
}

static void expect_text(struct sonde_str got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.p, want, got.len);
}

static const struct sonde_mmap program = { .pid = 7,
					   .tid = 7,
					   .addr = 0x400000,
					   .len = 0x3000,
					   .pgoff = 0x1000,
					   .maj = 8,
					   .min = 1,
					   .ino = 123456,
					   .ino_generation = 2,
					   .prot = PROT_READ | PROT_EXEC,
					   .flags = MAP_PRIVATE };

static void expect_mmap(const struct sonde_event *ev, const struct sonde_mmap *want, const char *filename)
{
	const struct sonde_mmap *m;

	assert_int_equal(sonde_event_mmap(ev, &m), 0);
	assert_int_equal(m->pid, want->pid);
	assert_int_equal(m->tid, want->tid);
	assert_int_equal(m->addr, want->addr);
	assert_int_equal(m->len, want->len);
	assert_int_equal(m->pgoff, want->pgoff);
	assert_int_equal(m->maj, want->maj);
	assert_int_equal(m->ino, want->ino);
	assert_int_equal(m->prot, want->prot);
	assert_int_equal(m->flags, want->flags);
	assert_int_equal(m->build_id_size, want->build_id_size);
	assert_memory_equal(m->build_id, want->build_id, want->build_id_size);
	expect_text(m->filename, filename);
}

static void the_side_band_comes_back(void **state)
{
	static const enum sonde_rewrite_endian endians[] = { SONDE_ENDIAN_LITTLE, SONDE_ENDIAN_BIG };
	const struct sonde_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .time = 10, .cpu = 3, .id = 51 };
	struct sonde_mmap mapped = program, with_id = program, kernel = { .pid = -1, .addr = 0xffff0000, .len = 4096 };
	struct sonde_comm comm = { .pid = 7, .tid = 8, .exec = true, .comm = text("fifteen-letters") };
	struct sonde_task task = { .pid = 9, .ppid = 7, .tid = 10, .ptid = 8, .time = 10 };

	(void)state;
	mapped.filename = text("/usr/bin/program");
	with_id.filename = text("/usr/lib/lib.so");
	with_id.build_id_size = 20;
	with_id.maj = with_id.min = 0;
	with_id.ino = with_id.ino_generation = 0;
	memcpy(with_id.build_id, "12345678901234567890", 20);
	kernel.filename = text("[kernel.kallsyms]_text");
	for (size_t i = 0; i < ARRAY_SIZE(endians); i++) {
		struct sonde_perf_writer *w = opened(&attr, endians[i]);
		const struct sonde_event *ev;
		const struct sonde_comm *c;
		const struct sonde_task *k;
		struct sonde_trace *t;
		struct sonde_iter *it;

		assert_int_equal(sonde_perf_writer_mmap(w, &rec, &kernel, sizeof(kernel)), 0);
		assert_int_equal(sonde_perf_writer_mmap(w, &rec, &mapped, sizeof(mapped)), 0);
		assert_int_equal(sonde_perf_writer_mmap(w, &rec, &with_id, sizeof(with_id)), 0);
		assert_int_equal(sonde_perf_writer_comm(w, &rec, &comm, sizeof(comm)), 0);
		assert_int_equal(sonde_perf_writer_fork(w, &rec, &task, sizeof(task)), 0);
		assert_int_equal(sonde_perf_writer_exit(w, &rec, &task, sizeof(task)), 0);
		finish(w);
		t = checked();
		it = sonde_iter_new(t, NULL);
		ev = next(it);
		assert_int_equal(ev->type, PERF_RECORD_MMAP);
		assert_int_equal(ev->cpumode, PERF_RECORD_MISC_KERNEL);
		expect_mmap(ev, &kernel, "[kernel.kallsyms]_text");
		ev = next(it);
		assert_int_equal(ev->type, PERF_RECORD_MMAP2);
		assert_int_equal(ev->cpumode, PERF_RECORD_MISC_USER);
		assert_int_equal(ev->time, 10);
		assert_int_equal(ev->cpu, 3);
		assert_int_equal(ev->pid, 7);
		assert_int_equal(ev->id, 51);
		expect_mmap(ev, &program, "/usr/bin/program");
		expect_mmap(next(it), &with_id, "/usr/lib/lib.so");
		ev = next(it);
		assert_int_equal(sonde_event_comm(ev, &c), 0);
		assert_int_equal(c->tid, 8);
		assert_true(c->exec);
		expect_text(c->comm, "fifteen-letters");
		for (int exits = 0; exits < 2; exits++) {
			ev = next(it);
			assert_int_equal(ev->type, exits ? PERF_RECORD_EXIT : PERF_RECORD_FORK);
			assert_int_equal(sonde_event_task(ev, &k), 0);
			assert_int_equal(k->pid, 9);
			assert_int_equal(k->ppid, 7);
			assert_int_equal(k->tid, 10);
			assert_int_equal(k->ptid, 8);
			assert_int_equal(k->time, 10);
			assert_int_equal(ev->time, 10);
		}
		assert_int_equal(sonde_iter_next(it, &ev), 0);
		sonde_iter_free(it);
		sonde_trace_free(t);
	}
}

/* An attr without a size, as most programs give it; with fields that the oldest attr does not have. */
static void a_size_of_0_is_filled_in(void **state)
{
	const struct sonde_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					       PERF_SAMPLE_REGS_INTR);
	const struct sonde_sample s = { .pid = 7, .tid = 7, .time = 1, .intr_regs = &intr_regs };
	struct sonde_perf_writer *w = opened(&attr, SONDE_ENDIAN_SAME);
	const struct sonde_sample *got;
	struct sonde_trace *t;
	struct sonde_iter *it;

	(void)state;
	assert_int_equal(attr.size, 0);
	assert_int_equal(sonde_perf_writer_sample(w, NULL, &s, sizeof(s)), 0);
	finish(w);
	t = checked();
	assert_int_equal(sonde_trace_evsel_at(t, 0)->attr->size, 104);
	assert_string_equal(sonde_trace_evsel_at(t, 0)->name, "my-clock");
	it = sonde_iter_new(t, NULL);
	assert_int_equal(sonde_event_sample(next(it), &got), 0);
	expect_regs(got->intr_regs, &intr_regs);
	sonde_iter_free(it);
	sonde_trace_free(t);
}

static void a_size_that_is_too_small_is_refused(void **state)
{
	static const uint32_t sizes[] = { 1, 63, 64, 96, 100, 105 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int for_all = 0; for_all < 2; for_all++) {
			const struct sonde_perf_writer_opts opts = { .sz = sizeof(opts),
								     .attr_size = for_all ? sizes[i] : 0 };
			struct sonde_attr attr = attr_of(PERF_SAMPLE_REGS_INTR);
			struct sonde_perf_writer *w = sonde_perf_writer_new();

			attr.size = for_all ? 0 : sizes[i];
			assert_int_equal(sonde_perf_writer_open(w, path, &opts), 0);
			assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), NULL, NULL, 0),
					 -SONDE_USAGE);
			assert_int_equal(sonde_perf_writer_error(w)->code, SONDE_USAGE);
			sonde_perf_writer_free(w);
		}
}

static void refuse(const struct sonde_perf_record *rec, const struct sonde_sample *s, size_t size, const char *why)
{
	const struct sonde_attr attr = attr_of(EVERY_FIELD | PERF_SAMPLE_READ);
	struct sonde_perf_writer *w = opened(&attr, SONDE_ENDIAN_SAME);

	assert_int_equal(sonde_perf_writer_sample(w, rec, s, size), -SONDE_USAGE);
	if (!strstr(sonde_perf_writer_error(w)->text, why))
		fail_msg("'%s' does not say '%s'", sonde_perf_writer_error(w)->text, why);
	assert_int_equal(sonde_perf_writer_finish(w), -SONDE_USAGE);
	sonde_perf_writer_free(w);
}

static void what_the_attr_does_not_permit_is_refused(void **state)
{
	static const struct sonde_read_value value = { .value = 1 };
	static uint64_t long_chain[8192];
	struct sonde_perf_record rec = { .sz = sizeof(rec), .values = &value, .branches = branches };
	struct { struct sonde_sample known; uint64_t newer; } larger = { .known = full, .newer = 1 };
	struct sonde_sample s = full;

	(void)state;
	refuse(&rec, &s, sizeof(s), "one count");
	s.nr_values = 1;
	refuse(&rec, &s, 0, "set it to the size of the struct");
	rec.sz = 0;
	refuse(&rec, &s, sizeof(s), "set it to the size of the struct");
	rec.sz = sizeof(rec);
	rec.event = 1;
	refuse(&rec, &s, sizeof(s), "no event 1");
	rec.event = 0;
	rec.file = 1;
	refuse(&rec, &s, sizeof(s), "no file 1");
	rec.file = 0;
	rec.branches = NULL;
	refuse(&rec, &s, sizeof(s), "branch stack");
	rec.branches = branches;
	s.user_regs = &intr_regs;
	refuse(&rec, &s, sizeof(s), "3 registers");
	s.user_regs = NULL;
	s.user_stack_size = 4;
	refuse(&rec, &s, sizeof(s), "no room");
	s.user_stack_size = 0;
	s.callchain = long_chain;
	s.nr_callchain = ARRAY_SIZE(long_chain);
	refuse(&rec, &s, sizeof(s), "at most 65528 bytes");
	s.nr_callchain = SIZE_MAX;
	refuse(&rec, &s, sizeof(s), "at most 65528 bytes");
	refuse(&rec, &larger.known, sizeof(larger), "does not know");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_with_every_field_comes_back),
		cmocka_unit_test(counts_come_back),
		cmocka_unit_test(the_side_band_comes_back),
		cmocka_unit_test(a_size_of_0_is_filled_in),
		cmocka_unit_test(a_size_that_is_too_small_is_refused),
		cmocka_unit_test(what_the_attr_does_not_permit_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

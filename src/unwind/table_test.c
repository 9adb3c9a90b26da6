/* SPDX-License-Identifier: MIT */
#include "unwind/table.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>


/* The .eh_frame of this program, in memory and in its file. */
struct frame_sections {
	struct elf_file elf;
	struct code_files *files;
	struct code_file file;
	struct unwind_table memory, in_file;
};

static void open_both(struct frame_sections *b, const char *path)
{
	*b = (struct frame_sections){ .files = code_files_new() };
	assert_non_null(b->files);
	assert_int_equal(elf_file_open(&b->elf, path, NULL), 0);
	assert_true(unwind_table_open(&b->memory, &b->elf, ".eh_frame"));
	assert_true(unwind_table_open_in_file(&b->in_file, &b->elf, b->files, &b->file));
	assert_int_equal(code_files_add(b->files, &b->file, path, dup(b->elf.fd)), 0);
}

static void close_both(struct frame_sections *b)
{
	unwind_table_free(&b->memory);
	unwind_table_free(&b->in_file);
	code_files_free(b->files);
	code_file_free(&b->file);
	elf_file_close(&b->elf);
}

struct rule_answer {
	bool found;
	const struct unwind_rule *rule;
	const struct cfi_section *section;
	uint64_t start, end;
};

static struct rule_answer ask(struct unwind_table *t, uint64_t addr)
{
	struct rule_answer a = { 0 };

	a.found = unwind_table_find(t, addr, &a.rule, &a.section, &a.start, &a.end);
	return a;
}

static void assert_same_expression(const struct rule_answer *a, int32_t at, const struct rule_answer *b, int32_t b_at)
{
	struct cursor c = cfi_cursor(a->section,
				     (struct cfi_span){ (uint32_t)at, (uint32_t)a->section->size - (uint32_t)at });
	struct cursor d = cfi_cursor(b->section,
				     (struct cfi_span){ (uint32_t)b_at, (uint32_t)b->section->size - (uint32_t)b_at });
	uint64_t n = cur_uleb(&c);

	assert_int_equal(cur_uleb(&d), n);
	assert_memory_equal(cur_take(&c, n), cur_take(&d, n), n);
}

/* Returns how many addresses have a rule. */
static size_t compare(struct frame_sections *b, size_t *expressions)
{
	size_t n = 0;

	assert_int_equal(b->memory.places.n, b->in_file.places.n);
	for (size_t i = 0; i < b->memory.places.n; i++) {
		uint64_t start = b->memory.base + b->memory.places.at[i].start;

		for (uint64_t addr = start; addr < start + 24; addr += 4) {
			struct rule_answer a = ask(&b->memory, addr), f = ask(&b->in_file, addr);

			assert_int_equal(a.found, f.found);
			if (!a.found)
				continue;
			n++;
			assert_int_equal(a.start, f.start);
			assert_int_equal(a.end, f.end);
			assert_int_equal(a.rule->cfa_is_expression, f.rule->cfa_is_expression);
			assert_int_equal(a.rule->cfa_reg, f.rule->cfa_reg);
			assert_int_equal(a.rule->nr_regs, f.rule->nr_regs);
			if (a.rule->cfa_is_expression) {
				assert_same_expression(&a, a.rule->cfa_offset, &f, f.rule->cfa_offset);
				(*expressions)++;
				continue;
			}
			assert_int_equal(a.rule->cfa_offset, f.rule->cfa_offset);
			assert_memory_equal(a.rule->regs, f.rule->regs, a.rule->nr_regs * sizeof(a.rule->regs[0]));
		}
	}
	return n;
}

static void a_file_gives_the_rules_that_memory_gives(void **state)
{
	size_t expressions = 0;
	struct frame_sections b;

	(void)state;
#ifdef __arm__
	skip();  /* linkers write .ARM.exidx there, and no .eh_frame_hdr */
#endif
	open_both(&b, "/proc/self/exe");
	assert_true(compare(&b, &expressions) > 100);
#if defined(__x86_64__) && !defined(__clang__)
	assert_true(expressions > 0);  /* of the .plt, which lld does not describe */
#endif
	close_both(&b);
}

static void copy(const char *path)
{
	char bytes[65536];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)n), n);
	close(in);
	close(out);
}

static void a_file_that_is_cut_short_gives_none(void **state)
{
	char dir[] = "/tmp/sonde-table-XXXXXX", path[64];
	struct frame_sections b;
	uint64_t addr;

	(void)state;
#ifdef __arm__
	skip();  /* linkers write .ARM.exidx there, and no .eh_frame_hdr */
#endif
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/program", dir);
	copy(path);
	open_both(&b, path);
	assert_int_equal(truncate(path, 64), 0);
	addr = b.memory.base + b.memory.places.at[b.memory.places.n / 2].start;
	assert_true(ask(&b.memory, addr).found);
	assert_false(ask(&b.in_file, addr).found);
	close_both(&b);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_gives_the_rules_that_memory_gives),
		cmocka_unit_test(a_file_that_is_cut_short_gives_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

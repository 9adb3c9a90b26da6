/* SPDX-License-Identifier: MIT */
#include "export/arrow/column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static const int32_t *ends_of(const struct ArrowArray *a)
{
	return a->buffers[1];
}

/* Is row i of an array a value? */
static bool is_valid(const struct ArrowArray *a, size_t i)
{
	const uint8_t *bits = a->buffers[0];

	return !bits || bits[i / 8] >> i % 8 & 1;
}

static void assert_text(const struct ArrowArray *a, size_t i, const char *want)
{
	const int32_t *ends = ends_of(a);

	assert_int_equal(ends[i + 1] - ends[i], strlen(want));
	assert_memory_equal((const char *)a->buffers[2] + ends[i], want, strlen(want));
}

static void test_numbers_and_nulls(void **state)
{
	struct arrow_column c = ARROW_COLUMN("n", ARROW_I32);
	struct ArrowArray a;

	(void)state;
	for (int i = 0; i < 20; i++) {
		if (i == 11 || i == 19)
			arrow_put_null(&c);
		else
			arrow_put_int(&c, (uint64_t)-i);
	}
	assert_int_equal(arrow_column_take(&c, &a), 0);
	assert_int_equal(a.length, 20);
	assert_int_equal(a.null_count, 2);
	assert_int_equal(a.n_buffers, 2);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(is_valid(&a, i), i != 11 && i != 19);
		if (is_valid(&a, i))
			assert_int_equal(((const int32_t *)a.buffers[1])[i], -(int)i);
	}
	a.release(&a);
	assert_null(a.release);
	/* the next array has no rows of the first one */
	arrow_put_int(&c, 5);
	assert_int_equal(arrow_column_take(&c, &a), 0);
	assert_int_equal(a.length, 1);
	assert_int_equal(a.null_count, 0);
	assert_null(a.buffers[0]);
	a.release(&a);
	arrow_column_free(&c);
}

static void test_bits(void **state)
{
	struct arrow_column c = ARROW_COLUMN("b", ARROW_BOOL);
	struct ArrowArray a;

	(void)state;
	for (uint64_t i = 0; i < 9; i++)
		arrow_put_int(&c, i == 3 || i == 8);
	assert_int_equal(arrow_column_take(&c, &a), 0);
	assert_int_equal(((const uint8_t *)a.buffers[1])[0], 8);
	assert_int_equal(((const uint8_t *)a.buffers[1])[1], 1);
	a.release(&a);
	arrow_column_free(&c);
}

/* Two texts that are the same after their bytes were made valid are one word: pandas wants different ones. */
static void test_words(void **state)
{
	struct arrow_column c = ARROW_COLUMN("comm", ARROW_WORD);
	struct ArrowArray a;
	static const int32_t want[] = { 0, 1, 0, 2, 2, 3 };

	(void)state;
	arrow_put_word(&c, 7, "bash");
	arrow_put_word(&c, 8, "");
	arrow_put_word(&c, 7, "bash");
	arrow_put_text(&c, "a\xff" "b", 3);
	arrow_put_text(&c, "a\xfe" "b", 3);
	arrow_put_word(&c, 9, "bas");
	assert_int_equal(arrow_column_take(&c, &a), 0);
	assert_memory_equal(a.buffers[1], want, sizeof(want));
	assert_int_equal(a.dictionary->length, 4);
	assert_text(a.dictionary, 0, "bash");
	assert_text(a.dictionary, 1, "");
	assert_text(a.dictionary, 2, "a\xef\xbf\xbd" "b");
	assert_text(a.dictionary, 3, "bas");
	a.release(&a);
	/* a batch has words of its own */
	arrow_put_word(&c, 9, "bas");
	assert_int_equal(arrow_column_take(&c, &a), 0);
	assert_int_equal(a.dictionary->length, 1);
	a.release(&a);
	arrow_column_free(&c);
}

/* A struct of a number, a text, and a list of words. */
struct table_column {
	struct arrow_column root, columns[3], item;
};

static void init_table(struct table_column *t)
{
	*t = (struct table_column){ .root = ARROW_COLUMN("", ARROW_STRUCT), .item = ARROW_COLUMN("item", ARROW_WORD) };
	t->columns[0] = ARROW_COLUMN("n", ARROW_U64);
	t->columns[1] = ARROW_COLUMN("t\xff", ARROW_TEXT);
	t->columns[2] = ARROW_COLUMN("l", ARROW_LIST);
	t->columns[2].children = &t->item;
	t->columns[2].nr_children = 1;
	t->root.children = t->columns;
	t->root.nr_children = 3;
}

static void test_nested(void **state)
{
	struct table_column t;
	struct ArrowArray a, taken;

	(void)state;
	init_table(&t);
	arrow_put_int(&t.columns[0], UINT64_MAX);
	arrow_put_text(&t.columns[1], "x\x80", 2);
	arrow_put_word(&t.item, 1, "main");
	arrow_put_word(&t.item, 2, "a");
	arrow_end_row(&t.columns[2]);
	arrow_end_row(&t.root);
	arrow_put_null(&t.root);
	assert_true(arrow_column_bytes(&t.root) > 8);
	assert_int_equal(arrow_column_take(&t.root, &a), 0);
	assert_int_equal(arrow_column_bytes(&t.root), 0);
	assert_int_equal(a.length, 2);
	assert_int_equal(a.n_children, 3);
	assert_false(is_valid(&a, 1));
	assert_true(((const uint64_t *)a.children[0]->buffers[1])[0] == UINT64_MAX);
	assert_text(a.children[1], 0, "x\xef\xbf\xbd");
	assert_int_equal(ends_of(a.children[2])[1], 2);
	assert_int_equal(ends_of(a.children[2])[2], 2);
	assert_text(a.children[2]->children[0]->dictionary, 1, "a");
	/* a consumer may move a child away and use it after the rest */
	taken = *a.children[1];
	a.children[1]->release = NULL;
	a.release(&a);
	assert_text(&taken, 0, "x\xef\xbf\xbd");
	taken.release(&taken);
	arrow_column_free(&t.root);
}

static void test_nothing(void **state)
{
	struct table_column t;
	struct ArrowArray a;

	(void)state;
	init_table(&t);
	assert_int_equal(arrow_column_take(&t.root, &a), 0);
	assert_int_equal(a.length, 0);
	assert_non_null(a.children[0]->buffers[1]);
	assert_int_equal(ends_of(a.children[1])[0], 0);
	assert_int_equal(ends_of(a.children[2])[0], 0);
	assert_int_equal(ends_of(a.children[2]->children[0]->dictionary)[0], 0);
	a.release(&a);
	arrow_column_free(&t.root);
}

/* Offsets have 32 bits. */
static void test_too_long(void **state)
{
	struct arrow_column c = ARROW_COLUMN("t", ARROW_TEXT);
	struct ArrowArray a;
	size_t n;

	(void)state;
	arrow_put_text(&c, "x", 1);
	n = c.values.n;
	c.values.n = (size_t)INT32_MAX + 1;
	assert_int_equal(arrow_column_take(&c, &a), -SONDE_UNSUPPORTED);
	c.values.n = n;
	assert_int_equal(arrow_column_take(&c, &a), 0);
	a.release(&a);
	arrow_column_free(&c);
}

/* Words are compared before that is found. */
static void test_words_behind_2_gib(void **state)
{
	const size_t size = (size_t)INT32_MAX + (1 << 20);
	struct arrow_column c = ARROW_COLUMN("w", ARROW_WORD);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const uint32_t *numbers;
	struct ArrowArray a;

	(void)state;
	if (p == MAP_FAILED)
		skip();
	c.words.text = (struct buf){ .p = p, .cap = size, .fd = -1 };
	arrow_put_text(&c, "first", 5);
	c.words.text.n = (size_t)INT32_MAX + 10;
	for (int i = 0; i < 3; i++)
		arrow_put_text(&c, "late", 4);
	numbers = (const uint32_t *)(const void *)c.values.p;
	assert_int_equal(numbers[2], 2);     /* behind the gap of the test */
	assert_int_equal(numbers[3], 2);
	assert_int_equal(arrow_column_take(&c, &a), -SONDE_UNSUPPORTED);
	c.words.text = BUF_MEMORY;
	arrow_column_free(&c);
	munmap(p, size);
}

static void test_schema(void **state)
{
	struct table_column t;
	struct ArrowSchema s, taken;
	static const char clock[] = "\1\0\0\0" "\5\0\0\0" "clock" "\4\0\0\0" "perf";

	(void)state;
	init_table(&t);
	assert_int_equal(arrow_column_schema(&t.root, "perf", &s), 0);
	assert_string_equal(s.format, "+s");
	assert_int_equal(s.n_children, 3);
	if (*(const char *)&(const int){ 1 })    /* metadata has the byte order of the machine */
		assert_memory_equal(s.metadata, clock, sizeof(clock) - 1);
	assert_string_equal(s.children[0]->format, "L");
	assert_string_equal(s.children[1]->name, "t\xef\xbf\xbd");
	assert_string_equal(s.children[2]->format, "+l");
	assert_string_equal(s.children[2]->children[0]->dictionary->format, "u");
	taken = *s.children[2];
	s.children[2]->release = NULL;
	s.release(&s);
	assert_string_equal(taken.name, "l");
	taken.release(&taken);
	arrow_column_free(&t.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_and_nulls), cmocka_unit_test(test_bits), cmocka_unit_test(test_words),
		cmocka_unit_test(test_nested), cmocka_unit_test(test_nothing), cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_words_behind_2_gib), cmocka_unit_test(test_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

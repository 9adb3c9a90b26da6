/* SPDX-License-Identifier: MIT */
#include "analyze/rows/event_cells.h"
#include "analyze/rows/hists.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/rows/stack_tree.h"

/* The tables are made by hand: nothing has been gathered. Functions without symbols: the address is the name. */
enum { MAIN = 1, LEAF, WORK, OTHER };

static struct sonde_profile p;
static struct hists hists;

static uint32_t frame(uint64_t addr)
{
	for (uint32_t i = 0; i < p.frames.list.n; i++)
		if (p.frames.list.at[i].addr == addr)
			return i;
	assert_int_equal(vec_push(&p.frames.list,
				  ((struct frame){ .symbol = SYMTAB_NONE, .cpumode = CPUMODE_USER, .addr = addr })),
			 0);
	return (uint32_t)p.frames.list.n - 1;
}

static uint32_t task(int32_t pid, const char *comm)
{
	uint32_t name = strpool_add(&p.names, comm, strlen(comm));

	assert_int_equal(vec_push(&p.who, ((struct sonde_profile_task){ pid, pid, strpool_get(&p.names, name) })), 0);
	return (uint32_t)p.who.n - 1;
}

/* Counts a stack, given from outside and ended by 0, whose innermost function was hit. */
static void count(uint32_t who, uint64_t period, const uint64_t *addrs)
{
	struct sonde_profile_cell c = { .task = who, .cpu = -1, .samples = 1, .period = period };

	for (; *addrs; addrs++) {
		c.frame = frame(*addrs);
		c.stack = stacks_push(&p.stacks, c.stack, c.frame);
	}
	assert_int_equal(vec_push(&p.cells, c), 0);
	p.events.at[0].samples++;
	p.events.at[0].all_period = p.events.at[0].period += period;
}

#define STACK(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static int set_up(void **state)
{
	const struct symbols_opts none = { .cache_dir = "" };

	(void)state;
	p = (struct sonde_profile){ .symbols = symbols_new(&none) };
	assert_non_null(p.symbols);
	frames_init(&p.frames, p.symbols);
	assert_int_equal(stacks_init(&p.stacks), 0);
	assert_int_equal(vec_push(&p.events, ((struct sonde_profile_event){ .name = "cycles" })), 0);
	hists = (struct hists){ 0 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hists_free(&hists);
	profile_tables_free(&p);
	return 0;
}

/* The tree of each row, made for that row alone, is that of hists_make(). */
static void compare_single_trees(struct hists_opts opts)
{
	struct hists plain, one;

	opts.graph = false;
	assert_int_equal(hists_make(&plain, &p, &opts), 0);
	assert_int_equal(plain.list.n, hists.list.n);
	for (size_t i = 0; i < plain.list.n; i++) {
		const struct hist_entry *row = &hists.list.at[i];

		assert_int_equal(hists_make_tree(&one, &plain, &plain.list.at[i], &p, &opts), 0);
		assert_int_equal(one.list.n, 1);
		assert_int_equal(one.list.at[0].nr_tree, row->nr_tree);
		assert_int_equal(one.list.at[0].inner.period, row->inner.period);
		for (uint32_t k = 0; k < row->nr_tree; k++) {
			const struct call_node *a = &one.tree.at[one.list.at[0].tree + k],
					       *b = &hists.tree.at[row->tree + k];

			assert_int_equal(a->frame, b->frame);
			assert_int_equal(a->value, b->value);
			assert_int_equal(a->inner.period, b->inner.period);
			assert_int_equal(a->parent == UINT32_MAX, b->parent == UINT32_MAX);
		}
		hists_free(&one);
	}
	hists_free(&plain);
}

static void make(const struct hists_opts *opts)
{
	struct hists_opts all = *opts;
	struct event_cells cells = { 0 };

	hists_free(&hists);
	assert_int_equal(event_cells_make(&cells, &p, &(struct cells_wanted){ 0 }), 0);
	all.cells = &cells;
	assert_int_equal(hists_make(&hists, &p, &all), 0);
	if (all.graph)
		compare_single_trees(all);
	event_cells_free(&cells);
}

static uint64_t addr_of(size_t row)
{
	return p.frames.list.at[hists.list.at[row].frame].addr;
}

/* The node that hangs on `parent` and is at an address; NULL if there is none. */
static const struct call_node *node(const struct hist_entry *row, uint32_t parent, uint64_t addr)
{
	for (uint32_t i = row->tree; i < row->tree + row->nr_tree; i++)
		if (hists.tree.at[i].parent == parent && p.frames.list.at[hists.tree.at[i].frame].addr == addr)
			return &hists.tree.at[i];
	return NULL;
}

static uint32_t number(const struct call_node *b)
{
	return (uint32_t)(b - hists.tree.at);
}

static uint64_t comm_of(const struct hists_opts *o, const struct sonde_profile *profile,
			const struct sonde_profile_cell *c)
{
	(void)o;
	return (uintptr_t)profile->who.at[c->task].comm;
}

static uint64_t function_of(const struct stack_tree *f, uint32_t number_of_frame)
{
	return f->symbol_of_frame[number_of_frame];
}

static int largest_first(const struct hists_opts *o, const struct sonde_profile *profile, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	uint64_t x = o->children ? a->children : a->self, y = o->children ? b->children : b->self;

	(void)profile;
	return x > y ? -1 : x < y;
}

static int deepest_first(const struct hists_opts *o, const struct sonde_profile *profile, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	int r = (b->depth > a->depth) - (b->depth < a->depth);

	(void)profile;
	return o->callee ? -r : r;
}

static const struct hist_key by_comm = { .of_cell = comm_of }, by_function = { .of_frame = function_of };
static const struct hist_key *const both[] = { &by_comm, &by_function }, *const comm_only[] = { &by_comm },
				    *const function_only[] = { &by_function };
static const hist_order orders[] = { largest_first, deepest_first };

#define BY_FUNCTION .keys = both, .nr_keys = 2, .orders = orders, .nr_orders = 1
#define DEEP_FIRST .keys = both, .nr_keys = 2, .orders = orders, .nr_orders = 2

static void test_own_shares_add_up_and_are_in_order(void **state)
{
	uint32_t a = task(1, "a"), b = task(2, "b");

	(void)state;
	count(a, 10, STACK(MAIN, WORK));
	count(a, 30, STACK(MAIN, WORK, LEAF));
	count(a, 5, STACK(MAIN, OTHER, LEAF));
	count(b, 20, STACK(MAIN));
	make(&(struct hists_opts){ BY_FUNCTION });
	assert_int_equal(hists.total, 65);
	assert_int_equal(hists.list.n, 3);
	assert_int_equal(addr_of(0), LEAF);
	assert_int_equal(hists.list.at[0].self, 35);
	assert_int_equal(hists.list.at[0].samples, 2);
	assert_int_equal(addr_of(1), MAIN);
	assert_int_equal(hists.list.at[1].self, 20);
	assert_int_equal(addr_of(2), WORK);
	assert_int_equal(hists.list.at[2].self, 10);
	make(&(struct hists_opts){ .keys = comm_only, .nr_keys = 1, .orders = orders, .nr_orders = 1 });
	assert_int_equal(hists.list.n, 2);
	assert_int_equal(hists.list.at[0].self, 45);
	make(&(struct hists_opts){ .keys = function_only, .nr_keys = 1, .orders = orders, .nr_orders = 1 });
	assert_int_equal(hists.list.n, 3);
}

static void test_equal_shares_are_ordered_by_name(void **state)
{
	uint32_t b = task(2, "b"), a = task(1, "a");

	(void)state;
	count(b, 7, STACK(LEAF));
	count(a, 7, STACK(LEAF));
	count(a, 7, STACK(MAIN));
	make(&(struct hists_opts){ BY_FUNCTION });
	assert_string_equal(p.who.at[hists.list.at[0].task].comm, "a");
	assert_int_equal(addr_of(0), MAIN);
	assert_int_equal(addr_of(1), LEAF);
	assert_string_equal(p.who.at[hists.list.at[2].task].comm, "b");
}

static void test_a_recursive_function_counts_once_a_stack(void **state)
{
	uint32_t a = task(1, "a");

	(void)state;
	count(a, 10, STACK(MAIN, WORK, WORK, WORK, LEAF));
	count(a, 1, STACK(MAIN, WORK, LEAF, WORK));
	make(&(struct hists_opts){ BY_FUNCTION, .children = true });
	assert_int_equal(hists.list.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(hists.list.at[i].children, 11);
		assert_int_equal(hists.list.at[i].self, addr_of(i) == LEAF ? 10 : addr_of(i) == WORK ? 1 : 0);
	}
}

static void test_of_equal_shares_the_one_with_more_below_comes_first(void **state)
{
	uint32_t a = task(1, "a");

	(void)state;
	count(a, 10, STACK(WORK, LEAF, MAIN));
	count(a, 10, STACK(WORK, LEAF, OTHER));
	make(&(struct hists_opts){ DEEP_FIRST, .children = true });
	assert_int_equal(addr_of(0), WORK);
	assert_int_equal(addr_of(1), LEAF);
	make(&(struct hists_opts){ DEEP_FIRST, .children = true, .callee = true });
	assert_int_equal(addr_of(0), WORK);
	assert_int_equal(addr_of(1), LEAF);
}

static void test_the_tree_of_a_caller_goes_inwards(void **state)
{
	const struct call_node *main_node, *work;
	uint32_t a = task(1, "a");

	(void)state;
	count(a, 60, STACK(MAIN, WORK, LEAF));
	count(a, 30, STACK(MAIN, WORK));
	count(a, 9, STACK(MAIN, OTHER));
	count(a, 1, STACK(MAIN, LEAF));
	make(&(struct hists_opts){ BY_FUNCTION, .children = true, .graph = true, .graph_limit = 5 });
	assert_int_equal(addr_of(0), MAIN);
	main_node = node(&hists.list.at[0], UINT32_MAX, MAIN);
	assert_non_null(main_node);
	assert_int_equal(main_node->value, 100);
	work = node(&hists.list.at[0], number(main_node), WORK);
	assert_non_null(work);
	assert_int_equal(work->value, 90);
	assert_int_equal(node(&hists.list.at[0], number(work), LEAF)->value, 60);
	assert_int_equal(node(&hists.list.at[0], number(main_node), OTHER)->value, 9);
	assert_null(node(&hists.list.at[0], number(main_node), LEAF));  /* below the limit */
	assert_int_equal(main_node->inner.period, 100);
	assert_int_equal(main_node->inner.samples, 4);
	assert_int_equal(main_node->samples, 4);
	/* what hit WORK itself comes from outside, what went on begins with it */
	assert_int_equal(addr_of(1), WORK);
	assert_int_equal(node(&hists.list.at[1], UINT32_MAX, MAIN)->value, 30);
	assert_int_equal(node(&hists.list.at[1], UINT32_MAX, WORK)->value, 60);
}

static void test_the_tree_of_a_callee_goes_outwards(void **state)
{
	const struct call_node *leaf, *work;
	uint32_t a = task(1, "a");

	(void)state;
	count(a, 60, STACK(MAIN, WORK, LEAF));
	count(a, 40, STACK(MAIN, OTHER, LEAF));
	make(&(struct hists_opts){ BY_FUNCTION, .graph = true, .graph_limit = 0.5, .callee = true });
	assert_int_equal(hists.list.n, 1);
	leaf = node(&hists.list.at[0], UINT32_MAX, LEAF);
	assert_int_equal(leaf->value, 100);
	work = node(&hists.list.at[0], number(leaf), WORK);
	assert_int_equal(work->value, 60);
	assert_int_equal(node(&hists.list.at[0], number(leaf), OTHER)->value, 40);
	assert_int_equal(node(&hists.list.at[0], number(work), MAIN)->value, 60);
	make(&(struct hists_opts){ BY_FUNCTION, .graph = true, .graph_limit = 0.5, .callee = true, .children = true });
	assert_int_equal(hists.list.n, 4);
	for (size_t i = 0; i < hists.list.n; i++)
		if (addr_of(i) == WORK) {
			work = node(&hists.list.at[i], UINT32_MAX, WORK);
			assert_int_equal(work->value, 60);
			assert_int_equal(node(&hists.list.at[i], number(work), MAIN)->value, 60);
		}
}

static void test_filters(void **state)
{
	const char *const unknown[] = { "[unknown]" }, *const none[] = { "libc.so.6" };
	uint32_t a = task(1, "a");

	(void)state;
	count(a, 60, STACK(MAIN));
	make(&(struct hists_opts){ BY_FUNCTION, .dsos = unknown, .nr_dsos = 1 });
	assert_int_equal(hists.list.n, 1);
	assert_int_equal(hists.total, 60);
	make(&(struct hists_opts){ BY_FUNCTION, .dsos = none, .nr_dsos = 1 });
	assert_int_equal(hists.list.n, 0);
	assert_int_equal(hists.total, 0);
	make(&(struct hists_opts){ BY_FUNCTION, .dsos = none, .nr_dsos = 1, .absolute = true });
	assert_int_equal(hists.total, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_shares_add_up_and_are_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_equal_shares_are_ordered_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_recursive_function_counts_once_a_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_of_equal_shares_the_one_with_more_below_comes_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_the_tree_of_a_caller_goes_inwards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_tree_of_a_callee_goes_outwards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_filters, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

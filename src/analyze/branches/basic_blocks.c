/* SPDX-License-Identifier: MIT */
#include "analyze/branches/basic_blocks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The recorder asked for some kinds of branches: those of other kinds lie unseen between two entries. */
#define SOME_BRANCHES \
	(PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL | \
	 PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL)

/* A block by its addresses. Most blocks of a sample are those of samples before: looking symbols up costs more. */
struct known_block {
	maps_root user, kernel;
	uint64_t start, end;
	uint32_t number_1;           /* in the list, plus 1; 0: the slot is free */
};

enum { NR_KNOWN = 4096, OUTSIDE = UINT32_MAX /* its end is in no function */ };

bool basic_blocks_expected(const struct sonde_attr *attr)
{
	return attr && attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

/* The function at an address and the offset in it; false: there is none. */
static bool find_place(struct symbols *symbols, const struct task_roots *roots, uint64_t ip, struct block_function *f,
		       uint64_t *offset)
{
	struct addr_location at = addr_location_find(symbols, task_roots_get(roots, CPUMODE_UNKNOWN, ip), ip, false);

	if (!addr_location_symbol(&at, ip, offset))
		return false;
	*f = (struct block_function){ at.mapping->binary, at.table, at.symbol };
	return true;
}

static bool is_same_function(const struct block_function *a, const struct block_function *b)
{
	return a->binary == b->binary && a->symbol == b->symbol;
}

/* The number of the block in the list; HASH_INDEX_NONE when out of memory. */
static uint32_t number_of(struct basic_blocks *b, const struct basic_block *key)
{
	uint64_t hash = hash_two(hash_index_seed(&b->index) ^ (uintptr_t)key->function.binary ^ key->function.symbol,
				 key->start << 32 ^ key->end);
	uint32_t i;

	hash_index_each(&b->index, hash, i)
		if (is_same_function(&b->list.at[i].function, &key->function) && b->list.at[i].start == key->start &&
		    b->list.at[i].end == key->end)
			return i;
	i = (uint32_t)b->list.n;
	return vec_push(&b->list, *key) < 0 || hash_index_add(&b->index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

/* A block from its addresses. @slot: gets its number. 0 or -SONDE_NOMEM. */
static int find_block(struct basic_blocks *b, struct symbols *symbols, const struct task_roots *roots,
		      struct known_block *slot)
{
	struct basic_block key = { .start = NO_BLOCK_START };
	struct block_function of_start;
	uint64_t start;
	uint32_t number;

	slot->number_1 = OUTSIDE;
	if (!find_place(symbols, roots, slot->end, &key.function, &key.end))
		return 0;
	if (slot->start != NO_BLOCK_START && find_place(symbols, roots, slot->start, &of_start, &start) &&
	    is_same_function(&of_start, &key.function) && start <= key.end)
		key.start = start;
	number = number_of(b, &key);
	if (number == HASH_INDEX_NONE)
		return -SONDE_NOMEM;
	slot->number_1 = number + 1;
	return 0;
}

static struct known_block *slot_of(struct basic_blocks *b, const struct task_roots *roots, uint64_t start,
				   uint64_t end)
{
	uint64_t hash = hash_two((uintptr_t)roots->user ^ (uintptr_t)roots->kernel ^ start, end);
	struct known_block *k = &b->known[hash % NR_KNOWN];

	if (k->start != start || k->end != end || k->user != roots->user || k->kernel != roots->kernel)
		*k = (struct known_block){ roots->user, roots->kernel, start, end, 0 };
	return k;
}

static void count(struct basic_block *block, uint64_t flags, uint32_t cycles)
{
	block->runs++;
	block->predicted += (flags & BRANCH_PREDICTED) != 0;
	if (!cycles)
		return;
	block->timed++;
	block->cycles += cycles;
	if (!block->min_cycles || cycles < block->min_cycles)
		block->min_cycles = cycles;
	if (cycles > block->max_cycles)
		block->max_cycles = cycles;
}

int basic_blocks_take(struct basic_blocks *b, struct symbols *symbols, const struct task_roots *roots,
		      const struct branches *branches, const struct sonde_attr *attr)
{
	const struct sample s = { .branches = *branches };
	const bool all = attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY ||
			 !(attr->branch_sample_type & SOME_BRANCHES);
	const bool has_cycles = branches->nr && branch_cycles(sample_branch_at(&s, 0).flags);

	if (!b->known)
		b->known = calloc(NR_KNOWN, sizeof(*b->known));
	if (!b->known)
		return -SONDE_NOMEM;
	b->is_sorted = false;
	for (uint64_t i = 0; i < branches->nr; i++) {
		const struct sonde_branch last = sample_branch_at(&s, i);
		const bool has_start = all && i + 1 < branches->nr;
		const uint32_t cycles = has_cycles ? branch_cycles(last.flags) : 0;
		struct known_block *k = slot_of(b, roots, has_start ? sample_branch_at(&s, i + 1).to : NO_BLOCK_START,
						last.from);

		b->cycles += cycles;
		if (!k->number_1 && find_block(b, symbols, roots, k) < 0)
			return -SONDE_NOMEM;
		if (k->number_1 != OUTSIDE)
			count(&b->list.at[k->number_1 - 1], last.flags, cycles);
	}
	return 0;
}

void basic_blocks_restart(struct basic_blocks *b)
{
	free(b->known);
	b->known = NULL;
}

int block_function_compare(const struct block_function *a, const struct block_function *b)
{
	if (a->binary != b->binary)
		return a->binary->index < b->binary->index ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* The longest of the blocks with the same end first. */
static int by_place(const void *a, const void *b)
{
	const struct basic_block *x = a, *y = b;
	int r = block_function_compare(&x->function, &y->function);

	if (r)
		return r;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* A block that is its branch alone counts as one without a start: its instructions are not those between two places. */
static uint64_t start_of(const struct basic_block *block)
{
	return block->start == block->end ? NO_BLOCK_START : block->start;
}

static void add_to_end(struct block_end *e, const struct basic_block *block)
{
	if (start_of(block) == e->start) {
		e->longest_timed += block->timed;
		e->longest_cycles += block->cycles;
	}
	e->timed += block->timed;
	e->cycles += block->cycles;
	if (!e->min_cycles || block->min_cycles < e->min_cycles)
		e->min_cycles = block->min_cycles;
	if (block->max_cycles > e->max_cycles)
		e->max_cycles = block->max_cycles;
}

/* Room for all is there. */
static void sum_up(struct basic_blocks *b)
{
	for (size_t i = 0; i < b->sorted.n; i++) {
		const struct basic_block *from = &b->sorted.at[i];
		const struct block_end *before = b->ends.n ? &b->ends.at[b->ends.n - 1] : NULL;

		if (!from->timed)
			continue;
		if (!before || before->end != from->end || !is_same_function(&before->function, &from->function))
			b->ends.at[b->ends.n++] = (struct block_end){
				.function = from->function, .end = from->end, .start = start_of(from),
			};
		add_to_end(&b->ends.at[b->ends.n - 1], from);
	}
}

static int sort(struct basic_blocks *b)
{
	const size_t n = b->list.n;

	b->sorted.n = b->ends.n = 0;
	if (n && (vec_reserve(&b->sorted, n) < 0 || vec_reserve(&b->ends, n) < 0))
		return -SONDE_NOMEM;
	if (n) {
		memcpy(b->sorted.at, b->list.at, n * sizeof(*b->list.at));
		b->sorted.n = n;
		qsort(b->sorted.at, n, sizeof(*b->sorted.at), by_place);
	}
	sum_up(b);
	b->is_sorted = true;
	return 0;
}

/* How many of n sorted elements, which begin with their function, come before a function; @with: or belong to it. */
static size_t nr_before(const void *at, size_t n, size_t size, const struct block_function *f, bool with)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const void *element = (const char *)at + middle * size;

		if (block_function_compare(element, f) < (with ? 1 : 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the elements of a function in a sorted array; NULL: all. */
static void narrow(const void *at, size_t all, size_t size, const struct block_function *of, size_t *from, size_t *n)
{
	*from = of ? nr_before(at, all, size, of, false) : 0;
	*n = (of ? nr_before(at, all, size, of, true) : all) - *from;
}

int basic_blocks_sorted(struct basic_blocks *b, const struct block_function *of, const struct basic_block **list,
			size_t *n)
{
	size_t from;

	if (!b->is_sorted && sort(b) < 0)
		return -SONDE_NOMEM;
	narrow(b->sorted.at, b->sorted.n, sizeof(*b->sorted.at), of, &from, n);
	*list = *n ? &b->sorted.at[from] : NULL;
	return 0;
}

int basic_blocks_ends(struct basic_blocks *b, const struct block_function *of, const struct block_end **list,
		      size_t *n)
{
	size_t from;

	if (!b->is_sorted && sort(b) < 0)
		return -SONDE_NOMEM;
	narrow(b->ends.at, b->ends.n, sizeof(*b->ends.at), of, &from, n);
	*list = *n ? &b->ends.at[from] : NULL;
	return 0;
}

void basic_blocks_free(struct basic_blocks *b)
{
	vec_free(&b->list);
	vec_free(&b->sorted);
	hash_index_free(&b->index);
	vec_free(&b->ends);
	free(b->known);
}

/* SPDX-License-Identifier: MIT */
/*
 * basic_blocks.h - runs of code without a taken branch, from branch stacks: how often they ran, and their cycles
 *
 * A block ends with the branch of an entry of a branch stack. It began where the branch before went to, the next entry
 * of the stack. The oldest entry shows only the end of its block.
 */
#ifndef ANALYZE_BRANCHES_BASIC_BLOCKS_H
#define ANALYZE_BRANCHES_BASIC_BLOCKS_H

#include "model/event.h"
#include "resolve/addr_location.h"
#include "threads/tasks.h"

#define NO_BLOCK_START UINT64_MAX

/* The function of a block; tables and symbols are those of struct addr_location. */
struct block_function {
	const struct binary *binary;
	struct symtab *table;        /* NULL: a BPF program, which is one function */
	uint32_t symbol;
};

/* The order of functions: by number of the binary, then symbol. */
int block_function_compare(const struct block_function *a, const struct block_function *b);

struct basic_block {
	struct block_function function;
	uint64_t start;              /* offset in the function; NO_BLOCK_START: not known, or behind the end */
	uint64_t end;                /* offset of the branch that ends it */
	uint64_t runs;
	uint64_t predicted;          /* runs whose last branch was predicted */
	uint64_t timed, cycles;      /* runs with cycles, and their sum */
	uint32_t min_cycles, max_cycles;     /* of a run with cycles */
};

/* The blocks that end with the same branch. */
struct block_end {
	struct block_function function;
	uint64_t end;
	uint64_t start;              /* of the longest of them; NO_BLOCK_START: none begins before its branch */
	uint64_t timed, cycles;      /* runs with cycles of all of them, and their sum */
	uint64_t longest_timed, longest_cycles;      /* of the longest one */
	uint32_t min_cycles, max_cycles;
};

struct known_block;

/* {0} has no blocks. */
struct basic_blocks {
	VEC(struct basic_block) list;        /* each once */
	struct hash_index index;
	struct known_block *known;   /* blocks by the addresses of a trace */
	uint64_t cycles;             /* of all branches, also of those outside of functions */
	/* Of basic_blocks_sorted() and basic_blocks_ends(), if is_sorted. */
	VEC(struct basic_block) sorted;
	VEC(struct block_end) ends;
	bool is_sorted;
};

/* Whether the branch stacks of an event show blocks. A call stack does not. */
bool basic_blocks_expected(const struct sonde_attr *attr);

/* Takes the blocks of a sample. @roots: of its task at its time. 0 or -SONDE_NOMEM. */
int basic_blocks_take(struct basic_blocks *b, struct symbols *symbols, const struct task_roots *roots,
		      const struct branches *branches, const struct sonde_attr *attr);

/* Another trace begins: mappings that are known are void. */
void basic_blocks_restart(struct basic_blocks *b);

/*
 * The blocks by function, then by the offset of their last branch. 0 or -SONDE_NOMEM.
 * @of: blocks of this function only; NULL: of all
 * @list: a view until the next sample
 */
int basic_blocks_sorted(struct basic_blocks *b, const struct block_function *of, const struct basic_block **list,
			size_t *n);

/* The same of the blocks with cycles: one for each last branch. */
int basic_blocks_ends(struct basic_blocks *b, const struct block_function *of, const struct block_end **list,
		      size_t *n);

void basic_blocks_free(struct basic_blocks *b);

#endif

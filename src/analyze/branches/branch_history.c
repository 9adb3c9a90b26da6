/* SPDX-License-Identifier: MIT */
#include "analyze/branches/branch_history.h"

#include <string.h>

#include "model/context_markers.h"

enum {
	BRANCHES_MAX = 127,          /* no processor records more */
	NR_SLOTS = 127,
	CALL_BYTES = 8,              /* a call instruction is not longer */
};

struct turn {
	struct sonde_branch branch;
	/* of the loop that this branch led to: turns that were left out, and the cycles of the last of them */
	uint32_t iterations, cycles;
};

/* The place of a branch among the first branches of each source, by perf's hash, so that the same loops are found. */
static size_t slot_of(uint64_t from)
{
	return (from * UINT64_C(0x61c8864680b583eb) >> 57) % NR_SLOTS;
}

/* Whether the branches before @at, from @first on, came once more, or the stack ends in their repetition. */
static bool is_repeated(const struct turn *turns, size_t n, size_t first, size_t at)
{
	for (size_t i = first; i < at && at + i - first < n; i++)
		if (turns[i].branch.from != turns[at + i - first].branch.from)
			return false;
	return true;
}

/* Leaves out turns of loops that are as the turn before them; how many branches are left. */
static size_t leave_loops_out(struct turn *turns, size_t n)
{
	uint8_t first_of[NR_SLOTS];  /* the number of a branch + 1 */

	memset(first_of, 0, sizeof(first_of));
	for (size_t i = 0; i < n; i++) {
		uint8_t *slot = &first_of[slot_of(turns[i].branch.from)];
		size_t first = (size_t)*slot - 1, length, rest;
		uint32_t cycles = 0;

		if (!*slot) {
			*slot = (uint8_t)(i + 1);
			continue;
		}
		if (turns[first].branch.from != turns[i].branch.from || !is_repeated(turns, n, first, i))
			continue;
		length = n - i < i - first ? n - i : i - first;
		rest = n - i - length;
		for (size_t k = i; k < i + length; k++)
			cycles += branch_cycles(turns[k].branch.flags);
		if (rest) {
			turns[i + length].iterations++;
			turns[i + length].cycles = cycles;
			memmove(&turns[i], &turns[i + length], rest * sizeof(*turns));
		}
		n -= length;
	}
	return n;
}

/* One end of a branch to the frames of the stack at hand. 0 or -SONDE_NOMEM. */
static int add_end(struct stacks *s, struct frames *f, const struct task_roots *roots, uint64_t ip,
		   const struct branch_end *end)
{
	maps_root root = task_roots_get(roots, CPUMODE_UNKNOWN, ip);
	uint8_t mode = root == roots->kernel ? CPUMODE_KERNEL : CPUMODE_USER;
	const struct frame_slot *found = frames_get(f, root, mode, ip, false);
	uint32_t frame;

	if (!found)
		return -SONDE_NOMEM;
	if (s->named_only && !frame_symbol(&f->list.at[found->interrupted]))
		return 0;
	frame = f->by_branch ? frames_of_branch(f, found->interrupted, end) : found->interrupted;
	return frame == HASH_INDEX_NONE || vec_push(&s->frames, frame) < 0 ? -SONDE_NOMEM : 0;
}

static int add_branch(struct stacks *s, struct frames *f, const struct task_roots *roots, const struct turn *t)
{
	const struct branch_end target = { .is_target = true, .predicted = t->branch.flags & BRANCH_PREDICTED,
					   .aborted = t->branch.flags & BRANCH_ABORTED };
	const struct branch_end source = { .cycles = branch_cycles(t->branch.flags), .iterations = t->iterations,
					   .iteration_cycles = t->cycles };
	int r = add_end(s, f, roots, t->branch.to, &target);

	return r < 0 ? r : add_end(s, f, roots, t->branch.from, &source);
}

uint32_t branch_history_push(struct stacks *s, struct frames *f, const struct task_roots *roots, uint32_t outer,
			     const struct branches *branches)
{
	const struct sample sample = { .branches = *branches };
	bool oldest_first = s->keeps_outermost;      /* trees begin there */
	uint32_t stack = outer;
	struct turn turns[BRANCHES_MAX] = { 0 };
	size_t n;

	if (branches->nr > BRANCHES_MAX)     /* damaged */
		return outer;
	n = branches->nr < s->max_frames ? branches->nr : s->max_frames;
	for (size_t i = 0; i < n; i++)
		turns[i].branch = sample_branch_at(&sample, oldest_first ? branches->nr - 1 - i : i);
	n = leave_loops_out(turns, n);
	s->frames.n = 0;
	for (size_t i = 0; i < n; i++)
		if (add_branch(s, f, roots, &turns[i]) < 0)
			return HASH_INDEX_NONE;
	n = s->frames.n;
	for (size_t i = 0; i < n && stack != HASH_INDEX_NONE; i++)
		stack = stacks_push(s, stack, s->frames.at[oldest_first ? i : n - 1 - i]);
	return stack;
}

uint64_t branch_history_overlap(const struct branches *branches, const struct u64s *chain)
{
	const struct sample sample = { .branches = *branches };
	uint64_t frames = 0, branch = 0;

	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = u64s_at(chain, i), from;

		if (ip >= CONTEXT_MAX)
			continue;
		for (; frames && branch < branches->nr; branch++) {
			from = sample_branch_at(&sample, branch).from;
			if (from < ip && ip - from <= CALL_BYTES)
				break;
		}
		if (frames && branch++ == branches->nr)
			break;
		frames++;
	}
	return frames;
}

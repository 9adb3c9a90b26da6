/* SPDX-License-Identifier: MIT */
#include "analyze/stacks.h"

#include <string.h>

#include "base/zeros.h"
#include "threads/callchain.h"

enum { MEMO_SLOTS = 1 << 12, MEMO_LONGEST = 4096 };  /* bytes of a chain worth keeping */

struct chain_memo {
	struct task_roots roots;
	uint8_t *bytes;
	uint32_t size, cap;
	uint32_t stack;
	uint8_t cpumode;
	bool unwound;
};

int stacks_init(struct stacks *s, bool callchains)
{
	*s = (struct stacks){ 0 };
	s->memo = callchains ? zeros_alloc(MEMO_SLOTS, sizeof(*s->memo)) : NULL;
	if (!s->memo != !callchains || vec_push(&s->list, ((struct sonde_profile_stack){ 0, UINT32_MAX })) < 0 ||
	    vec_push(&s->last, ((struct stack_child){ UINT32_MAX, 0 })) < 0)
		return -SONDE_NOMEM;
	return 0;
}

int stacks_expect_chains(struct stacks *s)
{
	if (!s->memo)
		s->memo = zeros_alloc(MEMO_SLOTS, sizeof(*s->memo));
	return s->memo ? 0 : -SONDE_NOMEM;
}

void stacks_free(struct stacks *s)
{
	for (size_t i = 0; s->memo && i < MEMO_SLOTS; i++)
		free(s->memo[i].bytes);
	free(s->memo);
	vec_free(&s->list);
	vec_free(&s->last);
	vec_free(&s->frames);
	hash_index_free(&s->index);
}

static uint64_t hash_child(struct hash_index *index, uint32_t parent, uint32_t frame)
{
	return hash_u64(hash_index_seed(index) ^ ((uint64_t)parent << 32 | frame));
}

static uint32_t find_child(struct stacks *s, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_child(&s->index, parent, frame);
	uint32_t i;

	hash_index_each(&s->index, hash, i)
		if (s->list.at[i].parent == parent && s->list.at[i].frame == frame)
			return i;
	i = (uint32_t)s->list.n;
	if (vec_push(&s->list, ((struct sonde_profile_stack){ parent, frame })) < 0 ||
	    vec_push(&s->last, ((struct stack_child){ UINT32_MAX, 0 })) < 0 || hash_index_add(&s->index, hash, i) < 0)
		return HASH_INDEX_NONE;
	return i;
}

uint32_t stacks_push(struct stacks *s, uint32_t parent, uint32_t frame)
{
	uint32_t i;

	if (s->last.at[parent].frame == frame)
		return s->last.at[parent].stack;
	i = find_child(s, parent, frame);
	if (i != HASH_INDEX_NONE)
		s->last.at[parent] = (struct stack_child){ frame, i };
	return i;
}

void stacks_restart(struct stacks *s)
{
	for (size_t i = 0; s->memo && i < MEMO_SLOTS; i++)
		s->memo[i].size = 0;
}

int stacks_renumber(struct stacks *s, const uint32_t *numbers, const uint32_t *frames)
{
	size_t kept = 0;

	stacks_restart(s);
	hash_index_free(&s->index);
	for (size_t i = 0; i < s->list.n; i++) {
		struct sonde_profile_stack old = s->list.at[i], *now = &s->list.at[kept];

		if (numbers[i] == STACKS_GONE)
			continue;
		s->last.at[kept] = (struct stack_child){ UINT32_MAX, 0 };
		*now = i ? (struct sonde_profile_stack){ numbers[old.parent], frames[old.frame] } : old;
		if (i && hash_index_add(&s->index, hash_child(&s->index, now->parent, now->frame), (uint32_t)kept) < 0)
			return -SONDE_NOMEM;
		kept++;
	}
	s->list.n = s->last.n = kept;
	return 0;
}

/* Steps over the innermost frames of a chain that is too long, where the outermost are kept. */
static void skip_innermost(const struct stacks *s, struct callchain *chain)
{
	struct callchain counted = *chain;
	uint64_t frames = 0, ip;
	uint8_t mode;

	if (!s->keeps_outermost || chain->ips.nr <= s->max_frames)
		return;
	while (callchain_next(&counted, &ip, &mode))
		frames++;
	for (; frames > s->max_frames; frames--)
		callchain_next(chain, &ip, &mode);
}

/* The frames of a chain into s->frames. 0 or -SONDE_NOMEM; a chain with an unknown marker has none. */
static int resolve(struct stacks *s, struct frames *f, const struct task_roots *r, struct callchain chain)
{
	maps_root root = NULL;
	uint8_t mode, last_mode = UINT8_MAX;
	const struct frame_slot *found;
	uint64_t ip;

	s->frames.n = 0;
	skip_innermost(s, &chain);
	for (uint32_t n = 0; n < s->max_frames && callchain_next(&chain, &ip, &mode); n++) {
		if (mode != last_mode || mode == CPUMODE_UNKNOWN)
			root = task_roots_get(r, mode, ip);
		last_mode = mode;
		found = frames_get(f, root, mode, ip, chain.is_caller);
		if (!found)
			return -SONDE_NOMEM;
		if (found->is_handler_entry)
			caller_rule_interrupted(&chain.rule);
		for (uint32_t i = 0; i < found->nr_inlined; i++)
			if (vec_push(&s->frames, frames_inlined(f, found)[i]) < 0)
				return -SONDE_NOMEM;
		if (s->named_only && !frame_symbol(&f->list.at[found->frame]))
			continue;
		if (vec_push(&s->frames, found->frame) < 0)
			return -SONDE_NOMEM;
	}
	if (chain.bad)
		s->frames.n = 0;
	return 0;
}

static bool is_memo_of(const struct chain_memo *m, const struct chain_memo *key)
{
	return m->size == key->size && m->cpumode == key->cpumode && m->unwound == key->unwound &&
		memcmp(&m->roots, &key->roots, sizeof(m->roots)) == 0 && memcmp(m->bytes, key->bytes, key->size) == 0;
}

/* Out of memory: not remembered. */
static void remember(struct chain_memo *m, const struct chain_memo *key, uint32_t stack)
{
	uint8_t *bytes = m->bytes;
	uint32_t cap = m->cap;

	if (cap < key->size) {
		bytes = realloc(m->bytes, key->size);
		if (!bytes)
			return;
		cap = key->size;
	}
	memcpy(bytes, key->bytes, key->size);
	*m = *key;
	m->bytes = bytes;
	m->cap = cap;
	m->stack = stack;
}

uint32_t stacks_slot(const struct stacks *s, const struct task_roots *r, const struct u64s *chain)
{
	uint32_t slot = STACKS_NO_SLOT;

	if (chain->nr && chain->nr <= MEMO_LONGEST / 8) {
		slot = hash_two(hash_bytes(chain->p, chain->nr * 8), (uintptr_t)r->user) & (MEMO_SLOTS - 1);
		__builtin_prefetch(&s->memo[slot]);
	}
	return slot;
}

void stacks_expect(const struct stacks *s, uint32_t slot)
{
	if (slot != STACKS_NO_SLOT)
		__builtin_prefetch(s->memo[slot].bytes);
}

uint32_t stacks_of_chain(struct stacks *s, struct frames *f, const struct task_roots *r, uint8_t cpumode,
			 const struct u64s *chain, bool unwound, uint32_t slot)
{
	uint64_t nr = chain->nr;
	struct chain_memo key = { .roots = *r, .cpumode = cpumode, .unwound = unwound };
	struct chain_memo *m = NULL;
	uint32_t stack = 0;

	if (nr == 0)
		return 0;
	if (slot != STACKS_NO_SLOT) {
		key.bytes = (uint8_t *)chain->p;
		key.size = (uint32_t)nr * 8;
		m = &s->memo[slot];
		if (is_memo_of(m, &key))
			return m->stack;
	}
	if (resolve(s, f, r, (struct callchain){ .ips = *chain, .cpumode = cpumode, .rule.unwound = unwound }) < 0)
		return HASH_INDEX_NONE;
	for (size_t i = s->frames.n; i-- > 0 && stack != HASH_INDEX_NONE;)
		stack = stacks_push(s, stack, s->frames.at[i]);
	if (m && stack != HASH_INDEX_NONE)
		remember(m, &key, stack);
	return stack;
}

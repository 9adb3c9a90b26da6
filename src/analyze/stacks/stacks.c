/* SPDX-License-Identifier: MIT */
#include "analyze/stacks/stacks.h"

#include "threads/callchain.h"

int stacks_init(struct stacks *s)
{
	*s = (struct stacks){ 0 };
	return vec_push(&s->list, ((struct sonde_profile_stack){ 0, UINT32_MAX })) < 0 ||
	       vec_push(&s->last, ((struct stack_child){ UINT32_MAX, 0 })) < 0 ? -SONDE_NOMEM : 0;
}

void stacks_free(struct stacks *s)
{
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

int stacks_renumber(struct stacks *s, const uint32_t *numbers, const uint32_t *frames)
{
	size_t kept = 0;

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

/*
 * The frames of a chain into s->frames, without the @skip innermost ones. 0 or -SONDE_NOMEM; a chain with an unknown
 * marker has none.
 */
static int resolve(struct stacks *s, struct frames *f, const struct task_roots *r, struct callchain chain,
		   uint64_t skip)
{
	maps_root root = NULL;
	uint8_t mode, last_mode = UINT8_MAX;
	const struct frame_slot *found;
	uint64_t ip;

	s->frames.n = 0;
	skip_innermost(s, &chain);
	while (skip && callchain_next(&chain, &ip, &mode))
		skip--;
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

uint32_t stacks_of_chain(struct stacks *s, struct frames *f, const struct task_roots *r, uint8_t cpumode,
			 const struct u64s *chain, bool unwound, uint64_t skip)
{
	uint32_t stack = 0;

	if (chain->nr == 0)
		return 0;
	if (resolve(s, f, r, (struct callchain){ .ips = *chain, .cpumode = cpumode, .rule.unwound = unwound },
		    skip) < 0)
		return HASH_INDEX_NONE;
	for (size_t i = s->frames.n; i-- > 0 && stack != HASH_INDEX_NONE;)
		stack = stacks_push(s, stack, s->frames.at[i]);
	return stack;
}

/* SPDX-License-Identifier: MIT */
#include "analyze/sample_batch.h"

#include <string.h>

#include "analyze/profile.h"

/* A switch from thread to thread and back costs as much as some hundred samples, or as to unwind some stacks. */
enum { BATCH_SAMPLES = 2048, BATCH_WORDS = 32768 };

/* Batches after which threads are worth their start; with stacks, the first one is. */
enum { WORTH_THREADS = 2 };

/*
 * How many samples before it is counted the memory that a sample needs is asked for, and half of that for the second
 * time.
 */
enum { AHEAD = 16 };

struct batch_sample {
	struct profile_sample s;
	maps_root root;             /* of the ip */
	uint32_t words_at, nr_words; /* of the chain */
	uint32_t slot;               /* its place in the memory of stacks */
	bool swap;                   /* the chain's order */
	bool is_new;                 /* the chain lies in the batch's new_words */
};

/* A sample of the batch whose chain is found by unwinding; regs and bytes lie in words from words_at on. */
struct batch_stack {
	struct copied_stack stack;
	uint32_t sample, words_at;
	enum unwind_end end;         /* UNWIND_GOES_ON: not unwound */
};

struct sample_batch {
	struct crew_job job;
	struct sonde_profile *p;
	size_t n;
	int result;
	VEC(uint64_t) words;
	VEC(struct batch_stack) stacks;
	VEC(uint64_t) new_words;     /* of chains that unwinding gave */
	struct batch_sample samples[BATCH_SAMPLES];
};

/*
 * Without &&: gcc makes one comparison of two members that lie side by side, and loads both at once, which has to wait
 * for the two stores that have just made them. That cost each sample as much as to find its function.
 */
static bool is_same_cell(const struct sonde_profile_cell *a, const struct sonde_profile_cell *b)
{
	return !((a->stack ^ b->stack) | (a->frame ^ b->frame) | (a->task ^ b->task) | (a->event ^ b->event) |
		 (uint32_t)(a->cpu ^ b->cpu) | (a->detail ^ b->detail));
}

static uint64_t hash_cell(struct hash_index *index, const struct sonde_profile_cell *c)
{
	return hash_two(hash_index_seed(index) ^ ((uint64_t)c->stack << 32 | c->frame),
			(uint64_t)c->task << 32 | (c->event << 16 ^ (uint32_t)c->cpu ^ c->detail << 8));
}

static uint32_t intern_cell(struct sonde_profile *p, const struct sonde_profile_cell *key)
{
	uint64_t hash = hash_cell(&p->cell_index, key);
	uint32_t i;

	hash_index_each(&p->cell_index, hash, i)
		if (is_same_cell(&p->cells.at[i], key))
			return i;
	i = (uint32_t)p->cells.n;
	return vec_push(&p->cells, *key) < 0 || hash_index_add(&p->cell_index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

int cells_number(struct sonde_profile *p)
{
	p->last_cell_of_stack.n = p->last_cell_of_frame.n = 0;
	hash_index_free(&p->cell_index);
	for (uint32_t i = 0; i < p->cells.n; i++)
		if (hash_index_add(&p->cell_index, hash_cell(&p->cell_index, &p->cells.at[i]), i) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* Where the cell last used for a stack, or without one for a function, is noted; NULL when out of memory. */
static uint32_t *last_cell(struct sonde_profile *p, const struct sonde_profile_cell *key)
{
	while (key->stack && p->last_cell_of_stack.n <= key->stack)
		if (vec_push(&p->last_cell_of_stack, 0) < 0)
			return NULL;
	if (key->stack)
		return &p->last_cell_of_stack.at[key->stack];
	while (p->last_cell_of_frame.n <= key->frame)
		if (vec_push(&p->last_cell_of_frame, 0) < 0)
			return NULL;
	return &p->last_cell_of_frame.at[key->frame];
}

static int count(struct sonde_profile *p, const struct sonde_profile_cell *key, const struct profile_sample *s)
{
	uint32_t *last = last_cell(p, key), i;

	if (!last)
		return -SONDE_NOMEM;
	if (!*last || !is_same_cell(&p->cells.at[*last - 1], key)) {
		i = intern_cell(p, key);
		if (i == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
		*last = i + 1;
	}
	p->cells.at[*last - 1].samples++;
	p->cells.at[*last - 1].period += s->period;
	p->cells.at[*last - 1].latency += s->latency;
	return 0;
}

static struct u64s chain_of(const struct sample_batch *b, size_t i)
{
	const struct batch_sample *s = &b->samples[i];
	const uint64_t *words = s->is_new ? b->new_words.at : b->words.at;

	return (struct u64s){ .p = (const uint8_t *)(words + s->words_at), .nr = s->nr_words, .swap = s->swap };
}

/* ---- the first part of the work on a batch: by several threads, each on a batch of its own ---- */

static int unwind_stack(struct sample_batch *b, struct batch_stack *stack, struct unwinder *u)
{
	struct batch_sample *of = &b->samples[stack->sample];
	struct copied_stack *c = &stack->stack;
	struct sample s = { .callchain = chain_of(b, stack->sample), .user_regs = c->regs, .user_stack = c->bytes };
	struct u64s chain;
	int r;

	s.user_regs.values.p = (const uint8_t *)(b->words.at + stack->words_at);
	s.user_stack.p = s.user_regs.values.p + c->regs.values.nr * sizeof(uint64_t);
	u->images = b->p->images;
	r = unwind_sample(u, &s, c->arch, c->in_kernel, of->s.roots.user, c->most, &chain);
	if (r < 0)
		return r;
	if (chain.p == s.callchain.p)  /* as recorded */
		return 0;
	stack->end = u->ips.n ? u->end : UNWIND_GOES_ON;
	if (vec_reserve(&b->new_words, chain.nr) < 0)
		return -SONDE_NOMEM;
	of->words_at = (uint32_t)b->new_words.n;
	of->nr_words = (uint32_t)chain.nr;
	of->swap = chain.swap;
	of->is_new = true;
	of->s.unwound = u->ips.n > 0;
	if (chain.nr)
		memcpy(b->new_words.at + b->new_words.n, chain.p, chain.nr * sizeof(uint64_t));
	b->new_words.n += chain.nr;
	return 0;
}

static void unwind_batch(struct crew_job *j, unsigned member)
{
	struct sample_batch *b = (struct sample_batch *)j;

	for (size_t i = 0; i < b->stacks.n && b->result == 0; i++)
		b->result = unwind_stack(b, &b->stacks.at[i], &b->p->batches.unwinders[member]);
}

/* ---- the second part: by one thread at a time, in the order of the batches ---- */

static void look_ahead(const struct sonde_profile *p, struct sample_batch *b, size_t i)
{
	struct batch_sample *s = &b->samples[i];
	struct u64s chain = chain_of(b, i);

	if (!s->s.ip && chain.nr)    /* a trace.dat has stacks, and no address besides */
		s->s.ip = u64s_at(&chain, 0);
	s->root = task_roots_get(&s->s.roots, s->s.cpumode, s->s.ip);
	__builtin_prefetch(frames_slot(&p->frames, s->root, s->s.ip));
	s->slot = stacks_slot(&p->stacks, &s->s.roots, &chain);
}

static struct late_counts *late_counts(struct sonde_profile *p, uint32_t event)
{
	while (p->late.n <= event)
		if (vec_push(&p->late, ((struct late_counts){ 0 })) < 0)
			return NULL;
	return &p->late.at[event];
}

static int leave_out(struct sonde_profile *p, const struct profile_sample *s)
{
	struct late_counts *late = late_counts(p, s->event);

	if (!late)
		return -SONDE_NOMEM;
	late->samples++;
	late->period += s->period;
	late->latency += s->latency;
	return 0;
}

static int count_ends(const struct sample_batch *b)
{
	for (size_t i = 0; i < b->stacks.n; i++) {
		const struct batch_stack *stack = &b->stacks.at[i];
		struct late_counts *late = late_counts(b->p, b->samples[stack->sample].s.event);

		if (!late)
			return -SONDE_NOMEM;
		late->ends[stack->end]++;
	}
	return 0;
}

static int count_one(struct sonde_profile *p, const struct profile_sample *s, maps_root root, const struct u64s *chain,
		     uint32_t slot)
{
	struct sonde_profile_cell cell = { .event = s->event, .task = s->task, .cpu = s->cpu, .detail = s->detail };
	const struct frame_slot *found;

	found = frames_get(&p->frames, root, s->cpumode, s->ip, false);
	if (!found)
		return -SONDE_NOMEM;
	cell.frame = found->frame;
	if (p->named_only && !frame_symbol(&p->frames.list.at[cell.frame]))
		return leave_out(p, s);
	if (p->callchains) {
		cell.stack = stacks_of_chain(&p->stacks, &p->frames, &s->roots, s->cpumode, chain, s->unwound,
					     slot);
		if (cell.stack == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	}
	return count(p, &cell, s);
}

static int count_nth(const struct sample_batch *b, size_t i)
{
	struct u64s chain = chain_of(b, i);

	return count_one(b->p, &b->samples[i].s, b->samples[i].root, &chain, b->samples[i].slot);
}

static void count_batch(struct crew_job *j)
{
	struct sample_batch *b = (struct sample_batch *)j;

	if (b->result == 0)
		b->result = count_ends(b);
	for (size_t i = 0; i < b->n + AHEAD && b->result == 0; i++) {
		if (i < b->n)
			look_ahead(b->p, b, i);
		if (i >= AHEAD / 2 && i - AHEAD / 2 < b->n)
			stacks_expect(&b->p->stacks, b->samples[i - AHEAD / 2].slot);
		if (i >= AHEAD)
			b->result = count_nth(b, i - AHEAD);
	}
	b->n = 0;
	b->words.n = b->stacks.n = b->new_words.n = 0;
}

/* ---- the gathering thread ---- */

/* The batch that is filled next, counted and empty; NULL when out of memory, now or when it was counted. */
static struct sample_batch *next_batch(struct sonde_profile *p)
{
	struct sample_batches *g = &p->batches;
	struct sample_batch *b;

	g->filling = g->crew ? (g->filling + 1) % g->nr : 0;
	b = g->batches[g->filling];
	if (!b) {
		b = g->batches[g->filling] = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		b->job.prepare = unwind_batch;
		b->job.finish = count_batch;
		b->p = p;
	}
	if (g->crew)
		crew_wait(g->crew, &b->job);
	return b->result < 0 ? NULL : b;
}

static void work_alone(struct sample_batch *b)
{
	unwind_batch(&b->job, 0);
	count_batch(&b->job);
}

/* The batch is full: has it counted, and gives another one. */
static struct sample_batch *pass_on(struct sonde_profile *p, struct sample_batch *b)
{
	struct sample_batches *g = &p->batches;

	if (!g->crew && g->threads > 1 && (b->stacks.n || ++g->nr_alone >= WORTH_THREADS)) {
		g->crew = crew_new(g->threads);
		g->nr = g->crew ? NR_SAMPLE_BATCHES(crew_members(g->crew)) : 0;
	}
	if (!g->crew)
		work_alone(b);
	else
		crew_give(g->crew, &b->job);
	return next_batch(p);
}

/* Words that the registers and the stack take. */
static size_t words_of(const struct copied_stack *stack)
{
	return stack ? stack->regs.values.nr + (stack->bytes.len + sizeof(uint64_t) - 1) / sizeof(uint64_t) : 0;
}

static int add_stack(struct sample_batch *b, const struct copied_stack *stack)
{
	size_t nr_regs = stack->regs.values.nr;
	uint64_t *to = b->words.at + b->words.n;
	struct batch_stack own = { .stack = *stack, .sample = (uint32_t)b->n, .words_at = (uint32_t)b->words.n };

	if (vec_push(&b->stacks, own) < 0)
		return -SONDE_NOMEM;
	if (nr_regs)
		memcpy(to, stack->regs.values.p, nr_regs * sizeof(uint64_t));
	if (stack->bytes.len)
		memcpy(to + nr_regs, stack->bytes.p, stack->bytes.len);
	b->words.n += words_of(stack);
	return 0;
}

int sample_batch_add(struct sonde_profile *p, const struct profile_sample *s, const struct u64s *chain,
		     const struct copied_stack *stack)
{
	struct sample_batch *b = p->batches.batches[p->batches.filling];
	uint32_t nr = (uint32_t)chain->nr;
	size_t words = nr + words_of(stack);

	if (!p->callchains)  /* less work than to pass it on */
		return count_one(p, s, task_roots_get(&s->roots, s->cpumode, s->ip), chain, STACKS_NO_SLOT);
	if (!b)
		b = next_batch(p);
	else if (b->n == BATCH_SAMPLES || (b->n && b->words.n + words > BATCH_WORDS))
		b = pass_on(p, b);
	if (!b || vec_reserve(&b->words, words) < 0)
		return -SONDE_NOMEM;
	if (stack && add_stack(b, stack) < 0)
		return -SONDE_NOMEM;
	b->samples[b->n++] = (struct batch_sample){
		.s = *s, .words_at = (uint32_t)b->words.n, .nr_words = nr, .swap = chain->swap
	};
	if (nr)
		memcpy(b->words.at + b->words.n, chain->p, nr * sizeof(uint64_t));
	b->words.n += nr;
	return 0;
}

static void free_batch(struct sample_batch *b)
{
	vec_free(&b->words);
	vec_free(&b->stacks);
	vec_free(&b->new_words);
	free(b);
}

int sample_batches_end(struct sonde_profile *p)
{
	struct sample_batches *g = &p->batches;
	struct sample_batch *last = g->batches[g->filling];
	int result = 0;

	if (last && g->crew)
		crew_give(g->crew, &last->job);
	else if (last)
		work_alone(last);
	crew_free(g->crew);
	for (size_t i = 0; i < CREW_MOST; i++)
		unwinder_free(&g->unwinders[i]);  /* they know roots that may become others */
	for (size_t i = 0; i < sizeof(g->batches) / sizeof(g->batches[0]); i++) {
		if (!g->batches[i])
			continue;
		if (g->batches[i]->result < 0)
			result = g->batches[i]->result;
		free_batch(g->batches[i]);
	}
	*g = (struct sample_batches){ .threads = g->threads };
	return result;
}

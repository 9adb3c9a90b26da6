/* SPDX-License-Identifier: MIT */
#include "analyze/sample_batch.h"

#include <string.h>

#include "analyze/profile.h"

/* A switch from thread to thread and back costs as much as some hundred samples. */
enum { BATCH_SAMPLES = 2048, BATCH_WORDS = 32768 };

/* Batches after which a thread is worth its start. */
enum { WORTH_A_THREAD = 2 };

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
};

struct sample_batch {
	struct job job;
	struct sonde_profile *p;
	size_t n;
	int result;
	VEC(uint64_t) words;
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

	return (struct u64s){ .p = (const uint8_t *)(b->words.at + s->words_at), .nr = s->nr_words, .swap = s->swap };
}

static void look_ahead(const struct sonde_profile *p, struct sample_batch *b, size_t i)
{
	struct batch_sample *s = &b->samples[i];
	struct u64s chain = chain_of(b, i);

	s->root = task_roots_get(&s->s.roots, s->s.cpumode, s->s.ip);
	__builtin_prefetch(frames_slot(&p->frames, s->root, s->s.ip));
	s->slot = stacks_slot(&p->stacks, &s->s.roots, &chain);
}

static int leave_out(struct sonde_profile *p, const struct profile_sample *s)
{
	while (p->left_out.n <= s->event)
		if (vec_push(&p->left_out, ((struct left_out){ 0 })) < 0)
			return -SONDE_NOMEM;
	p->left_out.at[s->event].samples++;
	p->left_out.at[s->event].period += s->period;
	p->left_out.at[s->event].latency += s->latency;
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

static void count_batch(struct job *j)
{
	struct sample_batch *b = (struct sample_batch *)j;

	for (size_t i = 0; i < b->n + AHEAD && b->result == 0; i++) {
		if (i < b->n)
			look_ahead(b->p, b, i);
		if (i >= AHEAD / 2 && i - AHEAD / 2 < b->n)
			stacks_expect(&b->p->stacks, b->samples[i - AHEAD / 2].slot);
		if (i >= AHEAD)
			b->result = count_nth(b, i - AHEAD);
	}
	b->n = 0;
	b->words.n = 0;
}

/* The batch that is filled next, counted and empty; NULL when out of memory, now or when it was counted. */
static struct sample_batch *next_batch(struct sonde_profile *p)
{
	struct sample_batches *g = &p->batches;
	struct sample_batch *b;

	g->filling = (g->filling + 1) % NR_SAMPLE_BATCHES;
	b = g->batches[g->filling];
	if (!b) {
		b = g->batches[g->filling] = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		b->job.run = count_batch;
		b->p = p;
	}
	if (g->worker)
		worker_wait(g->worker, &b->job);
	return b->result < 0 ? NULL : b;
}

/* The batch is full: has it counted, and gives another one. */
static struct sample_batch *pass_on(struct sonde_profile *p, struct sample_batch *b)
{
	struct sample_batches *g = &p->batches;

	if (!g->worker && ++g->nr_alone >= WORTH_A_THREAD)
		g->worker = worker_new();
	if (!g->worker) {
		count_batch(&b->job);
		return b->result < 0 ? NULL : b;
	}
	worker_give(g->worker, &b->job);
	return next_batch(p);
}

int sample_batch_add(struct sonde_profile *p, const struct profile_sample *s, const struct u64s *chain)
{
	struct sample_batch *b = p->batches.batches[p->batches.filling];
	uint32_t nr = (uint32_t)chain->nr;

	if (!p->callchains)  /* less work than to pass it on */
		return count_one(p, s, task_roots_get(&s->roots, s->cpumode, s->ip), chain, STACKS_NO_SLOT);
	if (!b)
		b = next_batch(p);
	else if (b->n == BATCH_SAMPLES || (b->n && b->words.n + nr > BATCH_WORDS))
		b = pass_on(p, b);
	if (!b || vec_reserve(&b->words, nr) < 0)
		return -SONDE_NOMEM;
	b->samples[b->n++] = (struct batch_sample){
		.s = *s, .words_at = (uint32_t)b->words.n, .nr_words = nr, .swap = chain->swap
	};
	if (nr)
		memcpy(b->words.at + b->words.n, chain->p, nr * sizeof(uint64_t));
	b->words.n += nr;
	return 0;
}

int sample_batches_end(struct sonde_profile *p)
{
	struct sample_batches *g = &p->batches;
	struct sample_batch *last = g->batches[g->filling];
	int result = 0;

	if (last && g->worker)
		worker_give(g->worker, &last->job);
	else if (last)
		count_batch(&last->job);
	worker_free(g->worker);
	for (size_t i = 0; i < NR_SAMPLE_BATCHES; i++) {
		if (!g->batches[i])
			continue;
		if (g->batches[i]->result < 0)
			result = g->batches[i]->result;
		vec_free(&g->batches[i]->words);
		free(g->batches[i]);
	}
	*g = (struct sample_batches){ 0 };
	return result;
}

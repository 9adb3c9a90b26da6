/* SPDX-License-Identifier: MIT */
/*
 * sample_batch.c - samples whose stacks are expensive go to other threads, batch by batch
 *
 *	gathering thread            several threads, a batch each       one thread at a time, batch after batch
 *	sample_batch_add() ------> prepare_batch(): unwinds the -----> count_batch(): frames, stacks, cells
 *	  task, roots, words         copies of stacks
 *
 * In: a sample and the roots of its maps at its moment, which never change; its bytes are copied to `words`, or stay
 * where they are if the reader keeps them. A full batch goes to the crew, an empty one is filled next: their number is
 * fixed, so the gathering thread waits when all are full. Out: counts in the cells of the profile.
 *
 * Never: the first part of the work reads tasks or writes to the profile; two batches are counted at a time, or out of
 * their order, so numbers of stacks and cells do not depend on the number of threads; a sample is counted directly
 * while one before it waits in a batch.
 */
#include "analyze/profile/sample_batch.h"

#include <string.h>

#include "analyze/profile/gathering.h"
#include "analyze/profile/sample_count.h"

/* A switch from thread to thread and back costs as much as some hundred samples, or as to unwind some stacks. */
enum { BATCH_SAMPLES = 2048, BATCH_WORDS = 32768 };

/* Frames of a stack whose outermost ones are kept. */
enum { UNWOUND_MOST = 65536 };

/*
 * One thread writes it and another one reads it, so it is small: what is in a record is looked at where the sample is
 * counted.
 */
struct batch_sample {
	const struct sonde_evsel *evsel;  /* of a sample that came as its record; NULL: it is one of others */
	uint32_t at, bytes;          /* in words: the record, or the chain */
	uint32_t event, task;        /* with evsel; else task is the number in others */
	uint32_t roots;              /* number in roots; with evsel */
	uint32_t stack;              /* number in stacks; NO_STACK: its chain is as recorded */
};
#define NO_STACK UINT32_MAX

/* A sample that was decoded when it came. */
struct other_sample {
	struct profile_sample s;
	bool swap;                   /* the chain's order */
};

/* A sample of the batch whose chain is found by unwinding. */
struct batch_stack {
	struct copied_stack stack;
	struct u64s chain;           /* as recorded */
	struct task_roots roots;
	uint32_t event;
	uint32_t at;                 /* where regs, bytes and chain lie in words; NOWHERE: they have addresses */
	enum unwind_end end;         /* UNWIND_GOES_ON: not unwound */
	bool unwound;                /* the addresses of the user part are those to look up */
	bool is_new;                 /* the chain lies in new_words from here on: */
	uint32_t new_at, nr_new;
};
#define NOWHERE UINT32_MAX

struct sample_batch {
	struct crew_job job;
	struct gathering *p;
	size_t n;
	int result;
	uint32_t number;
	bool copies_stacks;          /* of samples that came as records */
	VEC(uint64_t) words;
	VEC(struct other_sample) others;
	VEC(struct task_roots) roots;
	VEC(struct batch_stack) stacks;
	VEC(uint64_t) new_words;     /* of chains that unwinding gave */
	struct batch_sample samples[BATCH_SAMPLES];
};

static const uint8_t *bytes_at(const struct sample_batch *b, uint32_t at)
{
	return (const uint8_t *)b->words.at + at;
}

static void load(const struct sample_batch *b, const struct batch_sample *s, struct loaded_event *ev)
{
	const struct reader *r = b->p->batches.reader;

	r->ops->load_sample(r, s->evsel, bytes_at(b, s->at), s->bytes, ev);
}

/* ---- the first part of the work on a batch: by several threads, each on a batch of its own ---- */

static size_t words_of(size_t bytes)
{
	return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* The stack of a sample that came as its record. */
static int find_stack(struct sample_batch *b, struct batch_sample *s)
{
	const struct reader *r = b->p->batches.reader;
	struct batch_stack stack = { .roots = b->roots.at[s->roots], .event = s->event, .at = NOWHERE };
	struct loaded_event ev;

	if (!s->evsel || !copied_stack_expected(s->evsel))
		return 0;
	load(b, s, &ev);
	if (!copied_stack_find(&ev.pub, b->p->arch, &stack.stack))
		return 0;
	stack.chain = r->ops->callchain(r, &ev.pub);
	s->stack = (uint32_t)b->stacks.n;
	return vec_push(&b->stacks, stack);
}

static int unwind_stack(struct sample_batch *b, struct batch_stack *stack, struct chain_finder *f)
{
	struct copied_stack *c = &stack->stack;
	const struct unwinder *u = &f->unwinder;
	uint32_t most = b->p->stacks.keeps_outermost ? UNWOUND_MOST : b->p->stacks.max_frames;
	struct u64s chain;
	int r;

	if (stack->at != NOWHERE) {
		stack->chain.p = bytes_at(b, stack->at);
		c->regs.values.p = stack->chain.p + stack->chain.nr * sizeof(uint64_t);
		c->bytes.p = c->regs.values.p + c->regs.values.nr * sizeof(uint64_t);
		c->branches.entries = c->bytes.p + words_of(c->bytes.len) * sizeof(uint64_t);
	}
	f->unwinder.images = b->p->images;
	r = chain_unwind(f, c, &stack->chain, stack->roots.user, most, &chain);
	if (r < 0 || chain.p == stack->chain.p)  /* as recorded */
		return r;
	stack->unwound = u->ips.n;
	stack->end = u->ips.n ? u->end : UNWIND_GOES_ON;
	if (vec_reserve(&b->new_words, chain.nr) < 0)
		return -SONDE_NOMEM;
	stack->is_new = true;
	stack->new_at = (uint32_t)b->new_words.n;
	stack->nr_new = (uint32_t)chain.nr;
	memcpy(b->new_words.at + b->new_words.n, chain.p, chain.nr * sizeof(uint64_t));
	b->new_words.n += chain.nr;
	return 0;
}

static void prepare_batch(struct crew_job *j, unsigned member)
{
	struct sample_batch *b = (struct sample_batch *)j;

	for (size_t i = 0; i < b->n && b->copies_stacks && b->result == 0; i++)
		b->result = find_stack(b, &b->samples[i]);
	for (size_t i = 0; i < b->stacks.n && b->result == 0; i++)
		b->result = unwind_stack(b, &b->stacks.at[i], &b->p->batches.finders[member]);
}

/* ---- the second part: by one thread at a time, in the order of the batches ---- */

static int count_ends(const struct sample_batch *b)
{
	for (size_t i = 0; i < b->stacks.n; i++) {
		struct late_counts *late = late_counts_of(b->p, b->stacks.at[i].event);

		if (!late)
			return -SONDE_NOMEM;
		late->ends[b->stacks.at[i].end]++;
	}
	return 0;
}

/* Decodes a sample that came as its record, and adds what it does to its event. */
static int decode(const struct sample_batch *b, const struct batch_sample *s, struct profile_sample *to,
		  struct u64s *chain)
{
	struct gathering *p = b->p;
	const struct reader *r = p->batches.reader;
	struct late_counts *late = late_counts_of(p, s->event);
	struct long_stack is_long = { 0 };
	struct loaded_event ev;

	if (!late)
		return -SONDE_NOMEM;
	load(b, s, &ev);
	*to = (struct profile_sample){ .roots = b->roots.at[s->roots],
				       .ip = ev.pub.ip,
				       .period = ev.pub.period,
				       .event = s->event,
				       .task = s->task,
				       .cpu = p->kept.by & SONDE_BY_CPU ? ev.pub.cpu : -1,
				       .ran_on = ev.pub.cpu,
				       .time = ev.pub.time,
				       .cpumode = ev.pub.cpumode };
	*chain = r->ops->callchain(r, &ev.pub);
	if (chain->nr && !copied_stack_expected(s->evsel))
		is_long = long_stack_of(chain, s->evsel->attr, p->stacks.max_frames);
	late->taken++;
	late->taken_period += ev.pub.period;
	late->cut_stacks += is_long.cut;
	late->shortened_stacks += is_long.shortened;
	times_note(&p->trace.late_times, ev.pub.time);
	return 0;
}

static int count(const struct sample_batch *b, const struct batch_sample *own)
{
	const struct batch_stack *stack = own->stack == NO_STACK ? NULL : &b->stacks.at[own->stack];
	struct profile_sample s;
	struct u64s chain;

	if (own->evsel && decode(b, own, &s, &chain) < 0)
		return -SONDE_NOMEM;
	if (!own->evsel) {
		const struct other_sample *other = &b->others.at[own->task];

		s = other->s;
		chain = (struct u64s){ bytes_at(b, own->at), own->bytes / sizeof(uint64_t), other->swap };
	}
	if (stack && stack->is_new) {
		chain = (struct u64s){ (const uint8_t *)(b->new_words.at + stack->new_at), stack->nr_new, false };
		s.unwound = stack->unwound;
	}
	return sample_count(b->p, &s, &chain);
}

static void count_batch(struct crew_job *j)
{
	struct sample_batch *b = (struct sample_batch *)j;

	if (b->result == 0)
		b->result = count_ends(b);
	for (size_t i = 0; i < b->n && b->result == 0; i++)
		b->result = count(b, &b->samples[i]);
	b->n = 0;
	b->copies_stacks = false;
	b->words.n = b->others.n = b->roots.n = b->stacks.n = b->new_words.n = 0;
}

/* ---- the gathering thread ---- */

/* The batch that is filled next, counted and empty; NULL when out of memory, now or when it was counted. */
static struct sample_batch *next_batch(struct gathering *p)
{
	struct sample_batches *g = &p->batches;
	struct sample_batch *b;

	g->filling = g->crew ? (g->filling + 1) % g->nr : 0;
	b = g->batches[g->filling];
	if (!b) {
		b = g->batches[g->filling] = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		b->job.prepare = prepare_batch;
		b->job.finish = count_batch;
		b->p = p;
	}
	if (g->crew)
		crew_wait(g->crew, &b->job);
	b->number = ++g->nr_filled;
	return b->result < 0 ? NULL : b;
}

static void work_alone(struct sample_batch *b)
{
	prepare_batch(&b->job, 0);
	count_batch(&b->job);
}

/* The batch is full: has it counted, and gives another one. */
static struct sample_batch *pass_on(struct gathering *p, struct sample_batch *b)
{
	struct sample_batches *g = &p->batches;

	if (!g->crew && g->threads > 1) {
		g->crew = crew_new(g->threads);
		g->nr = g->crew ? NR_SAMPLE_BATCHES(crew_members(g->crew)) : 0;
	}
	if (!g->crew)
		work_alone(b);
	else
		crew_give(g->crew, &b->job);
	return next_batch(p);
}

/* Registers, stack and branches. */
static size_t words_of_stack(const struct copied_stack *stack)
{
	return stack ? stack->regs.values.nr + words_of(stack->bytes.len) +
			       words_of(branches_bytes(&stack->branches)) : 0;
}

/* The batch that takes a sample with so many words. */
static struct sample_batch *batch_for(struct gathering *p, size_t words)
{
	struct sample_batch *b = p->batches.batches[p->batches.filling];

	if (!b)
		b = next_batch(p);
	else if (b->n == BATCH_SAMPLES || (b->n && b->words.n + words > BATCH_WORDS))
		b = pass_on(p, b);
	return b && vec_reserve(&b->words, words) == 0 ? b : NULL;
}

/* Copies n bytes to the words: where they begin. */
static uint32_t put(struct sample_batch *b, const void *bytes, size_t n)
{
	uint32_t at = (uint32_t)(b->words.n * sizeof(uint64_t));

	if (n)
		memcpy(b->words.at + b->words.n, bytes, n);
	b->words.n += words_of(n);
	return at;
}

/* Registers, stack and branches follow the chain. */
static int add_stack(struct sample_batch *b, const struct copied_stack *stack, struct batch_stack own)
{
	own.stack = *stack;
	put(b, stack->regs.values.p, stack->regs.values.nr * sizeof(uint64_t));
	put(b, stack->bytes.p, stack->bytes.len);
	put(b, stack->branches.entries, branches_bytes(&stack->branches));
	return vec_push(&b->stacks, own);
}

int sample_batch_add(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
		     const struct copied_stack *stack)
{
	struct other_sample other = { *s, chain->swap };
	struct batch_sample own = { .bytes = (uint32_t)(chain->nr * sizeof(uint64_t)), .stack = NO_STACK };
	struct sample_batch *b;

	b = batch_for(p, chain->nr + words_of_stack(stack));
	if (!b)
		return -SONDE_NOMEM;
	own.task = (uint32_t)b->others.n;
	if (vec_push(&b->others, other) < 0)
		return -SONDE_NOMEM;
	own.at = put(b, chain->p, own.bytes);
	if (stack) {
		own.stack = (uint32_t)b->stacks.n;
		if (add_stack(b, stack, (struct batch_stack){ .chain = *chain, .roots = s->roots, .event = s->event,
							      .at = own.at }) < 0)
			return -SONDE_NOMEM;
	}
	b->samples[b->n++] = own;
	return 0;
}

int sample_batch_add_record(struct gathering *p, const struct reader *r, const struct sample_head *head,
			    uint32_t event, const struct moment_task *task)
{
	struct batched_roots *roots = &p->roots_in_batch[task - p->moment.known];
	struct sample_batch *b = batch_for(p, words_of(head->ref->size));

	if (!b)
		return -SONDE_NOMEM;
	if (p->batches.reader != r)  /* other threads look at it */
		p->batches.reader = r;
	if (roots->batch != b->number) {
		*roots = (struct batched_roots){ b->number, (uint32_t)b->roots.n };
		if (vec_push(&b->roots, task->roots) < 0)
			return -SONDE_NOMEM;
	}
	b->copies_stacks |= copied_stack_expected(head->evsel);
	b->samples[b->n++] = (struct batch_sample){ .evsel = head->evsel, .at = put(b, head->ref->p, head->ref->size),
						    .bytes = head->ref->size, .event = event, .task = task->number,
						    .roots = roots->number, .stack = NO_STACK };
	return 0;
}

static void free_batch(struct sample_batch *b)
{
	vec_free(&b->words);
	vec_free(&b->others);
	vec_free(&b->roots);
	vec_free(&b->stacks);
	vec_free(&b->new_words);
	free(b);
}

int sample_batches_end(struct gathering *p)
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
		chain_finder_free(&g->finders[i]);  /* they know roots that may become others */
	for (size_t i = 0; i < sizeof(g->batches) / sizeof(g->batches[0]); i++) {
		if (!g->batches[i])
			continue;
		if (g->batches[i]->result < 0)
			result = g->batches[i]->result;
		free_batch(g->batches[i]);
	}
	*g = (struct sample_batches){ .threads = g->threads, .nr_filled = g->nr_filled };
	return result;
}

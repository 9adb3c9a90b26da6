/* SPDX-License-Identifier: MIT */
#include "analyze/sample_batch.h"

#include <string.h>

#include "analyze/cells.h"
#include "analyze/profile.h"
#include "base/zeros.h"

/* A switch from thread to thread and back costs as much as some hundred samples, or as to unwind some stacks. */
enum { BATCH_SAMPLES = 2048, BATCH_WORDS = 32768 };

/* Batches after which threads are worth their start; with stacks, the first one is. */
enum { WORTH_THREADS = 2 };

/*
 * How many samples before it is counted the memory that a sample needs is asked for, and half of that for the second
 * time.
 */
enum { AHEAD = 16 };

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

/* One that was decoded when it came. */
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
	struct sonde_profile *p;
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

/* A sample while it is counted. */
struct counted {
	struct profile_sample s;
	maps_root root;              /* of the ip */
	struct u64s chain;
	uint32_t slot;               /* the chain's place in the memory of stacks */
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
	if (!copied_stack_find(&ev.pub, b->p->batches.arch, &stack.stack))
		return 0;
	stack.chain = r->ops->callchain(r, &ev.pub);
	s->stack = (uint32_t)b->stacks.n;
	return vec_push(&b->stacks, stack);
}

static int unwind_stack(struct sample_batch *b, struct batch_stack *stack, struct unwinder *u)
{
	struct copied_stack *c = &stack->stack;
	struct sample s = { .ip = c->ip, .callchain = stack->chain, .user_regs = c->regs, .user_stack = c->bytes,
			    .branches = c->branches };
	uint32_t most = b->p->stacks.keeps_outermost ? UNWOUND_MOST : b->p->stacks.max_frames;
	struct u64s chain;
	int r;

	if (stack->at != NOWHERE) {
		s.callchain.p = bytes_at(b, stack->at);
		s.user_regs.values.p = s.callchain.p + stack->chain.nr * sizeof(uint64_t);
		s.user_stack.p = s.user_regs.values.p + c->regs.values.nr * sizeof(uint64_t);
		s.branches.entries = s.user_stack.p + words_of(c->bytes.len) * sizeof(uint64_t);
	}
	u->images = b->p->images;
	r = unwind_sample(u, &s, c->arch, c->in_kernel, stack->roots.user, most, &chain);
	if (r < 0 || chain.p == s.callchain.p)  /* as recorded */
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
		b->result = unwind_stack(b, &b->stacks.at[i], &b->p->batches.unwinders[member]);
}

/* ---- the second part: by one thread at a time, in the order of the batches ---- */

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
		struct late_counts *late = late_counts(b->p, b->stacks.at[i].event);

		if (!late)
			return -SONDE_NOMEM;
		late->ends[b->stacks.at[i].end]++;
	}
	return 0;
}

/* Counts a sample, and tells where: in no cell (HASH_INDEX_NONE) if it is left out. */
static int count_one(struct sonde_profile *p, const struct profile_sample *s, maps_root root, const struct u64s *chain,
		     uint32_t slot, uint32_t *number)
{
	struct sonde_profile_cell cell = { .event = s->event, .task = s->task, .cpu = s->cpu, .detail = s->detail };
	const struct frame_slot *found;

	*number = HASH_INDEX_NONE;
	found = frames_get(&p->frames, root, s->cpumode, s->ip, false);
	if (!found)
		return -SONDE_NOMEM;
	cell.frame = found->interrupted;
	if (p->named_only && !frame_symbol(&p->frames.list.at[cell.frame]))
		return leave_out(p, s);
	if (p->callchains) {
		cell.stack = stacks_of_chain(&p->stacks, &p->frames, &s->roots, s->cpumode, chain, s->unwound,
					     slot);
		if (cell.stack == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	}
	*number = cells_find(p, &cell);
	if (*number == HASH_INDEX_NONE)
		return -SONDE_NOMEM;
	cells_add(p, *number, s);
	return 0;
}

/* What decides on the cell of a sample without callchain, and that cell. A full slot is replaced. */
struct cell_slot {
	maps_root root;
	uint64_t ip;
	uint32_t event, task, detail;
	int32_t cpu;
	uint32_t cell;
	uint8_t cpumode;
	bool used;
};
enum { CELL_SLOTS = 1 << 12 };

static struct cell_slot *cell_slot(const struct sonde_profile *p, const struct profile_sample *s, maps_root root)
{
	uint64_t hash = (s->ip + s->task) * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)root >> 4;

	return &p->cell_slots[hash >> 20 & (CELL_SLOTS - 1)];
}

int sample_count(struct sonde_profile *p, const struct profile_sample *s)
{
	const struct u64s no_chain = { 0 };
	maps_root root = task_roots_get(&s->roots, s->cpumode, s->ip);
	struct cell_slot *slot;
	uint32_t cell;
	int r;

	if (!p->cell_slots)
		p->cell_slots = zeros_alloc(CELL_SLOTS, sizeof(*p->cell_slots));
	if (!p->cell_slots)
		return -SONDE_NOMEM;
	slot = cell_slot(p, s, root);
	if (slot->used && slot->ip == s->ip && slot->root == root && slot->cpumode == s->cpumode &&
	    slot->event == s->event && slot->task == s->task && slot->detail == s->detail && slot->cpu == s->cpu) {
		cells_add(p, slot->cell, s);
		return 0;
	}
	r = count_one(p, s, root, &no_chain, STACKS_NO_SLOT, &cell);
	if (r == 0 && cell != HASH_INDEX_NONE)
		*slot = (struct cell_slot){ root, s->ip, s->event, s->task, s->detail, s->cpu, cell, s->cpumode, true };
	return r;
}

/* Decodes a sample that came as its record, and adds what it does to its event. */
static int decode(const struct sample_batch *b, const struct batch_sample *s, struct counted *c)
{
	struct sonde_profile *p = b->p;
	const struct reader *r = p->batches.reader;
	struct late_counts *late = late_counts(p, s->event);
	struct long_stack is_long = { 0 };
	struct loaded_event ev;

	if (!late)
		return -SONDE_NOMEM;
	load(b, s, &ev);
	c->s = (struct profile_sample){ .roots = b->roots.at[s->roots],
					.ip = ev.pub.ip,
					.period = ev.pub.period,
					.event = s->event,
					.task = s->task,
					.cpu = p->by & SONDE_BY_CPU ? ev.pub.cpu : -1,
					.cpumode = ev.pub.cpumode };
	c->chain = r->ops->callchain(r, &ev.pub);
	if (c->chain.nr && !copied_stack_expected(s->evsel))
		is_long = long_stack_of(&c->chain, s->evsel->attr, p->stacks.max_frames);
	late->taken++;
	late->taken_period += ev.pub.period;
	late->cut_stacks += is_long.cut;
	late->shortened_stacks += is_long.shortened;
	times_note(&p->late_times, ev.pub.time);
	return 0;
}

/* Makes a sample ready to be counted soon. */
static int look_ahead(const struct sample_batch *b, const struct batch_sample *s, struct counted *c)
{
	const struct sonde_profile *p = b->p;
	const struct batch_stack *stack = s->stack == NO_STACK ? NULL : &b->stacks.at[s->stack];

	if (s->evsel && decode(b, s, c) < 0)
		return -SONDE_NOMEM;
	if (!s->evsel) {
		const struct other_sample *other = &b->others.at[s->task];

		c->s = other->s;
		c->chain = (struct u64s){ bytes_at(b, s->at), s->bytes / sizeof(uint64_t), other->swap };
	}
	if (stack && stack->is_new) {
		c->chain = (struct u64s){ (const uint8_t *)(b->new_words.at + stack->new_at), stack->nr_new, false };
		c->s.unwound = stack->unwound;
	}
	if (!c->s.ip && c->chain.nr)  /* a trace.dat has stacks, and no address besides */
		c->s.ip = u64s_at(&c->chain, 0);
	c->root = task_roots_get(&c->s.roots, c->s.cpumode, c->s.ip);
	__builtin_prefetch(frames_slot(&p->frames, c->root, c->s.ip));
	c->slot = stacks_slot(&p->stacks, &c->s.roots, &c->chain);
	return 0;
}

static void count_batch(struct crew_job *j)
{
	struct sample_batch *b = (struct sample_batch *)j;
	struct counted samples[AHEAD + 1];
	uint32_t cell;

	if (b->result == 0)
		b->result = count_ends(b);
	for (size_t i = 0; i < b->n + AHEAD && b->result == 0; i++) {
		if (i < b->n)
			b->result = look_ahead(b, &b->samples[i], &samples[i % (AHEAD + 1)]);
		if (i >= AHEAD / 2 && i - AHEAD / 2 < b->n)
			stacks_expect(&b->p->stacks, samples[(i - AHEAD / 2) % (AHEAD + 1)].slot);
		if (i >= AHEAD && b->result == 0) {
			const struct counted *c = &samples[(i - AHEAD) % (AHEAD + 1)];

			b->result = count_one(b->p, &c->s, c->root, &c->chain, c->slot, &cell);
		}
	}
	b->n = 0;
	b->copies_stacks = false;
	b->words.n = b->others.n = b->roots.n = b->stacks.n = b->new_words.n = 0;
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
static struct sample_batch *pass_on(struct sonde_profile *p, struct sample_batch *b)
{
	struct sample_batches *g = &p->batches;

	if (!g->crew && g->threads > 1 && (b->stacks.n || b->copies_stacks || ++g->nr_alone >= WORTH_THREADS)) {
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
static struct sample_batch *batch_for(struct sonde_profile *p, size_t words)
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

int sample_batch_add(struct sonde_profile *p, const struct profile_sample *s, const struct u64s *chain,
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

int sample_batch_add_record(struct sonde_profile *p, const struct reader *r, const struct sample_head *head,
			    uint32_t event, struct known_task *task)
{
	struct sample_batch *b = batch_for(p, words_of(head->ref.size));

	if (!b)
		return -SONDE_NOMEM;
	if (p->batches.reader != r)  /* other threads look at it */
		p->batches.reader = r;
	if (task->batch != b->number) {
		task->batch = b->number;
		task->roots_in_batch = (uint32_t)b->roots.n;
		if (vec_push(&b->roots, task->roots) < 0)
			return -SONDE_NOMEM;
	}
	b->copies_stacks |= copied_stack_expected(head->evsel);
	b->samples[b->n++] = (struct batch_sample){ .evsel = head->evsel, .at = put(b, head->ref.p, head->ref.size),
						    .bytes = head->ref.size, .event = event, .task = task->number,
						    .roots = task->roots_in_batch, .stack = NO_STACK };
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
	*g = (struct sample_batches){ .threads = g->threads, .arch = g->arch, .nr_filled = g->nr_filled };
	return result;
}

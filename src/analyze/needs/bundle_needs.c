/* SPDX-License-Identifier: MIT */
#include "analyze/needs/bundle_needs.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "resolve/copied_stack.h"
#include "threads/callchain.h"

/* Larger functions are generated: they have no line for each byte. */
enum { CODE_MOST = 65536 };

enum { RECENT = 1 << 14, FRAMES_MOST = 65536, TIDY_FROM = 4096 };

int bundle_needs_init(struct bundle_needs *n, struct symbols *symbols, struct source_lines *lines)
{
	*n = (struct bundle_needs){ .symbols = symbols, .lines = lines };
	n->images = unwind_images_new(symbols);
	n->chains.unwinder.images = n->images;
	n->recent = calloc(RECENT, sizeof(*n->recent));
	if (moment_init(&n->moment, symbols_jit(symbols)) < 0 || !n->images || !n->recent)
		return -SONDE_NOMEM;
	unwind_images_keep_reads(n->images);
	return 0;
}

void bundle_needs_free(struct bundle_needs *n)
{
	chain_finder_free(&n->chains);
	unwind_images_free(n->images);
	moment_free(&n->moment);
	for (size_t i = 0; i < n->binaries.n; i++) {
		vec_free(&n->binaries.at[i].symbols);
		vec_free(&n->binaries.at[i].functions);
		vec_free(&n->binaries.at[i].hot);
		vec_free(&n->binaries.at[i].addrs);
	}
	vec_free(&n->binaries);
	free(n->recent);
}

static int compare_u32(const void *va, const void *vb)
{
	const uint32_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static int compare_u64(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Sorts, and keeps one of each. */
#define TIDY(v, compare) \
	do { \
		size_t kept_ = 0; \
		\
		if ((v)->n) \
			qsort((v)->at, (v)->n, sizeof(*(v)->at), compare); \
		for (size_t i_ = 0; i_ < (v)->n; i_++) \
			if (!kept_ || (v)->at[i_] != (v)->at[kept_ - 1]) \
				(v)->at[kept_++] = (v)->at[i_]; \
		(v)->n = kept_; \
	} while (0)

/* An address comes again and again: a list that is full is first made shorter. */
static int need_number(struct needed_numbers *v, uint32_t x)
{
	if (v->n == v->cap && v->n >= TIDY_FROM)
		TIDY(v, compare_u32);
	return vec_push(v, x);
}

static int need_line(struct needed_addresses *v, uint64_t x)
{
	if (v->n == v->cap && v->n >= TIDY_FROM)
		TIDY(v, compare_u64);
	return vec_push(v, x);
}

static struct needed_binary *needed(struct bundle_needs *n, const struct binary *b)
{
	while (n->binaries.n <= b->index)
		if (vec_push(&n->binaries, ((struct needed_binary){ 0 })) < 0)
			return NULL;
	return &n->binaries.at[b->index];
}

static int need_function(struct bundle_needs *n, struct needed_binary *of, const struct binary *b, uint64_t addr)
{
	const struct symtab *functions = b->kind == BINARY_FILE ? symbols_functions(n->symbols, b) : NULL;
	uint32_t i = functions ? symtab_find(functions, addr) : SYMTAB_NONE;

	return i == SYMTAB_NONE ? 0 : need_number(&of->functions, i);
}

static int need_address(struct bundle_needs *n, maps_root root, uint64_t ip, bool is_caller)
{
	struct needed_slot *slot = &n->recent[hash_two((uintptr_t)root, ip * 2 + is_caller) & (RECENT - 1)];
	struct addr_location p;
	struct needed_binary *of;
	uint64_t addr;
	int r = 0;

	if (slot->root == root && slot->ip == ip && slot->is_caller == is_caller)
		return 0;
	p = addr_location_find(n->symbols, root, ip, is_caller);
	if (p.mapping) {
		of = needed(n, p.mapping->binary);
		if (!of)
			return -SONDE_NOMEM;
		addr = mapping_to_binary(p.mapping, p.looked_up);
		r = need_line(&of->addrs, addr);
		if (r == 0 && p.symbol != SYMTAB_NONE)
			r = need_number(&of->symbols, p.symbol);
		else if (r == 0)
			r = need_function(n, of, p.mapping->binary, addr);
	}
	*slot = (struct needed_slot){ root, ip, is_caller };
	return r;
}

/* The function of an address is one that people look into. */
static int need_code(struct bundle_needs *n, maps_root root, uint64_t ip)
{
	struct addr_location p = addr_location_find(n->symbols, root, ip, false);
	struct needed_binary *of;

	if (!p.mapping || p.mapping->binary->kind != BINARY_FILE || p.symbol == SYMTAB_NONE)
		return 0;
	of = needed(n, p.mapping->binary);
	return of ? need_number(&of->hot, p.symbol) : -SONDE_NOMEM;
}

static int need_chain(struct bundle_needs *n, const struct task_roots *roots, struct callchain c)
{
	uint8_t mode;
	uint64_t ip;
	int r = 0;

	while (r == 0 && callchain_next(&c, &ip, &mode)) {
		maps_root root = task_roots_get(roots, mode, ip);

		r = need_address(n, root, ip, c.is_caller);
		/* a handler of a signal or an interrupt returns to where nothing was called */
		if (r == 0 && c.is_caller)
			r = need_address(n, root, ip, false);
	}
	return r;
}

static int need_branches(struct bundle_needs *n, const struct task_roots *roots, const struct sample *s)
{
	int r = 0;

	for (uint64_t i = 0; i < s->branches.nr && r == 0; i++) {
		struct sonde_branch b = sample_branch_at(s, i);

		r = need_address(n, task_roots_get(roots, CPUMODE_USER, b.from), b.from, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_KERNEL, b.from), b.from, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_USER, b.to), b.to, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_KERNEL, b.to), b.to, false);
	}
	return r;
}

/* Both the recorded chain and the one that a copied stack gives: a view may ask for either. */
static int need_chains(struct bundle_needs *n, const struct sonde_event *ev, const struct task_roots *roots,
		       const struct sample *s)
{
	struct callchain c = { .cpumode = ev->cpumode };
	int r = chain_recorded(&n->chains, ev, &c.ips);

	if (r == 0 && c.ips.nr)
		r = need_chain(n, roots, c);
	if (r == 0)
		r = chain_of(&n->chains, ev, s, roots->user, FRAMES_MOST, &c);
	return r == 0 && c.rule.unwound ? need_chain(n, roots, c) : r;
}

static int need_sample(struct bundle_needs *n, const struct sonde_event *ev)
{
	const struct task_roots roots = moment_task_of(&n->moment, ev)->roots;
	struct sample s;
	int r;

	event_sample(ev, &s);
	r = need_address(n, task_roots_get(&roots, ev->cpumode, ev->ip), ev->ip, false);
	if (r == 0 && n->code)
		r = need_code(n, task_roots_get(&roots, ev->cpumode, ev->ip), ev->ip);
	if (r == 0)
		r = need_chains(n, ev, &roots, &s);
	if (r == 0)
		r = need_branches(n, &roots, &s);
	if (r == 0 && s.present & PERF_SAMPLE_ADDR)
		r = need_address(n, task_roots_get(&roots, ev->cpumode, s.addr), s.addr, false);
	return r == -SONDE_NOMEM ? r : 0;
}

int bundle_needs_event(struct bundle_needs *n, const struct sonde_event *ev, const struct meta *meta)
{
	if (ev->evsel && ev->evsel->attr && ev->evsel->attr->type == PERF_TYPE_TRACEPOINT)
		n->whole_kernel = true;
	if (ev->kind != SONDE_KIND_SAMPLE)
		return moment_apply(&n->moment, ev, meta);
	return moment_advance(&n->moment, ev) < 0 ? -SONDE_NOMEM : need_sample(n, ev);
}

static int all_symbols(struct needed_binary *of, const struct symtab *t)
{
	of->symbols.n = 0;
	if (vec_reserve(&of->symbols, t->n) < 0)
		return -SONDE_NOMEM;
	while (of->symbols.n < t->n) {
		of->symbols.at[of->symbols.n] = (uint32_t)of->symbols.n;
		of->symbols.n++;
	}
	return 0;
}

/* A function that people look into has lines at all its instructions, wherever they begin. */
static int need_lines_of_code(struct bundle_needs *n, struct needed_binary *of, const struct binary *b)
{
	const struct symtab *t = of->hot.n ? symbols_table(n->symbols, b) : NULL;
	int r = 0;

	for (size_t i = 0; i < of->hot.n && r == 0; i++) {
		uint64_t start = symtab_start(t, of->hot.at[i]), size = symtab_end(t, of->hot.at[i]) - start;

		for (uint64_t k = 0; k < size && size <= CODE_MOST && r == 0; k++)
			r = need_line(&of->addrs, start + k);
	}
	return r;
}

static int finish(struct bundle_needs *n, const struct binary *b)
{
	struct needed_binary *of = needed(n, b);
	int r;

	if (!of)
		return -SONDE_NOMEM;
	TIDY(&of->symbols, compare_u32);
	TIDY(&of->functions, compare_u32);
	TIDY(&of->hot, compare_u32);
	r = need_lines_of_code(n, of, b);
	TIDY(&of->addrs, compare_u64);
	if (r == 0 && n->whole_kernel && (b->kind == BINARY_KERNEL || b->kind == BINARY_MODULE))
		r = all_symbols(of, symbols_table(n->symbols, b));
	return r;
}

int bundle_needs_finish(struct bundle_needs *n)
{
	int r = 0;

	/* also a binary without an address: unwinding may have read it, or it is a jitdump */
	for (size_t i = 0; i < n->moment.tasks.binaries.list.n && r == 0; i++)
		r = finish(n, n->moment.tasks.binaries.list.at[i]);
	return r;
}

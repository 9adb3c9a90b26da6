/* SPDX-License-Identifier: MIT */
/* event.c - the content of an event, as structs of the library with arrays in host order */
#include "api/trace/event.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/context_markers.h"
#include "model/reader.h"

/* The body that was decoded last. An event has one body, so all kinds share the memory. */
struct event_views {
	union {
		struct {
			struct sonde_sample sample;  /* first: see views_of() */
			struct sonde_regs user_regs, intr_regs;
		};
		struct sonde_mmap mmap;
		struct sonde_comm comm;
		struct sonde_task task;
		struct sonde_lost lost;
		struct sonde_ksymbol ksymbol;
		struct sonde_text_poke text_poke;
		struct sonde_callchain_deferred callchain_deferred;
		struct sonde_auxtrace auxtrace;
	};
	VEC(uint64_t) words;
	VEC(struct sonde_read_value) values;
	VEC(struct sonde_branch) branches;
};

struct event_views *event_views_new(void)
{
	return calloc(1, sizeof(struct event_views));
}

void event_views_free(struct event_views *v)
{
	if (!v)
		return;
	vec_free(&v->words);
	vec_free(&v->values);
	vec_free(&v->branches);
	free(v);
}

static struct event_views *views_for(const struct sonde_event *ev)
{
	return event_of(ev)->reader->views;
}

static const struct event_views *views_of(const struct sonde_sample *s)
{
	return (const struct event_views *)s;
}

/* Words that the host can read in place are not copied. */
static bool is_native(const struct u64s *a)
{
	return !a->swap && (uintptr_t)a->p % _Alignof(uint64_t) == 0;
}

static size_t words_to_copy(const struct u64s *a)
{
	return is_native(a) ? 0 : (size_t)a->nr;
}

/* The caller has reserved room for the copy. */
static const uint64_t *host_words(struct event_views *v, const struct u64s *a)
{
	const uint64_t *words;

	if (a->nr == 0)
		return NULL;
	if (is_native(a))
		return (const uint64_t *)a->p;
	words = v->words.at + v->words.n;
	for (uint64_t i = 0; i < a->nr; i++)
		v->words.at[v->words.n++] = u64s_at(a, i);
	return words;
}

/* The user part of a callchain that is recorded apart; empty for most. */
static struct u64s user_part(const struct sonde_event *ev)
{
	const struct reader *r = event_of(ev)->reader;

	return r->ops->user_callchain ? r->ops->user_callchain(r, ev) : (struct u64s){ 0 };
}

/* Puts both parts of a callchain together; the caller has reserved room. */
static void join_callchain(struct event_views *v, struct sample *s, const struct u64s *user)
{
	size_t from = v->words.n;

	for (uint64_t i = 0; i < s->callchain.nr; i++)
		v->words.at[v->words.n++] = u64s_at(&s->callchain, i);
	v->words.at[v->words.n++] = CONTEXT_USER;
	for (uint64_t i = 0; i < user->nr; i++)
		v->words.at[v->words.n++] = u64s_at(user, i);
	s->callchain = (struct u64s){ .p = (const uint8_t *)(v->words.at + from), .nr = v->words.n - from };
	s->present |= PERF_SAMPLE_CALLCHAIN;
}

static int make_room(struct event_views *v, const struct sample *s, const struct u64s *user)
{
	v->words.n = v->values.n = v->branches.n = 0;
	if (vec_reserve(&v->words,
			(user->nr ? s->callchain.nr + 1 + user->nr : words_to_copy(&s->callchain)) +
				words_to_copy(&s->user_regs.values) +
				words_to_copy(&s->intr_regs.values)) < 0 ||
	    vec_reserve(&v->values, s->read.nr) < 0 || vec_reserve(&v->branches, s->branches.nr) < 0)
		return -SONDE_NOMEM;
	return 0;
}

static struct sonde_regs host_regs(struct event_views *v, const struct regs *r)
{
	return (struct sonde_regs){
		.abi = r->abi, .mask = r->mask, .values = host_words(v, &r->values), .nr_values = (size_t)r->values.nr
	};
}

static void fill_sample(struct event_views *v, const struct sample *s)
{
	v->sample = (struct sonde_sample){
		.present = s->present,
		.identifier = s->identifier,
		.ip = s->ip,
		.time = s->time,
		.addr = s->addr,
		.id = s->id,
		.stream_id = s->stream_id,
		.period = s->period,
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.time_enabled = s->read.time_enabled,
		.time_running = s->read.time_running,
		.nr_values = (size_t)s->read.nr,
		.callchain = host_words(v, &s->callchain),
		.nr_callchain = (size_t)s->callchain.nr,
		.raw = s->raw,
		.nr_branches = (size_t)s->branches.nr,
		.branch_hw_idx = s->branches.hw_idx,
		.user_regs = &v->user_regs,
		.intr_regs = &v->intr_regs,
		.user_stack = s->user_stack,
		.user_stack_size = s->user_stack_size,
		.weight = s->weight,
		.data_src = s->data_src,
		.transaction = s->transaction,
		.phys_addr = s->phys_addr,
		.cgroup = s->cgroup,
		.data_page_size = s->data_page_size,
		.code_page_size = s->code_page_size,
		.aux = s->aux,
	};
	v->user_regs = host_regs(v, &s->user_regs);
	v->intr_regs = host_regs(v, &s->intr_regs);
	for (uint64_t i = 0; i < s->read.nr; i++)
		v->values.at[v->values.n++] = read_value_at(&s->read, i);
	for (uint64_t i = 0; i < s->branches.nr; i++)
		v->branches.at[v->branches.n++] = sample_branch_at(s, i);
}

int sonde_event_sample(const struct sonde_event *ev, const struct sonde_sample **out)
{
	struct event_views *v = views_for(ev);
	struct sample s;
	struct u64s user;
	int r = event_sample(ev, &s);

	if (r == -SONDE_USAGE)
		return r;
	user = user_part(ev);
	if (make_room(v, &s, &user) < 0)
		return -SONDE_NOMEM;
	if (user.nr)
		join_callchain(v, &s, &user);
	fill_sample(v, &s);
	*out = &v->sample;
	return r;
}

const struct sonde_read_value *sonde_sample_value_at(const struct sonde_sample *s, size_t i)
{
	return i < s->nr_values ? &views_of(s)->values.at[i] : NULL;
}

const struct sonde_branch *sonde_sample_branch_at(const struct sonde_sample *s, size_t i)
{
	return i < s->nr_branches ? &views_of(s)->branches.at[i] : NULL;
}

int sonde_event_callchain_deferred(const struct sonde_event *ev, const struct sonde_callchain_deferred **out)
{
	struct event_views *v = views_for(ev);
	struct callchain_deferred c;
	int r = event_callchain_deferred(ev, &c);

	if (r < 0)
		return r;
	v->words.n = 0;
	if (vec_reserve(&v->words, words_to_copy(&c.ips)) < 0)
		return -SONDE_NOMEM;
	v->callchain_deferred = (struct sonde_callchain_deferred){ .cookie = c.cookie,
								   .ips = host_words(v, &c.ips),
								   .nr_ips = (size_t)c.ips.nr };
	*out = &v->callchain_deferred;
	return 0;
}

#define BODY(name) \
	int sonde_event_##name(const struct sonde_event *ev, const struct sonde_##name **out) \
	{ \
		struct event_views *v = views_for(ev); \
		int r = event_##name(ev, &v->name); \
		\
		if (r == 0) \
			*out = &v->name; \
		return r; \
	}

BODY(mmap)
BODY(comm)
BODY(task)
BODY(lost)
BODY(ksymbol)
BODY(text_poke)

int sonde_event_auxtrace(const struct sonde_event *ev, const struct sonde_auxtrace **out)
{
	const struct reader *r = event_of(ev)->reader;
	int e = r->ops->auxtrace ? r->ops->auxtrace((struct reader *)(uintptr_t)r, ev, &r->views->auxtrace) :
				   -SONDE_USAGE;

	if (e == 0)
		*out = &r->views->auxtrace;
	return e;
}

int sonde_event_fields(const struct sonde_event *ev, sonde_field_fn fn, void *ctx)
{
	return event_fields(ev, fn, ctx);
}

/* SPDX-License-Identifier: MIT */
#include "order/deferred_callchain.h"

#include <stdlib.h>
#include <string.h>

#include "model/context_markers.h"
#include "model/reader.h"

struct waiting_sample {
	struct waiting_sample *older, *newer;
	struct waiting_sample *next;    /* of the same thread */
	struct loaded_event event;   /* its raw bytes are those below */
	uint64_t cookie;
	uint32_t thread;
	uint8_t raw[];
};

static bool is_deferred(const struct u64s *chain, uint64_t *cookie)
{
	if (chain->nr < 2 || u64s_at(chain, chain->nr - 2) != CONTEXT_USER_DEFERRED)
		return false;
	*cookie = u64s_at(chain, chain->nr - 1);
	return true;
}

static uint64_t cost_of(const struct waiting_sample *s)
{
	return sizeof(*s) + s->event.pub.raw_size;
}

static uint32_t thread_of(struct deferred_callchains *j, int32_t tid)
{
	uint32_t i = u64map_get(&j->by_tid, (uint32_t)tid);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)j->threads.n;
	if (vec_push(&j->threads, ((struct waiting_thread){ 0 })) < 0 || u64map_set(&j->by_tid, (uint32_t)tid, i) < 0)
		return U64MAP_NONE;
	return i;
}

static int let_wait(struct deferred_callchains *j, const struct sonde_event *ev, uint64_t cookie)
{
	struct waiting_sample *s = malloc(sizeof(*s) + ev->raw_size);
	uint32_t thread = s ? thread_of(j, ev->tid) : U64MAP_NONE;
	struct waiting_thread *t;

	if (thread == U64MAP_NONE) {
		free(s);
		return -SONDE_NOMEM;
	}
	*s = (struct waiting_sample){ .event = *event_of(ev), .cookie = cookie, .thread = thread, .older = j->newest };
	memcpy(s->raw, ev->raw, ev->raw_size);
	s->event.pub.raw = s->raw;
	t = &j->threads.at[thread];
	if (t->last)
		t->last->next = s;
	else
		t->first = s;
	t->last = s;
	if (j->newest)
		j->newest->newer = s;
	else
		j->oldest = s;
	j->newest = s;
	j->bytes += cost_of(s);
	return 1;
}

/* The user part of a chain: whoever of the thread waits for it is ready now. */
static int take_chain(struct deferred_callchains *j, const struct sonde_event *ev)
{
	struct callchain_deferred c;
	uint32_t thread = u64map_get(&j->by_tid, (uint32_t)ev->tid);

	if (thread == U64MAP_NONE || event_callchain_deferred(ev, &c) < 0)
		return 0;
	j->ips.n = 0;
	if (vec_reserve(&j->ips, c.ips.nr) < 0)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i < c.ips.nr; i++)
		j->ips.at[j->ips.n++] = u64s_at(&c.ips, i);
	j->came = thread;
	j->cookie = c.cookie;
	return 0;
}

int deferred_callchains_take(struct deferred_callchains *j, const struct sonde_event *ev)
{
	const struct reader *reader = event_of(ev)->reader;
	struct u64s chain;
	uint64_t cookie;

	if (ev->type == DEFERRED_CALLCHAIN_RECORD)
		return take_chain(j, ev);
	if (ev->kind != SONDE_KIND_SAMPLE)
		return 0;
	chain = reader->ops->callchain(reader, ev);
	return is_deferred(&chain, &cookie) ? let_wait(j, ev, cookie) : 0;
}

/* The chain that has come replaces marker and cookie. */
static int put_together(struct deferred_callchains *j, struct waiting_sample *s)
{
	const struct reader *reader = s->event.reader;
	struct u64s chain = reader->ops->callchain(reader, &s->event.pub);

	j->chain.n = 0;
	if (vec_reserve(&j->chain, chain.nr + j->ips.n) < 0)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i + 2 < chain.nr; i++)
		j->chain.at[j->chain.n++] = u64s_at(&chain, i);
	j->chain.at[j->chain.n++] = CONTEXT_USER;
	for (size_t i = 0; i < j->ips.n; i++)
		j->chain.at[j->chain.n++] = j->ips.at[i];
	s->event.deferred_callchain = (struct u64s){ .p = (const uint8_t *)j->chain.at, .nr = j->chain.n };
	return 0;
}

/* The first of its thread, which each is whose turn it is: of a thread, the first that came goes first. */
static void take_out(struct deferred_callchains *j, struct waiting_sample *s)
{
	struct waiting_thread *t = &j->threads.at[s->thread];

	t->first = s->next;
	if (!t->first)
		t->last = NULL;
	if (s->older)
		s->older->newer = s->newer;
	else
		j->oldest = s->newer;
	if (s->newer)
		s->newer->older = s->older;
	else
		j->newest = s->older;
	j->bytes -= cost_of(s);
	j->handed_out = s;
}

int deferred_callchains_next(struct deferred_callchains *j, struct loaded_event *out)
{
	struct waiting_sample *s = j->came != U64MAP_NONE ? j->threads.at[j->came].first : NULL;

	free(j->handed_out);
	j->handed_out = NULL;
	if (!s) {
		j->came = U64MAP_NONE;
		s = j->ended || j->bytes > DEFERRED_CALLCHAINS_MAX_BYTES ? j->oldest : NULL;
		if (!s)
			return 0;
		j->given_up += !j->ended;
	} else if (s->cookie == j->cookie && put_together(j, s) < 0) {
		return -SONDE_NOMEM;
	}
	take_out(j, s);
	*out = s->event;
	return 1;
}

void deferred_callchains_end(struct deferred_callchains *j)
{
	j->ended = true;
}

void deferred_callchains_free(struct deferred_callchains *j)
{
	struct waiting_sample *next;

	for (struct waiting_sample *s = j->oldest; s; s = next) {
		next = s->newer;
		free(s);
	}
	free(j->handed_out);
	vec_free(&j->threads);
	u64map_free(&j->by_tid);
	vec_free(&j->ips);
	vec_free(&j->chain);
	*j = DEFERRED_CALLCHAINS_NONE;
}

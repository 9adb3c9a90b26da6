/* SPDX-License-Identifier: MIT */
/*
 * deferred_callchain.h - samples and the user part of their callchain, which comes later
 *
 * The kernel can leave the user part of a callchain to the moment at which the thread goes back to user space
 * (PERF_RECORD_CALLCHAIN_DEFERRED). Until then the chain of a sample ends with PERF_CONTEXT_USER_DEFERRED and a cookie.
 * Such samples wait here, each as a copy, and come out with the whole chain. They come out as they are when a chain of
 * the same thread has another cookie, when the trace ends, or when too many bytes wait.
 */
#ifndef ORDER_DEFERRED_CALLCHAIN_H
#define ORDER_DEFERRED_CALLCHAIN_H

#include "base/u64map.h"
#include "base/vec.h"
#include "model/event.h"

#define DEFERRED_CALLCHAIN_RECORD 22   /* PERF_RECORD_CALLCHAIN_DEFERRED, newer than the headers of some hosts */
#define DEFERRED_CALLCHAINS_MAX_BYTES ((uint64_t)16 << 20)

struct waiting_sample;

/* The waiting samples of one thread. */
struct waiting_thread {
	struct waiting_sample *first, *last;
};

struct deferred_callchains {
	struct waiting_sample *oldest, *newest;
	struct waiting_sample *handed_out;
	VEC(struct waiting_thread) threads;
	struct u64map by_tid;        /* -> index in threads */
	uint64_t bytes;              /* of the samples that wait */
	uint32_t came;               /* index of the thread whose chain has come, U64MAP_NONE if none */
	uint64_t cookie;
	VEC(uint64_t) ips;           /* of the chain that has come */
	VEC(uint64_t) chain;         /* of the sample that was handed out last */
	bool ended;
	uint64_t given_up;           /* samples set free because of the limit */
};

#define DEFERRED_CALLCHAINS_NONE ((struct deferred_callchains){ .came = U64MAP_NONE })

/* True for events that have to go through deferred_callchains_take(). */
static inline bool deferred_callchains_concern(const struct sonde_event *ev)
{
	return ev->type == DEFERRED_CALLCHAIN_RECORD ||
		(ev->evsel && ev->evsel->attr->flags & SONDE_ATTR_DEFER_CALLCHAIN);
}

/**
 * deferred_callchains_take - look at an event, in time order
 * Returns 1 if it is a sample that waits now, 0 if it goes on its way (what deferred_callchains_next() gives comes
 * before it), -SONDE_NOMEM.
 */
int deferred_callchains_take(struct deferred_callchains *j, const struct sonde_event *ev);

/* The next sample that need not wait any more: 1, 0 if there is none, -SONDE_NOMEM. Valid until
 * the next call with @j. */
int deferred_callchains_next(struct deferred_callchains *j, struct loaded_event *out);

/* Nothing more will come. */
void deferred_callchains_end(struct deferred_callchains *j);

void deferred_callchains_free(struct deferred_callchains *j);

#endif

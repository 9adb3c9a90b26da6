/* SPDX-License-Identifier: MIT */
#include "record/perf/ring_set.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record/event/advice.h"

#define SIDEBAND_MIN_BYTES (128u << 10)
#define SIDEBAND_MAX_BYTES (512u << 10)

size_t ring_set_sideband_bytes(size_t bytes)
{
	size_t want = bytes / 4 < SIDEBAND_MAX_BYTES ? bytes / 4 : SIDEBAND_MAX_BYTES;

	want = want > SIDEBAND_MIN_BYTES ? want : SIDEBAND_MIN_BYTES;
	return want < bytes ? want : bytes;
}

size_t ring_set_index(const struct ring_set *s, size_t event, size_t thread, size_t cpu)
{
	size_t i = s->by_thread ? thread : cpu;

	return event + 1 == s->counters->list->n ? s->nr + i : i;
}

static void unmap_all(struct ring_set *s)
{
	for (size_t i = 0; i < 2 * s->nr; i++)
		ring_unmap(&s->rings[i]);
}

/* The first open event of each ring owns it. 0 or a negative errno. */
static int map_owners(struct ring_set *s, size_t bytes)
{
	const struct counters *c = s->counters;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), sideband = ring_set_sideband_bytes(bytes);

	for (size_t e = 0; e < c->list->n; e++)
		for (size_t t = 0; t < c->target->tids.n; t++)
			for (size_t n = 0; n < c->target->cpus.n; n++) {
				size_t at = ring_set_index(s, e, t, n), want = at < s->nr ? bytes : sideband;
				int fd = c->fds[counters_cell(c, e, t, n)], r;

				if (fd < 0 || s->rings[at].map)
					continue;
				r = ring_map(&s->rings[at], fd, want < page ? page : want, s->backward && at < s->nr);
				if (r < 0)
					return r;
				s->owner[at] = t;
			}
	return 0;
}

static int redirect_others(struct ring_set *s, struct sonde_error *err)
{
	const struct counters *c = s->counters;

	for (size_t e = 0; e < c->list->n; e++)
		for (size_t t = 0; t < c->target->tids.n; t++)
			for (size_t n = 0; n < c->target->cpus.n; n++) {
				const struct ring *ring = &s->rings[ring_set_index(s, e, t, n)];
				int fd = c->fds[counters_cell(c, e, t, n)];

				if (fd >= 0 && fd != ring->fd && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
					return err_sys(err, errno, "cannot let %s share a ring", c->list->at[e].name);
			}
	return 0;
}

int ring_set_map(struct ring_set *s, const struct counters *c, size_t bytes, struct sonde_error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int r;

	*s = (struct ring_set){ .counters = c, .by_thread = c->target->cpus.at[0] < 0,
				.backward = c->list->at[0].attr.flags & ATTR_WRITE_BACKWARD };
	s->nr = s->by_thread ? c->target->tids.n : c->target->cpus.n;
	s->rings = calloc(2 * s->nr, sizeof(*s->rings));
	s->owner = calloc(2 * s->nr, sizeof(*s->owner));
	s->given_away = calloc(2 * s->nr, sizeof(*s->given_away));
	s->pollfds = calloc(2 * s->nr + RING_SET_EXTRA_FDS, sizeof(*s->pollfds));
	if (!s->rings || !s->owner || !s->given_away || !s->pollfds)
		return err_nomem(err);
	for (; (r = map_owners(s, bytes)) == -EPERM && bytes > page; bytes /= 2) {
		unmap_all(s);
		s->shrunk = true;
	}
	if (r < 0)
		return advice_map(err, -r, bytes);
	s->bytes = bytes;
	for (size_t i = 0; i < 2 * s->nr + RING_SET_EXTRA_FDS; i++)
		s->pollfds[i] = (struct pollfd){ .fd = i < 2 * s->nr && s->rings[i].map ? s->rings[i].fd : -1,
						 .events = s->backward && i < s->nr ? 0 : POLLIN };
	return redirect_others(s, err);
}

/* On a CPU that its PMU does not have, the ring belongs to another event. */
static bool is_of_first_event(const struct ring_set *s, size_t ring)
{
	const struct counters *c = s->counters;

	for (size_t t = 0; t < c->target->tids.n; t++)
		for (size_t n = 0; n < c->target->cpus.n; n++)
			if (ring_set_index(s, 0, t, n) == ring &&
			    c->fds[counters_cell(c, 0, t, n)] == s->rings[ring].fd)
				return true;
	return false;
}

int ring_set_map_aux(struct ring_set *s, const struct aux_area *like, struct sonde_error *err)
{
	if (!like->bytes)
		return 0;
	s->areas = calloc(s->nr, sizeof(*s->areas));
	if (!s->areas)
		return err_nomem(err);
	for (size_t i = 0; i < s->nr; i++) {
		const struct target *t = s->counters->target;
		struct aux_area *a = &s->areas[i];
		int r;

		if (!s->rings[i].map || !is_of_first_event(s, i))
			continue;
		*a = *like;
		a->ring = (uint32_t)i;
		a->cpu = s->by_thread ? -1 : t->cpus.at[i];
		a->tid = s->by_thread ? t->tids.at[i] : -1;
		r = aux_area_map(a, &s->rings[i]);
		if (r < 0)
			return err_sys(err, -r, "cannot map an AUX area of %llu KiB (-m ,SIZE; "
				       "kernel.perf_event_mlock_kb)", (unsigned long long)like->bytes >> 10);
	}
	return 0;
}

void ring_set_keep_traces(struct ring_set *s, bool on)
{
	for (size_t i = 0; s->areas && i < s->nr; i++)
		s->areas[i].stays_on = on;
}

/* The trace of a ring, if it has one. */
static ssize_t drain_area(const struct ring_set *s, size_t i, struct write_queue *queue)
{
	return s->areas && i < s->nr && s->rings[i].map ? aux_area_drain(&s->areas[i], &s->rings[i], queue) : 0;
}

ssize_t ring_set_drain(struct ring_set *s, struct write_queue *queue, bool sideband_only)
{
	ssize_t sum = 0;

	/* The side band first: samples need the side band that is older than they are. */
	for (size_t i = 2 * s->nr; i-- > (sideband_only ? s->nr : 0);) {
		ssize_t n = 0;

		if (s->rings[i].map && !s->rings[i].backward && !s->given_away[i]) {
			affinity_follow(&s->affinity, s->by_thread ? -1 : s->counters->target->cpus.at[i % s->nr]);
			n = ring_drain(&s->rings[i], queue);
		}
		if (n >= 0) {
			ssize_t trace = drain_area(s, i, queue);

			n = trace < 0 ? trace : n + trace;
		}
		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

ssize_t ring_set_dump(struct ring_set *s, struct write_queue *queue)
{
	ssize_t sum = 0;

	for (size_t i = 0; i < s->nr; i++) {
		ssize_t n = s->rings[i].map && s->rings[i].backward ? ring_dump(&s->rings[i], queue) : 0;

		if (n == 0 && s->areas && s->rings[i].map)
			n = aux_area_dump(&s->areas[i], &s->rings[i], queue);

		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

void ring_set_give_away(struct ring_set *s, size_t ring)
{
	s->given_away[ring] = true;
	s->pollfds[ring].fd = -1;
}

int ring_set_next_owner(const struct ring_set *s, size_t ring, size_t *owner)
{
	const struct counters *c = s->counters;
	size_t event = ring >= s->nr ? c->list->n - 1 : 0;

	while (!s->by_thread && ++*owner < c->target->tids.n) {
		int fd = c->fds[counters_cell(c, event, *owner, ring % s->nr)];

		if (fd >= 0)
			return fd;
	}
	return -1;
}

int ring_set_poll(struct ring_set *s, int timeout_ms)
{
	int r = poll(s->pollfds, 2 * s->nr + RING_SET_EXTRA_FDS, timeout_ms);

	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	for (size_t i = 0; i < 2 * s->nr; i++)
		if (s->pollfds[i].fd >= 0 && s->pollfds[i].revents & (POLLHUP | POLLERR))
			s->pollfds[i].fd = ring_set_next_owner(s, i, &s->owner[i]);
	return r;
}

bool ring_set_ended(const struct ring_set *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->pollfds[i].fd >= 0)
			return false;
	return true;
}

void ring_set_free(struct ring_set *s)
{
	for (size_t i = 0; s->areas && i < s->nr; i++)
		aux_area_unmap(&s->areas[i]);
	free(s->areas);
	if (s->rings)
		unmap_all(s);
	free(s->rings);
	free(s->owner);
	free(s->given_away);
	free(s->pollfds);
	*s = (struct ring_set){ 0 };
}

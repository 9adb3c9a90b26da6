/* SPDX-License-Identifier: MIT */
#include "export/perfetto/counter_tracks.h"

#include "base/hash.h"
#include "export/perfetto/packet.h"
#include "export/weights.h"

/* Fields of TrackDescriptor, ThreadDescriptor, CounterDescriptor and TrackEvent. */
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { THREAD_PID = 1, THREAD_TID = 2 };
enum { COUNTER_UNIT = 3, UNIT_NS = 1, UNIT_COUNT = 2 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_VALUE = 30, TYPE_COUNTER = 4 };

struct put {
	struct counter_tracks *t;
	uint64_t start;
	struct buf *packets;
};

/* The number of a track is one that no other file has, since files may be joined. */
static uint64_t thread_track(const struct put *p, const struct event_row *row)
{
	return hash_two(hash_two(p->start, row->space), (uint32_t)row->ev->tid);
}

static uint64_t count_track(const struct put *p, const struct thread_count *c)
{
	return hash_two(thread_track(p, c->row), UINT64_C(1) << 32 | c->number);
}

/* Once for each thread. 0 or -SONDE_NOMEM. */
static int put_thread(const struct put *p, const struct event_row *row)
{
	uint64_t key = key_in(row->space, (uint32_t)row->ev->tid);
	struct buf *b = p->packets;
	size_t m, track, thread;

	if (u64map_get(&p->t->threads, key) != U64MAP_NONE)
		return 0;
	if (u64map_set(&p->t->threads, key, 1) < 0)
		return -SONDE_NOMEM;
	m = packet_begin(b, OWN_SEQUENCE, row->space);
	track = pb_begin(b, P_TRACK);
	pb_u64(b, TRACK_UUID, thread_track(p, row));
	thread = pb_begin(b, TRACK_THREAD);
	pb_u64(b, THREAD_PID, (uint32_t)(row->ev->pid >= 0 ? row->ev->pid : row->ev->tid));
	pb_u64(b, THREAD_TID, (uint32_t)row->ev->tid);
	pb_end(b, thread);
	pb_end(b, track);
	pb_end(b, m);
	return 0;
}

/* The idle task, of which each CPU has one, is no thread of Perfetto. */
static bool has_thread(const struct thread_count *c)
{
	return c->row->ev->tid > 0;
}

static void put_track(const struct put *p, const struct thread_count *c)
{
	struct buf *b = p->packets;
	size_t m = packet_begin(b, OWN_SEQUENCE, c->row->space), track = pb_begin(b, P_TRACK), counter;

	pb_u64(b, TRACK_UUID, count_track(p, c));
	if (has_thread(c))
		pb_u64(b, TRACK_PARENT, thread_track(p, c->row));
	pb_str(b, TRACK_NAME, c->row->ev->evsel->name);
	counter = pb_begin(b, TRACK_COUNTER);
	pb_u64(b, COUNTER_UNIT, evsel_counts_ns(c->row->ev->evsel) ? UNIT_NS : UNIT_COUNT);
	pb_end(b, counter);
	pb_end(b, track);
	pb_end(b, m);
}

static int put_count(const struct put *p, const struct thread_count *c)
{
	struct buf *b = p->packets;
	size_t m, event;

	if (c->is_first) {
		if (has_thread(c) && put_thread(p, c->row) < 0)
			return -SONDE_NOMEM;
		put_track(p, c);
	}
	m = packet_begin(b, OWN_SEQUENCE, c->row->space);
	pb_u64(b, P_TIME, c->row->time);
	event = pb_begin(b, P_COUNT);
	pb_u64(b, EVENT_TYPE, TYPE_COUNTER);
	pb_u64(b, EVENT_TRACK, count_track(p, c));
	pb_u64(b, EVENT_VALUE, c->sum);
	pb_end(b, event);
	pb_end(b, m);
	return 0;
}

int counter_tracks_put(struct counter_tracks *t, const struct event_row *row, uint64_t start, struct buf *packets)
{
	struct put p = { t, start, packets };
	struct thread_count c;
	int r;

	/* the event that the sampling goes by needs no track: its count grows by the periods */
	if (row->time == SONDE_NONE || event_of(row->ev)->read_by == row->ev->evsel)
		return 0;
	r = thread_counts_take(&t->counts, row, &c);
	return r > 0 ? put_count(&p, &c) : r;
}

void counter_tracks_free(struct counter_tracks *t)
{
	thread_counts_free(&t->counts);
	u64map_free(&t->threads);
}

/* SPDX-License-Identifier: MIT */
#include "model/clocks.h"

#include <string.h>

#include "base/bytes.h"
#include "model/reader.h"

#define SECOND INT64_C(1000000000)

static struct clock_facts facts_of(const struct reader *r)
{
	struct clock_facts f = { .hostname = r->meta.hostname };

	if (r->ops->clock)
		r->ops->clock(r, &f);
	return f;
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

bool clocks_hosts_differ(const struct reader *a, const struct reader *b)
{
	return differ(a->meta.hostname, b->meta.hostname);
}

bool clocks_one_machine(const struct reader *a, const struct reader *b)
{
	const struct clock_facts x = facts_of(a), y = facts_of(b);

	return a == b || (x.hostname && y.hostname && strcmp(x.hostname, y.hostname) == 0 && x.is_guest == y.is_guest);
}

bool clocks_of_guest(const struct reader *r)
{
	return facts_of(r).is_guest;
}

/* perf's own clock and these two of ftrace count from one source; on x86 they are some milliseconds apart. */
static bool is_scheduler(const char *name)
{
	return strcmp(name, "perf") == 0 || strcmp(name, "local") == 0 || strcmp(name, "global") == 0;
}

/* SONDE_ALIGNED_NOT, or how one machine's clocks of these names are related. */
static enum sonde_alignment_fact relate_names(const struct clock_facts *a, const struct clock_facts *b)
{
	if (!a->name || !b->name || differ(a->hostname, b->hostname) || a->is_guest != b->is_guest)
		return SONDE_ALIGNED_NOT;
	if (strcmp(a->name, b->name) == 0)
		return SONDE_ALIGNED_SAME_CLOCK;
	return is_scheduler(a->name) && is_scheduler(b->name) ? SONDE_ALIGNED_SCHEDULER : SONDE_ALIGNED_NOT;
}

static enum sonde_alignment_fact relate(const struct clock_facts *a, const struct clock_facts *b, int64_t *shift)
{
	enum sonde_alignment_fact by_name = relate_names(a, b);

	if (a->session && a->session == b->session)
		return a->is_guest || b->is_guest ? SONDE_ALIGNED_GUEST : SONDE_ALIGNED_SESSION;
	if (!a->has_wall || !b->has_wall)
		return by_name;
	*shift = (int64_t)((uint64_t)b->to_wall - (uint64_t)a->to_wall);
	if (by_name != SONDE_ALIGNED_SAME_CLOCK || *shift <= -SECOND || *shift >= SECOND)
		return SONDE_ALIGNED_WALL;
	/* a small difference is the wall clock's, which is being set right */
	*shift = 0;
	return by_name;
}

/* *@shift: nanoseconds that the times of @r need to be times of @first; 0 if nothing relates their clocks. */
static enum sonde_alignment_fact relate_readers(const struct reader *first, const struct reader *r, int64_t *shift)
{
	const struct clock_facts a = facts_of(first), b = facts_of(r);

	*shift = 0;
	return r == first ? SONDE_ALIGNED_FIRST : relate(&a, &b, shift);
}

static const char *text_of(enum sonde_alignment_fact fact)
{
	static const char *const texts[] = {
		[SONDE_ALIGNED_NOT] = "nothing relates its clock to that of the first trace",
		[SONDE_ALIGNED_FIRST] = "its clock is the clock of all",
		[SONDE_ALIGNED_GIVEN] = "its offset was given",
		[SONDE_ALIGNED_SESSION] = "both traces are of one session of trace-cmd",
		[SONDE_ALIGNED_GUEST] = "trace-cmd measured the distance of the guest's clock to its host's",
		[SONDE_ALIGNED_SAME_CLOCK] = "both clocks are the same one",
		[SONDE_ALIGNED_SCHEDULER] = "both are clocks of the scheduler, which may be some milliseconds apart",
		[SONDE_ALIGNED_WALL] = "both traces note the wall clock",
	};

	return (size_t)fact < ARRAY_SIZE(texts) ? texts[fact] : "";
}

bool clocks_known(enum sonde_alignment_fact fact)
{
	return fact != SONDE_ALIGNED_NOT;
}

/* The events and the clock of a stream that became a file are in its first records. A failure comes again later. */
static void read_beginning(struct reader *r)
{
	struct sonde_error err = { 0 };

	if (r && r->ops->first_records)
		r->ops->first_records(r, &err);
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

void clocks_align(struct reader *const *readers, size_t nr, const int64_t *offsets, size_t nr_offsets,
		  struct sonde_alignment *out)
{
	int64_t of_first = 0;

	for (size_t i = 0; i < nr; i++)
		read_beginning(readers[i]);
	for (size_t i = 0; i < nr; i++) {
		const struct reader *r = readers[i];
		bool given = offsets && i < nr_offsets && offsets[i] != SONDE_OFFSET_BY_CLOCK;
		struct sonde_alignment a = { .offset_ns = given ? offsets[i] : 0, .fact = SONDE_ALIGNED_FIRST };

		if (i == 0)
			of_first = a.offset_ns;
		if (r && (given || r->given_shift)) {
			a.offset_ns = plus(a.offset_ns, r->given_shift);
			a.fact = SONDE_ALIGNED_GIVEN;
		} else if (r && readers[0] && i) {
			a.fact = readers[0]->given_shift ? SONDE_ALIGNED_GIVEN :
				 relate_readers(readers[0], r, &a.offset_ns);
			a.offset_ns = plus(a.offset_ns, of_first);
		}
		a.text = text_of(a.fact);
		out[i] = a;
	}
}

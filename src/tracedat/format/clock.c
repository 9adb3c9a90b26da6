/* SPDX-License-Identifier: MIT */
#include "tracedat/format/clock.h"

#include <stdlib.h>

#include "base/wide.h"
#include "tracedat/format/ids.h"

static int by_time(const void *a, const void *b)
{
	const struct clock_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void sort_samples(struct clock_shift *s)
{
	size_t n = 0;

	if (s->nr)
		qsort(s->samples, s->nr, sizeof(*s->samples), by_time);
	for (size_t i = 0; i < s->nr; i++)
		if (n == 0 || s->samples[n - 1].time != s->samples[i].time)
			s->samples[n++] = s->samples[i];
	s->nr = n;
}

static int decode_cpu(struct clock_shift *s, struct cursor *c, struct arena *arena)
{
	uint32_t nr = cur_u32(c);
	struct cursor times, offsets, scalings;

	if (cur_left(c) / 24 < nr)
		return cur_short(c, (uint64_t)nr * 24);
	times = cur_sub(c, (uint64_t)nr * 8);
	offsets = cur_sub(c, (uint64_t)nr * 8);
	scalings = cur_sub(c, (uint64_t)nr * 8);
	s->samples = arena_calloc(arena, nr ? nr : 1, sizeof(*s->samples));
	if (!s->samples)
		return -SONDE_NOMEM;
	s->nr = nr;
	for (uint32_t i = 0; i < nr; i++) {
		s->samples[i].time = (int64_t)cur_u64(&times);
		s->samples[i].offset = (int64_t)cur_u64(&offsets);
		s->samples[i].scaling = (int64_t)cur_u64(&scalings);
	}
	return 0;
}

/*
 * u64 peer, u32 flags, u32 CPUs, for each u32 n, s64 times[n], offsets[n], scalings[n]; after them all, in files of
 * newer recorders, for each CPU s64 fractions[n].
 */
static int take_time_shift(struct dat_clock *clock, struct cursor *c, struct arena *arena)
{
	uint32_t flags, nr;
	int r = 0;

	clock->host_id = cur_u64(c);
	flags = cur_u32(c);
	nr = cur_u32(c);
	if (cur_left(c) / 4 < nr)
		return cur_short(c, (uint64_t)nr * 4);
	clock->shifts = arena_calloc(arena, nr ? nr : 1, sizeof(*clock->shifts));
	if (!clock->shifts)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < nr && r == 0; i++)
		r = decode_cpu(&clock->shifts[i], c, arena);
	if (r == 0 && !cur_ok(c))
		r = -SONDE_TRUNCATED;
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < nr; i++)
		for (size_t k = 0; k < clock->shifts[i].nr && cur_left(c) >= 8; k++) {
			uint64_t fraction = cur_u64(c);

			clock->shifts[i].samples[k].fraction = fraction < 64 ? (uint32_t)fraction : 63;
		}
	for (uint32_t i = 0; i < nr; i++)
		sort_samples(&clock->shifts[i]);
	clock->nr_shifts = nr;
	clock->interpolate = flags & 1;
	clock->adjusts = true;
	return 0;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* The pair of samples around a stamp; the outermost pair outside. */
static const struct clock_sample *find_pair(const struct clock_shift *s, int64_t stamp)
{
	size_t low = 0, high = s->nr - 1;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (s->samples[mid].time <= stamp)
			low = mid;
		else
			high = mid;
	}
	return &s->samples[low];
}

/* The difference to the offset of sample a[0] on the way to a[1]: the share of the way plus one half, cut towards 0, as
 * trace-cmd rounds it. A difference that does not fit was no measurement. */
static uint64_t interpolated(const struct clock_sample *a, int64_t stamp)
{
	bool back = (stamp < a[0].time) != (a[1].offset < a[0].offset);
	uint64_t distance_ns = (uint64_t)a[1].time - (uint64_t)a[0].time, n, left;

	if (!wide_mul_div(distance(stamp, a[0].time), distance(a[1].offset, a[0].offset), distance_ns, &n, &left))
		return 0;
	if (back)
		return -(left < distance_ns / 2 && n ? n - 1 : n);
	return left >= distance_ns - distance_ns / 2 ? n + 1 : n;
}

/* The scaling is a factor of ticks, and negative in none of sound mind; its sign is kept all the same. */
static uint64_t scaled(uint64_t stamp, int64_t scaling, uint32_t fraction)
{
	uint64_t v = wide_mul_shift(stamp, distance(scaling, 0), fraction);

	return scaling < 0 ? -v : v;
}

static uint64_t to_host(const struct dat_clock *clock, const struct clock_shift *s, uint64_t stamp)
{
	const struct clock_sample *a;
	uint64_t offset;

	if (s->nr == 0)
		return stamp;
	if (s->nr == 1)
		return stamp + (uint64_t)s->samples[0].offset;
	a = find_pair(s, (int64_t)stamp);
	offset = (uint64_t)a[0].offset;
	if (clock->interpolate)
		offset += interpolated(a, (int64_t)stamp);
	return scaled(stamp, a[0].scaling, a[0].fraction) + offset;
}

/* In floating point, as trace-cmd has it. */
static uint64_t by_frequency(uint64_t stamp, uint64_t ticks_per_second)
{
	double ns = (double)stamp * (1e9 / (double)ticks_per_second);

	return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX - 1;
}

uint64_t dat_clock_adjust(const struct dat_clock *clock, int32_t cpu, uint64_t stamp)
{
	if (cpu >= 0 && (uint32_t)cpu < clock->nr_shifts)
		stamp = to_host(clock, &clock->shifts[cpu], stamp);
	if (clock->ticks_per_second)
		stamp = by_frequency(stamp, clock->ticks_per_second);
	else if (clock->ticks)
		stamp = wide_mul_shift(stamp, clock->mult, clock->shift);
	return stamp + clock->date + clock->offset;
}

/* A number as the recorder wrote it: decimal, or hexadecimal after 0x, perhaps negative. */
static bool parse_number(struct sonde_str s, uint64_t *out)
{
	bool negative = s.len && *s.p == '-';
	size_t i = negative;
	unsigned base = 10;
	uint64_t v = 0;

	if (s.len > i + 2 && s.p[i] == '0' && (s.p[i + 1] | 0x20) == 'x') {
		base = 16;
		i += 2;
	}
	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		char c = s.p[i];
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ?
				 (unsigned)((c | 0x20) - 'a' + 10) : 16;

		if (digit >= base)
			return false;
		v = v * base + digit;
	}
	*out = negative ? -v : v;
	return true;
}

/* Microseconds. */
static int take_date(struct dat_clock *clock, struct cursor *c)
{
	uint64_t us;

	if (!parse_number(cur_str(c, cur_left(c)), &us))
		return err_set(c->err, SONDE_CORRUPT, c->at, "the date is no number");
	clock->date = us * 1000;
	clock->adjusts = true;
	return 0;
}

static int take_offset(struct dat_clock *clock, struct cursor *c)
{
	uint64_t ns;

	if (!parse_number(cur_str(c, cur_left(c)), &ns))
		return err_set(c->err, SONDE_CORRUPT, c->at, "the time offset is no number");
	clock->offset = ns;
	clock->adjusts = true;
	return 0;
}

/* The offset that follows is not used: since 2021 trace-cmd does not add it. */
static int take_tsc2nsec(struct dat_clock *clock, struct cursor *c)
{
	uint32_t mult = cur_u32(c), shift = cur_u32(c);

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	if (shift > 63 || mult == 0)
		return err_set(c->err, SONDE_CORRUPT, c->at - 8, "ticks * %u >> %u cannot be nanoseconds", mult, shift);
	clock->mult = mult;
	clock->shift = shift;
	clock->ticks = clock->adjusts = true;
	return 0;
}

bool dat_clock_has_option(uint32_t id)
{
	return id == DAT_OPTION_DATE || id == DAT_OPTION_OFFSET || id == DAT_OPTION_TIME_SHIFT ||
		id == DAT_OPTION_TSC2NSEC;
}

int dat_clock_take_option(struct dat_clock *clock, uint32_t id, struct cursor *c, struct arena *arena)
{
	switch (id) {
	case DAT_OPTION_DATE:
		return take_date(clock, c);
	case DAT_OPTION_OFFSET:
		return take_offset(clock, c);
	case DAT_OPTION_TIME_SHIFT:
		return take_time_shift(clock, c, arena);
	default:
		return take_tsc2nsec(clock, c);
	}
}

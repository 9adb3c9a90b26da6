/* SPDX-License-Identifier: MIT */
#include "record/count/user_read.h"

#include <linux/perf_event.h>

#if defined(__x86_64__) || defined(__i386__)
static uint64_t read_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static uint64_t read_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

const struct user_instructions processor_instructions = { read_counter, read_clock };
#elif defined(__aarch64__)
static uint64_t read_clock(void)
{
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

/* The counters of this processor have a register each: they are left to the kernel. */
const struct user_instructions processor_instructions = { NULL, read_clock };
#else
const struct user_instructions processor_instructions = { NULL, NULL };
#endif

/* Bits of `capabilities`; the first two say how old the kernel is. */
enum { CAN_READ = 1 << 2, HAS_TIME = 1 << 3, HAS_SHORT_TIME = 1 << 5 };

/* Fields of newer headers. */
#define TIME_CYCLES_AT 80
#define TIME_MASK_AT 88

#define barrier() __asm__ volatile("" ::: "memory")

static uint64_t field(const volatile void *page, size_t at)
{
	return *(const volatile uint64_t *)((const volatile char *)page + at);
}

/* Time since the kernel wrote the page, added to its times. */
static void add_time(const volatile struct perf_event_mmap_page *p, uint64_t capabilities,
		     const struct user_instructions *by, struct user_reading *out)
{
	uint64_t now = by->clock(), quotient, rest, delta;
	uint16_t shift = p->time_shift & 63;

	if (capabilities & HAS_SHORT_TIME) {
		uint64_t cycles = field(p, TIME_CYCLES_AT);

		now = cycles + ((now - cycles) & field(p, TIME_MASK_AT));
	}
	quotient = now >> shift;
	rest = now & ((UINT64_C(1) << shift) - 1);
	delta = p->time_offset + quotient * p->time_mult + ((rest * p->time_mult) >> shift);
	out->time_enabled += delta;
	out->time_running += delta;
}

bool user_read(const volatile void *page, const struct user_instructions *by, struct user_reading *out)
{
	const volatile struct perf_event_mmap_page *p = page;
	uint32_t sequence, index;
	uint64_t capabilities;

	do {
		uint16_t width;
		uint64_t v;

		sequence = p->lock;
		barrier();
		index = p->index;
		capabilities = p->capabilities;
		width = p->pmc_width;
		if (!index || !(capabilities & CAN_READ) || !by->counter || !width || width > 64)
			return false;
		if (!(capabilities & HAS_TIME) || !by->clock)
			return false;        /* the times would be those of the last switch */
		out->time_enabled = p->time_enabled;
		out->time_running = p->time_running;
		add_time(p, capabilities, by, out);
		v = by->counter(index - 1) << (64 - width);
		/* the counter is signed and pmc_width bits wide */
		out->value = (uint64_t)p->offset + (uint64_t)((int64_t)v >> (64 - width));
		barrier();
	} while (p->lock != sequence);
	return true;
}

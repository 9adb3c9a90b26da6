/* SPDX-License-Identifier: MIT */
#include "record/perf/preamble.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "record/host/sysfile.h"
#include "record/perf/aux_plan.h"

enum { ID_INDEX = 69, AUXTRACE_INFO = 70, THREAD_MAP = 73, CPU_MAP = 74, EVENT_UPDATE = 78, TIME_CONV = 79,
       FINISHED_INIT = 82 };
enum { UPDATE_UNIT = 0, UPDATE_SCALE = 1, UPDATE_CPUS = 3 };
enum { CPU_MAP_LIST = 0 };

#define COMM_BYTES 16
#define BODY_MAX   (UINT16_MAX - 8u - 7u)
#define CPU_WORDS  ((BODY_MAX - 16u) / 8u)   /* of the longest list of CPUs */
#define MOST_CPUS  (CPU_WORDS * 4 - 2)

/* Bodies are put in words of eight bytes; @n of them. */
static int put_words(struct sonde_perf_recorder *r, uint32_t type, const uint64_t *words, size_t n)
{
	const struct perf_event_header h = { .type = type, .size = (uint16_t)(sizeof(h) + n * sizeof(*words)) };
	int e = write_queue_put(&r->queue, &h, sizeof(h));

	return e < 0 || n == 0 ? e : write_queue_put(&r->queue, words, n * sizeof(*words));
}

/* Number of entries, then for each id, ring, CPU and thread; in as many records as that takes. */
static int put_id_index(struct sonde_perf_recorder *r)
{
	enum { ENTRY = 4, MOST = (BODY_MAX / 8 - 1) / ENTRY };
	const struct counters *c = &r->counters;
	uint64_t words[1 + MOST * ENTRY] = { 0 };
	int e = 0;

	for (size_t ev = 0; e == 0 && ev < r->events.n; ev++)
		for (size_t t = 0; e == 0 && t < r->target.tids.n; t++)
			for (size_t n = 0; e == 0 && n < r->target.cpus.n; n++) {
				size_t cell = counters_cell(c, ev, t, n);

				if (c->fds[cell] < 0)
					continue;
				memcpy(&words[1 + words[0]++ * ENTRY],
				       (uint64_t[ENTRY]){ c->ids[cell], ring_set_index(&r->rings, ev, t, n),
							  (uint64_t)(int64_t)r->target.cpus.at[n],
							  (uint64_t)(int64_t)r->target.tids.at[t] },
				       ENTRY * sizeof(*words));
				if (words[0] < MOST)
					continue;
				e = put_words(r, ID_INDEX, words, 1 + words[0] * ENTRY);
				words[0] = 0;
			}
	return e < 0 || !words[0] ? e : put_words(r, ID_INDEX, words, 1 + words[0] * ENTRY);
}

/* How ticks of the processor become times of the records, if the kernel says so. */
static int put_clock(struct sonde_perf_recorder *r)
{
	const struct perf_event_mmap_page *page = NULL;
	uint64_t words[6] = { 0 };

	for (size_t i = 0; !page && i < 2 * r->rings.nr; i++)
		page = r->rings.rings[i].map;
	if (!page || !page->cap_user_time)
		return 0;
	words[0] = page->time_shift;
	words[1] = page->time_mult;
	words[2] = page->time_zero;
	if (page->cap_user_time_short) {
		words[3] = page->time_cycles;
		words[4] = page->time_mask;
	}
	memcpy(&words[5], (uint8_t[]){ page->cap_user_time_zero, page->cap_user_time_short }, 2);
	return put_words(r, TIME_CONV, words, ARRAY_SIZE(words));
}

/* Facts that a decoder of the hardware trace has to know. */
static int put_trace_info(struct sonde_perf_recorder *r)
{
	uint64_t words[BODY_MAX / 8];
	size_t n = r->aux.kind ? aux_plan_info(r, words, ARRAY_SIZE(words)) : 0;

	return n ? put_words(r, AUXTRACE_INFO, words, n) : 0;
}

/* u16 kind, u16 number, u16 for each CPU; the number of words. */
static size_t cpu_list(const struct cpus *cpus, uint64_t words[CPU_WORDS])
{
	size_t n = cpus->n < MOST_CPUS ? cpus->n : MOST_CPUS;
	size_t nr_words = (2 + n + 3) / 4;
	uint16_t body[CPU_WORDS * 4];

	memset(body, 0, 8 * nr_words);
	body[0] = CPU_MAP_LIST;
	body[1] = (uint16_t)n;
	for (size_t i = 0; i < n; i++)
		body[2 + i] = (uint16_t)cpus->at[i];
	memcpy(words, body, 8 * nr_words);
	return nr_words;
}

static bool is_clock(const struct event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_CPU_CLOCK || e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* The clocks count ns; perf shows ms. */
static int put_unit(struct sonde_perf_recorder *r, const struct event *ev, uint64_t id)
{
	const char *unit = ev->unit ? ev->unit : is_clock(ev) ? "msec" : "";
	double scale = ev->unit ? ev->scale : 1e-6;
	uint64_t words[2 + 4] = { UPDATE_UNIT, id };
	size_t len = strnlen(unit, 31);
	int e;

	if (!len)
		return 0;
	memcpy(&words[2], unit, len);
	e = put_words(r, EVENT_UPDATE, words, 2 + len / 8 + 1);
	words[0] = UPDATE_SCALE;
	memcpy(&words[2], &scale, sizeof(scale));
	return e < 0 ? e : put_words(r, EVENT_UPDATE, words, 3);
}

/* The CPUs of a PMU that does not count on all. */
static int put_cpus_of_event(struct sonde_perf_recorder *r, const struct event *ev, uint64_t id)
{
	uint64_t words[2 + CPU_WORDS];

	words[0] = UPDATE_CPUS;
	words[1] = id;
	return ev->cpus.n ? put_words(r, EVENT_UPDATE, words, 2 + cpu_list(&ev->cpus, words + 2)) : 0;
}

static int put_updates(struct sonde_perf_recorder *r)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < r->events.n; i++) {
		uint64_t id = r->evsels[i].nr_ids ? r->evsels[i].ids[0] : 0;

		e = put_unit(r, &r->events.at[i], id);
		if (e == 0)
			e = put_cpus_of_event(r, &r->events.at[i], id);
	}
	return e;
}

/* Number of threads, then for each its number and its name. */
static int put_threads(struct sonde_perf_recorder *r)
{
	enum { ENTRY = 1 + COMM_BYTES / 8, MOST = (BODY_MAX / 8 - 1) / ENTRY };
	size_t n = r->target.tids.n < MOST ? r->target.tids.n : MOST;
	uint64_t words[1 + MOST * ENTRY];

	memset(words, 0, sizeof(words));
	words[0] = n;
	for (size_t i = 0; i < n; i++) {
		int32_t tid = r->target.tids.at[i];
		char comm[COMM_BYTES + 1] = "";

		words[1 + i * ENTRY] = (uint64_t)(int64_t)tid;
		if (tid > 0 && sysfile_read(comm, sizeof(comm), "/proc/%d/comm", tid) > 0)
			memcpy(&words[2 + i * ENTRY], comm, strnlen(comm, COMM_BYTES - 1));
	}
	return put_words(r, THREAD_MAP, words, 1 + n * ENTRY);
}

static int put_cpus(struct sonde_perf_recorder *r)
{
	uint64_t words[CPU_WORDS];

	return put_words(r, CPU_MAP, words,
			 cpu_list(r->target.measured.n ? &r->target.measured : &r->target.cpus, words));
}

int preamble_put(struct sonde_perf_recorder *r)
{
	int (*const parts[])(struct sonde_perf_recorder *r) = {
		put_id_index, put_trace_info, put_clock, put_updates, put_threads, put_cpus,
	};
	int e = 0;

	for (size_t i = 0; e == 0 && i < ARRAY_SIZE(parts); i++)
		e = parts[i](r);
	return e;
}

int preamble_end(struct sonde_perf_recorder *r)
{
	return put_words(r, FINISHED_INIT, NULL, 0);
}

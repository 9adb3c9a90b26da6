/* SPDX-License-Identifier: MIT */
#include "record/perf/record_stats.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"

#define MMAP_NAME_AT 40
#define MMAP2_NAME_AT 72
#define MMAP2_BUILD_ID_SIZE_AT 40
#define MMAP2_BUILD_ID_AT 44
#define MISC_MMAP_BUILD_ID (1 << 14)

/* Files and the vdso only: anonymous memory has no build id. */
static bool may_have_build_id(const char *name)
{
	return (name[0] == '/' && name[1] != '/' && strncmp(name, "/dev/", 5) != 0 &&
		strncmp(name, "/memfd:", 7) != 0 && strncmp(name, "/SYSV", 5) != 0) ||
		!strcmp(name, "[vdso]");
}

static int add_binary(struct record_stats *t, const char *name, const uint8_t *build_id, uint8_t size)
{
	size_t len = strlen(name);
	uint64_t hash = hash_bytes_seeded(hash_index_seed(&t->by_name), name, len);
	struct record_stats_binary b = { .build_id_size = size };
	uint32_t i;

	hash_index_each(&t->by_name, hash, i)
		if (!strcmp(t->binaries.at[i].name, name))
			return 0;
	b.name = arena_strndup(&t->names, name, len);
	memcpy(b.build_id, build_id, size);
	i = (uint32_t)t->binaries.n;
	return !b.name || vec_push(&t->binaries, b) < 0 ? -SONDE_NOMEM : hash_index_add(&t->by_name, hash, i);
}

static int count_mmap(struct record_stats *t, const uint8_t *p, const struct perf_event_header *h)
{
	size_t name_at = h->type == PERF_RECORD_MMAP ? MMAP_NAME_AT : MMAP2_NAME_AT;
	bool has_id = h->type == PERF_RECORD_MMAP2 && h->misc & MISC_MMAP_BUILD_ID;
	uint8_t size = has_id ? p[MMAP2_BUILD_ID_SIZE_AT] : 0;
	const char *name = (const char *)p + name_at;

	if (!t->binaries_wanted || (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    h->size <= name_at || !memchr(name, '\0', h->size - name_at) || !may_have_build_id(name))
		return 0;
	return add_binary(t, name, p + MMAP2_BUILD_ID_AT, size <= 20 ? size : 0);
}

static void count_lost(struct record_stats *t, const uint8_t *p)
{
	uint64_t id = load_u64(p + 8, false), lost = load_u64(p + 16, false);
	uint32_t ring = u64map_get(&t->ring_of_id, id);

	t->lost += lost;
	if (ring != U64MAP_NONE)
		t->lost_by_ring[ring] += lost;
}

int record_stats_count(struct record_stats *t, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	struct perf_event_header h;
	int r = 0;

	for (; r == 0 && (size_t)(end - p) >= sizeof(h); p += h.size) {
		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size > end - p)
			break;
		if (h.type == PERF_RECORD_SAMPLE) {
			t->samples++;
			if (t->time_at) {
				uint64_t time = load_u64(p + t->time_at, false);

				t->time_first = time < t->time_first ? time : t->time_first;
				t->time_last = time > t->time_last ? time : t->time_last;
			}
		} else if (h.type == PERF_RECORD_MMAP || h.type == PERF_RECORD_MMAP2) {
			r = count_mmap(t, p, &h);
		} else if (h.type == PERF_RECORD_LOST) {
			count_lost(t, p);
		} else if (h.type == PERF_RECORD_THROTTLE) {
			t->throttled++;
		}
	}
	return r;
}

void record_stats_restart(struct record_stats *t)
{
	t->samples = t->lost = t->throttled = t->time_last = 0;
	t->time_first = UINT64_MAX;
	hash_index_free(&t->by_name);
	vec_free(&t->binaries);
	arena_free(&t->names);
}

void record_stats_free(struct record_stats *t)
{
	u64map_free(&t->ring_of_id);
	free(t->lost_by_ring);
	hash_index_free(&t->by_name);
	vec_free(&t->binaries);
	arena_free(&t->names);
}

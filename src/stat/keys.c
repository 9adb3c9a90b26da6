/* SPDX-License-Identifier: MIT */
#include "stat/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_DIR "devices/system/cpu/cpu"
#define PATH_BYTES 512
#define NODES_MAX 1024
#define CACHES_MAX 16

static FILE *open_sysfs(const char *sysfs, const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", sysfs, name);
	return fopen(path, "re");
}

/* -1: there is no such file, or it is not a number. */
static int number_of(const char *sysfs, const char *name)
{
	FILE *f = open_sysfs(sysfs, name);
	int v = -1;

	if (f && fscanf(f, "%d", &v) != 1)
		v = -1;
	if (f)
		fclose(f);
	return v;
}

int stat_topology(const char *sysfs, int32_t cpu, const char *what)
{
	char path[128];
	int v;

	snprintf(path, sizeof(path), CPU_DIR "%d/topology/%s", cpu, what);
	v = number_of(sysfs, path);
	return v < 0 ? 0 : v;
}

/* perf prints those of a machine that has none as 65535. */
static int cluster_of(const char *sysfs, int32_t cpu)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "%d/topology/cluster_id", cpu);
	return number_of(sysfs, path);
}

static int node_of(const char *sysfs, int32_t cpu)
{
	char path[64];

	for (int node = 0; node < NODES_MAX; node++) {
		snprintf(path, sizeof(path), CPU_DIR "%d/node%d/cpulist", cpu, node);
		FILE *f = open_sysfs(sysfs, path);

		if (!f)
			continue;
		fclose(f);
		return node;
	}
	return 0;
}

/* Is the CPU in "0-3,8"? */
static bool is_in_list(const char *list, int32_t cpu)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (cpu >= first && cpu <= last)
			return true;
		if (*end != ',')
			return false;
		list = end + 1;
	}
	return false;
}

static int recorded_node(const struct meta *m, int32_t cpu)
{
	for (size_t i = 0; i < m->nr_numa; i++)
		if (m->numa[i].cpus && is_in_list(m->numa[i].cpus, cpu))
			return (int)m->numa[i].node;
	return 0;
}

static int recorded(const struct meta *m, const int32_t *ids, int32_t cpu)
{
	return ids && cpu >= 0 && (size_t)cpu < m->topology.nr_cpus && ids[cpu] > 0 ? ids[cpu] : 0;
}

static int core_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, t->recorded->topology.core_ids, cpu) :
			     stat_topology(t->sysfs, cpu, "core_id");
}

static int die_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, t->recorded->topology.die_ids, cpu) :
			     stat_topology(t->sysfs, cpu, "die_id");
}

static int socket_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, t->recorded->topology.socket_ids, cpu) :
			     stat_topology(t->sysfs, cpu, "physical_package_id");
}

bool stat_keys_are_recorded(const struct meta *m, enum sonde_stat_by by)
{
	if (by == SONDE_STAT_BY_NODE)
		return m->nr_numa > 0;
	return (by == SONDE_STAT_BY_CORE || by == SONDE_STAT_BY_DIE || by == SONDE_STAT_BY_SOCKET) &&
		m->topology.socket_ids;
}

/* The cache of a level that holds the data of a CPU; level 0: the last one. */
static void cache_of(const char *sysfs, int32_t cpu, uint64_t wanted, int *level, int *id)
{
	*level = *id = 0;
	for (int i = 0; i < CACHES_MAX; i++) {
		char path[128];
		int l;

		snprintf(path, sizeof(path), CPU_DIR "%d/cache/index%d/level", cpu, i);
		l = number_of(sysfs, path);
		if (l < 0)
			break;
		if (wanted ? l != (int)wanted : l <= *level)
			continue;
		snprintf(path, sizeof(path), CPU_DIR "%d/cache/index%d/id", cpu, i);
		*level = l;
		*id = number_of(sysfs, path) < 0 ? 0 : number_of(sysfs, path);
	}
	if (!*level)
		*level = (int)wanted;
}

static void thread_name(int32_t tid, char out[STAT_KEY_BYTES])
{
	char path[64], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	f = fopen(path, "re");
	if (!f || !fgets(name, sizeof(name), f))
		strcpy(name, "?");
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = '\0';
	snprintf(out, STAT_KEY_BYTES, "%s-%d", name, tid);
}

static void name_key(const struct stat_table *t, enum sonde_stat_by by, const struct sonde_counter_value *cell,
		     char out[STAT_KEY_BYTES])
{
	int socket, die, level, id;

	*out = '\0';
	if (by == SONDE_STAT_BY_EVENT)
		return;
	if (by == SONDE_STAT_BY_THREAD) {
		thread_name(cell->tid, out);
		return;
	}
	if (by == SONDE_STAT_BY_CPU) {
		snprintf(out, STAT_KEY_BYTES, "CPU%d", cell->cpu);
		return;
	}
	if (by == SONDE_STAT_BY_NODE) {
		snprintf(out, STAT_KEY_BYTES, "N%d",
			 t->recorded ? recorded_node(t->recorded, cell->cpu) : node_of(t->sysfs, cell->cpu));
		return;
	}
	socket = socket_of(t, cell->cpu);
	die = die_of(t, cell->cpu);
	if (by == SONDE_STAT_BY_SOCKET)
		snprintf(out, STAT_KEY_BYTES, "S%d", socket);
	else if (by == SONDE_STAT_BY_DIE)
		snprintf(out, STAT_KEY_BYTES, "S%d-D%d", socket, die);
	else if (by == SONDE_STAT_BY_CORE)
		snprintf(out, STAT_KEY_BYTES, "S%d-D%d-C%d", socket, die, core_of(t, cell->cpu));
	else if (by == SONDE_STAT_BY_CLUSTER)
		snprintf(out, STAT_KEY_BYTES, "S%d-D%d-CLS%d", socket, die, (uint16_t)cluster_of(t->sysfs, cell->cpu));
	else if (by == SONDE_STAT_BY_CACHE) {
		cache_of(t->sysfs, cell->cpu, t->cache_level, &level, &id);
		snprintf(out, STAT_KEY_BYTES, "S%d-D%d-L%d-ID%d", socket, die, level, id);
	}
}

bool stat_is_one_core(const char *sysfs, int32_t cpu, int32_t other)
{
	static const char *const ids[] = { "physical_package_id", "die_id", "core_id" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (stat_topology(sysfs, cpu, ids[i]) != stat_topology(sysfs, other, ids[i]))
			return false;
	return true;
}

/* "comm-12", whatever its name is now: threads change it, and end. */
static bool is_of_thread(const char *key, int32_t tid)
{
	const char *dash = strrchr(key, '-');

	return dash && strtol(dash + 1, NULL, 10) == tid;
}

/* A thread is known by its number, the rest by their names. */
static uint64_t key_hash(struct stat_table *t, const char *name, int32_t tid)
{
	const uint64_t seed = hash_index_seed(&t->key_index);

	return t->by == SONDE_STAT_BY_THREAD ? hash_u64(seed ^ (uint32_t)tid) :
					       hash_bytes_seeded(seed, name, strlen(name));
}

static int add_key(struct stat_table *t, const char *name, uint64_t hash)
{
	if (t->nr_keys == t->keys_cap) {
		size_t cap = t->keys_cap ? 2 * t->keys_cap : 8;
		void *more = realloc(t->keys, cap * STAT_KEY_BYTES);

		if (!more)
			return -SONDE_NOMEM;
		t->keys = more;
		t->keys_cap = cap;
	}
	if (hash_index_add(&t->key_index, hash, (uint32_t)t->nr_keys) < 0)
		return -SONDE_NOMEM;
	memcpy(t->keys[t->nr_keys], name, STAT_KEY_BYTES);
	return (int)t->nr_keys++;
}

int stat_key_of(struct stat_table *t, enum sonde_stat_by by, const struct sonde_counter_value *cell)
{
	char name[STAT_KEY_BYTES] = "";
	uint64_t hash;
	uint32_t i;

	if (by == SONDE_STAT_BY_THREAD) {
		hash = key_hash(t, name, cell->tid);
		hash_index_each(&t->key_index, hash, i)
			if (is_of_thread(t->keys[i], cell->tid))
				return (int)i;
	}
	name_key(t, by, cell, name);
	hash = key_hash(t, name, cell->tid);
	hash_index_each(&t->key_index, hash, i)
		if (!strcmp(t->keys[i], name))
			return (int)i;
	return add_key(t, name, hash);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int stat_keys_sort(struct stat_table *t)
{
	int r = 0;

	if (t->by == SONDE_STAT_BY_THREAD)
		return 0;
	qsort(t->keys, t->nr_keys, STAT_KEY_BYTES, by_name);
	hash_index_free(&t->key_index);
	for (size_t i = 0; r == 0 && i < t->nr_keys; i++)
		r = hash_index_add(&t->key_index, key_hash(t, t->keys[i], 0), (uint32_t)i);
	return r;
}

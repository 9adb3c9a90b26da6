/* SPDX-License-Identifier: MIT */
#include "cli/stat/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"

#define KEY_BYTES sizeof(((struct stat_table *)NULL)->keys[0])
#define CPU_DIR "devices/system/cpu/cpu"
#define PATH_BYTES 512
#define NODES_MAX 1024
#define CACHES_MAX 16

/* A file of /sys, or of another root: for tests. */
static FILE *open_sysfs(const char *name)
{
	const char *root = getenv("SYSFS_PATH");
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", root ? root : "/sys", name);
	return fopen(path, "re");
}

/* -1: there is no such file, or it is not a number. */
static int number_of(const char *name)
{
	FILE *f = open_sysfs(name);
	int v = -1;

	if (f && fscanf(f, "%d", &v) != 1)
		v = -1;
	if (f)
		fclose(f);
	return v;
}

int stat_topology(int32_t cpu, const char *what)
{
	char path[128];
	int v;

	snprintf(path, sizeof(path), CPU_DIR "%d/topology/%s", cpu, what);
	v = number_of(path);
	return v < 0 ? 0 : v;
}

/* perf prints those of a machine that has none as 65535. */
static int cluster_of(int32_t cpu)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "%d/topology/cluster_id", cpu);
	return number_of(path);
}

static int node_of(int32_t cpu)
{
	char path[64];

	for (int node = 0; node < NODES_MAX; node++) {
		snprintf(path, sizeof(path), CPU_DIR "%d/node%d/cpulist", cpu, node);
		FILE *f = open_sysfs(path);

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

static int recorded_node(const struct sonde_trace *t, int32_t cpu)
{
	for (size_t i = 0; i < sonde_trace_numa_node_count(t); i++) {
		const struct sonde_numa_node *n = sonde_trace_numa_node_at(t, i);

		if (n->cpus && is_in_list(n->cpus, cpu))
			return (int)n->node;
	}
	return 0;
}

static int recorded(const struct sonde_trace *t, const int32_t *ids, int32_t cpu)
{
	return ids && cpu >= 0 && (size_t)cpu < sonde_trace_meta(t)->topology.nr_cpus && ids[cpu] > 0 ? ids[cpu] : 0;
}

static int core_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, sonde_trace_meta(t->recorded)->topology.core_ids, cpu) :
			     stat_topology(cpu, "core_id");
}

static int die_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, sonde_trace_meta(t->recorded)->topology.die_ids, cpu) :
			     stat_topology(cpu, "die_id");
}

static int socket_of(const struct stat_table *t, int32_t cpu)
{
	return t->recorded ? recorded(t->recorded, sonde_trace_meta(t->recorded)->topology.socket_ids, cpu) :
			     stat_topology(cpu, "physical_package_id");
}

bool stat_keys_are_recorded(const struct sonde_trace *t, enum stat_aggregation by)
{
	if (by == STAT_NODE)
		return sonde_trace_numa_node_count(t) > 0;
	return (by == STAT_CORE || by == STAT_DIE || by == STAT_SOCKET) &&
		sonde_trace_meta(t)->topology.socket_ids;
}

/* The cache of a level that holds the data of a CPU; level 0: the last one. */
static void cache_of(int32_t cpu, uint64_t wanted, int *level, int *id)
{
	*level = *id = 0;
	for (int i = 0; i < CACHES_MAX; i++) {
		char path[128];
		int l;

		snprintf(path, sizeof(path), CPU_DIR "%d/cache/index%d/level", cpu, i);
		l = number_of(path);
		if (l < 0)
			break;
		if (wanted ? l != (int)wanted : l <= *level)
			continue;
		snprintf(path, sizeof(path), CPU_DIR "%d/cache/index%d/id", cpu, i);
		*level = l;
		*id = number_of(path) < 0 ? 0 : number_of(path);
	}
	if (!*level)
		*level = (int)wanted;
}

static void thread_name(int32_t tid, char out[KEY_BYTES])
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
	snprintf(out, KEY_BYTES, "%s-%d", name, tid);
}

static void name_key(const struct stat_table *t, enum stat_aggregation by, const struct sonde_counter_value *cell,
		     uint64_t cache_level, char out[KEY_BYTES])
{
	int socket, die, level, id;

	*out = '\0';
	if (by == STAT_GLOBAL)
		return;
	if (by == STAT_THREAD) {
		thread_name(cell->tid, out);
		return;
	}
	if (by == STAT_CPU) {
		snprintf(out, KEY_BYTES, "CPU%d", cell->cpu);
		return;
	}
	if (by == STAT_NODE) {
		snprintf(out, KEY_BYTES, "N%d",
			 t->recorded ? recorded_node(t->recorded, cell->cpu) : node_of(cell->cpu));
		return;
	}
	socket = socket_of(t, cell->cpu);
	die = die_of(t, cell->cpu);
	if (by == STAT_SOCKET)
		snprintf(out, KEY_BYTES, "S%d", socket);
	else if (by == STAT_DIE)
		snprintf(out, KEY_BYTES, "S%d-D%d", socket, die);
	else if (by == STAT_CORE)
		snprintf(out, KEY_BYTES, "S%d-D%d-C%d", socket, die, core_of(t, cell->cpu));
	else if (by == STAT_CLUSTER)
		snprintf(out, KEY_BYTES, "S%d-D%d-CLS%d", socket, die, (uint16_t)cluster_of(cell->cpu));
	else if (by == STAT_CACHE) {
		cache_of(cell->cpu, cache_level, &level, &id);
		snprintf(out, KEY_BYTES, "S%d-D%d-L%d-ID%d", socket, die, level, id);
	}
}

bool stat_is_one_core(int32_t cpu, int32_t other)
{
	static const char *const ids[] = { "physical_package_id", "die_id", "core_id" };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (stat_topology(cpu, ids[i]) != stat_topology(other, ids[i]))
			return false;
	return true;
}

/* "comm-12", whatever its name is now: threads change it, and end. */
static bool is_of_thread(const char *key, int32_t tid)
{
	const char *dash = strrchr(key, '-');

	return dash && strtol(dash + 1, NULL, 10) == tid;
}

int stat_key_of(struct stat_table *t, enum stat_aggregation by, const struct sonde_counter_value *cell,
		uint64_t cache_level)
{
	char name[KEY_BYTES];
	void *more;

	for (size_t i = 0; by == STAT_THREAD && i < t->nr_keys; i++)
		if (is_of_thread(t->keys[i], cell->tid))
			return (int)i;
	name_key(t, by, cell, cache_level, name);
	for (size_t i = 0; i < t->nr_keys; i++)
		if (!strcmp(t->keys[i], name))
			return (int)i;
	more = realloc(t->keys, (t->nr_keys + 1) * KEY_BYTES);
	if (!more) {
		say_out_of_memory();
		return -1;
	}
	t->keys = more;
	memcpy(t->keys[t->nr_keys], name, KEY_BYTES);
	return (int)t->nr_keys++;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

void stat_keys_sort(struct stat_table *t)
{
	if (t->by != STAT_THREAD)
		qsort(t->keys, t->nr_keys, KEY_BYTES, by_name);
}

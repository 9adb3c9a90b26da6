/* SPDX-License-Identifier: MIT */
#include "record/host/host.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/host/host_pmus.h"
#include "record/host/sysfile.h"

#define CPUS_MAX 65536

static const char *keep(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

static void describe_system(struct meta *meta, struct arena *a)
{
	struct utsname u;

	if (uname(&u) < 0)
		return;
	meta->hostname = keep(a, u.nodename);
	meta->osrelease = keep(a, u.release);
	meta->arch = keep(a, u.machine);
	meta->version = "sonde " SONDE_VERSION;
	meta_has(meta, SONDE_FEAT_HOSTNAME);
	meta_has(meta, SONDE_FEAT_OSRELEASE);
	meta_has(meta, SONDE_FEAT_ARCH);
	meta_has(meta, SONDE_FEAT_VERSION);
}

/* The value of "name\t: value" in the text of cpuinfo; false if there is none. */
static bool cpuinfo_value(const char *text, const char *name, char *out, size_t cap)
{
	size_t n = strlen(name);

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		const char *colon;
		size_t len;

		if (strncmp(p, name, n) != 0 || (p[n] != '\t' && p[n] != ' ' && p[n] != ':'))
			continue;
		colon = strchr(p, ':');
		if (!colon || strcspn(p, "\n") < (size_t)(colon - p))
			continue;
		colon += colon[1] == ' ' ? 2 : 1;
		len = strcspn(colon, "\n");
		snprintf(out, cap, "%.*s", (int)len, colon);
		return true;
	}
	return false;
}

/* "AuthenticAMD,25,17,1" on x86, the number of the implementation elsewhere. */
static void describe_cpu(struct meta *meta, struct arena *a, const char *sysfs, const char *proc)
{
	char text[8192], value[256], vendor[64], family[16], model[16], stepping[16];
	static const char *const descriptions[] = { "model name", "Processor", "cpu", "Model Name", "uarch" };

	if (sysfile_read(text, sizeof(text), "%s/cpuinfo", proc) <= 0)
		return;
	for (size_t i = 0; !meta->cpudesc && i < sizeof(descriptions) / sizeof(descriptions[0]); i++)
		if (cpuinfo_value(text, descriptions[i], value, sizeof(value)) && *value)
			meta->cpudesc = keep(a, value);
	if (cpuinfo_value(text, "vendor_id", vendor, sizeof(vendor)) &&
	    cpuinfo_value(text, "cpu family", family, sizeof(family)) &&
	    cpuinfo_value(text, "model", model, sizeof(model)) &&
	    cpuinfo_value(text, "stepping", stepping, sizeof(stepping))) {
		snprintf(value, sizeof(value), "%s,%s,%s,%s", vendor, family, model, stepping);
		meta->cpuid = keep(a, value);
	} else if (sysfile_read(value, sizeof(value), "%s/devices/system/cpu/cpu0/regs/identification/midr_el1",
				sysfs) > 0) {
		meta->cpuid = keep(a, value);
	}
	if (meta->cpudesc)
		meta_has(meta, SONDE_FEAT_CPUDESC);
	if (meta->cpuid)
		meta_has(meta, SONDE_FEAT_CPUID);
}

/* Adds text to a list unless it is there. */
static bool add_unique(const char **list, size_t *n, struct arena *a, const char *text)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(list[i], text))
			return true;
	list[*n] = keep(a, text);
	return list[(*n)++] != NULL;
}

static int32_t topology_id(const char *sysfs, uint32_t cpu, const char *name)
{
	uint64_t v;

	return sysfile_u64(&v, "%s/devices/system/cpu/cpu%u/topology/%s", sysfs, cpu, name) ? (int32_t)v : -1;
}

static void describe_topology(struct meta *meta, struct arena *a, const char *sysfs)
{
	uint32_t nr = meta->nr_cpus_available;
	__typeof__(meta->topology) t = { 0 };
	char text[4096];

	t.cores = arena_calloc(a, nr, sizeof(*t.cores));
	t.threads = arena_calloc(a, nr, sizeof(*t.threads));
	t.dies = arena_calloc(a, nr, sizeof(*t.dies));
	t.core_ids = arena_calloc(a, nr, sizeof(*t.core_ids));
	t.socket_ids = arena_calloc(a, nr, sizeof(*t.socket_ids));
	t.die_ids = arena_calloc(a, nr, sizeof(*t.die_ids));
	if (!t.cores || !t.threads || !t.dies || !t.core_ids || !t.socket_ids || !t.die_ids)
		return;
	t.nr_cpus = nr;
	for (uint32_t cpu = 0; cpu < nr; cpu++) {
		const char *dir = "devices/system/cpu/cpu";
		bool ok = true;

		t.core_ids[cpu] = topology_id(sysfs, cpu, "core_id");
		t.socket_ids[cpu] = topology_id(sysfs, cpu, "physical_package_id");
		t.die_ids[cpu] = topology_id(sysfs, cpu, "die_id");
		if (sysfile_read(text, sizeof(text), "%s/%s%u/topology/core_siblings_list", sysfs, dir, cpu) > 0)
			ok &= add_unique(t.cores, &t.nr_cores, a, text);
		if (sysfile_read(text, sizeof(text), "%s/%s%u/topology/thread_siblings_list", sysfs, dir, cpu) > 0)
			ok &= add_unique(t.threads, &t.nr_threads, a, text);
		if (sysfile_read(text, sizeof(text), "%s/%s%u/topology/die_cpus_list", sysfs, dir, cpu) > 0)
			ok &= add_unique(t.dies, &t.nr_dies, a, text);
		if (!ok)
			return;
	}
	if (t.nr_dies == 0)
		t.die_ids = NULL;
	if (t.nr_cores == 0)
		return;
	meta->topology = t;
	meta_has(meta, SONDE_FEAT_CPU_TOPOLOGY);
}

static bool same_cache(const struct sonde_cache *a, const struct sonde_cache *b)
{
	return a->level == b->level && a->line_size == b->line_size && a->sets == b->sets && a->ways == b->ways &&
	       !strcmp(a->type, b->type) && !strcmp(a->size, b->size) && !strcmp(a->cpus, b->cpus);
}

static bool read_cache(struct sonde_cache *c, struct arena *a, const char *dir)
{
	char type[32], size[32], cpus[1024];
	uint64_t level, line, sets, ways;

	if (!sysfile_u64(&level, "%s/level", dir) || !sysfile_u64(&line, "%s/coherency_line_size", dir) ||
	    !sysfile_u64(&sets, "%s/number_of_sets", dir) || !sysfile_u64(&ways, "%s/ways_of_associativity", dir) ||
	    sysfile_read(type, sizeof(type), "%s/type", dir) <= 0 ||
	    sysfile_read(size, sizeof(size), "%s/size", dir) <= 0 ||
	    sysfile_read(cpus, sizeof(cpus), "%s/shared_cpu_list", dir) <= 0)
		return false;
	*c = (struct sonde_cache){
		.level = (uint32_t)level, .line_size = (uint32_t)line, .sets = (uint32_t)sets, .ways = (uint32_t)ways,
		.type = keep(a, type), .size = keep(a, size), .cpus = keep(a, cpus),
	};
	return c->type && c->size && c->cpus;
}

static void describe_caches(struct meta *meta, struct arena *a, const char *sysfs)
{
	enum { LEVELS = 8 };
	struct sonde_cache *list = arena_calloc(a, (uint64_t)meta->nr_cpus_available * LEVELS, sizeof(*list));
	size_t n = 0;

	for (uint32_t cpu = 0; list && cpu < meta->nr_cpus_available; cpu++)
		for (unsigned i = 0; i < LEVELS; i++) {
			char dir[256];
			bool known = false;

			snprintf(dir, sizeof(dir), "%s/devices/system/cpu/cpu%u/cache/index%u", sysfs, cpu, i);
			if (!read_cache(&list[n], a, dir))
				break;
			for (size_t k = 0; k < n; k++)
				known |= same_cache(&list[k], &list[n]);
			n += !known;
		}
	if (n == 0)
		return;
	meta->caches = list;
	meta->nr_caches = n;
	meta_has(meta, SONDE_FEAT_CACHE);
}

/* "Node 0 MemTotal:  24684084 kB" */
static uint64_t meminfo_kb(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

static void describe_numa(struct meta *meta, struct arena *a, const char *sysfs)
{
	struct names names = { 0 };
	char dir[256], text[8192];

	snprintf(dir, sizeof(dir), "%s/devices/system/node", sysfs);
	if (sysfile_list(a, dir, &names) == 0)
		meta->numa = arena_calloc(a, names.n, sizeof(*meta->numa));
	for (size_t i = 0; meta->numa && i < names.n; i++) {
		struct sonde_numa_node *node = &meta->numa[meta->nr_numa];
		char *end;

		if (strncmp(names.at[i], "node", 4) != 0)
			continue;
		node->node = (uint32_t)strtoul(names.at[i] + 4, &end, 10);
		if (end == names.at[i] + 4 || *end ||
		    sysfile_read(text, sizeof(text), "%s/%s/meminfo", dir, names.at[i]) <= 0)
			continue;
		node->total_kb = meminfo_kb(text, "MemTotal:");
		node->free_kb = meminfo_kb(text, "MemFree:");
		if (sysfile_read(text, sizeof(text), "%s/%s/cpulist", dir, names.at[i]) < 0)
			continue;
		node->cpus = keep(a, text);
		meta->nr_numa += node->cpus != NULL;
	}
	vec_free(&names);
	if (meta->nr_numa)
		meta_has(meta, SONDE_FEAT_NUMA_TOPOLOGY);
}

/* The memory blocks of one node, as bits. */
static bool read_mem_node(struct sonde_mem_node *node, struct arena *a, const char *dir)
{
	struct names names = { 0 };
	uint64_t *words = NULL, nr_bits = 0;

	sysfile_list(a, dir, &names);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < names.n; i++) {
			uint64_t block;

			if (strncmp(names.at[i], "memory", 6) != 0 || names.at[i][6] < '0' || names.at[i][6] > '9')
				continue;
			block = strtoull(names.at[i] + 6, NULL, 10);
			if (pass == 0 && block < UINT32_MAX && block >= nr_bits)
				nr_bits = block + 1;
			else if (words && block < nr_bits)
				words[block / 64] |= UINT64_C(1) << (block % 64);
		}
		if (pass == 0 && nr_bits > 0)
			words = arena_calloc(a, (nr_bits + 63) / 64, sizeof(*words));
	}
	vec_free(&names);
	node->size = node->nr_bits = nr_bits;
	node->words = words;
	return words != NULL;
}

static void describe_memory(struct meta *meta, struct arena *a, const char *sysfs)
{
	char dir[256], text[64];

	if (sysfile_read(text, sizeof(text), "%s/devices/system/memory/block_size_bytes", sysfs) <= 0 ||
	    meta->nr_numa == 0)
		return;
	meta->mem_block_size = strtoull(text, NULL, 16);
	meta->mem_nodes = arena_calloc(a, meta->nr_numa, sizeof(*meta->mem_nodes));
	for (size_t i = 0; meta->mem_nodes && i < meta->nr_numa; i++) {
		struct sonde_mem_node *node = &meta->mem_nodes[meta->nr_mem_nodes];

		node->node = meta->numa[i].node;
		snprintf(dir, sizeof(dir), "%s/devices/system/node/node%u", sysfs, meta->numa[i].node);
		meta->nr_mem_nodes += read_mem_node(node, a, dir);
	}
	if (meta->nr_mem_nodes)
		meta_has(meta, SONDE_FEAT_MEM_TOPOLOGY);
}

/* perf 6.1 knows no feature beyond PMU_CAPS, and its inject writes a file that nothing reads where there is one. So
 * what readers assume anyway is not written. */
#define CACHE_LINE_USUAL 64

/* Whether a program with that ELF header is what the name of the machine (uname -m) lets everybody expect. */
static bool is_native(const Elf64_Ehdr *h, uint32_t flags, const char *arch)
{
	bool wide = arch && (strstr(arch, "64") || strcmp(arch, "s390x") == 0);

	return arch && flags == 0 && wide == (h->e_ident[EI_CLASS] == ELFCLASS64);
}

/* The ELF header of this program, where it tells more than ARCH: another machine, or flags of its ABI. */
static void describe_machine(struct meta *meta, const char *proc)
{
	char path[256];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;
	FILE *f;

	snprintf(path, sizeof(path), "%s/self/exe", proc);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fread(&wide, sizeof(wide), 1, f) == 1 && !memcmp(wide.e_ident, ELFMAG, SELFMAG)) {
		memcpy(&narrow, &wide, sizeof(narrow));
		meta->e_machine = wide.e_machine;
		meta->e_flags = wide.e_ident[EI_CLASS] == ELFCLASS64 ? wide.e_flags : narrow.e_flags;
		if (!is_native(&wide, meta->e_flags, meta->arch))
			meta_has(meta, SONDE_FEAT_E_MACHINE);
	}
	fclose(f);
}

static void describe_cache_line(struct meta *meta, const char *sysfs)
{
	long told = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	uint64_t bytes;

	/* virtual machines may have no description of their caches in sysfs */
	if (!sysfile_u64(&bytes, "%s/devices/system/cpu/cpu0/cache/index0/coherency_line_size", sysfs))
		bytes = told > 0 ? (uint64_t)told : CACHE_LINE_USUAL;
	if (bytes == CACHE_LINE_USUAL || bytes > UINT32_MAX)
		return;
	meta->cache_line_size = (uint32_t)bytes;
	meta_has(meta, SONDE_FEAT_CLN_SIZE);
}

void host_describe(struct meta *meta, struct arena *a, const char *sysfs, const char *proc)
{
	struct cpus online = { 0 };
	char text[4096];
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	describe_system(meta, a);
	if (cpus_online(&online, sysfs) == 0 && configured > 0 && configured < CPUS_MAX) {
		meta->nr_cpus_online = (uint32_t)online.n;
		meta->nr_cpus_available = (uint32_t)(configured > (long)online.n ? configured : (long)online.n);
		meta_has(meta, SONDE_FEAT_NRCPUS);
	}
	vec_free(&online);
	describe_cpu(meta, a, sysfs, proc);
	if (sysfile_read(text, sizeof(text), "%s/meminfo", proc) > 0) {
		meta->total_mem_kb = meminfo_kb(text, "MemTotal:");
		meta_has(meta, SONDE_FEAT_TOTAL_MEM);
	}
	if (meta->nr_cpus_available) {
		describe_topology(meta, a, sysfs);
		describe_caches(meta, a, sysfs);
	}
	describe_numa(meta, a, sysfs);
	describe_memory(meta, a, sysfs);
	host_pmus_describe(meta, a, sysfs);
	describe_machine(meta, proc);
	describe_cache_line(meta, sysfs);
}

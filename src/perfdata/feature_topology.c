/* SPDX-License-Identifier: MIT */
/* feature_topology.c - features that describe CPUs, caches, memory and scheduling domains. */
#include "perfdata/feature_rows.h"

static uint64_t words_of_bits(uint64_t bits)
{
	return bits / 64 + (bits % 64 != 0);
}

/* One of the two (core_id, socket_id) or one (die_id) arrays by CPU. */
static int32_t *ids_alloc(struct cursor *c, struct arena *a, uint64_t n)
{
	return feat_array(c, a, n, sizeof(int32_t));
}

/*
 * Lists of siblings; then, as later revisions added them, core and socket of each CPU; then dies. What follows the lists is
 * there if bytes are left. The number of CPUs is NRCPUS's: without it the lists are all that is read.
 */
int cpu_topology_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	__typeof__(meta->topology) t = { 0 };
	uint64_t nr = meta->nr_cpus_available;
	int r = feat_str_list(c, a, &t.cores, &t.nr_cores);

	if (r == 0)
		r = feat_str_list(c, a, &t.threads, &t.nr_threads);
	if (r < 0)
		return r;
	if (cur_left(c) == 0 || nr == 0)
		goto done;
	nr = feat_count(c, nr, 8);
	t.core_ids = ids_alloc(c, a, nr);
	t.socket_ids = ids_alloc(c, a, nr);
	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		t.core_ids[i] = (int32_t)cur_u32(c);
		t.socket_ids[i] = (int32_t)cur_u32(c);
	}
	if (!cur_ok(c))
		return feat_status(c);
	t.nr_cpus = nr;
	if (cur_left(c) == 0)
		goto done;
	r = feat_str_list(c, a, &t.dies, &t.nr_dies);
	if (r < 0)
		return r;
	nr = feat_count(c, nr, 4);
	t.die_ids = ids_alloc(c, a, nr);
	for (uint64_t i = 0; i < nr && cur_ok(c); i++)
		t.die_ids[i] = (int32_t)cur_u32(c);
	if (!cur_ok(c))
		return feat_status(c);
done:
	meta->topology = t;
	return 0;
}

int cpu_topology_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_str_list(e, meta->topology.cores, meta->topology.nr_cores);
	enc_str_list(e, meta->topology.threads, meta->topology.nr_threads);
	if (!meta->topology.core_ids)
		return 0;
	for (size_t i = 0; i < meta->topology.nr_cpus; i++) {
		enc_u32(e, (uint32_t)meta->topology.core_ids[i]);
		enc_u32(e, (uint32_t)meta->topology.socket_ids[i]);
	}
	if (!meta->topology.die_ids)
		return 0;
	enc_str_list(e, meta->topology.dies, meta->topology.nr_dies);
	for (size_t i = 0; i < meta->topology.nr_cpus; i++)
		enc_u32(e, (uint32_t)meta->topology.die_ids[i]);
	return 0;
}

int numa_topology_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 20 + FEAT_STR_MIN);
	struct sonde_numa_node *nodes = feat_array(c, a, nr, sizeof(*nodes));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		nodes[i].node = cur_u32(c);
		nodes[i].total_kb = cur_u64(c);
		nodes[i].free_kb = cur_u64(c);
		nodes[i].cpus = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->numa = nodes;
	meta->nr_numa = nr;
	return 0;
}

int numa_topology_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_numa);
	for (size_t i = 0; i < meta->nr_numa; i++) {
		enc_u32(e, meta->numa[i].node);
		enc_u64(e, meta->numa[i].total_kb);
		enc_u64(e, meta->numa[i].free_kb);
		enc_str(e, meta->numa[i].cpus);
	}
	return 0;
}

#define CACHE_VERSION 1

int cache_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t version = cur_u32(c);
	struct sonde_cache *caches;
	uint64_t nr;

	if (cur_ok(c) && version != CACHE_VERSION)
		return err_set(c->err, SONDE_UNSUPPORTED, c->at - 4, "version %" PRIu32 ", expected %d", version, CACHE_VERSION);
	nr = feat_count(c, cur_u32(c), 16 + 3 * FEAT_STR_MIN);
	caches = feat_array(c, a, nr, sizeof(*caches));
	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		caches[i].level = cur_u32(c);
		caches[i].line_size = cur_u32(c);
		caches[i].sets = cur_u32(c);
		caches[i].ways = cur_u32(c);
		caches[i].type = feat_str(c, a);
		caches[i].size = feat_str(c, a);
		caches[i].cpus = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->caches = caches;
	meta->nr_caches = nr;
	return 0;
}

int cache_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, CACHE_VERSION);
	enc_u32(e, (uint32_t)meta->nr_caches);
	for (size_t i = 0; i < meta->nr_caches; i++) {
		const struct sonde_cache *cache = &meta->caches[i];

		enc_u32(e, cache->level);
		enc_u32(e, cache->line_size);
		enc_u32(e, cache->sets);
		enc_u32(e, cache->ways);
		enc_str(e, cache->type);
		enc_str(e, cache->size);
		enc_str(e, cache->cpus);
	}
	return 0;
}

#define MEM_TOPOLOGY_VERSION 1

int mem_topology_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t version = cur_u64(c), block_size = cur_u64(c), nr = feat_count(c, cur_u64(c), 24);
	struct sonde_mem_node *nodes;

	if (cur_ok(c) && version != MEM_TOPOLOGY_VERSION)
		return err_set(c->err, SONDE_UNSUPPORTED, c->at - 24, "version %" PRIu64 ", expected %d", version,
			       MEM_TOPOLOGY_VERSION);
	nodes = feat_array(c, a, nr, sizeof(*nodes));
	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		uint64_t *words, nr_words;

		nodes[i].node = cur_u64(c);
		nodes[i].size = cur_u64(c);
		nodes[i].nr_bits = cur_u64(c);
		nr_words = feat_count(c, words_of_bits(nodes[i].nr_bits), 8);
		words = feat_array(c, a, nr_words, sizeof(*words));
		for (uint64_t w = 0; w < nr_words && cur_ok(c); w++)
			words[w] = cur_u64(c);
		nodes[i].words = words;
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->mem_block_size = block_size;
	meta->mem_nodes = nodes;
	meta->nr_mem_nodes = nr;
	return 0;
}

int mem_topology_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, MEM_TOPOLOGY_VERSION);
	enc_u64(e, meta->mem_block_size);
	enc_u64(e, meta->nr_mem_nodes);
	for (size_t i = 0; i < meta->nr_mem_nodes; i++) {
		const struct sonde_mem_node *node = &meta->mem_nodes[i];

		enc_u64(e, node->node);
		enc_u64(e, node->size);
		enc_u64(e, node->nr_bits);
		for (uint64_t w = 0; w < words_of_bits(node->nr_bits); w++)
			enc_u64(e, node->words[w]);
	}
	return 0;
}

int hybrid_topology_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 2 * FEAT_STR_MIN);
	struct sonde_hybrid_pmu *hybrid = feat_array(c, a, nr, sizeof(*hybrid));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		hybrid[i].pmu = feat_str(c, a);
		hybrid[i].cpus = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->hybrid = hybrid;
	meta->nr_hybrid = nr;
	return 0;
}

int hybrid_topology_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_hybrid);
	for (size_t i = 0; i < meta->nr_hybrid; i++) {
		enc_str(e, meta->hybrid[i].pmu);
		enc_str(e, meta->hybrid[i].cpus);
	}
	return 0;
}

/* Names of domains came with this version of /proc/schedstat. */
#define SCHEDSTAT_WITH_NAMES 17

static int cpu_domains_decode(struct cursor *c, struct arena *a, const struct sonde_meta *meta, uint32_t max_domains,
			      bool names, struct sonde_cpu_domains *out)
{
	uint64_t at = c->at;

	out->cpu = cur_u32(c);
	out->nr_domains = feat_count(c, cur_u32(c), 4 + (names ? 3 : 2) * FEAT_STR_MIN);
	if (cur_ok(c) && meta->nr_cpus_available && out->cpu >= meta->nr_cpus_available)
		return err_set(c->err, SONDE_CORRUPT, at, "CPU %" PRIu32 " of %" PRIu32, out->cpu, meta->nr_cpus_available);
	out->domains = feat_array(c, a, out->nr_domains, sizeof(*out->domains));
	for (size_t i = 0; i < out->nr_domains && cur_ok(c); i++) {
		struct sonde_sched_domain *d = &out->domains[i];

		at = c->at;
		d->domain = cur_u32(c);
		if (cur_ok(c) && d->domain >= max_domains)
			return err_set(c->err, SONDE_CORRUPT, at, "domain %" PRIu32 " of %" PRIu32, d->domain, max_domains);
		d->name = names ? feat_str(c, a) : NULL;
		d->cpumask = feat_str(c, a);
		d->cpulist = feat_str(c, a);
	}
	return feat_status(c);
}

int cpu_domain_info_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t version = cur_u32(c), max_domains = cur_u32(c);
	uint64_t nr = feat_count(c, meta->nr_cpus_online, 8);
	struct sonde_cpu_domains *cpus = feat_array(c, a, nr, sizeof(*cpus));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		int r = cpu_domains_decode(c, a, meta, max_domains, version >= SCHEDSTAT_WITH_NAMES, &cpus[i]);

		if (r < 0)
			return r;
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->schedstat_version = version;
	meta->max_sched_domains = max_domains;
	meta->cpu_domains = cpus;
	meta->nr_cpu_domains = nr;
	return 0;
}

int cpu_domain_info_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, meta->schedstat_version);
	enc_u32(e, meta->max_sched_domains);
	for (size_t i = 0; i < meta->nr_cpu_domains; i++) {
		const struct sonde_cpu_domains *cpu = &meta->cpu_domains[i];

		enc_u32(e, cpu->cpu);
		enc_u32(e, (uint32_t)cpu->nr_domains);
		for (size_t d = 0; d < cpu->nr_domains; d++) {
			enc_u32(e, cpu->domains[d].domain);
			if (meta->schedstat_version >= SCHEDSTAT_WITH_NAMES)
				enc_str(e, cpu->domains[d].name);
			enc_str(e, cpu->domains[d].cpumask);
			enc_str(e, cpu->domains[d].cpulist);
		}
	}
	return 0;
}

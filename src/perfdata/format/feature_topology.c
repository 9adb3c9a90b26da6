/* SPDX-License-Identifier: MIT */
/* feature_topology.c - features that describe CPUs, caches, memory and scheduling domains. */
#include "perfdata/format/feature_topology.h"

#include "perfdata/format/feature_layout.h"

/* One of the two (core_id, socket_id) or one (die_id) arrays by CPU. */
static int32_t *ids_alloc(struct cursor *c, struct arena *a, uint64_t n)
{
	return feat_array(c, a, n, sizeof(int32_t));
}

/*
 * Lists of siblings; then, as later revisions added them, core and socket of each CPU; then dies. What follows the
 * lists is there if bytes are left. The number of CPUs is NRCPUS's: without it the lists are all that is read.
 */
int cpu_topology_decode(struct cursor *c, struct meta *meta, struct arena *a)
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

int cpu_topology_encode(struct encoder *e, const struct meta *meta)
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

static void print_siblings(struct buf *out, const char *what, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		print_text(out, what, list[i]);
}

void cpu_topology_print(struct buf *out, const struct meta *meta)
{
	const __typeof__(meta->topology) *t = &meta->topology;

	print_siblings(out, "sibling sockets", t->cores, t->nr_cores);
	print_siblings(out, "sibling dies   ", t->dies, t->nr_dies);
	print_siblings(out, "sibling threads", t->threads, t->nr_threads);
	if (!t->core_ids)
		buf_str(out, "# Core ID and Socket ID information is not available\n");
	for (size_t i = 0; i < t->nr_cpus; i++) {
		buf_printf(out, "# CPU %zu: Core ID %" PRId32, i, t->core_ids[i]);
		if (t->die_ids)
			buf_printf(out, ", Die ID %" PRId32, t->die_ids[i]);
		buf_printf(out, ", Socket ID %" PRId32 "\n", t->socket_ids[i]);
	}
}

static void json_list(struct json *j, const char *key, const char *const *list, size_t nr)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < nr; i++)
		json_text(j, list[i]);
	json_end(j);
}

static void json_key_i32(struct json *j, const char *key, int32_t v)
{
	json_key(j, key);
	json_i64(j, v);
}

void cpu_topology_json(struct json *j, const struct meta *meta)
{
	const __typeof__(meta->topology) *t = &meta->topology;

	json_object(j);
	json_list(j, "sockets", t->cores, t->nr_cores);
	json_list(j, "dies", t->dies, t->nr_dies);
	json_list(j, "threads", t->threads, t->nr_threads);
	json_key(j, "cpus");
	json_array(j);
	for (size_t i = 0; i < t->nr_cpus; i++) {
		json_object(j);
		json_key_i32(j, "core", t->core_ids[i]);
		if (t->die_ids)
			json_key_i32(j, "die", t->die_ids[i]);
		json_key_i32(j, "socket", t->socket_ids[i]);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

void numa_topology_print(struct buf *out, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_numa; i++) {
		const struct sonde_numa_node *n = &meta->numa[i];

		buf_printf(out,
			   "# node%" PRIu32 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n# node%" PRIu32
			   " cpu list : ",
			   n->node, n->total_kb, n->free_kb, n->node);
		print_str(out, n->cpus);
		buf_char(out, '\n');
	}
}

void cache_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# CPU cache info:\n");
	for (size_t i = 0; i < meta->nr_caches; i++) {
		const struct sonde_cache *cache = &meta->caches[i];

		buf_printf(out, "#  L%" PRIu32 " ", cache->level);
		buf_str_left(out, cache->type, strlen(cache->type), 15);
		buf_char(out, ' ');
		buf_str_right(out, cache->size, strlen(cache->size), 8);
		buf_str(out, " [");
		print_str(out, cache->cpus);
		buf_str(out, "]\n");
	}
}

static bool bit_at(const struct sonde_mem_node *node, uint64_t i)
{
	return node->words[i / 64] >> (i % 64) & 1;
}

/* "0-3,8"; returns how many bits are set */
static uint64_t print_bit_list(struct buf *out, const struct sonde_mem_node *node)
{
	const char *sep = "";
	uint64_t set = 0;

	for (uint64_t i = 0; i < node->nr_bits; i++) {
		uint64_t first = i;

		if (!bit_at(node, i))
			continue;
		while (i + 1 < node->nr_bits && bit_at(node, i + 1))
			i++;
		buf_printf(out, "%s%" PRIu64, sep, first);
		if (i > first)
			buf_printf(out, "-%" PRIu64, i);
		sep = ",";
		set += i - first + 1;
	}
	return set;
}

/* "3G": whole units, the largest that leaves more than 0 */
static void print_units(struct buf *out, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	while (bytes >= 1024) {
		bytes /= 1024;
		unit++;
	}
	buf_printf(out, "%" PRIu64 "%c", bytes, units[unit]);
}

void mem_topology_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# memory nodes (nr %zu, block size 0x%" PRIx64 "):\n", meta->nr_mem_nodes,
		   meta->mem_block_size);
	for (size_t i = 0; i < meta->nr_mem_nodes; i++) {
		const struct sonde_mem_node *node = &meta->mem_nodes[i];
		struct buf list = BUF_MEMORY;
		uint64_t blocks = print_bit_list(&list, node), bytes;

		buf_printf(out, "# %4" PRIu64 " [", node->node);
		if (__builtin_mul_overflow(blocks, meta->mem_block_size, &bytes))
			bytes = UINT64_MAX;
		print_units(out, bytes);
		buf_str(out, "]: ");
		buf_put(out, list.p ? list.p : "", list.n);
		buf_char(out, '\n');
		buf_free(&list);
	}
}

void mem_topology_json(struct json *j, const struct meta *meta)
{
	json_object(j);
	json_member_u64(j, "block_size", meta->mem_block_size);
	json_key(j, "nodes");
	json_array(j);
	for (size_t i = 0; i < meta->nr_mem_nodes; i++) {
		struct buf list = BUF_MEMORY;

		json_object(j);
		json_member_u64(j, "node", meta->mem_nodes[i].node);
		json_member_u64(j, "blocks", print_bit_list(&list, &meta->mem_nodes[i]));
		json_key(j, "list");
		json_text_n(j, list.p ? list.p : "", list.n);
		json_end(j);
		buf_free(&list);
	}
	json_end(j);
	json_end(j);
}

void hybrid_topology_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# hybrid cpu system:\n");
	for (size_t i = 0; i < meta->nr_hybrid; i++) {
		buf_str(out, "# ");
		print_str(out, meta->hybrid[i].pmu);
		buf_str(out, " cpu list : ");
		print_str(out, meta->hybrid[i].cpus);
		buf_char(out, '\n');
	}
}

static int cpu_domains_decode(struct cursor *c, struct arena *a, const struct meta *meta, uint32_t max_domains,
			      bool names, struct meta_cpu_domains *out)
{
	uint64_t at = c->at;

	out->cpu = cur_u32(c);
	out->nr_domains = feat_count(c, cur_u32(c), 4 + (names ? 3 : 2) * FEAT_STR_MIN);
	if (cur_ok(c) && meta->nr_cpus_available && out->cpu >= meta->nr_cpus_available)
		return err_set(c->err, SONDE_CORRUPT, at, "CPU %" PRIu32 " of %" PRIu32, out->cpu,
			       meta->nr_cpus_available);
	out->domains = feat_array(c, a, out->nr_domains, sizeof(*out->domains));
	for (size_t i = 0; i < out->nr_domains && cur_ok(c); i++) {
		struct sonde_sched_domain *d = &out->domains[i];

		at = c->at;
		d->domain = cur_u32(c);
		if (cur_ok(c) && d->domain >= max_domains)
			return err_set(c->err, SONDE_CORRUPT, at, "domain %" PRIu32 " of %" PRIu32, d->domain,
				       max_domains);
		d->name = names ? feat_str(c, a) : NULL;
		d->cpumask = feat_str(c, a);
		d->cpulist = feat_str(c, a);
	}
	return feat_status(c);
}

int cpu_domain_info_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint32_t version = cur_u32(c), max_domains = cur_u32(c);
	uint64_t nr = feat_count(c, meta->nr_cpus_online, 8);
	struct meta_cpu_domains *cpus = feat_array(c, a, nr, sizeof(*cpus));

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

int cpu_domain_info_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, meta->schedstat_version);
	enc_u32(e, meta->max_sched_domains);
	for (size_t i = 0; i < meta->nr_cpu_domains; i++) {
		const struct meta_cpu_domains *cpu = &meta->cpu_domains[i];

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

void cpu_domain_info_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# schedstat version\t: %" PRIu32 "\n# Maximum sched domains\t: %" PRIu32 "\n",
		   meta->schedstat_version, meta->max_sched_domains);
	for (size_t i = 0; i < meta->nr_cpu_domains; i++) {
		const struct meta_cpu_domains *cpu = &meta->cpu_domains[i];

		buf_printf(out, "# cpu\t\t: %" PRIu32 "\n# nr_domains\t: %zu\n", cpu->cpu, cpu->nr_domains);
		for (size_t d = 0; d < cpu->nr_domains; d++) {
			buf_printf(out, "# Domain\t\t: %" PRIu32 "\n", cpu->domains[d].domain);
			if (cpu->domains[d].name)
				print_text(out, "Domain name     ", cpu->domains[d].name);
			print_text(out, "Domain cpu map  ", cpu->domains[d].cpumask);
			print_text(out, "Domain cpu list ", cpu->domains[d].cpulist);
		}
	}
}

void cpu_domain_info_json(struct json *j, const struct meta *meta)
{
	static const struct layout_field domain[] = {
		NUMBER(struct sonde_sched_domain, domain, "domain"), TEXT(struct sonde_sched_domain, name, "name"),
		TEXT(struct sonde_sched_domain, cpumask, "cpumask"),
		TEXT(struct sonde_sched_domain, cpulist, "cpulist"), { .kind = LAYOUT_END },
	};
	static const struct layout_field cpu[] = {
		NUMBER(struct meta_cpu_domains, cpu, "cpu"),
		LIST(4, struct meta_cpu_domains, domains, "domains", domain), { .kind = LAYOUT_END },
	};
	static const struct layout_field all[] = {
		NUMBER(struct meta, schedstat_version, "schedstat_version"),
		NUMBER(struct meta, max_sched_domains, "max_domains"),
		LIST(4, struct meta, cpu_domains, "cpus", cpu), { .kind = LAYOUT_END },
	};

	layout_json(all, j, meta);
}

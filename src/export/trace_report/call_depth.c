/* SPDX-License-Identifier: MIT */
#include "export/trace_report/call_depth.h"

#define CPU_MAX 65536

static struct report_levels *levels_of(struct report_depths *d, int32_t cpu)
{
	struct report_levels **at;

	if (vec_reserve(&d->cpus, (size_t)cpu + 1) < 0)
		return NULL;
	while (d->cpus.n <= (size_t)cpu)
		d->cpus.at[d->cpus.n++] = NULL;
	at = &d->cpus.at[cpu];
	if (!*at)
		*at = calloc(1, sizeof(**at));
	return *at;
}

static void set_level(struct report_levels *l, size_t level, struct sonde_str name)
{
	if (!name.len || level >= REPORT_DEPTH_MAX)
		return;
	l->names[level] = name;
	if (l->n <= level)
		l->n = level + 1;
}

int report_depth(struct report_depths *d, const struct tracefmt *formats, const struct tracefmt_boot *boot, int32_t cpu,
		 uint64_t ip, uint64_t parent_ip)
{
	struct sonde_str name = { 0 }, parent;
	struct report_levels *l;
	uint64_t offset;

	if (cpu < 0 || cpu >= CPU_MAX || !tracefmt_symbol(formats, boot, parent_ip, &parent, &offset))
		return 0;
	l = levels_of(d, cpu);
	if (!l)
		return -SONDE_NOMEM;
	if (!tracefmt_symbol(formats, boot, ip, &name, &offset))
		name.len = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->names[i].len == parent.len && memcmp(l->names[i].p, parent.p, parent.len) == 0) {
			set_level(l, i + 1, name);
			return (int)i;
		}
	set_level(l, 0, parent);
	set_level(l, 1, name);
	return 0;
}

void report_depths_free(struct report_depths *d)
{
	for (size_t i = 0; i < d->cpus.n; i++)
		free(d->cpus.at[i]);
	vec_free(&d->cpus);
}

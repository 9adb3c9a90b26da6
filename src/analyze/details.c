/* SPDX-License-Identifier: MIT */
#include "analyze/details.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analyze/profile.h"

enum { TIME_STEP_NS = 100000000 };

int details_init(struct details *d)
{
	return vec_push(&d->list, ((struct sonde_profile_detail){ 0 }));
}

void details_free(struct details *d)
{
	vec_free(&d->list);
	hash_index_free(&d->index);
	strpool_free(&d->names);
	u64map_free(&d->cgroups);
}

static uint64_t cgroup_of(const struct sonde_event *ev)
{
	struct sample s;

	return event_sample(ev, &s) == -SONDE_USAGE ? 0 : s.cgroup;
}

uint32_t details_of(struct details *d, uint32_t by, const struct sonde_event *ev,
		    const struct sonde_profile_detail *known)
{
	struct sonde_profile_detail key = {
		.time = by & SONDE_BY_TIME && ev->time != SONDE_NONE ? ev->time - ev->time % TIME_STEP_NS : 0,
		.addr = by & SONDE_BY_ADDR ? ev->ip : 0,
		.cgroup = by & SONDE_BY_CGROUP ? cgroup_of(ev) : 0,
		.parallelism = by & SONDE_BY_PARALLELISM ? known->parallelism : 0,
		.symbol_offset = known->symbol_offset,
		.data_type = known->data_type,
	};
	uint64_t hash = hash_two(hash_two(hash_index_seed(&d->index) ^ key.time, key.addr),
				 hash_two(key.cgroup ^ key.parallelism << 32, key.symbol_offset ^ key.data_type << 32));
	uint32_t i;

	hash_index_each(&d->index, hash, i)
		if (memcmp(&d->list.at[i], &key, sizeof(key)) == 0)
			return i;
	i = (uint32_t)d->list.n;
	return vec_push(&d->list, key) < 0 || hash_index_add(&d->index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

/* A CGROUP record has the id and the path. */
struct cgroup_fields {
	uint64_t id;
	struct sonde_str path;
};

static int take_field(void *ctx, const struct sonde_field *field)
{
	struct cgroup_fields *c = ctx;

	if (strcmp(field->name, "id") == 0)
		c->id = field->u;
	else if (strcmp(field->name, "path") == 0)
		c->path = field->text;
	return 0;
}

int details_note_cgroup(struct details *d, const struct sonde_event *ev)
{
	struct cgroup_fields c = { 0 };
	uint32_t name;

	if (ev->type != PERF_RECORD_CGROUP || event_fields(ev, take_field, &c) < 0 || !c.path.p)
		return 0;
	name = strpool_add(&d->names, c.path.p, c.path.len);
	return name == UINT32_MAX || u64map_set(&d->cgroups, c.id, name) < 0 ? -SONDE_NOMEM : 0;
}

const char *sonde_profile_cgroup(const struct sonde_profile *p, uint64_t id)
{
	uint32_t name = u64map_get(&p->details.cgroups, id);

	return name == U64MAP_NONE ? NULL : strpool_get(&p->details.names, name);
}

/* SPDX-License-Identifier: MIT */
#include "analyze/tables/details.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analyze/tables/profile.h"
#include "base/bytes.h"
#include "base/str.h"
#include "tracefmt/print.h"
#include "tracefmt/print_fields.h"

int details_init(struct details *d)
{
	d->text = (struct buf)BUF_MEMORY;
	return vec_push(&d->list, ((struct sonde_profile_detail){ 0 }));
}

void details_free(struct details *d)
{
	vec_free(&d->list);
	hash_index_free(&d->index);
	strpool_free(&d->names);
	u64map_free(&d->cgroups);
	u64map_free(&d->namespace_of_thread);
	buf_free(&d->text);
	vec_free(&d->namespaces);
}

void details_take_event(struct sonde_profile_detail *key, uint32_t by, uint64_t time_step_ns, uint64_t epoch,
			const struct sonde_event *ev)
{
	if (by & SONDE_BY_TIME && ev->time != SONDE_NONE)
		key->time = ev->time - (ev->time + epoch) % time_step_ns;
	if (by & SONDE_BY_ADDR)
		key->addr = ev->ip;
}

int details_take_trace(struct details *d, struct sonde_profile_detail *key, const struct tracefmt_event *format,
		       struct sonde_bytes raw, bool fields)
{
	struct sonde_str text;
	uint32_t number;

	d->text.n = 0;
	if (fields)
		tracefmt_print_fields(format, raw, &d->text);
	else
		tracefmt_print(format, raw, &(struct tracefmt_context){ 0 }, &d->text);
	text = (struct sonde_str){ d->text.n ? d->text.p : "", d->text.n };
	if (fields && text.len)
		str_skip(&text, 1);  /* the blank before the first field */
	number = d->text.failed ? UINT32_MAX : strpool_add(&d->names, text.p, text.len);
	key->trace = (uint64_t)number + 1;
	return number == UINT32_MAX ? -SONDE_NOMEM : 0;
}

static uint64_t thread_key(const struct sonde_event *ev, uint64_t tid)
{
	return (uint64_t)(uint32_t)ev->machine_pid << 32 | (uint32_t)tid;
}

void details_take_namespace(const struct details *d, struct sonde_profile_detail *key, const struct sonde_event *ev)
{
	uint32_t i = u64map_get(&d->namespace_of_thread, thread_key(ev, (uint64_t)ev->tid));

	if (i == U64MAP_NONE)
		return;
	key->namespace_dev = d->namespaces.at[i].dev;
	key->namespace_ino = d->namespaces.at[i].ino;
}

/* Most members are 0: nobody asks for them. */
static uint64_t hash_detail(struct hash_index *index, const struct sonde_profile_detail *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)], hash = hash_index_seed(index);

	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i])
			hash = hash_two(hash ^ i, words[i]);
	return hash;
}

uint32_t details_number(struct details *d, const struct sonde_profile_detail *key)
{
	uint64_t hash = hash_detail(&d->index, key);
	uint32_t i;

	hash_index_each(&d->index, hash, i)
		if (memcmp(&d->list.at[i], key, sizeof(*key)) == 0)
			return i;
	i = (uint32_t)d->list.n;
	return vec_push(&d->list, *key) < 0 || hash_index_add(&d->index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

int details_renumber_frames(struct details *d, const uint32_t *numbers)
{
	int r = 0;

	hash_index_free(&d->index);
	for (uint32_t i = 0; i < d->list.n && r == 0; i++) {
		struct sonde_profile_detail *key = &d->list.at[i];

		if (key->source)
			key->source = numbers[key->source - 1] + 1;
		if (key->data)
			key->data = numbers[key->data - 1] + 1;
		if (i)
			r = hash_index_add(&d->index, hash_detail(&d->index, key), i);
	}
	return r;
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

/* The places of a NAMESPACES record: net, uts, ipc, pid, user, mnt, cgroup. */
enum { CGROUP_NAMESPACE = 6 };

struct namespace_fields {
	uint64_t tid;
	struct namespace_file cgroup;
	bool any;
};

static int take_namespace_field(void *ctx, const struct sonde_field *field)
{
	struct namespace_fields *n = ctx;

	if (strcmp(field->name, "tid") == 0)
		n->tid = field->u;
	if (field->index != CGROUP_NAMESPACE)
		return 0;
	n->any = true;
	if (strcmp(field->name, "dev") == 0)
		n->cgroup.dev = field->u;
	else if (strcmp(field->name, "ino") == 0)
		n->cgroup.ino = field->u;
	return 0;
}

int details_note_namespaces(struct details *d, const struct sonde_event *ev)
{
	struct namespace_fields n = { 0 };

	if (ev->type != PERF_RECORD_NAMESPACES || event_fields(ev, take_namespace_field, &n) < 0 || !n.any)
		return 0;
	return vec_push(&d->namespaces, n.cgroup) < 0 ||
	       u64map_set(&d->namespace_of_thread, thread_key(ev, n.tid), (uint32_t)d->namespaces.n - 1) < 0 ?
	       -SONDE_NOMEM : 0;
}

const char *sonde_profile_trace(const struct sonde_profile *p, uint64_t trace)
{
	return trace && trace <= UINT32_MAX ? strpool_get(&p->details.names, (uint32_t)trace - 1) : NULL;
}

const char *sonde_profile_cgroup(const struct sonde_profile *p, uint64_t id)
{
	uint32_t name = u64map_get(&p->details.cgroups, id);

	return name == U64MAP_NONE ? NULL : strpool_get(&p->details.names, name);
}

/* SPDX-License-Identifier: MIT */
#include "analyze/profile/profile_tasks.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "model/reader.h"

bool profile_chooses_tasks(const struct gathering *p)
{
	return p->kept.comms.n || p->wants.pids.n || p->wants.tids.n;
}

/* Whether a list has a number; an empty one has all. */
static bool has_number(const int32_t *list, size_t n, int32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return n == 0;
}

static bool is_wanted(const struct gathering *p, const struct sonde_profile_task *task)
{
	bool comm = p->kept.comms.n == 0;

	for (size_t i = 0; i < p->kept.comms.n && !comm; i++)
		comm = p->kept.comms.at[i] == task->comm;
	return comm && has_number(p->wants.pids.at, p->wants.pids.n, task->pid) &&
	       has_number(p->wants.tids.at, p->wants.tids.n, task->tid);
}

static uint64_t hash_task(struct hash_index *index, const struct sonde_profile_task *key)
{
	return hash_two(hash_index_seed(index) ^ ((uint64_t)(uint32_t)key->pid << 32 | (uint32_t)key->tid),
			(uintptr_t)key->comm + (uint32_t)key->machine_pid + ((uint64_t)key->host << 32));
}

int profile_tasks_renumber(struct gathering *p, const uint32_t *numbers)
{
	struct u64map unnamed = { 0 };
	size_t kept = 0;
	int r = 0;

	moment_changed(&p->moment);
	for (size_t i = 0; i < p->trace.unnamed.entries.n && r == 0; i++) {
		const struct u64map_entry *e = &p->trace.unnamed.entries.at[i];

		if (e->value != U64MAP_NONE && numbers[e->value] != NO_TASK)
			r = u64map_set(&unnamed, e->key, numbers[e->value]);
	}
	u64map_free(&p->trace.unnamed);
	p->trace.unnamed = unnamed;
	hash_index_free(&p->who_index);
	for (size_t i = 0; i < p->who.n && r == 0; i++) {
		if (numbers[i] == NO_TASK)
			continue;
		p->who.at[kept] = p->who.at[i];
		r = hash_index_add(&p->who_index, hash_task(&p->who_index, &p->who.at[kept]), (uint32_t)kept);
		kept++;
	}
	p->who.n = kept;
	return r;
}

static uint32_t intern_task(struct gathering *p, const struct sonde_profile_task *key)
{
	uint64_t hash = hash_task(&p->who_index, key);
	uint32_t i;

	hash_index_each(&p->who_index, hash, i) {
		const struct sonde_profile_task *t = &p->who.at[i];

		if (t->pid == key->pid && t->tid == key->tid && t->comm == key->comm &&
		    t->machine_pid == key->machine_pid && t->host == key->host)
			return i;
	}
	i = (uint32_t)p->who.n;
	if (vec_push(&p->who, *key) < 0 || hash_index_add(&p->who_index, hash, i) < 0)
		return NO_TASK;
	return i;
}

int profile_tasks_of(struct gathering *p, const struct reader *reader)
{
	const char *slash = strrchr(reader->info.path, '/'), *name = reader->meta.hostname;
	uint32_t number;

	if (clocks_of_guest(reader))
		name = slash ? slash + 1 : reader->info.path;
	if (name) {
		number = strpool_add(&p->names, name, strlen(name));
		if (number == UINT32_MAX)
			return -SONDE_NOMEM;
		name = strpool_get(&p->names, number);
	}
	for (p->trace.host = 0; name && p->trace.host < p->hosts.n && p->hosts.at[p->trace.host] != name;)
		p->trace.host++;
	return p->trace.host == p->hosts.n ? vec_push(&p->hosts, name) : 0;
}

uint32_t profile_task_add(struct gathering *p, struct sonde_str comm, int32_t machine, int32_t pid, int32_t tid)
{
	struct sonde_profile_task key = { .pid = pid, .tid = tid, .machine_pid = machine, .host = p->trace.host,
					  .host_name = p->trace.host ? p->hosts.at[p->trace.host] : NULL };
	uint32_t name = strpool_add(&p->names, comm.p, comm.len);

	if (name == UINT32_MAX)
		return NO_TASK;
	key.comm = strpool_get(&p->names, name);
	return is_wanted(p, &key) ? intern_task(p, &key) : TASK_LEFT_OUT;
}

static uint32_t task_number(struct gathering *p, const struct moment_task *t)
{
	char unnamed[16];
	uint32_t number;
	int n;

	if (t->comm)
		return profile_task_add(p, (struct sonde_str){ t->comm, strlen(t->comm) }, t->machine, t->pid, t->tid);
	n = snprintf(unnamed, sizeof(unnamed), ":%d", t->tid);
	number = profile_task_add(p, (struct sonde_str){ unnamed, (size_t)n }, t->machine, t->pid, t->tid);
	if (number != NO_TASK && number != TASK_LEFT_OUT &&
	    u64map_set(&p->trace.unnamed, profile_thread_key(p->trace.host, t->machine, t->tid), number) < 0)
		return NO_TASK;
	return number;
}

/* The key of a thread that a record of the trace at hand tells of. */
static uint64_t thread_key(const struct gathering *p, const struct sonde_event *ev, int32_t tid)
{
	return profile_thread_key(p->trace.host, ev->machine_pid, tid);
}

/*
 * As with perf, what a thread did before a record named it is of that name, where the record is the first one. A FORK
 * with its number begins another thread.
 */
static int name_before(struct gathering *p, const struct sonde_event *ev)
{
	struct sonde_task fork;
	struct sonde_comm c;
	uint32_t i, name;

	if (ev->type == PERF_RECORD_FORK && event_task(ev, &fork) == 0 &&
	    u64map_get(&p->trace.unnamed, thread_key(p, ev, fork.tid)) != U64MAP_NONE)
		return u64map_set(&p->trace.unnamed, thread_key(p, ev, fork.tid), U64MAP_NONE);
	if (ev->type != PERF_RECORD_COMM || event_comm(ev, &c) < 0)
		return 0;
	i = u64map_get(&p->trace.unnamed, thread_key(p, ev, c.tid));
	if (i == U64MAP_NONE || p->who.at[i].pid != c.pid)
		return 0;
	name = strpool_add(&p->names, c.comm.p, c.comm.len);
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	p->who.at[i].comm = strpool_get(&p->names, name);
	return u64map_set(&p->trace.unnamed, thread_key(p, ev, c.tid), U64MAP_NONE);
}

struct moment_task *profile_task_look_up(struct gathering *p, int32_t machine, int32_t pid, int32_t tid)
{
	struct moment_task *t = moment_look_up(&p->moment, machine, pid, tid);

	t->number = task_number(p, t);
	if (p->wants.any_task && t->number != NO_TASK && t->number != TASK_LEFT_OUT)
		t->number = 0;
	p->roots_in_batch[t - p->moment.known].batch = 0;
	return t;
}

static int note_comm(struct gathering *p, const struct sonde_event *ev)
{
	struct sonde_comm c;
	uint32_t name;

	if (ev->type != PERF_RECORD_COMM || event_comm(ev, &c) < 0)
		return 0;
	name = strpool_add(&p->names, c.comm.p, c.comm.len);
	return name == UINT32_MAX ? -SONDE_NOMEM :
				    u64map_set(&p->last_comms, thread_key(p, ev, c.tid), name);
}

int profile_tasks_note(struct gathering *p, const struct sonde_event *ev)
{
	int r = note_comm(p, ev);

	return r == 0 && p->trace.unnamed.entries.n ? name_before(p, ev) : r;
}

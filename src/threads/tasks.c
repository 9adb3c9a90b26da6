/* SPDX-License-Identifier: MIT */
#include "threads/tasks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "model/reader.h"

#define MISC_FORK_EXEC 0x2000  /* a FORK that the recorder synthesized: the maps follow as records of their own */
#define MISC_MMAP_DATA 0x2000
#define PROT_EXEC_BIT 4
#define KSYMBOL_UNREGISTER 1

#define SPACE_BIT 0x80000000u

/* Numbers mean something within their machine. Later recordings have machines of their own. */
static uint64_t key_of(const struct tasks *t, int32_t machine, int32_t number)
{
	uint64_t space = (uint32_t)machine;

	if (t->recording)
		space = SPACE_BIT | u64map_get(&t->spaces, (uint64_t)t->recording << 32 | (uint32_t)machine);
	return space << 32 | (uint32_t)number;
}

/* The same where something is about to be added. 0 or -SONDE_NOMEM. */
static int make_key(struct tasks *t, int32_t machine, int32_t number, uint64_t *out)
{
	uint64_t space = (uint64_t)t->recording << 32 | (uint32_t)machine;

	if (t->recording && u64map_get(&t->spaces, space) == U64MAP_NONE &&
	    u64map_set(&t->spaces, space, (uint32_t)t->spaces.entries.n) < 0)
		return -SONDE_NOMEM;
	*out = key_of(t, machine, number);
	return 0;
}

static struct process *find_process(const struct tasks *t, int32_t machine, int32_t pid)
{
	uint32_t i = u64map_get(&t->by_pid, key_of(t, machine, pid));

	return i == U64MAP_NONE ? NULL : &t->processes.at[i];
}

static struct thread *find_thread(const struct tasks *t, int32_t machine, int32_t tid)
{
	uint32_t i = u64map_get(&t->by_tid, key_of(t, machine, tid));

	return i == U64MAP_NONE ? NULL : &t->threads.at[i];
}

static struct process *get_process(struct tasks *t, int32_t machine, int32_t pid)
{
	struct process *p = find_process(t, machine, pid);
	uint64_t key;

	if (p)
		return p;
	if (make_key(t, machine, pid, &key) < 0 || u64map_set(&t->by_pid, key, (uint32_t)t->processes.n) < 0 ||
	    vec_push(&t->processes, ((struct process){ .machine = machine, .pid = pid })) < 0)
		return NULL;
	return &t->processes.at[t->processes.n - 1];
}

/* The thread of that number; a number that comes back in another process is another thread. */
static struct thread *get_thread(struct tasks *t, int32_t machine, int32_t pid, int32_t tid)
{
	struct process *p = get_process(t, machine, pid);
	struct thread *th = p ? find_thread(t, machine, tid) : NULL;
	uint32_t process;
	uint64_t key;

	if (!p)
		return NULL;
	process = (uint32_t)(p - t->processes.at);
	if (th) {
		if (th->process != process)
			*th = (struct thread){ .tid = tid, .process = process };
		return th;
	}
	if (make_key(t, machine, tid, &key) < 0 || u64map_set(&t->by_tid, key, (uint32_t)t->threads.n) < 0 ||
	    vec_push(&t->threads, ((struct thread){ .tid = tid, .process = process })) < 0)
		return NULL;
	return &t->threads.at[t->threads.n - 1];
}

static int set_comm(struct tasks *t, int32_t machine, int32_t pid, int32_t tid, const char *comm, size_t len)
{
	struct thread *th = get_thread(t, machine, pid, tid);
	uint32_t name = strpool_add(&t->comms, comm, len);

	if (!th || name == UINT32_MAX)
		return -SONDE_NOMEM;
	th->comm = strpool_get(&t->comms, name);
	return 0;
}

/* 0 of records that a recorder makes of what it finds. */
static uint64_t time_of(const struct sonde_event *ev)
{
	return ev->time == SONDE_NONE ? 0 : ev->time;
}

static int apply_comm(struct tasks *t, const struct sonde_event *ev)
{
	struct sonde_comm c;
	struct process *p;

	if (event_comm(ev, &c) < 0)
		return 0;
	if (set_comm(t, ev->machine_pid, c.pid, c.tid, c.comm.p, c.comm.len) < 0)
		return -SONDE_NOMEM;
	p = c.exec ? find_process(t, ev->machine_pid, c.pid) : NULL;
	/* The new program's mappings follow. Until then user frames are still those of the execve() of the old one. */
	if (p) {
		p->replaced = true;
		p->begun = time_of(ev);
	}
	return 0;
}

/* A jitdump has times of CLOCK_MONOTONIC of its machine. */
static int advance(struct tasks *t, struct process *p, const struct sonde_event *ev)
{
	const struct sonde_attr *attr = ev->evsel ? ev->evsel->attr : NULL;
	bool monotonic = attr && attr->flags & SONDE_ATTR_USE_CLOCKID && attr->clockid == CLOCK_MONOTONIC;
	const struct reader *reader = event_of(ev)->reader;
	uint64_t time = reader ? clocks_move_back(ev->time, reader->time_shift) : ev->time;

	if (!p || !p->code.dump || !t->jit || !attr)
		return 0;
	return jit_code_advance(&p->code, t->jit, &t->pool, monotonic ? time : SONDE_NONE, &p->maps);
}

int tasks_advance(struct tasks *t, const struct sonde_event *ev)
{
	return t->nr_dumps ? advance(t, find_process(t, ev->machine_pid, ev->pid), ev) : 0;
}

static int apply_fork(struct tasks *t, const struct sonde_event *ev)
{
	const struct thread *parent;
	struct sonde_task f;
	struct thread *child;
	const char *comm;
	maps_root maps;
	struct process *p;

	if (event_task(ev, &f) < 0)
		return 0;
	if (advance(t, find_process(t, ev->machine_pid, f.ppid), ev) < 0)
		return -SONDE_NOMEM;
	parent = find_thread(t, ev->machine_pid, f.ptid);
	comm = parent ? parent->comm : NULL;
	maps = tasks_maps(t, ev->machine_pid, f.ppid);
	child = get_thread(t, ev->machine_pid, f.pid, f.tid);
	if (!child)
		return -SONDE_NOMEM;
	if (f.pid == f.ppid && f.tid != f.pid) {  /* a thread of the same process */
		child->comm = comm;
		return 0;
	}
	child->comm = comm;
	if (ev->misc & MISC_FORK_EXEC)
		return 0;
	p = get_process(t, ev->machine_pid, f.pid);
	if (p) {
		p->maps = maps;
		p->code = (struct jit_code){ 0 };
		p->begun = time_of(ev);
		p->exited = false;
	}
	return p ? 0 : -SONDE_NOMEM;
}

/* The maps stay: samples of the exit itself may follow. */
static int apply_exit(struct tasks *t, const struct sonde_event *ev)
{
	struct sonde_task task;
	struct process *p;

	if (event_task(ev, &task) < 0 || task.pid != task.tid)
		return 0;
	p = find_process(t, ev->machine_pid, task.pid);
	if (p)
		p->exited = true;
	return 0;
}

static uint64_t guest_key(const struct tasks *t, int32_t pid)
{
	return (uint64_t)t->recording << 32 | (uint32_t)pid;
}

/* The kernel of the guest that process @pid runs; NULL when out of memory. */
static maps_root *get_guest(struct tasks *t, int32_t pid)
{
	uint64_t key = guest_key(t, pid > 0 ? pid : 0);
	uint32_t i = u64map_get(&t->guest_by_pid, key);

	if (i != U64MAP_NONE)
		return &t->guests.at[i];
	if (u64map_set(&t->guest_by_pid, key, (uint32_t)t->guests.n) < 0 || vec_push(&t->guests, NULL) < 0)
		return NULL;
	return &t->guests.at[t->guests.n - 1];
}

/* A task that is known by itself, else the one that stands for all of them. */
static maps_root find_guest(const struct tasks *t, int32_t pid)
{
	uint32_t i = u64map_get(&t->guest_by_pid, guest_key(t, pid));

	if (i == U64MAP_NONE)
		i = u64map_get(&t->guest_by_pid, guest_key(t, 0));
	return i == U64MAP_NONE ? NULL : t->guests.at[i];
}

/* Where the kernel of the event's machine has its mappings; @pid: what its record says of the machine. */
static maps_root *kernel_of(struct tasks *t, const struct sonde_event *ev, int32_t pid)
{
	if (ev->machine_pid)
		return get_guest(t, ev->machine_pid);
	return ev->cpumode == CPUMODE_GUEST_KERNEL ? get_guest(t, pid) : &t->kernel;
}

static int map_kernel(struct tasks *t, const struct sonde_event *ev, int32_t pid, const struct mapping *m)
{
	maps_root *root = kernel_of(t, ev, pid);

	return root ? maps_insert(&t->pool, *root, m, root) : -SONDE_NOMEM;
}

/*
 * Programs copy their text to anonymous (huge) pages and put those in its place: code inside code of a file stays that
 * of the file.
 */
static bool is_copied_text(const struct process *p, const struct mapping *m)
{
	const struct mapping *old = m->binary->kind == BINARY_JIT ? maps_find(p->maps, m->start) : NULL;

	return old && old->binary->kind == BINARY_FILE && old->prot & PROT_EXEC_BIT && m->end <= old->end;
}

static int map_user(struct tasks *t, struct process *p, const struct sonde_event *ev, const struct mapping *m)
{
	if (!p->code.dump && is_copied_text(p, m))
		return 0;
	if (m->binary->kind == BINARY_JITDUMP && p->code.dump != m->binary) {
		p->code = (struct jit_code){ .dump = m->binary };
		t->nr_dumps++;
	}
	if (!p->code.dump)
		return maps_insert(&t->pool, p->maps, m, &p->maps);
	if (advance(t, p, ev) < 0)
		return -SONDE_NOMEM;
	return jit_code_map(&p->code, &t->pool, m, &p->maps);
}

static int apply_mmap(struct tasks *t, const struct sonde_event *ev)
{
	struct binary_hint hint = { 0 };
	struct mapping m = { 0 };
	struct sonde_mmap r;
	struct process *p;

	if (event_mmap(ev, &r) < 0)
		return 0;
	if (ev->type == PERF_RECORD_MMAP)
		r.prot = ev->misc & MISC_MMAP_DATA ? 0 : PROT_EXEC_BIT;
	m.start = r.addr;
	m.end = r.len > UINT64_MAX - r.addr ? UINT64_MAX : r.addr + r.len;
	m.prot = r.prot;
	m.flags = r.flags;
	if (m.start >= m.end)
		return 0;  /* addresses hidden by kptr_restrict */
	p = find_process(t, ev->machine_pid, r.pid);
	hint = (struct binary_hint){ .name = r.filename,
				     .build_id = r.build_id,
				     .build_id_size = r.build_id_size,
				     .kernel = ev->cpumode == CPUMODE_KERNEL || ev->cpumode == CPUMODE_GUEST_KERNEL,
				     .guest = ev->cpumode >= CPUMODE_GUEST_KERNEL || ev->machine_pid,
				     .exec = r.prot & PROT_EXEC_BIT,
				     .pid = r.pid,
				     .begun = p ? p->begun : 0,
				     .addr = r.addr,
				     .pgoff = r.pgoff };
	m.binary = binaries_intern(&t->binaries, &hint);
	if (!m.binary)
		return -SONDE_NOMEM;
	m.pgoff = binary_pgoff(m.binary, r.pgoff);
	if (hint.kernel)
		return map_kernel(t, ev, r.pid, &m);
	p = get_process(t, ev->machine_pid, r.pid);
	if (p)
		p->exited = false;
	if (p && p->replaced)
		*p = (struct process){ .machine = ev->machine_pid, .pid = r.pid, .begun = p->begun };
	return p ? map_user(t, p, ev, &m) : -SONDE_NOMEM;
}

static int apply_ksymbol(struct tasks *t, const struct sonde_event *ev)
{
	struct binary_hint hint = { .kernel = true, .ksymbol = true, .exec = true, .pid = -1,
				    .guest = ev->machine_pid };
	struct mapping m = { .prot = PROT_EXEC_BIT };
	maps_root *root;
	struct sonde_ksymbol k;

	if (event_ksymbol(ev, &k) < 0 || k.len > UINT64_MAX - k.addr)
		return 0;
	m.start = k.addr;
	m.end = k.addr + k.len;
	root = kernel_of(t, ev, -1);
	if (!root)
		return -SONDE_NOMEM;
	if (k.flags & KSYMBOL_UNREGISTER)
		return maps_remove(&t->pool, *root, m.start, m.end, root);
	hint.name = k.name;
	hint.addr = k.addr;
	m.binary = binaries_intern(&t->binaries, &hint);
	return m.binary ? maps_insert(&t->pool, *root, &m, root) : -SONDE_NOMEM;
}

int tasks_apply(struct tasks *t, const struct sonde_event *ev)
{
	bool guest = ev->cpumode == CPUMODE_GUEST_KERNEL || ev->cpumode == CPUMODE_GUEST_USER;

	if (guest && !ev->machine_pid &&
	    !(ev->cpumode == CPUMODE_GUEST_KERNEL && (ev->type == PERF_RECORD_MMAP || ev->type == PERF_RECORD_MMAP2)))
		return 0;
	switch (ev->type) {
	case PERF_RECORD_COMM:
		return apply_comm(t, ev);
	case PERF_RECORD_FORK:
		return apply_fork(t, ev);
	case PERF_RECORD_EXIT:
		return apply_exit(t, ev);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_mmap(t, ev);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(t, ev);
	}
	return 0;
}

int tasks_init(struct tasks *t)
{
	*t = (struct tasks){ 0 };
	return set_comm(t, 0, 0, 0, "swapper", 7);  /* the idle task: no record names it */
}

int tasks_turn_to(struct tasks *t, uint32_t recording)
{
	uint32_t most = recording > t->recording ? recording : t->recording;

	if (recording == t->recording)
		return 0;
	while (t->kernels.n <= most)
		if (vec_push(&t->kernels, NULL) < 0)
			return -SONDE_NOMEM;
	t->kernels.at[t->recording] = t->kernel;
	t->kernel = t->kernels.at[recording];
	t->recording = recording;
	if (binaries_turn_to(&t->binaries, recording) < 0)
		return -SONDE_NOMEM;
	return find_thread(t, 0, 0) ? 0 : set_comm(t, 0, 0, 0, "swapper", 7);
}

void tasks_free(struct tasks *t)
{
	binaries_free(&t->binaries);
	maps_pool_free(&t->pool);
	vec_free(&t->guests);
	u64map_free(&t->guest_by_pid);
	u64map_free(&t->spaces);
	vec_free(&t->kernels);
	vec_free(&t->threads);
	vec_free(&t->processes);
	u64map_free(&t->by_tid);
	u64map_free(&t->by_pid);
	strpool_free(&t->comms);
}

const char *tasks_comm(const struct tasks *t, int32_t machine, int32_t pid, int32_t tid)
{
	const struct thread *th = find_thread(t, machine, tid);

	if (tid == 0)  /* the idle task of any CPU, whatever process number it was recorded with */
		return th && th->comm ? th->comm : "swapper";
	return th && (pid < 0 || t->processes.at[th->process].pid == pid) ? th->comm : NULL;
}

maps_root tasks_maps(const struct tasks *t, int32_t machine, int32_t pid)
{
	const struct process *p = find_process(t, machine, pid);

	return p ? p->maps : NULL;
}

struct task_roots tasks_roots(const struct tasks *t, int32_t machine, int32_t pid)
{
	struct task_roots r = { .user = tasks_maps(t, machine, pid),
				.kernel = machine ? find_guest(t, machine) : t->kernel,
				.guest = find_guest(t, machine ? machine : pid) };

	r.guest_user = machine ? r.user : NULL;
	return r;
}

maps_root task_roots_get(const struct task_roots *r, uint8_t cpumode, uint64_t ip)
{
	switch (cpumode) {
	case CPUMODE_KERNEL:
		return r->kernel;
	case CPUMODE_GUEST_KERNEL:
		return r->guest;
	case CPUMODE_USER:
		return r->user;
	case CPUMODE_GUEST_USER:
		return r->guest_user;
	case CPUMODE_UNKNOWN:
		return maps_find(r->kernel, ip) ? r->kernel : r->user;
	}
	return NULL;
}

maps_root tasks_root_of(const struct tasks *t, int32_t machine, int32_t pid, uint8_t cpumode, uint64_t ip)
{
	struct task_roots r = tasks_roots(t, machine, pid);

	return task_roots_get(&r, cpumode, ip);
}

/* Maps that are copied to another pool; a root that several processes share is one there, too. */
struct moved_maps {
	struct maps_pool pool;
	struct u64map index;         /* of a root, in roots */
	VEC(maps_root) roots;
};

static int move_root(struct moved_maps *m, maps_root from, maps_root *out)
{
	uint32_t i = from ? u64map_get(&m->index, (uintptr_t)from) : U64MAP_NONE;
	maps_root to = NULL;

	if (!from || i != U64MAP_NONE) {
		*out = from ? m->roots.at[i] : NULL;
		return 0;
	}
	for (const struct mapping *at = maps_next(from, 0); at; at = maps_next(from, at->end))
		if (maps_insert(&m->pool, to, at, &to) < 0)
			return -SONDE_NOMEM;
	*out = to;
	return vec_push(&m->roots, to) < 0 ? -SONDE_NOMEM :
	       u64map_set(&m->index, (uintptr_t)from, (uint32_t)m->roots.n - 1);
}

/* The places of all roots, those of processes first. */
static maps_root *root_at(struct tasks *t, size_t i)
{
	if (i < t->processes.n)
		return &t->processes.at[i].maps;
	i -= t->processes.n;
	if (i < t->guests.n)
		return &t->guests.at[i];
	i -= t->guests.n;
	return i < t->kernels.n ? &t->kernels.at[i] : &t->kernel;
}

int tasks_compact(struct tasks *t)
{
	size_t n = t->processes.n + t->guests.n + t->kernels.n + 1;
	maps_root *moved = calloc(n, sizeof(*moved));
	struct moved_maps m = { 0 };
	int r = moved ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; i < n && r == 0; i++)
		if (i >= t->processes.n || !t->processes.at[i].exited)
			r = move_root(&m, *root_at(t, i), &moved[i]);
	for (size_t i = 0; i < n && r == 0; i++)
		*root_at(t, i) = moved[i];
	for (size_t i = 0; i < t->processes.n && r == 0; i++)
		t->processes.at[i].code.anonymous = NULL;  /* is found again in the maps */
	if (r == 0) {
		maps_pool_free(&t->pool);
		t->pool = m.pool;
	} else {
		maps_pool_free(&m.pool);
	}
	u64map_free(&m.index);
	vec_free(&m.roots);
	free(moved);
	return r;
}

int tasks_restart(struct tasks *t)
{
	t->threads.n = t->processes.n = 0;
	u64map_free(&t->by_tid);
	u64map_free(&t->by_pid);
	t->kernel = NULL;
	t->guests.n = 0;
	t->nr_dumps = 0;
	u64map_free(&t->guest_by_pid);
	return binaries_turn_to(&t->binaries, t->binaries.recording + 1) < 0 ? -SONDE_NOMEM :
									       set_comm(t, 0, 0, 0, "swapper", 7);
}

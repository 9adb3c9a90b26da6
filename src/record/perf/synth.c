/* SPDX-License-Identifier: MIT */
#include "record/perf/synth.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/bytes.h"
#include "base/fmap.h"
#include "base/str.h"
#include "record/host/cgroup.h"
#include "record/host/proc.h"

#define MISC_MMAP_DATA     (1 << 13)
#define MISC_FORK_EXEC     (1 << 13)
#define MISC_MMAP_BUILD_ID (1 << 14)
#define RECORD_NAMESPACES  16
#define RECORD_CGROUP      19
#define NAME_MAX_BYTES     4096
#define MAPS_MAX           (256u << 20)
#define PAUSE_EVERY        8         /* tasks: each may take milliseconds on a busy machine */

/* A record that is being built. */
struct synth_record {
	uint8_t bytes[256 + NAME_MAX_BYTES];
	size_t n;
};

static struct synth_record begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	struct synth_record r;

	memcpy(r.bytes, &h, sizeof(h));
	r.n = sizeof(h);
	return r;
}

static void put_u32(struct synth_record *r, uint32_t v)
{
	memcpy(r->bytes + r->n, &v, sizeof(v));
	r->n += sizeof(v);
}

/* A type and flags. */
static void put_u16s(struct synth_record *r, uint16_t type, uint16_t flags)
{
	memcpy(r->bytes + r->n, (uint16_t[]){ type, flags }, 4);
	r->n += 4;
}

static void put_u64(struct synth_record *r, uint64_t v)
{
	memcpy(r->bytes + r->n, &v, sizeof(v));
	r->n += sizeof(v);
}

/* With its NUL, padded to eight bytes. */
static void put_name(struct synth_record *r, const char *p, size_t len)
{
	size_t room;

	len = len < NAME_MAX_BYTES - 8 ? len : NAME_MAX_BYTES - 8;
	room = ALIGN_UP(len + 1, (size_t)8);
	memset(r->bytes + r->n, 0, room);
	memcpy(r->bytes + r->n, p, len);
	r->n += room;
}

static int end(struct synth *s, struct synth_record *r)
{
	uint16_t size = (uint16_t)(r->n + s->trailer_bytes);

	memset(r->bytes + r->n, 0, s->trailer_bytes);
	memcpy(r->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return write_queue_put(s->queue, r->bytes, size);
}

static void put_build_id(struct synth_record *r, uint8_t size, const uint8_t *id)
{
	uint16_t misc;

	memcpy(&misc, r->bytes + offsetof(struct perf_event_header, misc), sizeof(misc));
	misc |= MISC_MMAP_BUILD_ID;
	memcpy(r->bytes + offsetof(struct perf_event_header, misc), &misc, sizeof(misc));
	put_u32(r, size);            /* u8 size, three bytes of nothing */
	memset(r->bytes + r->n, 0, BUILD_ID_MAX);
	memcpy(r->bytes + r->n, id, size);
	r->n += BUILD_ID_MAX;
}

/* ---- the kernel ---- */

static int kernel_map(struct synth *s, const char *name, uint64_t addr, uint64_t len, uint64_t pgoff, uint8_t id_size,
		      const uint8_t *id)
{
	struct synth_record r = begin(id_size ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	put_u32(&r, UINT32_MAX);
	put_u32(&r, 0);
	put_u64(&r, addr);
	put_u64(&r, len);
	put_u64(&r, pgoff);
	if (id_size) {
		put_build_id(&r, id_size, id);
		put_u32(&r, 0);
		put_u32(&r, 0);
	}
	put_name(&r, name, strlen(name));
	return end(s, &r);
}

struct modules {
	struct synth *s;
	struct fmap dep;             /* modules.dep: "kernel/fs/ext4/ext4.ko.zst: kernel/..." */
	char dir[512];
	bool hidden;
};

/* Names of modules are equal if they differ in "-" and "_" only. */
static bool same_module(const char *file, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < len && name[i]; i++)
		if (file[i] != name[i] && !(file[i] == '-' && name[i] == '_'))
			return false;
	return !name[i] && i < len && !strncmp(file + i, ".ko", len - i < 3 ? len - i : 3);
}

struct find_module {
	const char *name;
	struct sonde_str path;
};

static int match_module(void *ctx, const char *line, size_t len)
{
	struct find_module *f = ctx;
	const char *colon = memchr(line, ':', len), *base;

	if (!colon)
		return 0;
	base = memrchr(line, '/', (size_t)(colon - line));
	base = base ? base + 1 : line;
	if (!same_module(base, (size_t)(colon - base), f->name))
		return 0;
	f->path = (struct sonde_str){ line, (size_t)(colon - line) };
	return 1;
}

static int module_map(void *ctx, const char *line, size_t len)
{
	struct modules *m = ctx;
	char path[NAME_MAX_BYTES];
	uint8_t id[BUILD_ID_MAX], id_size;
	struct find_module f = { 0 };
	struct proc_module module;

	if (!proc_parse_module(line, len, &module))
		return 0;
	if (!module.addr) {
		m->hidden = true;
		return 1;
	}
	f.name = module.name;
	proc_lines((const char *)m->dep.data, m->dep.size, match_module, &f);
	if (f.path.p)
		snprintf(path, sizeof(path), "%s/%.*s", m->dir, (int)f.path.len, f.path.p);
	else
		snprintf(path, sizeof(path), "[%s]", module.name);
	id_size = build_id_of_module(module.name, id);
	return kernel_map(m->s, path, module.addr, module.size, 0, id_size, id);
}

static int synth_modules(struct synth *s, bool *hidden)
{
	struct modules m = { .s = s };
	struct utsname host;
	struct fmap list;
	char path[600];
	int r;

	if (fmap_path(&list, "/proc/modules", MAPS_MAX, NULL) < 0)
		return 0;            /* a kernel without modules */
	uname(&host);
	snprintf(m.dir, sizeof(m.dir), "/lib/modules/%.400s", host.release);
	snprintf(path, sizeof(path), "%s/modules.dep", m.dir);
	if (fmap_path(&m.dep, path, MAPS_MAX, NULL) < 0)
		m.dep = (struct fmap){ 0 };
	r = proc_lines((const char *)list.data, list.size, module_map, &m);
	fmap_close(&m.dep);
	fmap_close(&list);
	*hidden |= m.hidden;
	return r < 0 ? r : 0;
}

int synth_kernel(struct synth *s, bool *hidden)
{
	uint8_t id[BUILD_ID_MAX], id_size = build_id_of_kernel(id);
	struct proc_kernel k;
	char name[64];
	int r;

	*hidden = false;
	if (!proc_kernel("/proc/kallsyms", "/proc/iomem", &k))
		return 0;
	if (!k.addr) {
		*hidden = true;
		return 0;
	}
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", k.symbol);
	r = kernel_map(s, name, k.addr, k.end - k.addr, k.addr, id_size, id);
	return r < 0 ? r : synth_modules(s, hidden);
}

/* ---- BPF programs ---- */

static int emit_function(struct synth *s, const struct loaded_function *f)
{
	struct synth_record r = begin(PERF_RECORD_KSYMBOL, 0);

	put_u64(&r, f->addr);
	put_u32(&r, f->len);
	put_u16s(&r, PERF_RECORD_KSYMBOL_TYPE_BPF, 0);
	put_name(&r, f->name, strlen(f->name));
	return end(s, &r);
}

static int emit_program(struct synth *s, const struct sonde_bpf_prog *prog)
{
	struct synth_record r = begin(PERF_RECORD_BPF_EVENT, 0);
	uint64_t tag;

	put_u16s(&r, PERF_BPF_EVENT_PROG_LOAD, 0);
	put_u32(&r, prog->id);
	memcpy(&tag, prog->tag, sizeof(tag));
	put_u64(&r, tag);
	return end(s, &r);
}

int synth_bpf_programs(struct synth *s, const struct bpf_programs *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->nr_sorted; i++) {
		struct loaded_function f;

		for (uint32_t k = 0; r == 0 && bpf_programs_function(b, &b->progs.at[i], k, &f); k++)
			r = emit_function(s, &f);
		if (r == 0)
			r = emit_program(s, &b->progs.at[i]);
	}
	return r;
}

/* ---- control groups ---- */

static int emit_cgroup(void *ctx, uint64_t id, const char *path)
{
	struct synth_record r = begin(RECORD_CGROUP, 0);

	put_u64(&r, id);
	put_name(&r, path, strlen(path));
	return end(ctx, &r);
}

int synth_cgroups(struct synth *s)
{
	return cgroup_each("/proc/mounts", emit_cgroup, s);
}

/* ---- tasks ---- */

static int emit_fork(struct synth *s, const struct proc_status *t, int32_t tid)
{
	bool main_thread = t->tgid == tid;
	struct synth_record r = begin(PERF_RECORD_FORK, MISC_FORK_EXEC);

	put_u32(&r, (uint32_t)t->tgid);
	put_u32(&r, (uint32_t)(main_thread ? t->ppid : t->tgid));
	put_u32(&r, (uint32_t)tid);
	put_u32(&r, (uint32_t)(main_thread ? t->ppid : t->tgid));
	put_u64(&r, 0);
	return end(s, &r);
}

static int emit_comm(struct synth *s, const struct proc_status *t, int32_t tid)
{
	struct synth_record r = begin(PERF_RECORD_COMM, 0);
	size_t len = strnlen(t->name, 15);

	put_u32(&r, (uint32_t)t->tgid);
	put_u32(&r, (uint32_t)tid);
	put_name(&r, t->name, len);
	return end(s, &r);
}

static int emit_namespaces(struct synth *s, const struct proc_status *t, int32_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct synth_record r = begin(RECORD_NAMESPACES, 0);

	put_u32(&r, (uint32_t)t->tgid);
	put_u32(&r, (uint32_t)tid);
	put_u64(&r, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64];
		struct stat st = { 0 };

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid, names[i]);
		if (stat(path, &st) < 0)
			memset(&st, 0, sizeof(st));
		put_u64(&r, st.st_dev);
		put_u64(&r, st.st_ino);
	}
	return end(s, &r);
}

struct maps {
	struct synth *s;
	int32_t pid;
};

static int emit_map(void *ctx, const char *line, size_t len)
{
	static const char anonymous[] = "//anon";
	struct maps *maps = ctx;
	struct synth_record r;
	struct proc_map m;
	bool data;

	if (!proc_parse_map(line, len, &m))
		return 0;
	data = !(m.prot & PROT_EXEC);
	if (data && !(maps->s->data_maps && m.prot & PROT_READ))
		return 0;
	r = begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (data ? MISC_MMAP_DATA : 0));
	put_u32(&r, (uint32_t)maps->pid);
	put_u32(&r, (uint32_t)maps->pid);
	put_u64(&r, m.start);
	put_u64(&r, m.end - m.start);
	put_u64(&r, m.pgoff);
	put_u32(&r, m.maj);
	put_u32(&r, m.min);
	put_u64(&r, m.ino);
	put_u64(&r, 0);
	put_u32(&r, m.prot);
	put_u32(&r, m.flags);
	if (m.name.len)
		put_name(&r, m.name.p, m.name.len);
	else
		put_name(&r, anonymous, strlen(anonymous));
	return end(maps->s, &r);
}

static int synth_maps(struct synth *s, int32_t pid)
{
	struct maps maps = { s, pid };
	struct fmap f;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (fmap_path(&f, path, MAPS_MAX, NULL) < 0)
		return 0;            /* ended, or not permitted */
	r = proc_lines((const char *)f.data, f.size, emit_map, &maps);
	fmap_close(&f);
	return r;
}

static int synth_process(struct synth *s, int32_t pid)
{
	struct arena names_of = { 0 };
	struct names tids = { 0 };
	struct proc_status t;
	char text[4096];
	bool has_memory = false;
	int r = 0;

	snprintf(text, sizeof(text), "/proc/%d/task", pid);
	sysfile_list(&names_of, text, &tids);
	for (size_t i = 0; r == 0 && i < tids.n; i++) {
		int32_t tid = (int32_t)strtol(tids.at[i], NULL, 10);

		if (sysfile_read(text, sizeof(text), "/proc/%d/task/%d/status", pid, tid) <= 0 ||
		    !proc_parse_status(text, &t))
			continue;
		has_memory |= t.has_memory;
		if (!s->no_tasks)
			r = emit_fork(s, &t, tid);
		if (r == 0 && s->namespaces)
			r = emit_namespaces(s, &t, tid);
		if (r == 0 && !s->no_tasks)
			r = emit_comm(s, &t, tid);
	}
	vec_free(&tids);
	arena_free(&names_of);
	return r == 0 && has_memory && !s->no_maps ? synth_maps(s, pid) : r;
}

static int all_processes(struct cpus *out)
{
	struct arena names_of = { 0 };
	struct names names = { 0 };
	int r = 0;

	sysfile_list(&names_of, "/proc", &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (names.at[i][0] >= '0' && names.at[i][0] <= '9')
			r = vec_push(out, (int32_t)strtol(names.at[i], NULL, 10));
	vec_free(&names);
	arena_free(&names_of);
	return r;
}

/* -1 if there is no such process. */
static int32_t parent_of(int32_t pid)
{
	struct proc_status t;
	char text[4096];

	if (sysfile_read(text, sizeof(text), "/proc/%d/status", pid) <= 0 || !proc_parse_status(text, &t))
		return -1;
	return t.ppid;
}

static bool is_in(const struct cpus *list, int32_t pid)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == pid)
			return true;
	return false;
}

/* Adds the processes that the listed ones have started: a parent is mostly older, so one pass finds nearly all. */
static int add_children(struct cpus *list)
{
	struct cpus all = { 0 };
	int r = all_processes(&all);

	for (size_t i = 0; r == 0 && i < all.n; i++)
		if (!is_in(list, all.at[i]) && is_in(list, parent_of(all.at[i])))
			r = vec_push(list, all.at[i]);
	vec_free(&all);
	return r;
}

int synth_tasks(struct synth *s, const struct cpus *pids, bool children)
{
	struct cpus all = { 0 };
	int r = 0;

	if (pids->n == 0) {
		r = all_processes(&all);
		pids = &all;
	} else if (children) {
		for (size_t i = 0; r == 0 && i < pids->n; i++)
			r = vec_push(&all, pids->at[i]);
		r = r < 0 ? r : add_children(&all);
		pids = &all;
	}
	for (size_t i = 0; r == 0 && i < pids->n; i++) {
		r = synth_process(s, pids->at[i]);
		if (r == 0 && s->pause && i % PAUSE_EVERY == PAUSE_EVERY - 1)
			r = s->pause(s->ctx);
	}
	vec_free(&all);
	return r;
}

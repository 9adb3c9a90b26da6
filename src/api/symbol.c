/* SPDX-License-Identifier: MIT */
/* symbol.c - functions at addresses, with a small cache: most addresses of a trace soon come again */
#include <sonde/symbol.h>

#include <stdlib.h>
#include <string.h>

#include "analyze/addr_location.h"
#include "analyze/source_names.h"
#include "api/symbol.h"
#include "api/tasks.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "base/vec.h"
#include "symbol/elf/loads.h"
#include "threads/callchain.h"

enum { CACHE_SLOTS = 8192 };     /* a power of two; an address has one slot */

struct cached {
	maps_root root;             /* NULL: empty */
	struct sonde_frame frame;
};

/* A file that was asked for by its path. */
struct known_file {
	char *path;
	struct binary binary;
	struct elf_loads loads;
};

struct sonde_symbols {
	struct symbols *symbols;
	struct source_lines *lines;
	/* of files by path: their numbers are not those of the binaries of a trace */
	struct symbols *symbols_of_files;
	struct source_lines *lines_of_files;
	VEC(struct known_file *) files;
	struct source_names names;
	const struct source_frame *found;   /* last */
	size_t nr_found;
	struct sonde_source_frame frame;    /* that was handed out last */
	struct sonde_error err;      /* of the options: every call fails with it */
	struct sonde_frame nowhere;  /* an address where nothing is mapped */
	struct cached cache[CACHE_SLOTS];
};

struct symbols *symbols_from_opts(const struct sonde_symbols_opts *opts)
{
	struct symbols_opts o = { .symfs = OPT(opts, symfs, NULL), .kallsyms = OPT(opts, kallsyms, NULL),
				  .vmlinux = OPT(opts, vmlinux, NULL), .debug_dirs = OPT(opts, debug_dirs, NULL),
				  .sysroot = OPT(opts, sysroot, NULL), .buildid_dir = OPT(opts, buildid_dir, NULL),
				  .archive = OPT(opts, archive, NULL),
				  .debuginfod = OPT(opts, debuginfod, false),
				  .debuginfod_kernel = OPT(opts, debuginfod_kernel, false),
				  .fetched = OPT(opts, fetched, NULL),
				  .fetched_ctx = OPT(opts, fetched_ctx, NULL),
				  .noted = OPT(opts, noted, NULL), .noted_ctx = OPT(opts, noted_ctx, NULL),
				  .cache_dir = OPT(opts, no_cache, false) ? "" : NULL,
				  .no_demangle = OPT(opts, no_demangle, false),
				  .demangle_kernel = OPT(opts, demangle_kernel, false) };

	return symbols_new(&o);
}

struct sonde_symbols *sonde_symbols_new(const struct sonde_symbols_opts *opts)
{
	struct sonde_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	err_clear(&s->err);
	if (OPTS_CHECK(sonde_symbols_opts, opts, &s->err) < 0)
		opts = NULL;
	s->symbols = symbols_from_opts(opts);
	s->symbols_of_files = symbols_from_opts(opts);
	s->lines = s->symbols ? source_lines_new(s->symbols) : NULL;
	s->lines_of_files = s->symbols_of_files ? source_lines_new(s->symbols_of_files) : NULL;
	s->names.no_demangle = OPT(opts, no_demangle, false);
	if (!s->lines || !s->lines_of_files) {
		sonde_symbols_free(s);
		return NULL;
	}
	return s;
}

static void free_file(struct known_file *f)
{
	if (f)
		free(f->path);
	free(f);
}

void sonde_symbols_free(struct sonde_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->files.n; i++)
		free_file(symbols->files.at[i]);
	vec_free(&symbols->files);
	source_names_free(&symbols->names);
	source_lines_free(symbols->lines);
	source_lines_free(symbols->lines_of_files);
	symbols_free(symbols->symbols);
	symbols_free(symbols->symbols_of_files);
	free(symbols);
}

const struct sonde_error *sonde_symbols_error(const struct sonde_symbols *symbols)
{
	return &symbols->err;
}

static void look_up(struct symbols *s, maps_root root, uint64_t ip, struct sonde_frame *out)
{
	struct addr_location p = addr_location_find(s, root, ip, false);

	*out = (struct sonde_frame){ .ip = ip, .dso_addr = ip };
	if (!p.mapping)
		return;
	out->symbol = addr_location_symbol(&p, ip, &out->symbol_offset);
	out->dso = p.mapping->binary->name;
	out->dso_addr = mapping_to_binary(p.mapping, ip);
	out->kind = binary_public_kind(p.mapping->binary);
	out->build_id = p.mapping->binary->build_id;
	out->build_id_size = p.mapping->binary->build_id_size;
}

static int resolve(struct sonde_symbols *symbols, maps_root root, uint64_t ip, const struct sonde_frame **out)
{
	struct cached *c = &symbols->cache[hash_two((uintptr_t)root, ip) & (CACHE_SLOTS - 1)];

	if (symbols->err.code)
		return -(int)symbols->err.code;
	if (!root) {
		symbols->nowhere = (struct sonde_frame){ .ip = ip, .dso_addr = ip };
		*out = &symbols->nowhere;
		return 0;
	}
	if (c->root != root || c->frame.ip != ip) {
		look_up(symbols->symbols, root, ip, &c->frame);
		c->root = root;
	}
	*out = &c->frame;
	return 0;
}

/* @ev: its process, and its time, up to which the process has made code */
static int resolve_at(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev,
		      uint8_t cpumode, uint64_t ip, const struct sonde_frame **out)
{
	struct tasks *t = (struct tasks *)(uintptr_t)&tasks->tasks;  /* code that is found in a dump was always there */

	t->jit = symbols_jit(symbols->symbols);
	if (tasks_advance(t, ev) < 0)
		return err_nomem(&symbols->err);
	return resolve(symbols, tasks_root_of(t, ev->machine_pid, ev->pid, cpumode, ip), ip, out);
}

int sonde_symbols_resolve(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, int32_t pid, uint8_t cpumode,
			  uint64_t ip, const struct sonde_frame **out)
{
	struct sonde_event at = tasks->last;

	at.machine_pid = 0;
	at.pid = pid;
	return resolve_at(symbols, tasks, &at, cpumode, ip, out);
}

int sonde_symbols_resolve_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
			     const struct sonde_event *ev, uint8_t cpumode, uint64_t ip, const struct sonde_frame **out)
{
	return resolve_at(symbols, tasks, ev, cpumode, ip, out);
}

int sonde_symbols_source_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
			    const struct sonde_event *ev, uint8_t cpumode, uint64_t ip, bool is_caller)
{
	maps_root root = tasks_root_of(&tasks->tasks, ev->machine_pid, ev->pid, cpumode, ip);
	struct addr_location p;

	symbols->nr_found = 0;
	if (symbols->err.code)
		return -(int)symbols->err.code;
	p = addr_location_find(symbols->symbols, root, ip, is_caller);
	symbols->nr_found = addr_location_source(&p, symbols->lines, &symbols->found);
	return (int)symbols->nr_found;
}

static struct known_file *new_file(const char *path, uint32_t index)
{
	struct known_file *f = calloc(1, sizeof(*f));
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct elf_file elf;

	if (!f)
		return NULL;
	f->path = strdup(path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->binary = (struct binary){ .index = index, .kind = BINARY_FILE, .name = f->path, .pid = -1 };
	if (elf_file_open(&elf, path, &err) == 0) {
		elf_loads_read(&f->loads, &elf);
		elf_file_close(&elf);
	}
	return f;
}

/* NULL when out of memory. */
static struct known_file *get_file(struct sonde_symbols *s, const char *path)
{
	struct known_file *f;

	for (size_t i = 0; i < s->files.n; i++)
		if (strcmp(s->files.at[i]->path, path) == 0)
			return s->files.at[i];
	f = new_file(path, (uint32_t)s->files.n);
	if (f && vec_push(&s->files, f) < 0) {
		free_file(f);
		return NULL;
	}
	return f;
}

int sonde_symbols_source_in(struct sonde_symbols *symbols, const char *path, uint64_t addr)
{
	struct known_file *f;

	symbols->nr_found = 0;
	if (symbols->err.code)
		return -(int)symbols->err.code;
	f = get_file(symbols, path);
	if (!f)
		return -SONDE_NOMEM;
	if (elf_loads_offset(&f->loads, &addr))
		symbols->nr_found = source_lines_find(symbols->lines_of_files, &f->binary, addr, &symbols->found);
	return (int)symbols->nr_found;
}

const struct sonde_source_frame *sonde_symbols_source_at(struct sonde_symbols *symbols, size_t i)
{
	const struct source_frame *f;

	if (i >= symbols->nr_found)
		return NULL;
	f = &symbols->found[i];
	symbols->frame = (struct sonde_source_frame){
		.function = f->function ? source_names_get(&symbols->names, f->function) : NULL,
		.file = f->file,
		.line = f->line,
		.column = f->column,
		.inlined = i + 1 < symbols->nr_found,
	};
	return &symbols->frame;
}

int sonde_chain_next(const uint64_t *chain, size_t nr, size_t *at, uint8_t *cpumode, uint64_t *ip)
{
	struct callchain c = { .ips = { .p = (const uint8_t *)chain, .nr = nr }, .next = *at, .cpumode = *cpumode };
	bool found = callchain_next(&c, ip, cpumode);

	*at = (size_t)c.next;
	if (c.bad)
		return -SONDE_CORRUPT;
	return found;
}

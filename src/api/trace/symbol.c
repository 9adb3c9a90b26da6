/* SPDX-License-Identifier: MIT */
/* symbol.c - functions and source lines at addresses */
#include "api/trace/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "api/trace/tasks.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "resolve/addr_location.h"
#include "symbol/elf/loads.h"
#include "threads/callchain.h"
#include "unwind/images.h"

/* A file that was asked for by its path. */
struct known_file {
	char *path;
	struct binary binary;
	struct elf_loads loads;
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
				  .demangle_kernel = OPT(opts, demangle_kernel, false),
				  .force = OPT(opts, force, false) };

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
	if (!s->lines || !s->lines_of_files || places_init(&s->places, s->symbols) < 0) {
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
	chain_finder_free(&symbols->chains);
	places_free(&symbols->places);
	unwind_images_free(symbols->images);
	vec_free(&symbols->chain);
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

const struct place *symbols_place(struct sonde_symbols *symbols, maps_root root, uint8_t cpumode, uint64_t ip,
				  bool is_caller, struct sonde_frame *out)
{
	uint32_t number = places_find(&symbols->places, root, cpumode, ip, is_caller);
	const struct place *place = number == UINT32_MAX ? NULL : &symbols->places.list.at[number];
	const struct place_frame *f = place ? places_outermost(&symbols->places, place) : NULL;

	if (!place)
		return NULL;
	*out = (struct sonde_frame){ .ip = ip, .symbol = f->symbol, .symbol_offset = place->offset, .dso = f->module,
				     .dso_addr = place->symbol_addr };
	if (!f->binary) {
		out->kind = f->module ? SONDE_BINARY_KERNEL : SONDE_BINARY_NONE;
		return place;
	}
	out->kind = binary_public_kind(f->binary);
	out->build_id = f->binary->build_id;
	out->build_id_size = f->binary->build_id_size;
	return place;
}

/* The recording tells its own symbols, its bundle and its kernel, as every command is told. 0 or -SONDE_NOMEM. */
static int know_recording(struct sonde_symbols *symbols, const struct sonde_trace *t)
{
	symbols->places.locator.kernel = symbols->chains.kernel = t->reader_formats;
	if (symbols->knows_recording)
		return 0;
	symbols->knows_recording = true;
	return symbols_carry(symbols->symbols, &t->reader->meta, t->path);
}

int symbols_advance(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev)
{
	struct tasks *t = (struct tasks *)(uintptr_t)&tasks->tasks;  /* code that is found in a dump was always there */

	if (symbols->err.code)
		return -(int)symbols->err.code;
	if (know_recording(symbols, tasks->trace) < 0)
		return err_nomem(&symbols->err);
	t->jit = symbols_jit(symbols->symbols);
	return tasks_advance(t, ev) < 0 ? err_nomem(&symbols->err) : 0;
}

static int resolve_at(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev,
		      uint8_t cpumode, uint64_t ip, const struct sonde_frame **out)
{
	int r = symbols_advance(symbols, tasks, ev);

	if (r < 0)
		return r;
	*out = &symbols->resolved;
	return symbols_place(symbols, tasks_root_of(&tasks->tasks, ev->machine_pid, ev->pid, cpumode, ip), cpumode, ip,
			     false, &symbols->resolved) ? 0 : err_nomem(&symbols->err);
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
	if (know_recording(symbols, tasks->trace) < 0)
		return err_nomem(&symbols->err);
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
		.function = f->function ? source_names_get(&symbols->places.names, f->function) : NULL,
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

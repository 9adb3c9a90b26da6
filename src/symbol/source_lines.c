/* SPDX-License-Identifier: MIT */
#include "symbol/source_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "base/thread.h"
#include "base/u64map.h"
#include "symbol/bundle_lines.h"
#include "symbol/dwarf/index_make.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/symbols.h"
#include "symbol/list/jitdump_lines.h"
#include "symbol/load.h"
#include "symbol/module_file.h"
#include "symbol/table/cache_file.h"

/* From this number of addresses or units on, the whole file is indexed. */
enum { ADDRESSES_FEW = 500, UNITS_FEW = 64 };

/* The index of a sound file is smaller than the file; that of a tiny one may not be. */
enum { INDEX_SLACK = 65536 };

/* An index, and the bytes that it is in. */
struct kept_index {
	struct index index;
	struct fmap bytes;
};

/* The frames of an address that was asked for. */
struct answer { const struct source_frame *frames; uint32_t n; };

/* The DWARF of one binary. */
struct source {
	pthread_mutex_t lock;
	bool opened;                 /* what follows is known */
	struct found running, debug; /* only while dwarf is open */
	bool has_running, has_debug;
	struct elf_loads loads;      /* of an ELF file whose addresses are file offsets */
	uint64_t bias;               /* from the addresses of the ELF file to those of a kernel or module */
	char name[96];               /* of the file on disk; "": it is not kept */
	char note[96];               /* of the file that says that the binary was asked about */
	bool asked_before;
	uint64_t identity[2];
	struct dwarf *dwarf;         /* NULL: there is none, or the whole index is there */
	uint64_t line_bytes;         /* that may be run yet, unit by unit */
	struct kept_index *whole;
	bool whole_failed;           /* there is no memory for it, or it is too large */
	VEC(struct kept_index *) units;      /* by number; NULL: not indexed */
	uint32_t nr_units_done;

	const char *dso;             /* as recorded */
	VEC(struct bundle_lines *) bundled;  /* of the bundles: nothing else is asked then */
	size_t nr_bundles;           /* that have been looked into */
	const struct jitdump *dump;  /* of code that a process made */
	struct jitdump_lines dump_lines;
	const char *bpf_program;     /* name of a program of the kernel */
	bool dirs_read;
	struct strpool dirs;         /* in which its units were compiled */

	struct u64map answer_of;     /* by address */
	VEC(struct answer) answers;
	struct arena frames;
};

struct source_lines {
	struct symbols *symbols;
	pthread_mutex_t lock;        /* of sources */
	VEC(struct source *) sources;        /* by index of the binary */
};

struct source_lines *source_lines_new(struct symbols *symbols)
{
	struct source_lines *s = calloc(1, sizeof(*s));

	if (s) {
		s->symbols = symbols;
		pthread_mutex_init(&s->lock, NULL);
	}
	return s;
}

/*
 * After a step that has begun with errno = 0: libelf and the parts that may be damaged tell only that there is nothing,
 * but the allocator has left the reason.
 */
static void note_if_short(struct source_lines *s, const struct source *src, bool is_short)
{
	if (is_short || errno == ENOMEM)
		symbols_note_memory(s->symbols, src->dso ? src->dso : "symbols", "source lines and inlined functions");
	errno = 0;
}

static void close_index(struct kept_index *x)
{
	if (x)
		fmap_close(&x->bytes);
	free(x);
}

static void note_missing_parts(struct source_lines *s, const struct source *src)
{
	const struct missing_parts *m = dwarf_missing_parts(src->dwarf);
	char more[64];

	for (size_t i = 0; i < m->notes.n; i++)
		symbols_note(s->symbols, SONDE_NOTE_LINES, src->dso, m->notes.at[i]);
	if (m->n == m->notes.n)
		return;
	snprintf(more, sizeof(more), "%zu more files with DWARF of it were not found", m->n - m->notes.n);
	symbols_note(s->symbols, SONDE_NOTE_LINES, src->dso, more);
}

static void close_dwarf(struct source_lines *s, struct source *src)
{
	if (src->dwarf)
		note_missing_parts(s, src);
	dwarf_free(src->dwarf);
	src->dwarf = NULL;
	if (src->has_running)
		elf_file_close(&src->running.elf);
	if (src->has_debug)
		elf_file_close(&src->debug.elf);
	src->has_running = src->has_debug = false;
}

static void free_source(struct source_lines *s, struct source *src)
{
	close_dwarf(s, src);
	close_index(src->whole);
	for (size_t i = 0; i < src->units.n; i++)
		close_index(src->units.at[i]);
	vec_free(&src->units);
	for (size_t i = 0; i < src->bundled.n; i++)
		bundle_lines_free(src->bundled.at[i]);
	vec_free(&src->bundled);
	vec_free(&src->answers);
	u64map_free(&src->answer_of);
	jitdump_lines_free(&src->dump_lines);
	arena_free(&src->frames);
	strpool_free(&src->dirs);
	pthread_mutex_destroy(&src->lock);
	free(src);
}

void source_lines_free(struct source_lines *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->sources.n; i++)
		if (s->sources.at[i])
			free_source(s, s->sources.at[i]);
	vec_free(&s->sources);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Takes the bytes, which are freed if they are no index. */
static struct kept_index *open_index(struct fmap bytes)
{
	struct kept_index *x = calloc(1, sizeof(*x));

	if (!x || !index_open(&x->index, bytes.data, bytes.size)) {
		fmap_close(&bytes);
		free(x);
		return NULL;
	}
	x->bytes = bytes;
	return x;
}

static bool has_dwarf(const struct elf_file *f)
{
	GElf_Shdr sh;

	return elf_file_section(f, ".debug_info", &sh) || elf_file_section(f, ".zdebug_info", &sh);
}

static void find_files(struct source_lines *s, struct source *src, const struct binary *b)
{
	const struct find_paths *paths = &s->symbols->paths;
	bool module = b->kind == BINARY_MODULE;
	const struct found *running;
	struct buf reason = BUF_MEMORY;

	src->has_running = (module ? find_module(&src->running, paths, b, &reason) :
				     find_running_file(&src->running, paths, b, b->name, &reason)) == 0;
	running = src->has_running ? &src->running : NULL;
	if (!running || !has_dwarf(&running->elf))
		src->has_debug = (module ? find_module_debug(&src->debug, paths, b, running) :
					   find_debug_file(&src->debug, paths, b, running)) == 0;
	if (module)
		src->bias = b->ref_addr;
	buf_free(&reason);
}

/* An uncompressed image with symbols, by which it is known how far the kernel lies from where it was linked. */
static void find_kernel(struct source_lines *s, struct source *src, const struct binary *b)
{
	struct found *f = &src->running;
	const char *given = s->symbols->opts.vmlinux;
	uint64_t linked, size;

	if (given)
		src->has_running = snprintf(f->path, sizeof(f->path), "%s", given) < (int)sizeof(f->path) &&
				   elf_file_open(&f->elf, f->path, NULL) == 0;
	else if (b->build_id_size && !b->guest)
		src->has_running = find_local_debug_file(f, &s->symbols->paths, b, NULL) == 0 ||
				   find_vmlinux(f, &s->symbols->paths, b) == 0 ||
				   find_debug_file(f, &s->symbols->paths, b, NULL) == 0;
	if (src->has_running && b->ref_symbol && b->ref_addr &&
	    elf_symbol_value(&f->elf, SHT_SYMTAB, b->ref_symbol, &linked, &size))
		src->bias = b->ref_addr - linked;
}

/* The name of the index on disk, and what it must have been made of. */
static void name_index(struct source *src)
{
	const struct elf_file *running = src->has_running ? &src->running.elf : NULL;
	const struct elf_file *debug = src->has_debug ? &src->debug.elf : NULL, *f = running ? running : debug;
	char id[BUILD_ID_TEXT];

	src->identity[0] = running ? running->identity : 0;
	src->identity[1] = debug ? debug->identity : 0;
	build_id_print(id, f->build_id, f->build_id_size);
	if (f->build_id_size)
		snprintf(src->name, sizeof(src->name), "%s.lines", id);
	else if (f->identity)
		snprintf(src->name, sizeof(src->name), "file-%016" PRIx64 ".lines", f->identity);
	if (src->name[0])
		snprintf(src->note, sizeof(src->note), "%.80s.asked", src->name);
}

/* Whether an earlier run has asked about the binary. If none has, notes that this one does. */
static bool note_question(const struct source_lines *s, const struct source *src)
{
	const struct cache_part part = { src->identity, sizeof(src->identity) };
	struct fmap bytes = { 0 };
	bool same;

	if (!cache_file_read(&bytes, s->symbols->cache_dir, src->note)) {
		cache_file_write(s->symbols->cache_dir, src->note, &part, 1, sizeof(src->identity));
		return false;
	}
	same = bytes.size == part.size && !memcmp(bytes.data, part.p, part.size);
	fmap_close(&bytes);
	if (!same)
		cache_file_write(s->symbols->cache_dir, src->note, &part, 1, sizeof(src->identity));
	return same;
}

static struct kept_index *find_kept(const struct source_lines *s, const struct source *src)
{
	struct kept_index *x;
	struct fmap bytes = { 0 };

	if (!cache_file_read(&bytes, s->symbols->cache_dir, src->name))
		return NULL;
	x = open_index(bytes);
	if (!x)
		cache_file_remove(s->symbols->cache_dir, src->name);
	if (x && memcmp(x->index.header.identity, src->identity, sizeof(src->identity))) {
		close_index(x);      /* made of other files: it is replaced */
		return NULL;
	}
	return x;
}

/* Unless the user says where better files are. */
static void open_bundled(struct source_lines *s, struct source *src, const struct binary *b)
{
	const struct bundles *bundles = &s->symbols->bundles;
	uint8_t *bytes;
	size_t size;

	if (symbols_given(s->symbols, b))
		src->nr_bundles = bundles->list.n;
	for (; src->nr_bundles < bundles->list.n; src->nr_bundles++) {
		struct bundle_lines *l;

		if (!bundles_take(bundles, src->nr_bundles, b, BUNDLE_LINES, &bytes, &size))
			continue;
		errno = 0;
		l = bundle_lines_new(bytes, size);
		if (!l || vec_push(&src->bundled, l) < 0) {
			note_if_short(s, src, false);
			bundle_lines_free(l);
			continue;
		}
		src->answers.n = 0;  /* of the recordings before */
		u64map_free(&src->answer_of);
	}
}

/* The file with the DWARF of a binary, if it is here. */
static void find_dwarf_file(struct source_lines *s, struct source *src, const struct binary *b)
{
	if (b->kind == BINARY_KERNEL)
		find_kernel(s, src, b);
	else if (b->kind == BINARY_FILE || b->kind == BINARY_MODULE)
		find_files(s, src, b);
}

static void open_source(struct source_lines *s, struct source *src, const struct binary *b)
{
	const struct find_paths *paths = &s->symbols->paths;
	const struct found *with_dwarf;
	struct dwarf_opts opts = { .symfs = paths->symfs, .debug_dirs = paths->debug_dirs };

	src->dso = arena_strndup(&src->frames, b->name, strlen(b->name));
	if (!src->dso) {
		note_if_short(s, src, true);
		return;
	}
	errno = 0;
	if (src->bundled.n)
		return;
	if (b->kind == BINARY_JITDUMP)
		src->dump = jitdumps_get(&s->symbols->dumps, b);
	if (b->kind == BINARY_KSYMBOL)
		src->bpf_program = b->name;
	find_dwarf_file(s, src, b);
	note_if_short(s, src, false);
	if (!src->has_running && !src->has_debug)
		return;
	elf_loads_read(&src->loads, src->has_running ? &src->running.elf : &src->debug.elf);
	name_index(src);
	src->whole = find_kept(s, src);
	with_dwarf = src->has_debug ? &src->debug : &src->running;
	opts.binary = b->name[0] == '/' ? b->name : NULL;
	if (!src->whole && has_dwarf(&with_dwarf->elf))
		src->dwarf = dwarf_new(&with_dwarf->elf, with_dwarf->path, &opts, NULL);
	note_if_short(s, src, false);
	if (!src->dwarf) {
		close_dwarf(s, src);
		return;
	}
	src->line_bytes = index_line_bytes(src->dwarf);
	src->asked_before = note_question(s, src);
}

static void make_whole(struct source_lines *s, struct source *src)
{
	struct fmap bytes = { 0 };
	uint8_t *p = NULL;
	int failed;

	errno = 0;
	failed = index_make(src->dwarf, thread_nr_cpus(), src->identity, &p, &bytes.size);
	if (failed == 0) {
		bytes.data = p;
		src->whole = open_index(bytes);
	}
	note_if_short(s, src, failed == -SONDE_NOMEM);
	src->whole_failed = !src->whole;
	if (!src->whole)
		return;
	if (!dwarf_missing_parts(src->dwarf)->n) {  /* a part that is found later is not left out for ever */
		cache_file_write(s->symbols->cache_dir, src->name, &(struct cache_part){ bytes.data, bytes.size }, 1,
				 (src->has_debug ? src->debug : src->running).elf.size + INDEX_SLACK);
		cache_file_remove(s->symbols->cache_dir, src->note);
	}
	close_dwarf(s, src);
}

static struct kept_index *index_unit(struct source *src, uint32_t unit)
{
	struct fmap bytes = { 0 };
	uint8_t *p = NULL;

	while (src->units.n <= unit)
		if (vec_push(&src->units, NULL) < 0)
			return NULL;
	if (src->units.at[unit])
		return src->units.at[unit];
	if (index_make_unit(src->dwarf, unit, &src->line_bytes, &p, &bytes.size) < 0)
		return NULL;
	bytes.data = p;
	src->units.at[unit] = open_index(bytes);
	src->nr_units_done++;
	return src->units.at[unit];
}

/* Of the functions that different units have at an address, the one that begins last, as in an index of all. */
static bool is_better(const struct index_answer *a, const struct index_answer *than)
{
	if (!a->n || !than->n)
		return a->n;
	if (a->in_function != than->in_function)
		return a->in_function;
	return a->start > than->start || (a->start == than->start && a->end < than->end);
}

static void find_in_units(struct source *src, uint64_t addr, struct index_answer *best)
{
	uint32_t units[UNITS_OF_ADDRESS_MAX];
	size_t n = dwarf_units_at(src->dwarf, addr, units);
	struct index_answer a;

	best->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct kept_index *x = index_unit(src, units[i]);

		if (!x)
			continue;
		index_find(&x->index, addr, &a);
		if (is_better(&a, best))
			*best = a;
	}
}

/* A dump tells the line of the code, and nothing of inlined functions. */
static void find_in_dump(struct source *src, uint64_t addr, struct index_answer *a)
{
	struct jitdump_line line;

	if (!jitdump_line(&src->dump_lines, src->dump, addr, &line))
		return;
	a->frames[0] = (struct source_frame){ .function = line.function, .file = line.file, .line = line.line,
					      .column = line.column };
	a->n = 1;
}

static void find_in_program(struct source_lines *s, const struct source *src, uint64_t start, uint64_t addr,
			    struct index_answer *a)
{
	const struct bpf_line *line = bpf_lines_find(&s->symbols->bpf, start, addr);

	if (!line)
		return;
	a->frames[0] = (struct source_frame){ .function = src->bpf_program, .file = line->file, .line = line->line,
					      .column = line->column };
	a->n = 1;
}

static void find_in_bundles(const struct source *src, uint64_t addr, struct index_answer *a)
{
	for (size_t i = src->bundled.n; i-- > 0 && a->n == 0;)  /* that of the recording at hand first */
		bundle_lines_find(src->bundled.at[i], addr, a);
}

static void look_up(struct source_lines *s, struct source *src, const struct binary *b, uint64_t addr,
		    struct index_answer *a)
{
	a->n = 0;
	if (src->bundled.n)
		find_in_bundles(src, addr, a);
	if (src->dump)
		find_in_dump(src, addr, a);
	if (src->bpf_program)
		find_in_program(s, src, b->ref_addr, addr, a);
	if (!src->dwarf && !src->whole)
		return;
	if (b->kind == BINARY_FILE && !elf_loads_address(&src->loads, addr, &addr))
		return;
	addr -= src->bias;
	if (src->dwarf && !src->whole_failed &&
	    (src->asked_before || src->answers.n >= ADDRESSES_FEW || src->nr_units_done >= UNITS_FEW))
		make_whole(s, src);
	if (src->whole)
		index_find(&src->whole->index, addr, a);
	else
		find_in_units(src, addr, a);
}

static size_t answer(struct source_lines *s, struct source *src, const struct binary *b, uint64_t addr,
		     const struct source_frame **frames)
{
	uint32_t i = u64map_get(&src->answer_of, addr);
	struct index_answer found;
	struct answer a = { 0 };

	if (i != U64MAP_NONE) {
		*frames = src->answers.at[i].frames;
		return src->answers.at[i].n;
	}
	errno = 0;
	look_up(s, src, b, addr, &found);
	note_if_short(s, src, false);
	a.n = (uint32_t)found.n;
	a.frames = found.n ? arena_memdup(&src->frames, found.frames, found.n * sizeof(*found.frames)) : NULL;
	if (!a.frames) {
		note_if_short(s, src, found.n > 0);
		a.n = 0;
	}
	if (vec_push(&src->answers, a) == 0)
		u64map_set(&src->answer_of, addr, (uint32_t)src->answers.n - 1);
	*frames = a.frames;
	return a.n;
}

static struct source *source_of(struct source_lines *s, uint32_t index)
{
	struct source *src = NULL;

	pthread_mutex_lock(&s->lock);
	while (s->sources.n <= index)
		if (vec_push(&s->sources, NULL) < 0)
			goto unlock;
	src = s->sources.at[index];
	if (!src) {
		s->sources.at[index] = src = calloc(1, sizeof(*src));
		if (src)
			pthread_mutex_init(&src->lock, NULL);
	}
unlock:
	pthread_mutex_unlock(&s->lock);
	return src;
}

size_t source_lines_find(struct source_lines *s, const struct binary *b, uint64_t addr,
			 const struct source_frame **frames)
{
	struct source *src = source_of(s, b->index);
	size_t n;

	*frames = NULL;
	if (!src) {
		symbols_note_memory(s->symbols, b->name, "source lines and inlined functions");
		return 0;
	}
	pthread_mutex_lock(&src->lock);
	if (src->nr_bundles < s->symbols->bundles.list.n)
		open_bundled(s, src, b);
	if (!src->opened)
		open_source(s, src, b);
	src->opened = true;
	n = answer(s, src, b, addr, frames);
	pthread_mutex_unlock(&src->lock);
	return n;
}

/* Of the file that is there now: an index does not have them. */
static void read_dirs(struct source_lines *s, struct source *src, const struct binary *b)
{
	struct source now = { .dso = b->name };
	const struct found *with_dwarf;
	const struct dwarf_opts opts = { .symfs = s->symbols->paths.symfs, .debug_dirs = s->symbols->paths.debug_dirs,
					 .binary = b->name[0] == '/' ? b->name : NULL };

	find_dwarf_file(s, &now, b);
	with_dwarf = now.has_debug ? &now.debug : &now.running;
	if ((now.has_running || now.has_debug) && has_dwarf(&with_dwarf->elf))
		now.dwarf = dwarf_new(&with_dwarf->elf, with_dwarf->path, &opts, NULL);
	for (uint32_t i = 0; now.dwarf && i < dwarf_nr_units(now.dwarf); i++) {
		const char *dir = dwarf_unit_dir(now.dwarf, i);

		if (dir)
			strpool_add(&src->dirs, dir, strlen(dir));
	}
	dwarf_free(now.dwarf);
	if (now.has_running)
		elf_file_close(&now.running.elf);
	if (now.has_debug)
		elf_file_close(&now.debug.elf);
	src->dirs_read = true;
}

bool source_lines_built_in(struct source_lines *s, const struct binary *b, bool (*is_one)(const char *dir, void *ctx),
			   void *ctx)
{
	struct source *src = source_of(s, b->index);
	bool found = false;

	if (!src)
		return false;
	pthread_mutex_lock(&src->lock);
	if (!src->dirs_read)
		read_dirs(s, src, b);
	for (uint32_t i = 0; i < src->dirs.names.n && !found; i++)
		found = is_one(strpool_get(&src->dirs, i), ctx);
	pthread_mutex_unlock(&src->lock);
	return found;
}

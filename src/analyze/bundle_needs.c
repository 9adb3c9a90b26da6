/* SPDX-License-Identifier: MIT */
#include "analyze/bundle_needs.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/copied_stack.h"
#include "base/fd_io.h"
#include "base/hash.h"
#include "base/plain_file.h"
#include "symbol/bundle_elf.h"
#include "symbol/bundle_lines.h"
#include "symbol/bundle_table.h"
#include "symbol/bundles.h"
#include "symbol/find_file.h"
#include "threads/callchain.h"

typedef VEC(struct elf_part) needed_ranges;

/* Larger functions are generated; their code is taken, and no line for each byte of it. */
enum { CODE_MOST = 65536, SOURCE_MOST = 64 << 20 };

enum { RECENT = 1 << 14, FRAMES_MOST = 65536, TIDY_FROM = 4096 };

int bundle_needs_init(struct bundle_needs *n, struct symbols *symbols, struct source_lines *lines)
{
	*n = (struct bundle_needs){ .symbols = symbols, .lines = lines };
	tasks_init(&n->tasks);
	n->tasks.jit = symbols_jit(symbols);
	n->images = unwind_images_new(symbols);
	n->unwinder.images = n->images;
	n->recent = calloc(RECENT, sizeof(*n->recent));
	if (!n->images || !n->recent)
		return -SONDE_NOMEM;
	unwind_images_keep_reads(n->images);
	return 0;
}

void bundle_needs_free(struct bundle_needs *n)
{
	unwinder_free(&n->unwinder);
	unwind_images_free(n->images);
	tasks_free(&n->tasks);
	for (size_t i = 0; i < n->binaries.n; i++) {
		vec_free(&n->binaries.at[i].symbols);
		vec_free(&n->binaries.at[i].functions);
		vec_free(&n->binaries.at[i].hot);
		vec_free(&n->binaries.at[i].addrs);
	}
	vec_free(&n->binaries);
	strpool_free(&n->files);
	free(n->recent);
}

static int compare_u32(const void *va, const void *vb)
{
	const uint32_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static int compare_u64(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Sorts, and keeps one of each. */
#define TIDY(v, compare) \
	do { \
		size_t kept_ = 0; \
		\
		if ((v)->n) \
			qsort((v)->at, (v)->n, sizeof(*(v)->at), compare); \
		for (size_t i_ = 0; i_ < (v)->n; i_++) \
			if (!kept_ || (v)->at[i_] != (v)->at[kept_ - 1]) \
				(v)->at[kept_++] = (v)->at[i_]; \
		(v)->n = kept_; \
	} while (0)

/* An address comes again and again: a list that is full is first made shorter. */
static int need_number(struct needed_numbers *v, uint32_t x)
{
	if (v->n == v->cap && v->n >= TIDY_FROM)
		TIDY(v, compare_u32);
	return vec_push(v, x);
}

static int need_line(struct needed_addresses *v, uint64_t x)
{
	if (v->n == v->cap && v->n >= TIDY_FROM)
		TIDY(v, compare_u64);
	return vec_push(v, x);
}

static struct needed_binary *needed(struct bundle_needs *n, const struct binary *b)
{
	while (n->binaries.n <= b->index)
		if (vec_push(&n->binaries, ((struct needed_binary){ 0 })) < 0)
			return NULL;
	return &n->binaries.at[b->index];
}

static int need_function(struct bundle_needs *n, struct needed_binary *of, const struct binary *b, uint64_t addr)
{
	const struct symtab *functions = b->kind == BINARY_FILE ? symbols_functions(n->symbols, b) : NULL;
	uint32_t i = functions ? symtab_find(functions, addr) : SYMTAB_NONE;

	return i == SYMTAB_NONE ? 0 : need_number(&of->functions, i);
}

static int need_address(struct bundle_needs *n, maps_root root, uint64_t ip, bool is_caller)
{
	struct needed_slot *slot = &n->recent[hash_two((uintptr_t)root, ip * 2 + is_caller) & (RECENT - 1)];
	struct addr_location p;
	struct needed_binary *of;
	uint64_t addr;
	int r = 0;

	if (slot->root == root && slot->ip == ip && slot->is_caller == is_caller)
		return 0;
	p = addr_location_find(n->symbols, root, ip, is_caller);
	if (p.mapping) {
		of = needed(n, p.mapping->binary);
		if (!of)
			return -SONDE_NOMEM;
		addr = mapping_to_binary(p.mapping, p.looked_up);
		r = need_line(&of->addrs, addr);
		if (r == 0 && p.symbol != SYMTAB_NONE)
			r = need_number(&of->symbols, p.symbol);
		else if (r == 0)
			r = need_function(n, of, p.mapping->binary, addr);
	}
	*slot = (struct needed_slot){ root, ip, is_caller };
	return r;
}

/* The function of an address is one that people look into. */
static int need_code(struct bundle_needs *n, maps_root root, uint64_t ip)
{
	struct addr_location p = addr_location_find(n->symbols, root, ip, false);
	struct needed_binary *of;

	if (!p.mapping || p.mapping->binary->kind != BINARY_FILE || p.symbol == SYMTAB_NONE)
		return 0;
	of = needed(n, p.mapping->binary);
	return of ? need_number(&of->hot, p.symbol) : -SONDE_NOMEM;
}

static int need_chain(struct bundle_needs *n, const struct task_roots *roots, struct callchain c)
{
	uint8_t mode;
	uint64_t ip;
	int r = 0;

	while (r == 0 && callchain_next(&c, &ip, &mode)) {
		maps_root root = task_roots_get(roots, mode, ip);

		r = need_address(n, root, ip, c.is_caller);
		/* a handler of a signal or an interrupt returns to where nothing was called */
		if (r == 0 && c.is_caller)
			r = need_address(n, root, ip, false);
	}
	return r;
}

static int need_branches(struct bundle_needs *n, const struct task_roots *roots, const struct sample *s)
{
	int r = 0;

	for (uint64_t i = 0; i < s->branches.nr && r == 0; i++) {
		struct sonde_branch b = sample_branch_at(s, i);

		r = need_address(n, task_roots_get(roots, CPUMODE_USER, b.from), b.from, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_KERNEL, b.from), b.from, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_USER, b.to), b.to, false);
		if (r == 0)
			r = need_address(n, task_roots_get(roots, CPUMODE_KERNEL, b.to), b.to, false);
	}
	return r;
}

static int need_sample(struct bundle_needs *n, const struct sonde_event *ev, const struct meta *meta)
{
	const struct reader *reader = event_of(ev)->reader;
	const struct task_roots roots = tasks_roots(&n->tasks, ev->machine_pid, ev->pid);
	struct callchain c = { .cpumode = ev->cpumode };
	struct copied_stack stack;
	struct sample s;
	int r;

	c.ips = event_of(ev)->deferred_callchain.nr ? event_of(ev)->deferred_callchain :
						      reader->ops->callchain(reader, ev);
	event_sample(ev, &s);
	r = need_address(n, task_roots_get(&roots, ev->cpumode, ev->ip), ev->ip, false);
	if (r == 0 && n->code)
		r = need_code(n, task_roots_get(&roots, ev->cpumode, ev->ip), ev->ip);
	if (r == 0 && c.ips.nr)
		r = need_chain(n, &roots, c);
	if (r == 0 && ev->evsel && copied_stack_expected(ev->evsel) && copied_stack_find(ev, meta->arch, &stack)) {
		s.callchain = c.ips;
		s.branches = stack.branches;
		r = unwind_sample(&n->unwinder, &s, meta->arch, stack.in_kernel, roots.user, FRAMES_MOST, &c.ips);
		c.rule.unwound = n->unwinder.ips.n;
		if (r == 0)
			r = need_chain(n, &roots, c);
		event_sample(ev, &s);
	}
	if (r == 0)
		r = need_branches(n, &roots, &s);
	if (r == 0 && s.present & PERF_SAMPLE_ADDR)
		r = need_address(n, task_roots_get(&roots, ev->cpumode, s.addr), s.addr, false);
	return r == -SONDE_NOMEM ? r : 0;
}

int bundle_needs_event(struct bundle_needs *n, const struct sonde_event *ev, const struct meta *meta)
{
	if (ev->evsel && ev->evsel->attr && ev->evsel->attr->type == PERF_TYPE_TRACEPOINT)
		n->whole_kernel = true;
	if (binaries_note_build_ids(&n->tasks.binaries, meta) < 0)
		return -SONDE_NOMEM;
	if (ev->kind != SONDE_KIND_SAMPLE)
		return tasks_apply(&n->tasks, ev);
	return tasks_advance(&n->tasks, ev) < 0 ? -SONDE_NOMEM : need_sample(n, ev, meta);
}

/* ---- writing ---- */

static int add_member(struct bundle_writer *w, const struct binary *b, enum bundle_kind kind, struct buf *bytes,
		      struct sonde_error *err)
{
	const struct bundle_key key = bundle_key_of(b, kind);
	int r = bytes->failed ? err_nomem(err) : bundle_writer_add(w, &key, bytes->p, bytes->n, err);

	buf_free(bytes);
	return r;
}

static int all_symbols(struct needed_binary *of, const struct symtab *t)
{
	of->symbols.n = 0;
	if (vec_reserve(&of->symbols, t->n) < 0)
		return -SONDE_NOMEM;
	while (of->symbols.n < t->n) {
		of->symbols.at[of->symbols.n] = (uint32_t)of->symbols.n;
		of->symbols.n++;
	}
	return 0;
}

static int write_tables(struct bundle_needs *n, struct needed_binary *of, const struct binary *b,
			struct bundle_writer *w, struct sonde_error *err)
{
	struct buf out = BUF_MEMORY;
	int r = 0;

	TIDY(&of->symbols, compare_u32);
	TIDY(&of->functions, compare_u32);
	if (n->whole_kernel && (b->kind == BINARY_KERNEL || b->kind == BINARY_MODULE))
		r = all_symbols(of, symbols_table(n->symbols, b));
	if (r == 0 && of->symbols.n && !symbols_table(n->symbols, b)->carried) {
		bundle_table_encode(&out, symbols_table(n->symbols, b), of->symbols.at, of->symbols.n);
		r = add_member(w, b, BUNDLE_SYMBOLS, &out, err);
	}
	if (r == 0 && of->functions.n) {
		out = BUF_MEMORY;
		bundle_table_encode(&out, symbols_functions(n->symbols, b), of->functions.at, of->functions.n);
		r = add_member(w, b, BUNDLE_FUNCTIONS, &out, err);
	}
	return r;
}

/* A function that people look into has lines at all its instructions, wherever they begin. */
static int need_lines_of_code(struct bundle_needs *n, struct needed_binary *of, const struct binary *b)
{
	const struct symtab *t = of->hot.n ? symbols_table(n->symbols, b) : NULL;
	int r = 0;

	TIDY(&of->hot, compare_u32);
	for (size_t i = 0; i < of->hot.n && r == 0; i++) {
		uint64_t start = symtab_start(t, of->hot.at[i]), size = symtab_end(t, of->hot.at[i]) - start;

		for (uint64_t k = 0; k < size && size <= CODE_MOST && r == 0; k++)
			r = need_line(&of->addrs, start + k);
	}
	return r;
}

static int write_lines(struct bundle_needs *n, struct needed_binary *of, const struct binary *b,
		       struct bundle_writer *w, struct sonde_error *err)
{
	struct bundle_lines_writer lines = { 0 };
	struct buf out = BUF_MEMORY;
	int r = need_lines_of_code(n, of, b);

	TIDY(&of->addrs, compare_u64);
	for (size_t i = 0; i < of->addrs.n && r == 0; i++) {
		const struct source_frame *frames;
		size_t nr = source_lines_find(n->lines, b, of->addrs.at[i], &frames);

		for (size_t k = 0; k < nr && n->source; k++)
			if (frames[k].file && strpool_add(&n->files, frames[k].file, strlen(frames[k].file)) ==
						      UINT32_MAX)
				r = -SONDE_NOMEM;
		if (nr && r == 0)
			r = bundle_lines_add(&lines, of->addrs.at[i], frames, nr);
	}
	if (r == 0 && lines.rows.n) {
		bundle_lines_encode(&out, &lines);
		r = add_member(w, b, BUNDLE_LINES, &out, err);
	}
	bundle_lines_writer_free(&lines);
	return r;
}


/* The bytes that unwinding has read, and the code of functions that were interrupted. */
static int wanted_bytes(struct bundle_needs *n, struct needed_binary *of, const struct binary *b, needed_ranges *out)
{
	const struct unwind_reads *reads = unwind_images_reads(n->images, b);
	const struct symtab *t = of->hot.n ? symbols_table(n->symbols, b) : NULL;
	int r = 0;

	for (size_t i = 0; reads && i < reads->n && r == 0; i++)
		r = vec_push(out, ((struct elf_part){ reads->at[i] * UNWIND_READ_BYTES,
							  (reads->at[i] + 1) * UNWIND_READ_BYTES }));
	for (size_t i = 0; i < of->hot.n && r == 0; i++)
		r = vec_push(out, ((struct elf_part){ symtab_start(t, of->hot.at[i]),
							  symtab_end(t, of->hot.at[i]) }));
	return r;
}

static int write_debug_elf(struct bundle_needs *n, const struct binary *b, const struct found *running,
			   struct bundle_writer *w, struct sonde_error *err)
{
	struct buf out = BUF_MEMORY;
	struct found debug;
	int r = 0;

	if (find_local_debug_file(&debug, symbols_paths(n->symbols), b, running) < 0)
		return 0;
	if (bundle_elf_encode(&out, &debug.elf, true, NULL, 0))
		r = add_member(w, b, BUNDLE_DEBUG_ELF, &out, err);
	buf_free(&out);
	elf_file_close(&debug.elf);
	return r;
}

static int write_elf(struct bundle_needs *n, struct needed_binary *of, const struct binary *b, struct bundle_writer *w,
		     struct sonde_error *err)
{
	struct buf out = BUF_MEMORY, reason = BUF_MEMORY;
	bool unwound = unwind_images_reads(n->images, b);
	needed_ranges ranges = { 0 };
	struct found running;
	int r = -SONDE_MISSING;

	if (b->kind == BINARY_FILE && (unwound || of->hot.n))
		r = find_running_file(&running, symbols_paths(n->symbols), b, b->name, &reason);
	else if (b->kind == BINARY_VDSO && unwound)
		r = find_vdso(&running, symbols_paths(n->symbols), b, &reason);
	buf_free(&reason);
	if (r < 0)
		return 0;
	r = wanted_bytes(n, of, b, &ranges);
	if (r == 0 && bundle_elf_encode(&out, &running.elf, false, ranges.at, ranges.n))
		r = add_member(w, b, BUNDLE_ELF, &out, err);
	if (r == 0 && unwound && b->kind == BINARY_FILE)
		r = write_debug_elf(n, b, &running, w, err);
	buf_free(&out);
	vec_free(&ranges);
	elf_file_close(&running.elf);
	return r;
}

static int write_jitdump(struct bundle_needs *n, const struct binary *b, struct bundle_writer *w,
			 struct sonde_error *err)
{
	struct buf out = BUF_MEMORY;
	int r = 0;

	if (symbols_jitdump_bytes(n->symbols, b, &out))
		r = add_member(w, b, BUNDLE_FILE, &out, err);
	buf_free(&out);
	return r;
}

/* Debug information can name any file of this machine: one that does not look like a source is not given away. */
static bool is_source_name(const char *path)
{
	static const char *const ends[] = {
		"c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp", "tcc",
		"tpp", "s", "S", "asm", "rs", "go", "d", "f", "f90", "F90", "f95", "swift", "zig", "nim", "m", "mm",
		"ml", "hs", "pas", "adb", "ads", "y", "l", "cu", "cuh", "cr", "v", "java", "kt", "py", "pyx", "js",
	};
	const char *slash = strrchr(path, '/'), *dot = slash ? strrchr(slash, '.') : NULL;

	if (path[0] != '/' || strstr(path, "/."))
		return false;
	if (!dot)  /* a header of C++ */
		return strstr(path, "/include/");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(dot + 1, ends[i]))
			return true;
	return false;
}

static bool read_source(const char *path, struct buf *out)
{
	struct stat st;
	int bad, fd = plain_file_open(path, 0, &st, NULL);
	size_t size = fd >= 0 && st.st_size <= SOURCE_MOST ? (size_t)st.st_size : 0;
	char *to = size ? buf_room(out, size) : NULL;

	out->n = to ? fd_read_at(fd, to, size, 0, &bad) : 0;
	if (fd >= 0)
		close(fd);
	return out->n > 0;
}

/* A file that is not here is left out. */
static int write_sources(struct bundle_needs *n, struct bundle_writer *w, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < n->files.names.n && r == 0; i++) {
		const struct bundle_key key = bundle_key_of_source(strpool_get(&n->files, (uint32_t)i));
		struct buf text = BUF_MEMORY;

		if (is_source_name(key.name) && read_source(key.name, &text))
			r = bundle_writer_add(w, &key, text.p, text.n, err);
		buf_free(&text);
	}
	return r;
}

int bundle_needs_write(struct bundle_needs *n, struct bundle_writer *w, struct sonde_error *err)
{
	int r = 0;

	/* a binary of which nothing was looked up may have been walked through, or have the code that was made */
	for (size_t i = 0; i < n->tasks.binaries.list.n && r == 0; i++) {
		const struct binary *b = n->tasks.binaries.list.at[i];
		struct needed_binary *of = needed(n, b);

		r = of ? 0 : err_nomem(err);
		if (r == 0 && b->kind == BINARY_JITDUMP)
			r = write_jitdump(n, b, w, err);
		if (r == 0 && b->kind != BINARY_KSYMBOL && b->kind != BINARY_OTHER)
			r = write_tables(n, of, b, w, err);
		if (r == 0 && b->kind != BINARY_KSYMBOL && b->kind != BINARY_JITDUMP)
			r = write_lines(n, of, b, w, err);
		if (r == 0)
			r = write_elf(n, of, b, w, err);
	}
	if (r == 0 && n->source)
		r = write_sources(n, w, err);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

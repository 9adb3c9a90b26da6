/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - the tables of all binaries, each loaded when it is first asked for
 *
 *	binary ---> slot ---> in a bundle? carried by the recording? (unless the user names better ones) ---+--> symtab
 *	                              | neither                                                             |
 *	                              +--> loader of its kind: kernel, module, ELF file, jitdump, map ------+
 *
 * In: a binary of a recording, by its dense number. Out: a sorted table of symbols, maybe without any, and notes: why a
 * binary has no names, or why they may be wrong, told in the order of the binaries when the symbols are freed.
 *
 * Several threads ask at once; a slot has its own lock, so that one load keeps only those waiting who want the same
 * binary. Never: a table is freed before the symbols are, so a pointer to one stays valid, even if a later bundle
 * brings better names; a file that the user has not named is used although its build id is another one; a server is
 * asked that the user has not allowed.
 */
#include "symbol/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/path.h"
#include "symbol/archive.h"
#include "symbol/bundle_table.h"
#include "symbol/fetch.h"
#include "symbol/load_functions.h"
#include "symbol/load_jit.h"
#include "symbol/load_kernel.h"
#include "symbol/load_user.h"

/* Smaller tables are made about as fast as they are mapped. */
#define WORTH_KEEPING 1000

/*
 * The tables of one binary. The lock is held while one is loaded, so that others wait for it and not for one another.
 */
struct slot {
	pthread_mutex_t lock;
	struct symtab *table, *functions;
	uint64_t nr_unnamed;         /* see symbols_count_unnamed(); atomic */
};

static const char *copy(struct symbols *s, const char *text)
{
	return text ? arena_strndup(&s->texts, text, strlen(text)) : NULL;
}

/* dir below $env, or below $home_dir of the user; "" if neither is known. */
static const char *default_dir(struct symbols *s, const char *env, const char *home_dir, const char *dir)
{
	const char *base = env ? getenv(env) : NULL, *home = getenv("HOME");
	char path[PATH_MAX];
	int n;

	if (base && base[0] == '/')
		n = snprintf(path, sizeof(path), "%s%s", base, dir);
	else if (home && home[0] == '/')
		n = snprintf(path, sizeof(path), "%s%s%s", home, home_dir, dir);
	else
		return "";
	return n < (int)sizeof(path) ? copy(s, path) : "";
}

/* "": with the home directory of another user, or one that is not there, nothing is kept for later runs. */
static const char *own_cache_dir(struct symbols *s)
{
	const char *base = default_dir(s, "XDG_CACHE_HOME", "", ""), *home = getenv("HOME");

	if (!base || !path_is_own(base))
		return base ? "" : NULL;
	if (home && strcmp(base, home) == 0 && access(home, F_OK) < 0)
		return "";
	return default_dir(s, "XDG_CACHE_HOME", "/.cache", "/sonde/symbols");
}

static const char *const *copy_dirs(struct symbols *s, const char *const *dirs)
{
	static const char *const usual[] = { "/usr/lib/debug", NULL };
	const char **own;
	size_t n = 0;

	if (!dirs)
		return usual;
	while (dirs[n])
		n++;
	own = arena_calloc(&s->texts, n + 1, sizeof(*own));
	for (size_t i = 0; own && i < n; i++)
		own[i] = copy(s, dirs[i]);
	return own;
}

bool symbols_demangle(const struct symbols *s)
{
	return !s->opts.no_demangle;
}

static void free_table(const struct symbols *s, struct symtab *t)
{
	if (t != &s->nothing)
		symtab_free(t);
}

static void keep_note(struct symbols *s, enum sonde_symbol_note_kind kind, const char *dso, const char *text,
		      const struct slot *of)
{
	struct kept_note n = { .pub.kind = kind, .of = of };

	if (!s->opts.noted)
		return;
	pthread_mutex_lock(&s->lock);
	n.pub.dso = arena_strndup(&s->note_texts, dso, strlen(dso));
	n.pub.text = arena_strndup(&s->note_texts, text, strlen(text));
	if (n.pub.dso && n.pub.text)
		vec_push(&s->notes, n);
	pthread_mutex_unlock(&s->lock);
}

void symbols_note(struct symbols *s, enum sonde_symbol_note_kind kind, const char *dso, const char *text)
{
	keep_note(s, kind, dso, text, NULL);
}

static bool may_fetch(struct symbols *s)
{
	char dir[PATH_MAX], text[PATH_MAX + 160];

	if (fetch_cache_is_own(dir))
		return true;
	snprintf(text, sizeof(text), "nothing is downloaded, because %s would be in a directory of another user; "
		 "DEBUGINFOD_CACHE_PATH names another place", dir);
	symbols_note(s, SONDE_NOTE_LINES, "debuginfod", text);
	return false;
}

struct symbols *symbols_new(const struct symbols_opts *o)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->kernel_lock, NULL);
	s->opts.noted = o->noted;
	s->opts.noted_ctx = o->noted_ctx;
	s->nothing = (struct symtab){ .source = "", .reason = "out of memory", .doubt = "" };
	s->opts.no_demangle = o->no_demangle;
	s->opts.demangle_kernel = o->demangle_kernel;
	s->opts.kallsyms = copy(s, o->kallsyms);
	s->opts.vmlinux = copy(s, o->vmlinux);
	s->paths.symfs = copy(s, o->symfs && strcmp(o->symfs, "/") ? o->symfs : "");
	s->paths.sysroot = copy(s, o->sysroot && strcmp(o->sysroot, "/") ? o->sysroot : "");
	s->paths.release = "";
	s->recording = "";
	jitdumps_init(&s->dumps, &s->paths);
	s->opts.force = s->dumps.force = o->force;
	s->paths.bundles = &s->bundles;
	s->paths.out_of_memory = &s->out_of_memory;
	s->paths.archives = archives_new(o->archive);
	s->paths.fetcher = o->debuginfod && may_fetch(s) ? fetcher_new() : NULL;
	s->paths.fetch_kernel = o->debuginfod_kernel;
	s->opts.fetched = o->fetched;
	s->opts.fetched_ctx = o->fetched_ctx;
	s->paths.debug_dirs = copy_dirs(s, o->debug_dirs);
	s->paths.buildid_dir = o->buildid_dir ? copy(s, o->buildid_dir) : default_dir(s, NULL, "", "/.debug");
	s->cache_dir = o->cache_dir ? copy(s, o->cache_dir) : own_cache_dir(s);
	s->map_dir = copy(s, o->map_dir ? o->map_dir : "/tmp");
	if (!s->paths.archives || !s->paths.symfs || !s->paths.sysroot || !s->paths.debug_dirs ||
	    !s->paths.buildid_dir || !s->cache_dir || !s->map_dir || !s->opts.kallsyms != !o->kallsyms ||
	    !s->opts.vmlinux != !o->vmlinux) {
		symbols_free(s);
		return NULL;
	}
	return s;
}

/* The reason why a binary has no names, and why names of it may be wrong. */
static void note_table(struct symbols *s, const struct binary *b, const struct slot *slot)
{
	const struct symtab *t = slot->table;

	if (b->kind == BINARY_OTHER || b->kind == BINARY_KSYMBOL)
		return;
	if (t->doubt[0])
		symbols_note(s, SONDE_NOTE_DOUBT, b->name, t->doubt);
	if (!t->n && !t->source[0] && t->reason[0])
		keep_note(s, SONDE_NOTE_NAMES, b->name, t->reason, b->kind == BINARY_JIT ? slot : NULL);
}

/* Threads load tables in any order. */
static int by_binary(const void *va, const void *vb)
{
	const struct kept_note *kept_a = va, *kept_b = vb;
	const struct sonde_symbol_note *a = &kept_a->pub, *b = &kept_b->pub;
	int r = strcmp(a->dso, b->dso);

	if (r == 0 && a->kind != b->kind)
		r = a->kind < b->kind ? -1 : 1;
	return r ? r : strcmp(a->text, b->text);
}

void symbols_note_memory(struct symbols *s, const char *dso, const char *part)
{
	char text[128];

	__atomic_store_n(&s->out_of_memory, true, __ATOMIC_RELAXED);
	snprintf(text, sizeof(text), "%s are missing: out of memory", part);
	symbols_note(s, SONDE_NOTE_MEMORY, dso, text);
}

static bool is_same_note(const struct sonde_symbol_note *a, const struct sonde_symbol_note *b)
{
	return a->kind == b->kind && !strcmp(a->dso, b->dso) && !strcmp(a->text, b->text);
}

static void tell_notes(struct symbols *s)
{
	/* the memory for a note may be missing as well */
	const struct sonde_symbol_note general = { .kind = SONDE_NOTE_MEMORY, .dso = "symbols",
						   .text = "names or source lines are missing: out of memory" };
	bool told = !s->opts.noted || !symbols_out_of_memory(s);

	if (s->notes.n)
		qsort(s->notes.at, s->notes.n, sizeof(*s->notes.at), by_binary);
	for (size_t i = 0; i < s->notes.n; i++) {
		struct kept_note *n = &s->notes.at[i];

		n->pub.unnamed = n->of ? n->of->nr_unnamed : 0;
		n->pub.interrupted = n->of ? s->nr_interrupted : 0;
		told |= n->pub.kind == SONDE_NOTE_MEMORY;
		if (!i || !is_same_note(&n->pub, &s->notes.at[i - 1].pub))
			s->opts.noted(s->opts.noted_ctx, &n->pub);
	}
	if (!told)
		s->opts.noted(s->opts.noted_ctx, &general);
	vec_free(&s->notes);
	arena_free(&s->note_texts);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	tell_notes(s);
	if (s->opts.fetched)
		fetcher_finish(s->paths.fetcher, s->opts.fetched, s->opts.fetched_ctx);
	fetcher_free(s->paths.fetcher);
	archives_free(s->paths.archives);
	for (size_t i = 0; i < s->slots.n; i++) {
		if (!s->slots.at[i])
			continue;
		free_table(s, s->slots.at[i]->table);
		free_table(s, s->slots.at[i]->functions);
		pthread_mutex_destroy(&s->slots.at[i]->lock);
		free(s->slots.at[i]);
	}
	vec_free(&s->slots);
	for (size_t i = 0; i < s->retired.n; i++)
		free_table(s, s->retired.at[i]);
	vec_free(&s->retired);
	carried_free(&s->carried);
	bundles_free(&s->bundles);
	jitdumps_free(&s->dumps);
	bpf_lines_free(&s->bpf);
	bpf_code_free(&s->bpf_code);
	kallsyms_close(&s->kernel);
	fmap_close(&s->kernel_text);
	arena_free(&s->texts);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->kernel_lock);
	free(s);
}

const struct jitdump *symbols_jitdump(struct symbols *s, const struct binary *b)
{
	return jitdumps_get(&s->dumps, b);
}

bool symbols_jitdump_bytes(struct symbols *s, const struct binary *b, struct buf *out)
{
	const struct jitdump *d = jitdumps_get(&s->dumps, b);
	char *to = d && d->in.size <= BUNDLE_RAW_MAX ? buf_room(out, d->in.size) : NULL;

	if (!to || !jitdump_bytes(d, 0, to, d->in.size))
		return false;
	out->n += d->in.size;
	return true;
}

struct jit_source *symbols_jit(struct symbols *s)
{
	return &s->dumps.source;
}

const struct find_paths *symbols_paths(const struct symbols *s)
{
	return &s->paths;
}

static const char *take_text(struct symtab *t, struct buf *text)
{
	const char *own = text->n && !text->failed ? arena_strndup(&t->texts, text->p, text->n) : NULL;

	buf_free(text);
	return own ? own : "";
}

typedef void (*loader)(struct load *);

static loader symbol_loader(const struct binary *b)
{
	static const loader loaders[] = {
		[BINARY_FILE] = load_user, [BINARY_VDSO] = load_vdso, [BINARY_KERNEL] = load_kernel,
		[BINARY_MODULE] = load_module, [BINARY_JIT] = load_jit, [BINARY_JITDUMP] = load_jitdump,
	};

	return b->kind < ARRAY_SIZE(loaders) ? loaders[b->kind] : NULL;
}

static bool is_kernel(const struct binary *b)
{
	return b->kind == BINARY_KERNEL || b->kind == BINARY_MODULE;
}

bool symbols_given(const struct symbols *s, const struct binary *b)
{
	return is_kernel(b) ? s->opts.kallsyms || s->opts.vmlinux : find_paths_given(&s->paths);
}

/*
 * The symbols of the recording, unless the user says where better ones are. Modules move: theirs count from where they
 * lay.
 */
static bool take_carried(struct load *l)
{
	struct symbols *s = l->s;

	if (symbols_given(s, l->binary))
		return false;
	if (!carried_take(&s->carried, l->binary, &l->builder))
		return false;
	l->bias = l->binary->kind == BINARY_MODULE ? l->binary->ref_addr : 0;
	buf_str(&l->source, "the recording");
	return true;
}

/* The tables of all bundles as one. The names of the recording at hand, the last one, come first. */
static struct symtab *take_bundled(const struct symbols *s, const struct binary *b, enum bundle_kind kind)
{
	struct symtab *t = NULL, *next, *both;
	bool disagree = false, now;
	uint8_t *bytes;
	size_t size;

	for (size_t i = s->bundles.list.n; i-- > 0;) {
		if (!bundles_take(&s->bundles, i, b, kind, &bytes, &size))
			continue;
		next = bundle_table_decode(bytes, size);
		free(bytes);
		both = t && next ? bundle_table_merge(t, next, &now) : NULL;
		if (both) {
			disagree = disagree || now;
			symtab_free(t);
			symtab_free(next);
			t = both;
		} else if (!t) {
			t = next;
		} else {
			symtab_free(next);
		}
	}
	if (disagree)
		t->doubt = "the bundles of the recordings disagree about its functions: each shows its own";
	return t;
}

/*
 * Names of the bundle come before the file system's, unless the user says where better ones are. A binary that the
 * bundle knows nothing of is looked for as ever.
 */
static struct symtab *find_bundled(const struct symbols *s, const struct binary *b, loader from)
{
	struct symtab *t;

	if (!s->bundles.list.n || symbols_given(s, b))
		return NULL;
	t = take_bundled(s, b, from == load_functions ? BUNDLE_FUNCTIONS : BUNDLE_SYMBOLS);
	if (t) {
		t->source = "the bundle";
		t->bundled = true;
		t->demangle = !s->opts.no_demangle && (!is_kernel(b) || s->opts.demangle_kernel);
	}
	return t;
}

static void take_kernel_id(struct symbols *s, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_build_ids; i++) {
		const struct sonde_build_id *id = &meta->build_ids[i];

		if (id->pid == -1 && !strcmp(id->filename, "[kernel.kallsyms]") && id->size <= sizeof(id->id)) {
			memcpy(s->recorded_kernel_id, id->id, sizeof(id->id));
			s->recorded_kernel_id_size = id->size;
		}
	}
}

/* A table that has no names, or those of other bundles, is loaded again when the next address is looked up. */
static int retire(struct symbols *s, struct symtab **t)
{
	if (!*t || *t == &s->nothing || ((*t)->n && !(*t)->bundled))
		return 0;
	if (vec_push(&s->retired, *t) < 0)
		return -SONDE_NOMEM;
	*t = NULL;
	return 0;
}

static int add_bundle(struct symbols *s, const char *path)
{
	size_t before = s->bundles.list.n;
	int r = bundles_add(&s->bundles, path);

	for (size_t i = 0; i < s->slots.n && r == 0 && s->bundles.list.n > before; i++) {
		if (!s->slots.at[i])
			continue;
		r = retire(s, &s->slots.at[i]->table);
		if (r == 0)
			r = retire(s, &s->slots.at[i]->functions);
	}
	return r;
}

int symbols_carry(struct symbols *s, const struct meta *meta, const char *path)
{
	struct stat st;

	if (bpf_lines_add(&s->bpf, meta) < 0 || bpf_code_add(&s->bpf_code, meta) < 0 ||
	    (path && add_bundle(s, path) < 0))
		return -SONDE_NOMEM;
	if (s->recording[0])  /* of several recordings the first one tells */
		return carried_add(&s->carried, meta);
	s->paths.release = copy(s, meta->osrelease && !strchr(meta->osrelease, '/') ? meta->osrelease : "");
	s->recording = copy(s, path ? path : "");
	s->clock_ns = meta->clock_data.clockid_ns;
	s->clock_tod_ns = meta->clock_data.tod_ns;
	take_kernel_id(s, meta);
	if (!s->paths.release || !s->recording) {
		s->paths.release = s->recording = "";
		return -SONDE_NOMEM;
	}
	if (archives_beside(s->paths.archives, s->recording) < 0)
		return -SONDE_NOMEM;
	if (path && stat(path, &st) == 0)
		s->recorded_s = s->dumps.recorded_s = st.st_mtime;
	return carried_add(&s->carried, meta);
}

/* One of several files that were tried: errno is that of the last one. */
static bool tells_of_memory(const struct buf *reason)
{
	static const char words[] = "out of memory";

	return reason->n && memmem(reason->p, reason->n, words, sizeof(words) - 1);
}

static struct symtab *load(struct symbols *s, const struct binary *b, loader from)
{
	struct load l = { .s = s, .binary = b, .source = BUF_MEMORY, .reason = BUF_MEMORY,
			  .doubt = BUF_MEMORY };
	struct symtab *t = from ? find_bundled(s, b, from) : NULL;
	bool short_of_memory;
	bool carried;

	if (t)
		return t;
	carried = from && from != load_functions && take_carried(&l);
	errno = 0;
	if (from && !carried)
		from(&l);
	else if (!from)
		buf_str(&l.reason, "not code of a file");
	/* libelf says of what it could not read only that it could not: the allocator has left the reason */
	short_of_memory = l.builder.failed || errno == ENOMEM || tells_of_memory(&l.reason) ||
			  __atomic_load_n(&s->out_of_memory, __ATOMIC_RELAXED);
	t = l.cached ? l.cached : symtab_build(&l.builder, l.same);
	if (short_of_memory || !t)
		symbols_note_memory(s, b->name, "names");
	if (t) {
		if (!t->n && !l.reason.n)
			buf_printf(&l.reason, "%.*s: no symbols", (int)l.source.n, l.source.p ? l.source.p : "");
		if (!l.cached)
			t->source = take_text(t, &l.source);
		if (!l.cached && t->n >= (l.keep_small ? 1 : WORTH_KEEPING) && !short_of_memory && l.key.name[0])
			cache_store(s->cache_dir, &l.key, t, l.refs);
		t->reason = take_text(t, &l.reason);
		t->doubt = take_text(t, &l.doubt);
		t->bias = l.bias;
		t->carried = carried;
		t->demangle = !s->opts.no_demangle && (!is_kernel(b) || s->opts.demangle_kernel);
	}
	buf_free(&l.source);
	buf_free(&l.reason);
	buf_free(&l.doubt);
	return t ? t : &s->nothing;
}

static struct slot *slot_of(struct symbols *s, uint32_t index)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&s->lock);
	while (s->slots.n <= index)
		if (vec_push(&s->slots, NULL) < 0)
			goto unlock;
	slot = s->slots.at[index];
	if (!slot) {
		s->slots.at[index] = slot = calloc(1, sizeof(*slot));
		if (slot)
			pthread_mutex_init(&slot->lock, NULL);
	}
unlock:
	pthread_mutex_unlock(&s->lock);
	return slot;
}

static struct symtab *out_of_memory(struct symbols *s)
{
	__atomic_store_n(&s->out_of_memory, true, __ATOMIC_RELAXED);
	return &s->nothing;
}

bool symbols_out_of_memory(struct symbols *s)
{
	bool found = __atomic_load_n(&s->out_of_memory, __ATOMIC_RELAXED);

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->slots.n && !found; i++)
		if (s->slots.at[i] && s->slots.at[i]->table)
			found = __atomic_load_n(&s->slots.at[i]->table->out_of_memory, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&s->lock);
	return found;
}

struct symtab *symbols_table(struct symbols *s, const struct binary *b)
{
	struct slot *slot = slot_of(s, b->index);
	struct symtab *t;

	if (!slot)
		return out_of_memory(s);
	pthread_mutex_lock(&slot->lock);
	if (!slot->table) {
		slot->table = load(s, b, symbol_loader(b));
		note_table(s, b, slot);
	}
	t = slot->table;
	pthread_mutex_unlock(&slot->lock);
	return t;
}

void symbols_count_unnamed(struct symbols *s, const struct binary *b)
{
	struct slot *slot = slot_of(s, b->index);

	if (slot)
		__atomic_fetch_add(&slot->nr_unnamed, 1, __ATOMIC_RELAXED);
}

void symbols_count_interrupted(struct symbols *s, uint64_t n)
{
	__atomic_fetch_add(&s->nr_interrupted, n, __ATOMIC_RELAXED);
}

int symbols_read_on(struct symbols *s, struct binary *const *binaries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct binary *b = binaries[i];
		struct slot *slot = b->kind == BINARY_JITDUMP ? slot_of(s, b->index) : NULL;
		int r = slot ? jitdumps_read_on(&s->dumps, b) : 0;

		if (r < 0)
			return r;
		if (r > 0 && slot->table && slot->table != &s->nothing) {
			struct symtab *grown = load(s, b, symbol_loader(b));

			if (grown == &s->nothing)
				return -SONDE_NOMEM;
			symtab_replace(slot->table, grown);
		}
	}
	return 0;
}

struct symtab *symbols_functions(struct symbols *s, const struct binary *b)
{
	struct slot *slot = slot_of(s, b->index);
	struct symtab *t;

	if (!slot)
		return out_of_memory(s);
	pthread_mutex_lock(&slot->lock);
	if (!slot->functions)
		slot->functions = load(s, b, b->kind == BINARY_FILE ? load_functions : NULL);
	t = slot->functions;
	pthread_mutex_unlock(&slot->lock);
	return t;
}

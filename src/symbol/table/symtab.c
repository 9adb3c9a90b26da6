/* SPDX-License-Identifier: MIT */
#include "symbol/table/symtab.h"

#include <string.h>

#include "symbol/table/demangle.h"

/* Symbols nest a few levels deep at most; a file in which they nest by the thousand must not make lookups slow. */
#define NESTING_MAX 64

struct symtab *symtab_new(void)
{
	struct symtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->source = t->reason = t->doubt = "";
	t->demangle = true;
	return t;
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	if (t->file) {
		paged_file_close(t->file);
	} else {
		free((void *)(uintptr_t)t->starts);
		free((void *)(uintptr_t)t->entries);
		free((void *)(uintptr_t)t->strings);
	}
	free(t->shown);
	arena_free(&t->texts);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void symtab_replace(struct symtab *t, struct symtab *by)
{
	struct symtab old = *t;

	pthread_mutex_destroy(&t->lock);
	*t = *by;
	pthread_mutex_init(&t->lock, NULL);
	*by = old;
	symtab_free(by);
}

/* The last of n starts, at least one, that is not above addr; the first if all are. Without a branch. */
static const uint64_t *last_not_above(const uint64_t *at, uint32_t n, uint64_t addr)
{
	while (n > 1) {
		uint32_t half = n / 2;

		at += at[half] <= addr ? half : 0;
		n -= half;
	}
	return at;
}

uint32_t symtab_find(const struct symtab *t, uint64_t addr)
{
	const uint64_t *at = t->starts;
	uint32_t n = t->n, i;

	if (!n)
		return SYMTAB_NONE;
	addr -= t->bias;
	if (t->file) {
		i = (uint32_t)(last_not_above(t->top, symtab_top_size(n), addr) - t->top) * SYMTAB_TOP_STEP;
		n = n - i < SYMTAB_TOP_STEP ? n - i : SYMTAB_TOP_STEP;
		at = paged_file_need(t->file, at + i, n * sizeof(*at));
	}
	at = last_not_above(at, n, addr);
	if (*at > addr)
		return SYMTAB_NONE;
	i = (uint32_t)(at - t->starts);
	for (int depth = 0; depth < NESTING_MAX && i < t->n; depth++) {
		uint64_t start = symtab_linked_start(t, i);

		if (addr - start < symtab_entry(t, i)->size || addr == start)
			return i;
		i = symtab_entry(t, i)->outer;
	}
	return SYMTAB_NONE;
}

const char *symtab_linkage_name(const struct symtab *t, uint32_t i)
{
	uint32_t at = symtab_entry(t, i)->name & ~SYMTAB_PLT;

	if (at >= t->strings_size)
		return "";  /* a table from the disk cache is not checked in advance */
	return t->file ? paged_file_string(t->file, t->strings + at) : t->strings + at;
}

const char *symtab_name(struct symtab *t, uint32_t i)
{
	const char *name = symtab_linkage_name(t, i), *shown;
	struct buf text = BUF_MEMORY;
	const char **all;

	if (!symtab_is_plt(t, i) && (!t->demangle || !demangle_may_know(name)))
		return name;
	all = __atomic_load_n(&t->shown, __ATOMIC_ACQUIRE);
	shown = all ? __atomic_load_n(&all[i], __ATOMIC_ACQUIRE) : NULL;
	if (shown)
		return shown;
	if (!t->demangle || !demangle(&text, name)) {
		if (symtab_is_plt(t, i))
			buf_str(&text, name);
	}
	if (symtab_is_plt(t, i))
		buf_str(&text, "@plt");

	pthread_mutex_lock(&t->lock);
	if (!t->shown)
		__atomic_store_n(&t->shown, calloc(t->n, sizeof(*t->shown)), __ATOMIC_RELEASE);
	if (t->shown && !t->shown[i]) {
		shown = text.n && !text.failed ? arena_strndup(&t->texts, text.p, text.n) : NULL;
		if (text.failed || (text.n && !shown))
			__atomic_store_n(&t->out_of_memory, true, __ATOMIC_RELAXED);
		__atomic_store_n(&t->shown[i], shown ? shown : name, __ATOMIC_RELEASE);
	}
	if (!t->shown)
		__atomic_store_n(&t->out_of_memory, true, __ATOMIC_RELAXED);
	shown = t->shown ? t->shown[i] : name;
	pthread_mutex_unlock(&t->lock);
	buf_free(&text);
	return shown;
}

char *symtab_builder_strings(struct symtab_builder *b, size_t size, uint32_t *at)
{
	if (size >= SYMTAB_PLT - b->strings.n || vec_reserve(&b->strings, size) < 0) {
		b->failed = true;
		return NULL;
	}
	*at = (uint32_t)b->strings.n;
	b->strings.n += size;
	return memset(b->strings.at + *at, 0, size);
}

uint32_t symtab_builder_name(struct symtab_builder *b, const char *name, size_t len)
{
	size_t at = b->strings.n;

	if (len >= SYMTAB_PLT - at - 1 || vec_reserve(&b->strings, len + 1) < 0) {
		b->failed = true;
		return SYMTAB_NONE;
	}
	memcpy(b->strings.at + at, name, len);
	b->strings.at[at + len] = 0;
	b->strings.n += len + 1;
	return (uint32_t)at;
}

void symtab_builder_add(struct symtab_builder *b, const struct symtab_raw *raw)
{
	if (b->raw.n >= SYMTAB_NONE - 1 || vec_push(&b->raw, *raw) < 0)
		b->failed = true;
}

void symtab_builder_free(struct symtab_builder *b)
{
	vec_free(&b->raw);
	vec_free(&b->strings);
}

/* Sorts by start, equal ones stay in the order in which they came. Bytes in which all agree cost one look. */
static int sort(struct symtab_raw **raw, size_t n)
{
	struct symtab_raw *from = *raw, *to;
	uint64_t ones = 0, zeros = 0;
	bool sorted = true;

	for (size_t i = 0; i < n; i++) {
		ones |= from[i].start;
		zeros |= ~from[i].start;
		sorted &= !i || from[i - 1].start <= from[i].start;
	}
	if (sorted)
		return 0;
	to = malloc(n * sizeof(*to));
	if (!to)
		return -SONDE_NOMEM;
	for (int shift = 0; shift < 64; shift += 8) {
		size_t at[257] = { 0 };
		struct symtab_raw *swap = from;

		if (!((ones & zeros) >> shift & 0xff))
			continue;
		for (size_t i = 0; i < n; i++)
			at[(from[i].start >> shift & 0xff) + 1]++;
		for (int v = 0; v < 256; v++)
			at[v + 1] += at[v];
		for (size_t i = 0; i < n; i++)
			to[at[from[i].start >> shift & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	free(to);
	*raw = from;
	return 0;
}

#define NAME_LOOK 4096 /* how much of a name matters; a hostile file may let every symbol point at the same megabytes */

struct shape {
	size_t underscores, len;     /* at its begin, and what follows them */
};

static struct shape shape(const char *name)
{
	struct buf text = BUF_MEMORY;
	struct shape s = { 0 };

	if (demangle(&text, name)) {
		buf_char(&text, 0);
		name = text.failed ? name : text.p;
	}
	s.len = strnlen(name, NAME_LOOK);
	/* what glibc calls its functions inside of itself */
	if (s.len > 5 && (!memcmp(name, "__GI_", 5) || !memcmp(name, "__EI_", 5))) {
		name += 5;
		s.len -= 5;
		s.underscores = 3;
	}
	while (s.len && *name == '_') {
		name++;
		s.len--;
		s.underscores++;
	}
	buf_free(&text);
	return s;
}

/*
 * Do two mangled names differ in the kind of constructor or destructor only (C1, C2, D0, D1...)? They look the same
 * then.
 */
static bool same_but_variant(const char *a, const char *b)
{
	size_t i = 0;

	if (a[0] != '_' || a[1] != 'Z')
		return false;
	while (i < NAME_LOOK && a[i] && a[i] == b[i])
		i++;
	return i > 2 && i < NAME_LOOK && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] && b[i] &&
	       !strncmp(a + i + 1, b + i + 1, NAME_LOOK);
}

/* A compiler or an assembler made it; on ppc64, ".L" may also begin the name of a function's code. */
static bool is_made_label(const char *name)
{
	return name[0] == '.' && name[1] == 'L';
}

bool symtab_is_better(const struct symtab_builder *b, const struct symtab_raw *x, const struct symtab_raw *than)
{
	const char *name = b->strings.at + (x->name & ~SYMTAB_PLT), *other = b->strings.at + (than->name & ~SYMTAB_PLT);
	struct shape s, o;

	if (!x->size != !than->size)
		return x->size;
	if (is_made_label(name) != is_made_label(other))
		return is_made_label(other);
	if ((x->binding == SYMTAB_LOCAL) != (than->binding == SYMTAB_LOCAL))
		return than->binding == SYMTAB_LOCAL;
	if (x->old != than->old)
		return than->old;
	if (same_but_variant(name, other))
		return false;
	s = shape(name);
	o = shape(other);
	if (s.underscores != o.underscores)
		return s.underscores < o.underscores;
	if (x->binding != than->binding)
		return than->binding == SYMTAB_WEAK;
	return x->binding == SYMTAB_LOCAL ? s.len > o.len : s.len < o.len;
}

/* A symbol that does not say how long it is reaches to the next one. */
static uint32_t reach(const struct symtab_raw *s, const struct symtab_raw *next)
{
	uint64_t end;

	if (s->size)
		return s->size;
	if (next)
		end = next->start;
	else
		end = s->start <= UINT64_MAX - 8192 ? ((s->start + 4095) & ~UINT64_C(4095)) + 4096 : UINT64_MAX;
	return end - s->start < UINT32_MAX ? (uint32_t)(end - s->start) : UINT32_MAX;
}

static size_t merge_same(struct symtab_builder *b, struct symtab_raw *raw, size_t n, enum symtab_same same)
{
	size_t kept = 0;

	/*
	 * Sizes first: of several labels at one place, it is the last that reaches to the next place, and so is the
	 * best.
	 */
	for (size_t i = 0; same == SYMTAB_SAME_BEST && i + 1 < n; i++)
		raw[i].size = reach(&raw[i], &raw[i + 1]);
	for (size_t i = 0; i < n; i++) {
		if (!kept || raw[kept - 1].start != raw[i].start)
			raw[kept++] = raw[i];
		else if (same == SYMTAB_SAME_LAST || symtab_is_better(b, &raw[i], &raw[kept - 1]))
			raw[kept - 1] = raw[i];
	}
	return kept;
}

/*
 * Fills in sizes and the links to enclosing symbols: `outer` of the last one is the stack of those that may still
 * enclose.
 */
static void link_entries(struct symtab_entry *e, const struct symtab_raw *raw, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = reach(&raw[i], i + 1 < n ? &raw[i + 1] : NULL), o = i ? i - 1 : SYMTAB_NONE;

		/* ends are compared as distances from this start: the sum could wrap around */
		while (o != SYMTAB_NONE && (raw[i].start - raw[o].start >= e[o].size ||
					    e[o].size - (raw[i].start - raw[o].start) <= size))
			o = e[o].outer;
		e[i] = (struct symtab_entry){ .size = size, .name = raw[i].name, .outer = o };
	}
}

static void *shrink(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);

	return q ? q : p;
}

struct symtab *symtab_build(struct symtab_builder *b, enum symtab_same same)
{
	struct symtab *t = symtab_new();
	struct symtab_entry *entries;
	uint64_t *starts;
	size_t n;

	if (!t || vec_push(&b->strings, 0) < 0 || sort(&b->raw.at, b->raw.n) < 0)
		goto nomem;
	n = merge_same(b, b->raw.at, b->raw.n, same);
	t->starts = starts = malloc(n * sizeof(*starts) + 1);
	t->entries = entries = malloc(n * sizeof(*entries) + 1);
	if (!starts || !entries)
		goto nomem;
	for (size_t i = 0; i < n; i++)
		starts[i] = b->raw.at[i].start;
	link_entries(entries, b->raw.at, (uint32_t)n);
	t->n = (uint32_t)n;
	t->strings_size = b->strings.n;
	t->strings = shrink(b->strings.at, b->strings.n);
	b->strings.at = NULL;
	symtab_builder_free(b);
	return t;
nomem:
	symtab_builder_free(b);
	symtab_free(t);
	return NULL;
}

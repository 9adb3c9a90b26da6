/* SPDX-License-Identifier: MIT */
#include "analyze/stacks/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/zeros.h"
#include "threads/tasks.h"

void frames_init(struct frames *f, struct symbols *symbols)
{
	*f = (struct frames){ .locator.symbols = symbols };
	f->source_names.no_demangle = !symbols_demangle(symbols);
}

void frames_free(struct frames *f)
{
	frames_end(f);
	source_names_free(&f->source_names);
	locator_free(&f->locator);
	strpool_free(&f->names);
	vec_free(&f->list);
	hash_index_free(&f->index);
	vec_free(&f->branch_ends);
	hash_index_free(&f->branch_index);
}

int frames_begin(struct frames *f, const struct tracefmt *kernel)
{
	f->locator.kernel = kernel;
	if (f->recent)
		frames_forget(f);
	else
		f->recent = zeros_alloc(FRAMES_RECENT, sizeof(*f->recent));
	if (!f->inlined_of_slot)
		f->inlined_of_slot = zeros_alloc(FRAMES_RECENT, sizeof(*f->inlined_of_slot));
	return f->recent && f->inlined_of_slot ? 0 : -SONDE_NOMEM;
}

void frames_forget(struct frames *f)
{
	memset(f->recent, 0, FRAMES_RECENT * sizeof(*f->recent));
}

void frames_end(struct frames *f)
{
	for (size_t i = 0; f->inlined_of_slot && i < FRAMES_RECENT; i++)
		vec_free(&f->inlined_of_slot[i]);
	free(f->inlined_of_slot);
	free(f->recent);
	f->inlined_of_slot = NULL;
	f->recent = NULL;
}

static bool is_same(const struct frame *a, const struct frame *b)
{
	/* with several bundles a binary may have several tables, one after the other */
	return a->binary == b->binary && a->table == b->table && a->symbol == b->symbol && a->addr == b->addr &&
	       a->name == b->name && a->inlined == b->inlined && a->file == b->file && a->line == b->line &&
	       a->srcline == b->srcline && a->place == b->place && a->branch == b->branch &&
	       (a->binary || a->cpumode == b->cpumode);
}

static uint64_t hash_frame(struct hash_index *index, const struct frame *key)
{
	uint64_t who = hash_index_seed(index) ^ (uintptr_t)key->binary ^ (uintptr_t)key->name;

	who = hash_two(hash_two(who, key->symbol), key->addr);
	if (key->inlined || key->srcline)
		who = hash_two(hash_two(who, (uintptr_t)key->inlined), (uintptr_t)key->srcline);
	if (key->place)
		who = hash_two(hash_two(who, key->place), key->branch);
	return who;
}

static uint32_t intern_frame(struct frames *f, const struct frame *key)
{
	uint64_t hash = hash_frame(&f->index, key);
	uint32_t i;

	hash_index_each(&f->index, hash, i)
		if (is_same(&f->list.at[i], key))
			return i;
	i = (uint32_t)f->list.n;
	if (vec_push(&f->list, *key) < 0 || hash_index_add(&f->index, hash, i) < 0)
		return HASH_INDEX_NONE;
	return i;
}

static uint32_t number_of_end(struct frames *f, const struct branch_end *end)
{
	uint64_t hash = hash_two(hash_index_seed(&f->branch_index) ^ ((uint64_t)end->cycles << 32 | end->iterations),
				 (uint64_t)end->iteration_cycles << 8 | (uint64_t)end->aborted << 2 |
				 (uint64_t)end->predicted << 1 | end->is_target);
	uint32_t i;

	hash_index_each(&f->branch_index, hash, i) {
		const struct branch_end *b = &f->branch_ends.at[i];

		if (b->is_target == end->is_target && b->predicted == end->predicted && b->aborted == end->aborted &&
		    b->cycles == end->cycles && b->iterations == end->iterations &&
		    b->iteration_cycles == end->iteration_cycles)
			return i;
	}
	i = (uint32_t)f->branch_ends.n;
	return vec_push(&f->branch_ends, *end) < 0 || hash_index_add(&f->branch_index, hash, i) < 0 ?
		HASH_INDEX_NONE : i;
}

uint32_t frames_of_branch(struct frames *f, uint32_t frame, const struct branch_end *end)
{
	uint32_t number = number_of_end(f, end);
	struct frame own = f->list.at[frame];

	if (number == HASH_INDEX_NONE)
		return HASH_INDEX_NONE;
	own.branch = number + 1;
	return intern_frame(f, &own);
}

int frames_renumber(struct frames *f, const uint32_t *numbers)
{
	size_t kept = 0;

	if (f->recent)
		frames_forget(f);
	hash_index_free(&f->index);
	for (size_t i = 0; i < f->list.n; i++) {
		if (numbers[i] == FRAMES_GONE)
			continue;
		f->list.at[kept] = f->list.at[i];
		if (hash_index_add(&f->index, hash_frame(&f->index, &f->list.at[kept]), (uint32_t)kept) < 0)
			return -SONDE_NOMEM;
		kept++;
	}
	f->list.n = kept;
	return 0;
}

/* NULL when out of memory. */
static const char *intern(struct frames *f, const char *text, size_t len)
{
	uint32_t number = strpool_add(&f->names, text, len);

	return number == UINT32_MAX ? NULL : strpool_get(&f->names, number);
}

/* An address without symbol stands for its function, where that is known. */
static void take_function(struct frames *f, struct frame *key, uint64_t addr)
{
	const struct symtab *functions = symbols_functions(f->locator.symbols, key->binary);
	uint32_t i = symtab_find(functions, addr);

	if (i == SYMTAB_NONE)
		return;
	key->addr = symtab_start(functions, i);
	key->size = (uint32_t)(symtab_end(functions, i) - key->addr);
}

/* As perf shows a place whose line is not known. */
static void put_place(struct buf *text, const struct frame *key, uint64_t ip, const struct addr_location *p)
{
	char dso[256] = "[unknown]";
	uint64_t offset;
	const char *symbol = addr_location_symbol(p, ip, &offset);

	if (symbol) {
		buf_printf(text, "%s+%" PRIu64, symbol, offset);
		return;
	}
	if (key->binary)
		binary_short_name(key->binary, dso, sizeof(dso));
	buf_printf(text, "%s[%" PRIx64 "]", dso, p->mapping ? mapping_to_file(p->mapping, ip) : ip);
}

/* The line of a frame, if lines are wanted. @source: NULL: none is known at the address. 0 or -SONDE_NOMEM. */
static int take_line(struct frames *f, struct frame *key, const struct source_frame *source, uint64_t ip,
		     const struct addr_location *p)
{
	const char *file = source ? source->file : NULL, *slash;
	struct buf text = BUF_MEMORY;

	if (!f->by_line)
		return 0;
	if (file) {
		slash = f->full_paths ? NULL : strrchr(file, '/');
		file = slash ? slash + 1 : file;
		key->file = intern(f, file, strlen(file));
		key->line = source->line;
		buf_printf(&text, "%s:%" PRIu32, file, key->line);
	} else {
		put_place(&text, key, ip, p);
	}
	key->srcline = text.failed ? NULL : intern(f, text.p, text.n);
	buf_free(&text);
	return !key->srcline || !key->file != !file ? -SONDE_NOMEM : 0;
}

/* Adds a frame for a function at the place that the key is of; HASH_INDEX_NONE when out of memory. */
static uint32_t add_frame(struct frames *f, const struct frame *key, const char *inlined,
			  const struct source_frame *source, uint64_t ip, const struct addr_location *p)
{
	struct frame own = *key;

	own.inlined = inlined;
	return take_line(f, &own, source, ip, p) < 0 ? HASH_INDEX_NONE : intern_frame(f, &own);
}

/* Fills the frames of a slot in. */
static int add_frames(struct frames *f, struct frame_slot *s, const struct frame *key, uint64_t ip,
		      const struct addr_location *p)
{
	const struct source_frame *source = NULL;
	size_t n = f->inlined || f->by_line ? addr_location_source(p, f->lines, &source) : 0, last = n ? n - 1 : 0;
	const char *name;
	uint32_t i;

	if (!f->inlined || p->symbol == SYMTAB_NONE)
		last = 0;
	f->inlined_of_slot[s - f->recent].n = 0;
	for (size_t k = 0; k < last; k++) {
		name = source_names_get(&f->source_names, source[k].function);
		i = name ? add_frame(f, key, name, &source[k], ip, p) : HASH_INDEX_NONE;
		if (i == HASH_INDEX_NONE || vec_push(&f->inlined_of_slot[s - f->recent], i) < 0)
			return -SONDE_NOMEM;
	}
	s->nr_inlined = (uint32_t)last;
	s->interrupted = add_frame(f, key, NULL, n ? &source[0] : NULL, ip, p);
	s->frame = last ? add_frame(f, key, NULL, &source[last], ip, p) : s->interrupted;
	return s->interrupted == HASH_INDEX_NONE || s->frame == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

const struct frame_slot *frames_look_up(struct frames *f, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller)
{
	struct frame_slot *s = frames_slot(f, root, ip);
	struct addr_location p = locator_find(&f->locator, root, cpumode, ip, is_caller);
	struct frame key = { .table = p.table, .symbol = p.symbol, .cpumode = cpumode, .name = p.kernel_name,
			     .addr = p.kernel_name ? 0 : ip, .place = f->by_place ? ip : 0 };

	if (f->locator.out_of_memory)
		return NULL;
	if (p.mapping) {
		key.binary = p.mapping->binary;
		key.mapping_size = p.mapping->end - p.mapping->start;
		key.addr = mapping_to_file(p.mapping, ip);
		key.place = f->by_place ? key.addr : 0;
		if (p.symbol != SYMTAB_NONE || key.binary->kind == BINARY_KSYMBOL)
			key.addr = 0;
		else if (key.binary->kind == BINARY_FILE)
			take_function(f, &key, mapping_to_file(p.mapping, p.looked_up));
	}
	*s = (struct frame_slot){ .root = root, .ip = ip, .cpumode = cpumode, .is_caller = is_caller,
				  .offset = addr_location_offset_in(&p, ip),
				  .is_handler_entry = f->callers && addr_location_is_handler_entry(&p) };
	if (add_frames(f, s, &key, ip, &p) < 0)
		return NULL;
	s->used = true;
	return s;
}

/* The line of a function that has a name, if lines are wanted. 0 or -SONDE_NOMEM. */
static int take_named_line(struct frames *f, struct frame *key, const struct named_frame *n)
{
	const char *slash = f->full_paths || !n->file.len ? NULL : memrchr(n->file.p, '/', n->file.len);
	struct sonde_str file = n->file;
	struct buf text = BUF_MEMORY;
	const char *name = frame_symbol(key);

	if (slash)
		str_skip(&file, (size_t)(slash + 1 - file.p));
	if (file.len) {
		key->file = intern(f, file.p, file.len);
		key->line = n->line;
		buf_printf(&text, "%.*s:%" PRIu32, (int)file.len, file.p, n->line);
	} else if (name) {
		buf_str(&text, name);
	} else {
		put_place(&text, key, n->addr, &(struct addr_location){ .symbol = SYMTAB_NONE });
	}
	key->srcline = text.failed ? NULL : intern(f, text.p, text.n);
	buf_free(&text);
	return !key->srcline || (file.len && !key->file) ? -SONDE_NOMEM : 0;
}

/* A place in a file of this machine may have a name here. */
static void find_symbol(struct frames *f, struct frame *key)
{
	bool is_file = key->binary && key->binary->kind == BINARY_FILE;
	struct symtab *table = is_file ? symbols_table(f->locator.symbols, key->binary) : NULL;
	uint32_t symbol = table ? symtab_find(table, key->addr) : SYMTAB_NONE;

	if (symbol == SYMTAB_NONE)
		return;
	key->table = table;
	key->symbol = symbol;
	key->addr = 0;
}

uint32_t frames_add_named(struct frames *f, const struct named_frame *n)
{
	struct frame key = { .binary = n->binary, .symbol = SYMTAB_NONE, .cpumode = n->cpumode };
	const char *name = n->name.len && n->name.p[0] ? intern(f, n->name.p, n->name.len) : NULL;

	if (name && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		name = source_names_get(&f->source_names, name);
	if (n->name.len && n->name.p[0] && !name)
		return HASH_INDEX_NONE;
	if (!name) {
		key.addr = n->addr;
		if (n->is_offset)
			find_symbol(f, &key);
	} else if (n->inlined) {
		key.inlined = name;
	} else {
		key.name = name;
	}
	if (f->by_line && take_named_line(f, &key, n) < 0)
		return HASH_INDEX_NONE;
	return intern_frame(f, &key);
}

uint32_t frames_add_at_line(struct frames *f, uint32_t outer, uint32_t inner)
{
	struct frame key = f->list.at[outer];

	key.file = f->list.at[inner].file;
	key.line = f->list.at[inner].line;
	key.srcline = f->list.at[inner].srcline;
	return intern_frame(f, &key);
}

uint32_t frame_size(const struct frame *f)
{
	if (f->symbol == SYMTAB_NONE)
		return f->size;
	return (uint32_t)(symtab_end(f->table, f->symbol) - symtab_start(f->table, f->symbol));
}

const char *frame_symbol(const struct frame *f)
{
	if (f->inlined)
		return f->inlined;
	if (f->symbol != SYMTAB_NONE)
		return symtab_name(f->table, f->symbol);
	return f->binary && f->binary->kind == BINARY_KSYMBOL ? f->binary->name : f->name;
}

char frame_level(const struct frame *f)
{
	switch (f->cpumode) {
	case CPUMODE_KERNEL: return 'k';
	case CPUMODE_USER: return '.';
	case CPUMODE_GUEST_KERNEL: return 'g';
	case CPUMODE_GUEST_USER: return 'u';
	case CPUMODE_HYPERVISOR: return 'H';
	}
	if (!f->binary)
		return '?';
	switch (f->binary->kind) {
	case BINARY_KERNEL:
	case BINARY_MODULE:
	case BINARY_KSYMBOL: return 'k';
	default: return '.';
	}
}

/* The kernel knows a module by the name of its file with '_' for '-', without what says how it is packed. */
static void module_name(const char *path, char *text, size_t size)
{
	const char *base = strrchr(path, '/'), *end;
	int n;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	if (base[0] == '[' || !end) {
		snprintf(text, size, "%s", base);
		return;
	}
	n = snprintf(text, size, "[%.*s]", (int)(end - base), base);
	for (int i = 0; i < n && (size_t)i < size; i++)
		if (text[i] == '-')
			text[i] = '_';
}

void binary_short_name(const struct binary *b, char *text, size_t size)
{
	const char *slash = strrchr(b->name, '/');

	switch (b->kind) {
	case BINARY_JIT:
		if (b->name[0] != '/' || strncmp(b->name, "/memfd:", 7) == 0)
			break;
		/* fall through */
	case BINARY_JITDUMP:
		snprintf(text, size, "[JIT] tid %d", b->pid);
		return;
	case BINARY_MODULE:
		module_name(b->name, text, size);
		return;
	case BINARY_FILE:
		snprintf(text, size, "%s", slash && slash[1] ? slash + 1 : b->name);
		return;
	case BINARY_OTHER:
		if (b->name[0] != '/')
			break;
		snprintf(text, size, "%s", slash[1] ? slash + 1 : b->name);  /* "//anon": memory without code */
		return;
	case BINARY_VDSO:
	case BINARY_KERNEL:
	case BINARY_KSYMBOL:
		break;
	}
	snprintf(text, size, "%s", b->name + (b->kind == BINARY_JIT && b->name[0] == '/'));
}

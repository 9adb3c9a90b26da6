/* SPDX-License-Identifier: MIT */
#include "resolve/places.h"

#include "base/zeros.h"
#include "threads/tasks.h"

int places_init(struct places *p, struct symbols *symbols)
{
	*p = (struct places){ .locator.symbols = symbols, .names.no_demangle = !symbols_demangle(symbols) };
	p->recent = zeros_alloc(PLACES_RECENT, sizeof(*p->recent));
	return p->recent ? 0 : -SONDE_NOMEM;
}

void places_free(struct places *p)
{
	if (p->nr_interrupted)
		symbols_count_interrupted(p->locator.symbols, p->nr_interrupted);
	source_names_free(&p->names);
	locator_free(&p->locator);
	vec_free(&p->frames);
	vec_free(&p->list);
	hash_index_free(&p->index);
	free(p->recent);
}

static int add_inlined(struct places *p, const struct place_frame *outer, const struct source_frame *source)
{
	struct place_frame f = *outer;

	f.symbol = source_names_get(&p->names, source->function);
	f.file = source->file;
	f.line = source->line;
	f.inlined = true;
	return f.symbol ? vec_push(&p->frames, f) : -SONDE_NOMEM;
}

static int add_frames(struct places *p, struct place *place, const struct addr_location *at, uint64_t ip)
{
	struct place_frame f = { .binary = place->binary, .addr = place->addr, .cpumode = place->cpumode,
				 .module = addr_location_module(at) };
	const struct source_frame *source = NULL;
	size_t n = p->lines ? addr_location_source(at, p->lines, &source) : 0;

	place->first = (uint32_t)p->frames.n;
	f.symbol = addr_location_symbol(at, ip, &place->offset);
	for (size_t i = 0; i + 1 < n && at->symbol != SYMTAB_NONE; i++)
		if (add_inlined(p, &f, &source[i]) < 0)
			return -SONDE_NOMEM;
	if (n) {
		f.file = source[n - 1].file;
		f.line = source[n - 1].line;
	}
	if (vec_push(&p->frames, f) < 0)
		return -SONDE_NOMEM;
	place->n = (uint32_t)p->frames.n - place->first;
	return 0;
}

static uint32_t find_or_add(struct places *p, struct place *key, const struct addr_location *at, uint64_t ip)
{
	uint64_t hash = hash_two(hash_index_seed(&p->index) ^ (uintptr_t)key->binary, key->addr << 1 | key->is_caller);
	uint32_t i;

	hash_index_each(&p->index, hash, i) {
		const struct place *known = &p->list.at[i];

		if (known->binary == key->binary && known->addr == key->addr && known->is_caller == key->is_caller &&
		    (key->binary || (known->cpumode == key->cpumode && known->kernel == key->kernel)))
			return i;
	}
	i = (uint32_t)p->list.n;
	key->is_handler_entry = addr_location_is_handler_entry(at);
	if (add_frames(p, key, at, ip) < 0 || vec_push(&p->list, *key) < 0 || hash_index_add(&p->index, hash, i) < 0)
		return UINT32_MAX;
	return i;
}

uint32_t places_look_up(struct places *p, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller)
{
	struct place key = { .addr = ip, .symbol_addr = ip, .cpumode = cpumode, .is_caller = is_caller };
	struct addr_location at;
	bool counts;
	uint32_t i;

	at = locator_find(&p->locator, root, cpumode, ip, is_caller);
	if (p->locator.out_of_memory)
		return UINT32_MAX;
	counts = addr_location_is_unnamed_code(&at) && !is_caller;
	if (counts)
		symbols_count_unnamed(p->locator.symbols, at.mapping->binary);
	if (at.mapping) {
		key.binary = at.mapping->binary;
		key.addr = mapping_to_file(at.mapping, ip);
		key.symbol_addr = mapping_to_binary(at.mapping, ip);
	} else {
		key.kernel = p->locator.kernel;
	}
	i = find_or_add(p, &key, &at, ip);
	if (i != UINT32_MAX && !counts)      /* each of these is counted */
		*places_slot(p, root, ip) =
			(struct place_slot){ root, p->locator.kernel, ip, i + 1, cpumode, is_caller };
	return i;
}

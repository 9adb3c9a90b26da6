/* SPDX-License-Identifier: MIT */
#include "unwind/memory.h"

#include <sys/mman.h>

#include "base/bytes.h"
#include "unwind/cpu.h"
#include "unwind/images.h"

/* Farther above the copy is another memory than this stack: stacks of threads have 8 MB. */
#define STACK_MOST (UINT64_C(64) << 20)

static uint64_t load(const uint8_t *p, unsigned size, bool swap)
{
	switch (size) {
	case 1: return *p;
	case 2: return load_u16(p, swap);
	case 4: return load_u32(p, swap);
	}
	return load_u64(p, swap);
}

struct unwind_image *unwind_memory_image(const struct unwind_memory *m, const struct unwind_cpu *cpu,
					 const struct mapping *map)
{
	struct unwind_image *image =
		map && map->binary->kind <= BINARY_JITDUMP ? unwind_image_get(m->images, map->binary) : NULL;

	return unwind_image_is_of(image, cpu->machine) ? image : NULL;
}

bool unwind_memory_rule(const struct unwind_memory *m, const struct unwind_cpu *cpu, uint64_t addr,
			struct unwind_found *out)
{
	const struct mapping *map = maps_find(m->maps, addr);
	struct unwind_image *image = unwind_memory_image(m, cpu, map);

	*out = image ? unwind_image_find(image, mapping_to_binary(map, addr)) : (struct unwind_found){ 0 };
	return out->rule;
}

bool unwind_memory_code(struct unwind_memory *m, uint64_t addr, void *out, size_t size)
{
	const struct mapping *map = maps_find(m->maps, addr);

	/* the file has not the bytes that the process has written */
	return map && map->binary->kind <= BINARY_JITDUMP && !(map->prot & PROT_WRITE) && size <= map->end - addr &&
	       unwind_image_read(unwind_image_get(m->images, map->binary), mapping_to_binary(map, addr), out, size);
}

bool unwind_memory_read(struct unwind_memory *m, uint64_t addr, unsigned size, uint64_t *out)
{
	uint64_t at = addr - m->stack_at;
	uint8_t bytes[8];

	if (at < m->stack.len && size <= m->stack.len - at) {
		*out = load(m->stack.p + at, size, m->swap);
		return true;
	}
	if (unwind_memory_code(m, addr, bytes, size)) {
		*out = load(bytes, size, m->swap);
		return true;
	}
	m->beyond_stack |= at < STACK_MOST;
	return false;
}

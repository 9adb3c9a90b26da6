/* SPDX-License-Identifier: MIT */
#include "unwind/memory.h"

#include <sys/mman.h>

#include "base/bytes.h"
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

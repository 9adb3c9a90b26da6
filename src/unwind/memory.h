/* SPDX-License-Identifier: MIT */
/* memory.h - what is known of the memory of a sampled task: the copy of its stack, and the bytes of its binaries */
#ifndef UNWIND_MEMORY_H
#define UNWIND_MEMORY_H

#include <sonde/types.h>

#include "threads/maps.h"

struct unwind_cpu;
struct unwind_found;
struct unwind_image;
struct unwind_images;

struct unwind_memory {
	uint64_t stack_at;           /* the stack pointer of the sample */
	struct sonde_bytes stack;
	maps_root maps;
	struct unwind_images *images;
	uint8_t word;                /* bytes of an address */
	bool swap;                   /* the task's byte order is not the host's */
	bool beyond_stack;           /* a read failed that the rest of the stack may have answered */
};

/* A number of @size bytes (1, 2, 4, 8); false if it is not known. */
bool unwind_memory_read(struct unwind_memory *m, uint64_t addr, unsigned size, uint64_t *out);

/* The image of a mapping (NULL: none); NULL where there is none, or one of another machine. */
struct unwind_image *unwind_memory_image(const struct unwind_memory *m, const struct unwind_cpu *cpu,
					 const struct mapping *map);

/* How a frame at an address is unwound by a table; false if none has the address. */
bool unwind_memory_rule(const struct unwind_memory *m, const struct unwind_cpu *cpu, uint64_t addr,
			struct unwind_found *out);

/* Bytes of the code at an address; false if there is no file for it. */
bool unwind_memory_code(struct unwind_memory *m, uint64_t addr, void *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * call_site.h - whether the instruction before an address is a call: return addresses that were guessed must follow
 * one
 */
#ifndef UNWIND_CALL_SITE_H
#define UNWIND_CALL_SITE_H

#include "unwind/cpu.h"
#include "unwind/memory.h"

/* True too where the code cannot be read. */
bool call_site_may_end_at(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr);

/* Whether a call at @from ends before @end; where the code cannot be read, whether that is not too long for one. */
bool call_site_is_between(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t from, uint64_t end);

/* The function that the call before @addr calls; false if the call is indirect or cannot be read. */
bool call_site_target(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr, uint64_t *target);

/* Where the first call of @target in [start, end) returns to; 0 if there is none or the code cannot be read. */
uint64_t call_site_find(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t start, uint64_t end,
			uint64_t target);

/* Whether the code at @addr is a stub of x86 that jumps to a function of another file. */
bool call_site_is_stub(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr);

#endif

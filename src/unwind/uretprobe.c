/* SPDX-License-Identifier: MIT */
#include "unwind/uretprobe.h"

#include <string.h>

#include "unwind/call_site.h"
#include "unwind/frame.h"

/* Bytes of stack that are searched, and of code in all. */
enum { STACK_SEARCHED = 8192, CODE_SEARCHED = 1 << 18 };

bool uretprobe_is_trampoline(maps_root maps, uint64_t pc)
{
	const struct mapping *map = maps_find(maps, pc);

	return map && strcmp(map->binary->name, "[uprobes]") == 0;
}

/* Whether a function that goes on at @pc keeps its return address at @place. */
static bool keeps_return_at(const struct unwind_cpu *cpu, struct unwind_memory *m, const struct unwind_registers *regs,
			    uint64_t pc, uint64_t place)
{
	struct unwind_found found;
	uint64_t at;

	return unwind_memory_rule(m, cpu, pc - 1, &found) &&
	       frame_return_place(cpu, &found, m, regs, &at) && at == place;
}

bool uretprobe_find_caller(const struct unwind_cpu *cpu, struct unwind_memory *m, const struct unwind_registers *regs,
			   uint64_t function, uint64_t *pc)
{
	uint64_t sp = regs->at[cpu->sp], left = CODE_SEARCHED, size, above, caller;
	struct unwind_found found;

	for (uint64_t at = 0; at < STACK_SEARCHED && unwind_memory_read(m, sp + at, cpu->word, &above);
	     at += cpu->word) {
		above &= cpu->address_mask;
		if (!above || !call_site_target(cpu, m, above, &caller) ||
		    !unwind_memory_rule(m, cpu, caller, &found))
			continue;
		size = found.end - found.start;
		if (size > left)
			return false;
		left -= size;
		*pc = call_site_find(cpu, m, caller, caller + size, function);
		if (*pc && keeps_return_at(cpu, m, regs, *pc, sp + at))
			return true;
	}
	return false;
}

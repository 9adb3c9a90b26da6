/* SPDX-License-Identifier: MIT */
/*
 * walk.c - from frame to frame of a copied stack
 *
 *	registers, stack, maps ---> slot of pc: CFI, trampoline, signal frame ---> step ---> registers of the caller
 *	                                       | none                               ^
 *	                                       +--> guess: link, frame pointer, room, scan, leaf
 *
 * In: the registers and the copy of the stack of a sample, and the maps of its moment. An address is looked up once;
 * its slot keeps the rule. Without CFI each guess must be proved: the return address follows a call of this function,
 * or the caller has a caller. Out: the addresses of the frames, a caller's minus 1, and how the stack ended. Where the
 * copy ends, callers of the recorded callchain or of the branches follow, if they are beyond doubt the next ones.
 *
 * Never: the stack is read beyond its copy; a caller's frame lies below that of the called function, but on a stack of
 * signals; a guess is followed by a frame whose address is not behind a call.
 */
#include "unwind/walk.h"

#include "base/bytes.h"
#include "base/zeros.h"
#include "model/context_markers.h"
#include "unwind/arm_prologue.h"
#include "unwind/call_site.h"
#include "unwind/prologue.h"
#include "unwind/recorded_callers.h"
#include "unwind/trampoline.h"
#include "unwind/uretprobe.h"

enum { NR_SLOTS = 1 << 13 };

/* Room on the stack of a function without CFI that is looked for. */
enum { FRAME_MOST = 512 };

/* Words on the stack of a function without CFI that calls none: as many registers as functions save. */
enum { LEAF_MOST = 8 };

/* Bytes of code without CFI that count as one function, and of stack that is searched for its return address. */
enum { GAP_MOST = 4096, SCAN_MOST = 8192 };

/* Of the return address in the room that callers make for registers. */
enum { S390_RETURN_SLOT = 112 };

/* How a frame at an address is unwound. */
struct unwind_slot {
	maps_root maps;
	uint64_t pc;
	const struct unwind_cpu *cpu;        /* NULL: the slot is empty */
	struct unwind_found found;
	const struct trampoline *trampoline; /* NULL: by the rule */
	bool by_registers;                   /* trampoline was found by those of the frame: others may differ */
	bool exact;                          /* pc is the next instruction, not a return address */
	bool mapped;                         /* there is code */
	bool uretprobe;                      /* the kernel put its trampoline in place of the return address */
	bool signal;
	bool starts;                         /* pc is the first byte of a function */
	bool outermost;                      /* a process starts here, in code without CFI: nothing called it */
	uint64_t into;                       /* bytes of the function before pc */
};

/* A stack while it is walked. */
struct walk_state {
	struct unwinder *u;
	const struct unwind_cpu *cpu;
	struct unwind_memory m;
	struct unwind_registers regs;
	bool exact;                  /* the frame was interrupted */
	bool guessed;                /* a frame had no CFI: the addresses above it must prove themselves */
	uint64_t cfa;                /* of the frame before; 0: none to compare with */
	uint64_t first_fp;           /* the frame pointer of the sample */
	uint64_t function;           /* where that of the frame before begins; 0: not known */
};

void unwinder_free(struct unwinder *u)
{
	free(u->slots);
	vec_free(&u->ips);
	vec_free(&u->chain);
	*u = (struct unwinder){ 0 };
}

static struct unwind_image *image_of(const struct walk_state *w, const struct mapping *map)
{
	return unwind_memory_image(&w->m, w->cpu, map);
}

static bool has_rule(const struct walk_state *w, uint64_t addr)
{
	struct unwind_found found;

	return unwind_memory_rule(&w->m, w->cpu, addr, &found);
}

static void look_up(struct walk_state *w, struct unwind_slot *slot)
{
	uint64_t pc = slot->pc, inside = slot->exact ? pc : pc - 1;
	const struct mapping *map = maps_find(w->m.maps, inside);
	struct unwind_image *image;
	struct unwind_found at_pc;
	uint64_t offset;

	slot->mapped = map != NULL;
	image = image_of(w, map);
	if (!image) {
		slot->uretprobe = !slot->exact && uretprobe_is_trampoline(w->m.maps, pc);
		slot->by_registers = map && map->binary->kind == BINARY_VDSO && !slot->exact;
		if (slot->by_registers)
			slot->trampoline = trampoline_by_registers(w->cpu, &w->m, &w->regs);
		slot->signal = slot->trampoline != NULL;
		return;
	}
	offset = mapping_to_binary(map, pc);
	slot->found = unwind_image_find(image, offset - (slot->exact ? 0 : 1));
	/* a handler returns to the first byte of a function, which nothing calls */
	if (!slot->exact && (!slot->found.rule || slot->found.end == offset)) {
		at_pc = unwind_image_find(image, offset);
		if (at_pc.rule && at_pc.rule->signal)
			slot->found = at_pc;
	}
	slot->trampoline = trampoline_at(w->cpu, &w->m, pc, slot->found.rule);
	slot->into = slot->found.rule ? offset - slot->found.start : 0;
	slot->starts = slot->found.rule && !slot->into;
	slot->outermost = !slot->found.rule && unwind_image_is_entry(image, offset);
	slot->signal = slot->trampoline || (slot->found.rule && slot->found.rule->signal);
}

static const struct unwind_slot *slot_of(struct walk_state *w)
{
	uint64_t pc = w->regs.pc, hash = (pc ^ (uintptr_t)w->m.maps >> 4) * UINT64_C(0x9e3779b97f4a7c15);
	struct unwind_slot *slot = &w->u->slots[hash >> 40 & (NR_SLOTS - 1)];

	if (slot->cpu == w->cpu && slot->pc == pc && slot->maps == w->m.maps && slot->exact == w->exact &&
	    !slot->by_registers)
		return slot;
	*slot = (struct unwind_slot){ .maps = w->m.maps, .pc = pc, .cpu = w->cpu, .exact = w->exact };
	look_up(w, slot);
	return slot;
}

/* A return address that can be one: it follows a call, in a function with CFI. */
static bool may_return_to(struct walk_state *w, uint64_t pc)
{
	return pc && has_rule(w, pc - 1) && call_site_may_end_at(w->cpu, &w->m, pc);
}

/* Frames of .ARM.exidx: functions that throw nothing have no rule, and none holds before the first instruction. */
static bool lacks_rule(const struct walk_state *w, const struct unwind_slot *slot)
{
	return slot->found.rule->body_only &&
	       (slot->found.rule->return_register >= UNWIND_REGS || (w->exact && slot->starts));
}

static enum unwind_end by_prologue(struct walk_state *w, const struct unwind_slot *slot)
{
	struct unwind_registers regs = w->regs;

	if (!arm_prologue_unwind(w->regs.pc - slot->into, w->exact, &w->m, &w->regs) || !may_return_to(w, w->regs.pc)) {
		w->regs = regs;
		return w->exact ? UNWIND_NO_CFI : UNWIND_COMPLETE;  /* where threads begin there is no rule either */
	}
	w->exact = false;
	w->cfa = w->regs.at[w->cpu->sp];
	return UNWIND_GOES_ON;
}

/* Whether the caller of the frame at w->regs makes sense. */
static bool has_caller(struct walk_state *w)
{
	struct walk_state next = *w;
	const struct unwind_slot *slot = slot_of(&next);
	uint64_t pc = w->regs.pc, cfa;

	if (!slot->found.rule)
		return false;
	if (lacks_rule(w, slot))
		return by_prologue(&next, slot) == UNWIND_GOES_ON && next.regs.pc != pc;
	switch (frame_unwind(w->cpu, &slot->found, &next.m, false, &next.regs, &cfa)) {
	case UNWIND_COMPLETE: return next.regs.pc == pc;  /* the table says so, not a 0 on the stack */
	case UNWIND_GOES_ON: return next.regs.pc != pc && may_return_to(&next, next.regs.pc);
	default: return false;
	}
}

/* The words where the frame pointer points to. */
struct frame_record {
	uint64_t at, pc, next;       /* next: the caller's frame pointer */
};

static bool read_record(struct walk_state *w, struct frame_record *r)
{
	const struct unwind_cpu *cpu = w->cpu;

	if (!cpu->has_records || !unwind_register_get(&w->regs, cpu->fp, &r->at) || r->at % cpu->word ||
	    r->at < w->regs.at[cpu->sp])
		return false;
	if (!unwind_memory_read(&w->m, r->at + (uint64_t)(int64_t)cpu->record_return, cpu->word, &r->pc) ||
	    !unwind_memory_read(&w->m, r->at + (uint64_t)(int64_t)cpu->record_fp, cpu->word, &r->next))
		return false;
	r->pc &= cpu->address_mask;
	/* a caller may have another use for the register, where this function has surely set it */
	return (!r->next || r->next > r->at || prologue_sets_frame_pointer(cpu, &w->m, w->regs.pc)) &&
	       maps_find(w->m.maps, r->pc - 1);
}

static void use_record(struct walk_state *w, const struct frame_record *r)
{
	unwind_register_set(&w->regs, w->cpu->fp, r->next);
	unwind_register_set(&w->regs, w->cpu->sp, w->cpu->record_return > 0 ? r->at + 2u * w->cpu->word : r->at);
	w->regs.pc = r->pc;
}

/*
 * Without CFI: the link register of an interrupted function, which may have made room on the stack. The nearest stack
 * pointer with which the caller has a caller is taken; a frame record that agrees with the register knows it.
 */
static bool by_link(struct walk_state *w)
{
	uint64_t pc, sp = w->regs.at[w->cpu->sp];
	struct frame_record record;

	if (!w->exact || w->cpu->link == CPU_NO_REG || !unwind_register_get(&w->regs, w->cpu->link, &pc))
		return false;
	pc &= w->cpu->address_mask;
	if (!may_return_to(w, pc))
		return false;
	if (read_record(w, &record) && record.pc == pc) {
		use_record(w, &record);
		return true;
	}
	w->exact = false;
	w->regs.pc = pc;
	for (uint64_t room = 0; room <= FRAME_MOST; room += 2u * w->cpu->word) {
		w->regs.at[w->cpu->sp] = sp + room;
		if (has_caller(w))
			return true;
	}
	return false;
}

/*
 * Functions without frame pointer leave the record of an older frame in the register: the call before the return
 * address must be one of a function without CFI, such as this one, unless nothing there has CFI.
 */
static bool calls_this(struct walk_state *w, uint64_t own_pc, uint64_t return_pc)
{
	uint64_t target;

	if (!unwind_image_has_tables(image_of(w, maps_find(w->m.maps, own_pc))))
		return call_site_may_end_at(w->cpu, &w->m, return_pc);
	if (call_site_target(w->cpu, &w->m, return_pc, &target) && !call_site_is_stub(w->cpu, &w->m, target))
		return !has_rule(w, target);
	/* a call that can go anywhere: this function must have set the register */
	return prologue_sets_frame_pointer(w->cpu, &w->m, own_pc) && may_return_to(w, return_pc);
}

/* Without CFI: the record to which the frame pointer points, if everything about it makes sense. */
static bool by_frame_pointer(struct walk_state *w)
{
	struct frame_record record;

	if (!read_record(w, &record) || !calls_this(w, w->regs.pc, record.pc))
		return false;
	use_record(w, &record);
	return true;
}

/* Whether both addresses are in code without CFI, with none between them: in one function, as far as anybody knows. */
static bool in_one_gap(const struct walk_state *w, uint64_t start, uint64_t pc)
{
	if (start > pc || pc - start > GAP_MOST)
		return false;
	for (uint64_t at = start; at < pc; at += 16)
		if (has_rule(w, at))
			return false;
	return !has_rule(w, pc);
}

/*
 * A function that lowers the stack pointer and stores its return address: @at bytes above the stack pointer is one that
 * it may have stored. On s390x callers have the room for it, at a fixed place. A caller without CFI cannot be asked.
 */
static bool by_room(struct walk_state *w, uint64_t sp, uint64_t room, uint64_t at)
{
	if (w->cpu->cfa_above_sp ? at != room + S390_RETURN_SLOT : at >= room)
		return false;
	w->regs.at[w->cpu->sp] = sp + room;
	return !has_rule(w, w->regs.pc - 1) || has_caller(w);
}

/*
 * Without CFI: the nearest word on the stack that is the return address of a call of this very function. Where the
 * return address lies below the registers that are saved with it, the caller must have a caller.
 */
static bool by_scan(struct walk_state *w)
{
	uint64_t own = w->exact ? w->regs.pc : w->regs.pc - 1, sp = w->regs.at[w->cpu->sp], target, pc, made;
	uint32_t word = w->cpu->word;

	if (!unwind_image_has_tables(image_of(w, maps_find(w->m.maps, own))))
		return false;
	for (uint64_t at = 0; at < SCAN_MOST && unwind_memory_read(&w->m, sp + at, word, &pc); at += word) {
		pc &= w->cpu->address_mask;
		if (!pc || !call_site_target(w->cpu, &w->m, pc, &target) || !in_one_gap(w, target, own))
			continue;
		w->regs.pc = pc;
		w->exact = false;
		if (w->cpu->link == CPU_NO_REG) {
			w->regs.at[w->cpu->sp] = sp + at + word;
			return true;
		}
		made = prologue_room(w->cpu, &w->m, target, own);
		if (made && by_room(w, sp, made, at))
			return true;
		if (made)
			continue;
		for (uint64_t room = (at + 15) & ~UINT64_C(15); room <= at + FRAME_MOST; room += 16) {
			w->regs.at[w->cpu->sp] = sp + room;
			if (has_caller(w))
				return true;
		}
		return false;
	}
	return false;
}

/*
 * Without CFI: an interrupted function of x86 that has saved some registers at most, called through a stub or a
 * pointer. The nearest word that is a return address to a caller with a caller is taken.
 */
static bool by_leaf(struct walk_state *w)
{
	uint64_t sp = w->regs.at[w->cpu->sp], pc, target;
	uint32_t word = w->cpu->word;

	if (w->cpu->link != CPU_NO_REG || !w->exact)
		return false;
	w->exact = false;
	for (uint64_t at = 0; at <= LEAF_MOST * word && unwind_memory_read(&w->m, sp + at, word, &pc); at += word) {
		if (!may_return_to(w, pc) || (call_site_target(w->cpu, &w->m, pc, &target) &&
					      !call_site_is_stub(w->cpu, &w->m, target)))
			continue;
		w->regs.pc = pc;
		w->regs.at[w->cpu->sp] = sp + at + word;
		if (has_caller(w))
			return true;
	}
	return false;
}

static enum unwind_end guess(struct walk_state *w)
{
	static bool (*const ways[])(struct walk_state *w) = { by_link, by_frame_pointer, by_scan, by_leaf };
	const struct unwind_registers regs = w->regs;
	const bool exact = w->exact;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i](w)) {
			w->guessed = true;
			w->exact = false;
			w->cfa = 0;
			return UNWIND_GOES_ON;
		}
		w->regs = regs;
		w->exact = exact;
	}
	return UNWIND_NO_CFI;
}

/* From a frame to its caller's. */
static enum unwind_end step(struct walk_state *w, const struct unwind_slot *slot)
{
	enum unwind_end end;
	uint64_t cfa;

	if (slot->trampoline) {
		w->m.beyond_stack = false;
		if (!trampoline_unwind(slot->trampoline, w->cpu, &w->m, &w->regs))
			return w->m.beyond_stack ? UNWIND_CUT : UNWIND_ERROR;
		w->exact = true;
		w->cfa = 0;
		return UNWIND_GOES_ON;
	}
	if (slot->outermost)
		return UNWIND_COMPLETE;
	if (!slot->found.rule)
		return guess(w);
	if (lacks_rule(w, slot))
		return by_prologue(w, slot);
	if (w->cpu->pc != CPU_NO_REG)
		unwind_register_set(&w->regs, w->cpu->pc, w->regs.pc);
	end = frame_unwind(w->cpu, &slot->found, &w->m, w->exact, &w->regs, &cfa);
	if (end != UNWIND_GOES_ON)
		return end;
	/* a stack of signals may lie anywhere; else a caller's frame is above that of the called function */
	if (w->cfa && cfa <= w->cfa && !slot->signal)
		return UNWIND_ERROR;
	w->exact = slot->signal;
	w->cfa = slot->signal ? 0 : cfa;
	return UNWIND_GOES_ON;
}

static void note_bytes(struct walk_state *w)
{
	uint64_t bytes = w->regs.at[w->cpu->sp] - w->m.stack_at;

	if (w->regs.known[w->cpu->sp] && bytes <= w->m.stack.len && bytes > w->u->bytes)
		w->u->bytes = bytes;
}

static int walk(struct walk_state *w, uint32_t most)
{
	struct unwinder *u = w->u;
	const struct unwind_slot *slot;

	do {
		slot = slot_of(w);
		if (slot->uretprobe && u->ips.n) {
			if (!uretprobe_find_caller(w->cpu, &w->m, &w->regs, w->function, &w->regs.pc)) {
				u->end = UNWIND_URETPROBE;
				return 0;
			}
			slot = slot_of(w);
		}
		if (u->ips.n && !slot->mapped) {
			u->end = UNWIND_ERROR;
			return 0;
		}
		if (w->guessed && !w->exact && !slot->signal && !call_site_may_end_at(w->cpu, &w->m, w->regs.pc)) {
			u->end = UNWIND_NO_CFI;
			return 0;
		}
		if (u->ips.n == most) {
			u->end = UNWIND_TOO_DEEP;
			return 0;
		}
		if (vec_push(&u->ips, w->exact || slot->signal ? w->regs.pc : w->regs.pc - 1) < 0)
			return -SONDE_NOMEM;
		w->function = slot->found.rule ? w->regs.pc - slot->into : 0;
		u->end = step(w, slot);
		note_bytes(w);
	} while (u->end == UNWIND_GOES_ON);
	return 0;
}

/* The callers that the kernel found by frame pointers, above the record of the last frame. */
static bool find_by_record(struct walk_state *w, const struct sample *s, struct recorded_callers *callers)
{
	const struct unwind_slot *slot = slot_of(w);
	uint64_t place, fp;

	/* a frame without record would leave its caller out */
	return w->u->end == UNWIND_CUT && w->cpu->has_records && slot->found.rule &&
	       unwind_register_get(&w->regs, w->cpu->fp, &fp) &&
	       frame_return_place(w->cpu, &slot->found, &w->m, &w->regs, &place) &&
	       place == fp + (uint64_t)(int64_t)w->cpu->record_return &&
	       recorded_callers_by_record(callers, s, w->cpu, &w->m, w->first_fp, fp);
}

static bool find_by_calls(struct walk_state *w, const struct sample *s, struct recorded_callers *callers)
{
	const struct unwind_slot *slot = slot_of(w);
	/* w->regs are those of the last frame only where the copy ended */
	uint64_t function = w->u->end == UNWIND_CUT && slot->found.rule ? w->regs.pc - slot->into : 0;

	return recorded_callers_by_calls(callers, s, w->cpu, &w->m, w->u->ips.at, w->u->ips.n, function);
}

/* Whether nothing called the function of a frame. */
static bool is_outermost(const struct walk_state *w, const struct unwind_slot *slot)
{
	return slot->outermost ||
	       (slot->found.rule && !lacks_rule(w, slot) && frame_is_outermost(slot->found.rule));
}

/* They follow the frames up to the function that nothing calls, with which the stack is complete after all. */
static int add_callers(struct walk_state *w, const struct recorded_callers *callers, uint32_t most)
{
	uint64_t ip;

	for (uint64_t i = callers->at; i < callers->end; i++) {
		ip = recorded_caller_at(callers, w->cpu, i);
		if (!maps_find(w->m.maps, ip))
			return 0;
		if (w->u->ips.n == most) {
			w->u->end = UNWIND_TOO_DEEP;
			return 0;
		}
		if (vec_push(&w->u->ips, ip) < 0)
			return -SONDE_NOMEM;
		w->exact = false;
		w->regs.pc = ip + 1;
		if (is_outermost(w, slot_of(w))) {
			w->u->end = UNWIND_COMPLETE;
			return 0;
		}
	}
	return 0;
}

static bool can_go_on(enum unwind_end end)
{
	return end == UNWIND_CUT || end == UNWIND_NO_CFI || end == UNWIND_ERROR || end == UNWIND_URETPROBE;
}

/* Callers that were recorded besides, where the copy of the stack does not show them. */
static int join(struct walk_state *w, const struct sample *s, uint32_t most)
{
	struct recorded_callers callers;
	int r = 0;

	if (!can_go_on(w->u->end))
		return 0;
	if (find_by_record(w, s, &callers))
		r = add_callers(w, &callers, most);
	if (r == 0 && can_go_on(w->u->end) && find_by_calls(w, s, &callers))
		r = add_callers(w, &callers, most);
	return r;
}

static int walk_copy(struct walk_state *w, struct unwinder *u, const struct sample *s, const char *arch, bool in_kernel,
		     maps_root maps, uint32_t most)
{
	*w = (struct walk_state){ .u = u, .cpu = unwind_cpu_find(arch, s->user_regs.abi), .exact = true };
	u->ips.n = 0;
	u->end = UNWIND_ERROR;
	u->bytes = 0;
	if (!w->cpu || !unwind_registers_read(&w->regs, w->cpu, &s->user_regs, in_kernel))
		return -SONDE_MISSING;
	if (!u->slots)
		u->slots = zeros_alloc(NR_SLOTS, sizeof(*u->slots));
	if (!u->slots)
		return -SONDE_NOMEM;
	u->at = w->regs.at[w->cpu->sp];
	w->first_fp = w->regs.at[w->cpu->fp];
	w->m = (struct unwind_memory){ .stack_at = w->regs.at[w->cpu->sp], .stack = s->user_stack, .maps = maps,
				       .images = u->images, .word = w->cpu->word,
				       .swap = w->cpu->big_endian != host_is_big_endian() };
	return walk(w, most);
}

int unwind_walk(struct unwinder *u, const struct sample *s, const char *arch, bool in_kernel, maps_root maps,
		uint32_t most)
{
	struct walk_state w;

	return walk_copy(&w, u, s, arch, in_kernel, maps, most);
}

/*
 * The calls that the processor has kept. They lie where the calls are, so none is a return address. What was running
 * is the sample itself, and under a kernel part the address that the kernel recorded.
 */
static int take_call_stack(struct unwinder *u, const struct sample *s, bool in_kernel, uint64_t user_part,
			   uint32_t most)
{
	bool recorded = user_part + 1 < s->callchain.nr;
	uint64_t first = s->ip;

	u->ips.n = 0;
	u->end = UNWIND_GOES_ON;
	if (!s->branches.is_call_stack || !s->branches.nr || user_part == s->callchain.nr)
		return -SONDE_MISSING;
	if (in_kernel)
		first = recorded ? u64s_at(&s->callchain, user_part + 1) : sample_branch_at(s, 0).to;
	for (uint64_t i = 0; i <= s->branches.nr && u->ips.n < most; i++)
		if (vec_push(&u->ips, i ? sample_branch_at(s, i - 1).from : first) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* Entries before the user part. */
static uint64_t kernel_part(const struct u64s *chain)
{
	uint64_t n = 0;

	while (n < chain->nr && u64s_at(chain, n) != CONTEXT_USER && u64s_at(chain, n) != CONTEXT_USER_DEFERRED)
		n++;
	return n;
}

int unwind_sample(struct unwinder *u, const struct sample *s, const char *arch, bool in_kernel, maps_root maps,
		  uint32_t most, struct u64s *out)
{
	uint64_t nr = kernel_part(&s->callchain);
	struct walk_state w;
	int r;

	*out = s->callchain;
	r = walk_copy(&w, u, s, arch, in_kernel, maps, most);
	if (r == 0)
		r = join(&w, s, most);
	if (r == -SONDE_MISSING)
		r = take_call_stack(u, s, in_kernel, nr, most);
	if (r < 0)
		return r == -SONDE_MISSING ? 0 : r;
	u->chain.n = 0;
	if (vec_reserve(&u->chain, nr + 1 + u->ips.n) < 0)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i < nr; i++)
		u->chain.at[u->chain.n++] = u64s_at(&s->callchain, i);
	u->chain.at[u->chain.n++] = CONTEXT_USER;
	for (size_t i = 0; i < u->ips.n; i++)
		u->chain.at[u->chain.n++] = u->ips.at[i];
	*out = (struct u64s){ .p = (const uint8_t *)u->chain.at, .nr = u->chain.n };
	return 0;
}

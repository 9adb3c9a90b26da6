/* SPDX-License-Identifier: MIT */
#include "symbol/types/insn.h"

#include <sonde/types.h>

#ifdef HAVE_CAPSTONE

#include <string.h>

#include "base/bytes.h"
#include "disasm/capstone.h"
#include "symbol/types/offset.h"

static int8_t dwarf_register(x86_reg reg)
{
	static const uint16_t names[NR_REGS][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL },
		{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B },
		{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B },
		{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B },
		{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B },
		{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B },
		{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B },
		{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B },
		{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B },
	};

	if (reg == X86_REG_INVALID)
		return REG_NONE;
	for (int8_t i = 0; i < NR_REGS; i++)
		for (size_t k = 0; k < ARRAY_SIZE(names[0]); k++)
			if (names[i][k] == reg)
				return i;
	return REG_NONE;
}

static struct operand memory_of(const cs_insn *insn, const x86_op_mem *m)
{
	struct operand o = { .kind = OPERAND_MEMORY, .value = m->disp,
			     .reg = dwarf_register(m->base), .index = dwarf_register(m->index) };

	if (m->segment == X86_REG_FS)
		o.segment = SEGMENT_FS;
	else if (m->segment == X86_REG_GS)
		o.segment = SEGMENT_GS;
	/* Without a base the displacement of a file that does not move is an address. */
	if (m->base == X86_REG_RIP)
		o.value = offset_sum(o.value, (int64_t)(insn->address + insn->size));
	if (m->base == X86_REG_RIP || (m->base == X86_REG_INVALID && !o.segment))
		o.reg = REG_PC;
	return o;
}

static struct operand operand_of(const cs_insn *insn, const cs_x86_op *op)
{
	switch (op->type) {
	case X86_OP_REG:
		return (struct operand){ .kind = OPERAND_REG, .reg = dwarf_register(op->reg), .index = REG_NONE };
	case X86_OP_IMM:
		return (struct operand){ .kind = OPERAND_IMM, .reg = REG_NONE, .index = REG_NONE, .value = op->imm };
	case X86_OP_MEM:
		return memory_of(insn, &op->mem);
	default:
		return (struct operand){ .kind = OPERAND_NONE, .reg = REG_NONE, .index = REG_NONE };
	}
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static enum insn_kind kind_of(const char *name)
{
	static const struct { const char *name; enum insn_kind kind; } kinds[] = {
		{ "mov", INSN_MOV }, { "lea", INSN_LEA }, { "add", INSN_ADD }, { "sub", INSN_SUB },
		{ "xor", INSN_XOR }, { "and", INSN_CHANGE }, { "or", INSN_CHANGE }, { "imul", INSN_CHANGE },
		{ "inc", INSN_CHANGE }, { "dec", INSN_CHANGE }, { "neg", INSN_CHANGE }, { "jmp", INSN_JUMP },
		{ "j", INSN_BRANCH }, { "loop", INSN_BRANCH }, { "call", INSN_CALL }, { "ret", INSN_RET },
		{ "push", INSN_STACK }, { "pop", INSN_STACK },
	};

	if (strcmp(name, "leave") == 0 || strcmp(name, "popcnt") == 0)
		return INSN_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (begins(name, kinds[i].name))
			return kinds[i].kind;
	return INSN_OTHER;
}

static bool touches_no_memory(const char *name)
{
	return begins(name, "lea") || begins(name, "nop") || begins(name, "prefetch");
}

static void take_operands(struct insn *out, const cs_insn *insn)
{
	const cs_x86 *x = &insn->detail->x86;

	out->from = out->to = (struct operand){ .reg = REG_NONE, .index = REG_NONE };
	if (x->op_count)
		out->to = operand_of(insn, &x->operands[0]);
	/* Of three operands the one in memory counts. */
	for (uint8_t i = 1; i < x->op_count; i++)
		if (i == 1 || x->operands[i].type == X86_OP_MEM)
			out->from = operand_of(insn, &x->operands[i]);
	if ((out->kind == INSN_JUMP || out->kind == INSN_BRANCH || out->kind == INSN_CALL) &&
	    out->to.kind == OPERAND_IMM)
		out->target = (uint64_t)out->to.value;
	if (out->kind != INSN_LEA && touches_no_memory(insn->mnemonic))
		out->from = out->to = (struct operand){ .reg = REG_NONE, .index = REG_NONE };
}

static struct insn insn_of(const cs_insn *insn)
{
	const char *name = insn->mnemonic;
	struct insn out = { .addr = insn->address, .size = (uint8_t)insn->size, .kind = (uint8_t)kind_of(name) };

	take_operands(&out, insn);
	if (insn->detail->x86.prefix[0] == X86_PREFIX_LOCK) {
		out.kind = INSN_OTHER;
		return out;
	}
	out.is_or_xor = begins(name, "or") || begins(name, "xor");
	out.compares = begins(name, "test") || (begins(name, "cmp") && !strstr(name, "xchg"));
	out.computes = begins(name, "add") || begins(name, "sub") || begins(name, "and") || begins(name, "inc") ||
		       begins(name, "dec") || out.is_or_xor;
	return out;
}

int insns_decode(struct insns *out, const uint8_t *code, uint64_t size, uint64_t addr)
{
	const struct capstone *capstone = capstone_get();
	size_t left = size;
	cs_insn *insn;
	csh handle;
	int r = 0;

	if (!capstone || capstone->open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return -SONDE_NOMEM;
	capstone->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn = capstone->malloc(handle);
	r = insn ? 0 : -SONDE_NOMEM;
	while (left && r == 0) {
		if (capstone->disasm_iter(handle, &code, &left, &addr, insn)) {
			r = vec_push(&out->list, insn_of(insn));
			continue;
		}
		r = vec_push(&out->list, ((struct insn){ .addr = addr, .size = 1, .from = { .reg = REG_NONE },
							 .to = { .reg = REG_NONE } }));
		code++;
		left--;
		addr++;
	}
	if (insn)
		capstone->free(insn, 1);
	capstone->close(&handle);
	return r;
}

#else

int insns_decode(struct insns *out, const uint8_t *code, uint64_t size, uint64_t addr)
{
	(void)out, (void)code, (void)size, (void)addr;
	return 0;
}

#endif

int64_t insns_at(const struct insns *insns, uint64_t addr)
{
	size_t low = 0, high = insns->list.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (insns->list.at[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < insns->list.n && insns->list.at[low].addr == addr ? (int64_t)low : -1;
}

bool operand_is_canary(const struct operand *memory)
{
	return memory->segment != SEGMENT_NONE && memory->reg == REG_NONE && memory->index == REG_NONE &&
	       memory->value == 40;
}

const struct operand *insn_memory(const struct insn *insn)
{
	if (insn->kind == INSN_LEA || insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH)
		return NULL;
	return insn->from.kind == OPERAND_MEMORY ? &insn->from :
	       insn->to.kind == OPERAND_MEMORY ? &insn->to : NULL;
}

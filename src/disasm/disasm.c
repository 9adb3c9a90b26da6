/* SPDX-License-Identifier: MIT */
#include "disasm/disasm.h"

#ifdef HAVE_CAPSTONE

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disasm/att.h"
#include "disasm/data.h"

struct disasm {
	const struct capstone *capstone;
	csh handle;
	cs_insn *insn;
	struct machine_mode mode;
	uint16_t machine;
	bool att;
	bool thumb;
	bool big_endian;
};

static int open_handle(struct disasm *d, enum disasm_syntax syntax, struct sonde_error *err)
{
	bool x86 = d->mode.arch == CS_ARCH_X86;

	if (d->capstone->open(d->mode.arch, d->mode.mode, &d->handle) != CS_ERR_OK)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "capstone %d refuses the machine %u", CS_API_MAJOR,
			       d->machine);
	d->att = x86 && syntax == DISASM_ATT;
	if (d->att)
		d->capstone->option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->capstone->option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = d->capstone->malloc(d->handle);
	return d->insn ? 0 : err_nomem(err);
}

int disasm_new(struct disasm **out, const struct machine_code *code, enum disasm_syntax syntax, struct sonde_error *err)
{
	struct disasm *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return err_nomem(err);
	r = machine_mode(code, &d->mode, err);
	d->capstone = capstone_get();
	d->machine = code->machine;
	d->big_endian = code->big_endian;
	if (r == 0)
		r = open_handle(d, syntax, err);
	if (r < 0) {
		disasm_free(d);
		return r;
	}
	*out = d;
	return 0;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	if (d->insn)
		d->capstone->free(d->insn, 1);
	if (d->handle)
		d->capstone->close(&d->handle);
	free(d);
}

void disasm_set_thumb(struct disasm *d, bool thumb)
{
	if (d->mode.arch != CS_ARCH_ARM || d->thumb == thumb)
		return;
	d->thumb = thumb;
	d->mode.step = thumb ? 2 : 4;
	d->capstone->option(d->handle, CS_OPT_MODE, thumb ? d->mode.mode | CS_MODE_THUMB : d->mode.mode);
}

/* Instructions that capstone has in no group, or in the wrong one. */
static const struct {
	const char *name;
	uint8_t kind;
	const char *operands;        /* how they begin; NULL: any */
} kinds[] = {
	{ "bl", DISASM_CALL, NULL },      { "blr", DISASM_RETURN, "" },     { "blr", DISASM_CALL, NULL },
	{ "blx", DISASM_CALL, NULL },     { "bctrl", DISASM_CALL, NULL },   { "bx", DISASM_RETURN, "lr" },
	{ "bx", DISASM_JUMP, NULL },      { "bctr", DISASM_JUMP, NULL },    { "brasl", DISASM_CALL, NULL },
	{ "bras", DISASM_CALL, NULL },    { "basr", DISASM_CALL, NULL },    { "br", DISASM_RETURN, "%r14" },
	{ "jal", DISASM_CALL, NULL },     { "jalr", DISASM_CALL, NULL },    { "bal", DISASM_CALL, NULL },
	{ "bgezal", DISASM_CALL, NULL },  { "jr", DISASM_RETURN, "$ra" },   { "jr", DISASM_JUMP, NULL },
	{ "call", DISASM_CALL, NULL },    { "ret", DISASM_RETURN, NULL },   { "retl", DISASM_RETURN, NULL },
	{ "return", DISASM_RETURN, NULL }, { "blrl", DISASM_CALL, NULL },
};

static enum disasm_kind kind_of_group(const cs_insn *insn)
{
	const cs_detail *detail = insn->detail;
	enum disasm_kind kind = DISASM_OTHER;

	for (uint8_t i = 0; detail && i < detail->groups_count; i++) {
		if (detail->groups[i] == CS_GRP_RET || detail->groups[i] == CS_GRP_IRET)
			return DISASM_RETURN;
		if (detail->groups[i] == CS_GRP_CALL)
			kind = DISASM_CALL;
		else if (detail->groups[i] == CS_GRP_JUMP && kind == DISASM_OTHER)
			kind = DISASM_JUMP;
	}
	return kind;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n >= k && strcmp(name + n - k, end) == 0;
}

/* je, jglh, cgrje; ber %r14 */
static enum disasm_kind kind_on_s390(const cs_insn *insn)
{
	const char *name = insn->mnemonic;

	if (name[0] == 'j' || (name[0] == 'c' && strchr(name, 'j')))
		return DISASM_JUMP;
	return name[0] == 'b' && ends_with(name, "r") && strcmp(insn->op_str, "%r14") == 0 ? DISASM_RETURN :
											      DISASM_OTHER;
}

/* beq 0x1000, bgt cr7, 0x1000; bnel 0x1000; beqlr */
static enum disasm_kind kind_on_ppc(const cs_insn *insn)
{
	const char *name = insn->mnemonic;

	if (name[0] != 'b')
		return DISASM_OTHER;
	if (ends_with(name, "lr"))
		return DISASM_RETURN;
	if (!strstr(insn->op_str, "0x"))
		return DISASM_OTHER;
	return ends_with(name, "l") ? DISASM_CALL : DISASM_JUMP;
}

/* Conditional branches are in no group of capstone 4 on some machines. */
static enum disasm_kind kind_of_condition(const struct disasm *d, const cs_insn *insn)
{
	switch (d->machine) {
	case EM_S390:
		return kind_on_s390(insn);
	case EM_PPC:
	case EM_PPC64:
		return kind_on_ppc(insn);
	}
	return DISASM_OTHER;
}

static enum disasm_kind kind_of(const struct disasm *d, const cs_insn *insn)
{
	enum disasm_kind kind;

	if (d->mode.arch == CS_ARCH_X86)
		return kind_of_group(insn);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(insn->mnemonic, kinds[i].name) == 0 &&
		    (!kinds[i].operands || (!kinds[i].operands[0] && !insn->op_str[0]) ||
		     (kinds[i].operands[0] &&
		      strncmp(insn->op_str, kinds[i].operands, strlen(kinds[i].operands)) == 0)))
			return kinds[i].kind;
	kind = kind_of_group(insn);
	return kind == DISASM_OTHER ? kind_of_condition(d, insn) : kind;
}

/* The last operand of a jump or call, if it is an address. */
static void find_target(struct disasm_insn *out)
{
	const char *comma = strrchr(out->operands, ','), *p = comma ? comma + 1 : out->operands;
	char *end;

	p += strspn(p, " ");
	out->target_at = (uint8_t)(p - out->operands);
	p += *p == '#';
	if (*p < '0' || *p > '9')
		return;
	out->target = strtoull(p, &end, 0);
	out->has_target = *end == '\0';
}

/* "0x2fe2(%rip)" */
static void find_referred(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_x86 *x = &insn->detail->x86;

	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].mem.base == X86_REG_RIP) {
			out->has_referred = true;
			out->referred = insn->address + insn->size + (uint64_t)x->operands[i].mem.disp;
		}
}

/* Bytes of the operand beside an immediate one. */
static uint8_t operand_size(const cs_x86 *x)
{
	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type != X86_OP_IMM)
			return x->operands[i].size;
	return 8;
}

static void take(const struct disasm *d, const cs_insn *insn, struct disasm_insn *out)
{
	out->addr = insn->address;
	out->size = (uint8_t)insn->size;
	out->kind = (uint8_t)kind_of(d, insn);
	out->has_target = out->has_referred = false;
	if (d->att) {
		const struct att_source text = { insn->mnemonic, insn->op_str, insn->detail->x86.encoding.disp_size,
						 operand_size(&insn->detail->x86) };

		att_write(out->mnemonic, sizeof(out->mnemonic), out->operands, sizeof(out->operands), &text);
	} else {
		snprintf(out->mnemonic, sizeof(out->mnemonic), "%s", insn->mnemonic);
		snprintf(out->operands, sizeof(out->operands), "%s", insn->op_str);
	}
	if (out->kind == DISASM_JUMP || out->kind == DISASM_CALL)
		find_target(out);
	if (d->mode.arch == CS_ARCH_X86 && insn->detail)
		find_referred(insn, out);
}

bool disasm_next(struct disasm *d, struct disasm_place *at, struct disasm_insn *out)
{
	struct disasm_place next = *at;

	if (!at->left)
		return false;
	if (d->capstone->disasm_iter(d->handle, &next.p, &next.left, &next.addr, d->insn) &&
	    next.left < at->left && !(at->lost && at->addr < at->sync && next.addr > at->sync)) {
		take(d, d->insn, out);
		next.lost = false;
		*at = next;
		return true;
	}
	data_take(at, d->mode.step, d->big_endian, out);
	at->lost = true;
	return true;
}

#else

int disasm_new(struct disasm **out, const struct machine_code *code, enum disasm_syntax syntax, struct sonde_error *err)
{
	(void)out, (void)code, (void)syntax;
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "this build has no capstone, which takes code apart");
}

void disasm_free(struct disasm *d)
{
	(void)d;
}

void disasm_set_thumb(struct disasm *d, bool thumb)
{
	(void)d, (void)thumb;
}

bool disasm_next(struct disasm *d, struct disasm_place *at, struct disasm_insn *out)
{
	(void)d, (void)at, (void)out;
	return false;
}

#endif

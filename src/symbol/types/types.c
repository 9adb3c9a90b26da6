/* SPDX-License-Identifier: MIT */
#include "symbol/types/types.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/u64map.h"
#include "disasm/capstone.h"
#include "symbol/elf/loads.h"
#include "symbol/types/dwarf.h"
#include "symbol/types/offset.h"
#include "symbol/types/track.h"

/* Honest functions are smaller. */
#define FUNCTION_MAX ((uint64_t)256 * 1024)

/* Steps that the looks at a file may take: those to begin with, and for each of its bytes. Then nothing has a type. */
enum { WORK_MIN = 1 << 22, WORK_OF_BYTE = 256 };

/* Instructions of functions that are kept; more, and all are forgotten. */
enum { INSNS_KEPT = 1 << 20 };

struct types {
	const struct elf_file *code;
	struct symtab *table;
	struct elf_loads loads;
	struct types_dwarf dwarf;
	VEC(struct function *) functions;
	struct u64map function_of_start;
	size_t nr_insns;
};

/* A look at one instruction. */
struct look {
	struct types *t;
	struct function *f;
	uint32_t insn;               /* its number in the function */
	const struct operand *memory;
	struct types_unit *unit;
	struct scope *scopes[SCOPES_MAX];  /* from the function inwards */
	int nr_scopes;
	bool frame_is_cfa;
	struct types_frame frame;    /* reg is REG_NONE: not known, or it is the canonical frame address */
};

bool types_supported(void)
{
	return capstone_is_there();
}

/* Without holes. */
static uint64_t size_on_disk(const struct elf_file *f)
{
	struct stat st;
	size_t size = 0;

	if (f->fd < 0)
		elf_rawfile(f->elf, &size);
	else if (fstat(f->fd, &st) == 0)
		size = (size_t)st.st_blocks * 512;
	return size;
}

struct types *types_new(const struct elf_file *code, const struct elf_file *debug, struct symtab *table)
{
	struct types *t;

	if (!types_supported() || code->ehdr.e_machine != EM_X86_64)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->code = code;
	t->table = table;
	elf_loads_read(&t->loads, code);
	if (types_dwarf_open(&t->dwarf, code, debug ? debug : code) < 0) {
		free(t);
		return NULL;
	}
	t->dwarf.work = WORK_MIN + WORK_OF_BYTE * (size_on_disk(code) + (debug ? size_on_disk(debug) : 0));
	return t;
}

static void forget_functions(struct types *t)
{
	for (size_t i = 0; i < t->functions.n; i++)
		function_free(t->functions.at[i]);
	t->functions.n = 0;
	t->nr_insns = 0;
	u64map_free(&t->function_of_start);
}

void types_free(struct types *t)
{
	if (!t)
		return;
	forget_functions(t);
	vec_free(&t->functions);
	types_dwarf_close(&t->dwarf);
	free(t);
}

static bool read_code(const struct elf_file *f, uint64_t offset, uint8_t *to, size_t size)
{
	const char *bytes;
	size_t have;

	if (f->fd >= 0)
		return pread(f->fd, to, size, (off_t)offset) == (ssize_t)size;
	bytes = elf_rawfile(f->elf, &have);
	if (!bytes || offset > have || size > have - offset)
		return false;
	memcpy(to, bytes + offset, size);
	return true;
}

static struct function *load_function(struct types *t, uint64_t offset, uint64_t size, uint64_t addr)
{
	struct function *f = NULL;
	uint8_t *code;

	if (size > FUNCTION_MAX || !die_work(&t->dwarf.work, size * 16))
		return NULL;
	code = malloc(size);
	if (code && read_code(t->code, offset, code, size))
		f = function_new(code, addr, addr + size);
	free(code);
	return f;
}

/* The function that the symbols have at a file offset; NULL: none that can be read. */
static struct function *function_at(struct types *t, uint64_t offset)
{
	uint32_t symbol = symtab_find(t->table, offset), number;
	uint64_t start, size, addr;
	struct function *f;

	if (symbol == SYMTAB_NONE)
		return NULL;
	start = symtab_start(t->table, symbol);
	size = symtab_end(t->table, symbol) - start;
	number = u64map_get(&t->function_of_start, start);
	if (number != U64MAP_NONE)
		return t->functions.at[number];
	if (!elf_loads_address(&t->loads, start, &addr))
		return NULL;
	if (t->nr_insns > INSNS_KEPT)
		forget_functions(t);
	f = load_function(t, start, size, addr);
	if (!f)
		return NULL;
	if (vec_push(&t->functions, f) < 0) {
		function_free(f);
		return NULL;
	}
	t->nr_insns += f->insns.list.n;
	if (u64map_set(&t->function_of_start, start, (uint32_t)t->functions.n - 1) < 0)
		t->nr_insns = SIZE_MAX / 2;  /* found by nobody: freed with the next one */
	return f;
}

static bool find_frame(void *ctx, uint64_t addr, int *reg, int64_t *offset)
{
	struct look *l = ctx;
	struct types_frame frame = l->frame;

	if (l->frame_is_cfa ? !types_dwarf_cfa_at(&l->t->dwarf, addr, &frame) : frame.reg == REG_NONE)
		return false;
	*reg = frame.reg;
	*offset = frame.offset;
	return true;
}

/* The name that the symbols have for an address, and its distance from there. */
static const char *symbol_name(struct types *t, uint64_t addr, char *name, size_t size, int64_t *distance)
{
	uint32_t symbol;

	if (!elf_loads_offset(&t->loads, &addr))
		return NULL;
	symbol = symtab_find(t->table, addr);
	if (symbol == SYMTAB_NONE)
		return NULL;
	*distance = (int64_t)(addr - symtab_start(t->table, symbol));
	snprintf(name, size, "%s", symtab_linkage_name(t->table, symbol));
	name[strcspn(name, "@")] = 0;  /* the version */
	return name;
}

/* By its place, or by the name of the symbol there: another unit may define it, or another file. */
static bool find_global(void *ctx, uint64_t addr, Dwarf_Die *type, int64_t *offset)
{
	struct look *l = ctx;
	char name[256];

	if (types_dwarf_global_at(&l->t->dwarf, addr, type, offset))
		return true;
	return symbol_name(l->t, addr, name, sizeof(name), offset) &&
	       types_dwarf_named_type(&l->t->dwarf, l->unit, DW_TAG_variable, name, type) &&
	       (uint64_t)*offset < die_size(type);
}

/* A pointer to nothing known, as malloc() returns, would hide what is known of the variable that it is stored in. */
static bool find_result(void *ctx, uint64_t function, Dwarf_Die *type)
{
	struct look *l = ctx;
	char name[256];
	int64_t distance;
	Dwarf_Die target;

	return symbol_name(l->t, function, name, sizeof(name), &distance) && distance == 0 &&
	       types_dwarf_named_type(&l->t->dwarf, l->unit, DW_TAG_subprogram, name, type) &&
	       (!die_is_pointer(type) || die_pointee(type, &target));
}

static void read_frame_base(struct look *l, Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	l->frame.reg = REG_NONE;
	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attr) || dwarf_getlocation(&attr, &ops, &n) != 0 ||
	    n != 1)
		return;
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		l->frame.reg = ops->atom - DW_OP_reg0;
	l->frame_is_cfa = ops->atom == DW_OP_call_frame_cfa;
}

/* The bytes from the start of what a variable gives the type of, if the operand touches it through a register. */
static bool touches(const struct variable *v, int reg, int64_t displacement, bool is_frame, int64_t on_frame,
		    Dwarf_Die *type, int64_t *offset)
{
	*type = v->type;
	if (v->place == VARIABLE_ON_FRAME && is_frame) {
		*offset = offset_difference(on_frame, v->offset);
	} else if (v->place == VARIABLE_AT_REG && v->reg == reg) {
		*offset = offset_difference(displacement, v->offset);
	} else if (v->place == VARIABLE_IN_REG && v->reg == reg && die_pointee(&v->type, type)) {
		*offset = offset_difference(displacement, v->offset);
		return *offset == 0 || (*offset > 0 && (uint64_t)*offset < die_size(type));
	} else {
		return false;
	}
	return *offset >= 0 && (uint64_t)*offset < v->size;
}

static bool is_at(const struct variable *v, uint64_t addr)
{
	return v->everywhere || (addr >= v->start && addr < v->end);
}

/* The first variable of a scope that the operand touches with a register. */
static bool find_in_scope(struct look *l, const struct scope *scope, int reg, Dwarf_Die *type, int64_t *offset)
{
	uint64_t addr = l->f->insns.list.at[l->insn].addr;
	int64_t distance = 0;
	int frame = REG_NONE;

	find_frame(l, addr, &frame, &distance);
	if (!die_work(&l->t->dwarf.work, scope->variables.n))
		return false;
	for (size_t i = 0; i < scope->variables.n; i++)
		if (is_at(&scope->variables.at[i], addr) &&
		    touches(&scope->variables.at[i], reg, l->memory->value, reg == frame,
			    offset_difference(l->memory->value, distance), type, offset))
			return true;
	return false;
}

/* Of all scopes: the variable in which the operand lies furthest, then the better type. */
static bool find_by_reg(struct look *l, int reg, Dwarf_Die *type, int64_t *offset)
{
	Dwarf_Die other;
	bool found = false;
	int64_t at;

	for (int i = l->nr_scopes - 1; i >= 0 && reg != REG_NONE; i--) {
		if (!find_in_scope(l, l->scopes[i], reg, &other, &at))
			continue;
		if (found && (*offset > at || (*offset == at && die_is_better(&other, type))))
			continue;
		*type = other;
		*offset = at;
		found = true;
	}
	return found;
}

static bool find_by_address(struct look *l, uint64_t addr, Dwarf_Die *type, int64_t *offset)
{
	if (find_global(l, addr, type, offset))
		return true;
	for (int i = l->nr_scopes - 1; i >= 0; i--)
		for (size_t k = 0; k < l->scopes[i]->variables.n; k++) {
			const struct variable *v = &l->scopes[i]->variables.at[k];

			if (v->place != VARIABLE_AT_ADDRESS || addr - (uint64_t)v->offset >= v->size)
				continue;
			*type = v->type;
			*offset = (int64_t)(addr - (uint64_t)v->offset);
			return true;
		}
	return false;
}

static enum types_kind find_type(struct look *l, Dwarf_Die *type, int64_t *offset)
{
	const struct surroundings in = { l, &l->t->dwarf.work, find_frame, find_global, find_result };
	const struct operand *m = l->memory;

	if (m->reg == REG_PC)
		return find_by_address(l, (uint64_t)m->value, type, offset) ? TYPES_TYPE : TYPES_UNKNOWN;
	if (find_by_reg(l, m->reg, type, offset) || find_by_reg(l, m->index, type, offset))
		return TYPES_TYPE;
	switch (track(l->f, l->scopes, l->nr_scopes, l->insn, m, &in, type, offset)) {
	case TRACK_TYPE: return TYPES_TYPE;
	case TRACK_CANARY: return TYPES_CANARY;
	case TRACK_NOTHING: break;
	}
	return TYPES_UNKNOWN;
}

static bool open_scopes(struct look *l, uint64_t addr)
{
	Dwarf_Die function, dies[SCOPES_MAX];
	struct scope *scope;
	int n;

	l->unit = types_dwarf_unit_at(&l->t->dwarf, addr);
	if (!l->unit)
		return false;
	if (!types_dwarf_function_at(&l->t->dwarf, l->unit, addr, &function))
		return true;
	read_frame_base(l, &function);
	n = scopes_around(&function, addr, dies, &l->t->dwarf.work);
	if (!die_work(&l->t->dwarf.work, (uint64_t)n * l->f->scopes.n))
		return true;
	for (int i = 0; i < n; i++) {
		scope = function_scope(l->f, &dies[i]);
		if (scope)
			l->scopes[l->nr_scopes++] = scope;
	}
	return true;
}

/* Would a CPU run the instruction as one with that after it? As perf has it, whatever that is but a jump. */
static bool fuses(const struct insn *insn, const struct insn *next, enum types_fusing fusing)
{
	if (next->kind == INSN_JUMP)
		return false;
	return (insn->compares && fusing >= TYPES_FUSE_COMPARE) ||
	       (insn->computes && fusing >= (insn->is_or_xor ? TYPES_FUSE_ALL : TYPES_FUSE_SUM));
}

/* The operand that an instruction touches, or the one that it is fused with. */
static enum types_kind find_operand(struct look *l, enum types_fusing fusing)
{
	const struct insn *insns = l->f->insns.list.at;

	for (;; l->insn--) {
		const struct insn *insn = &insns[l->insn];

		if (insn->kind == INSN_CALL || insn->kind == INSN_RET || insn->kind == INSN_STACK)
			return TYPES_STACK;
		l->memory = insn_memory(insn);
		if (l->memory && operand_is_canary(l->memory))
			return TYPES_CANARY;
		if (l->memory)
			return l->memory->segment == SEGMENT_NONE ? TYPES_TYPE : TYPES_UNKNOWN;
		if (insn->kind == INSN_LEA || !l->insn || !fuses(insn - 1, insn, fusing))
			return TYPES_UNKNOWN;
	}
}

void types_find(struct types *t, uint64_t offset, enum types_fusing fusing, struct types_access *out)
{
	struct look l = { .t = t, .f = function_at(t, offset), .frame = { .reg = REG_NONE } };
	Dwarf_Die type;
	int64_t number;
	uint64_t addr;

	out->kind = TYPES_UNKNOWN;
	out->offset = 0;
	if (!l.f || !elf_loads_address(&t->loads, offset, &addr))
		return;
	number = insns_at(&l.f->insns, addr);
	if (number < 0)
		return;
	l.insn = (uint32_t)number;
	out->kind = find_operand(&l, fusing);
	if (out->kind != TYPES_TYPE)
		return;
	out->kind = open_scopes(&l, l.f->insns.list.at[l.insn].addr) ? find_type(&l, &type, &out->offset) :
								      TYPES_UNKNOWN;
	if (out->kind != TYPES_TYPE) {
		out->offset = 0;
		return;
	}
	die_put_name(out->type, &type);
	die_put_member(out->member, &type, out->offset, &t->dwarf.work);
}

/* SPDX-License-Identifier: MIT */
/* Numbers are those of <linux/perf_event.h>; words and their order are what perf prints. */
#include "export/sample_text.h"

#include <linux/perf_event.h>
#include <stdio.h>

#include "base/bytes.h"
#include "model/event.h"

static unsigned bits(uint64_t v, unsigned at, unsigned width)
{
	return (unsigned)(v >> at & ((UINT64_C(1) << width) - 1));
}

/* The names of the bits that are set, with `between` in between; false if there are none. */
static bool put_names(struct buf *out, uint64_t set, const char *const *names, size_t nr_names, const char *between)
{
	bool any = false;

	for (size_t i = 0; i < nr_names; i++) {
		if (!(set >> i & 1) || !names[i])
			continue;
		if (any)
			buf_str(out, between);
		buf_str(out, names[i]);
		any = true;
	}
	return any;
}

static void put_operation(struct buf *out, uint64_t v)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	unsigned op = bits(v, 0, 5);

	buf_str(out, op ? names[__builtin_ctz(op)] : "No");
}

enum { LEVEL_HIT = 2, LEVEL_MISS = 4 };

/* Newer kernels number the level; the older bit mask is only looked at where there is no number. */
void text_memory_level(struct buf *out, uint64_t v)
{
	static const char *const numbered[] = {
		NULL,  "L1",        "L2",      "L3",  "L4",   "L2 MHB", "Memory-side Cache", "L0", "Uncached", "CXL",
		"I/O", "Any cache", "LFB/MAB", "RAM", "PMEM", NULL
	};
	static const char *const masked[] = { NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM",
					      "Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const hops[8] = {
		"", "core, same node ", "node, same socket ", "socket, same board ", "board ", "", "", ""
	};
	unsigned mask = bits(v, 5, 14), number = bits(v, 33, 4);

	if (numbered[number]) {
		if (bits(v, 37, 1)) {
			buf_str(out, "Remote ");
			buf_str(out, hops[bits(v, 43, 3)]);
		}
		buf_str(out, numbered[number]);
	} else if (!put_names(out, mask, masked, ARRAY_SIZE(masked), " or ")) {
		buf_str(out, "N/A");
		return;
	}
	buf_str(out, mask & LEVEL_HIT ? " hit" : mask & LEVEL_MISS ? " miss" : " ");
}

void text_snoop(struct buf *out, uint64_t v)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };

	if (!put_names(out, bits(v, 19, 5) | bits(v, 38, 2) << 5, names, ARRAY_SIZE(names), " or "))
		buf_str(out, "N/A");
}

void text_tlb(struct buf *out, uint64_t v)
{
	static const char *const names[] = { NULL, NULL, NULL, "L1", "L2", "Walker", "Fault" };
	unsigned tlb = bits(v, 26, 7);

	if (!put_names(out, tlb, names, ARRAY_SIZE(names), " or "))
		buf_str(out, "N/A");
	buf_str(out, tlb & LEVEL_HIT ? " hit" : tlb & LEVEL_MISS ? " miss" : "");
}

void text_lock(struct buf *out, uint64_t v)
{
	unsigned lock = bits(v, 24, 2);

	buf_str(out, lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

void text_block(struct buf *out, uint64_t v)
{
	unsigned block = bits(v, 40, 3);

	if (!block || block & 1)
		buf_str(out, " N/A");
	if (!(block & 1) && block & 2)
		buf_str(out, " Data");
	if (!(block & 1) && block & 4)
		buf_str(out, " Addr");
}

void text_data_src(struct buf *out, uint64_t v)
{
	buf_str(out, "|OP ");
	put_operation(out, v);
	buf_str(out, "|LVL ");
	text_memory_level(out, v);
	buf_str(out, "|SNP ");
	text_snoop(out, v);
	buf_str(out, "|TLB ");
	text_tlb(out, v);
	buf_str(out, "|LCK ");
	text_lock(out, v);
	buf_str(out, "|BLK ");
	text_block(out, v);
}

const char *text_branch_kind(uint32_t kind)
{
	static const char *const kinds[] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
		[BRANCH_NEW_KINDS] = "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
		"ARCH_5",
	};

	return kind < ARRAY_SIZE(kinds) ? kinds[kind] : "";
}

void text_branch_flags(struct buf *out, uint64_t flags)
{
	static const char *const spec[] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };

	buf_str(out, flags & BRANCH_MISPREDICTED ? "/M" : flags & BRANCH_PREDICTED ? "/P" : "/-");
	buf_str(out, flags & BRANCH_IN_TRANSACTION ? "/X" : "/-");
	buf_str(out, flags & BRANCH_ABORTED ? "/A/" : "/-/");
	buf_u64(out, branch_cycles(flags));
	buf_char(out, '/');
	buf_str(out, text_branch_kind(branch_kind(flags)));
	buf_char(out, '/');
	buf_str(out, spec[bits(flags, 24, 2)]);
}

void text_page_size(struct buf *out, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	if (!bytes) {
		buf_str(out, "N/A");
		return;
	}
	for (; bytes >= 1024; bytes /= 1024)
		unit++;
	buf_u64(out, bytes);
	buf_char(out, units[unit]);
}

void text_transaction(struct buf *out, uint64_t transaction)
{
	static const char *const names[] = { "ELISION", "TRANSACTION", "SYNC",           "ASYNC",
					     "RETRY",   "CONFLICT",    "CAPACITY_WRITE", "CAPACITY_READ" };

	put_names(out, transaction, names, ARRAY_SIZE(names), "|");
}

void text_misc(struct buf *out, uint32_t type, uint16_t misc)
{
	static const char modes[] = "-KUHGg--";
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (modes[mode] != '-')
		buf_char(out, modes[mode]);
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		buf_str(out, misc & PERF_RECORD_MISC_MMAP_DATA ? "M" : "");
		break;
	case PERF_RECORD_COMM:
		buf_str(out, misc & PERF_RECORD_MISC_COMM_EXEC ? "E" : "");
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (misc & PERF_RECORD_MISC_SWITCH_OUT)
			buf_str(out, misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S");
	}
}

/* Register numbers: arch/.../include/uapi/asm/perf_regs.h of the kernel. */
static const char *const x86_registers[64] = {
	"AX",    "BX",    "CX",    "DX",    "SI",          "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",          "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   [32] = "XMM0", "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",
	"XMM3",  "XMM3",  "XMM4",  "XMM4",  "XMM5",        "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",
	"XMM8",  "XMM8",  "XMM9",  "XMM9",  "XMM10",       "XMM10", "XMM11", "XMM11", "XMM12", "XMM12",
	"XMM13", "XMM13", "XMM14", "XMM14", "XMM15",       "XMM15",
};
static const char *const arm64_registers[64] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",        "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",       "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  [46] = "vg",
};
static const char *const arm_registers[64] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
static const char *const riscv_registers[64] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
	"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const char *const powerpc_registers[64] = {
	"r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",   "r8",    "r9",  "r10",     "r11",
	"r12",  "r13", "r14", "r15",   "r16",  "r17", "r18",   "r19",  "r20",   "r21", "r22",     "r23",
	"r24",  "r25", "r26", "r27",   "r28",  "r29", "r30",   "r31",  "nip",   "msr", "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier", "mmcra",
};
static const char *const s390_registers[64] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

/* By the beginning of the machine's name: `uname -m`, or perf's own word for it. */
static const struct {
	const char *prefix;
	const char *const *names;
} register_sets[] = {
	{ "x86", x86_registers },     { "i386", x86_registers },        { "i486", x86_registers },
	{ "i586", x86_registers },    { "i686", x86_registers },        { "aarch64", arm64_registers },
	{ "arm64", arm64_registers }, { "arm", arm_registers },         { "riscv", riscv_registers },
	{ "ppc", powerpc_registers }, { "powerpc", powerpc_registers }, { "s390", s390_registers },
};

const char *text_register(const char *arch, unsigned bit)
{
	for (size_t i = 0; arch && bit < 64 && i < ARRAY_SIZE(register_sets); i++)
		if (strncmp(arch, register_sets[i].prefix, strlen(register_sets[i].prefix)) == 0)
			return register_sets[i].names[bit];
	return NULL;
}

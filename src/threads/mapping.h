/* SPDX-License-Identifier: MIT */
/*
 * mapping.h - a part of a binary in an address space
 *
 * A binary is an identity: a name and, if known, a build id. The symbol room knows its symbols.
 */
#ifndef THREADS_MAPPING_H
#define THREADS_MAPPING_H

#include <sonde/types.h>

enum binary_kind {
	BINARY_FILE,      /* an ELF file of user space */
	BINARY_VDSO,      /* "[vdso]", "[vdso32]", "[vdsox32]" */
	BINARY_JITDUMP,   /* jit-PID.dump, which has the code that a process made: see threads/jit_code.h */
	BINARY_KERNEL,    /* the kernel image: "[kernel.kallsyms]" */
	BINARY_MODULE,    /* a kernel module: path of the .ko, or "[name]" */
	BINARY_KSYMBOL,   /* kernel code made at run time (BPF): one symbol, whose name is the binary's */
	BINARY_JIT,       /* memory without a file: symbols come from /tmp/perf-PID.map */
	BINARY_OTHER,     /* "[heap]", "[stack]", "[vsyscall]", "anon_inode:...": nothing to look up */
};

/* One binary; equal identities are one object. */
struct binary {
	uint32_t index;              /* dense, from 0 */
	enum binary_kind kind;
	/* as recorded: path, "[kernel.kallsyms]", "[vdso]"; of anonymous memory with code: "/tmp/perf-PID.map" */
	const char *name;
	uint8_t build_id[20];
	uint8_t build_id_size;       /* 0: not known */
	bool guest;
	int32_t pid;                 /* BINARY_JIT, BINARY_JITDUMP: the process; else -1 */
	bool narrow;                 /* BINARY_VDSO: mapped below 4 GiB, where only programs of 32 bits have it */
	uint64_t begun;              /* BINARY_JIT: when the process began; 0: before the recording */
	/* BINARY_KERNEL: the name ("_text", "_stext") and run-time address of the symbol by which the recorder tells
	 * where the kernel was loaded. BINARY_MODULE: where the module was loaded; ref_symbol is NULL. */
	const char *ref_symbol;
	uint64_t ref_addr;
	uint32_t recording;          /* the first one that has it */
};

struct mapping {
	uint64_t start, end;         /* [start, end) in the address space */
	uint64_t pgoff;              /* file offset of start */
	uint32_t prot, flags;
	struct binary *binary;
};

/*
 * The address of ip within its binary, the one that the binary's symbols use: a file offset for BINARY_FILE,
 * BINARY_VDSO and BINARY_JITDUMP, the run-time address itself for all others.
 */
static inline uint64_t mapping_to_binary(const struct mapping *m, uint64_t ip)
{
	return m->binary->kind <= BINARY_JITDUMP ? ip - m->start + m->pgoff : ip;
}

/* The address of ip for people, who look it up in a file: as above, and of a module the offset from its start. */
static inline uint64_t mapping_to_file(const struct mapping *m, uint64_t ip)
{
	return m->binary->kind <= BINARY_JITDUMP || m->binary->kind == BINARY_MODULE ? ip - m->start + m->pgoff : ip;
}

#endif

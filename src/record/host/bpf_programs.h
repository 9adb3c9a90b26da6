/* SPDX-License-Identifier: MIT */
/* bpf_programs.h - the BPF programs that the kernel has, with their types: bpf(2) */
#ifndef RECORD_HOST_BPF_PROGRAMS_H
#define RECORD_HOST_BPF_PROGRAMS_H

#include <sonde/meta.h>

#include "base/arena.h"
#include "base/vec.h"

/* {0} has none. */
struct bpf_programs {
	/* bpf(2): the result, or a negative errno. NULL: that of the running kernel. Tests have another one. */
	long (*call)(int command, void *attr, size_t size);
	struct arena arena;
	VEC(struct sonde_bpf_prog) progs;     /* by id, as the feature BPF_PROG_INFO has them */
	VEC(struct sonde_btf) btfs;           /* by id */
	size_t nr_sorted;                     /* of progs: those that bpf_programs_gather() has sorted */
	uint32_t last_id;                     /* of the newest program that was seen */
	uint64_t bytes;                       /* of all, with their types */
};

/*
 * Adds the programs that are not known yet: none if bpf(2) is not permitted. Programs that are unloaded meanwhile are
 * left out. 0 or -SONDE_NOMEM.
 */
int bpf_programs_gather(struct bpf_programs *b);

/*
 * The same of programs that were loaded since the last call of either function; the kernel is not asked about others.
 * They lie behind the sorted ones. None is added when all take 64 MiB: a recording may go on for days.
 */
int bpf_programs_gather_new(struct bpf_programs *b);

/* One function of a program, compiled: bpf_prog_TAG_NAME. */
struct loaded_function {
	uint64_t addr;
	uint32_t len;
	char name[256];
};

/* Function @i of a program; false after the last one, and if the kernel does not say where it is. */
bool bpf_programs_function(const struct bpf_programs *b, const struct sonde_bpf_prog *prog, uint32_t i,
			   struct loaded_function *out);

void bpf_programs_free(struct bpf_programs *b);

#endif

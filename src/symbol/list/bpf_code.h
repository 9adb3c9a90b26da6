/* SPDX-License-Identifier: MIT */
/* bpf_code.h - the machine code of BPF programs, which a recording has */
#ifndef SYMBOL_LIST_BPF_CODE_H
#define SYMBOL_LIST_BPF_CODE_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/meta.h"

/* A function of a program. */
struct bpf_function {
	uint64_t start;
	uint32_t size;
	const uint8_t *code;
};

struct bpf_code {
	struct arena bytes;
	VEC(struct bpf_function) list;   /* by start */
};

/* Copies the code of all programs; a program that makes no sense has none. 0 or -SONDE_NOMEM. */
int bpf_code_add(struct bpf_code *c, const struct meta *meta);

/* The function that begins at an address; NULL if its code is not known. */
const struct bpf_function *bpf_code_find(const struct bpf_code *c, uint64_t start);

void bpf_code_free(struct bpf_code *c);

#endif

/* SPDX-License-Identifier: MIT */
/* bpf_info.h - the struct bpf_prog_info of a BPF program in a recording, with its arrays. Layout: <linux/bpf.h> */
#ifndef SYMBOL_LIST_BPF_INFO_H
#define SYMBOL_LIST_BPF_INFO_H

#include <stddef.h>
#include <linux/bpf.h>

#include "base/bytes.h"
#include "model/meta.h"

/* Bits of sonde_bpf_prog.arrays. */
enum {
	BPF_HAS_CODE = 1 << 0,
	BPF_HAS_STARTS = 1 << 3,
	BPF_HAS_LENS = 1 << 4,
	BPF_HAS_LINE_INFO = 1 << 6,
	BPF_HAS_JITED_LINE_INFO = 1 << 7,
};

/* A program while its arrays are read. */
struct bpf_info {
	const struct sonde_bpf_prog *prog;
	bool swap;
};

/* An array of the program. Newer kernels may have larger elements: their first bytes are known. */
struct bpf_array {
	const uint8_t *p;
	uint32_t n, size;
};

static inline uint32_t bpf_info_u32(const struct bpf_info *p, size_t at)
{
	return at + 4 <= p->prog->info.len ? load_u32(p->prog->info.p + at, p->swap) : 0;
}

static inline uint64_t bpf_info_u64(const struct bpf_info *p, size_t at)
{
	return at + 8 <= p->prog->info.len ? load_u64(p->prog->info.p + at, p->swap) : 0;
}

#define BPF_INFO_U32(p, field) bpf_info_u32(p, offsetof(struct bpf_prog_info, field))
#define BPF_INFO_U64(p, field) bpf_info_u64(p, offsetof(struct bpf_prog_info, field))

/* False: the program makes no sense. Its id is known, so it shows the byte order of the recorder. */
static inline bool bpf_info_open(struct bpf_info *p, const struct sonde_bpf_prog *prog)
{
	*p = (struct bpf_info){ .prog = prog };
	p->swap = BPF_INFO_U32(p, id) != prog->id;
	return BPF_INFO_U32(p, id) == prog->id;
}

/* An empty array if the program has none, or not all of it. */
static inline struct bpf_array bpf_info_array(const struct bpf_info *p, uint64_t bit, uint64_t at, uint32_t n,
					      uint32_t size)
{
	const struct sonde_bytes *data = &p->prog->data;
	struct bpf_array a = { .n = n, .size = size };

	if (!(p->prog->arrays & bit) || !size || at > data->len || n > (data->len - at) / size)
		return (struct bpf_array){ 0 };
	a.p = data->p + at;
	return a;
}

/* The addresses of the functions, and their sizes, in the order of their code. */
static inline struct bpf_array bpf_info_starts(const struct bpf_info *p)
{
	return bpf_info_array(p, BPF_HAS_STARTS, BPF_INFO_U64(p, jited_ksyms), BPF_INFO_U32(p, nr_jited_ksyms), 8);
}

static inline struct bpf_array bpf_info_lens(const struct bpf_info *p)
{
	return bpf_info_array(p, BPF_HAS_LENS, BPF_INFO_U64(p, jited_func_lens), BPF_INFO_U32(p, nr_jited_func_lens),
			      4);
}

static inline uint64_t bpf_array_u64(const struct bpf_info *p, const struct bpf_array *a, uint32_t i)
{
	return load_u64(a->p + (size_t)i * a->size, p->swap);
}

static inline uint32_t bpf_array_u32(const struct bpf_info *p, const struct bpf_array *a, uint32_t i)
{
	return load_u32(a->p + (size_t)i * a->size, p->swap);
}

#endif

/* SPDX-License-Identifier: MIT */
#include "symbol/list/bpf_code.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/list/bpf_info.h"

static int add_program(struct bpf_code *c, const struct bpf_info *p)
{
	struct bpf_array starts = bpf_info_starts(p), lens = bpf_info_lens(p);
	struct bpf_array code = bpf_info_array(p, BPF_HAS_CODE, BPF_INFO_U64(p, jited_prog_insns),
					       BPF_INFO_U32(p, jited_prog_len), 1);
	const uint8_t *own = code.n ? arena_memdup(&c->bytes, code.p, code.n) : NULL;

	if (code.n && !own)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < starts.n && i < lens.n; i++) {
		struct bpf_function f = { .start = bpf_array_u64(p, &starts, i), .size = bpf_array_u32(p, &lens, i),
					  .code = own };

		if (f.size > code.n)
			break;
		own += f.size;
		code.n -= f.size;
		if (f.size && vec_push(&c->list, f) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct bpf_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int bpf_code_add(struct bpf_code *c, const struct meta *meta)
{
	struct bpf_info p;
	int r = 0;

	for (size_t i = 0; i < meta->nr_bpf_progs && r == 0; i++)
		if (bpf_info_open(&p, &meta->bpf_progs[i]))
			r = add_program(c, &p);
	if (c->list.n)
		qsort(c->list.at, c->list.n, sizeof(*c->list.at), by_start);
	return r;
}

const struct bpf_function *bpf_code_find(const struct bpf_code *c, uint64_t start)
{
	size_t n = sorted_nr_at_most(c->list.at, c->list.n, start, start);

	return n && c->list.at[n - 1].start == start ? &c->list.at[n - 1] : NULL;
}

void bpf_code_free(struct bpf_code *c)
{
	arena_free(&c->bytes);
	vec_free(&c->list);
}

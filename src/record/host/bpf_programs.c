/* SPDX-License-Identifier: MIT */
#include "record/host/bpf_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "record/host/btf_name.h"

#define BYTES_MAX (64u << 20)    /* of one program, or of its types; of all, for new ones */

/* The arrays of a program in the order in which the feature has them; bits of sonde_bpf_prog.arrays. */
enum { JITED_INSNS = 0, JITED_KSYMS = 3, JITED_FUNC_LENS, FUNC_INFO, LINE_INFO, JITED_LINE_INFO, PROG_TAGS };

#define AT(field) (uint16_t)offsetof(struct bpf_prog_info, field)

/* Offsets in struct bpf_prog_info; size_at 0: elements of `size` bytes. */
static const struct info_array {
	uint8_t bit;
	uint16_t pointer_at, count_at, size_at, size;
} arrays[] = {
	{ JITED_INSNS, AT(jited_prog_insns), AT(jited_prog_len), 0, 1 },
	{ JITED_KSYMS, AT(jited_ksyms), AT(nr_jited_ksyms), 0, 8 },
	{ JITED_FUNC_LENS, AT(jited_func_lens), AT(nr_jited_func_lens), 0, 4 },
	{ FUNC_INFO, AT(func_info), AT(nr_func_info), AT(func_info_rec_size), 0 },
	{ LINE_INFO, AT(line_info), AT(nr_line_info), AT(line_info_rec_size), 0 },
	{ JITED_LINE_INFO, AT(jited_line_info), AT(nr_jited_line_info), AT(jited_line_info_rec_size), 0 },
	{ PROG_TAGS, AT(prog_tags), AT(nr_prog_tags), 0, 8 },
};

static long call_kernel(int command, void *attr, size_t size)
{
	long r = syscall(SYS_bpf, command, attr, size);

	return r < 0 ? -errno : r;
}

static long call(const struct bpf_programs *b, int command, union bpf_attr *attr)
{
	return (b->call ? b->call : call_kernel)(command, attr, sizeof(*attr));
}

/* The descriptor of an object, or a negative errno. */
static int open_id(const struct bpf_programs *b, int command, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;           /* or btf_id, at the same place */
	return (int)call(b, command, &attr);
}

/* Fills @info; false if the object cannot be described. */
static bool describe(const struct bpf_programs *b, int fd, void *info, uint32_t size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = (uintptr_t)info;
	return call(b, BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

static uint32_t u32_of(const struct bpf_prog_info *info, uint16_t at)
{
	return load_u32((const uint8_t *)info + at, false);
}

static uint64_t bytes_of(const struct bpf_prog_info *info, const struct info_array *a)
{
	return (uint64_t)u32_of(info, a->count_at) * (a->size_at ? u32_of(info, a->size_at) : a->size);
}

/* A request for the arrays that @known has, with pointers into @data, or their sizes with NULL: bytes in all. */
static uint64_t request(struct bpf_prog_info *out, const struct bpf_prog_info *known, uint8_t *data)
{
	uint64_t n = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct info_array *a = &arrays[i];
		uint64_t bytes = bytes_of(known, a);

		if (!bytes)
			continue;
		store_u32((uint8_t *)out + a->count_at, u32_of(known, a->count_at), false);
		if (a->size_at)
			store_u32((uint8_t *)out + a->size_at, u32_of(known, a->size_at), false);
		store_u64((uint8_t *)out + a->pointer_at, (uintptr_t)data + n, false);
		n += ALIGN_UP(bytes, (uint64_t)8);
	}
	return n;
}

/* Pointers become offsets. An array that the kernel has not filled is left out: addresses may be a secret. */
static uint64_t settle(struct bpf_prog_info *info, const struct bpf_prog_info *asked, const uint8_t *data)
{
	uint64_t present = 0;

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct info_array *a = &arrays[i];
		uint8_t *pointer = (uint8_t *)info + a->pointer_at;
		uint64_t at = load_u64(pointer, false), bytes = bytes_of(info, a);
		bool filled = at && at == load_u64((const uint8_t *)asked + a->pointer_at, false);

		if (!bytes || !filled || bytes > bytes_of(asked, a)) {
			store_u64(pointer, 0, false);
			store_u32((uint8_t *)info + a->count_at, 0, false);
			continue;
		}
		store_u64(pointer, at - (uintptr_t)data, false);
		present |= UINT64_C(1) << a->bit;
	}
	return present;
}

/* 1 with a program in *out, 0 if there is none of this kind, or -SONDE_NOMEM. */
static int read_program(struct bpf_programs *b, int fd, struct sonde_bpf_prog *out)
{
	struct bpf_prog_info *info = arena_calloc(&b->arena, 1, sizeof(*info)), known, asked;
	uint64_t bytes;
	uint8_t *data;

	if (!info)
		return -SONDE_NOMEM;
	memset(&known, 0, sizeof(known));
	if (!describe(b, fd, &known, sizeof(known)))
		return 0;
	bytes = request(&asked, &known, NULL);
	if (bytes > BYTES_MAX)
		return 0;
	data = arena_calloc(&b->arena, (size_t)bytes + 1, 1);
	if (!data)
		return -SONDE_NOMEM;
	request(&asked, &known, data);
	*info = asked;
	if (!describe(b, fd, info, sizeof(*info)))
		return 0;
	*out = (struct sonde_bpf_prog){ .id = info->id, .arrays = settle(info, &asked, data),
					.info = { (const uint8_t *)info, sizeof(*info) }, .data = { data, bytes } };
	memcpy(out->tag, info->tag, sizeof(out->tag));
	memcpy(out->name, info->name, sizeof(out->name) - 1);
	return 1;
}

/* The arena has aligned it. */
static const struct bpf_prog_info *info_of(const struct sonde_bpf_prog *prog)
{
	return (const void *)prog->info.p;
}

static const struct sonde_btf *find_btf(const struct bpf_programs *b, uint32_t id)
{
	for (size_t i = 0; i < b->btfs.n; i++)
		if (b->btfs.at[i].id == id)
			return &b->btfs.at[i];
	return NULL;
}

static int add_btf(struct bpf_programs *b, uint32_t id)
{
	struct bpf_btf_info info = { 0 };
	struct sonde_btf btf = { .id = id };
	int fd = id && !find_btf(b, id) ? open_id(b, BPF_BTF_GET_FD_BY_ID, id) : -1;
	bool ok;
	void *p;

	if (fd < 0)
		return 0;
	ok = describe(b, fd, &info, sizeof(info)) && info.btf_size > 0 && info.btf_size <= BYTES_MAX;
	p = ok ? arena_calloc(&b->arena, info.btf_size, 1) : NULL;
	if (p) {
		btf.data = (struct sonde_bytes){ p, info.btf_size };
		info = (struct bpf_btf_info){ .btf = (uintptr_t)p, .btf_size = info.btf_size };
		ok = describe(b, fd, &info, sizeof(info)) && info.btf_size <= btf.data.len;
	}
	close(fd);
	if (!p || !ok)
		return ok ? -SONDE_NOMEM : 0;
	b->bytes += btf.data.len;
	return vec_push(&b->btfs, btf);
}

static int add_program(struct bpf_programs *b, uint32_t id)
{
	int fd = open_id(b, BPF_PROG_GET_FD_BY_ID, id), r;
	struct sonde_bpf_prog prog;

	if (fd < 0)
		return 0;
	r = read_program(b, fd, &prog);
	close(fd);
	if (r <= 0)
		return r;
	b->bytes += prog.info.len + prog.data.len;
	r = vec_push(&b->progs, prog);
	return r < 0 ? r : add_btf(b, info_of(&prog)->btf_id);
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_known(const struct bpf_programs *b, uint32_t id)
{
	for (size_t i = 0; i < b->progs.n; i++)
		if (b->progs.at[i].id == id)
			return true;
	return false;
}

/* Reads the programs with a greater id than @id, until all take @bytes_max. */
static int add_after(struct bpf_programs *b, uint32_t id, uint64_t bytes_max)
{
	union bpf_attr attr;
	int r = 0;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = id;
	while (r == 0 && b->bytes < bytes_max && call(b, BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		if (!is_known(b, attr.next_id))
			r = add_program(b, attr.next_id);
		b->last_id = attr.start_id = attr.next_id;
	}
	return r;
}

/* The kernel gives each program a greater id than those before. */
int bpf_programs_gather_new(struct bpf_programs *b)
{
	return add_after(b, b->last_id, BYTES_MAX);
}

int bpf_programs_gather(struct bpf_programs *b)
{
	int r = add_after(b, 0, UINT64_MAX);

	_Static_assert(offsetof(struct sonde_bpf_prog, id) == 0 && offsetof(struct sonde_btf, id) == 0, "by_id");
	if (b->progs.n)
		qsort(b->progs.at, b->progs.n, sizeof(*b->progs.at), by_id);
	if (b->btfs.n)
		qsort(b->btfs.at, b->btfs.n, sizeof(*b->btfs.at), by_id);
	b->nr_sorted = b->progs.n;
	return r;
}

static const uint8_t *element(const struct sonde_bpf_prog *prog, uint64_t offset, uint32_t i, size_t size)
{
	return (const uint8_t *)prog->data.p + offset + (size_t)i * size;
}

/* The name of function @i: of its type, or the program's if it is the only one. */
static const char *function_name(const struct bpf_programs *b, const struct sonde_bpf_prog *prog, uint32_t i)
{
	const struct bpf_prog_info *info = info_of(prog);
	const struct sonde_btf *btf = info->btf_id ? find_btf(b, info->btf_id) : NULL;
	const char *name = NULL;

	if (btf && prog->arrays >> FUNC_INFO & 1 && i < info->nr_func_info &&
	    info->func_info_rec_size >= sizeof(struct bpf_func_info)) {
		struct bpf_func_info f;

		memcpy(&f, element(prog, info->func_info, i, info->func_info_rec_size), sizeof(f));
		name = btf_name(btf->data, f.type_id);
	}
	return name ? name : i == 0 && info->nr_prog_tags == 1 && *prog->name ? prog->name : "F";
}

bool bpf_programs_function(const struct bpf_programs *b, const struct sonde_bpf_prog *prog, uint32_t i,
			   struct loaded_function *out)
{
	const uint64_t needed = 1u << JITED_KSYMS | 1u << JITED_FUNC_LENS | 1u << PROG_TAGS;
	const struct bpf_prog_info *info = info_of(prog);
	const uint8_t *tag;
	int n;

	if ((prog->arrays & needed) != needed || !info->jited_prog_len || i >= info->nr_jited_ksyms ||
	    info->nr_jited_ksyms != info->nr_jited_func_lens || info->nr_jited_ksyms != info->nr_prog_tags)
		return false;
	out->addr = load_u64(element(prog, info->jited_ksyms, i, 8), false);
	out->len = load_u32(element(prog, info->jited_func_lens, i, 4), false);
	tag = element(prog, info->prog_tags, i, BPF_TAG_SIZE);
	n = snprintf(out->name, sizeof(out->name), "bpf_prog_");
	for (size_t k = 0; k < BPF_TAG_SIZE; k++)
		n += snprintf(out->name + n, sizeof(out->name) - (size_t)n, "%02x", tag[k]);
	snprintf(out->name + n, sizeof(out->name) - (size_t)n, "_%s", function_name(b, prog, i));
	return out->addr != 0;
}

void bpf_programs_free(struct bpf_programs *b)
{
	vec_free(&b->progs);
	vec_free(&b->btfs);
	arena_free(&b->arena);
	*b = (struct bpf_programs){ .call = b->call };
}

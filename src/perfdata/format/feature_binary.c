/* SPDX-License-Identifier: MIT */
/* feature_binary.c - features that identify code: build ids of binaries, BPF programs and their type information. */
#include "perfdata/format/feature_binary.h"

#define MISC_CPUMODE 7
#define MISC_GUEST_KERNEL 4
#define MISC_GUEST_USER 5
#define MISC_BUILD_ID_SIZE 0x8000  /* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte after the id says how long it is */

#define HEAD_BYTES 8
#define BODY_BYTES 36              /* up to the file name, header included */
#define BODY_BYTES_OLD 32          /* without pid, and with 24 bytes for the id */

/* The name of the kernel when an entry without pid is read as one with it. */
#define OLD_ABI_MARK "nel.kallsyms]"

static int build_id_one(struct cursor *c, struct arena *a, bool old_abi, struct sonde_build_id *out)
{
	uint64_t at = c->at;
	uint32_t type = cur_u32(c);
	uint16_t misc = cur_u16(c), size = cur_u16(c);
	uint64_t fixed = old_abi ? BODY_BYTES_OLD : BODY_BYTES;
	struct cursor body;
	struct sonde_str name;
	const uint8_t *id;

	(void)type;                /* 0 from perf, 67 from simpleperf */
	if (cur_ok(c) && size < fixed)
		return err_set(c->err, SONDE_CORRUPT, at, "an entry of %" PRIu16 " bytes, expected %" PRIu64 " or more",
			       size, fixed);
	body = cur_sub(c, size - HEAD_BYTES);
	out->cpumode = misc & MISC_CPUMODE;
	out->sized = !old_abi && (misc & MISC_BUILD_ID_SIZE);
	if (old_abi)
		out->pid = out->cpumode == MISC_GUEST_KERNEL || out->cpumode == MISC_GUEST_USER ? 0 : -1;
	else
		out->pid = (int32_t)cur_u32(&body);
	id = cur_take(&body, 24);
	if (!id) {
		c->failed = true;
		return feat_status(c);
	}
	memcpy(out->id, id, sizeof(out->id));
	out->size = out->sized && id[20] <= sizeof(out->id) ? id[20] : sizeof(out->id);
	name = cur_str(&body, cur_left(&body));
	out->filename = arena_strndup(a, name.p, name.len);
	return out->filename ? 0 : err_nomem(c->err);
}

/* One pass to count and check, or, with entries, to fill them. */
static int build_id_walk(struct cursor c, struct arena *a, bool old_abi, struct sonde_build_id *entries, size_t *nr)
{
	*nr = 0;
	while (cur_left(&c) >= BODY_BYTES_OLD) {
		int r;

		if (entries) {
			r = build_id_one(&c, a, old_abi, &entries[*nr]);
			if (r < 0)
				return r;
		} else {
			uint16_t size;

			cur_take(&c, 6);
			size = cur_u16(&c);
			if (size < BODY_BYTES_OLD)
				return err_set(c.err, SONDE_CORRUPT, c.at - HEAD_BYTES, "an entry of %" PRIu16 " bytes",
					       size);
			if (!cur_take(&c, size - HEAD_BYTES))
				return feat_status(&c);
		}
		++*nr;
	}
	return 0;
}

static bool is_old_abi(const struct sonde_build_id *entries, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strncmp(entries[i].filename, OLD_ABI_MARK, strlen(OLD_ABI_MARK)) == 0)
			return true;
	return false;
}

int build_id_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	struct sonde_build_id *entries;
	size_t nr;
	int r = build_id_walk(*c, a, false, NULL, &nr);

	if (r < 0)
		return r;
	entries = feat_array(c, a, nr, sizeof(*entries));
	if (!entries)
		return feat_status(c);
	r = build_id_walk(*c, a, false, entries, &nr);
	if (r == 0 && is_old_abi(entries, nr))
		r = build_id_walk(*c, a, true, entries, &nr);
	if (r < 0)
		return r;
	meta->build_ids = entries;
	meta->nr_build_ids = nr;
	return 0;
}

int build_id_encode(struct encoder *e, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_build_ids; i++) {
		const struct sonde_build_id *b = &meta->build_ids[i];
		size_t len = b->filename ? strlen(b->filename) : 0;
		size_t padded = ALIGN_UP(len + 1, (size_t)FEAT_STR_ALIGN);

		if (BODY_BYTES + padded > UINT16_MAX)
			return -SONDE_UNSUPPORTED;
		enc_u32(e, 0);
		enc_u16(e, b->cpumode | (b->sized ? MISC_BUILD_ID_SIZE : 0));
		enc_u16(e, (uint16_t)(BODY_BYTES + padded));
		enc_u32(e, (uint32_t)b->pid);
		buf_put(e->out, b->id, sizeof(b->id));
		buf_char(e->out, b->sized ? (char)b->size : 0);
		buf_pad(e->out, 0, 3);
		buf_put(e->out, b->filename, len);
		buf_pad(e->out, 0, padded - len);
	}
	return 0;
}

void build_id_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_build_ids; i++) {
		const struct sonde_build_id *b = &meta->build_ids[i];

		json_object(j);
		json_key(j, "id");
		json_bytes(j, b->id, b->size);
		json_member_text(j, "filename", b->filename);
		json_key(j, "pid");
		json_i64(j, b->pid);
		json_member_u64(j, "cpumode", b->cpumode);
		json_end(j);
	}
	json_end(j);
}

/* Offsets in struct bpf_prog_info of <linux/bpf.h>. */
#define BPF_INFO_ID 4
#define BPF_INFO_TAG 8
#define BPF_INFO_NAME 64
#define BPF_INFO_NAME_BYTES 16

/* info and data keep the recorder's byte order: a struct bpf_prog_info and the arrays that its pointers have become. */
int bpf_prog_info_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 16);
	struct sonde_bpf_prog *progs = feat_array(c, a, nr, sizeof(*progs));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		uint32_t info_len = cur_u32(c), data_len = cur_u32(c);

		progs[i].arrays = cur_u64(c);
		progs[i].info = (struct sonde_bytes){ cur_take(c, info_len), info_len };
		progs[i].data = (struct sonde_bytes){ cur_take(c, data_len), data_len };
		if (cur_ok(c) && info_len >= BPF_INFO_NAME + BPF_INFO_NAME_BYTES) {
			const uint8_t *info = progs[i].info.p;

			progs[i].id = load_u32(info + BPF_INFO_ID, c->swap);
			memcpy(progs[i].tag, info + BPF_INFO_TAG, sizeof(progs[i].tag));
			memcpy(progs[i].name, info + BPF_INFO_NAME, BPF_INFO_NAME_BYTES - 1);
		}
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->bpf_progs = progs;
	meta->nr_bpf_progs = nr;
	return 0;
}

int bpf_prog_info_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_bpf_progs);
	for (size_t i = 0; i < meta->nr_bpf_progs; i++) {
		const struct sonde_bpf_prog *p = &meta->bpf_progs[i];

		enc_u32(e, (uint32_t)p->info.len);
		enc_u32(e, (uint32_t)p->data.len);
		enc_u64(e, p->arrays);
		buf_put(e->out, p->info.p, p->info.len);
		buf_put(e->out, p->data.p, p->data.len);
	}
	return 0;
}

void bpf_prog_info_print(struct buf *out, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_bpf_progs; i++) {
		const struct sonde_bpf_prog *p = &meta->bpf_progs[i];

		buf_printf(out, "# bpf_prog_info %" PRIu32 ": bpf_prog_", p->id);
		for (size_t k = 0; k < sizeof(p->tag); k++)
			buf_hex_zero(out, p->tag[k], 2);
		buf_char(out, '_');
		print_str(out, p->name);
		buf_char(out, '\n');
	}
}

void bpf_prog_info_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_bpf_progs; i++) {
		const struct sonde_bpf_prog *p = &meta->bpf_progs[i];

		json_object(j);
		json_member_u64(j, "id", p->id);
		json_key(j, "tag");
		json_bytes(j, p->tag, sizeof(p->tag));
		json_member_text(j, "name", p->name);
		json_member_u64(j, "bytes", p->info.len + p->data.len);
		json_end(j);
	}
	json_end(j);
}

void bpf_btf_print(struct buf *out, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_btfs; i++)
		buf_printf(out, "# btf info of id %" PRIu32 "\n", meta->btfs[i].id);
}

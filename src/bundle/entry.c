/* SPDX-License-Identifier: MIT */
#include "bundle/entry.h"

#include "base/put.h"

void entry_encode(struct buf *out, const struct bundle_member *m)
{
	bool swap = host_is_big_endian();
	size_t name = strlen(m->key.name), size = ALIGN_UP(ENTRY_BYTES + name, 8);
	uint8_t id[20] = { 0 };

	if (m->key.build_id_size)
		memcpy(id, m->key.build_id, m->key.build_id_size);
	put_u32(out, (uint32_t)size, swap);
	put_u32(out, m->key.kind, swap);
	put_u32(out, m->key.binary, swap);
	put_u32(out, (uint32_t)m->key.pid, swap);
	put_u64(out, m->key.begun, swap);
	put_u64(out, m->offset, swap);
	put_u64(out, m->size, swap);
	put_u64(out, m->raw_size, swap);
	put_u64(out, m->hash, swap);
	put_u32(out, m->packing, swap);
	put_u32(out, (uint32_t)name, swap);
	buf_put(out, id, sizeof(id));
	put_u32(out, m->key.build_id_size, swap);
	put_u64(out, 0, swap);
	buf_put(out, m->key.name, name);
	buf_pad(out, 0, size - ENTRY_BYTES - name);
}

static bool is_sound(const struct bundle_member *m, uint64_t begin, uint64_t end)
{
	if (m->offset < begin || m->offset > end || m->size > end - m->offset || m->raw_size > BUNDLE_RAW_MAX)
		return false;
	if (m->packing == BUNDLE_STORED)
		return m->raw_size == m->size;
	return m->packing == BUNDLE_ZSTD && m->raw_size / BUNDLE_RATIO_MAX <= m->size;
}

bool entry_decode(struct cursor *c, uint64_t begin, uint64_t end, struct bundle_member *m, struct sonde_str *name)
{
	uint32_t size = cur_u32(c), name_size, id_size;
	struct cursor e = cur_sub(c, size >= 4 ? size - 4 : UINT64_MAX);

	*m = (struct bundle_member){ .key = { .kind = cur_u32(&e) } };
	m->key.binary = cur_u32(&e);
	m->key.pid = (int32_t)cur_u32(&e);
	m->key.begun = cur_u64(&e);
	m->offset = cur_u64(&e);
	m->size = cur_u64(&e);
	m->raw_size = cur_u64(&e);
	m->hash = cur_u64(&e);
	m->packing = cur_u32(&e);
	name_size = cur_u32(&e);
	m->key.build_id = cur_take(&e, 20);
	id_size = cur_u32(&e);
	m->key.build_id_size = (uint8_t)id_size;
	cur_u64(&e);
	*name = cur_str(&e, name_size);
	return cur_ok(&e) && id_size <= 20 && name_size <= ENTRY_NAME_MOST && is_sound(m, begin, end);
}

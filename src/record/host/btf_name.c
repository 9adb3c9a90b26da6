/* SPDX-License-Identifier: MIT */
#include "record/host/btf_name.h"

#include <linux/btf.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

/* Bytes after the struct btf_type of each kind; with `each`, for each of its elements. Layout: <linux/btf.h>. */
static const struct {
	uint8_t bytes, each;
} tails[] = {
	[BTF_KIND_INT] = { 4, 0 }, [BTF_KIND_ARRAY] = { 12, 0 }, [BTF_KIND_STRUCT] = { 0, 12 },
	[BTF_KIND_UNION] = { 0, 12 }, [BTF_KIND_ENUM] = { 0, 8 }, [BTF_KIND_FUNC_PROTO] = { 0, 8 },
	[BTF_KIND_VAR] = { 4, 0 }, [BTF_KIND_DATASEC] = { 0, 12 }, [17] = { 4, 0 },  /* DECL_TAG, 5.16 */
	[19] = { 0, 12 },            /* ENUM64, 6.0 */
};

/* The offset of type @id in its section; SIZE_MAX if there is none. Types are numbered from 1 on. */
static size_t find_type(const uint8_t *types, size_t len, uint32_t id)
{
	for (size_t at = 0; len - at >= sizeof(struct btf_type);) {
		struct btf_type t;
		uint32_t kind;

		memcpy(&t, types + at, sizeof(t));
		kind = BTF_INFO_KIND(t.info);
		if (--id == 0)
			return at;
		at += sizeof(t);
		if (kind < ARRAY_SIZE(tails))
			at += tails[kind].bytes + (size_t)tails[kind].each * BTF_INFO_VLEN(t.info);
		if (at > len)
			break;
	}
	return SIZE_MAX;
}

const char *btf_name(struct sonde_bytes btf, uint32_t id)
{
	const uint8_t *p = btf.p, *strings;
	struct btf_header h;
	struct btf_type t;
	uint64_t body;
	size_t at;

	if (btf.len < sizeof(h) || id == 0)
		return NULL;
	memcpy(&h, p, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len > btf.len)
		return NULL;
	body = btf.len - h.hdr_len;
	if (h.type_off > body || h.type_len > body - h.type_off || h.str_off > body || h.str_len > body - h.str_off)
		return NULL;
	at = find_type(p + h.hdr_len + h.type_off, h.type_len, id);
	if (at == SIZE_MAX)
		return NULL;
	memcpy(&t, p + h.hdr_len + h.type_off + at, sizeof(t));
	strings = p + h.hdr_len + h.str_off;
	if (t.name_off == 0 || t.name_off >= h.str_len || !memchr(strings + t.name_off, '\0', h.str_len - t.name_off))
		return NULL;
	return (const char *)strings + t.name_off;
}

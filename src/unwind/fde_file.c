/* SPDX-License-Identifier: MIT */
#include "unwind/fde_file.h"

/* Most entries are shorter: one read is enough for them. */
enum { READ_FIRST = 256 };

/* The id of an entry follows its length of 4 bytes, or of 4 and 8. */
enum { SHORT_LENGTH = 4, LONG_LENGTH = 12, ID_BYTES = 4 };

/* Appends the entry at @at. Returns its size, 0 if it cannot be read or has no id; @id_at: the id's place in it. */
static uint32_t append(struct fde_file *x, const struct cfi_section *whole, uint32_t at, uint32_t *id_at)
{
	uint64_t left = at < whole->size ? whole->size - at : 0, length;
	size_t n = left < READ_FIRST ? left : READ_FIRST;
	const uint8_t *p;

	if (n < LONG_LENGTH + ID_BYTES || vec_reserve(&x->bytes, n) < 0 ||
	    !code_files_read(x->files, x->file, x->offset + at, x->bytes.at + x->bytes.n, n))
		return 0;
	p = x->bytes.at + x->bytes.n;
	length = load_u32(p, whole->swap);
	*id_at = length == UINT32_MAX ? LONG_LENGTH : SHORT_LENGTH;
	if (length == UINT32_MAX)
		length = load_u64(p + SHORT_LENGTH, whole->swap);
	if (length < ID_BYTES || length > left - *id_at)
		return 0;
	length += *id_at;
	if (length > n && (vec_reserve(&x->bytes, length) < 0 ||
			   !code_files_read(x->files, x->file, x->offset + at + n, x->bytes.at + x->bytes.n + n,
					    length - n)))
		return 0;
	x->bytes.n += length;
	return (uint32_t)length;
}

static bool read_cie(struct fde_file *x, const struct cfi_section *whole, uint32_t at)
{
	uint32_t id_at;

	x->bytes.n = 0;
	x->cie_at = at;
	x->cie_size = append(x, whole, at, &id_at);
	return x->cie_size > 0;
}

bool fde_file_read(struct fde_file *x, const struct cfi_section *whole, uint32_t at, struct cfi_section *small,
		   uint32_t *fde)
{
	uint32_t id_at, id, fde_at = x->cie_size;

	x->bytes.n = x->cie_size;
	if (!append(x, whole, at, &id_at))
		return false;
	id = load_u32(x->bytes.at + fde_at + id_at, whole->swap);
	if (id == 0 || id > at + id_at)
		return false;
	if (!x->cie_size || x->cie_at != at + id_at - id) {
		if (!read_cie(x, whole, at + id_at - id))
			return false;
		fde_at = x->cie_size;
		if (!append(x, whole, at, &id_at))
			return false;
	}
	/* the CIE lies at the beginning now */
	store_u32(x->bytes.at + fde_at + id_at, fde_at + id_at, whole->swap);
	*small = *whole;
	small->bytes = x->bytes.at;
	small->size = x->bytes.n;
	small->addr = whole->addr + at - fde_at;
	*fde = fde_at;
	return true;
}

void fde_file_free(struct fde_file *x)
{
	vec_free(&x->bytes);
}

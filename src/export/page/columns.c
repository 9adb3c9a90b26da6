/* SPDX-License-Identifier: MIT */
#include "export/page/columns.h"

#include "codec/codec.h"

void columns_end(struct columns *c, const char *name, struct buf *json)
{
	uint64_t least = UINT64_MAX, most = 0;
	uint32_t width = 0;

	for (size_t i = 0; i < c->values.n; i++) {
		least = c->values.at[i] < least ? c->values.at[i] : least;
		most = c->values.at[i] > most ? c->values.at[i] : most;
	}
	least = c->values.n ? least : 0;
	while (width < 8 && (most - least) >> 8 * width)
		width++;
	for (uint32_t byte = 0; byte < width; byte++) {
		char *to = buf_room(&c->bytes, c->values.n);

		for (size_t i = 0; to && i < c->values.n; i++)
			to[i] = (char)((c->values.at[i] - least) >> 8 * byte);
		c->bytes.n += to ? c->values.n : 0;
	}
	buf_printf(json, "[\"%s\",%zu,%u,%llu]", name, c->values.n, width, (unsigned long long)least);
	c->values.n = 0;
}

static void put_base64(struct buf *b, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
				 (i + 2 < n ? p[i + 2] : 0);

		buf_char(b, digits[three >> 18]);
		buf_char(b, digits[three >> 12 & 63]);
		buf_char(b, i + 1 < n ? digits[three >> 6 & 63] : '=');
		buf_char(b, i + 2 < n ? digits[three & 63] : '=');
	}
}

int columns_write(struct columns *c, struct buf *out)
{
	struct packer packer;
	const uint8_t *packed = NULL;
	size_t size;

	if (c->failed || c->bytes.failed)
		return c->failed ? c->failed : c->bytes.failed;
	if (packer_init(&packer, codec_find("zlib"), 0, NULL) == 0)
		packed = packer_pack(&packer, c->bytes.n ? c->bytes.p : "", c->bytes.n, &size);
	if (packed)
		put_base64(out, packed, size);
	packer_free(&packer);
	return packed ? out->failed : -SONDE_NOMEM;
}

void columns_free(struct columns *c)
{
	vec_free(&c->values);
	buf_free(&c->bytes);
}

/* SPDX-License-Identifier: MIT */
#include "fleet/partition.h"

#include "base/ascii.h"

static bool is_plain(char c)
{
	return is_alnum(c) || c == '-' || c == '.' || c == '_';
}

void partition_encode(struct buf *to, struct sonde_str value)
{
	size_t begun = to->n;

	for (size_t i = 0; i < value.len && to->n - begun + 3 <= PARTITION_NAME_MAX; i++)
		if (is_plain(value.p[i]))
			buf_char(to, value.p[i]);
		else
			buf_printf(to, "%%%02X", (uint8_t)value.p[i]);
}

void partition_decode(struct buf *to, const char *name)
{
	const char *p = strchr(name, '=');

	for (p = p ? p + 1 : name; *p; p++) {
		if (*p == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
			buf_char(to, (char)(hex_digit(p[1]) << 4 | hex_digit(p[2])));
			p += 2;
		} else {
			buf_char(to, *p);
		}
	}
}

/* SPDX-License-Identifier: MIT */
/* pointer.c - formats: Documentation/core-api/printk-formats.rst of the kernel */
#include "tracefmt/pointer.h"

#include "base/bytes.h"

static bool enough(struct seq_buf *o, struct sonde_bytes b, size_t n)
{
	if (b.len < n)
		seq_put(o, "(cut)", 5);
	return b.len >= n;
}

void pointer_hex(struct seq_buf *o, struct sonde_bytes b, const char *separator)
{
	for (size_t i = 0; i < b.len && o->p < o->end; i++) {
		if (i && *separator)
			seq_char(o, *separator);
		seq_byte(o, b.p[i]);
	}
}

void pointer_mac(struct seq_buf *o, struct sonde_bytes b, const char *modifiers)
{
	const char *separator = modifiers[0] == 'm' ? "" : modifiers[1] == 'F' ? "-" : ":";
	uint8_t reversed[6];

	if (!enough(o, b, 6))
		return;
	b.len = 6;
	if (modifiers[1] == 'R') {
		for (int i = 0; i < 6; i++)
			reversed[i] = b.p[5 - i];
		b.p = reversed;
	}
	pointer_hex(o, b, separator);
}

void pointer_uuid(struct seq_buf *o, struct sonde_bytes b, char kind)
{
	static const uint8_t big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = (kind | 0x20) == 'l' ? little : big;
	bool upper = kind == 'L' || kind == 'B';
	char *start = o->p;

	if (!enough(o, b, 16))
		return;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			seq_char(o, '-');
		seq_byte(o, b.p[order[i]]);
	}
	for (char *p = start; p < o->p && upper; p++)
		if (*p >= 'a')
			*p = (char)(*p - 'a' + 'A');
}

static void put_ip4(struct seq_buf *o, const uint8_t *p, bool zeros, bool reverse)
{
	for (int i = 0; i < 4; i++) {
		uint8_t v = p[reverse ? 3 - i : i];

		if (i)
			seq_char(o, '.');
		if (zeros && v < 100)
			seq_char(o, '0');
		if (zeros && v < 10)
			seq_char(o, '0');
		seq_decimal(o, v);
	}
}

static void put_ip6(struct seq_buf *o, const uint8_t *p, const char *separator)
{
	for (int i = 0; i < 16; i++) {
		if (i && i % 2 == 0)
			seq_put(o, separator, strlen(separator));
		seq_byte(o, p[i]);
	}
}

/* The shortest form of RFC 5952: the first longest run of two or more zero groups is "::". */
static void put_ip6_short(struct seq_buf *o, const uint8_t *p)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool ip4 = memcmp(p, mapped, sizeof(mapped)) == 0;
	int groups = ip4 ? 6 : 8, best = -1, best_len = 1;

	for (int i = 0; i < groups; i++) {
		int n = 0;

		while (i + n < groups && !p[2 * (i + n)] && !p[2 * (i + n) + 1])
			n++;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
	}
	for (int i = 0; i < groups; i++) {
		if (i == best) {
			seq_put(o, "::", 2);
			i += best_len - 1;
			continue;
		}
		if (i && i != best + best_len)
			seq_char(o, ':');
		seq_hex(o, (uint64_t)p[2 * i] << 8 | p[2 * i + 1]);
	}
	if (ip4) {
		if (best + best_len != groups)
			seq_char(o, ':');
		put_ip4(o, p + 12, false, false);
	}
}

static void put_port(struct seq_buf *o, const uint8_t *p)
{
	seq_char(o, ':');
	seq_decimal(o, (uint64_t)p[0] << 8 | p[1]);
}

/* A struct sockaddr_in or sockaddr_in6; the address families are those of Linux. */
static void put_sockaddr(struct seq_buf *o, struct sonde_bytes b, bool plain, const char *modifiers, bool big_endian)
{
	bool port = strchr(modifiers, 'p'), compressed = strchr(modifiers, 'c');
	uint16_t family;

	if (!enough(o, b, 2))
		return;
	family = (uint16_t)(b.p[big_endian ? 0 : 1] << 8 | b.p[big_endian ? 1 : 0]);
	if (family == 2 && enough(o, b, 8)) {
		put_ip4(o, b.p + 4, plain, false);
		if (port)
			put_port(o, b.p + 2);
	} else if (family == 10 && enough(o, b, 24)) {
		if (port)
			seq_char(o, '[');
		if (compressed)
			put_ip6_short(o, b.p + 8);
		else
			put_ip6(o, b.p + 8, plain ? "" : ":");
		if (port) {
			seq_char(o, ']');
			put_port(o, b.p + 2);
		}
	}
}

void pointer_ip(struct seq_buf *o, struct sonde_bytes b, bool plain, const char *modifiers, bool big_endian)
{
	if (*modifiers == 'S') {
		put_sockaddr(o, b, plain, modifiers, big_endian);
	} else if (*modifiers == '6') {
		if (!enough(o, b, 16))
			return;
		if (modifiers[1] == 'c')
			put_ip6_short(o, b.p);
		else
			put_ip6(o, b.p, plain ? "" : ":");
	} else if (enough(o, b, 4)) {
		put_ip4(o, b.p, plain, modifiers[1] == 'l' || (modifiers[1] == 'h' && !big_endian));
	}
}

static bool bit(struct sonde_bytes b, uint64_t n, struct bitmap_layout l)
{
	uint64_t word = n / (8 * l.long_size) * l.long_size, byte = n / 8 % l.long_size;
	bool big_endian = l.swap != host_is_big_endian();

	return b.p[word + (big_endian ? l.long_size - 1 - byte : byte)] >> n % 8 & 1;
}

/* No more bits than there are whole words for. */
static uint64_t clamp_bits(struct sonde_bytes b, uint64_t bits, struct bitmap_layout l)
{
	uint64_t there = b.len / l.long_size * l.long_size * 8;

	return bits < there ? bits : there;
}

void pointer_bitmap(struct seq_buf *o, struct sonde_bytes b, uint64_t bits, struct bitmap_layout l)
{
	uint32_t chunk = 0;

	bits = clamp_bits(b, bits, l);
	for (uint64_t n = bits; n-- > 0 && o->p < o->end;) {
		chunk = chunk << 1 | bit(b, n, l);
		if (n % 32)
			continue;
		seq_hex_zero(o, chunk, n + 32 > bits ? (unsigned)((bits - n + 3) / 4) : 8);
		if (n)
			seq_char(o, ',');
		chunk = 0;
	}
}

void pointer_bitlist(struct seq_buf *o, struct sonde_bytes b, uint64_t bits, struct bitmap_layout l)
{
	bool first = true;
	uint64_t end;

	bits = clamp_bits(b, bits, l);
	for (uint64_t n = 0; n < bits && o->p < o->end; n = end + 1) {
		for (end = n; end < bits && bit(b, end, l); end++)
			;
		if (end == n)
			continue;
		if (!first)
			seq_char(o, ',');
		first = false;
		seq_decimal(o, n);
		if (end - n > 1) {
			seq_char(o, '-');
			seq_decimal(o, end - 1);
		}
	}
}

static void put_group(struct seq_buf *o, const uint8_t *p, uint8_t size, bool swap)
{
	switch (size) {
	case 8:
		seq_hex_zero(o, load_u64(p, swap), 16);
		break;
	case 4:
		seq_hex_zero(o, load_u32(p, swap), 8);
		break;
	case 2:
		seq_hex_zero(o, load_u16(p, swap), 4);
		break;
	default:
		seq_byte(o, *p);
	}
}

void pointer_hex_dump(struct seq_buf *o, struct sonde_bytes b, const struct hex_dump *d)
{
	size_t row = d->row == 32 ? 32 : 16, group = d->group == 2 || d->group == 4 || d->group == 8 ? d->group : 1,
	       column, n;

	for (size_t at = 0; at < b.len && o->p < o->end; at += row) {
		n = b.len - at < row ? b.len - at : row;
		if (n % group)
			group = 1;   /* as the kernel does with what does not divide */
		if (at)
			seq_char(o, '\n');
		seq_text(o, (const uint8_t *)d->prefix.p, d->prefix.len);
		if (d->kind) {
			seq_hex_zero(o, at, 8);
			seq_put(o, ": ", 2);
		}
		column = 0;
		for (size_t i = 0; i < n; i += group) {
			if (i)
				seq_char(o, ' ');
			put_group(o, b.p + at + i, (uint8_t)group, d->swap);
			column += 2 * group + (i ? 1 : 0);
		}
		if (!d->ascii)
			continue;
		seq_pad(o, ' ', row * 2 + row / group + 1 - column);
		for (size_t i = 0; i < n; i++)
			seq_char(o, b.p[at + i] < 0x20 || b.p[at + i] > 0x7e ? '.' : (char)b.p[at + i]);
	}
}

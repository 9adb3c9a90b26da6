/* SPDX-License-Identifier: MIT */
/* bytes.h - integers at any alignment, in host order or in the other one. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <byteswap.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? bswap_64(v) : v;
}

/* An integer of 1, 2, 4 or 8 bytes, extended to 64 bits as its sign says. */
static inline uint64_t load_integer(const uint8_t *p, size_t size, bool is_signed, bool swap)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)load_u16(p, swap) : load_u16(p, swap);
	case 4:
		return is_signed ? (uint64_t)(int32_t)load_u32(p, swap) : load_u32(p, swap);
	default:
		return load_u64(p, swap);
	}
}

static inline void store_u16(void *p, uint16_t v, bool swap)
{
	v = swap ? bswap_16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, uint64_t v, bool swap)
{
	v = swap ? bswap_64(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline bool bytes_are_zero(const uint8_t *p, size_t n)
{
	return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static inline bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* x rounded up to a multiple of n, a power of two; the caller knows that it cannot wrap */
#define ALIGN_UP(x, n) (((x) + ((n) - 1)) & ~(__typeof__(x))((n) - 1))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The value of field f in the options struct o that a caller may have compiled against an older header. */
#define OPT(o, f, dflt) \
	((o) && (o)->sz >= offsetof(__typeof__(*(o)), f) + sizeof((o)->f) ? (o)->f : (__typeof__((o)->f))(dflt))

#endif

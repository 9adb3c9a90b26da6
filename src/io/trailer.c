/* SPDX-License-Identifier: MIT */
#include "io/trailer.h"

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/hash.h"

uint64_t trailer_hash(const void *p, size_t n)
{
	const uint8_t *from = p;
	uint64_t h[4] = { n, 2, 3, 4 };
	size_t at = 0;

	/* four sums at once, because each step waits for the one before it */
	for (; n - at >= 32; at += 32)
		for (int i = 0; i < 4; i++) {
			h[i] = (h[i] ^ load_u64(from + at + 8 * i, host_is_big_endian())) *
			       UINT64_C(0x9fb21c651e98df25);
			h[i] ^= h[i] >> 35;
		}
	for (; at < n; at++)
		h[0] = hash_u64(h[0] ^ from[at]);
	return hash_two(hash_two(h[0], h[1]), hash_two(h[2], h[3]));
}

void trailer_encode(uint8_t p[TRAILER_BYTES], const struct trailer *t)
{
	bool swap = host_is_big_endian();

	memcpy(p, TRAILER_MAGIC, TRAILER_MAGIC_BYTES);
	store_u64(p + 8, t->directory, swap);
	store_u64(p + 16, t->directory_size, swap);
	store_u64(p + 24, t->recording, swap);
	store_u64(p + 32, t->hash, swap);
	memcpy(p + 40, TRAILER_MAGIC, TRAILER_MAGIC_BYTES);
}

bool trailer_decode(struct trailer *t, const uint8_t p[TRAILER_BYTES], uint64_t file_size)
{
	bool swap = host_is_big_endian();

	if (memcmp(p, TRAILER_MAGIC, TRAILER_MAGIC_BYTES) || memcmp(p + 40, TRAILER_MAGIC, TRAILER_MAGIC_BYTES))
		return false;
	*t = (struct trailer){ load_u64(p + 8, swap), load_u64(p + 16, swap), load_u64(p + 24, swap),
			       load_u64(p + 32, swap) };
	return file_size >= TRAILER_BYTES && t->recording <= t->directory &&
	       t->directory <= file_size - TRAILER_BYTES &&
	       t->directory_size == file_size - TRAILER_BYTES - t->directory;
}

bool trailer_read(struct trailer *t, int fd, uint64_t file_size)
{
	uint8_t p[TRAILER_BYTES];
	int bad;

	return file_size >= TRAILER_BYTES &&
	       fd_read_at(fd, p, sizeof(p), file_size - TRAILER_BYTES, &bad) == sizeof(p) &&
	       trailer_decode(t, p, file_size);
}

uint64_t trailer_recording(int fd, uint64_t file_size)
{
	struct trailer t;

	return trailer_read(&t, fd, file_size) ? t.recording : file_size;
}

bool trailer_begins_at(const uint8_t *p, size_t n)
{
	return n >= TRAILER_MAGIC_BYTES && !memcmp(p, TRAILER_MAGIC, TRAILER_MAGIC_BYTES);
}

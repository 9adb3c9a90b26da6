/* SPDX-License-Identifier: MIT */
/*
 * paged_file.h - a file in memory, of which only the pages that are asked for are read
 *
 * The memory is as large as the file and never moves; a page takes memory from when it is read. Nothing is mapped: a
 * file that becomes shorter raises no SIGBUS, its lost bytes are zeros. Several threads may ask at once.
 */
#ifndef BASE_PAGED_FILE_H
#define BASE_PAGED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGED_FILE_PAGE = 4096 };

struct paged_file {
	const uint8_t *data;         /* zeros where nothing has been read */
	size_t size;
	uint8_t *read;               /* by page: 1 when it has been read */
	struct paged_file_reader *reader;
};

/* Takes fd, also when it fails. NULL: the file is empty or too large, or there is no memory. */
struct paged_file *paged_file_open(int fd);
void paged_file_close(struct paged_file *f);

/* Reads the pages from first to last that have not been read. */
void paged_file_read(const struct paged_file *f, size_t first, size_t last);

/* Sees to it that the size bytes at p, which lie in the file, have been read. Returns p. */
static inline const void *paged_file_need(const struct paged_file *f, const void *p, size_t size)
{
	size_t at = (size_t)((const uint8_t *)p - f->data), last;

	if (!size)
		return p;
	last = (at + size - 1) / PAGED_FILE_PAGE;
	for (size_t i = at / PAGED_FILE_PAGE; i <= last; i++) {
		if (!__atomic_load_n(&f->read[i], __ATOMIC_ACQUIRE)) {
			paged_file_read(f, i, last);
			break;
		}
	}
	return p;
}

/* The same for a string, which ends at a NUL or with the file; the last byte of a file with strings is a NUL. */
const char *paged_file_string(const struct paged_file *f, const char *p);

#endif

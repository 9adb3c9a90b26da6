/* SPDX-License-Identifier: MIT */
/* tracedat_file.h - an input after the magic and version of a trace.dat (6 if its first byte is even), which nothing
 * has to guess then */
#ifndef FUZZ_TRACEDAT_FILE_H
#define FUZZ_TRACEDAT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The file, to be freed, of *n bytes; NULL for an empty input. */
static inline uint8_t *tracedat_file(const uint8_t *data, size_t size, size_t *n)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	uint8_t *file = size ? malloc(sizeof(magic) + size + 1) : NULL;

	if (!file)
		return NULL;
	memcpy(file, magic, sizeof(magic));
	file[sizeof(magic)] = data[0] & 1 ? '7' : '6';
	file[sizeof(magic) + 1] = 0;
	memcpy(file + sizeof(magic) + 2, data + 1, size - 1);
	*n = sizeof(magic) + size + 1;
	return file;
}

#endif

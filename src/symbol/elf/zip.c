/* SPDX-License-Identifier: MIT */
/*
 * zip.c - the list of files is at the end of a zip file: an end record, before it the list, and before that the files,
 * each after a header of its own. All numbers are little-endian.
 */
#include "symbol/elf/zip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "base/plain_file.h"

#define END_SIGNATURE 0x06054b50
#define ENTRY_SIGNATURE 0x02014b50
#define FILE_SIGNATURE 0x04034b50
#define END_BYTES 22
#define ENTRY_BYTES 46
#define FILE_BYTES 30
#define COMMENT_MOST 65535
#define LIST_MOST ((uint64_t)64 << 20)
#define LIBRARY_MOST ((uint64_t)1 << 30)

static bool read_at(int fd, void *to, uint64_t n, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* Where the list of files is. The end record may be followed by a comment. */
static bool find_list(int fd, uint64_t size, uint64_t *offset, uint64_t *bytes)
{
	uint64_t n = size < END_BYTES + COMMENT_MOST ? size : END_BYTES + COMMENT_MOST;
	uint8_t *tail = malloc(n ? n : 1);
	bool found = false;

	if (tail && read_at(fd, tail, n, size - n))
		for (uint64_t i = n; i-- >= END_BYTES && !found;) {
			const uint8_t *p = tail + i + 1 - END_BYTES;
			struct cursor c = cur_new(p, END_BYTES, 0, host_is_big_endian(), NULL);

			if (cur_u32(&c) != END_SIGNATURE)
				continue;
			cur_take(&c, 8);
			*bytes = cur_u32(&c);
			*offset = cur_u32(&c);
			found = *bytes <= LIST_MOST && *offset <= size && *bytes <= size - *offset;
		}
	free(tail);
	return found;
}

/* Adds the file at a header if it is an ELF file. Together they are not larger than the zip, or they overlap. */
static int add_library(struct zip *z, uint64_t zip_size, uint64_t at, uint64_t size)
{
	uint8_t header[FILE_BYTES], magic[SELFMAG];
	struct cursor c = cur_new(header, sizeof(header), 0, host_is_big_endian(), NULL);
	uint64_t offset;

	if (!read_at(z->fd, header, sizeof(header), at) || cur_u32(&c) != FILE_SIGNATURE)
		return 0;
	cur_take(&c, 22);
	offset = at + FILE_BYTES + cur_u16(&c);
	offset += cur_u16(&c);
	if (offset > zip_size || size > zip_size - offset || size > LIBRARY_MOST || size > zip_size - z->bytes ||
	    !read_at(z->fd, magic, sizeof(magic), offset) || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return 0;
	z->bytes += size;
	return vec_push(&z->libraries, ((struct zip_library){ offset, size }));
}

static int read_list(struct zip *z, uint64_t zip_size, const uint8_t *list, uint64_t n)
{
	struct cursor c = cur_new(list, n, 0, host_is_big_endian(), NULL);
	int r = 0;

	while (r == 0 && cur_left(&c) >= ENTRY_BYTES && cur_u32(&c) == ENTRY_SIGNATURE) {
		uint64_t size, skipped, at;
		uint16_t method;

		cur_take(&c, 6);
		method = cur_u16(&c);
		cur_take(&c, 12);
		size = cur_u32(&c);
		skipped = cur_u16(&c);
		skipped += cur_u16(&c);
		skipped += cur_u16(&c);
		cur_take(&c, 8);
		at = cur_u32(&c);
		if (!cur_take(&c, skipped))
			break;
		if (method == 0)
			r = add_library(z, zip_size, at, size);
	}
	return r;
}

int zip_open(struct zip *z, const char *path, struct sonde_error *err)
{
	uint64_t at, bytes;
	uint8_t *list;
	struct stat st;
	int r = -SONDE_FORMAT;

	*z = (struct zip){ .fd = plain_file_open(path, 0, &st, err) };
	if (z->fd < 0)
		return z->fd;
	if (find_list(z->fd, (uint64_t)st.st_size, &at, &bytes)) {
		list = malloc(bytes ? bytes : 1);
		if (!list)
			r = -SONDE_NOMEM;
		else if (read_at(z->fd, list, bytes, at))
			r = read_list(z, (uint64_t)st.st_size, list, bytes);
		free(list);
	}
	if (r < 0)
		zip_close(z);
	return r;
}

int zip_open_library(struct elf_file *f, const struct zip *z, size_t i, struct sonde_error *err)
{
	const struct zip_library *l = &z->libraries.at[i];
	void *bytes = malloc(l->size);
	int r;

	if (!bytes)
		return err_nomem(err);
	if (!read_at(z->fd, bytes, l->size, l->offset)) {
		free(bytes);
		return err_set(err, SONDE_TRUNCATED, l->offset, "cannot read a library of the zip file");
	}
	r = elf_file_open_memory(f, bytes, l->size, err);
	if (r == 0)
		f->offset = l->offset;
	return r;
}

void zip_close(struct zip *z)
{
	if (z->fd >= 0)
		close(z->fd);
	vec_free(&z->libraries);
	z->fd = -1;
}

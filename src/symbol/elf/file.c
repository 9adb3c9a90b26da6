/* SPDX-License-Identifier: MIT */
#include "symbol/elf/file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "base/fmap.h"
#include "base/hash.h"
#include "base/plain_file.h"
#include "base/sorted.h"
#include "symbol/elf/unpack.h"

/* libelf says of what it could not do only that it could not: the allocator leaves the reason in errno. */
static int short_of_memory(struct elf_file *f, struct sonde_error *err)
{
	elf_file_close(f);
	return err_set(err, SONDE_NOMEM, SONDE_NONE, "out of memory");
}

/* errno was 0 before @elf was opened. */
static int begin(struct elf_file *f, Elf *elf, struct sonde_error *err)
{
	const void *id;
	ssize_t n;

	f->elf = elf;
	if (!elf && errno == ENOMEM)
		return short_of_memory(f, err);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &f->ehdr)) {
		elf_file_close(f);
		return err_set(err, SONDE_FORMAT, SONDE_NONE, "not an ELF file");
	}
	n = dwelf_elf_gnu_build_id(elf, &id);
	if (n <= 0 && errno == ENOMEM)
		return short_of_memory(f, err);
	if (n > 0 && (size_t)n <= sizeof(f->build_id)) {
		memcpy(f->build_id, id, (size_t)n);
		f->build_id_size = (uint8_t)n;
		/* wherever it lies; a stripped copy has another size */
		f->identity = hash_two(hash_bytes(id, (size_t)n), f->size);
	}
	return 0;
}

int elf_file_open_memory(struct elf_file *f, void *bytes, size_t size, struct sonde_error *err)
{
	*f = (struct elf_file){ .fd = -1, .memory = bytes, .size = size };
	elf_version(EV_CURRENT);
	errno = 0;
	return begin(f, elf_memory(bytes, size), err);
}

static int open_packed(struct elf_file *f, int fd, enum file_packing packing, struct sonde_error *err)
{
	struct fmap m = { 0 };
	size_t size;
	void *bytes;
	int r;

	r = fmap_fd(&m, fd, err);
	close(fd);
	if (r < 0)
		return r;
	r = unpack(packing, m.data, m.size, &bytes, &size, err);
	fmap_close(&m);
	return r < 0 ? r : elf_file_open_memory(f, bytes, size, err);
}

/* The identity of a file without a build id. */
static uint64_t identity(const struct stat *st)
{
	uint64_t h = hash_two(st->st_dev, st->st_ino);

	h = hash_two(h, (uint64_t)st->st_size);
	h = hash_two(h, (uint64_t)st->st_mtim.tv_sec);
	return hash_two(h, (uint64_t)st->st_mtim.tv_nsec);
}

int elf_file_open(struct elf_file *f, const char *path, struct sonde_error *err)
{
	enum file_packing packing = packing_of_name(path);
	struct stat st;
	int fd;

	*f = (struct elf_file){ .fd = -1 };
	fd = plain_file_open(path, 0, &st, err);
	if (fd < 0)
		return fd;
	if (packing != PACKING_NONE)
		return open_packed(f, fd, packing, err);
	f->fd = fd;
	f->size = (uint64_t)st.st_size;
	f->identity = identity(&st);
	elf_version(EV_CURRENT);
	errno = 0;
	/*
	 * Read, not mapped: the file may be cut short while we look at it, and only a few of its sections are wanted.
	 */
	return begin(f, elf_begin(fd, ELF_C_READ, NULL), err);
}

int elf_file_open_debugdata(struct elf_file *inner, const struct elf_file *f, struct sonde_error *err)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_section(f, ".gnu_debugdata", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	void *bytes;
	int r;

	*inner = (struct elf_file){ .fd = -1 };
	if (!data || !data->d_buf)
		return -SONDE_MISSING;
	r = unpack(PACKING_XZ, data->d_buf, data->d_size, &bytes, &size, err);
	return r < 0 ? r : elf_file_open_memory(inner, bytes, size, err);
}

Elf_Scn *elf_file_section_of_type(const struct elf_file *f, uint32_t type, GElf_Shdr *shdr)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));)
		if (gelf_getshdr(s, shdr) && shdr->sh_type == type)
			return s;
	return NULL;
}

Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *shdr)
{
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return NULL;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));) {
		found = gelf_getshdr(s, shdr) ? elf_strptr(f->elf, names, shdr->sh_name) : NULL;
		if (found && !strcmp(found, name))
			return s;
	}
	return NULL;
}

static bool has_bytes(const struct elf_file *f, uint64_t at, size_t n)
{
	size_t i = sorted_nr_at_most(f->parts, f->nr_parts, start, at);

	return !f->parts || (i && at <= f->parts[i - 1].end && n <= f->parts[i - 1].end - at);
}

bool elf_file_read(const struct elf_file *f, uint64_t at, void *to, size_t n)
{
	const char *whole;
	size_t size;
	int bad;

	if (f->fd >= 0)
		return fd_read_at(f->fd, to, n, at, &bad) == n;
	whole = elf_rawfile(f->elf, &size);
	if (!whole || at > size || n > size - at || !has_bytes(f, at, n))
		return false;
	memcpy(to, whole + at, n);
	return true;
}

void elf_file_close(struct elf_file *f)
{
	free(f->parts);
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->memory);
	*f = (struct elf_file){ .fd = -1 };
}

bool build_id_equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	static const uint8_t zeros[20];
	size_t n = a_size < b_size ? a_size : b_size;
	const uint8_t *rest = a_size < b_size ? b : a;
	size_t rest_size = (a_size < b_size ? b_size : a_size) - n;

	return n > 0 && rest_size <= sizeof(zeros) && !memcmp(a, b, n) && !memcmp(rest + n, zeros, rest_size);
}

void build_id_print(char text[BUILD_ID_TEXT], const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size && i < 20; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	text[size < 20 ? 2 * size : 40] = 0;
}

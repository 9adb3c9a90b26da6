/* SPDX-License-Identifier: MIT */
#include "record/host/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "base/plain_file.h"

#define HEADERS_MAX 256
#define NOTES_MAX 65536

/* Elf64_Nhdr and Elf32_Nhdr are alike: namesz, descsz, type, then both padded to four bytes. */
uint8_t build_id_of_notes(const uint8_t *p, size_t n, uint8_t out[BUILD_ID_MAX])
{
	struct cursor c = cur_new(p, n, 0, false, NULL);

	while (cur_left(&c) >= 12) {
		uint32_t name_size = cur_u32(&c), size = cur_u32(&c), type = cur_u32(&c);
		const uint8_t *name = cur_take(&c, ALIGN_UP((uint64_t)name_size, 4));
		const uint8_t *id = cur_take(&c, ALIGN_UP((uint64_t)size, 4));

		if (!name || !id)
			break;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && size > 0 &&
		    size <= BUILD_ID_MAX) {
			memcpy(out, id, size);
			return (uint8_t)size;
		}
	}
	return 0;
}

/* Reads of a file or of memory, so that the vdso goes the same way. */
struct elf_bytes {
	int fd;
	const uint8_t *memory;       /* NULL: a file */
};

static bool read_image(const struct elf_bytes *im, void *to, size_t n, uint64_t at)
{
	if (im->memory) {
		memcpy(to, im->memory + at, n);
		return true;
	}
	return pread(im->fd, to, n, (off_t)at) == (ssize_t)n;
}

static uint8_t notes_of_image(const struct elf_bytes *im, uint64_t at, uint64_t size, uint8_t out[BUILD_ID_MAX])
{
	uint8_t small[1024], *p = small;
	uint8_t r = 0;

	if (size > NOTES_MAX || (size > sizeof(small) && !(p = malloc(size))))
		return 0;
	if (read_image(im, p, size, at))
		r = build_id_of_notes(p, size, out);
	if (p != small)
		free(p);
	return r;
}

static uint8_t of_elf64(const struct elf_bytes *im, uint8_t out[BUILD_ID_MAX])
{
	Elf64_Ehdr e;
	uint8_t r = 0;

	if (!read_image(im, &e, sizeof(e), 0) || e.e_phentsize != sizeof(Elf64_Phdr))
		return 0;
	for (unsigned i = 0; r == 0 && i < e.e_phnum && i < HEADERS_MAX; i++) {
		Elf64_Phdr h;

		if (!read_image(im, &h, sizeof(h), e.e_phoff + i * sizeof(h)))
			break;
		if (h.p_type == PT_NOTE)
			r = notes_of_image(im, h.p_offset, h.p_filesz, out);
	}
	return r;
}

static uint8_t of_elf32(const struct elf_bytes *im, uint8_t out[BUILD_ID_MAX])
{
	Elf32_Ehdr e;
	uint8_t r = 0;

	if (!read_image(im, &e, sizeof(e), 0) || e.e_phentsize != sizeof(Elf32_Phdr))
		return 0;
	for (unsigned i = 0; r == 0 && i < e.e_phnum && i < HEADERS_MAX; i++) {
		Elf32_Phdr h;

		if (!read_image(im, &h, sizeof(h), e.e_phoff + i * sizeof(h)))
			break;
		if (h.p_type == PT_NOTE)
			r = notes_of_image(im, h.p_offset, h.p_filesz, out);
	}
	return r;
}

static uint8_t of_image(const struct elf_bytes *im, uint8_t out[BUILD_ID_MAX])
{
	unsigned char ident[EI_NIDENT];

	/* a file of the other byte order cannot be running here */
	if (!read_image(im, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != (host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB))
		return 0;
	return ident[EI_CLASS] == ELFCLASS64 ? of_elf64(im, out) : of_elf32(im, out);
}

uint8_t build_id_of_file(const char *path, uint8_t out[BUILD_ID_MAX])
{
	struct elf_bytes im = { .fd = plain_file_open(path, 0, NULL, NULL) };
	uint8_t r;

	if (im.fd < 0)
		return 0;
	r = of_image(&im, out);
	close(im.fd);
	return r;
}

static uint8_t of_notes_file(const char *path, uint8_t out[BUILD_ID_MAX])
{
	uint8_t notes[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, notes, sizeof(notes));
	close(fd);
	return n > 0 ? build_id_of_notes(notes, (size_t)n, out) : 0;
}

uint8_t build_id_of_kernel(uint8_t out[BUILD_ID_MAX])
{
	return of_notes_file("/sys/kernel/notes", out);
}

uint8_t build_id_of_module(const char *name, uint8_t out[BUILD_ID_MAX])
{
	char path[256];

	if ((size_t)snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name) >= sizeof(path))
		return 0;
	return of_notes_file(path, out);
}

uint8_t build_id_of_vdso(uint8_t out[BUILD_ID_MAX])
{
	struct elf_bytes im = { .fd = -1, .memory = (const uint8_t *)getauxval(AT_SYSINFO_EHDR) };

	return im.memory ? of_image(&im, out) : 0;
}

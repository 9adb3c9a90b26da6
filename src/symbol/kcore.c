/* SPDX-License-Identifier: MIT */
#include "symbol/kcore.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/boot_time.h"
#include "base/fd_io.h"
#include "base/path.h"
#include "symbol/kcore_dir.h"
#include "symbol/load_kernel.h"

enum { SEGMENTS_MOST = 4096 };

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
	int bad;

	return fd_read_at(fd, out, size, offset, &bad) == size;
}

static bool is_elf_of_host(const Elf64_Ehdr *eh)
{
	return memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 && eh->e_ident[EI_CLASS] == ELFCLASS64 &&
	       eh->e_ident[EI_DATA] == (host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB) &&
	       eh->e_phentsize == sizeof(Elf64_Phdr) && eh->e_phnum <= SEGMENTS_MOST;
}

static bool read_segment(int fd, uint64_t addr, void *out, size_t size)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_at(fd, &eh, sizeof(eh), 0) || !is_elf_of_host(&eh))
		return false;
	for (uint64_t i = 0; i < eh.e_phnum && read_at(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)); i++)
		if (ph.p_type == PT_LOAD && addr - ph.p_vaddr < ph.p_filesz &&
		    size <= ph.p_filesz - (addr - ph.p_vaddr))
			return read_at(fd, out, size, ph.p_offset + (addr - ph.p_vaddr));
	return false;
}

bool kcore_read_file(const char *path, uint64_t addr, void *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool read = fd >= 0 && read_segment(fd, addr, out, size);

	if (fd >= 0)
		close(fd);
	return read;
}

bool kcore_read(struct symbols *s, const struct binary *b, uint64_t addr, void *out, size_t size, struct buf *source)
{
	struct load l = { .s = s, .binary = b, .reason = BUF_MEMORY };
	char path[PATH_MAX], kcore[PATH_MAX];
	bool read = false;

	if (b->guest)
		return false;
	/* the copy lies beside the list of symbols */
	if (kcore_dir_find(path, &l) && path_print(kcore, "%.*skcore", path_dir_length(path), path))
		read = kcore_read_file(kcore, addr, out, size);
	if (!read && (!s->recorded_s || s->recorded_s >= boot_time_s()) && load_kernel_is_same_boot(&l)) {
		strcpy(kcore, "/proc/kcore");
		read = kcore_read_file(kcore, addr, out, size);
	}
	if (read)
		buf_str(source, kcore);
	buf_free(&l.reason);
	return read;
}

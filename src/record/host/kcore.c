/* SPDX-License-Identifier: MIT */
#include "record/host/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/fmap.h"
#include "record/host/proc.h"

#define PATH_BYTES   4096
#define CHUNK        (256u << 10)
#define TEXT_MAX     (256u << 20)    /* of kallsyms and modules */
#define SEGMENTS_MAX 4096            /* of /proc/kcore */
#define PAGE         UINT64_C(4096)
#define ALIGNMENT    UINT64_C(65536) /* the largest page of any machine */

struct kcore_range {
	uint64_t start, end;
};

/* The copy of one range of a segment of /proc/kcore. */
struct piece {
	Elf64_Phdr header;           /* in the copy */
	uint64_t from;               /* offset in /proc/kcore */
};

struct kcore_copy {
	int from, to;
	Elf64_Ehdr header;           /* of /proc/kcore */
	struct piece pieces[64];
	size_t nr;
	struct sonde_error *err;
};

int kcore_check(const char *proc, struct sonde_error *err)
{
	char path[PATH_BYTES];
	uint8_t magic[SELFMAG];
	int fd, sys_errno = 0;

	snprintf(path, sizeof(path), "%s/kcore", proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fd_read_at(fd, magic, sizeof(magic), 0, &sys_errno) != sizeof(magic) ||
	    memcmp(magic, ELFMAG, SELFMAG) != 0)
		sys_errno = sys_errno ? sys_errno : fd < 0 ? errno : ENOEXEC;
	else
		sys_errno = 0;
	if (fd >= 0)
		close(fd);
	return sys_errno ? err_sys(err, sys_errno, "cannot read the memory of the kernel, %s", path) : 0;
}

/* ---- texts ---- */

static int write_text(const char *path, const struct fmap *text, struct sonde_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400), e;

	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", path);
	e = fd_write(fd, text->data, text->size);
	close(fd);
	return e < 0 ? err_sys(err, -e, "cannot write %s", path) : 0;
}

static int copy_text(const char *proc, const char *dir, const char *name, struct sonde_error *err)
{
	char from[PATH_BYTES], to[PATH_BYTES];
	struct fmap text;
	int e;

	snprintf(from, sizeof(from), "%s/%s", proc, name);
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	e = fmap_path(&text, from, TEXT_MAX, err);
	if (e < 0)
		return e;
	e = write_text(to, &text, err);
	fmap_close(&text);
	return e;
}

/* ---- where the code is ---- */

static int widen(void *ctx, const char *line, size_t len)
{
	struct kcore_range *all = ctx;
	struct proc_module m;

	if (!proc_parse_module(line, len, &m) || !m.addr || m.addr + m.size < m.addr)
		return 0;
	all->start = all->end && all->start < m.addr ? all->start : m.addr;
	all->end = all->end > m.addr + m.size ? all->end : m.addr + m.size;
	return 0;
}

/* The text of the kernel, then the modules: an empty range if there are none. */
static int find_code(const char *proc, struct kcore_range out[2], struct sonde_error *err)
{
	char kallsyms[PATH_BYTES], path[PATH_BYTES];
	struct proc_kernel kernel;
	struct fmap modules;

	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", proc);
	snprintf(path, sizeof(path), "%s/iomem", proc);
	if (!proc_kernel(kallsyms, path, &kernel) || !kernel.addr || kernel.end <= kernel.addr)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "%s does not say where the text of the kernel is",
			       kallsyms);
	out[0] = (struct kcore_range){ kernel.addr & ~(PAGE - 1), ALIGN_UP(kernel.end, PAGE) };
	out[1] = (struct kcore_range){ 0, 0 };
	snprintf(path, sizeof(path), "%s/modules", proc);
	if (fmap_path(&modules, path, TEXT_MAX, NULL) == 0) {
		proc_lines((const char *)modules.data, modules.size, widen, &out[1]);
		fmap_close(&modules);
		out[1] = (struct kcore_range){ out[1].start & ~(PAGE - 1), ALIGN_UP(out[1].end, PAGE) };
	}
	return 0;
}

/* ---- /proc/kcore ---- */

static void add_piece(struct kcore_copy *c, const Elf64_Phdr *segment, const struct kcore_range *wanted)
{
	uint64_t end = segment->p_vaddr + segment->p_memsz;
	uint64_t from = wanted->start > segment->p_vaddr ? wanted->start : segment->p_vaddr;
	uint64_t to = wanted->end < end ? wanted->end : end;
	struct piece *p = &c->pieces[c->nr];

	if (segment->p_type != PT_LOAD || end < segment->p_vaddr || from >= to || c->nr == ARRAY_SIZE(c->pieces))
		return;
	p->from = segment->p_offset + (from - segment->p_vaddr);
	p->header = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_vaddr = from,
				  .p_filesz = to - from, .p_memsz = to - from, .p_align = PAGE };
	c->nr++;
}

static int find_pieces(struct kcore_copy *c, const struct kcore_range wanted[2])
{
	int sys_errno = 0;
	Elf64_Phdr segment;

	if (fd_read_at(c->from, &c->header, sizeof(c->header), 0, &sys_errno) != sizeof(c->header) ||
	    memcmp(c->header.e_ident, ELFMAG, SELFMAG) != 0 || c->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    c->header.e_phentsize != sizeof(segment) || c->header.e_phnum > SEGMENTS_MAX)
		return err_set(c->err, SONDE_UNSUPPORTED, SONDE_NONE, "kcore is no ELF file of 64 bits");
	for (unsigned i = 0; i < c->header.e_phnum; i++) {
		if (fd_read_at(c->from, &segment, sizeof(segment), c->header.e_phoff + i * sizeof(segment),
			       &sys_errno) != sizeof(segment))
			return err_set(c->err, SONDE_TRUNCATED, SONDE_NONE, "kcore ends within its segments");
		for (size_t k = 0; k < 2; k++)
			add_piece(c, &segment, &wanted[k]);
	}
	return c->nr ? 0 : err_set(c->err, SONDE_MISSING, SONDE_NONE, "kcore does not have the text of the kernel");
}

static int write_headers(struct kcore_copy *c)
{
	uint64_t at = ALIGN_UP(sizeof(c->header) + c->nr * sizeof(Elf64_Phdr), ALIGNMENT);
	Elf64_Ehdr h = c->header;
	int e;

	h.e_phoff = sizeof(h);
	h.e_phnum = (uint16_t)c->nr;
	h.e_shoff = 0;
	h.e_shnum = h.e_shstrndx = 0;
	e = fd_write_at(c->to, &h, sizeof(h), 0);
	for (size_t i = 0; e == 0 && i < c->nr; i++) {
		Elf64_Phdr *p = &c->pieces[i].header;

		p->p_offset = at;
		at += ALIGN_UP(p->p_filesz, ALIGNMENT);
		e = fd_write_at(c->to, p, sizeof(*p), sizeof(h) + i * sizeof(*p));
	}
	/* Memory of zeros is not written: it is a hole. */
	if (e == 0 && ftruncate(c->to, (off_t)at) < 0)
		e = -errno;
	return e < 0 ? err_sys(c->err, -e, "cannot write a copy of kcore") : 0;
}

static int copy_piece(struct kcore_copy *c, const struct piece *p, uint8_t *chunk)
{
	for (uint64_t at = 0, n; at < p->header.p_filesz; at += n) {
		int sys_errno = 0, e;

		n = p->header.p_filesz - at < CHUNK ? p->header.p_filesz - at : CHUNK;
		if (fd_read_at(c->from, chunk, (size_t)n, p->from + at, &sys_errno) != n)
			return err_sys(c->err, sys_errno ? sys_errno : EIO, "cannot read kcore at offset %#llx",
				       (unsigned long long)(p->from + at));
		e = bytes_are_zero(chunk, (size_t)n) ? 0 :
			fd_write_at(c->to, chunk, (size_t)n, p->header.p_offset + at);
		if (e < 0)
			return err_sys(c->err, -e, "cannot write a copy of kcore");
	}
	return 0;
}

static int copy_code(struct kcore_copy *c, const struct kcore_range wanted[2])
{
	uint8_t *chunk = malloc(CHUNK);
	int e = chunk ? find_pieces(c, wanted) : err_nomem(c->err);

	if (e == 0)
		e = write_headers(c);
	for (size_t i = 0; e == 0 && i < c->nr; i++)
		e = copy_piece(c, &c->pieces[i], chunk);
	free(chunk);
	return e;
}

static int copy_kcore(const char *proc, const char *dir, struct sonde_error *err)
{
	struct kcore_copy *c = calloc(1, sizeof(*c));
	char from[PATH_BYTES], to[PATH_BYTES];
	struct kcore_range wanted[2];
	int e;

	if (!c)
		return err_nomem(err);
	snprintf(from, sizeof(from), "%s/kcore", proc);
	snprintf(to, sizeof(to), "%s/" KCORE_FILE, dir);
	c->err = err;
	c->from = open(from, O_RDONLY | O_CLOEXEC);
	c->to = c->from < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	if (c->to < 0)
		e = err_sys(err, errno, "cannot open %s", c->from < 0 ? from : to);
	else
		e = find_code(proc, wanted, err);
	if (e == 0)
		e = copy_code(c, wanted);
	if (c->from >= 0)
		close(c->from);
	if (c->to >= 0)
		close(c->to);
	free(c);
	return e;
}

int kcore_copy(const char *proc, const char *dir, struct sonde_error *err)
{
	int e;

	if (mkdir(dir, 0700) < 0)
		return err_sys(err, errno, "cannot make the directory %s", dir);
	e = copy_text(proc, dir, KCORE_SYMBOLS, err);
	if (e == 0)
		e = copy_text(proc, dir, KCORE_MODULES, err);
	return e < 0 ? e : copy_kcore(proc, dir, err);
}

/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the .eh_frame of a binary, its code, the registers of a sample, the copy of its stack and its callchain:
 * the whole walk. Bytes: the architecture; 16 bits each for the sizes of .eh_frame and of the code; both; the rest is
 * registers, and then the stack.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "unwind/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES_MOST = 200, CODE_AT = 0x1000, IMAGE_BYTES = 0x20000, MAPPED_AT = 0x400000 };

static const struct { const char *arch; uint16_t machine; uint64_t abi, mask; bool wide; } archs[] = {
	{ "x86_64", EM_X86_64, 2, 0xff01ff, true },        { "i686", EM_386, 2, 0x1ff, false },
	{ "aarch64", EM_AARCH64, 2, 0x1ffffffff, true },   { "armv7l", EM_ARM, 1, 0xffff, false },
	{ "riscv64", EM_RISCV, 2, 0xffffffff, true },      { "s390x", EM_S390, 2, 0x3ffffffff, true },
};

struct input {
	const uint8_t *p;
	size_t n;
};

static struct input take(struct input *from, size_t n)
{
	struct input part = { from->p, n < from->n ? n : from->n };

	from->p += part.n;
	from->n -= part.n;
	return part;
}

static uint64_t take_number(struct input *from, size_t bytes)
{
	struct input part = take(from, bytes);
	uint64_t v = 0;

	for (size_t i = 0; i < part.n; i++)
		v |= (uint64_t)part.p[i] << 8 * i;
	return v;
}

/* An ELF file of 64 bits with one segment and .eh_frame; the names are "\0.eh_frame\0.shstrtab\0". */
static void write_image(uint8_t *image, uint16_t machine, struct input table, struct input code)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	const bool little = !host_is_big_endian();
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, little ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
			 .e_type = ET_DYN, .e_machine = machine, .e_version = EV_CURRENT, .e_ehsize = sizeof(e),
			 .e_phoff = sizeof(e), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			 .e_shoff = 0x200, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2 };
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = IMAGE_BYTES,
			    .p_memsz = IMAGE_BYTES };
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x10000,
		  .sh_offset = 0x10000, .sh_size = table.n },
		{ .sh_name = 11, .sh_type = SHT_STRTAB, .sh_offset = 0x400, .sh_size = sizeof(names) },
	};

	memset(image, 0, IMAGE_BYTES);
	memcpy(image, &e, sizeof(e));
	memcpy(image + sizeof(e), &load, sizeof(load));
	memcpy(image + 0x200, sections, sizeof(sections));
	memcpy(image + 0x400, names, sizeof(names));
	memcpy(image + CODE_AT, code.p, code.n);
	memcpy(image + 0x10000, table.p, table.n);
}

static int image_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("image", 0);
	return fd;
}

static void walk(struct input in, uint8_t which, struct symbols *symbols)
{
	uint64_t regs[34] = { 0 }, chain[8] = { (uint64_t)-512 };
	size_t nr_regs = (size_t)__builtin_popcountll(archs[which].mask);
	struct sample s = { .user_regs = { .abi = archs[which].abi, .mask = archs[which].mask,
					   .values = { .p = (const uint8_t *)regs, .nr = nr_regs } } };
	char path[64];
	struct binary binary = { .kind = BINARY_FILE, .name = path, .pid = -1 },
		      trampoline = { .kind = BINARY_OTHER, .name = "[uprobes]", .pid = -1, .index = 1 };
	struct maps_pool pool = { 0 };
	maps_root maps = NULL;
	struct unwinder u = { .images = unwind_images_new(symbols) };
	struct u64s out;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", image_fd());
	for (size_t i = 0; i < nr_regs; i++)
		regs[i] = take_number(&in, 8);
	for (size_t i = 1; i < ARRAY_SIZE(chain); i++)
		chain[i] = take_number(&in, 8);
	s.callchain = (struct u64s){ .p = (const uint8_t *)chain, .nr = ARRAY_SIZE(chain) };
	s.user_stack = (struct sonde_bytes){ in.p, in.n };
	if (in.n & 2)  /* the stack is a call stack of branches, too */
		s.branches = (struct branches){ .nr = in.n / BRANCH_BYTES, .entries = in.p, .is_call_stack = true };
	if (u.images && maps_insert(&pool, maps, &(struct mapping){ .start = MAPPED_AT, .end = MAPPED_AT + IMAGE_BYTES,
								     .binary = &binary, .prot = PROT_READ | PROT_EXEC },
				    &maps) == 0 &&
	    maps_insert(&pool, maps, &(struct mapping){ .start = MAPPED_AT + IMAGE_BYTES, .binary = &trampoline,
							.end = MAPPED_AT + 2 * IMAGE_BYTES, .prot = PROT_EXEC },
			&maps) == 0) {
		unwind_sample(&u, &s, archs[which].arch, in.n & 1, maps, FRAMES_MOST, &out);
		if (u.ips.n > FRAMES_MOST)
			abort();
	}
	unwind_images_free(u.images);
	unwinder_free(&u);
	maps_pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct symbols *symbols;
	static uint8_t image[IMAGE_BYTES];
	struct input in = { data, size }, table, code;
	uint8_t which = (uint8_t)(take_number(&in, 1) % ARRAY_SIZE(archs));
	size_t table_bytes = take_number(&in, 2), code_bytes = take_number(&in, 2);

	table = take(&in, table_bytes);
	code = take(&in, code_bytes < 0x8000 ? code_bytes : 0x8000);
	if (!symbols)
		symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	write_image(image, archs[which].machine, table, code);
	if (!symbols || image_fd() < 0 || pwrite(image_fd(), image, sizeof(image), 0) != (ssize_t)sizeof(image))
		return 0;
	walk(in, which, symbols);
	return 0;
}

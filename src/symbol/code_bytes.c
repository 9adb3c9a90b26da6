/* SPDX-License-Identifier: MIT */
#include "symbol/code_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/module_layout.h"
#include "symbol/elf/symbols.h"
#include "symbol/kcore.h"
#include "symbol/load.h"
#include "symbol/module_file.h"

/* A function whose bytes are looked for. */
struct wanted {
	struct symbols *s;
	const struct binary *b;
	uint64_t start;
	struct code_bytes *c;
	struct buf reason;
};

/* The size of a symbol may be anything: of one that goes beyond the end of the file, half of it is tried, and so on. */
static bool read_file(struct code_bytes *c, const struct elf_file *f, uint64_t offset)
{
	while (c->size && !elf_file_read(f, offset, c->bytes, c->size))
		c->size /= 2;
	return c->size > 0;
}

static void take_machine(struct code_bytes *c, const struct elf_file *f)
{
	struct stat st;

	c->code = (struct machine_code){ .machine = f->ehdr.e_machine,
					 .wide = f->ehdr.e_ident[EI_CLASS] == ELFCLASS64,
					 .big_endian = f->ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
					 .flags = f->ehdr.e_flags };
	if (f->fd >= 0 && fstat(f->fd, &st) == 0)
		c->file_s = st.st_mtime;
}

/* "$a", "$t.12", "$d": marks between code and data; false for other names. */
static bool mode_of_name(const char *name, enum code_mode_kind *kind)
{
	if (name[0] != '$' || !name[1] || (name[2] && name[2] != '.'))
		return false;
	switch (name[1]) {
	case 'a':
	case 'x':
		*kind = CODE_ARM;
		return true;
	case 't':
		*kind = CODE_THUMB;
		return true;
	case 'd':
		*kind = CODE_DATA;
		return true;
	}
	return false;
}

static int by_addr(const void *a, const void *b)
{
	const struct code_mode *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The mark before the function tells how it begins. */
static int take_mode(struct code_bytes *c, const GElf_Sym *sym, const char *name, struct code_mode *before)
{
	struct code_mode mode = { .addr = sym->st_value };

	if (!mode_of_name(name, &mode.kind)) {
		/* a function of Thumb code has an odd address */
		if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_value != c->addr + 1)
			return 0;
		mode = (struct code_mode){ c->addr, CODE_THUMB };
	}
	if (mode.addr <= c->addr && mode.addr >= before->addr)
		*before = mode;
	if (mode.addr <= c->addr || mode.addr - c->addr >= c->size)
		return 0;
	return vec_push(&c->modes, mode) < 0 ? -SONDE_NOMEM : 0;
}

static int take_modes_of(struct code_bytes *c, const struct elf_file *f, uint32_t type, struct code_mode *before)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_section_of_type(f, type, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t n = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n; i++) {
		const char *name = gelf_getsym(data, (int)i, &sym) ? elf_strptr(f->elf, shdr.sh_link, sym.st_name) :
								     NULL;

		if (name && take_mode(c, &sym, name, before) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* On machines that mark where code of another kind begins. */
static int take_modes(struct code_bytes *c, const struct elf_file *f)
{
	struct code_mode before = { 0, CODE_ARM };

	if (c->code.machine != EM_ARM && c->code.machine != EM_AARCH64)
		return 0;
	if (take_modes_of(c, f, SHT_SYMTAB, &before) < 0 || take_modes_of(c, f, SHT_DYNSYM, &before) < 0)
		return -SONDE_NOMEM;
	before.addr = c->addr;
	if (vec_push(&c->modes, before) < 0)
		return -SONDE_NOMEM;
	qsort(c->modes.at, c->modes.n, sizeof(*c->modes.at), by_addr);
	return 0;
}

static int take_elf(struct wanted *w, const struct found *f, uint64_t offset)
{
	struct code_bytes *c = w->c;

	take_machine(c, &f->elf);
	if (!read_file(c, &f->elf, offset)) {
		if (w->reason.n)
			buf_str(&w->reason, "; ");
		buf_text(&w->reason, f->path, strlen(f->path));
		buf_str(&w->reason, ": the code of the function is not in the file");
		return -SONDE_MISSING;
	}
	buf_str(&c->source, f->path);
	return take_modes(c, &f->elf);
}

static int find_in_file(struct wanted *w)
{
	struct elf_loads loads;
	struct found f;
	int r;

	if (w->b->kind == BINARY_VDSO ? find_vdso(&f, &w->s->paths, w->b, &w->reason) :
					find_running_file(&f, &w->s->paths, w->b, w->b->name, &w->reason))
		return -SONDE_MISSING;
	elf_loads_read(&loads, &f.elf);
	if (!elf_loads_address(&loads, w->start, &w->c->addr))
		w->c->addr = w->start;
	r = take_elf(w, &f, w->start);
	if (!w->b->build_id_size && w->s->recorded_s && w->c->file_s > w->s->recorded_s)
		buf_printf(&w->c->note, "%s is newer than the recording, which has no build id of it", f.path);
	elf_file_close(&f.elf);
	return r;
}

static int find_in_jitdump(struct wanted *w)
{
	const struct jitdump *d = symbols_jitdump(w->s, w->b);
	const struct jitdump_function *f = d ? jitdump_find(d, w->start) : NULL;
	struct code_bytes *c = w->c;

	if (!f || w->start - f->offset > f->size || c->size > f->size - (w->start - f->offset) ||
	    !jitdump_bytes(d, w->start, c->bytes, c->size)) {
		buf_str(&w->reason, "the jitdump does not have the code");
		return -SONDE_MISSING;
	}
	c->addr = f->start + (w->start - f->offset);
	c->code = (struct machine_code){ .machine = d->machine, .wide = elf_machine_is_wide(d->machine),
					 .big_endian = d->swap != host_is_big_endian() };
	buf_str(&c->source, w->b->name);
	return 0;
}

static bool is_big_endian(uint16_t machine)
{
	return machine == EM_S390 || machine == EM_SPARCV9;
}

/* Code that no file of the recording's machine describes. */
static void take_machine_of_recording(struct code_bytes *c, const char *arch)
{
	uint16_t machine = machine_of_arch(arch);

	c->code = (struct machine_code){
		.machine = machine, .wide = elf_machine_is_wide(machine),
		.big_endian = is_big_endian(machine) || (machine == EM_PPC64 && strcmp(arch, "ppc64") == 0),
	};
}

static int find_in_recording(struct wanted *w)
{
	const struct bpf_function *f = bpf_code_find(&w->s->bpf_code, w->start);
	struct code_bytes *c = w->c;

	if (!f || c->size > f->size) {
		buf_str(&w->reason, "the recording does not have the code of the BPF program");
		return -SONDE_MISSING;
	}
	memcpy(c->bytes, f->code, c->size);
	c->addr = w->start;
	buf_str(&c->source, "the recording");
	return 0;
}

static bool find_kernel_image(struct wanted *w, struct found *f)
{
	const char *given = w->s->opts.vmlinux;
	struct sonde_error err = { .sz = sizeof(err) };

	if (!given)
		return !w->b->guest && w->b->build_id_size &&
		       (find_debug_file(f, &w->s->paths, w->b, NULL) == 0 || find_vmlinux(f, &w->s->paths, w->b) == 0);
	if (path_print(f->path, "%s", given) && elf_file_open(&f->elf, given, &err) == 0)
		return true;
	buf_printf(&w->reason, "%s: %s", given, err.text);
	return false;
}

static int find_in_vmlinux(struct wanted *w)
{
	struct elf_loads loads;
	uint64_t linked, size, offset;
	struct found f;
	int r = -SONDE_MISSING;

	if (!find_kernel_image(w, &f)) {
		if (!w->reason.n)
			buf_str(&w->reason, "neither the memory of the recorded kernel (/proc/kcore, the same boot) "
					    "nor a vmlinux of its build id is here");
		return -SONDE_MISSING;
	}
	w->c->addr = w->start;
	if (w->b->ref_symbol && w->b->ref_addr &&
	    elf_symbol_value(&f.elf, SHT_SYMTAB, w->b->ref_symbol, &linked, &size))
		w->c->addr -= w->b->ref_addr - linked;
	elf_loads_read(&loads, &f.elf);
	offset = w->c->addr;
	if (elf_loads_offset(&loads, &offset))
		r = take_elf(w, &f, offset);
	else
		buf_printf(&w->reason, "%s does not have the address", f.path);
	if (r == 0)
		buf_printf(&w->c->note, "%s: the kernel changes its code when it starts and while it runs "
			   "(alternatives, static calls): these changes are not applied", f.path);
	elf_file_close(&f.elf);
	return r;
}

/* Where the code of a module lies in its file: an offset, UINT64_MAX if it has no place there. */
static uint64_t offset_in_module(const struct elf_file *f, uint64_t distance)
{
	struct module_layout layout;
	uint64_t found = UINT64_MAX;
	GElf_Shdr shdr;

	if (module_layout_read(&layout, f) < 0)
		return UINT64_MAX;
	for (Elf_Scn *s = NULL; found == UINT64_MAX && (s = elf_nextscn(f->elf, s));) {
		size_t i = elf_ndxscn(s);

		if (module_layout_is_code(&layout, i) && gelf_getshdr(s, &shdr) && shdr.sh_type == SHT_PROGBITS &&
		    distance - layout.at[i] < shdr.sh_size)
			found = shdr.sh_offset + (distance - layout.at[i]);
	}
	module_layout_free(&layout);
	return found;
}

/* A module that is no longer loaded: its code without what the kernel links into it. */
static int find_in_module(struct wanted *w)
{
	struct found f;
	uint64_t offset;
	int r = -SONDE_MISSING;

	if (find_module(&f, &w->s->paths, w->b, &w->reason) < 0) {
		if (!w->reason.n)
			buf_str(&w->reason, "neither the memory of the recorded kernel (/proc/kcore, the same boot) "
					    "nor the file of the module is here");
		return -SONDE_MISSING;
	}
	w->c->addr = w->start - w->b->ref_addr;
	offset = offset_in_module(&f.elf, w->c->addr);
	if (offset != UINT64_MAX)
		r = take_elf(w, &f, offset);
	else
		buf_printf(&w->reason, "%s does not have the code", f.path);
	if (r == 0)
		buf_printf(&w->c->note, "%s: the kernel links a module when it loads it: targets of calls are not "
			   "known", f.path);
	elf_file_close(&f.elf);
	return r;
}

static int find_in_kernel(struct wanted *w)
{
	struct code_bytes *c = w->c;

	if (kcore_read(w->s, w->b, w->start, c->bytes, c->size, &c->source)) {
		c->addr = w->start;
		return 0;
	}
	return w->b->kind == BINARY_KERNEL ? find_in_vmlinux(w) : find_in_module(w);
}

static int find(struct wanted *w)
{
	switch (w->b->kind) {
	case BINARY_FILE:
	case BINARY_VDSO:
		return find_in_file(w);
	case BINARY_JITDUMP:
		return find_in_jitdump(w);
	case BINARY_KSYMBOL:
		return find_in_recording(w);
	case BINARY_KERNEL:
	case BINARY_MODULE:
		return find_in_kernel(w);
	case BINARY_JIT:
		buf_str(&w->reason, "a perf map has names, but not the code: a jitdump has both");
		return -SONDE_MISSING;
	case BINARY_OTHER:
		break;
	}
	buf_str(&w->reason, "no file has this code");
	return -SONDE_MISSING;
}

int code_bytes_find(struct code_bytes *c, struct symbols *s, const struct binary *b, uint64_t start, uint64_t end,
		    const char *arch, struct sonde_error *err)
{
	struct wanted w = { .s = s, .b = b, .start = start, .c = c, .reason = BUF_MEMORY };
	uint64_t size = end - start < CODE_BYTES_MOST ? end - start : CODE_BYTES_MOST;
	int r;

	*c = (struct code_bytes){ .source = BUF_MEMORY, .note = BUF_MEMORY, .size = (size_t)size };
	c->bytes = malloc(size ? (size_t)size : 1);
	if (!c->bytes)
		return err_nomem(err);
	take_machine_of_recording(c, arch);
	r = find(&w);
	if (r == -SONDE_MISSING)
		err_set(err, SONDE_MISSING, SONDE_NONE, "%.*s", (int)w.reason.n, w.reason.p ? w.reason.p : "");
	else if (r < 0)
		err_nomem(err);
	buf_free(&w.reason);
	return r;
}

void code_bytes_free(struct code_bytes *c)
{
	free(c->bytes);
	vec_free(&c->modes);
	buf_free(&c->source);
	buf_free(&c->note);
}

/* SPDX-License-Identifier: MIT */
#include "api/record/symbol_offset.h"

#include <stdio.h>
#include <string.h>

#include "record/host/tracefs.h"
#include "symbol/elf/file.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/stapsdt.h"
#include "symbol/elf/symbols.h"
#include "symbol/list/kallsyms.h"

int symbol_offset_of_file(const char *file, const char *name, uint64_t *offset, uint64_t *size)
{
	struct elf_file f = { 0 };
	struct elf_loads loads = { 0 };
	int r = elf_file_open(&f, file, NULL);

	if (r < 0)
		return r;
	elf_loads_read(&loads, &f);
	if ((!elf_symbol_value(&f, SHT_SYMTAB, name, offset, size) &&
	     !elf_symbol_value(&f, SHT_DYNSYM, name, offset, size)) ||
	    !elf_loads_offset(&loads, offset))
		r = -SONDE_MISSING;
	elf_file_close(&f);
	return r;
}

struct wanted_place {
	const char *provider, *name;
	size_t left;
	struct sdt_place *out;
};

static bool is_text(struct sonde_str s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

static int is_wanted(void *ctx, const struct stapsdt_probe *p)
{
	struct wanted_place *w = ctx;

	if (!is_text(p->provider, w->provider) || !is_text(p->name, w->name) || w->left-- > 0)
		return 0;
	w->out->offset = p->offset;
	w->out->semaphore = p->semaphore;
	/* Arguments that are too long are not cut in the middle of one. */
	snprintf(w->out->args, sizeof(w->out->args), "%.*s",
		 p->args.len < sizeof(w->out->args) ? (int)p->args.len : 0, p->args.p);
	return 1;
}

int sdt_place_of_file(const char *file, const char *provider, const char *name, size_t nth, struct sdt_place *out)
{
	struct wanted_place w = { provider, name, nth, out };
	struct elf_file f = { 0 };
	int r = elf_file_open(&f, file, NULL);

	if (r < 0)
		return r;
	r = stapsdt_each(&f, is_wanted, &w);
	elf_file_close(&f);
	return r == 1 ? 0 : -SONDE_MISSING;
}

int symbol_address_in_kernel(const char *name, uint64_t *addr)
{
	struct buf text = BUF_MEMORY;
	struct kallsyms k = { 0 };
	int r = tracefs_read(&text, "/proc", "kallsyms");

	r = r < 0 || text.failed ? -SONDE_MISSING : kallsyms_open(&k, text.p, text.n);
	if (r == 0 && !kallsyms_value(&k, name, addr))
		r = -SONDE_MISSING;
	else if (r == 0 && *addr == 0)
		r = -SONDE_DENIED;
	kallsyms_close(&k);
	buf_free(&text);
	return r;
}

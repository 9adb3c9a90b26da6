/* SPDX-License-Identifier: MIT */
#include "symbol/binary_files.h"

#include <string.h>

#include "base/path.h"
#include "symbol/elf/symbols.h"
#include "symbol/find_file.h"
#include "symbol/load.h"

static bool has_bytes(const struct elf_file *f, const char *name)
{
	GElf_Shdr sh;

	return elf_file_section(f, name, &sh) && sh.sh_type != SHT_NOBITS && sh.sh_size;
}

static void add_content(struct binary_files *out, const struct elf_file *f)
{
	static const char *const lines[] = { ".debug_line", ".zdebug_line" };
	static const char *const unwind[] = { ".eh_frame", ".debug_frame", ".zdebug_frame", ".ARM.exidx", ".sframe" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		out->lines = out->lines || has_bytes(f, lines[i]);
	for (size_t i = 0; i < ARRAY_SIZE(unwind); i++)
		out->unwind = out->unwind || has_bytes(f, unwind[i]);
	out->code = out->code || has_bytes(f, ".text");
}

/* Whether no debug file can add symbols of functions. */
static bool has_all_symbols(const struct elf_file *f)
{
	return elf_has_symbols(f, SHT_SYMTAB) || has_bytes(f, ".gnu_debugdata");
}

static enum sonde_symbols_lack lack_of_file(const struct binary *b, const struct found *running)
{
	if (running->lack != SONDE_LACK_FILE)
		return running->lack;
	if (b->name[path_undeleted_length(b->name)])
		return SONDE_LACK_DELETED;
	return b->build_id_size ? SONDE_LACK_FILE : SONDE_LACK_ID;
}

static void look_at_files(struct binary_files *out, struct symbols *s, const struct binary *b)
{
	struct buf reason = BUF_MEMORY;  /* the table has it */
	struct found running = { 0 }, debug = { 0 };
	bool has_running = find_running_file(&running, &s->paths, b, b->name, &reason) == 0, all = false;

	buf_free(&reason);
	if (has_running) {
		out->place = running.place;
		add_content(out, &running.elf);
		all = has_all_symbols(&running.elf);
	}
	if (find_debug_file(&debug, &s->paths, b, has_running ? &running : NULL) == 0) {
		if (!all)
			out->place = debug.place;
		all = true;
		add_content(out, &debug.elf);
		elf_file_close(&debug.elf);
	}
	if (!has_running && !all)
		out->lack = out->symbols ? SONDE_LACK_NOTHING : lack_of_file(b, &running);
	else if (!all)
		out->lack = SONDE_LACK_STRIPPED;
	if (has_running)
		elf_file_close(&running.elf);
	if (!all && !has_running && out->symbols)
		out->place = SONDE_PLACE_FILE;   /* the libraries of a zip file */
}

static void look_at_vdso(struct binary_files *out, struct symbols *s, const struct binary *b)
{
	struct buf reason = BUF_MEMORY;
	struct found f;

	if (find_vdso(&f, &s->paths, b, &reason) == 0) {
		out->place = SONDE_PLACE_KERNEL;
		add_content(out, &f.elf);
		elf_file_close(&f.elf);
	}
	buf_free(&reason);
	if (!out->symbols)
		out->lack = SONDE_LACK_VDSO;
}

static void look_at_kernel(struct binary_files *out, struct symbols *s, const struct binary *b)
{
	struct found f;

	if (out->symbols)
		out->place = SONDE_PLACE_KERNEL;
	else if (b->guest)
		out->lack = SONDE_LACK_GUEST;
	else
		out->lack = s->kernel_failed && s->kernel_err.code == SONDE_DENIED ? SONDE_LACK_PERMISSION :
										 SONDE_LACK_KERNEL;
	if (b->kind == BINARY_KERNEL && b->build_id_size && find_vmlinux(&f, &s->paths, b) == 0) {
		add_content(out, &f.elf);
		elf_file_close(&f.elf);
	}
}

static void look_at_made_code(struct binary_files *out, struct symbols *s, const struct binary *b)
{
	if (out->symbols)
		out->place = SONDE_PLACE_MAP;
	else
		out->lack = SONDE_LACK_MAP;
	out->code = out->lines = b->kind == BINARY_JITDUMP && jitdumps_get(&s->dumps, b);
}

struct binary_files binary_files_find(struct symbols *s, const struct binary *b)
{
	const struct symtab *t = symbols_table(s, b);
	const char *end = strstr(t->source, " (.");
	struct binary_files out = { .file = t->source, .file_len = end ? (size_t)(end - t->source) : strlen(t->source),
				    .symbols = t->n > 0, .reason = t->reason[0] ? t->reason : t->doubt };

	switch (b->kind) {
	case BINARY_FILE: look_at_files(&out, s, b); break;
	case BINARY_VDSO: look_at_vdso(&out, s, b); break;
	case BINARY_KERNEL:
	case BINARY_MODULE: look_at_kernel(&out, s, b); break;
	case BINARY_JIT:
	case BINARY_JITDUMP: look_at_made_code(&out, s, b); break;
	case BINARY_KSYMBOL:
		out.symbols = true;
		out.place = SONDE_PLACE_RECORDING;
		break;
	case BINARY_OTHER: break;
	}
	if (t->carried || t->bundled) {
		out.place = t->carried ? SONDE_PLACE_RECORDING : SONDE_PLACE_BUNDLE;
		out.lack = SONDE_LACK_NOTHING;
	}
	if (out.lack == SONDE_LACK_NOTHING && t->doubt[0] && !b->build_id_size)
		out.lack = SONDE_LACK_ID;
	if (out.lack == SONDE_LACK_NOTHING)
		out.reason = "";
	return out;
}

bool binary_is_packaged(const char *path)
{
	static const char *const dirs[] = { "/usr/", "/lib", "/bin/", "/sbin/" };

	if (!strncmp(path, "/usr/local/", 11) || !strncmp(path, "/usr/src/", 9))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return true;
	return false;
}

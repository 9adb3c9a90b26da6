/* SPDX-License-Identifier: MIT */
#include "export/summary/binaries.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "symbol/binary_files.h"
#include "symbol/elf/file.h"

static const char *const places[] = {
	[SONDE_PLACE_NOWHERE] = "-", [SONDE_PLACE_FILE] = "file", [SONDE_PLACE_DEBUG_FILE] = "debug file",
	[SONDE_PLACE_CACHE] = "cache", [SONDE_PLACE_ARCHIVE] = "archive", [SONDE_PLACE_DEBUGINFOD] = "debuginfod",
	[SONDE_PLACE_KERNEL] = "kernel", [SONDE_PLACE_MAP] = "map", [SONDE_PLACE_RECORDING] = "recording",
	[SONDE_PLACE_BUNDLE] = "bundle",
};

static const char *const lacks[] = {
	[SONDE_LACK_NOTHING] = "", [SONDE_LACK_FILE] = "no file", [SONDE_LACK_STRIPPED] = "stripped",
	[SONDE_LACK_OTHER_ID] = "other build id", [SONDE_LACK_DELETED] = "deleted", [SONDE_LACK_ID] = "no build id",
	[SONDE_LACK_PERMISSION] = "permission", [SONDE_LACK_DAMAGED] = "damaged", [SONDE_LACK_MAP] = "no map",
	[SONDE_LACK_VDSO] = "other vdso", [SONDE_LACK_KERNEL] = "other kernel", [SONDE_LACK_GUEST] = "guest",
};

/* A path as one word of a shell. */
static void put_word(struct buf *out, const char *path)
{
	if (path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:@%=")] == 0) {
		buf_str(out, path);
		return;
	}
	buf_char(out, '\'');
	for (; *path; path++) {
		if (*path == '\'')
			buf_str(out, "'\\''");
		else
			buf_text(out, path, 1);
	}
	buf_char(out, '\'');
}

/* The kind of file that a debuginfod server is asked for. */
static void ask_server(struct buf *out, const struct sonde_profile_binary *b, const char *kind)
{
	char id[BUILD_ID_TEXT];

	build_id_print(id, b->build_id, b->build_id_size);
	if (id[0])
		buf_printf(out, "debuginfod-find %s %s", kind, id);
}

/* Whether find-dbgsym-packages knows the packages of this machine. */
static bool is_debian(void)
{
	return access("/etc/debian_version", F_OK) == 0;
}

static void get_debug_file(struct buf *out, const struct sonde_profile_binary *b, bool debian)
{
	if (!binary_is_packaged(b->dso)) {
		buf_str(out, "build it with -g and do not strip it");
		if (b->build_id_size)
			buf_str(out, ", or ");
	} else if (debian && b->file && b->dso[0] == '/') {
		buf_str(out, "find-dbgsym-packages ");
		put_word(out, b->file);
		if (b->build_id_size)
			buf_str(out, ", or ");
	}
	ask_server(out, b, "debuginfo");
}

/* The command or advice that gets the symbols; nothing if none is known. */
static void put_command(struct buf *out, const struct sonde_profile_binary *b, bool debian)
{
	switch (b->lack) {
	case SONDE_LACK_STRIPPED:
		get_debug_file(out, b, debian);
		break;
	case SONDE_LACK_FILE:
	case SONDE_LACK_OTHER_ID:
	case SONDE_LACK_DELETED:
	case SONDE_LACK_DAMAGED:
		ask_server(out, b, "executable");
		if (!b->build_id_size)
			break;
		buf_str(out, ", or sonde bundle on the machine that has it");
		break;
	case SONDE_LACK_ID:
		buf_str(out, "build it with -Wl,--build-id and record again");
		break;
	case SONDE_LACK_PERMISSION:
		if (b->kind == SONDE_BINARY_KERNEL || b->kind == SONDE_BINARY_MODULE)
			buf_str(out, "sysctl kernel.kptr_restrict=0, or run this as root");
		else
			buf_str(out, "run this as root");
		break;
	case SONDE_LACK_MAP:
		buf_str(out, "run it so that it writes a map or jitdump: java -XX:+DumpPerfMapAtExit, "
			"node --perf-basic-prof, python -X perf, DOTNET_PerfMapEnabled=1");
		break;
	case SONDE_LACK_VDSO:
		buf_str(out, "sonde bundle on the machine of the recording");
		break;
	case SONDE_LACK_KERNEL:
		buf_str(out, "sonde bundle on the machine of the recording, or --kallsyms with a copy of its "
			"/proc/kallsyms");
		break;
	case SONDE_LACK_GUEST:
		buf_str(out, "--symfs with the files of the guest");
		break;
	case SONDE_LACK_NOTHING:
		break;
	}
}

static void put_gives(struct buf *out, const struct sonde_profile_binary *b, char between)
{
	const struct { bool has; const char *name; } parts[] = {
		{ b->symbols, "symbols" }, { b->lines, "lines" }, { b->unwind, "unwind" }, { b->code, "code" },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].has)
			continue;
		if (any)
			buf_char(out, between);
		buf_str(out, parts[i].name);
		any = true;
	}
	if (!any)
		buf_char(out, '-');
}

enum { ID_SHOWN = 12, GIVES_WIDTH = 26 };

static void put_row(struct buf *out, const struct sonde_profile_binary *b)
{
	struct buf gives = BUF_MEMORY;
	char id[BUILD_ID_TEXT];

	build_id_print(id, b->build_id, b->build_id_size);
	put_gives(&gives, b, ' ');
	buf_u64_width(out, b->samples, 9);
	buf_char(out, ' ');
	buf_u64_width(out, b->self, 9);
	buf_printf(out, "  %-12.*s  %-10s  ", ID_SHOWN, id[0] ? id : "-", places[b->place]);
	buf_str_left(out, gives.n ? gives.p : "", gives.n, GIVES_WIDTH);
	buf_printf(out, "  %-14s  ", b->lack ? lacks[b->lack] : "-");
	buf_text(out, b->dso, strlen(b->dso));
	buf_char(out, '\n');
	buf_free(&gives);
}

void summary_binaries_text(const struct sonde_profile_binary *const *rows, size_t n, struct buf *out)
{
	bool debian = is_debian();

	if (n)
		buf_printf(out, "%9s %9s  %-12s  %-10s  %-*s  %-14s  %s\n", "Samples", "Self", "Build id", "Found",
			   GIVES_WIDTH, "Gives", "Missing", "Binary");
	for (size_t i = 0; i < n; i++)
		put_row(out, rows[i]);
	for (size_t i = 0; i < n; i++) {
		const struct sonde_profile_binary *b = rows[i];
		struct buf get = BUF_MEMORY;

		if (!b->lack)
			continue;
		buf_char(out, '\n');
		buf_text(out, b->dso, strlen(b->dso));
		buf_printf(out, ": %s\n", lacks[b->lack]);
		if (b->reason) {
			buf_str(out, "  why: ");
			buf_text(out, b->reason, strlen(b->reason));
			buf_char(out, '\n');
		}
		put_command(&get, b, debian);
		if (get.n)
			buf_printf(out, "  get: %.*s\n", (int)get.n, get.p);
		buf_free(&get);
	}
}

static void put_json_row(struct json *j, const struct sonde_profile_binary *b, bool debian)
{
	struct buf get = BUF_MEMORY;

	put_command(&get, b, debian);
	json_object(j);
	json_member_text(j, "dso", b->dso);
	json_key(j, "build_id");
	if (b->build_id_size)
		json_bytes(j, b->build_id, b->build_id_size);
	else
		json_null(j);
	json_member_u64(j, "samples", b->samples);
	json_member_u64(j, "self", b->self);
	json_member_text(j, "found", b->place ? places[b->place] : NULL);
	json_member_text(j, "file", b->file);
	json_key(j, "symbols");
	json_bool(j, b->symbols);
	json_key(j, "lines");
	json_bool(j, b->lines);
	json_key(j, "unwind");
	json_bool(j, b->unwind);
	json_key(j, "code");
	json_bool(j, b->code);
	json_member_text(j, "missing", b->lack ? lacks[b->lack] : NULL);
	json_member_text(j, "reason", b->reason);
	json_key(j, "get");
	if (get.n)
		json_text_n(j, get.p, get.n);
	else
		json_null(j);
	json_end(j);
	buf_free(&get);
}

void summary_binaries_json(const struct sonde_profile_binary *const *rows, size_t n, struct buf *out)
{
	struct json j = json_new(out);
	bool debian = is_debian();

	json_object(&j);
	json_key(&j, "binaries");
	json_array(&j);
	for (size_t i = 0; i < n; i++)
		put_json_row(&j, rows[i], debian);
	json_end(&j);
	json_end(&j);
	buf_char(out, '\n');
}

void summary_binaries_separated(const struct sonde_profile_binary *const *rows, size_t n, const char *separator,
				struct buf *out)
{
	bool debian = is_debian();

	for (size_t i = 0; i < n; i++) {
		const struct sonde_profile_binary *b = rows[i];
		char id[BUILD_ID_TEXT];

		build_id_print(id, b->build_id, b->build_id_size);
		buf_printf(out, "%" PRIu64 "%s%" PRIu64 "%s%s%s%s%s", b->samples, separator, b->self, separator, id,
			   separator, b->place ? places[b->place] : "", separator);
		put_gives(out, b, ' ');
		buf_printf(out, "%s%s%s", separator, lacks[b->lack], separator);
		buf_text(out, b->dso, strlen(b->dso));
		buf_str(out, separator);
		put_command(out, b, debian);
		buf_char(out, '\n');
	}
}

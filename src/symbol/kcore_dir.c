/* SPDX-License-Identifier: MIT */
#include "symbol/kcore_dir.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define LIST_MAX ((size_t)256 << 20)

struct sonde_str kcore_dir_module_name(char name[NAME_MAX], const char *recorded)
{
	const char *slash = strrchr(recorded, '/'), *p = slash ? slash + 1 : recorded + (recorded[0] == '[');
	size_t n = 0;

	for (; *p && n < NAME_MAX - 1 && *p != ']' && strncmp(p, ".ko", 3); p++)
		name[n++] = *p == '-' ? '_' : *p;
	name[n] = 0;
	return (struct sonde_str){ name, n };
}

/* A line is "name size users by state 0xaddress". */
static bool module_address(struct sonde_str modules, struct sonde_str name, uint64_t *addr)
{
	while (modules.len) {
		struct sonde_str line = str_take(&modules, '\n');
		const char *hex;

		if (!str_equal(str_take(&line, ' '), name))
			continue;
		hex = memmem(line.p, line.len, "0x", 2);
		if (!hex)
			return false;
		line = (struct sonde_str){ hex + 2, (size_t)(line.p + line.len - hex) - 2 };
		return str_take_hex(&line, addr);
	}
	return false;
}

bool kcore_dir_module(const char *modules, struct sonde_str name, uint64_t *addr)
{
	struct fmap m = { 0 };
	bool found;

	if (fmap_path(&m, modules, LIST_MAX, NULL) < 0)
		return false;
	found = module_address((struct sonde_str){ (const char *)m.data, m.size }, name, addr);
	fmap_close(&m);
	return found;
}

static bool is_module_of(const struct binary *b, const char *dir)
{
	char name[NAME_MAX], modules[PATH_MAX];
	uint64_t addr;

	return snprintf(modules, sizeof(modules), "%s/modules", dir) < (int)sizeof(modules) &&
	       kcore_dir_module(modules, kcore_dir_module_name(name, b->name), &addr) && addr == b->ref_addr;
}

static bool is_of(const struct binary *b, const char *dir, char list[PATH_MAX])
{
	struct fmap m = { 0 };

	if (snprintf(list, PATH_MAX, "%s/kallsyms", dir) >= PATH_MAX || fmap_path(&m, list, LIST_MAX, NULL) < 0)
		return false;
	fmap_close(&m);
	return b->kind == BINARY_KERNEL || is_module_of(b, dir);
}

static int no_dots(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* The subdirectories of a directory; the last name is the newest stamp and comes first. */
static bool find_below(char list[PATH_MAX], const struct binary *b, const char *dir)
{
	struct dirent **names;
	char path[PATH_MAX];
	int n = scandir(dir, &names, no_dots, alphasort);
	bool found = false;

	if (n < 0)
		return false;
	while (n-- > 0) {
		found = found || (snprintf(path, sizeof(path), "%s/%s", dir, names[n]->d_name) < (int)sizeof(path) &&
				  is_of(b, path, list));
		free(names[n]);
	}
	free(names);
	return found;
}

bool kcore_dir_find(char list[PATH_MAX], const struct load *l)
{
	const struct symbols *s = l->s;
	const struct binary *b = l->binary;
	char dir[PATH_MAX];
	char id[BUILD_ID_TEXT];

	if (b->guest)
		return false;
	if (s->recording[0] && snprintf(dir, sizeof(dir), "%s/kcore_dir", s->recording) < (int)sizeof(dir) &&
	    is_of(b, dir, list))
		return true;
	if (b->kind == BINARY_KERNEL && b->build_id_size)
		build_id_print(id, b->build_id, b->build_id_size);
	else
		build_id_print(id, s->recorded_kernel_id, s->recorded_kernel_id_size);
	return id[0] && s->paths.buildid_dir[0] &&
	       snprintf(dir, sizeof(dir), "%s/[kernel.kcore]/%s", s->paths.buildid_dir, id) < (int)sizeof(dir) &&
	       find_below(list, b, dir);
}

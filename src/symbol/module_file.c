/* SPDX-License-Identifier: MIT */
#include "symbol/module_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fmap.h"
#include "base/str.h"
#include "symbol/elf/unpack.h"
#include "symbol/kcore_dir.h"

#define MODULES_DEP_MAX ((size_t)256 << 20)

/* modules.dep lists the paths below its own directory, each at the start of a line and followed by a colon. */
static bool find_ko(char path[PATH_MAX], const struct find_paths *paths, struct sonde_str name)
{
	char dir[PATH_MAX / 2], dep[PATH_MAX], have[NAME_MAX];
	struct fmap m = { 0 };
	struct utsname un;
	bool found = false;

	uname(&un);
	if (snprintf(dir, sizeof(dir), "/lib/modules/%s", paths->release[0] ? paths->release : un.release) >=
	    (int)sizeof(dir) ||
	    snprintf(dep, sizeof(dep), "%s%s/modules.dep", paths->symfs, dir) >= (int)sizeof(dep) ||
	    fmap_path(&m, dep, MODULES_DEP_MAX, NULL) < 0)
		return false;
	for (const char *p = (const char *)m.data, *end = p + m.size; p < end && !found;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p)), *colon;

		stop = stop ? stop : end;
		colon = memchr(p, ':', (size_t)(stop - p));
		if (colon && colon - p < NAME_MAX &&
		    snprintf(path, PATH_MAX, "%s/%.*s", dir, (int)(colon - p), p) < PATH_MAX) {
			struct sonde_str it = kcore_dir_module_name(have, path);

			found = str_equal(it, name);
		}
		p = stop < end ? stop + 1 : end;
	}
	fmap_close(&m);
	return found;
}

/* The path of a module as it is on the recorded machine; NULL: unknown. */
static const char *recorded_path(char path[PATH_MAX], const struct find_paths *p, const struct binary *b)
{
	char buf[NAME_MAX];

	if (b->name[0] != '[')
		return b->name;
	return find_ko(path, p, kcore_dir_module_name(buf, b->name)) ? path : NULL;
}

int find_module(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason)
{
	char path[PATH_MAX];

	return find_running_file(f, p, b, recorded_path(path, p, b), reason);
}

int find_module_debug(struct found *f, const struct find_paths *p, const struct binary *b, const struct found *module)
{
	char path[PATH_MAX], plain[PATH_MAX];
	const char *recorded = recorded_path(path, p, b), *end = recorded ? strrchr(recorded, '.') : NULL;
	struct binary file = *b;

	if (recorded) {
		/* the debug file of x.ko.xz is x.ko.debug */
		bool packed = packing_of_name(recorded) != PACKING_NONE;

		snprintf(plain, sizeof(plain), "%.*s", packed ? (int)(end - recorded) : PATH_MAX - 1, recorded);
		file.name = plain;
	}
	return find_debug_file(f, p, &file, module);
}

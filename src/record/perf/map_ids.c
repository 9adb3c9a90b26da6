/* SPDX-License-Identifier: MIT */
#include "record/perf/map_ids.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#define PATH_BYTES 4200
#define VDSO_KEY 1
#define GONE 0
#define FOUND 1
#define MISC_MMAP_BUILD_ID (1 << 14)

/* Offsets in an MMAP2; the build id takes the place of the device, the inode and its generation. */
enum {
	PID_AT = 8, START_AT = 16, LENGTH_AT = 24, MAJOR_AT = 40, MINOR_AT = 44, INODE_AT = 48,
	ID_SIZE_AT = 40, ID_AT = 44, NAME_AT = 72
};

static bool is_same_file(const char *path, uint64_t inode)
{
	struct stat st;

	/* The device is not compared: btrfs and overlayfs give another one to stat(2). */
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == inode;
}

/*
 * The path in the mount namespace of the task, in ours if the task has ended; or the mapping itself, whose file may
 * have been deleted or hidden by another mount since. That needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
static bool find_file(char path[PATH_BYTES], const uint8_t *p, const char *name, uint64_t inode)
{
	uint64_t start = load_u64(p + START_AT, false), end = start + load_u64(p + LENGTH_AT, false);
	uint32_t pid = load_u32(p + PID_AT, false);

	snprintf(path, PATH_BYTES, "/proc/%u/root%s", pid, name);
	if (is_same_file(path, inode))
		return true;
	snprintf(path, PATH_BYTES, "%s", name);
	if (is_same_file(path, inode))
		return true;
	snprintf(path, PATH_BYTES, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	return is_same_file(path, inode);
}

static int keep(struct map_ids *m, uint64_t key, const struct map_id *id)
{
	uint32_t at = (uint32_t)m->list.n;

	return vec_push(&m->list, *id) < 0 ? -SONDE_NOMEM : u64map_set(&m->of_file, key, at);
}

static void note_lost(struct map_ids_lost *lost, const char *name)
{
	lost->nr++;
	if (!lost->first)
		lost->first = strdup(name);
}

/* Names of mappings that begin with a slash and are of no file in a directory. */
static bool is_named_memory(const char *name)
{
	static const char *const begins[] = { "//", "/dev/", "/memfd:", "/SYSV", "/anon_hugepage", "/proc/" };

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Where the path leads to another file, somebody may still have this one. */
static int note_gone(struct map_ids *m, uint64_t key, uint16_t misc, const char *name)
{
	if (misc & PERF_RECORD_MISC_MMAP_DATA || is_named_memory(name) || access(name, F_OK) == 0 ||
	    u64map_get(&m->gone_files, key) != U64MAP_NONE)
		return 0;
	note_lost(&m->gone, name);
	return u64map_set(&m->gone_files, key, GONE);
}

static int note_found(struct map_ids *m, uint64_t key)
{
	if (u64map_get(&m->gone_files, key) != GONE)
		return 0;
	m->gone.nr -= m->gone.nr > 0;
	return u64map_set(&m->gone_files, key, FOUND);
}

/* 0 with id->size 0 if there is none. */
static int find_id(struct map_ids *m, const uint8_t *p, uint16_t misc, struct map_id *id)
{
	uint64_t inode = load_u64(p + INODE_AT, false);
	uint64_t key = hash_two((uint64_t)load_u32(p + MAJOR_AT, false) << 32 | load_u32(p + MINOR_AT, false), inode);
	const char *name = (const char *)p + NAME_AT;
	bool vdso = !strcmp(name, "[vdso]");
	char path[PATH_BYTES];
	uint32_t at;

	*id = (struct map_id){ 0 };
	if (!vdso && (inode == 0 || name[0] != '/'))
		return 0;
	key = vdso ? VDSO_KEY : key;
	at = u64map_get(&m->of_file, key);
	if (at != U64MAP_NONE) {
		*id = m->list.at[at];
		return 0;
	}
	if (vdso)
		id->size = build_id_of_vdso(id->id);
	else if (find_file(path, p, name, inode))
		id->size = build_id_of_file(path, id->id);
	else
		return note_gone(m, key, misc, name);    /* not cached: another task may still have the file */
	if (m->cache && id->size && !vdso)
		binary_cache_add(m->cache, path, name, id->id, id->size);
	else if (id->size && !vdso && !is_same_file(name, inode))
		note_lost(&m->hidden, name);
	return note_found(m, key) < 0 ? -SONDE_NOMEM : keep(m, key, id);
}

static int stamp(struct map_ids *m, uint8_t *record)
{
	struct perf_event_header h;
	struct map_id id;
	int r;

	memcpy(&h, record, sizeof(h));
	if ((h.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER || h.size <= NAME_AT ||
	    !memchr(record + NAME_AT, '\0', h.size - NAME_AT))
		return 0;
	r = find_id(m, record, h.misc, &id);
	h.misc &= (uint16_t)~MISC_MMAP_BUILD_ID;
	if (id.size) {
		h.misc |= MISC_MMAP_BUILD_ID;
		memset(record + ID_SIZE_AT, 0, ID_AT + BUILD_ID_MAX - ID_SIZE_AT);
		record[ID_SIZE_AT] = id.size;
		memcpy(record + ID_AT, id.id, id.size);
	}
	memcpy(record, &h, sizeof(h));
	return r;
}

int map_ids_stamp(struct map_ids *m, uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	struct perf_event_header h;
	int r = 0;

	for (; r == 0 && (size_t)(end - p) >= sizeof(h); p += h.size) {
		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size > end - p)
			break;
		if (h.type == PERF_RECORD_MMAP2)
			r = stamp(m, p);
	}
	return r;
}

void map_ids_free(struct map_ids *m)
{
	u64map_free(&m->of_file);
	vec_free(&m->list);
	u64map_free(&m->gone_files);
	free(m->hidden.first);
	free(m->gone.first);
}

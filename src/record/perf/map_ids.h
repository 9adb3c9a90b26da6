/* SPDX-License-Identifier: MIT */
/*
 * map_ids.h - build ids of mapped files, written into the records that tell of the mappings
 *
 * The kernel can write them (attr.build_id), but then it also marks the records of every other session on the machine
 * as having build ids (seen in Linux 6.18), and perf 6.1 crashes. sonde never asks for that, and removes the mark that
 * another session has caused.
 */
#ifndef RECORD_PERF_MAP_IDS_H
#define RECORD_PERF_MAP_IDS_H

#include "base/u64map.h"
#include "record/host/binary_cache.h"
#include "record/host/build_id.h"

struct map_id {
	uint8_t size, id[BUILD_ID_MAX];
};

/* Files whose names nobody will find later. */
struct map_ids_lost {
	size_t nr;
	char *first;                 /* name of one of them; owned */
};

struct map_ids {
	struct u64map of_file;       /* device and inode to index in list; each file is read once */
	VEC(struct map_id) list;     /* size 0: the file has none */
	struct binary_cache *cache;  /* gets each file that has an id; NULL: none. Borrowed */
	/*
	 * Without a cache: files that only their process sees under this name, in a container or because they were
	 * deleted or replaced. Whoever reads the recording later does not find them.
	 */
	struct map_ids_lost hidden;
	/* Files that were deleted, and whose task had ended, before their mapping was read here. */
	struct map_ids_lost gone;
	struct u64map gone_files;    /* device and inode to GONE, or to FOUND: another task had it still */
};

/**
 * map_ids_stamp - replace device and inode in each MMAP2 by the file's build id, where it has one
 * @p: whole records in host order. Mappings of the kernel itself are left as they are. 0 or -SONDE_NOMEM.
 */
int map_ids_stamp(struct map_ids *m, uint8_t *p, size_t n);
void map_ids_free(struct map_ids *m);

#endif

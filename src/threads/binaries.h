/* SPDX-License-Identifier: MIT */
/* binaries.h - every binary of a trace once: mappings point to them. */
#ifndef THREADS_BINARIES_H
#define THREADS_BINARIES_H

#include "model/meta.h"

#include "base/strpool.h"
#include "base/u64map.h"
#include "threads/mapping.h"

struct binaries {
	struct arena arena;
	struct strpool names;
	VEC(struct binary *) list;   /* by binary.index */
	struct hash_index by_identity;  /* of list, by kind, name, build id and process */
	uint32_t recording;          /* the one at hand, of several */
	size_t nr_noted;             /* build ids of its metadata that have been taken */
	VEC(size_t) others_noted;    /* the same of the others, by recording */
	VEC(struct sonde_build_id) ids;
	struct u64map id_by_name;    /* recording << 32 | number of the name -> index in ids */
};

/* The fields of a mapping record; the name is as recorded. */
struct binary_hint {
	struct sonde_str name;
	const uint8_t *build_id;
	uint8_t build_id_size;
	bool kernel;                 /* mapped by the kernel: pid -1 or a kernel cpumode */
	bool guest;
	bool exec;
	bool ksymbol;
	int32_t pid;
	uint64_t begun;              /* when the process began; 0: not known */
	uint64_t addr, pgoff;
};

/* The binary that a mapping belongs to; NULL when out of memory. */
struct binary *binaries_intern(struct binaries *b, const struct binary_hint *hint);

/* Mappings and metadata that follow are of another recording, which has its own build ids. 0 or -SONDE_NOMEM. */
int binaries_turn_to(struct binaries *b, uint32_t recording);

/* Takes build ids that the metadata has gained: they are given to binaries of that name which have
 * none. 0 or -SONDE_NOMEM. */
int binaries_note_build_ids(struct binaries *b, const struct meta *meta);

/* Anonymous memory has no file offsets; vdso images are looked at from their start. */
uint64_t binary_pgoff(const struct binary *b, uint64_t pgoff);

void binaries_free(struct binaries *b);

#endif

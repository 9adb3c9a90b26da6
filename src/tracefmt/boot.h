/* SPDX-License-Identifier: MIT */
/*
 * boot.h - addresses of a kernel that ran before the last boot
 *
 * A buffer in memory that outlives a boot holds addresses of the kernel as it lay then; the symbols that are recorded
 * with it are of the kernel that runs now, which randomisation has put elsewhere. last_boot_info of the instance says
 * where things were.
 */
#ifndef TRACEFMT_BOOT_H
#define TRACEFMT_BOOT_H

#include "base/arena.h"
#include "base/vec.h"
#include "tracefmt/ksyms.h"

/* Where the kernel or a module began then. */
struct boot_part {
	uint64_t then;
	const char *name;            /* NULL: the kernel */
};

struct tracefmt_boot {
	const char *buffer;          /* instance */
	bool has_delta;              /* kernels before 6.15 tell how far everything has moved, and nothing of modules */
	uint64_t delta;
	VEC(struct boot_part) parts; /* by address */
};

struct boot_module {
	const char *name;
	uint64_t now;
};

struct boots {
	VEC(struct tracefmt_boot) list;
	VEC(struct boot_module) modules;  /* of the kernel that runs now */
};

/* One buffer's last_boot_info. A buffer of this boot ("# Current") adds nothing. 0 or -SONDE_NOMEM. */
int boots_add(struct boots *b, struct arena *a, const char *buffer, struct sonde_str text);
/* The text of /proc/modules. 0 or -SONDE_NOMEM. */
int boots_add_modules(struct boots *b, struct arena *a, struct sonde_str text);
/* Where what was at *address then is now; false if that cannot be said. */
bool boots_translate(const struct boots *b, const struct tracefmt_boot *boot, const struct ksyms *now,
		     uint64_t *address);
void boots_free(struct boots *b);

#endif

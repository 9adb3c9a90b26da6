/* SPDX-License-Identifier: MIT */
#include "symbol/load_functions.h"

#include <inttypes.h>
#include <stdio.h>

#include "symbol/elf/eh_frame.h"

void load_functions(struct load *l)
{
	struct found running;
	char name[BUILD_ID_TEXT];

	if (find_running_file(&running, &l->s->paths, l->binary, l->binary->name, &l->reason) < 0)
		return;
	build_id_print(name, running.elf.build_id, running.elf.build_id_size);
	if (running.elf.build_id_size)
		snprintf(l->key.name, sizeof(l->key.name), "%s-functions", name);
	else
		snprintf(l->key.name, sizeof(l->key.name), "file-%016" PRIx64 "-functions", running.elf.identity);
	l->key.identity[0] = running.elf.identity;
	l->cached = cache_find(l->s->cache_dir, &l->key, NULL);
	if (!l->cached) {
		buf_str(&l->source, running.path);
		buf_str(&l->source, " (.eh_frame)");
		eh_frame_add(&l->builder, &running.elf);
	}
	elf_file_close(&running.elf);
}

/* SPDX-License-Identifier: MIT */
#include "export/summary/mmaps.h"

#include <string.h>
#include <sys/mman.h>

/* Only the record has the inode number. */
static int note_inode(struct summary_maps *m, const struct sonde_event *ev)
{
	const struct mapping *mapping;
	struct sonde_mmap r;

	if (event_mmap(ev, &r) < 0 || !r.ino)
		return 0;
	mapping = maps_find(tasks_maps(&m->tasks, 0, r.pid), r.addr);
	if (!mapping)
		return 0;
	while (m->inodes.n <= mapping->binary->index)
		if (vec_push(&m->inodes, 0) < 0)
			return -SONDE_NOMEM;
	m->inodes.at[mapping->binary->index] = r.ino;
	return 0;
}

int summary_maps_event(struct summary_maps *m, const struct sonde_event *ev)
{
	if (tasks_apply(&m->tasks, ev) < 0)
		return -SONDE_NOMEM;
	return ev->machine_pid ? 0 : note_inode(m, ev);
}

static void put_identity(const struct summary_maps *m, const struct binary *b, struct buf *out)
{
	uint64_t inode = b->index < m->inodes.n ? m->inodes.at[b->index] : 0;

	if (inode || !b->build_id_size)
		buf_u64(out, inode);
	else
		for (size_t i = 0; i < b->build_id_size; i++)
			buf_printf(out, "%02x", b->build_id[i]);
}

void summary_maps_put(const struct summary_maps *m, int32_t pid, uint32_t margin, struct buf *out)
{
	maps_root root = tasks_maps(&m->tasks, 0, pid);
	const struct mapping *map = maps_next(root, 0);

	for (; map; map = map->end > map->start ? maps_next(root, map->end) : NULL) {
		buf_pad(out, ' ', margin);
		buf_printf(out, "%llx-%llx %c%c%c%c %08llx ", (unsigned long long)map->start,
			   (unsigned long long)map->end, map->prot & PROT_READ ? 'r' : '-',
			   map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			   map->flags & MAP_SHARED ? 's' : 'p', (unsigned long long)map->pgoff);
		put_identity(m, map->binary, out);
		buf_char(out, ' ');
		buf_text(out, map->binary->name, strlen(map->binary->name));
		buf_char(out, '\n');
	}
}

void summary_maps_free(struct summary_maps *m)
{
	tasks_free(&m->tasks);
	vec_free(&m->inodes);
}

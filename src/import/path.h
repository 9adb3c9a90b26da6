/* SPDX-License-Identifier: MIT */
/* path.h - the stack at hand of an importer that goes from stack to stack: frames are pushed and cut off inside */
#ifndef IMPORT_PATH_H
#define IMPORT_PATH_H

#include "analyze/profile/imported.h"

struct path {
	VEC(struct path_step { uint32_t frame; struct imported_stack stack; }) steps;  /* the outermost first */
	VEC(uint32_t) innermost;     /* frames of a stack that is too long */
};

static inline void path_cut(struct path *p, size_t frames)
{
	if (p->steps.n > frames)
		p->steps.n = frames;
}

/* 0 or -SONDE_NOMEM; also if @frame is HASH_INDEX_NONE. */
int path_push(struct path *path, struct gathering *p, uint32_t frame);

/* The stack as the profile keeps it; of an empty path it is that of one function that nothing is known of. */
int path_stack(struct path *path, struct gathering *p, struct imported_stack *out);

void path_free(struct path *p);

#endif

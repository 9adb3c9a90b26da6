/* SPDX-License-Identifier: MIT */
#include "import/path.h"

int path_push(struct path *path, struct gathering *p, uint32_t frame)
{
	static const struct imported_stack empty;
	struct path_step step = { .frame = frame };
	const struct imported_stack *outer = path->steps.n ? &path->steps.at[path->steps.n - 1].stack : &empty;

	if (frame == HASH_INDEX_NONE || imported_push(p, outer, frame, &step.stack) < 0)
		return -SONDE_NOMEM;
	return vec_push(&path->steps, step);
}

static int take_innermost(struct path *path, struct gathering *p, struct imported_stack *out)
{
	uint32_t frames = 0;

	path->innermost.n = 0;
	for (size_t i = path->steps.n; i-- > 0 && frames < p->stacks.max_frames;) {
		if (vec_push(&path->innermost, path->steps.at[i].frame) < 0)
			return -SONDE_NOMEM;
		frames += !p->frames.list.at[path->steps.at[i].frame].inlined;
	}
	return imported_innermost(p, path->innermost.at, path->innermost.n, out);
}

int path_stack(struct path *path, struct gathering *p, struct imported_stack *out)
{
	static const struct named_frame unknown = { .cpumode = CPUMODE_USER };

	*out = (struct imported_stack){ 0 };
	if (!path->steps.n) {
		out->function = frames_add_named(&p->frames, &unknown);
		return out->function == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
	}
	*out = path->steps.at[path->steps.n - 1].stack;
	return imported_is_too_long(p, out) ? take_innermost(path, p, out) : 0;
}

void path_free(struct path *p)
{
	vec_free(&p->steps);
	vec_free(&p->innermost);
}

/* SPDX-License-Identifier: MIT */
#include "model/input.h"

#include <unistd.h>

void input_close(struct input *in)
{
	fmap_close(&in->map);
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

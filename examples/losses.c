/* SPDX-License-Identifier: MIT */
/* losses.c - list what is missing in a recording, with exit status 1 if anything is: losses [FILE] */
#include <sonde/trace.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_loss *loss;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	size_t n;
	int r;

	if (!t)
		return 1;
	r = sonde_trace_open(t, path, NULL);
	it = r < 0 ? NULL : sonde_iter_new(t, NULL);
	while (it && (r = sonde_iter_next(it, &ev)) > 0)
		;
	if (r < 0)
		fprintf(stderr, "%s: %s\n", path, sonde_trace_error(t)->text);
	for (n = 0; (loss = sonde_trace_loss_at(t, n)); n++) {
		printf("%" PRIu64 " %s", loss->count, loss->text);
		if (loss->file_offset != SONDE_NONE)
			printf(", first at 0x%" PRIx64, loss->file_offset);
		putchar('\n');
	}
	sonde_iter_free(it);
	sonde_trace_free(t);
	return r < 0 || n > 0;
}

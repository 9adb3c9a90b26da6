/* SPDX-License-Identifier: MIT */
/* kshark_count.c - `kshark_count FILE` opens a trace.dat with KernelShark's library and prints the name of each
 * entry */
#include <kernelshark/libkshark-tepdata.h>
#include <kernelshark/libkshark.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **rows = NULL;
	ssize_t nr_rows;
	int stream;

	if (argc != 2 || !kshark_instance(&context))
		return 2;
	stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "libkshark cannot open it: %d\n", stream);
		return 1;
	}
	kshark_tep_init_all_buffers(context, stream);  /* a stream for each */
	nr_rows = kshark_load_all_entries(context, &rows);
	if (nr_rows < 0) {
		fprintf(stderr, "libkshark cannot load its entries: %zd\n", nr_rows);
		return 1;
	}
	for (ssize_t i = 0; i < nr_rows; i++) {
		char *name = kshark_get_event_name(rows[i]);

		if (i > 0 && rows[i]->ts < rows[i - 1]->ts) {
			fprintf(stderr, "entry %zd is earlier than the one before\n", i);
			return 1;
		}
		puts(name ? name : "(no name)");
		free(name);
	}
	for (ssize_t i = 0; i < nr_rows; i++)
		free(rows[i]);
	free(rows);
	kshark_close_all(context);
	kshark_free(context);
	return 0;
}

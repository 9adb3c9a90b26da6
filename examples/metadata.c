/* SPDX-License-Identifier: MIT */
/* metadata.c - print where and how a trace was recorded: metadata [FILE] */
#include <sonde/trace.h>

#include <stdio.h>

static void print(const char *what, const char *value)
{
	if (value)
		printf("%-10s %s\n", what, value);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_meta *meta;

	if (!t)
		return 1;
	if (sonde_trace_open(t, path, NULL) < 0) {
		fprintf(stderr, "%s: %s\n", path, sonde_trace_error(t)->text);
		sonde_trace_free(t);
		return 1;
	}
	meta = sonde_trace_meta(t);
	print("host", meta->hostname);
	print("kernel", meta->osrelease);
	print("machine", meta->arch);
	print("processor", meta->cpudesc);
	print("recorder", meta->version);
	if (meta->nr_cmdline)
		printf("%-10s", "command");
	for (size_t i = 0; i < meta->nr_cmdline; i++)
		printf(" %s", meta->cmdline[i]);
	if (meta->nr_cmdline)
		putchar('\n');
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
		print("event", sonde_trace_evsel_at(t, i)->name);
	sonde_trace_free(t);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* analysis.c - every analysis over a trace, with all its options, printed in every format */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sonde/analysis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OPTIONS_MOST = 32 };

/* The options that take no value, but for the one that is left out. */
static void choose(const struct sonde_analysis_kind *kind, const char *without, const char **options)
{
	size_t n = 0;

	for (const struct sonde_analysis_option *o = kind->options; o->name && n < OPTIONS_MOST - 1; o++)
		if (!o->arg && strcmp(o->name, without) != 0)
			options[n++] = o->name;
	options[n] = NULL;
}

static void run(const uint8_t *data, size_t size, const struct sonde_analysis_kind *kind, const char *const *options,
		const struct sonde_output *to)
{
	static const char *const formats[] = { "text", "json", "csv" };
	struct sonde_analysis *a = sonde_analysis_new(kind->name, options);
	struct sonde_trace *t = sonde_trace_new();

	if (a && t && sonde_trace_open_memory(t, data, size, "input", NULL) == 0) {
		sonde_analysis_run(a, t, NULL);
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			sonde_analysis_print(a, formats[i], to, NULL);
	}
	sonde_trace_free(t);
	sonde_analysis_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sonde_output to = { .sz = sizeof(to), .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	const struct sonde_analysis_kind *kind;
	const char *options[OPTIONS_MOST];

	for (size_t i = 0; (kind = sonde_analysis_kind_at(i)); i++) {
		run(data, size, kind, NULL, &to);
		choose(kind, "summary", options);
		run(data, size, kind, options, &to);
		choose(kind, "", options);
		run(data, size, kind, options, &to);
	}
	close(to.fd);
	return 0;
}

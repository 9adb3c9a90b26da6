/* SPDX-License-Identifier: MIT */
/* analysis.c - every analysis over a trace, with all its options, printed in every format */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sonde/analysis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OPTIONS_MOST = 32 };

static bool excludes(const struct sonde_analysis_option *o, const char *name)
{
	for (const char *const *other = o->excludes; other && *other; other++)
		if (strcmp(*other, name) == 0)
			return true;
	return false;
}

/* The option, and all that take no value and go together with it. */
static void choose(const struct sonde_analysis_kind *kind, const struct sonde_analysis_option *first,
		   const char **options)
{
	const struct sonde_analysis_option *o, *p;
	size_t n = 0;

	options[n++] = first->name;
	for (size_t at = 0; (o = sonde_analysis_option_at(kind, at)) && n < OPTIONS_MOST - 1; at++) {
		bool together = !o->arg && o != first;

		for (size_t k = 0; (p = sonde_analysis_option_at(kind, k)) && together; k++)
			for (size_t i = 0; i < n && together; i++)
				if (strcmp(options[i], p->name) == 0)
					together = !excludes(p, o->name) && !excludes(o, p->name);
		if (together)
			options[n++] = o->name;
	}
	options[n] = NULL;
}

static void run(const uint8_t *data, size_t size, const struct sonde_analysis_kind *kind, const char *const *options,
		const struct sonde_output *to)
{
	static const char *const formats[] = { "text", "json", "csv", "html" };
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
	const struct sonde_analysis_option *o;
	const struct sonde_analysis_kind *kind;
	const char *options[OPTIONS_MOST];

	for (size_t i = 0; (kind = sonde_analysis_kind_at(i)); i++) {
		run(data, size, kind, NULL, &to);
		run(data, size, kind, kind->all, &to);
		for (size_t k = 0; (o = sonde_analysis_option_at(kind, k)); k++) {
			if (o->arg)
				continue;
			choose(kind, o, options);
			run(data, size, kind, options, &to);
		}
	}
	close(to.fd);
	return 0;
}

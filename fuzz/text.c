/* SPDX-License-Identifier: MIT */
/* text.c - a trace printed by script, with every field and every record, and by dump */
#include <fcntl.h>
#include <unistd.h>

#include <sonde/text.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sonde_trace *open_bytes(const uint8_t *data, size_t size)
{
	struct sonde_trace *t = sonde_trace_new();

	if (t && sonde_trace_open_memory(t, data, size, "input", NULL) == 0)
		return t;
	sonde_trace_free(t);
	return NULL;
}

static void print(const uint8_t *data, size_t size, const struct sonde_script_opts *opts, const struct sonde_output *to)
{
	struct sonde_trace *t = open_bytes(data, size);

	if (t)
		sonde_script(t, to, opts, NULL);
	sonde_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the first is not added; a list with a field that the samples lack is refused, so they are tried one after the
	 * other */
	static const char *const more[] = { "",
					    "+misc",
					    "+addr,+data_src",
					    "+iregs",
					    "+uregs",
					    "+brstack",
					    "+brstacksym,+read",
					    "+weight,+transaction",
					    "+cgroup,+phys_addr",
					    "+dsoff,+tod" };
	const struct sonde_symbols_opts no_symbols = { .sz = sizeof(no_symbols), .symfs = "/nonexistent",
						       .kallsyms = "/dev/null", .no_cache = true };
	const struct sonde_dump_opts dump = { .sz = sizeof(dump), .hex = true };
	const struct sonde_output to = { .sz = sizeof(to), .fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	struct sonde_trace *t = open_bytes(data, size);

	if (t)
		sonde_dump(t, &to, &dump, NULL);
	sonde_trace_free(t);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		const struct sonde_script_opts opts = { .sz = sizeof(opts),
							.symbol_opts = &no_symbols,
							.show = i & 1 ? UINT32_MAX : 0,
							.fields = &more[i],
							.nr_fields = i > 0 };

		print(data, size, &opts, &to);
	}
	close(to.fd);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* text.c - a trace printed by script, with every field and every record, and by dump; its call chains one by one */
#include <fcntl.h>
#include <string.h>
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

/* Makes reads of names happen. */
static volatile size_t read_sum;

static void find_chains(struct sonde_trace *t, const struct sonde_symbols_opts *opts)
{
	const struct sonde_query by_time = { .sz = sizeof(by_time), .order = SONDE_ORDER_TIME };
	struct sonde_symbols *symbols = sonde_symbols_new(opts);
	struct sonde_iter *it = sonde_iter_new(t, &by_time);
	struct sonde_tasks *tasks = sonde_tasks_new(t);
	const struct sonde_event *ev;
	const struct sonde_frame *f;

	while (it && tasks && symbols && sonde_iter_next(it, &ev) > 0 && sonde_tasks_apply(tasks, ev) == 0)
		if (ev->kind == SONDE_KIND_SAMPLE && sonde_symbols_chain_of(symbols, tasks, ev, 0) > 0)
			for (size_t i = 0; (f = sonde_symbols_chain_at(symbols, i)); i++)
				read_sum += (f->symbol ? strlen(f->symbol) : 0) + (f->dso ? strlen(f->dso) : 0);
	sonde_iter_free(it);
	sonde_symbols_free(symbols);
	sonde_tasks_free(tasks);
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
	t = open_bytes(data, size);
	if (t)
		find_chains(t, &no_symbols);
	sonde_trace_free(t);
	close(to.fd);
	return 0;
}

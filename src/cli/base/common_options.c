/* SPDX-License-Identifier: MIT */
#include "cli/base/common_options.h"

#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"
#include "cli/base/symbol_notes.h"
#include "cli/base/times.h"

static struct numbers cpus, pids, tids;

struct selected_names selected;
struct sonde_symbols_opts symbol_options = { .sz = sizeof(symbol_options), .noted = symbol_notes_of_memory };
bool option_accepted;
uint64_t jobs_option;

uint32_t threads_wanted(void)
{
	return jobs_option < UINT32_MAX ? (uint32_t)jobs_option : UINT32_MAX;
}

int select_time(const char *arg)
{
	return times_parse(arg);
}

int select_cpus(const char *arg)
{
	return list_add_numbers(&cpus, arg, "--cpu");
}

int select_pids(const char *arg)
{
	return list_add_numbers(&pids, arg, "--pid");
}

int select_tids(const char *arg)
{
	return list_add_numbers(&tids, arg, "--tid");
}

int select_comms(const char *arg)
{
	return list_add_words(&selected.comms, arg);
}

int select_dsos(const char *arg)
{
	return list_add_words(&selected.dsos, arg);
}

int select_symbols(const char *arg)
{
	return list_add_words(&selected.symbols, arg);
}

struct sonde_query selection(void)
{
	return (struct sonde_query){ .sz = sizeof(struct sonde_query),
				     .cpus = cpus.at,
				     .nr_cpus = cpus.n,
				     .pids = pids.at,
				     .nr_pids = pids.n,
				     .tids = tids.at,
				     .nr_tids = tids.n };
}

int select_within_all(struct sonde_trace *const *traces, size_t n, struct sonde_query *q, size_t *failed)
{
	uint64_t first = UINT64_MAX, last = 0;
	int r = 0;

	for (size_t i = 0; i < n && r == 0 && times_are_shares(); i++) {
		uint64_t from = 0, to = 0;

		*failed = i;
		if (!*sonde_trace_info(traces[i])->format && !sonde_trace_profile_format(traces[i]))  /* not open */
			continue;
		r = sonde_trace_time_span(traces[i], &from, &to);
		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	if (r == 0)
		times_narrow(q, first, last);
	return r;
}

int select_within(struct sonde_trace *t, struct sonde_query *q)
{
	size_t failed;

	return select_within_all(&t, 1, q, &failed);
}

int select_within_file(const char *path, struct sonde_query *q)
{
	struct sonde_trace *t = NULL;
	int r = 0;

	if (times_are_shares()) {
		t = sonde_trace_new();
		r = t ? sonde_trace_open(t, path, open_options()) : -SONDE_NOMEM;
	}
	if (r == 0)
		r = select_within(t, q);
	if (r < 0 && t)
		say_error(path, sonde_trace_error(t));
	sonde_trace_free(t);
	return r;
}

/* SPDX-License-Identifier: MIT */
#include "cli/common_options.h"

#include "cli/lists.h"

static uint64_t time_min, time_max;
static struct numbers cpus, pids, tids;

struct selected_names selected;
struct sonde_symbols_opts symbol_options = { .sz = sizeof(symbol_options) };

int select_time(const char *arg)
{
	return parse_time_range(arg, &time_min, &time_max);
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
	return (struct sonde_query){ .sz = sizeof(struct sonde_query), .time_min = time_min, .time_max = time_max,
				     .cpus = cpus.at, .nr_cpus = cpus.n, .pids = pids.at, .nr_pids = pids.n,
				     .tids = tids.at, .nr_tids = tids.n };
}

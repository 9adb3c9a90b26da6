// SPDX-License-Identifier: MIT
// command_counts.cc - count a group of events of a command: command_counts COMMAND [ARGUMENT...]
#include <sonde/counter.h>

#include <cstdio>
#include <memory>
#include <vector>

int main(int argc, char **argv)
{
	std::unique_ptr<sonde_counter, void (*)(sonde_counter *)> c(sonde_counter_new(), sonde_counter_free);
	std::vector<const char *> words(argv + (argc > 1), argv + argc);
	sonde_counter_opts opts = {};

	words.push_back(nullptr);
	opts.sz = sizeof(opts);
	opts.command = words.data();
	opts.running = true;
	if (!c || sonde_counter_add_event(c.get(), "{task-clock:u,page-faults:u}") < 0 ||
	    sonde_counter_open(c.get(), &opts) < 0 || sonde_counter_start(c.get()) < 0 ||
	    sonde_counter_wait_command(c.get(), -1) < 0 || sonde_counter_read(c.get()) < 0) {
		std::fprintf(stderr, "%s\n", c ? sonde_counter_error(c.get())->text : "out of memory");
		return 1;
	}
	for (size_t i = 0; i < sonde_counter_count(c.get()); i++)
		std::printf("%12llu %s\n", (unsigned long long)sonde_counter_value(c.get(), i)->scaled,
			    sonde_counter_event_at(c.get(), i)->name);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* threads.cc - how many samples each thread has, from C++: threads [FILE] */
#include <sonde/symbol.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

struct free_with_sonde {
	void operator()(sonde_trace *t) const { sonde_trace_free(t); }
	void operator()(sonde_iter *it) const { sonde_iter_free(it); }
	void operator()(sonde_tasks *t) const { sonde_tasks_free(t); }
};

template <typename T> using owned = std::unique_ptr<T, free_with_sonde>;

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "perf.data";
	owned<sonde_trace> trace(sonde_trace_new());
	std::map<std::string, unsigned long> samples;
	sonde_query query = {};
	const sonde_event *ev;

	if (!trace || sonde_trace_open(trace.get(), path, nullptr) < 0) {
		std::fprintf(stderr, "%s: %s\n", path, trace ? sonde_trace_error(trace.get())->text : "out of memory");
		return 1;
	}
	query.sz = sizeof(query);
	query.order = SONDE_ORDER_TIME;

	owned<sonde_iter> iter(sonde_iter_new(trace.get(), &query));
	owned<sonde_tasks> tasks(sonde_tasks_new(trace.get()));
	int r = iter && tasks ? 0 : -1;

	while (r >= 0 && (r = sonde_iter_next(iter.get(), &ev)) > 0) {
		sonde_tasks_apply(tasks.get(), ev);  /* names come and go in time */
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		const char *comm = sonde_tasks_comm_of(tasks.get(), ev);
		samples[(comm ? comm : "?") + (" " + std::to_string(ev->tid))]++;
	}
	for (const auto &thread : samples)
		std::printf("%8lu %s\n", thread.second, thread.first.c_str());
	return r < 0;
}

/* SPDX-License-Identifier: MIT */
#include "cli/record/perf_requests.h"

#include "cli/base/event_error.h"
#include "cli/record/ftrace.h"
#include "cli/record/words.h"

int perf_requests_take(struct sonde_perf_recorder *recorder)
{
	for (size_t i = 0; i < nr_requests; i++) {
		const struct record_request *w = &requests[i];

		if (w->kind == REQUEST_EVENT && sonde_perf_recorder_add_event(recorder, w->text) < 0)
			return say_bad_event(w->text, sonde_perf_recorder_error(recorder));
		if (w->kind == REQUEST_PFM && sonde_perf_recorder_add_pfm_events(recorder, w->text) < 0)
			return say_error(NULL, sonde_perf_recorder_error(recorder));
		if (w->kind == REQUEST_FILTER && sonde_perf_recorder_add_filter(recorder, w->text) < 0)
			return say_usage("--filter: %s", sonde_perf_recorder_error(recorder)->text);
		if (w->kind == REQUEST_CGROUP && sonde_perf_recorder_add_cgroups(recorder, w->text) < 0)
			return say_usage("-G: %s", sonde_perf_recorder_error(recorder)->text);
		if (w->kind != REQUEST_EVENT && w->kind != REQUEST_FILTER && w->kind != REQUEST_CGROUP &&
		    w->kind != REQUEST_PFM)
			return say_usage("%s: this is for --ftrace only", request_option(w->kind));
	}
	for (size_t i = 0; i < record_words.switch_events.n; i++)
		if (sonde_perf_recorder_add_switch_event(recorder, record_words.switch_events.at[i]) < 0)
			return say_bad_event(record_words.switch_events.at[i], sonde_perf_recorder_error(recorder));
	if (record_words.cgroups && sonde_perf_recorder_for_each_cgroup(recorder, record_words.cgroups) < 0)
		return say_usage("--for-each-cgroup: %s", sonde_perf_recorder_error(recorder)->text);
	return 0;
}

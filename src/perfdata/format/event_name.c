/* SPDX-License-Identifier: MIT */
#include "perfdata/format/event_name.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

static const char *const hardware_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles",
	"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults",
	"alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};
static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };

static void cache_name(uint64_t config, char *out, size_t n)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= ARRAY_SIZE(cache_names) || op >= ARRAY_SIZE(cache_ops) || result > 1)
		snprintf(out, n, "invalid-cache 0x%" PRIx64, config);
	else if (result)
		snprintf(out, n, "%s-%s-misses", cache_names[cache], cache_ops[op]);
	else
		snprintf(out, n, "%s-%s%s", cache_names[cache], cache_ops[op], op == 2 ? "es" : "s");
}

/* perf's ":u" and friends: which modes are counted when not all are, and how precise. */
static void add_modifiers(const struct sonde_attr *attr, char *out, size_t n)
{
	bool user = attr->flags & SONDE_ATTR_EXCLUDE_USER, kernel = attr->flags & SONDE_ATTR_EXCLUDE_KERNEL;
	bool hv = attr->flags & SONDE_ATTR_EXCLUDE_HV, host = attr->flags & SONDE_ATTR_BIT(19);
	bool guest = attr->flags & SONDE_ATTR_BIT(20), some = user || kernel || hv;
	unsigned precise = attr->flags >> 15 & 3;
	char m[16] = "";
	size_t k = 0;

	if (some && !kernel)
		m[k++] = 'k';
	if (some && !user)
		m[k++] = 'u';
	if (some && !hv)
		m[k++] = 'h';
	for (unsigned i = 0; i < precise; i++)
		m[k++] = 'p';
	if (host || guest == (some || precise)) {
		if (!host)
			m[k++] = 'H';
		if (!guest)
			m[k++] = 'G';
	}
	if (k && !(k == 2 && m[0] == 'H'))  /* both host and guest is all there is */
		snprintf(out + strlen(out), n - strlen(out), ":%.*s", (int)k, m);
}

void event_name_of_attr(const struct sonde_attr *attr, char out[EVENT_NAME_BYTES])
{
	uint64_t config = attr->config;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		config &= UINT32_MAX;
		if (config >= ARRAY_SIZE(hardware_names))
			break;
		snprintf(out, EVENT_NAME_BYTES, "%s", hardware_names[config]);
		add_modifiers(attr, out, EVENT_NAME_BYTES);
		return;
	case PERF_TYPE_SOFTWARE:
		if (config >= ARRAY_SIZE(software_names))
			break;
		snprintf(out, EVENT_NAME_BYTES, "%s", software_names[config]);
		add_modifiers(attr, out, EVENT_NAME_BYTES);
		return;
	case PERF_TYPE_HW_CACHE:
		cache_name(config & UINT32_MAX, out, EVENT_NAME_BYTES);
		add_modifiers(attr, out, EVENT_NAME_BYTES);
		return;
	case PERF_TYPE_RAW:
		snprintf(out, EVENT_NAME_BYTES, "raw 0x%" PRIx64, config);
		add_modifiers(attr, out, EVENT_NAME_BYTES);
		return;
	case PERF_TYPE_BREAKPOINT:
		snprintf(out, EVENT_NAME_BYTES, "mem:0x%" PRIx64 ":%s%s%s", attr->config1, attr->bp_type & 1 ? "r" : "",
			 attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "");
		add_modifiers(attr, out, EVENT_NAME_BYTES);
		return;
	case PERF_TYPE_TRACEPOINT:
		snprintf(out, EVENT_NAME_BYTES, "tracepoint %" PRIu64, config);
		return;
	}
	snprintf(out, EVENT_NAME_BYTES, "type %u config 0x%" PRIx64, attr->type, config);
}

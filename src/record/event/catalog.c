/* SPDX-License-Identifier: MIT */
#include "record/event/catalog.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fmap.h"
#include "record/event/catalog_pmu.h"
#include "record/event/catalog_try.h"
#include "record/event/event_name.h"
#include "record/host/pmu.h"

#define FORMAT_MAX (1u << 20)

/* How the kinds of generic events are listed. */
static const struct group {
	enum sonde_catalog_kind kind;
	uint32_t type;
	const char *kind_name, *pmu, *topic;
} hardware = { SONDE_CATALOG_HARDWARE, PERF_TYPE_HARDWARE, "Hardware event", "cpu", "hardware" },
  software = { SONDE_CATALOG_SOFTWARE, PERF_TYPE_SOFTWARE, "Software event", "software", "software" },
  tool = { SONDE_CATALOG_TOOL, EVENT_TYPE_TOOL, "Tool event", "tool", "tool" },
  cache = { SONDE_CATALOG_CACHE, PERF_TYPE_HW_CACHE, "Hardware cache event", "cpu", "cache" };

static const char *const hardware_texts[] = {
	"Cycles of the CPU; its frequency may change meanwhile", "Retired instructions",
	"Accesses of a cache, mostly of the last level", "Misses of a cache, mostly of the last level",
	"Retired branch instructions", "Mispredicted branches", "Cycles of the bus",
	"Cycles in which the frontend gave no work to the backend", "Cycles in which the backend took no work",
	"Cycles at a frequency that does not change",
};
static const char *const software_texts[] = {
	"Time of the CPU, ns", "Time for which the task ran, ns", "Page faults", "Context switches",
	"Moves of the task to another CPU", "Page faults that needed no input", "Page faults that needed input",
	"Unaligned accesses that the kernel handled", "Instructions that the kernel emulated",
	"No event: a place for records about tasks and mappings", "Output of BPF programs",
	"Context switches to a task of another control group",
};
static const char *const tool_texts[] = {
	[EVENT_DURATION_TIME] = "Wall clock time, ns", [EVENT_USER_TIME] = "CPU time in user space, ns",
	[EVENT_SYSTEM_TIME] = "CPU time in the kernel, ns", [EVENT_HAS_PMEM] = "1 if there is persistent memory",
	[EVENT_NUM_CORES] = "Number of cores", [EVENT_NUM_CPUS] = "Number of CPUs, each thread of a core is one",
	[EVENT_NUM_CPUS_ONLINE] = "Number of CPUs that are online", [EVENT_NUM_DIES] = "Number of dies",
	[EVENT_NUM_PACKAGES] = "Number of packages (sockets)",
	[EVENT_SMT_ON] = "1 if cores run several threads", [EVENT_SYSTEM_TSC_FREQ] = "Frequency of the TSC, Hz",
};

static const char *text_at(const char *const *texts, size_t n, uint64_t i)
{
	return i < n ? texts[i] : NULL;
}

static const char *describe(const struct generic_event *g)
{
	switch (g->type) {
	case PERF_TYPE_HARDWARE:
		return text_at(hardware_texts, ARRAY_SIZE(hardware_texts), g->config);
	case PERF_TYPE_SOFTWARE:
		return text_at(software_texts, ARRAY_SIZE(software_texts), g->config);
	case EVENT_TYPE_TOOL:
		return text_at(tool_texts, ARRAY_SIZE(tool_texts), g->config);
	default:
		return NULL;
	}
}

static const char *keep(struct catalog *c, const char *text)
{
	return arena_strndup(&c->arena, text, strlen(text));
}

static int add_generic(struct catalog *c, const struct group *group, const struct generic_event *g, const char *alias)
{
	struct sonde_catalog_event e = {
		.kind = group->kind, .kind_name = group->kind_name, .pmu = group->pmu, .topic = group->topic,
		.alias = alias, .description = describe(g),
	};
	char text[64];

	snprintf(text, sizeof(text), g->config < 10 ? "%s/config=%llu/" : "%s/config=%#llx/", group->pmu,
		 (unsigned long long)g->config);
	e.name = keep(c, g->name);
	if (g->type == PERF_TYPE_SOFTWARE || g->type == EVENT_TYPE_TOOL)
		e.encoding = keep(c, text);
	if (c->try_events && g->type != EVENT_TYPE_TOOL)
		e.unavailable = catalog_try(&c->roots, g->type, g->config);
	else if (g->type == PERF_TYPE_HARDWARE || g->type == PERF_TYPE_HW_CACHE)
		e.unavailable = catalog_no_hardware(&c->roots);
	return !e.name || vec_push(c, e) < 0 ? err_nomem(c->err) : 0;
}

/* The other name of the same event; NULL if it has none. */
static const char *other_name(const struct generic_event *g)
{
	struct generic_event other;
	const char *name;

	for (size_t i = 0; (name = event_name_at(i)); i++)
		if (event_name_generic(name, &other) && other.type == g->type && other.config == g->config &&
		    strcmp(name, g->name) != 0)
			return other.name;
	return NULL;
}

static int add_group(struct catalog *c, const struct group *group)
{
	struct generic_event g;
	const char *name;
	int r = 0;

	for (size_t i = 0; r == 0 && (name = event_name_at(i)); i++)
		if (event_name_generic(name, &g) && g.type == group->type)
			r = add_generic(c, group, &g, other_name(&g));
	return r;
}

static int add_caches(struct catalog *c)
{
	struct generic_event g;
	char name[64];
	int r = 0;

	for (size_t i = 0; r == 0 && event_name_cache_at(i, name, sizeof(name)); i++)
		if (event_name_generic(name, &g))
			r = add_generic(c, &cache, &g, NULL);
	return r;
}

/* NULL: the machine has the PMU of the event. */
static const char *absent_pmu(struct catalog *c, const struct vendor_event *v)
{
	struct names pmus = { 0 };
	bool any;

	if (!v->pmu)
		return catalog_no_hardware(&c->roots);
	pmu_match(&c->arena, c->roots.sysfs, v->pmu, &pmus);
	any = pmus.n > 0;
	vec_free(&pmus);
	return any ? NULL : "this machine has no such PMU";
}

static int by_topic(const void *a, const void *b)
{
	const struct sonde_catalog_event *x = a, *y = b;
	int order = strcmp(x->topic ? x->topic : "", y->topic ? y->topic : "");

	return order ? order : strcmp(x->name, y->name);
}

/* Events out of files, topic by topic; and metrics. The texts live as long as c->vendor. */
static int add_vendor(struct catalog *c, bool metrics)
{
	size_t first = c->n;

	for (size_t i = 0; i < c->vendor.n; i++) {
		const struct vendor_event *v = &c->vendor.at[i];
		struct sonde_catalog_event e = {
			.kind = metrics ? SONDE_CATALOG_METRIC : SONDE_CATALOG_PMU,
			.kind_name = metrics ? "Metric" : "Kernel PMU event", .name = v->name, .topic = v->topic,
			.pmu = v->pmu ? v->pmu : "cpu", .description = v->description,
			.long_description = v->long_description, .scale_unit = v->scale_unit,
			.metric_expr = v->metric_expr, .metric_group = v->metric_group,
			.metric_threshold = v->metric_threshold, .deprecated = v->deprecated,
		};
		char text[1024];

		if (metrics != (v->metric_expr != NULL))
			continue;
		if (!metrics) {
			snprintf(text, sizeof(text), "%s/%s/", e.pmu, v->terms);
			e.encoding = keep(c, text);
			e.unavailable = absent_pmu(c, v);
		}
		if (vec_push(c, e) < 0)
			return err_nomem(c->err);
	}
	if (c->n > first)
		qsort(c->at + first, c->n - first, sizeof(*c->at), by_topic);
	return 0;
}

static int add_forms(struct catalog *c)
{
	static const struct sonde_catalog_event forms[] = {
		{ .kind = SONDE_CATALOG_RAW, .kind_name = "Raw event descriptor", .name = "rNNN",
		  .description = "The number of an event of the processor, in hexadecimal" },
		{ .kind = SONDE_CATALOG_RAW, .kind_name = "Raw event descriptor",
		  .name = "cpu/t1=v1[,t2=v2,t3 ...]/modifier",
		  .description = "An event of a PMU by its terms: sonde list --details shows those of named events" },
		{ .kind = SONDE_CATALOG_BREAKPOINT, .kind_name = "Hardware breakpoint",
		  .name = "mem:<addr>[/len][:access]",
		  .description = "Accesses (r, w, x) of an address and the len bytes from it on" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (vec_push(c, forms[i]) < 0)
			return err_nomem(c->err);
	return 0;
}

/* The format of a tracepoint with blanks for tabs, as perf has it. */
static const char *read_format(struct catalog *c, const char *path)
{
	struct fmap file = { 0 };
	char *text;

	if (fmap_path(&file, path, FORMAT_MAX, NULL) < 0)
		return NULL;
	text = arena_strndup(&c->arena, (const char *)file.data, file.size);
	for (char *p = text; p && *p; p++)
		if (*p == '\t')
			*p = ' ';
	fmap_close(&file);
	return text;
}

static int add_tracepoint(struct catalog *c, const char *system, const char *name)
{
	struct sonde_catalog_event e = { .kind = SONDE_CATALOG_TRACEPOINT, .kind_name = "Tracepoint event",
					 .pmu = "tracepoint" };
	char path[1200], text[600];
	uint64_t id;

	snprintf(path, sizeof(path), "%.512s/events/%.255s/%.255s/format", c->roots.tracefs, system, name);
	if (access(path, F_OK) < 0)
		return 0;
	snprintf(text, sizeof(text), "%.255s:%.255s", system, name);
	e.name = keep(c, text);
	if (sysfile_u64(&id, "%.512s/events/%.255s/%.255s/id", c->roots.tracefs, system, name)) {
		snprintf(text, sizeof(text), "tracepoint/config=%#llx/", (unsigned long long)id);
		e.encoding = keep(c, text);
	} else {
		e.unavailable = "it belongs to the kernel's own tracer: sonde record --ftrace records it";
	}
	if (c->formats)
		e.long_description = read_format(c, path);
	return !e.name || vec_push(c, e) < 0 ? err_nomem(c->err) : 0;
}

static int add_tracepoints(struct catalog *c)
{
	struct names systems = { 0 }, points = { 0 };
	char dir[1000];
	int r = 0;

	snprintf(dir, sizeof(dir), "%.512s/events", c->roots.tracefs);
	sysfile_list(&c->arena, dir, &systems);
	for (size_t i = 0; r == 0 && i < systems.n; i++) {
		points.n = 0;
		snprintf(dir, sizeof(dir), "%.512s/events/%.255s", c->roots.tracefs, systems.at[i]);
		if (sysfile_list(&c->arena, dir, &points) < 0)
			continue;
		for (size_t k = 0; r == 0 && k < points.n; k++)
			r = add_tracepoint(c, systems.at[i], points.at[k]);
	}
	vec_free(&systems);
	vec_free(&points);
	return r;
}

int catalog_fill(struct catalog *c)
{
	int r = add_group(c, &hardware);

	r = r < 0 ? r : add_group(c, &software);
	r = r < 0 ? r : add_group(c, &tool);
	r = r < 0 ? r : add_caches(c);
	r = r < 0 ? r : catalog_pmu_events(c);
	r = r < 0 ? r : add_vendor(c, false);
	r = r < 0 ? r : add_forms(c);
	r = r < 0 || !c->roots.tracefs ? r : add_tracepoints(c);
	return r < 0 ? r : add_vendor(c, true);
}

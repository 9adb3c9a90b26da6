/* SPDX-License-Identifier: MIT */
/* growth.c - looks at every struct that can grow, but not at its last member: growth FILE OUT */
#include <sonde/check.h>
#include <sonde/counter.h>
#include <sonde/describe.h>
#include <sonde/export.h>
#include <sonde/perf_writer.h>
#include <sonde/text.h>
#include <sonde/tracepoint.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 40 };  /* samples */

static int fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return 1;
}

static void print_str(const char *label, struct sonde_str s)
{
	printf("%s %.*s\n", label, (int)s.len, s.p);
}

/* Counting may not be permitted: then there is an error in each version. */
static void print_counter(void)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true };
	struct sonde_counter_reading now = { .sz = sizeof(now) };
	struct sonde_counter *c = sonde_counter_new();

	if (c && sonde_counter_add_event(c, "{dummy:u,dummy:u}") == 0 && sonde_counter_open(c, &opts) == 0 &&
	    sonde_counter_read(c) == 0 && sonde_counter_read_self(c, 1, &now) == 0)
		for (size_t i = 0; i < sonde_counter_count(c); i++)
			printf("counter %s %zu %" PRIu64 " %" PRIu64 "\n", sonde_counter_event_at(c, i)->name,
			       sonde_counter_event_at(c, i)->leader, sonde_counter_value(c, i)->raw, now.value);
	sonde_counter_free(c);
}

static void print_body(const struct sonde_event *ev)
{
	const struct sonde_mmap *m;
	const struct sonde_comm *c;
	const struct sonde_task *t;

	if (sonde_event_mmap(ev, &m) == 0)
		printf("mmap %d %" PRIx64 " %" PRIx64 "\n", m->pid, m->addr, m->len);
	if (sonde_event_comm(ev, &c) == 0)
		printf("comm %d %d %d\n", c->pid, c->tid, c->exec);
	if (sonde_event_task(ev, &t) == 0)
		printf("task %d %d %d\n", t->pid, t->ppid, t->tid);
}

static void print_sample(struct sonde_trace *t, const struct sonde_event *ev)
{
	const struct sonde_tracepoint *tp = sonde_trace_tracepoint(t, ev->evsel);
	const struct sonde_tracepoint_field *field;
	struct sonde_tracepoint_print_opts opts = { .sz = sizeof(opts) };
	const struct sonde_sample *s;
	char text[256];

	if (sonde_event_sample(ev, &s) < 0)
		return;
	printf("sample %" PRIu64 " %d %d %zu:", s->time, s->tid, s->cpu, s->nr_callchain);
	for (size_t i = 0; i < s->nr_callchain; i++)
		printf(" %" PRIx64, s->callchain[i]);
	printf(" %zu\n", s->raw.len);
	for (size_t i = 0; tp && (field = sonde_tracepoint_field_at(tp, i)); i++)
		printf(" %s:%u", field->name, field->offset);
	if (tp && sonde_tracepoint_print(tp, &s->raw, &opts, text, sizeof(text)) >= 0)
		printf(" %s\n", text);
}

static int print_events(struct sonde_trace *t)
{
	struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_symbols_opts no_cache = { .sz = sizeof(no_cache), .kallsyms = "/dev/null" };
	struct sonde_symbols *symbols = sonde_symbols_new(&no_cache);
	struct sonde_tasks *tasks = sonde_tasks_new(t);
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	const struct sonde_frame *frame;
	int r, n = 0;

	while ((r = sonde_iter_next(it, &ev)) > 0) {
		sonde_tasks_apply(tasks, ev);
		if (ev->kind != SONDE_KIND_SAMPLE) {
			print_body(ev);
			continue;
		}
		if (n++ >= SHOWN)
			continue;
		print_sample(t, ev);
		if (sonde_symbols_resolve_of(symbols, tasks, ev, ev->cpumode, ev->ip, &frame) < 0)
			r = fail("resolve");
		printf(" %s %" PRIx64 " %s\n", ev->evsel ? ev->evsel->name : "?", frame->ip,
		       frame->dso ? frame->dso : "?");
	}
	printf("%d samples\n", n);
	sonde_iter_free(it);
	sonde_tasks_free(tasks);
	sonde_symbols_free(symbols);
	return r < 0 ? fail(sonde_strerror(sonde_trace_error(t)->code)) : 0;
}

static void print_trace(struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);
	const struct sonde_meta *meta = sonde_trace_meta(t);
	const struct sonde_evsel *evsel;
	const struct sonde_loss *loss;

	printf("%s %u %u\n", info->format, info->version, info->long_size);
	printf("%s %s\n", meta->hostname ? meta->hostname : "?", meta->arch ? meta->arch : "?");
	for (size_t i = 0; (evsel = sonde_trace_evsel_at(t, i)); i++)
		printf("%s %" PRIx64 " %zu\n", evsel->name, evsel->attr->config, evsel->nr_ids);
	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++)
		printf("%d %" PRIu64 "\n", (int)loss->kind, loss->count);
}

static void print_features(struct sonde_trace *t)
{
	const struct sonde_raw_feature *raw;
	const struct sonde_build_id *id;
	const struct sonde_event_desc *desc;
	const struct sonde_numa_node *numa;
	const struct sonde_pmu_mapping *pmu;
	const struct sonde_cache *cache;
	const struct sonde_cpu_domains *cpu;
	const struct sonde_sched_domain *domain;

	for (size_t i = 0; (raw = sonde_trace_raw_feature_at(t, i)); i++)
		printf("feature %u %zu\n", raw->id, raw->payload.len);
	for (size_t i = 0; (id = sonde_trace_build_id_at(t, i)); i++)
		printf("build id %d %u %02x\n", id->pid, id->size, id->id[0]);
	for (size_t i = 0; (desc = sonde_trace_event_desc_at(t, i)); i++)
		printf("desc %s %" PRIx64 "\n", desc->name, desc->attr->config);
	for (size_t i = 0; (numa = sonde_trace_numa_node_at(t, i)); i++)
		printf("node %u %" PRIu64 "\n", numa->node, numa->total_kb);
	for (size_t i = 0; (pmu = sonde_trace_pmu_mapping_at(t, i)); i++)
		printf("pmu %u\n", pmu->type);
	for (size_t i = 0; (cache = sonde_trace_cache_at(t, i)); i++)
		printf("cache %u %u\n", cache->level, cache->ways);
	for (size_t i = 0; (cpu = sonde_trace_cpu_domains_at(t, i)); i++)
		for (size_t k = 0; (domain = sonde_cpu_domains_at(cpu, k)); k++)
			printf("domain %u %u\n", cpu->cpu, domain->domain);
}

static void print_parts(struct sonde_trace *t)
{
	const struct sonde_buffer *buffer;
	const struct sonde_cpu_pages *cpu;
	const struct sonde_option *option;
	const struct sonde_section *section;

	for (size_t i = 0; (buffer = sonde_trace_buffer_at(t, i)); i++) {
		printf("buffer %s %u\n", buffer->name, buffer->page_size);
		for (size_t k = 0; (cpu = sonde_buffer_cpu_at(buffer, k)); k++)
			printf("CPU %u\n", cpu->cpu);
	}
	for (size_t i = 0; (option = sonde_trace_option_at(t, i)); i++)
		printf("option %u %zu\n", option->id, option->data.len);
	for (size_t i = 0; (section = sonde_trace_section_at(t, i)); i++)
		printf("section %u %s\n", section->id, section->name ? section->name : "?");
}

static int print_profile(struct sonde_trace *t)
{
	struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS_IF_ANY };
	struct sonde_export_opts how = { .sz = sizeof(how), .weight = SONDE_WEIGHT_PERIOD };
	struct sonde_profile *p = sonde_profile_new(&opts);
	const struct sonde_profile_event *event;
	const struct sonde_profile_task *task;
	const struct sonde_profile_cell *cell;
	int r = sonde_profile_add(p, t, NULL);

	for (size_t i = 0; (event = sonde_profile_event_at(p, i)); i++)
		printf("%s %" PRIu64 " %" PRIu64 "\n", event->name, event->samples, event->period);
	for (size_t i = 0; (task = sonde_profile_task_at(p, i)); i++)
		printf("%d %d %s\n", task->pid, task->tid, task->comm);
	for (size_t i = 0; (cell = sonde_profile_cell_at(p, i)); i++)
		printf("%u %u %" PRIx64 "\n", cell->event, cell->task, sonde_profile_frame_at(p, cell->frame)->addr);
	for (size_t i = 0; i < sonde_profile_stack_count(p); i++)
		printf("%u ", sonde_profile_stack_at(p, i)->parent);
	printf("\n");
	fflush(stdout);
	if (r == 0)
		r = sonde_export(p, "folded", NULL, &how, NULL);
	sonde_profile_free(p);
	return r < 0 ? fail("profile") : 0;
}

static int check(const char *path)
{
	const struct sonde_check_rule *rule;
	struct sonde_check_result result = { .sz = sizeof(result) };
	struct sonde_error err = { .sz = sizeof(err) };

	for (size_t i = 0; (rule = sonde_check_rule_at(i)); i++)
		printf("%s %d\n", rule->name, (int)rule->severity);
	if (sonde_check(path, NULL, &result, &err) < 0)
		return fail("check");
	if (sonde_check("/nonexistent", NULL, NULL, &err) != -SONDE_SYSTEM || err.code != SONDE_SYSTEM)
		return fail("error");
	printf("%" PRIu64 "\n", result.records);
	return 0;
}

/* Every struct with sz goes in. */
static int print_texts(struct sonde_trace *t)
{
	struct sonde_output to = { .sz = sizeof(to), .fd = 1 };
	struct sonde_describe_opts describe = { .sz = sizeof(describe), .json = true };
	struct sonde_evlist_opts evlist = { .sz = sizeof(evlist), .freq = true };
	struct sonde_script_opts script = { .sz = sizeof(script), .ns = true };
	struct sonde_dump_opts dump = { .sz = sizeof(dump) };

	fflush(stdout);
	if (sonde_trace_describe(t, &to, &describe, NULL) < 0 || sonde_trace_evlist(t, &to, &evlist, NULL) < 0 ||
	    sonde_script(t, &to, &script, NULL) < 0 || sonde_dump(t, &to, &dump, NULL) < 0)
		return fail("text");
	return 0;
}

static int write_one(const char *path)
{
	struct sonde_perf_writer_opts opts = { .sz = sizeof(opts), .compression = SONDE_COMPRESSION_ZSTD };
	struct sonde_attr attr = { .type = 1, .size = 128, .sample_type = 1 };
	struct sonde_meta meta = { .sz = sizeof(meta), .hostname = "box" };
	struct sonde_numa_node nodes[] = { { .node = 3, .total_kb = 7 }, { .node = 5, .total_kb = 9 } };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	struct sonde_trace *t = sonde_trace_new();
	int r = sonde_perf_writer_open(w, path, &opts);

	meta.features[0] = UINT64_C(1) << SONDE_FEAT_HOSTNAME;

	if (r == 0)
		r = sonde_perf_writer_add_event(w, &attr, sizeof(attr), "one", NULL, 0);
	if (r == 0)
		r = sonde_perf_writer_set_meta(w, &meta);
	if (r == 0)
		r = sonde_perf_writer_set_list(w, SONDE_FEAT_NUMA_TOPOLOGY, nodes, 2, sizeof(nodes[0]));
	if (r == 0)
		r = sonde_perf_writer_finish(w);
	sonde_perf_writer_free(w);
	if (r == 0)
		r = sonde_trace_open(t, path, NULL);
	if (r == 0)
		print_features(t);
	sonde_trace_free(t);
	return r < 0 ? fail("write") : 0;
}

int main(int argc, char **argv)
{
	struct sonde_open_opts opts = { .sz = sizeof(opts), .max_bytes = UINT64_C(1) << 30 };
	struct sonde_trace *t = sonde_trace_new();
	int r;

	if (argc != 3 || sonde_trace_open(t, argv[1], &opts) < 0)
		return fail("open");
	print_str("library", (struct sonde_str){ "is there", 8 });
	r = print_events(t) || print_profile(t) || check(argv[1]) || print_texts(t) || write_one(argv[2]);
	print_trace(t);
	print_counter();
	print_features(t);
	print_parts(t);
	sonde_trace_free(t);
	return r;
}

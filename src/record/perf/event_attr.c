/* SPDX-License-Identifier: MIT */
#include "record/perf/event_attr.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "record/perf/off_cpu.h"

#define DEFAULT_FREQ_HZ 4000
#define DEFAULT_STACK_BYTES 8192
#define ATTR_BYTES 128         /* up to sig_data: what readers since Linux 5.13 know */
#define ATTR_BYTES_CONFIG4 144

/* Bits of the sample type that headers older than the kernel lack. */
#define SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define SAMPLE_WEIGHT_STRUCT  (UINT64_C(1) << 24)
#define SAMPLE_CGROUP         (UINT64_C(1) << 21)

#define BRANCH_CALL_STACK_FLAGS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | \
				 PERF_SAMPLE_BRANCH_NO_FLAGS | \
				 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX)

/* Fields of sample_id, which ends every record but samples. */
#define TRAILER_FIELDS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
			PERF_SAMPLE_CPU | \
			PERF_SAMPLE_IDENTIFIER)

/* The registers for unwinding: every general one. Numbers of <asm/perf_regs.h>. */
static uint64_t unwind_regs(void)
{
#if defined(__x86_64__)
	return 0xff0fff;             /* ax to flags, cs and ss, r8 to r15: the other segment registers are refused */
#elif defined(__i386__)
	return 0xfff;
#elif defined(__aarch64__)
	return (UINT64_C(1) << 33) - 1;
#elif defined(__riscv)
	return UINT32_MAX;
#elif defined(__powerpc__)
	return (UINT64_C(1) << 43) - 1;
#elif defined(__s390__)
	return UINT32_MAX;
#elif defined(__arm__)
	return 0xffff;
#else
	return 0;
#endif
}

static bool is_bpf_output(const struct sonde_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT;
}

static bool is_per_occurrence(const struct sonde_attr *a)
{
	return a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT || is_bpf_output(a);
}

/* Tracepoints, breakpoints and the output of BPF programs are sampled every time unless the user says otherwise. */
static void set_rate(struct event *e, const struct attr_plan *plan)
{
	const struct sonde_perf_recorder_opts *o = plan->opts;
	uint64_t freq = e->freq ? e->freq : o->rate.freq_max ? plan->max_freq_hz : o->rate.freq_hz;
	uint64_t period = e->period ? e->period : e->freq ? 0 : o->rate.period;
	struct sonde_attr *a = &e->attr;

	if (!period && !freq && is_per_occurrence(a))
		period = 1;
	if (period) {
		a->sample_period = period;
	} else {
		a->sample_period = freq ? freq : DEFAULT_FREQ_HZ;
		a->flags |= SONDE_ATTR_FREQ;
		/* A fixed period is in the attr. With the field, the kernel samples software events every time. */
		a->sample_type |= PERF_SAMPLE_PERIOD;
		if (plan->max_freq_hz && a->sample_period > plan->max_freq_hz)
			a->sample_period = plan->max_freq_hz;
	}
	if (o->fields.period_too || is_per_occurrence(a))
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (is_per_occurrence(a) && period > 1)
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

static void set_callgraph(struct event *e, const struct sonde_perf_recorder_opts *o)
{
	static const enum callgraph of_option[] = {
		[SONDE_CALLGRAPH_NONE] = CALLGRAPH_NO, [SONDE_CALLGRAPH_FP] = CALLGRAPH_FP,
		[SONDE_CALLGRAPH_DWARF] = CALLGRAPH_DWARF, [SONDE_CALLGRAPH_LBR] = CALLGRAPH_LBR,
	};
	enum callgraph how = e->callgraph ? e->callgraph : of_option[o->stack.callgraph];
	struct sonde_attr *a = &e->attr;
	bool by_option = !e->callgraph;

	/* A limit of frames asks for a call chain. */
	if (e->max_stack && !e->callgraph && how == CALLGRAPH_NO)
		how = CALLGRAPH_FP;
	e->callgraph = how;
	/* The branch records of a processor hold either call stacks or the wanted branches, not both. */
	if (how == CALLGRAPH_LBR && a->branch_sample_type)
		how = CALLGRAPH_FP;
	if (how == CALLGRAPH_NO)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = e->max_stack ? e->max_stack : o->stack.max_stack;
	if (how == CALLGRAPH_DWARF) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user |= unwind_regs();
		a->sample_stack_user = e->stack_size ? e->stack_size :
				       o->stack.stack_bytes ? o->stack.stack_bytes : DEFAULT_STACK_BYTES;
		a->flags |= o->stack.copies_and_chains ? 0 : ATTR_EXCLUDE_CHAIN_USER;
	} else if (how == CALLGRAPH_LBR) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = BRANCH_CALL_STACK_FLAGS;
	} else if (by_option && o->stack.defer_callchains) {
		a->flags |= SONDE_ATTR_DEFER_CALLCHAIN;
	}
}

/* One event asks for the user parts of deferred call chains: they come once, in the ring of the samples. */
static void set_defer_output(struct events *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].attr.flags & SONDE_ATTR_DEFER_CALLCHAIN) {
			list->at[i].attr.flags |= ATTR_DEFER_OUTPUT;
			return;
		}
}

static void set_sample_fields(struct event *e, const struct attr_plan *plan)
{
	const struct sonde_perf_recorder_opts *o = plan->opts;
	struct sonde_attr *a = &e->attr;
	const struct {
		bool on;
		uint64_t bits;
	} rows[] = {
		{ true, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER },
		{ e->time >= 0 ? e->time : !o->fields.no_time, PERF_SAMPLE_TIME },
		{ plan->sample_cpu, PERF_SAMPLE_CPU },
		{ o->fields.raw || a->type == PERF_TYPE_TRACEPOINT, PERF_SAMPLE_RAW },
		{ o->fields.data_addresses, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ a->type == PERF_TYPE_BREAKPOINT, PERF_SAMPLE_ADDR },
		{ o->fields.phys_addresses, PERF_SAMPLE_PHYS_ADDR },
		{ o->fields.data_page_size, SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR },
		{ o->fields.code_page_size, SAMPLE_CODE_PAGE_SIZE },
		{ o->fields.weight, SAMPLE_WEIGHT_STRUCT },
		{ o->fields.transaction, PERF_SAMPLE_TRANSACTION },
		{ o->side.all_cgroups, SAMPLE_CGROUP },
		{ a->branch_sample_type != 0, PERF_SAMPLE_BRANCH_STACK },
		{ o->fields.user_regs != 0, PERF_SAMPLE_REGS_USER },
		{ o->fields.intr_regs != 0, PERF_SAMPLE_REGS_INTR },
		{ is_bpf_output(a), PERF_SAMPLE_RAW },
		{ e->modifiers & MOD_RETIRE_LATENCY, SAMPLE_WEIGHT_STRUCT },
		{ a->aux_sample_size != 0, PERF_SAMPLE_AUX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		a->sample_type |= rows[i].on ? rows[i].bits : 0;
	a->sample_regs_user = o->fields.user_regs;
	a->sample_regs_intr = o->fields.intr_regs;
}

static void set_privilege(struct event *e, const struct sonde_perf_recorder_opts *o)
{
	if (e->modifiers & (MOD_USER | MOD_KERNEL | MOD_HV))
		return;
	if (o->user_only)
		e->attr.flags |= SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV;
	if (o->kernel_only)
		e->attr.flags |= SONDE_ATTR_EXCLUDE_USER;
}

/* With :S the leader of a group takes the samples, and its members only count. */
static void set_group_read(struct events *list, size_t i)
{
	struct event *e = &list->at[i];
	const struct event *leader = &list->at[e->leader];

	if (!(leader->modifiers & MOD_READ) && !(e->modifiers & MOD_READ))
		return;
	e->attr.sample_type |= PERF_SAMPLE_READ;
	if (e->leader != i) {
		e->attr.sample_period = 0;
		e->attr.flags &= ~SONDE_ATTR_FREQ;
	}
}

static void configure(struct events *list, size_t i, const struct attr_plan *plan)
{
	const struct sonde_perf_recorder_opts *o = plan->opts;
	struct event *e = &list->at[i];
	struct sonde_attr *a = &e->attr;
	/* the kernel takes one of the two only */
	bool enabled_by_exec = plan->starts_with_exec && !(a->flags & ATTR_REMOVE_ON_EXEC);
	bool leads = e->leader == i, inherit = e->inherit >= 0 ? e->inherit : plan->inherit && !plan->per_cpu_target;

	a->size = a->config3 || a->config4 ? ATTR_BYTES_CONFIG4 : ATTR_BYTES;
	a->read_format = plan->read_format;
	a->flags |= SONDE_ATTR_SAMPLE_ID_ALL | (inherit ? SONDE_ATTR_INHERIT : 0) | (leads ? SONDE_ATTR_DISABLED : 0) |
		    (leads && enabled_by_exec ? ATTR_ENABLE_ON_EXEC : 0) |
		    (o->side.task_counts ? ATTR_INHERIT_STAT : 0) | (e->overwrite > 0 ? ATTR_WRITE_BACKWARD : 0) |
		    (o->stack.user_callchains ? ATTR_EXCLUDE_CHAIN_KERNEL : 0) |
		    (o->stack.kernel_callchains ? ATTR_EXCLUDE_CHAIN_USER : 0);
	if (o->rings.no_buffering) {
		a->wakeup_events = 1;
	} else {
		a->flags |= ATTR_WATERMARK;
		a->wakeup_events = plan->watermark_bytes;
	}
	if (o->clock == SONDE_CLOCK_ID) {
		a->flags |= SONDE_ATTR_USE_CLOCKID;
		a->clockid = o->clock_id;
	}
	if (!e->branch_given)
		a->branch_sample_type = o->fields.branch_sample_type;
	set_sample_fields(e, plan);
	set_rate(e, plan);
	set_callgraph(e, o);
	set_privilege(e, o);
	set_group_read(list, i);
	if (o->side.no_samples) {
		a->sample_period = 0;
		a->flags &= ~SONDE_ATTR_FREQ;
	}
	if (e->modifiers & MOD_PRECISE_MAX)
		a->flags |= ATTR_PRECISE_MASK;
}

/* Unwinding reads parts of binaries that are mapped without execute permission. */
static bool needs_data_maps(const struct events *list, const struct sonde_perf_recorder_opts *o)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return o->fields.data_addresses || o->fields.data_page_size || o->side.data_maps;
}

/*
 * The event of the side band takes no samples, so that it can have rings of its own. Its sample_id has the layout of
 * the first event, because some readers look at no other.
 */
static void configure_sideband(const struct events *list, const struct attr_plan *plan)
{
	const struct sonde_perf_recorder_opts *o = plan->opts;
	struct event *e = &list->at[list->n - 1];
	struct sonde_attr *a = &e->attr;

	a->sample_type = PERF_SAMPLE_IP | (list->at[0].attr.sample_type & TRAILER_FIELDS) |
			 (o->fields.no_time ? 0 : PERF_SAMPLE_TIME);
	a->sample_period = 1;
	/* A command needs the side band from its exec on; other targets from now on. */
	a->flags &= ~(SONDE_ATTR_FREQ | SONDE_ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | SONDE_ATTR_EXCLUDE_USER |
		      ATTR_EXCLUDE_CHAIN_USER | ATTR_EXCLUDE_CHAIN_KERNEL | ATTR_INHERIT_STAT);
	/* An event that excludes the kernel needs no permission, and the side band comes all the same. */
	a->flags |= SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV | ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM |
		ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL | (o->side.no_bpf_events ? 0 : ATTR_BPF_EVENT) |
		(needs_data_maps(list, o) ? ATTR_MMAP_DATA : 0) | (o->side.switch_events ? ATTR_CONTEXT_SWITCH : 0) |
		(o->side.namespaces ? ATTR_NAMESPACES : 0) | (o->side.all_cgroups ? ATTR_CGROUP : 0) |
		(o->file.kcore ? ATTR_TEXT_POKE : 0);
	if (o->target.command && !plan->per_cpu_target && !o->target.nr_pids && !o->target.nr_tids &&
	    !o->target.of_user)
		a->flags |= SONDE_ATTR_DISABLED | ATTR_ENABLE_ON_EXEC;
	a->sample_max_stack = 0;
	a->sample_regs_user = a->sample_regs_intr = a->branch_sample_type = 0;
	a->sample_stack_user = 0;
}

int attrs_configure(struct events *list, const struct attr_plan *plan, struct sonde_error *err)
{
	struct attr_plan all = *plan;
	struct event dummy = {
		.name = "dummy:u",
		.leader = (uint32_t)list->n,
		.inherit = -1,
		.time = -1,
		.overwrite = -1,
		.scale = 1,
		.callgraph = CALLGRAPH_NO,
		.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY },
	};

	if (vec_push(list, dummy) < 0)
		return err_nomem(err);
	all.sample_cpu |= plan->per_cpu_target || plan->opts->fields.cpu;
	for (size_t i = 0; i < list->n; i++)
		all.sample_cpu |= list->at[i].attr.type == PERF_TYPE_TRACEPOINT || is_bpf_output(&list->at[i].attr);
	for (size_t i = 0; i < list->n; i++)
		configure(list, i, &all);
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].off_cpu)
			off_cpu_narrow(&list->at[i].attr);
	set_defer_output(list);
	configure_sideband(list, &all);
	return 0;
}

size_t attr_trailer_bytes(const struct sonde_attr *a)
{
	return 8 * (size_t)__builtin_popcountll(a->sample_type & TRAILER_FIELDS);
}

uint64_t attr_sample_bytes(const struct sonde_attr *a)
{
	uint64_t bytes = 8 + 8 * (uint64_t)__builtin_popcountll(a->sample_type);

	bytes += a->sample_type & PERF_SAMPLE_CALLCHAIN ? 32 * 8 : 0;
	bytes += a->sample_type & PERF_SAMPLE_STACK_USER ? a->sample_stack_user + 8u : 0;
	bytes += 8 * (uint64_t)__builtin_popcountll(a->sample_regs_user);
	bytes += 8 * (uint64_t)__builtin_popcountll(a->sample_regs_intr);
	bytes += a->sample_type & PERF_SAMPLE_BRANCH_STACK ? 32 * 24 : 0;
	bytes += a->sample_type & PERF_SAMPLE_RAW ? 64 : 0;
	return bytes;
}

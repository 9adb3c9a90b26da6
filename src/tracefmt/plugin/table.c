/* SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "tracefmt/field.h"
#include "tracefmt/plugin/plugins.h"

static const struct printer printers[] = {
	{ "ftrace", "function", PRINTER_TRACE_CMD, 2, { "ip", "parent_ip" }, print_function },
	{ "ftrace", "func_repeats", PRINTER_TRACE_CMD, 5, { "ip", "parent_ip", "count", "top_delta_ts",
	  "bottom_delta_ts" },
	  print_func_repeats },
	{ "ftrace", "funcgraph_entry", PRINTER_TRACE_CMD, 2, { "func", "depth", "retaddr", "args" },
	  print_graph_entry },
	{ "ftrace", "fgraph_retaddr_entry", PRINTER_TRACE_CMD, 2, { "func", "depth", "retaddr", "args" },
	  print_graph_entry },
	{ "ftrace", "funcgraph_exit", PRINTER_TRACE_CMD, 4, { "func", "depth", "calltime", "rettime", "retval" },
	  print_graph_exit },
	{ "ftrace", "kernel_stack", PRINTER_TRACE_CMD, 1, { "caller", "size" }, print_kernel_stack },
	{ "ftrace", "bprint", PRINTER_ALWAYS, 3, { "ip", "fmt", "buf" }, print_bprint },
	{ "ftrace", "raw_data", PRINTER_TRACE_CMD, 2, { "id", "buf" }, print_raw_data },
	{ "sched", "sched_switch", PRINTER_TRACE_CMD, 3,
	  { "prev_pid", "next_pid", "prev_state", "prev_comm", "prev_prio", "next_comm", "next_prio" },
	    print_sched_switch },
	{ "sched", "sched_wakeup", PRINTER_TRACE_CMD, 1, { "pid", "comm", "prio", "success", "target_cpu" },
	  print_sched_wakeup },
	{ "sched", "sched_wakeup_new", PRINTER_TRACE_CMD, 1, { "pid", "comm", "prio", "success", "target_cpu" },
	  print_sched_wakeup },
	{ "timer", "hrtimer_start", PRINTER_TRACE_CMD, 4, { "hrtimer", "function", "expires", "softexpires" },
	  print_hrtimer_start },
	{ "timer", "hrtimer_expire_entry", PRINTER_TRACE_CMD, 3, { "hrtimer", "function", "now" },
	  print_hrtimer_expire },
	{ "kmem", "kfree", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "kmem", "kmalloc", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "kmem", "kmalloc_node", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_alloc", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_alloc_node", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "kmem", "kmem_cache_free", PRINTER_TRACE_CMD, 1, { "call_site" }, print_call_site },
	{ "tlb", "tlb_flush", PRINTER_TRACE_CMD, 2, { "reason", "pages" }, print_tlb_flush },
	{ "syscalls", "sys_enter_futex", PRINTER_TRACE_CMD, 6, { "uaddr", "op", "val", "utime", "uaddr2", "val3" },
	  print_futex },
	{ "kvm", "kvm_exit", PRINTER_TRACE_CMD, 2, { "exit_reason", "guest_rip", "isa", "info1", "info2" },
	  print_kvm_exit },
	{ "kvm", "kvm_nested_vmexit_inject", PRINTER_TRACE_CMD, 6,
	  { "exit_code", "isa", "exit_info1", "exit_info2", "exit_int_info", "exit_int_info_err" }, print_kvm_inject },
	{ "kvm", "kvm_entry", PRINTER_TRACE_CMD, 1, { "vcpu_id", "rip" }, print_kvm_entry },
	{ "kvm", "kvm_emulate_insn", PRINTER_TRACE_CMD, 5, { "rip", "csbase", "len", "failed", "insn" },
	  print_kvm_emulate_insn },
	{ "kvmmmu", "kvm_mmu_get_page", PRINTER_TRACE_CMD, 5, { "role", "root_count", "unsync", "gfn", "created" },
	  print_mmu_get_page },
	{ "kvmmmu", "kvm_mmu_sync_page", PRINTER_TRACE_CMD, 3, { "role", "root_count", "unsync" }, print_mmu_page },
	{ "kvmmmu", "kvm_mmu_unsync_page", PRINTER_TRACE_CMD, 3, { "role", "root_count", "unsync" }, print_mmu_page },
	{ "kvmmmu", "kvm_mmu_prepare_zap_page", PRINTER_TRACE_CMD, 3, { "role", "root_count", "unsync" },
	  print_mmu_page },
};

const struct printer *printer_find(const struct tracefmt_event *e, const struct sonde_tracepoint_field **fields)
{
	for (size_t i = 0; i < ARRAY_SIZE(printers); i++) {
		const struct printer *row = &printers[i];
		bool whole = true;

		if (strcmp(row->event, e->name) != 0 || strcmp(row->system, e->system) != 0)
			continue;
		for (unsigned f = 0; f < PRINTER_FIELDS && row->fields[f]; f++) {
			fields[f] = tracefmt_field(e, row->fields[f]);
			whole &= fields[f] || f >= row->needs;
		}
		return whole ? row : NULL;
	}
	return NULL;
}

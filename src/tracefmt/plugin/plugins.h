/* SPDX-License-Identifier: MIT */
/* plugins.h - the printers that the rows of table.c name */
#ifndef TRACEFMT_PLUGIN_PLUGINS_H
#define TRACEFMT_PLUGIN_PLUGINS_H

#include "tracefmt/plugin/printing.h"

bool print_function(const struct printing *p);
bool print_func_repeats(const struct printing *p);
bool print_graph_entry(const struct printing *p);
bool print_graph_exit(const struct printing *p);
bool print_kernel_stack(const struct printing *p);
bool print_bprint(const struct printing *p);
bool print_raw_data(const struct printing *p);
bool print_sched_switch(const struct printing *p);
bool print_sched_wakeup(const struct printing *p);
bool print_hrtimer_start(const struct printing *p);
bool print_hrtimer_expire(const struct printing *p);
bool print_call_site(const struct printing *p);
bool print_tlb_flush(const struct printing *p);
bool print_futex(const struct printing *p);
bool print_kvm_exit(const struct printing *p);
bool print_kvm_inject(const struct printing *p);
bool print_kvm_entry(const struct printing *p);
bool print_kvm_emulate_insn(const struct printing *p);
bool print_mmu_page(const struct printing *p);
bool print_mmu_get_page(const struct printing *p);

#endif

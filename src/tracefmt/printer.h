/* SPDX-License-Identifier: MIT */
/*
 * printer.h - events whose text is not, or not only, what their print format says
 *
 * Records of the tracers themselves (functions, stacks, trace_printk) are described by formats that do not tell how they are
 * shown, and trace-cmd has plug-ins that print some tracepoints in another way. Each such event is a row of `printers`.
 */
#ifndef TRACEFMT_PRINTER_H
#define TRACEFMT_PRINTER_H

#include "tracefmt/out.h"
#include "tracefmt/tracefmt.h"

#define PRINTER_FIELDS 12

struct tracefmt_program;

/* A record on its way to text. */
struct printing {
	const struct tracefmt_event *event;
	const struct tracefmt_program *program;              /* of its print format; NULL if that cannot be compiled */
	const struct sonde_tracepoint_field *const *fields;  /* of the row's names; NULL: the event has no such field */
	const struct tracefmt_context *context;              /* NULL: nothing is known from outside */
	struct sonde_bytes raw;
	struct out *out;
};

/* Styles in which a printer is used. */
enum { PRINTER_ALWAYS = 1, PRINTER_TRACE_CMD = 2 };

struct printer {
	const char *system, *event;
	uint8_t when;                /* PRINTER_* */
	uint8_t needs;               /* the first so many fields: an event without them is printed by its print format */
	const char *fields[PRINTER_FIELDS];
	/* Returns whether the text is whole; false: that of the print format follows what has been printed. */
	bool (*print)(const struct printing *p);
};

/* The row of an event, NULL if it has none. Sets @fields to those that the row names. */
const struct printer *printer_find(const struct tracefmt_event *e, const struct sonde_tracepoint_field **fields);

/* Field number i as an integer; 0 if there is none. */
uint64_t printing_u64(const struct printing *p, unsigned i);
static inline bool printing_has(const struct printing *p, unsigned i)
{
	return p->fields[i];
}

/* The function at an address of the kernel: from the context, else from the recorder's symbols. */
bool printing_symbol(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address,
		     struct sonde_str *name, uint64_t *offset);
/* The string constant of the kernel at an address; NULL if it is not known. */
const char *printing_constant(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address);
/* Its name; nothing and false if it is not known. */
bool printing_function_name(const struct printing *p, uint64_t address);
/* Its name, else the address. */
void printing_function(const struct printing *p, uint64_t address);

void printing_str(const struct printing *p, const char *s);
/* The text in field number i. */
void printing_text(const struct printing *p, unsigned i);

/* ftrace_*.c */
bool print_function(const struct printing *p);
bool print_func_repeats(const struct printing *p);
bool print_graph_entry(const struct printing *p);
bool print_graph_exit(const struct printing *p);
bool print_kernel_stack(const struct printing *p);
bool print_bprint(const struct printing *p);
bool print_raw_data(const struct printing *p);

/* plugin_*.c */
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

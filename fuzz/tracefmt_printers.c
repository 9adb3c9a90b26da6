/* SPDX-License-Identifier: MIT */
/*
 * tracefmt_printers.c - records of the events that have printers of their own
 *
 * The first byte says which event, the second the byte order and how it is printed; then comes the record. The fields
 * of an event lie where a kernel has them, so that any bytes are a record of it; kallsyms and printk_formats are given.
 */
#include "tracefmt/print.h"
#include "tracefmt/tracefmt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct event {
	const char *system, *name, *fields;  /* of 8 bytes each from byte 8 on, but for what has a size of its own */
} events[] = {
	{ "ftrace", "function", "ip parent_ip" },
	{ "ftrace", "func_repeats", "ip parent_ip count top_delta_ts bottom_delta_ts" },
	{ "ftrace", "funcgraph_entry", "func depth retaddr args[4]" },
	{ "ftrace", "funcgraph_exit", "func depth calltime rettime retval" },
	{ "ftrace", "kernel_stack", "size caller[8]" },
	{ "ftrace", "bprint", "ip fmt buf[]" },
	{ "ftrace", "raw_data", "id buf[]" },
	{ "ftrace", "print", "ip buf[]" },
	{ "sched", "sched_switch", "prev_comm[8] prev_pid prev_prio prev_state next_comm[8] next_pid next_prio" },
	{ "sched", "sched_wakeup", "comm[8] pid prio success target_cpu" },
	{ "timer", "hrtimer_start", "hrtimer function expires softexpires" },
	{ "timer", "hrtimer_expire_entry", "hrtimer function now" },
	{ "kmem", "kfree", "call_site" },
	{ "tlb", "tlb_flush", "reason pages" },
	{ "syscalls", "sys_enter_futex", "uaddr op val utime uaddr2 val3" },
	{ "kvmmmu", "kvm_mmu_get_page", "gfn role root_count unsync created" },
	{ "kvm", "kvm_exit", "exit_reason guest_rip isa info1 info2" },
	{ "kvm", "kvm_emulate_insn", "rip csbase len insn[2] failed" },
	{ "scsi", "scsi_dispatch_cmd_start", "dev call cmd[]" },
};

static const char print_fmt[] = "\nprint fmt: \"%s %s %s %s\", scsi_trace_parse_cdb(p, REC->cmd, 32), "
				"jbd2_dev_to_name(REC->dev), xen_hypercall_name(REC->call), "
				"__print_flags(REC->dev, \"|\", {1, \"S\"}, {2, \"D\"})\n";

static int load(void *ctx, struct buf *out)
{
	(void)ctx;
	buf_str(out, "1000 T alpha\n2000 t beta\t[mod]\nffffffff81000000 T gamma\nffffffff81000000 T gamma2\n");
	return out->failed;
}

/* The format of an event; how long it is. */
static int make_format(char *text, size_t room, const struct event *e)
{
	int n = snprintf(text, room, "name: %s\nID: 1\nformat:\n"
			 "\tfield:u16 common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", e->name);
	int at = 8;

	for (const char *p = e->fields; *p;) {
		int len = (int)strcspn(p, " "), count = 1, size = 8;
		const char *bracket = memchr(p, '[', (size_t)len);

		if (bracket) {
			count = atoi(bracket + 1);
			size = 8 * count;
			if (p[len - 2] != '[' && strncmp(p + (bracket - p) - 4, "comm", 4) == 0)
				size = count;
		}
		n += snprintf(text + n, room - (size_t)n, "\tfield:%s %.*s;\toffset:%d;\tsize:%d;\tsigned:0;\n",
			      bracket && (size != 8 * count || count == 0) ? "char" : "u64", len, p, at, size);
		at += size;
		p += len + (p[len] == ' ');
	}
	return n + snprintf(text + n, room - (size_t)n, "%s", print_fmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char printk[] = "0x1000 : \"%s %*d %-.*s %hhd %lld %pS %pI4 %c %p %ld %zu\\n\"\n0x0 : \"%d\\n\"\n";
	struct tracefmt_context ctx = { 0 };
	struct buf out = BUF_MEMORY;
	struct sonde_bytes raw;
	struct tracefmt *t;
	char text[4096];
	uint8_t *copy;
	int n;

	if (size < 2)
		return 0;
	t = tracefmt_new(data[1] & 1, data[1] & 2 ? 4 : 8);
	copy = malloc(size - 2 + 1);   /* a copy of its own, so that a read beyond it is seen */
	if (!t || !copy)
		abort();
	memcpy(copy, data + 2, size - 2);
	raw = (struct sonde_bytes){ copy, size - 2 };
	n = make_format(text, sizeof(text), &events[data[0] % ARRAY_SIZE(events)]);
	if (tracefmt_add_format(t, events[data[0] % ARRAY_SIZE(events)].system, (struct sonde_str){ text, (size_t)n },
				NULL) < 0 ||
	    tracefmt_add_printk(t, (struct sonde_str){ printk, sizeof(printk) - 1 }) < 0)
		abort();
	if (data[0] % ARRAY_SIZE(events) == 2) {   /* an entry needs the exit to be a leaf */
		n = make_format(text, sizeof(text), &events[3]);
		text[strlen("name: funcgraph_exit\nID: ")] = '2';
		tracefmt_add_format(t, "ftrace", (struct sonde_str){ text, (size_t)n }, NULL);
	}
	tracefmt_symbols_from(t, load, NULL);
	ctx.style = data[1] & 4 ? TRACEFMT_KERNEL : TRACEFMT_TRACE_CMD;
	ctx.depth = data[1] >> 4;
	if (data[1] & 8)
		ctx.leaf = raw;
	tracefmt_print(tracefmt_event_at(t, 0), raw, &ctx, &out);
	if (out.n > 2 * TRACEFMT_TEXT_MAX)
		abort();
	buf_free(&out);
	free(copy);
	tracefmt_free(t);
	return 0;
}

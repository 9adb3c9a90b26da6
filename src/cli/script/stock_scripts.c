/* SPDX-License-Identifier: MIT */
#include "cli/script/stock_scripts.h"

#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"

#define SYSCALLS "-a -e raw_syscalls:sys_enter"
#define FAILURES "-a -e raw_syscalls:sys_exit"
#define READS "-a -e syscalls:sys_enter_read -e syscalls:sys_enter_write"

struct stock_script {
	const char *name;
	const char *record;          /* options of `sonde record` for it; NULL: there is no counterpart to record for */
	const char *here;            /* the command after "sonde "; NULL: none yet */
	const char *what;            /* its purpose, in a few words */
};

/* The scripts of perf 6.1 and 7.2; tests/command/stock_scripts.sh compares. */
static const struct stock_script scripts[] = {
	{ "check-perf-trace", NULL, NULL, "test perf's scripting" },
	{ "compaction-times", NULL, NULL, "measure memory compaction" },
	{ "event_analyzing_sample", "-a", "sql", "put samples into a database" },
	{ "export-to-postgresql", "", "export --to sqlite", "put samples into a database" },
	{ "export-to-sqlite", "", "export --to sqlite", "put samples into a database" },
	{ "failed-syscalls", FAILURES, "report --sort comm,ret", "count system calls that fail" },
	{ "failed-syscalls-by-pid", FAILURES, "report --sort comm,pid,id,ret", "count system calls that fail" },
	{ "flamegraph", "-g", "report --html flamegraph.html", "draw a flame graph" },
	{ "futex-contention", NULL, NULL, "measure waiting for futexes" },
	{ "gecko", "-g", "export --to firefox", "write a profile for the Firefox Profiler" },
	{ "intel-pt-events", NULL, NULL, "print events of an Intel PT trace" },
	{ "mem-phys-addr", "-d --phys-data", "script -F +phys_addr", "resolve physical addresses" },
	{ "net_dropmonitor", "-a -e skb:kfree_skb", "report --sort location", "count dropped packets by place" },
	{ "netdev-times", NULL, NULL, "follow packets through the kernel" },
	{ "powerpc-hcalls", NULL, NULL, "measure calls of a hypervisor" },
	{ "rw-by-file", READS, "report --sort comm,fd", "count reads and writes by file" },
	{ "rw-by-pid", READS, "report --sort comm,pid", "count reads and writes by process" },
	{ "rwtop", READS, "top --sort comm,pid " READS, "show who reads and writes" },
	{ "sched-migration", NULL, NULL, "draw tasks on CPUs" },
	{ "sctop", SYSCALLS, "top --sort comm " SYSCALLS, "show who makes system calls" },
	{ "stackcollapse", "-g", "export --to folded", "write folded stacks" },
	{ "syscall-counts", SYSCALLS, "report --sort id", "count system calls" },
	{ "syscall-counts-by-pid", SYSCALLS, "report --sort comm,pid,id", "count system calls by process" },
	{ "task-analyzer", NULL, NULL, "measure the times that tasks run" },
	{ "wakeup-latency", NULL, NULL, "measure the time from wake-up to running" },
	{ 0 },
};

static const struct stock_script *find(const char *name)
{
	for (const struct stock_script *s = scripts; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

bool stock_scripts_answer(int argc, char **argv)
{
	bool report = argc > 1 && strcmp(argv[0], "report") == 0, record = argc > 1 && strcmp(argv[0], "record") == 0;
	const struct stock_script *s;

	if (!argc || access(argv[0], F_OK) == 0)
		return false;
	s = find(argv[report || record]);
	if (!s)
		return false;
	if (!s->here)
		say("there is no counterpart yet of perf's script %s (%s); `sonde sql` answers questions about events",
		    s->name, s->what);
	else if (record)
		say("perf's script %s (%s): use 'sonde record%s%s', then 'sonde %s'", s->name, s->what,
		    *s->record ? " " : "", s->record, s->here);
	else
		say("perf's script %s (%s): use 'sonde %s'", s->name, s->what, s->here);
	return true;
}

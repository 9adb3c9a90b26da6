/* SPDX-License-Identifier: MIT */
#include "export/script/record.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/record_text.h"
#include "export/script/output.h"

#define RECORD_KSYMBOL 17
#define RECORD_BPF_EVENT 18
#define RECORD_CGROUP 19
#define RECORD_TEXT_POKE 20
#define RECORD_FINISHED_ROUND 68

static const struct {
	uint32_t type;
	uint32_t show;
} shown[] = {
	{ PERF_RECORD_COMM, SONDE_SHOW_TASK },
	{ PERF_RECORD_FORK, SONDE_SHOW_TASK },
	{ PERF_RECORD_EXIT, SONDE_SHOW_TASK },
	{ PERF_RECORD_MMAP, SONDE_SHOW_MMAP },
	{ PERF_RECORD_MMAP2, SONDE_SHOW_MMAP },
	{ PERF_RECORD_SWITCH, SONDE_SHOW_SWITCH },
	{ PERF_RECORD_SWITCH_CPU_WIDE, SONDE_SHOW_SWITCH },
	{ PERF_RECORD_NAMESPACES, SONDE_SHOW_NAMESPACE },
	{ PERF_RECORD_LOST, SONDE_SHOW_LOST },
	{ PERF_RECORD_LOST_SAMPLES, SONDE_SHOW_LOST },
	{ RECORD_KSYMBOL, SONDE_SHOW_BPF },
	{ RECORD_BPF_EVENT, SONDE_SHOW_BPF },
	{ RECORD_CGROUP, SONDE_SHOW_CGROUP },
	{ RECORD_TEXT_POKE, SONDE_SHOW_TEXT_POKE },
};

/* The thread of a record: that of its body, if it has one. */
static const char *comm_of(const struct script *s, const struct sonde_event *ev, char spare[SCRIPT_NUMBER])
{
	int32_t machine = ev->machine_pid;
	struct sonde_task task;
	struct sonde_comm comm;
	struct sonde_mmap mmap;

	if (event_task(ev, &task) == 0)
		return script_comm(s, machine, task.pid, task.tid, spare);
	if (event_comm(ev, &comm) == 0)
		return script_comm(s, machine, comm.pid, comm.tid, spare);
	if (event_mmap(ev, &mmap) == 0)
		return mmap.pid == -1 ? "swapper" : script_comm(s, machine, mmap.pid, mmap.tid, spare);
	return ev->tid == -1 && ev->time == 0 ? "swapper" : script_comm(s, machine, ev->pid, ev->tid, spare);
}

/* The fields in the trailer of a record, as far as its event has them. */
static uint64_t head_fields(const struct script *s, const struct sonde_event *ev)
{
	uint64_t fields = SCRIPT_BIT(COMM);

	if (ev->evsel) {
		uint64_t wanted = s->fields.of[script_type_of(ev->evsel->attr)].fields;
		uint64_t has = ev->evsel->attr->sample_type;

		fields = wanted & SCRIPT_BIT(COMM);
		fields |= has & PERF_SAMPLE_TID ? wanted & (SCRIPT_BIT(PID) | SCRIPT_BIT(TID)) : 0;
		fields |= has & PERF_SAMPLE_CPU ? wanted & SCRIPT_BIT(CPU) : 0;
		fields |= has & PERF_SAMPLE_TIME ? wanted & (SCRIPT_BIT(TIME) | SCRIPT_BIT(TOD)) : 0;
		fields |= wanted & (SCRIPT_BIT(MISC) | SCRIPT_BIT(MACHINE_PID) | SCRIPT_BIT(VCPU));
	}
	return fields;
}

void script_record(struct script *s, const struct sonde_event *ev)
{
	struct sample_printer printer = script_printer(s);
	char spare[SCRIPT_NUMBER];

	if (ev->type == RECORD_FINISHED_ROUND && s->show & SONDE_SHOW_ROUND) {
		buf_put(printer.out, s->name.p, s->name.len);
		buf_str(printer.out, "PERF_RECORD_FINISHED_ROUND\n");
	}
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		if (shown[i].type != ev->type || !(shown[i].show & s->show))
			continue;
		script_head(&printer, ev, comm_of(s, ev, spare), ev->time, head_fields(s, ev), true);
		buf_str(printer.out, "PERF_RECORD_");
		buf_str(printer.out, sonde_event_type_name(ev->type));
		record_text(printer.out, ev);
		buf_char(printer.out, '\n');
	}
}
